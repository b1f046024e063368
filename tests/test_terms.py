"""Phrase pairs and glossaries against their definitions, spelt out; what is written, read back by other programs."""

import csv
import io
import json
from collections import Counter
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest
from command import refused, run
from hypothesis import given
from hypothesis import strategies as st

from softcount.links.glossary import links_of
from softcount.links.phrases import consistent_spans, phrase_pairs
from softcount.links.terms import _dispersion, terms_of, words_of
from softcount.report.tsv import tsv_lines
from softcount.text.bitext import bitext

PAIR = st.lists(st.sampled_from("abc"), min_size=1, max_size=5)
POINTS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=7)
HEADER = ["source", "target", "links", "share", "p_target", "p_source"]
ODD = ['"quoted"', "=1+1", "tab\there", "line\nbreak", "'", "+1", "-x", "@a", "null", "a,b;c", " ", "é", '"']


def consistent(links, l, m, longest):
    """All pairs of spans, each looked at by itself."""
    for i, k, j, n in product(range(l), range(l), range(m), range(m)):
        if not (i <= k < i + longest and j <= n < j + longest):
            continue
        inside = {(a, b) for a, b in links if i <= a <= k and j <= b <= n}
        crossing = {(a, b) for a, b in links if (i <= a <= k) != (j <= b <= n)}
        edges = {a for a, _ in inside} >= {i, k} and {b for _, b in inside} >= {j, n}
        if inside and not crossing and edges:
            yield i, k - i + 1, j, n - j + 1


@pytest.mark.kernels
@given(st.lists(st.tuples(PAIR, PAIR, POINTS), min_size=1, max_size=3), st.integers(1, 4))
def test_phrase_pairs_are_those_that_no_link_leaves(rows, longest):
    texts = [row[0] for row in rows], [row[1] for row in rows]
    links = [{(i, j) for i, j in points if i < len(e) and j < len(f)} for e, f, points in rows]
    pairs = bitext(*texts)
    found = consistent_spans(links_of(links), pairs, longest)
    wanted = [
        (s, *span) for s, (e, f, _) in enumerate(rows) for span in sorted(consistent(links[s], len(e), len(f), longest))
    ]
    assert list(zip(*(column.tolist() for column in found), strict=True)) == wanted
    counts = Counter(
        (" ".join(texts[0][s][i : i + n]), " ".join(texts[1][s][j : j + m]))
        for s, i, n, j, m in wanted
        if n > 1 or m > 1
    )
    told = phrase_pairs(links_of(links), pairs, longest)
    names = [tuple(" ".join(v.vocabulary.decode(side)) for v, side in ((pairs.source, e), (pairs.target, f)))
             for e, f in zip(told.source, told.target, strict=True)]  # fmt: skip
    assert dict(zip(names, told.counts.tolist(), strict=True)) == counts
    for (source, _), of_source, frequency in zip(names, told.source_count, told.source_frequency, strict=True):
        assert of_source == sum(n for (s, _), n in counts.items() if s == source)
        words = source.split()
        assert frequency == sum(row[k : k + len(words)] == words for row in texts[0] for k in range(len(row)))


def test_a_glossary_of_words_and_terms():
    pairs = bitext(["ice cream", "ice cream", "ice age"], ["glace", "glace", "ère glaciaire"])
    links = links_of([[(0, 0), (1, 0)], [(0, 0), (1, 0)], [(0, 1), (1, 0)]])
    lexicon = [("ice", "glace", 0.7, 0.4), ("age", "ère", float("nan"), 1.0)]
    words = {(r.source, r.target): r for r in words_of(links, pairs, 1, lambda: lexicon)}
    assert words["ice", "glace"][2:6] == (2, pytest.approx(2 / 3), 0.7, 0.4)
    assert words["age", "ère"][2:6] == (1, 1.0, None, 1.0) and words["ice", "glaciaire"].p_target is None
    terms = {(r.source, r.target): r for r in terms_of(links, pairs, 1)}
    assert terms.keys() == {("ice cream", "glace"), ("ice age", "ère glaciaire")}
    assert terms["ice cream", "glace"][2:6] == (2, 1.0, 1.0, 1.0)
    assert not [r for r in terms_of(links, pairs, 2) if r.source == "ice age"]


