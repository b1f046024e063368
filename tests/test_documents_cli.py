"""softcount topics, cluster, score and explain on documents; readers of documents; bad input."""

import json
import shlex
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import command
import numpy as np
import pyarrow.parquet as parquet
import pytest
from sklearn.metrics import adjusted_rand_score

import softcount
from softcount import InputError
from softcount.disk.store import Stored
from softcount.evaluate.topics import npmi
from softcount.synthetic.topics import topical
from softcount.text.document_reader import read_documents
from softcount.text.documents import documents, from_matrix, pruned

TEXT = topical(60, n_topics=3, seed=1)
LINES = "".join(" ".join(doc) + "\n" for doc in TEXT.documents)


def run(*arguments, code=0, stdin=""):
    done = command.run(shlex.join(map(str, arguments)), stdin.encode())
    assert done.code == code, done.err
    if code == 2:
        assert done.out == ""
    return SimpleNamespace(stdout=done.out, stderr="\n".join(done.said))


def shares(rows):
    """Of a file of --rows, or of the lines that are printed, which have a header where documents have names."""
    lines = rows if isinstance(rows, list) else rows.read_text().splitlines()
    named = lines[0].startswith("document\t")
    return np.array([line.split("\t")[named:] for line in lines[named:]], dtype=float)


@pytest.fixture
def docs(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_text(LINES)
    return path


def test_topics_train_save_apply_query_and_score(docs, tmp_path):
    model, rows = tmp_path / "m.arrow", tmp_path / "rows.tsv"
    done = run("topics", docs, "--topics", 3, "--save", model, "--rows", rows, "--seed", 1)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) == 3 and sum(float(line[1]) for line in lines) == pytest.approx(1.0, abs=1e-3)
    table = shares(rows)
    assert table.shape == (60, 3) and np.allclose(table.sum(axis=1), 1.0, atol=1e-4)
    assert Stored(model).kind == "plsa"
    applied = run("topics", "--apply", model, docs)
    assert np.allclose(np.array([line.split() for line in applied.stdout.splitlines()], float), table, atol=1e-5)
    found = run("topics", "--apply", model, docs, "--query", " ".join(TEXT.keywords[0][:3]), "-k", 4)
    numbers = [int(line.split("\t")[0]) - 1 for line in found.stdout.splitlines()]
    assert len(numbers) == 4 and {TEXT.topics[d] for d in numbers} == {0}
    among = run(
        "topics", "--apply", model, "--query", " ".join(TEXT.keywords[0][:3]), "-k", 4
    )  # the training documents
    assert {TEXT.topics[int(line.split("\t")[0]) - 1] for line in among.stdout.splitlines()} == {0}
    answer = json.loads(run("topics", "--query", TEXT.keywords[0][0], "--apply", model, "-k", 2, "--json").stdout)
    assert len(answer["similar"]) == 2 and {"document", "similarity"} == set(answer["similar"][0])
    for words in (("--apply", model), ("--query", "x"), ()):
        assert "no documents; give DOCS" in run("topics", *words, code=2).stderr
    scores = json.loads(run("score", "topics", model, docs, "--json").stdout)
    assert scores["perplexity"] > 1 and -1 <= scores["npmi"] <= 1


@pytest.mark.parametrize("train", [("topics", "--topics", 3), ("cluster", "--clusters", 3), ("cluster", "--clusters",
                                   3, "--method", "kmeans")])  # fmt: skip
def test_a_model_remembers_how_its_text_was_read(docs, tmp_path, train):
    stop, model, loud = tmp_path / "stop", tmp_path / "m", tmp_path / "loud.txt"
    stop.write_text("The\nOF\n\n")
    loud.write_text(LINES.upper())
    options = ("--lowercase", "--min-count", 2, "--max-share", 0.9, "--stop-words", stop)
    trained = run(train[0], docs, *train[1:], *options, "--save", model, "--signature", "long")
    words = softcount.load(model).vocabulary_.words
    assert "the" not in words and "of" not in words, "stop words are lower-cased, too"
    said = "lowercase=True min_count=2 max_share=0.9 stop_words=2"
    assert said in trained.stderr and said in softcount.load(model).signature_
    assert f"text read   {said}" in run("info", model).stdout
    again = run(train[0], loud, "--apply", model)
    assert again.stdout == run(train[0], docs, "--apply", model).stdout
    plain = run(train[0], docs, *train[1:], "--save", tmp_path / "plain")
    assert "lowercase" not in plain.stderr and "text read" not in run("info", tmp_path / "plain").stdout


