"""What commands say beside their results: how training ended, what was applied, which options did nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import DOCUMENTS, PAIRS, SENTENCES
from command import refused, run

import softcount
from softcount.cli.summary import in_two_lines
from softcount.errors import count_nouns
from softcount.report.clusters import characteristic_words, cluster_lines, distinctive
from softcount.report.columns import whole_words
from softcount.signature import in_form
from softcount.version import VERSION

TRAIN = {
    "tag": "tag text --states 3 --criterion em:3",
    "align": "align source target --criterion vb:2",
    "topics": "topics docs --topics 2 --criterion em:3",
    "cluster": "cluster docs --clusters 2 --criterion em:3",
    "kmeans": "cluster docs --clusters 2 --method kmeans",
}
APPLY = {
    "tag": "tag text --apply m",
    "align": "align source target --apply m",
    "topics": "topics docs --apply m",
    "cluster": "cluster docs --apply m",
    "kmeans": "cluster docs --apply m",
}

TAG = "tag text --states"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, lines in (("text", SENTENCES), ("docs", DOCUMENTS)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    for name, sentences in (("source", PAIRS.source), ("target", PAIRS.target)):
        (tmp_path / name).write_text("".join(" ".join(words) + "\n" for words in sentences))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


# --- --apply ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(TRAIN))
def test_apply_says_what_was_applied_to_what(name: str) -> None:
    assert run(TRAIN[name] + " --save m -q").code == 0
    said = run(APPLY[name] + " --signature long").said
    source = {"tag": "text", "align": "source and target"}.get(name, "docs")
    counted = {"tag": "sentences", "align": "pairs"}.get(name, "documents")
    assert re.fullmatch(rf"applied m to {source}: [0-9,]+ {counted}, [0-9,]+ words", said[0])
    (signed,) = said[1:]
    model = softcount.load("m")
    now, _, trained = signed.partition(" | model: ")
    assert trained == model.signature_ and now.startswith(f"softcount {VERSION} | {APPLY[name].split()[0]} --apply | ")
    if name != "kmeans":  # whose digest is that of tf-idf rows
        assert now.endswith(f"data={model.data_['digest'][:19]}"), "the same text has the same digest"
    assert run(APPLY[name] + " -q").err == ""


@pytest.mark.parametrize(
    ("name", "given", "unused"),
    [
        ("tag", "--states 9 --criterion em:9 --seed 1", "--states, --criterion, --seed have"),
        ("align", "--null 0.1", "--null has"),
        ("topics", "--topics 7 --criterion vb --stop-words text", "--topics, --stop-words, --criterion have"),
        ("cluster", "--clusters 9 --pseudo 2", "--clusters, --pseudo have"),
    ],
)
def test_options_for_training_do_nothing_with_apply(name: str, given: str, unused: str) -> None:
    assert run(TRAIN[name] + " --save m -q").code == 0
    plain, noted = run(APPLY[name]), run(f"{APPLY[name]} {given}")
    assert noted.out == plain.out
    assert noted.said == [f"note: {unused} no effect with --apply", *plain.said]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("topics docs --topics 2 -k 3 --tfidf 0.1", "-k, --tfidf have no effect without --query"),
        ("cluster docs --clusters 2 --unlabelled-weight 0.2", "--unlabelled-weight has no effect without --labels"),
        ("cluster docs --clusters 2 --method kmeans --pseudo 1", "--pseudo has no effect with --method kmeans"),
        ("align source target --lexicon-min 0.1", "--lexicon-min has no effect without --lexicon"),
        ("tag text --states 2 --dev-tags text", "--dev-tags has no effect without --dev"),
    ],
)
def test_options_that_do_nothing_are_noted(line: str, note: str) -> None:
    assert f"note: {note}" in run(line).said


@pytest.mark.parametrize("name", list(TRAIN))
def test_options_that_were_not_given_are_not_noted(name: str) -> None:
    assert "no effect" not in run(TRAIN[name]).err


def test_words_that_were_left_out_are_not_called_unknown(folder: Path) -> None:
    assert run("topics docs --topics 2 --min-count 2 --save m -q").code == 0
    said = run("topics docs --apply m").said
    assert re.fullmatch(
        r"note: [0-9,]+ of [0-9,]+ words \(.*%\) are not in the model's vocabulary; they are .*", said[0]
    )


def test_rows_in_a_file_are_not_printed_as_well(folder: Path) -> None:
    assert run("topics docs --topics 2 --save m -q").code == 0
    rows = run("topics docs --apply m").out
    assert run("topics docs --apply m --rows r.tsv").out == ""
    header, *written = (folder / "r.tsv").read_text().splitlines()
    assert header == "document\ttopic0\ttopic1"
    assert written == [f"{d}\t{row}" for d, row in enumerate(rows.splitlines(), 1)]
    answer = json.loads(run("topics docs --apply m --json").out)
    assert np.allclose(answer["rows"], np.loadtxt(rows.splitlines()), atol=1e-5)
    assert "rows" not in json.loads(run("topics docs --apply m --json --rows r.tsv").out)
    word = DOCUMENTS[0].split()[0]
    asked = run(f"topics docs --apply m --rows r.tsv --query {word} -k 2").out
    assert asked.count("\n") == 2


# --- how training ended -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "ending"),
    [
        (f"{TAG} 2 --criterion em:2", r"em:2: 2 iterations in N s; objective \(log-likelihood\) N"),
        (f"{TAG} 2 --criterion em:2 --tolerance 0", r"em:2: 2 iterations in N s, not converged; objective .*"),
        (f"{TAG} 1 --criterion em:9", r"em:9: converged after N iterations in N s; objective \(log-likelihood\) N"),
        (f"{TAG} 2 --criterion em:1,vb:1", r"em:1,vb:1: 2 iterations in N s; objective \(ELBO\) N"),
        (f"{TAG} 2 --criterion gibbs:2", r"gibbs:2: 2 iterations in N s; objective \(log joint probability\) N"),
        ("topics docs --criterion em:1", r"em:1: 1 iteration in N s; objective \(log-likelihood\) N"),
        ("topics docs --criterion em:0", r"not trained: the parameters are the initial ones"),
        ("cluster docs --clusters 2 --criterion em:0", r"not trained: the parameters are the initial ones"),
        ("cluster docs --clusters 2 --criterion em:1", r"em:1: .*; objective \(log-likelihood with the log prior\) N"),
        (TRAIN["kmeans"],
         r"hard:100: converged after N iterations in N s; objective \(hard log-likelihood\) N; inertia N"),
    ],
)  # fmt: skip
def test_how_training_ended(line: str, ending: str) -> None:
    said = run(line).said
    assert re.fullmatch(ending.replace("N", r"-?[0-9,.]+"), said[-2]), said[-2]


def test_a_grammar_read_off_trees_says_so(folder: Path) -> None:
    (folder / "trees").write_text("(S (NP she) (VP sleeps))\n")
    (folder / "words").write_text("she sleeps\n")
    read = "rules and probabilities were read off the trees"
    assert f"not trained: {read}" in run("grammar --trees trees --save m").said
    assert f"no iterations: {read}" in run("info m").out
    assert "applied m to words: 1 sentence, 2 words" in run("grammar words --apply m").said
    assert f"not trained: {read}" not in run("grammar --trees trees --start uniform").said


@pytest.mark.parametrize(
    ("n", "plural", "text"),
    [
        (1, "sentences", "1 sentence"),
        (0, "pairs", "0 pairs"),
        (1, "entries", "1 entry"),
        (1, "classes", "1 class"),
        (1, "states", "1 state"),
        (1200, "word types", "1,200 word types"),
    ],
)
def test_one_is_not_a_plural(n: int, plural: str, text: str) -> None:
    assert count_nouns(n, plural) == text


@pytest.mark.parametrize("name", ["tag", "topics", "cluster", "kmeans"])
def test_restarts_are_listed(name: str) -> None:
    listed = [line for line in run(TRAIN[name] + " --restarts 3 --verbose").said if line.startswith("restart ")]
    assert len(listed) == 3 and sum(line.endswith("  ← chosen") for line in listed) == 1
    assert all(re.fullmatch(r"restart [123]: objective -?[0-9,.]+(  ← chosen)?", line) for line in listed)


@pytest.mark.parametrize("line", ["tag text --states 2", "topics docs", "cluster docs --clusters 2"])
def test_json_has_no_nan(line: str) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    found = json.loads(run(f"{line} --criterion em:0 --restarts 2 --json").out, parse_constant=refuse)
    assert found["objective"] is None


# --- clusters ---------------------------------------------------------------------------------------------------------


def test_distinctive_words_by_hand() -> None:
    cluster, word = np.array([0.25, 0.75]), np.array([[0.5, 0.5, 0.0], [0.5, 0.1, 0.4]])
    expected = [[0.0, 0.5 * np.log(0.5 / 0.2), 0.0], [0.0, 0.1 * np.log(0.1 / 0.2), 0.4 * np.log(0.4 / 0.3)]]
    assert np.allclose(distinctive(cluster, word), expected)


def test_clusters_are_shown_by_their_words(folder: Path) -> None:
    (folder / "two").write_text("the sea sea ship\n" * 3 + "the barn barn cow\n" * 2)
    for method in ("nb", "kmeans"):
        ran = run(f"cluster two --clusters 2 --method {method} --verbose")
        shown = sorted(line.split(": ")[1:] for line in ran.said if re.match("[01]: ", line))
        assert [size for size, _ in shown] == ["2 documents", "3 documents"]
        assert [words.split()[:2] for _, words in shown] == [["barn", "cow"], ["sea", "ship"]]
        assert "documents" not in run(f"cluster two --clusters 2 --method {method}").err
    (folder / "labels").write_text("water\n\n\nland\n\n")
    said = [line for line in run("cluster two --labels labels --verbose").said if not line.startswith("note: ")]
    assert said[0].startswith("land: 2 documents: barn cow") and said[1].startswith("water: 3 documents: sea ship")


def test_many_clusters_are_not_shown(folder: Path) -> None:
    (folder / "many").write_text("".join(f"w{i} w{i}\n" for i in range(60)))
    assert "document: " not in run("cluster many --clusters 51 --verbose").err
    assert run("cluster many --clusters 50 --verbose").err.count(": w") >= 50


def test_words_of_clusters_fit_the_terminal() -> None:
    model = softcount.NaiveBayesMixture(2, random_state=0).fit(["sea ship " + "x" * 99] * 3 + ["barn cow hay"] * 2)
    words = characteristic_words(model, 2)
    assert all(len(found) == 2 for found in words.values())
    for width in (24, 40, 80):
        assert all(len(line) <= width for line in cluster_lines(model, [0, 1, 1], width))
    assert "x" * 41 not in "".join(cluster_lines(model, [0, 1, 1], None))


def test_whole_words() -> None:
    words = ["one", "two", "three"]
    assert [whole_words(words, n) for n in (None, 13, 12, 3, 2)] == [
        "one two three",
        "one two three",
        "one two",
        "one",
        "",
    ]


# --- options ----------------------------------------------------------------------------------------------------------


def test_seed_words_and_pseudo_counts_begin_topics(folder: Path) -> None:
    (folder / "two").write_text("the sea sea ship\n" * 9 + "the barn barn cow\n" * 9)
    for first, second in (("Sea", "barn"), ("barn", "Sea")):
        (folder / "seeds").write_text(f"0\t{first}\n1\t{second}\n")
        ran = run("topics two --topics 2 --lowercase --seed-words seeds --pseudo 0.01 --save m --signature long")
        assert [line.split("\t")[2].split()[0] for line in ran.out.splitlines()] == [first.lower(), second.lower()]
        assert "pseudo=topic:0.0,word:0.01" in ran.err and "seed_words=2,sha256:" in ran.err
        model = softcount.load("m")
        assert model.seed_words == {0: [first.lower()], 1: [second.lower()]} and (model.components_ > 0).all()


@pytest.mark.parametrize("line", ["topics docs --topics 2", "cluster docs --clusters 2 --start random"])
def test_tolerance(line: str) -> None:
    assert "converged after 2 iterations" in run(f"{line} --tolerance 1e9 --criterion em:100").err
    assert "tolerance=0.0" in run(f"{line} --tolerance 0 --criterion em:2 --signature long").err


@pytest.mark.parametrize("name", list(TRAIN))
def test_at_most_three_lines_and_the_digest_of_the_whole_signature(name: str) -> None:
    for line in (f"{TRAIN[name]} --restarts 3" if name != "align" else TRAIN[name], APPLY[name]):
        said = run(f"{line} --save m" if line not in APPLY.values() else line).said
        said = [one for one in said if "will need about" not in one]
        assert len(said) <= 3 and "not converged" not in "".join(said)
        (whole,) = run(f"{line} --signature long").said[-1:]
        digest = hashlib.sha256(whole.encode()).hexdigest()[:12]
        assert said[-1].endswith(f"sha256:{digest}") and "=" not in said[-1] and len(said[-1]) < 80
    assert json.loads(run("info m --json").out)["short_signature"] == in_form(softcount.load("m").signature_, "short")
    refused(run(f"{line} --signature full"), "--signature 'full': unknown; use short, long")


def test_notes_are_one_line_unless_all_are_asked_for() -> None:
    lines = ["note: a", "restart", "note: b", "end", "note: c"]
    assert in_two_lines(lines) == ["note: a (and 2 more notes; --verbose prints all)", "restart; end"]
    assert in_two_lines(["note: a", "end"]) == ["note: a", "end"] and in_two_lines([]) == []


def test_document_length(folder: Path) -> None:
    assert run("cluster docs --clusters 2 --document-length 7 --save m -q").code == 0
    assert softcount.load("m").document_length == 7
    noted = run("cluster docs --clusters 2 --document-length 7 --method kmeans").said
    assert "note: --document-length has no effect with --method kmeans" in noted


def test_show_is_checked_before_training() -> None:
    n = len(PAIRS.source)
    refused(run(f"align source target --show {n + 1}"), f"--show {n + 1}: the text has only {n} pairs; use 1 to {n}")


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("tag", ["Replace words that occur fewer than N times with <unk>.", "Default: viterbi."]),
        ("align", ["Replace words that occur fewer than N times with <unk>.", "0.35 for √(p·q) (product)"]),
        ("cluster", ["Default: em:100", "k-means++ for kmeans", "--document-length"]),
        ("topics", ["--seed-words", "--pseudo", "--tolerance"]),
        ("score topics", ["score topics topics.model"]),
    ],
)
def test_help_says_it(command: str, parts: list[str]) -> None:
    text = " ".join(run(f"{command} --help").out.replace("│", " ").split())
    for part in parts:
        assert part in text


# --- odd places and pairs ---------------------------------------------------------------------------------------------


def test_the_words_beside_a_count_table_are_not_written_over(folder: Path) -> None:
    (folder / "docword.z.txt").write_text("2\n2\n2\n1 1 3\n2 2 3\n")
    (folder / "vocab.z.txt").write_text("a\nb\n")
    (folder / "z.ldac").write_text("1 0:3\n1 1:2\n")
    (folder / "vocab.txt").write_text("a\nb\n")
    for docs, words in (("docword.z.txt", "vocab.z.txt"), ("z.ldac", "vocab.txt")):
        for command in ("topics {} --topics 2 --save {}", "cluster {} --clusters 2 --save {}"):
            refused(run(command.format(docs, words)), f"{words}: is an input of this command and would be overwritten; "
                    "give another output file")  # fmt: skip
        assert (folder / words).read_text() == "a\nb\n"


def test_a_model_may_be_saved_where_it_came_from() -> None:
    assert run(TRAIN["tag"] + " --save m -q").code == 0
    assert run("tag text --apply m --decode posterior --save m -q").code == 0
    assert softcount.load("m").decode == "posterior"


def test_standard_input_is_one_file() -> None:
    for command, names in (
        ("topics - --seed-words -", "documents and the seed words"),
        ("tag - --dictionary -", "text and the dictionary"),
        ("tag - --dev - --states 2", "text and the dev text"),
    ):  # fmt: skip
        refused(run(command, b"a b\n"), f"<stdin>: both the {names}; give a file for one of them")


def test_tags_that_a_model_does_not_have_are_noted(folder: Path) -> None:
    assert run(TRAIN["tag"] + " --save m -q").code == 0
    (folder / "tagged").write_text("".join(" ".join(f"{word}/X" for word in s.split()) + "\n" for s in SENTENCES))
    ran = run("tag tagged --format tagged --apply m")
    assert ran.code == 0 and ran.out == run("tag text --apply m").out
    assert "note: the model has no tag X; these tags in the input are ignored" in ran.said


def test_one_cluster_is_shown_by_its_words() -> None:
    assert all(len(line.split()) > 3 for line in run("cluster docs --clusters 1").said if line.startswith("0: "))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("explain", ["mixture three", "plsa three", "ibm1 three three", "hmm P.json can"])
def test_explain_where_the_platform_does_not_speak_utf8(folder: Path, explain: str) -> None:
    (folder / "three").write_text("a b\nb c\n", encoding="utf-8")
    one = {"can": 1.0}
    (folder / "P.json").write_text(json.dumps(
        {"states": ["V"], "initial": {"V": 1}, "transition": {"V": {"V": 1}}, "emission": {"V": one}}
    ))  # fmt: skip
    for habit in ({"PYTHONIOENCODING": "cp1252"}, {"PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}):
        ran = subprocess.run([sys.executable, "-m", "softcount", "explain", *explain.split()], capture_output=True,
                             env={**os.environ, **habit})  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        assert ("─" in ran.stdout.decode("utf-8")) == ("PYTHONUTF8" in habit)


STEERING = "a\x1b[31m\x9b2J\u202eb\x07"


def test_no_message_steers_a_terminal(tmp_path, monkeypatch):
    """Names of files and columns and words of texts are shown with control characters as escapes."""
    monkeypatch.chdir(tmp_path)
    shown = "a\\x1b[31m\\x9b2J\\u202eb\\x07"
    for name in ("t", STEERING):
        Path(name).write_text("a b\nb a\n" * 9)
    Path("table.csv").write_text(f"{STEERING},y\n1,2\n")
    Path("broken").write_bytes(b"\xff")
    Path(STEERING + "2").write_bytes(b"\xff")
    quoted = f"'{STEERING}'"
    for command in (
        f"info {quoted}", f"tag '{STEERING}2'", f"score tags t {quoted}x", f"tag t --criterion {quoted}",
        "net 'a -> b' table.csv", "topics table.csv --text-column text", f"export {quoted} --to x",
        f"lm t --apply {quoted}", f"classes {quoted}/t", f"tag t --states {quoted}", f"align t {quoted}x",
        f"generate {quoted}",
    ):  # fmt: skip
        ran = run(command)
        assert ran.code == 2 and not set(STEERING) - set("a[31m2Jb") & set(ran.err) and "\\x1b[31m" in ran.err, ran.err
    assert f"softcount: {shown}: not a softcount model" in run(f"info {quoted}").err
    ran = run(f"tag {quoted} --states 2 --save {quoted}m")
    assert ran.code == 0 and "\x1b" not in ran.err
    assert f"wrote {shown}.html" in run(f"report {quoted}m --out {quoted}.html").err