def test_terms_have_letters_and_no_common_words_at_their_edges():
    pairs = bitext(["a , b"], ["x y"])
    assert not terms_of(links_of([[(0, 0), (1, 1)]]), pairs, 1)
    rare = [f"w{k}" for k in range(1000)]
    lines = [f"the {a} thing" for a in rare]
    pairs = bitext(lines, lines)
    found = terms_of(links_of([[(0, 0), (1, 1), (2, 2)]] * 1000), pairs, 1)
    assert not any(r.source.startswith("the ") or r.source.endswith(" thing") for r in found)


def test_dispersion_is_zero_where_spread_and_one_where_not():
    which, where = np.array([0] * 20 + [1] * 3), np.array([*range(0, 200, 10), 7, 7, 8])
    assert _dispersion(which, where, 200, 2) == pytest.approx([0.0, 0.95])


def test_odd_words_come_back_from_tsv():
    text = "".join(tsv_lines(["word", "n"], ([word, k] for k, word in enumerate(ODD))))
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))
    assert read == [["word", "n"], *([word, str(k)] for k, word in enumerate(ODD))]
    table = pandas.read_csv(io.StringIO(text, newline=""), sep="\t", keep_default_na=False)
    assert table["word"].tolist() == ODD and table["n"].tolist() == list(range(len(ODD)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("glossary")
    source, target = (
        ["The cat", "a dog", "the dog", "the", 'ice cream "'] * 3,
        ["Le chat", "un chien", "le chien", "le", 'glace "'] * 3,
    )
    (here / "a.en").write_text("".join(line + "\n" for line in source))
    (here / "a.fr").write_text("".join(line + "\n" for line in target))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        assert run("align a.en a.fr -q --save m").code == 0
        assert run("align a.en a.fr -q --model ibm2 --save fast").code == 0
    return here


@pytest.fixture
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def table(text):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))


def test_on_the_command_line(inside):
    rows = table(run("glossary m -q").out)
    assert rows[0] == HEADER and ["dog", "chien", "6"] in [row[:3] for row in rows]
    counted = table(run("glossary m a.en a.fr -q").out)
    names = [row[0] for row in counted]
    assert "the" in names and "The" not in names, "the commoner form"
    links = Counter()
    for e, f, row in zip(Path("a.en").read_text().splitlines(), Path("a.fr").read_text().splitlines(),
                         run("align a.en a.fr --apply m -q").out.splitlines(), strict=True):  # fmt: skip
        for i, j in (map(int, link.split("-")) for link in row.split()):
            links[e.lower().split()[i], f.lower().split()[j]] += 1
    assert {(r[0].lower(), r[1].lower()): int(r[2]) for r in counted[1:]} == links
    assert table(run("glossary fast a.en a.fr -q").out)[0] == HEADER
    assert all(int(row[2]) >= 4 for row in table(run("glossary m --min-links 4 -q").out)[1:])
    assert all(float(row[3]) >= 0.9 for row in table(run("glossary m --min-share 0.9 -q").out)[1:])
    assert table(run("glossary m a.en a.fr --dispersion -q").out)[0] == [*HEADER, "dispersion"]


def test_terms_are_added(inside):
    words, both = (table(run(f"glossary m a.en a.fr -q {o}").out)[1:] for o in ("", "--terms"))
    assert {tuple(row) for row in words} < {tuple(row) for row in both}
    assert any(" " in row[0] or " " in row[1] for row in both)


def test_tbx_and_json(inside):
    out = run("glossary m -q --output tbx --source-language en --target-language fr").out
    space, lang = "{urn:iso:std:iso:30042:ed-2}", "{http://www.w3.org/XML/1998/namespace}lang"
    root = ElementTree.fromstring(out)
    terms = [
        tuple(section.find(f".//{space}term").text for section in entry.iter(f"{space}langSec"))
        for entry in root.iter(f"{space}conceptEntry")
    ]
    assert terms == [tuple(row[:2]) for row in table(run("glossary m -q").out)[1:]]
    assert {section.get(lang) for section in root.iter(f"{space}langSec")} == {"en", "fr"}
    etree = pytest.importorskip("lxml.etree")
    assert etree.fromstring(out.encode()).tag == root.tag
    content = json.loads(run("glossary m -q --output json").out)
    assert [list(entry) for entry in content["glossary"][:1]] == [HEADER]


def test_what_cannot_be_listed(inside):
    refused(run("glossary m --output xls"), "--output 'xls': unknown; use tsv, excel, tbx, json")
    for asked in ("fast", "m --terms", "m --dispersion"):
        refused(
            run(f"glossary {asked}"),
            f"{asked.split()[0]}: the text is missing (paths stored in a model, here 'a.en and a.fr', are not opened); "
            "give SOURCE and TARGET",
        )