def test_topics_led_by_common_words_say_how_to_leave_them_out(tmp_path):
    docs = tmp_path / "docs.txt"
    docs.write_text("".join("the of the a " * 5 + f"w{d % 7} w{d % 5}\n" for d in range(40)))
    said = "topics are led by words that occur in more than half of the documents (the"
    assert said in run("topics", docs, "--topics", 3, "--criterion", "em:5").stderr
    assert said not in run("topics", docs, "--topics", 3, "--criterion", "em:5", "--max-share", 0.5).stderr


def test_lowercase_is_for_the_query_and_for_scoring_too(docs, tmp_path):
    loud, model = tmp_path / "loud.txt", tmp_path / "m"
    loud.write_text(LINES.upper())
    asked = ("--query", TEXT.keywords[0][0].upper(), "-k", 3)
    trained = run("topics", loud, "--topics", 3, "--lowercase", "--save", model, *asked)
    assert len(trained.stdout.splitlines()) == 3
    assert run("topics", loud, "--apply", model, *asked).stdout == trained.stdout
    assert run("score", "topics", model, loud).stdout == run("score", "topics", model, docs).stdout


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_rows_in_other_formats(docs, tmp_path, suffix):
    out = tmp_path / f"rows{suffix}"
    answer = json.loads(run("topics", docs, "--topics", 2, "--rows", out, "--json").stdout)
    table = np.load(out) if suffix == ".npy" else np.column_stack(parquet.read_table(out).columns[1:])
    assert len(answer["topics"]) == 2 and table.shape == (60, 2) and np.allclose(table.sum(axis=1), 1.0)


def test_every_format_through_every_command(tmp_path):
    """The same documents in five formats: the same topics and clusters, though two of them name no words."""
    names = sorted({word for doc in TEXT.documents for word in doc})
    cells = [sorted((names.index(w), n) for w, n in Counter(doc).items()) for doc in TEXT.documents]
    (tmp_path / "vocab.a.txt").write_text("\n".join(names))
    body = "".join(f"{d} {w + 1} {n}\n" for d, row in enumerate(cells, 1) for w, n in row)
    (tmp_path / "docword.a.txt").write_text(f"60\n{len(names)}\n{len(body.splitlines())}\n{body}")
    (tmp_path / "a.ldac").write_text("".join(f"{len(c)} {' '.join(f'{w}:{n}' for w, n in c)}\n" for c in cells))
    (tmp_path / "a.svmlight").write_text("".join(f"x {' '.join(f'{w + 1}:{n}' for w, n in c)}\n" for c in cells))
    (tmp_path / "docs.txt").write_text(LINES)
    for d, (doc, topic) in enumerate(zip(TEXT.documents, TEXT.topics, strict=True)):
        (tmp_path / "folder" / TEXT.names[topic]).mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / TEXT.names[topic] / f"{d:02}").write_text(" ".join(doc))
    for name in ("docs.txt", "docword.a.txt", "a.ldac", "a.svmlight", "folder"):
        gold = [t for t in range(3) for x in TEXT.topics if TEXT.names[x] == sorted(TEXT.names)[t]]
        gold = gold if name == "folder" else list(TEXT.topics)
        model, rows = tmp_path / "m", tmp_path / "rows.tsv"
        assert (
            len(run("topics", tmp_path / name, "--topics", 3, "--save", model, "--rows", rows).stdout.splitlines()) == 3
        )
        assert _agrees(gold, shares(rows).argmax(axis=1))
        applied = run("topics", "--apply", model, tmp_path / name).stdout
        assert np.allclose(shares(applied.splitlines()), shares(rows), atol=1e-5)
        assert "perplexity" in run("score", "topics", model, tmp_path / name).stdout
        for method in ("nb", "kmeans"):
            found = run(
                "cluster", tmp_path / name, "--clusters", 3, "--method", method, "--output", "lines"
            ).stdout.split()
            assert _agrees(gold, np.array(found, dtype=int)), (name, method)


def _agrees(gold, found):
    return adjusted_rand_score(gold, found) > 0.9


@pytest.fixture
def numbers(tmp_path):
    """Two groups of documents in three formats that name no words, with gaps; the same numbers stand in all."""
    (tmp_path / "g.ldac").write_text("2 1:3 2:2\n2 1:2 2:3\n2 4:3 5:2\n2 4:2 5:3\n")
    (tmp_path / "g.svmlight").write_text("x 1:3 2:2\nx 1:2 2:3\nx 4:3 5:2\nx 4:2 5:3\n")
    cells = "1 1 3\n1 2 2\n2 1 2\n2 2 3\n3 4 3\n3 5 2\n4 4 2\n4 5 3\n"
    (tmp_path / "docword.g.txt").write_text(f"4\n9\n8\n{cells}")
    return tmp_path


