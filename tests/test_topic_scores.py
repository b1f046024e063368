"""C_V and diversity of topics, beside their definitions written out; where they are shown."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, run

import softcount as sc
from softcount.evaluate import c_v, diversity
from softcount.synthetic.topics import topical

TEXT = topical(60, n_topics=3, seed=1)


def by_definition(texts: list[list[str]], tops: list[list[str]], window: int) -> list[float]:
    """Every window as a set of words; Röder et al. 2015, with NPMI 1 where words are in all windows."""
    windows = [set(t[k : k + window]) for t in texts if t for k in range(max(len(t) - window + 1, 1))]

    def share(*words: str) -> float:
        return sum(all(word in seen for word in words) for seen in windows) / len(windows)

    def npmi(u: str, v: str) -> float:
        joint = share(u, v)
        if not share(u) or not share(v):
            return 0.0
        return 1.0 if joint == 1.0 else math.log((joint + 1e-12) / (share(u) * share(v))) / -math.log(joint + 1e-12)

    found = []
    for top in tops:
        vectors = [np.array([npmi(u, v) for v in top]) for u in top]
        whole = np.sum(vectors, axis=0)
        lengths = [float(np.linalg.norm(v) * np.linalg.norm(whole)) for v in vectors]
        found.append(np.mean([v @ whole / n if n else 0.0 for v, n in zip(vectors, lengths, strict=True)]))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_c_v_is_what_its_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [[f"w{k}" for k in rng.integers(0, 12, rng.integers(0, 30))] for _ in range(8)]
    tops = [[f"w{k}" for k in rng.permutation(13)[:4]] for _ in range(3)]  # w12 is in no text
    text, window = sc.corpus(texts), int(rng.integers(1, 12))
    ids = np.array([text.vocabulary.find(top) for top in tops])
    np.testing.assert_allclose(c_v(text, ids, window), by_definition(texts, tops, window), atol=1e-9)


def test_c_v_of_counts_where_every_document_is_one_window() -> None:
    texts = [["a", "b", "a"], ["b", "c"], [], ["c", "a", "d"], ["d"]]
    data, text = sc.documents(texts), sc.corpus(texts)
    tops = [["a", "b", "c"], ["c", "d", "a"]]
    for of in (data, text):
        assert of.vocabulary is not None
        ids = np.array([of.vocabulary.find(top) for top in tops])
        np.testing.assert_allclose(c_v(of, ids, 3), by_definition(texts, tops, 3), atol=1e-9)
    with pytest.raises(sc.InputError, match="needs the order of words in documents of more than 2 words"):
        c_v(data, np.array([[0, 1]]), 2)


def test_diversity() -> None:
    assert diversity(np.array([[0, 1], [2, 3]])) == 1.0
    assert diversity(np.array([[0, 1], [0, 1]])) == 0.5
    found = sc.evaluate.measure_topics([["a", "b"], ["a", "c"]], ["a b", "a c", "b c"])
    assert found["diversity"].score == 0.75 and found.statistics["diversity"].tolist() == [0.75, 0.75]
    assert found.statistics["distinct"].tolist() == [0.5, 0.5]


def test_measured_topics_have_c_v_where_the_order_is_known(tmp_path: Path) -> None:
    long = [doc * 4 for doc in TEXT.documents]
    tops, texts = [list(words[:5]) for words in TEXT.keywords[:3]], [" ".join(doc) for doc in long]
    path = tmp_path / "docs.txt"
    path.write_text("\n".join(texts) + "\n")
    assert max(map(len, long)) > 110
    expected = by_definition(long, tops, 110)
    for given in (texts, long, path):
        found = sc.evaluate.measure_topics(tops, given)
        assert found.statistics["c_v"].tolist() == pytest.approx(expected)
        assert found["c_v"].score == pytest.approx(np.mean(expected))
    assert "c_v" not in sc.evaluate.measure_topics(tops, sc.documents(texts)).scores


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sc.PLSA:
    monkeypatch.chdir(tmp_path)
    texts = [" ".join(doc * 4) for doc in TEXT.documents]
    Path("docs.txt").write_text("\n".join(texts) + "\n")
    Path("docs.tsv").write_text("id\tbody\n" + "".join(f"{k}\t{text}\n" for k, text in enumerate(texts)))
    found = sc.PLSA(3, criterion="em:20", random_state=0).fit(texts)
    found.save("t.model")
    return found


def test_score_topics_at_the_shell(model: sc.PLSA) -> None:
    ran = run("score topics t.model docs.txt --top 5 --json")
    scores = json.loads(ran.out)
    tops = [[str(word) for word, _ in words] for words in model.top_words(5).values()]
    assert scores["c_v_per_topic"] == pytest.approx(by_definition([d * 4 for d in TEXT.documents], tops, 110))
    assert scores["c_v"] == pytest.approx(np.mean(scores["c_v_per_topic"]))
    assert scores["diversity"] == len({w for top in tops for w in top}) / 15 and "c_v=windows of 110" in ran.out
    shown = run("score topics t.model docs.txt").out.splitlines()
    assert [line.split()[0] for line in shown] == ["perplexity", "npmi", "c_v", "diversity", "softcount"]
    column = json.loads(run("score topics t.model docs.tsv --text-column body --top 5 --json").out)
    assert {k: v for k, v in column.items() if k != "signature"} == {
        k: v for k, v in scores.items() if k != "signature"
    }


def test_counts_without_order_have_no_c_v(model: sc.PLSA) -> None:
    words = model.vocabulary_.words  # type: ignore[union-attr]
    Path("d.ldac").write_text("2 0:100 1:20\n1 2:3\n")
    Path("d.vocab").write_text("\n".join(words) + "\n")
    ran = run("score topics t.model d.ldac --json")
    scores = json.loads(ran.out)
    assert scores["c_v"] is None and "c_v_per_topic" not in scores and scores["diversity"] > 0
    assert any(line.startswith("note: C_V is not available: it needs the order of words") for line in ran.said)


def test_a_warning_is_one_line_without_a_place_in_the_source(model: sc.PLSA) -> None:
    refused = "docs.tsv: a table with the columns"
    Path("one.tsv").write_text("cat fish\ngoal ball\n")
    noted = "warning: one.tsv: read as lines, although its name suggests a table; --text-column reads a column of it"
    for line in ("score topics t.model {}", "report t.model {} --out r.html", "show t.model {}",
                 "show t.model {} --top 3"):  # fmt: skip
        ran = run(line.format("docs.tsv"))
        assert ran.code == 2 and ran.err.startswith(f"softcount: {refused}"), ran.err
        assert run(line.format("docs.tsv --text-column body")).code == 0
        ran = run(line.format("one.tsv"))
        assert ran.code == 0 and ran.said.count(noted) == 1, ran.err
        assert ".py:" not in ran.err and "UserWarning" not in ran.err
    assert noted not in run("report t.model one.tsv --out r.html -q").said
    Path("six.csv").write_text("id,body\n1,cat fish\n2,goal ball\n")
    assert run("explain plsa six.csv --steps 1").code == 2
    assert run("explain plsa one.tsv --steps 1").said == [noted]
    assert run("explain mixture six.csv --steps 1 --text-column body").said == []


def test_the_page_shows_coherence_when_asked(model: sc.PLSA) -> None:
    assert run("report t.model docs.txt --out plain.html").code == 0
    assert run("report t.model docs.txt --coherence --out r.html").code == 0
    assert "C_V" not in Path("plain.html").read_text()
    page, scores = Path("r.html").read_text(), json.loads(run("score topics t.model docs.txt --json").out)
    for score in (*scores["npmi_per_topic"], *scores["c_v_per_topic"], scores["npmi"], scores["c_v"]):
        assert f"{score:.3f}" in page
    model.report("python.html", Path("docs.txt"), coherence=True)
    assert f"{scores['c_v']:.3f}" in Path("python.html").read_text()
    refused(run("report t.model --coherence"),
            "--coherence needs a topic model and documents as DATA; give both, or omit --coherence")  # fmt: skip
    with pytest.raises(sc.InputError, match="coherence needs a topic model and documents"):
        model.report("python.html", coherence=True)


# --- stop words by name, empty clusters, tables with text -------------------------------------------------------------


def test_english_stop_words_at_the_shell_are_those_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = ["The cat and the dog", "a moon and THE star", "cat of dog", "moon in star"]
    Path("d.txt").write_text("\n".join(texts) + "\n")
    for kind, how in ((sc.PLSA, "topics --topics"), (sc.NaiveBayesMixture, "cluster --clusters"),
                      (sc.KMeans, "cluster --method kmeans --clusters")):  # fmt: skip
        for lower in (False, True):
            command, _, size = how.partition(" --")
            ran = run(f"{command} d.txt --{size} 2 --stop-words english --save m {'--lowercase' * lower} -q")
            assert ran.code == 0, ran.err
            there = kind(2, stop_words="english", lowercase=lower, random_state=0).fit(texts)  # type: ignore[operator]
            here = sc.load("m")
            assert here.vocabulary_.words == there.vocabulary_.words and ("The" in here.vocabulary_.words) != lower
            assert json.loads(run("info m --json").out)["settings"]["stop_words"] is None
            assert "stop_words=english" in here.signature_
    Path("english").write_text("cat\n")
    ran = run("cluster d.txt --clusters 2 --stop-words english --save m")
    assert "note: --stop-words english is the built-in list; to read the file, write ./english" in ran.said
    assert "cat" in sc.load("m").vocabulary_.words
    run("cluster d.txt --clusters 2 --stop-words ./english --save m")
    assert "cat" not in sc.load("m").vocabulary_.words


def test_an_empty_cluster_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.txt").write_text("cat dog\n" * 6 + "moon star\n" * 6)
    ran = run("cluster d.txt --clusters 4 --verbose")
    sizes = [ran.out.splitlines().count(str(k)) for k in range(4)]
    assert 0 in sizes
    for k, size in enumerate(sizes):
        (line,) = [line for line in ran.said if line.startswith(f"{k}: ")]
        assert (line == f"{k}: empty") == (size == 0)
    (warned,) = [line for line in ran.said if line.startswith("warning: the classes collapse")]
    lost = ", ".join(f"{k} (0)" for k in range(4) if not sizes[k])
    assert f"these received almost no documents: {lost}" in warned


def test_k_means_leaves_no_cluster_empty_where_there_are_points_enough() -> None:
    docs = [f"word{k % 9} word{k % 5}" for k in range(60)]
    for seed in range(5):
        labels = sc.KMeans(12, start="random", random_state=seed).fit(docs).labels_
        assert len(set(labels.tolist())) == 12


def frames() -> dict[str, tuple[Any, str]]:
    pandas = pytest.importorskip("pandas")
    texts = ["stars planets", "moon stars", "bread butter", "jam bread"]
    frame = pandas.DataFrame({"id": ["a", "b", "c", "d"], "n": range(4), "body": texts})
    says = "X is a data frame with text in the column"
    array = "X is an array of shape (4, {}) that contains text; pass one column of texts, X[:, {}], or only counts"
    return {
        "frame": (frame, f"{says}s 'id', 'body'; pass one column of texts, X['body'], or only counts"),
        "one column": (frame[["body"]], f"{says} 'body'; pass one column of texts, X['body'], or only counts"),
        "objects": (frame[["n", "body"]].to_numpy(), array.format(2, 1)),
        "strings": (np.array(texts)[:, None], array.format(1, 0)),
        "a text": ("stars planets", "'stars planets': no such file; a string is a path; pass documents as a list of "
                   "strings, one per document"),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore:X has feature names")  # scikit-learn's, before it reads them
@pytest.mark.parametrize("kind", [sc.PLSA, sc.NaiveBayesMixture, sc.KMeans, sc.GaussianMixture])
def test_text_in_a_table_says_what_to_pass(kind: Any) -> None:
    for given, says in frames().values():
        with pytest.raises(sc.InputError) as caught:
            kind(2).fit(given)
        assert str(caught.value) == says and "\n" not in says
    frame = frames()["frame"][0]
    fitted = kind(2, random_state=0).fit(frame["body"])
    with pytest.raises(sc.InputError, match="pass one column of texts"):
        (fitted.transform if kind is sc.PLSA else fitted.predict)(frame)


def test_as_names_of_polars_and_arrow_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"n": [1, 2], "body": ["stars planets", "moon stars"]})
    with pytest.raises(sc.InputError, match="X is a data frame with text in the column 'body'"):
        sc.PLSA(2).fit(table)
    assert sc.PLSA(1, criterion="em:1").fit(table["body"]).vocabulary_
