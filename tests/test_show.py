"""softcount show: what every kind of model is shown as, against counts that are made here."""

import json
import re
from collections import Counter
from pathlib import Path

import coins
import numpy as np
import pytest
from command import refused, run

import softcount
from softcount.report.coloured import styles
from softcount.report.context import in_context
from softcount.report.overview import expected_tokens, overview

TEXT = "the cat sat\nA dog ran\n\nthe dog sat\na cat ran home\n"
DOCS = "sea ship sea the\nship sea a\nlaw court law the\ncourt law a\n"
PAIRS = "the cat\tle chat\na dog\tun chien\nthe dog\tle chien\n"
TRAIN = {
    "hmm": "tag text --states 3 --criterion em:5",
    "word classes": "classes text --classes 3",
    "plsa": "topics docs --topics 2",
    "naive bayes mixture": "cluster docs --clusters 2",
    "k-means": "cluster docs --clusters 2 --method kmeans",
    "word aligner": "align both.tsv",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("show")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        for name, content in (("text", TEXT), ("docs", DOCS), ("both.tsv", PAIRS)):
            Path(name).write_text(content)
        for kind, line in TRAIN.items():
            ran = run(f"{line} -q --save {kind.replace(' ', '-')}.model")
            assert ran.code == 0, ran.err
    return here


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def shown(kind, *more):
    ran = run(f"show {kind.replace(' ', '-')}.model {' '.join(more)}")
    assert ran.code == 0, ran.err
    return ran.out


@pytest.mark.parametrize("kind", TRAIN)
def test_json_says_what_each_class_is(kind):
    content = json.loads(shown(kind, "--json", "--top 2"))
    assert content["kind"] == kind
    if kind == "word aligner":
        assert content["glossary"][0].keys() == {"source", "target", "p_target", "p_source"}
        assert len(content["glossary"]) == 2 and sum(content["fertility"]["forward"].values()) == pytest.approx(1.0)
        return
    unit = "tokens" if kind in ("hmm", "word classes") else "documents"
    assert sum(c[unit] for c in content["classes"]) == (13 if unit == "tokens" else 4)
    for group in content["classes"]:
        assert {"name", unit, "words"} <= group.keys() and 1 <= len(group["words"]) <= 2
        assert all(isinstance(word, str) for word in group["words"])


@pytest.mark.parametrize("kind", ["hmm", "word classes"])
def test_sizes_and_examples_in_a_text_are_those_of_its_tags(kind):
    line = (
        "tag text --apply hmm.model -q" if kind == "hmm" else "classes text --apply word-classes.model --output tags -q"
    )
    tags = [row.split() for row in run(line).out.splitlines()]
    content = json.loads(shown(kind, "text --json"))
    assert {c["name"]: c["tokens"] for c in content["classes"] if c["tokens"]} == Counter(
        t for row in tags for t in row
    )
    lines = [row.split() for row in TEXT.splitlines()]
    places = {(in_context(words, t), tags[s][t]) for s, words in enumerate(lines) for t in range(len(words))}
    examples = [(example, c["name"]) for c in content["classes"] for example in c.get("examples", [])]
    assert examples and set(examples) <= places


def test_tokens_are_decoded_and_expected_tokens_are_called_so():
    """In the terminal, in JSON and on the page, with the text and without."""
    tags = Counter(tag for row in run("tag text --apply hmm.model -q").out.splitlines() for tag in row.split())
    for text in ("", "text"):
        content = json.loads(shown("hmm", f"{text} --json"))
        assert {c["name"]: c["tokens"] for c in content["classes"]} == tags
        assert "expected" not in shown("hmm", text) and on_the_page("hmm.model", text) == ("tokens", tags)
    softcount.HMM(3, criterion="em:5", random_state=0).fit(TEXT.splitlines()).save("python.model")
    for text in ("", "text"):
        name, sizes = on_the_page("python.model", text)
        assert (name == "expected tokens") == ("expected tokens" in run(f"show python.model {text}").out) == (not text)
        content = json.loads(run(f"show python.model {text} --json").out)
        assert {c["name"]: c[name.replace(" ", "_")] for c in content["classes"]} == sizes


def on_the_page(model, text):
    """The unit of a report's class sizes, and the sizes."""
    assert run(f"report {model} {text} --out page.html").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    unit = re.search(r"<th[^>]*>state</th><th[^>]*>([^<]*)</th>", page)[1]
    rows = re.findall(r'<th scope="row">(\d)</th><td class="number">(\d+)</td><td class="number">[\d.]+%', page)
    return unit, {name: int(size) for name, size in rows}


def test_decoded_tokens_go_with_the_text_that_was_decoded():
    model = softcount.load("hmm.model")
    assert model.decoded_.sum() == 13
    assert not hasattr(model.partial_fit(TEXT.splitlines()), "decoded_")
    assert not hasattr(softcount.load("hmm.model").fit(TEXT.splitlines()), "decoded_")


def test_the_expected_tokens_are_those_of_all_sentences_of_the_same_lengths():
    model = softcount.load("hmm.model")
    wanted = np.zeros(3)
    for length, n in enumerate(model.lengths_):
        at = model.initial_
        for _ in range(length):
            wanted += n * at
            at = at @ model.transition_
    assert expected_tokens(model) == pytest.approx(wanted) and wanted.sum() == pytest.approx(13)


def test_typical_words_are_not_those_that_are_frequent_everywhere():
    model = softcount.load("naive-bayes-mixture.model")
    found = {group.words[0] for group in overview(model, 3).groups}
    assert found <= {"sea", "law", "ship", "court"}
    for k, group in enumerate(overview(model, 6).groups):
        everywhere = np.bincount(model.labels_, minlength=2) / 4 @ model.word_
        ids = model.vocabulary_.find(group.words)
        assert group.lift == pytest.approx((model.word_[k, ids] / everywhere[ids]).tolist())


def test_documents_are_shown_by_their_first_words():
    content = json.loads(shown("naive bayes mixture", "docs --json"))
    assert sorted(e for c in content["classes"] for e in c["examples"]) == [
        f"{d}: {line}" for d, line in enumerate(DOCS.splitlines(), 1)
    ]


def test_sentences_in_colours_and_without():
    plain = shown("hmm", "text --text")
    tags = run("tag text --apply hmm.model -q").out.splitlines()
    lines = [
        " ".join(f"{w}/{t}" for w, t in zip(a.split(), b.split(), strict=True))
        for a, b in zip(TEXT.splitlines(), tags, strict=True)
    ]
    assert plain.splitlines() == lines
    coloured = shown("hmm", "text --text --color")
    assert "\x1b[" in coloured and "cat" in coloured and "/" not in coloured
    assert "\x1b[" not in shown("hmm", "text")


def test_colours_differ():
    for many, n in ((True, 96), (False, 48)):
        assert len(set(styles([str(k) for k in range(n)], many).values())) == n


def test_an_aligner_is_shown_with_a_pair_as_a_grid():
    out = shown("word aligner", "both.tsv")
    assert "le" in out and "[" in out and "fertility" in out and "forward" in out
    for side, name in enumerate(("left", "right")):
        Path(name).write_text("".join(line.split("\t")[side] + "\n" for line in PAIRS.splitlines()))
    assert shown("word aligner", "left right") == out
    refused(run("show hmm.model text left"), "left: only an aligner takes a second text; omit it")


def test_a_model_from_elsewhere_is_shown_by_its_tables(monkeypatch, tmp_path):
    monkeypatch.setattr("softcount.registry.from_elsewhere", lambda: (coins.REGISTERED,))
    coins.CoinFlips(2, random_state=0).fit(["h h", "t t"]).save(tmp_path / "coins.model")
    ran = run(f"show {tmp_path}/coins.model --json")
    content = json.loads(ran.out)
    assert content["kind"] == "coins" and content["tables"]["side"]["rows"] == 2
    assert "side: 2 rows" in run(f"show {tmp_path}/coins.model").out


def test_tables_whose_first_column_has_names_are_counted_by_rows(tmp_path):
    (tmp_path / "G.cfg").write_text('S -> A B | B\nA -> "a"\nB -> "b" | "c"\n')
    (tmp_path / "text").write_text("a b\nb\na c\n")
    assert run(f"grammar {tmp_path}/G.cfg {tmp_path}/text -q --criterion em:2 --save {tmp_path}/g.model").code == 0
    content = json.loads(run(f"show {tmp_path}/g.model --json").out)
    assert content["tables"]["rule"]["rows"] == 5 and "rule: 5 rows" in run(f"show {tmp_path}/g.model").out
    table = "both.tsv", "--model ibm1 --direction forward --criterion em:2"
    assert run(f"align {table[0]} {table[1]} -q --save {tmp_path}/a.model").code == 0
    told = run(f"export {tmp_path}/a.model --to {tmp_path}/out").said
    lines = (tmp_path / "out" / "translation_forward.tsv").read_text().splitlines()
    assert f"translation_forward.tsv: {len(lines) - 1} rows" in told[0]


def test_gaussian_mixtures_by_their_features(tmp_path):
    X = np.array([[0.0, 5.0], [0.1, 5.1], [4.0, 0.0], [4.1, 0.2]])
    softcount.GaussianMixture(2, random_state=0).fit(X).save(tmp_path / "g.model")
    content = json.loads(run(f"show {tmp_path}/g.model --json").out)
    assert sorted((c["documents"], tuple(c["words"])) for c in content["classes"]) == [(2, ("0",)), (2, ("1",))]


def test_what_cannot_be_shown_is_refused():
    refused(
        run("show hmm.model --text"),
        "--text needs TEXT and a model of sentences (tag, classes); give both, or omit --text",
    )
    refused(
        run("show plsa.model docs --text"),
        "--text needs TEXT and a model of sentences (tag, classes); give both, or omit --text",
    )