@pytest.mark.parametrize("name", ["g.ldac", "g.svmlight", "docword.g.txt"])
def test_words_without_names_are_called_by_their_numbers_in_the_file(numbers, name):
    model, rows = numbers / "m", numbers / "rows.tsv"
    shown = run("topics", numbers / name, "--topics", 2, "--restarts", 5, "--save", model, "--rows", rows).stdout
    assert sorted(sorted(line.split("\t")[2].split()[:2]) for line in shown.splitlines()) == [["1", "2"], ["4", "5"]]
    for other in ("g.ldac", "g.svmlight", "docword.g.txt"):
        applied = run("topics", "--apply", model, numbers / other).stdout
        assert np.allclose(shares(applied.splitlines()), shares(rows), atol=1e-5), other
    found = run("topics", "--apply", model, numbers / name, "--query", "4 5", "-k", 2).stdout
    assert {line.split("\t")[0] for line in found.splitlines()} == {"3", "4"}


@pytest.mark.parametrize("method", ["nb", "kmeans"])
def test_clusters_of_numbers_know_a_number_in_any_file(numbers, method):
    """The first file uses word 0, the second does not: its words must not move."""
    (numbers / "zero.svmlight").write_text("x 0:3 1:2\nx 0:2 1:3\nx 2:3 3:2\nx 2:2 3:3\n")
    (numbers / "one.svmlight").write_text("x 1:3\nx 2:3\n")
    settings = ("--clusters", 2, "--method", method, "--save", numbers / "m")
    first = run("cluster", numbers / "zero.svmlight", *settings).stdout.split()
    assert first[0] == first[1] != first[2] == first[3]
    assert run("cluster", numbers / "one.svmlight", "--apply", numbers / "m").stdout.split() == [first[0], first[2]]


def test_numbers_that_the_model_has_not_seen_are_left_out_with_a_note(numbers):
    (numbers / "b.svmlight").write_text("x 1:3 2:1 9:4\nx 1:1\n")
    (numbers / "c.svmlight").write_text("x 1:3 2:1\nx 1:1\n")
    run("topics", numbers / "g.svmlight", "--topics", 2, "--save", numbers / "m")
    beyond, within = (run("topics", "--apply", numbers / "m", numbers / f"{name}.svmlight") for name in "bc")
    assert beyond.stdout == within.stdout and "4 of 9 words" in beyond.stderr and "note" not in within.stderr
    assert "perplexity" in run("score", "topics", numbers / "m", numbers / "c.svmlight").stdout


def test_names_and_numbers_are_never_matched_by_position(numbers):
    """The table has as many words as the model."""
    (numbers / "text").write_text("a b\na b\nc d\nc d\n")
    run("topics", numbers / "text", "--topics", 2, "--save", numbers / "topics.model")
    for method in ("nb", "kmeans"):
        run("cluster", numbers / "text", "--clusters", 2, "--method", method, "--save", numbers / method)
        said = run("cluster", numbers / "g.ldac", "--apply", numbers / method, code=2).stderr
        assert "g.ldac: none of its 20 words is in the model's vocabulary" in said
    for words in (("topics", "--apply"), ("score", "topics")):
        said = run(*words, numbers / "topics.model", numbers / "g.ldac", code=2).stderr
        assert "g.ldac: none of its 20 words is in the model's vocabulary" in said


def test_a_model_of_a_table_without_names_is_not_for_files(numbers):
    """Trained in Python on an array: which of its columns would word 4 be?"""
    table = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    softcount.PLSA(2, random_state=0).fit(table).save(numbers / "topics.model")
    softcount.NaiveBayesMixture(2, random_state=0).fit(table).save(numbers / "nb.model")
    for words in (("topics", "--apply"), ("score", "topics"), ("cluster", "--apply")):
        model = numbers / ("nb.model" if "cluster" in words else "topics.model")
        said = run(*words, model, numbers / "g.ldac", code=2).stderr
        assert "g.ldac: has words, but the model was trained on a table without words" in said


def test_score_topics_with_fewer_words_and_documents_than_it_asks_for(tmp_path):
    (tmp_path / "one.ldac").write_text("1 7:5\n")
    (tmp_path / "two.ldac").write_text("2 7:5 9:1\n0\n")
    run("topics", tmp_path / "one.ldac", "--topics", 1, "--save", tmp_path / "m")
    for name in ("one.ldac", "two.ldac"):
        assert json.loads(run("score", "topics", tmp_path / "m", tmp_path / name, "--json").stdout)["npmi"] == 0.0
    (tmp_path / "none.ldac").write_text("0\n")
    assert "at least two known words" in run("score", "topics", tmp_path / "m", tmp_path / "none.ldac", code=2).stderr


