"""Parts of reports: trees as they are, errors that are counted, topics by a column, and advice that is due."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command import refused, run
from test_page import DOCS, SOURCE, TARGET, Strict

import softcount
from softcount.evaluate.links import count_links, link_scores, total
from softcount.examples import EXAMPLES
from softcount.links.pharaoh import PairLinks
from softcount.loop.trace import Step, Trace
from softcount.report.page.across import across
from softcount.report.page.alignment import _disagreement
from softcount.report.page.chart import above, line_chart
from softcount.report.page.documents import LETTER, MAP, apart, label_places
from softcount.report.page.grammar import drawing
from softcount.report.page.model import page_of
from softcount.report.page.training import _longest, _with_models
from softcount.report.page.words import advice
from softcount.text.bitext import bitext
from softcount.text.corpus import corpus
from softcount.text.documents import documents
from softcount.text.trees import Tree, read_trees


def placed(picture: str) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for x, y, name in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', picture):
        found.setdefault(name, []).append((float(x), float(y)))
    return found


def test_a_tree_is_drawn_with_every_node_above_what_is_under_it(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("(S (NP (D the) (N dog)) (VP (V saw) (O her)))\n")
    (tree,) = read_trees(tmp_path / "t")
    at = placed(drawing(tree))
    assert at["the"] < at["dog"] < at["saw"] < at["her"]
    assert len({at[w][0][1] for w in ("the", "dog", "saw", "her")}) == 1

    for node in subtrees(tree):
        (above,) = at[node.label]
        assert all(at[child if isinstance(child, str) else child.label][0][1] > above[1] for child in node.children)
    assert drawing(tree).count("<line") == sum(len(t.children) for t in subtrees(tree)) == 10
    np.testing.assert_allclose(at["D"][0][0], at["the"][0][0])
    left, right = (at[w][0][0] for w in ("D", "N"))
    assert abs(at["NP"][0][0] - (left + right) / 2) < 0.11


def subtrees(tree: Tree) -> list[Tree]:
    return [tree, *(t for child in tree.children if isinstance(child, Tree) for t in subtrees(child))]


def test_a_grammar_has_a_page_with_rules_and_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in EXAMPLES["telescope"].files.items():
        Path(name).write_text(text)
    assert run("grammar G.cfg text.txt --criterion em:2 --report p.html -q --save m").code == 0
    page = Path("p.html").read_text()
    read = Strict(page)
    model = softcount.load("m")
    trees = model.parse(["she saw the dog with a telescope", "she saw a dog"])
    assert all(f'aria-label="{tree}"' in page for tree in trees)
    assert "VP -> V NP" in read.text and page.count("<article") == 2
    none = page_of(model, corpus(["dog dog dog", "she saw a dog"]))
    assert "dog dog dog: no parse" in none


def test_errors_against_gold_are_those_of_the_score() -> None:
    model = softcount.WordAligner("ibm1", criterion="em:3", lowercase=False).fit(SOURCE, TARGET)
    gold = [PairLinks({(0, 0), (0, 1)}, {(1, 1)}) for _ in SOURCE]
    text = Strict(page_of(model, bitext(SOURCE, TARGET), gold)).text
    scores = link_scores(
        total(count_links(a, g.sure, g.possible) for a, g in zip(model.align(SOURCE, TARGET), gold, strict=True))
    )
    assert f"AER {scores.aer:.3f}, precision {scores.precision:.3f}, recall {scores.recall:.3f}" in text
    missed = sum((0, 1) not in links for links in model.align(SOURCE, TARGET))
    assert "Missed links (sure in gold)" in text and missed > 0
    assert "Comparison with gold links" not in page_of(model, bitext(SOURCE, TARGET))


def test_advice_is_given_where_it_is_due() -> None:
    assert list(advice([0.5, 0.25, 0.125, 0.0625, 0.0625], "states")) == []
    (flat,) = advice([0.2] * 5, "states")
    assert "have almost equal sizes (entropy 100% of the maximum)" in flat
    assert "the default start and criterion, may" in flat and "steps" not in flat, "as Troubleshooting says"
    assert list(advice([0.2] * 5, "states", usual=True)) == [], "what it would advise was done"
    uneven = [0.167, 0.12, 0.11, 0.1, 0.1, 0.09, 0.08, 0.08, 0.063, 0.05, 0.04]
    assert list(advice(uneven, "states")) == []
    (empty,) = advice([0.7, 0.2, 0.1, 0.0], "classes")
    assert empty.startswith("1 of 4 classes are empty; use fewer classes")
    assert list(advice([], "states")) == []


def test_the_default_start_and_criterion_are_not_advised_to_a_run_that_has_them() -> None:
    text = [f"{a} {b}" for a in "uvwxy" for b in "uvwxy"]
    labels = [line.upper().split() for line in text]
    model = softcount.HMM(criterion="em:1", random_state=0).fit(text, labels)
    assert "the default start and criterion" in Strict(page_of(model, corpus(text))).text
    model = softcount.HMM(random_state=0).fit(text, labels)
    assert "have almost equal sizes" not in Strict(page_of(model, corpus(text))).text


def test_topics_and_clusters_by_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 1.0]])
    body = across(shares, ["a", "b"], ["2001", "1999", "2001", "2003"], "topic")
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th><td[^>]*>(\d+)</td><td[^>]*>(\d+)</td></tr>", body)
    assert rows == [
        ("1999 (1)", "50", "50"),
        ("2001 (2)", "62", "38"),
        ("2003 (1)", "0", "100"),
    ]  # in the order of time
    assert body.count("<polyline") == 2
    named = across(shares, ["a", "b"], ["x", "y", "y", "y"], "topic")
    assert named.index("y (3)") < named.index("x (1)") and "<polyline" not in named
    monkeypatch.chdir(tmp_path)
    Path("d").write_text("\n".join(DOCS) + "\n")
    Path("by").write_text("\n".join("wine" if "wine" in doc else "ball" for doc in DOCS) + "\n")
    assert run("topics d --topics 2 --save t -q").code == 0 and run("cluster d --clusters 2 --save c -q").code == 0
    for model, title in (("t", "Topics by class or time"), ("c", "Clusters by class or time")):
        assert run(f"report {model} d --by by --out p.html -q").code == 0
        assert title in Strict(Path("p.html").read_text()).text
    Path("by").write_text("wine\n")
    refused(
        run("report t d --by by --out q.html"),
        f"by: 1 lines for {len(DOCS)} documents; give one line per document",
    )
    refused(
        run("report t --by by --out q.html"),
        "by: --by needs documents and a model of topics or clusters; omit --by",
    )
    assert not Path("q.html").exists()


def test_documents_without_a_column_have_no_such_part() -> None:
    model: Any = softcount.PLSA(2, random_state=0).fit(DOCS)
    assert "by class or time" not in page_of(model, documents(DOCS))


def test_directions_disagree_only_where_they_do() -> None:
    pair = {"source": ["a", "b"], "target": ["x", "y"], "shares": [[0, 0, 0.9, 0.95], [1, 1, 0.1, 0.8]]}
    found = re.findall(r"<th scope=\"row\">([^<]*)</th>", _disagreement([4], [pair]))
    assert found == ["b – y"]
    assert "No disagreements were found" in _disagreement([4], [{**pair, "shares": pair["shares"][:1]}])


def test_a_language_model_has_a_page_with_the_surprise_of_every_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_text("\n".join(SOURCE) + "\n")
    Path("new").write_text("the small house\n")
    assert run("lm s --order 2 --save m --report a.html -q").code == 0
    assert "Surprisal of a text" not in Path("a.html").read_text() and "Samples" in Path("a.html").read_text()
    assert run("report m new --out b.html -q").code == run("lm --apply m new --report c.html -q").code == 0
    assert Path("b.html").read_text() == Path("c.html").read_text()
    bits = -softcount.load("m").log_probabilities(["the small house"]).values / np.log(2)
    found = re.findall(r"<small>([\d.]+)</small>", Path("b.html").read_text())
    assert found == [f"{b:.1f}" for b in bits] and len(found) == 4
    refused(run("report m new s --out d.html"), "s: `softcount lm` takes one file; omit it")


def test_points_have_a_page_with_centres_and_a_picture(tmp_path: Path) -> None:
    X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [5.0, 5.0, 1.0], [5.0, 6.0, 1.0], [5.0, 7.0, 1.0]])
    softcount.KMeans(2, start=X[[0, 4]]).fit(X).report(tmp_path / "p.html", X)
    read = Strict((tmp_path / "p.html").read_text())
    assert "60.0%" in read.text and "mean feature 2" in read.text
    drawn = (tmp_path / "p.html").read_text()
    assert drawn.count('r="3" class="dot') >= len(X) and drawn.count('class="cross') == 2


def test_a_stage_that_comes_twice_is_drawn_twice() -> None:
    steps = [Step(0, stage, n, float(n), None, {}, 0.1) for stage in ("em:2", "em:2", "vb:2") for n in (1, 2)]
    panels = Trace(steps).panels()
    assert {name: [len(run) for run in runs] for name, runs in panels.items()} == {
        "em:2": [2], "em:2 (2)": [2], "vb:2": [2]
    }  # fmt: skip
    again = Trace([*steps, *(step._replace(restart=1) for step in steps)]).panels()
    assert [len(runs) for runs in again.values()] == [2, 2, 2]


def test_words_on_a_map_keep_out_of_circles_and_of_one_another() -> None:
    at, radius = np.array([[100.0, 100.0], [140.0, 100.0], [500.0, 200.0]]), np.array([15.0, 15.0, 15.0])
    places = label_places(at, radius, ["to the left", "to the right", "inside"])
    assert None not in places
    (first, y), (second, _), (third, _) = filter(None, places)
    assert first + LETTER * 11 < 85 and y == 104 and second > 155 and third + LETTER * 6 < 485
    assert label_places(np.full((1, 2), 100.0), np.full(1, 15.0), ["w" * 500]) == [None], "wider than the map"


def test_stages_are_named_by_the_model_that_they_train() -> None:
    def of(kind: str, signature: str, *stages: tuple[int, str]) -> list[str]:
        steps = [Step(restart, stage, n, -1.0, None, {}, 0.1) for restart, stage in stages for n in (1, 2)]
        return [name for name, _ in _with_models(SimpleNamespace(kind=kind, signature_=signature), Trace(steps))]

    plan = "softcount | align | model=ibm1(em:2,mre(rate=0.5):2),hmm(em:2) direction=both"
    stages = [(0, "em:2"), (0, "mre(rate=0.5):2"), (0, "em:2")]
    assert of("word aligner", plan, *stages) == ["Model 1", "Model 1", "HMM"]
    assert of("word aligner", plan, (0, "vb:2")) == [""], "another plan than was trained is not believed"
    keys = [(0, "em:2"), (1, "em:2"), (2, "em:2"), (0, "em:2"), (2, "em:2")]
    told = ["2-grams", "2-grams", "2-grams", "3-grams", "3-grams"]
    assert of("decipher", "decipher | order=3 criterion=em:2 seed=0", *keys) == told
    ran = [Step(restart, "em:2", n, -1.0, None, {}, 0.1) for restart in (0, 1, 0, 1, 1) for n in (1, 2)]
    model = SimpleNamespace(kind="decipher", signature_="decipher | order=3 criterion=em:2 seed=0")
    # The first key was given up after bigrams: the page tells of one that was not.
    longest = _longest(model, Trace([*ran[:4], *ran[6:8]]))
    assert [(of, restart) for of, (restart, _, _) in longest] == [("2-grams", 1), ("3-grams", 1)]
    assert of("hmm", "hmm | criterion=em:2", (0, "em:2")) == [""]


def test_circles_on_a_map_do_not_cover_one_another() -> None:
    at, radius = np.array([[100.0, 100.0], [100.0, 100.0], [105.0, 100.0], [519.0, 339.0]]), np.full(4, 15.0)
    moved = apart(at, radius)
    far = np.sqrt(((moved[:, None] - moved[None]) ** 2).sum(axis=2))
    assert far[np.triu_indices(4, 1)].min() > 29 and (moved >= 15).all() and (moved <= np.array(MAP) - 15).all()


def test_a_chart_leaves_out_what_lies_below_and_tells_its_marks_apart() -> None:
    line = [(1.0, -100.0), (2.0, -10.0), (3.0, -9.0)]
    assert above(line, -55.0) == [(1.5, -55.0), (2.0, -10.0), (3.0, -9.0)]
    assert above(line, -100.0) == line and above(line, 0.0) == line
    assert above([(1.0, 5.0), (2.0, 1.0), (3.0, 4.0)], 2.0)[0] == (2 + 1 / 3, 2.0), "where it last comes up"
    for low, high in ((-38_984_500.0, -38_983_818.9), (-940.5812, -940.5811), (0.0, 1e-7)):
        marks = re.findall(r'text-anchor="end">([^<]+)<', line_chart("x", [[(1, low), (2, high)]], "y"))[:3]
        assert len(set(marks)) == 3 and "e" not in "".join(marks)
    flat = line_chart("x", [[(1, 7.0), (2, 7.0)]], "y")
    assert "7.5<" in flat and "nan" not in flat