def test_uci_may_end_in_blank_lines(tmp_path):
    (tmp_path / "docword.txt").write_text("1\n9\n2\n1 3 2\n1 9 1\n\n \n")
    data = read_documents(tmp_path / "docword.txt")
    assert data.vocabulary.words == ["3", "9"] and data.matrix().toarray().tolist() == [[2.0, 1.0]]


def test_counts_of_zero_are_not_words(tmp_path):
    (tmp_path / "a.svmlight").write_text("x 1:0 2:1 007:1\nx 7:2\n")
    data = read_documents(tmp_path / "a.svmlight")
    assert data.vocabulary.words == ["2", "7"] and data.matrix().toarray().tolist() == [[1.0, 1.0], [0.0, 2.0]]


@pytest.mark.parametrize("method", ["nb", "kmeans"])
def test_cluster_and_score(docs, tmp_path, method):
    done = run("cluster", docs, "--clusters", 3, "--method", method, "--seed", 1)
    again = run("cluster", docs, "--clusters", 3, "--method", method, "--seed", 1, "--threads", 1)
    assert done.stdout == again.stdout and len(done.stdout.splitlines()) == 60
    gold = tmp_path / "gold"
    gold.write_text("".join(f"{t}\n" for t in TEXT.topics))
    scores = json.loads(run("score", "clusters", gold, "-", "--json", stdin=done.stdout).stdout)
    assert {"nmi", "ari", "vi_bits", "purity", "v_measure"} <= set(scores)
    assert scores["purity"] > 0.8


def test_classes_from_a_few_labels(docs, tmp_path):
    labels = tmp_path / "labels"
    labels.write_text("".join(f"{TEXT.names[t]}\n" if d < 12 else "\n" for d, t in enumerate(TEXT.topics)))
    done = run("cluster", docs, "--labels", labels, "--unlabelled-weight", 0.5)
    right = [TEXT.names[t] == line for t, line in zip(TEXT.topics, done.stdout.splitlines(), strict=True)]
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("last", ["-1", ""])
def test_a_class_may_be_called_minus_one(tmp_path, last):
    (tmp_path / "docs").write_text("a a b\nc c d\na b b\nc d d\n")
    (tmp_path / "labels").write_text(f"1\n-1\n1\n{last}\n")
    done = run("cluster", tmp_path / "docs", "--labels", tmp_path / "labels", "--save", tmp_path / "m",
               "--signature", "long")  # fmt: skip
    assert done.stdout.split() == ["1", "-1", "1", "-1"] and f"labelled={4 if last else 3}" in done.stderr
    assert run("cluster", tmp_path / "docs", "--apply", tmp_path / "m").stdout == done.stdout


@pytest.mark.parametrize("model", ["mixture", "plsa"])
def test_explain(tmp_path, model):
    path = tmp_path / "six.txt"
    path.write_text("a b b\na c\nd\n")
    answer = json.loads(run("explain", model, path, "--steps", 4, "--json").stdout)
    values = [step["log_likelihood"] for step in answer["steps"]]
    assert all(b >= a - 1e-12 for a, b in pairwise(values))
    assert all(step["bound"] == pytest.approx(step["log_likelihood"]) for step in answer["steps"])
    assert "Responsibilities" in run("explain", model, path).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["topics", "none.txt"], "no such file"),
        (["topics", "docs.txt", "--topics", "2", "--rows", "x.csv"], "unknown file type"),
        (["topics", "docs.txt", "--apply", "docs.txt"], "softcount"),
        (["topics", "docs.txt", "--min-count", "9999"], "no words remain"),
        (["topics", "docs.txt", "--criterion", "nonsense"], ": unknown; use em"),
        (["topics", "blank.txt"], "no words"),
        (["cluster", "docs.txt"], "number of clusters is missing"),
        (["cluster", "docs.txt", "--clusters", "999"], "use a smaller --clusters"),
        (["cluster", "docs.txt", "--labels", "short.txt"], "one label per line"),
        (["cluster", "docs.txt", "--clusters", "2", "--method", "magic"], "--method 'magic': unknown"),
        (["score", "clusters", "docs.txt", "short.txt"], "lines"),
        (["explain", "plsa", "docs.txt", "--steps", "1"], "at most"),
        (["topics", "docword.x.txt"], "docword.x.txt:5"),
        (["topics", "bad.ldac"], "bad.ldac:2"),
        (["topics", "bad.svmlight"], "bad.svmlight:1"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, arguments, message):
    (tmp_path / "docs.txt").write_text(LINES * 2)
    (tmp_path / "blank.txt").write_text("\n \n")
    (tmp_path / "short.txt").write_text("a\n")
    (tmp_path / "docword.x.txt").write_text("2\n2\n2\n1 1 3\n3 1 1\n")
    (tmp_path / "bad.ldac").write_text("1 0:2\n5 0:1\n")
    (tmp_path / "bad.svmlight").write_text("1 2:x\n")
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, code=2)
    assert message in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_readers_agree(tmp_path):
    table = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
    (tmp_path / "docword.a.txt").write_text("2\n3\n3\n1 1 2\n1 3 1\n2 2 3\n")
    (tmp_path / "vocab.a.txt").write_text("x\ny\nz\n")
    (tmp_path / "a.ldac").write_text("2 0:2 2:1\n1 1:3\n")
    (tmp_path / "a.vocab").write_text("x\ny\nz\n")
    (tmp_path / "a.svmlight").write_text("spam 1:2 3:1 # a remark\nham 2:3\n")
    for kind in ("one", "two"):
        (tmp_path / "folder" / kind).mkdir(parents=True)
    (tmp_path / "folder" / "one" / "1").write_text("x x\nz")
    (tmp_path / "folder" / "two" / "1").write_text("y y y")
    (tmp_path / "a.txt").write_text("x z x\ny y y\n")
    for name in ("docword.a.txt", "a.ldac", "a.svmlight", "folder", "a.txt"):
        data = read_documents(tmp_path / name)
        columns = [data.vocabulary.words.index(w) for w in ("123" if name == "a.svmlight" else "xyz")]
        assert np.array_equal(data.matrix().toarray()[:, columns], table), name
    assert read_documents(tmp_path / "folder").classes == ("one", "two")
    assert read_documents(tmp_path / "a.svmlight").classes == ("ham", "spam")


def test_pruning_and_stop_words():
    data = documents(["a b", "a c", "a b d"])
    small = pruned(data, 2, 1.0, ["b"])
    assert small.vocabulary.words == ["a"]
    assert pruned(data, 1, 0.7, ()).vocabulary.words == ["b", "c", "d"]
    with pytest.raises(InputError, match="no words remain"):
        pruned(data, 4, 1.0, ())


def test_npmi_of_words_that_always_and_never_meet():
    data = from_matrix(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    assert npmi(data, np.array([[0, 1], [2, 3]])) == pytest.approx([1.0, -1.0])


def test_accuracy_is_scored_where_names_agree(tmp_path):
    gold, named, numbered = tmp_path / "gold", tmp_path / "named", tmp_path / "numbered"
    gold.write_text("b\na\nb\n\nc\n")
    named.write_text("a\na\nb\nb\nb\n")
    numbered.write_text("0\n1\n0\n0\n2\n")
    assert json.loads(run("score", "clusters", gold, named, "--json").stdout)["accuracy"] == 0.5  # of four
    assert "accuracy" not in json.loads(run("score", "clusters", gold, numbered, "--json").stdout)
    tags = tmp_path / "tags"
    tags.write_text("N V N\nV _\n")
    (tmp_path / "found").write_text("V V N\nV N\n")
    assert json.loads(run("score", "tags", tags, tmp_path / "found", "--json").stdout)["accuracy"] == 0.75
    assert "accuracy     0.7500" in run("score", "tags", tags, tmp_path / "found").stdout


def test_folders_of_documents_keep_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("b.txt", "law court law"), ("a.txt", "sea ship"), (".hidden", "no")):
        (tmp_path / "flat").mkdir(exist_ok=True)
        (tmp_path / "flat" / name).write_text(text)
    data = read_documents("flat")
    assert data.names == ("a.txt", "b.txt") and data.labels is None
    assert data.slice(1, 2).names == ("b.txt",) and data.take([1, 0]).names == ("b.txt", "a.txt")
    for kind, name in (("sea", "x"), ("law", "y")):
        (tmp_path / "classes" / kind).mkdir(parents=True)
        (tmp_path / "classes" / kind / name).write_text("a b")
    data = read_documents("classes")
    assert data.names == ("law/y", "sea/x") and data.classes == ("law", "sea")
    run("cluster", "flat", "--clusters", 2, "-q", "--save", "m")
    shown = json.loads(run("show", "m", "flat", "--json").stdout)
    assert sorted(e for c in shown["classes"] for e in c["examples"]) == ["a.txt", "b.txt"]
    lost = run("cluster", "flat", "--clusters", 2, "--save", "flat/a.txt", code=2).stderr
    assert "is an input of this command and would be overwritten" in lost
