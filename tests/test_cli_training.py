"""What commands that train share: their options, one order of things, and what is said of odd data before and after."""

from __future__ import annotations

import json
import math
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from cases import DOCUMENTS, PAIRS, SENTENCES
from command import refused, run

import softcount
from softcount.cli.align import Align
from softcount.cli.classes import Classes
from softcount.cli.cluster import Cluster
from softcount.cli.options import GROUPS, TRAINING
from softcount.cli.tag import Tag
from softcount.cli.topics import Topics
from softcount.cli.training import Training, command
from softcount.engines import ENGINES
from softcount.estimators import align_forecast
from softcount.loop.trace import FEW, Note, gathered
from softcount.text.reader import read

LINES = {
    "tag": "tag text --states 3 --criterion em:3",
    "classes": "classes text --classes 3 --criterion exchange:3 --tolerance 0",
    "align": "align source target --model ibm2 --criterion vb:3",
    "topics": "topics docs --topics 2 --criterion em:3",
    "cluster": "cluster docs --clusters 2 --criterion em:3 --start random",
}
CONLLU = "# one\n1\tthe\t_\tD\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tN\t_\t_\t_\t_\t_\t_\n\n1\tcats\t_\tN\t_\t_\t_\t_\t_\t_\n\n"
every_command = pytest.mark.parametrize("name", list(LINES))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, lines in (("text", SENTENCES), ("docs", DOCUMENTS)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    for name, sentences in (("source", PAIRS.source), ("target", PAIRS.target)):
        (tmp_path / name).write_text("".join(" ".join(words) + "\n" for words in sentences))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


# --- shared options ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Tag, Classes, Align, Topics, Cluster])
def test_every_command_has_the_shared_options_in_groups(kind: type[Training]) -> None:
    text = run(f"{kind.name} --help").out
    for option in ("--criterion", "--tolerance", "--seed", "--checkpoint", "--checkpoint-every", "--apply", "--save",
                   "--trace", "--json", "--quiet", "--threads", "--engine"):  # fmt: skip
        assert len(re.findall(rf"^  (?:-., )?{option} ", text, re.MULTILINE)) == 1, option
    places = [text.index(f"\n{group}\n") for group in GROUPS]
    assert places == sorted(places) and "\nOptions\n" not in text
    assert all(name in text for name in ENGINES)


def test_a_command_declares_its_own_options_alone() -> None:
    """No option is written twice: what a command has from its base it takes from there, but for other defaults."""
    for kind in (Tag, Classes, Align, Topics, Cluster):
        own = set(vars(kind)["__annotations__"]) & set(Training.__annotations__)
        assert own <= {"criterion", "tolerance", "name", "kinds", "doing"}, own
        assert command(kind).__doc__ == kind.__doc__


def test_nothing_that_is_learned_can_be_asked_of_a_saved_model() -> None:
    for name, line in LINES.items():
        assert run(f"{line} -q --save {name}.model").code == 0
        applied = " ".join(line.split()[: 3 if name == "align" else 2])
        noted = run(f"{applied} --apply {name}.model --seed 3 --tolerance 1 --criterion em:1").said[0]
        assert set(noted.split(": ")[1].split(" have")[0].split(", ")) == {"--seed", "--tolerance", "--criterion"}
    assert all("not with --apply" in group for group in TRAINING)


@every_command
def test_trace(name: str, folder: Path) -> None:
    assert run(f"{LINES[name]} -q --trace t.tsv").code == 0
    header, *rows = [line.split("\t") for line in (folder / "t.tsv").read_text().splitlines()]
    assert header[: 5 if name == "align" else 4][-4:] == ["restart", "stage", "step", "objective"]
    steps = [row[header.index("step")] for row in rows]
    if name == "classes":  # in which no word moves any more before the third pass
        assert steps == ["1", "2"] and [row[header.index("moved")] for row in rows][-1] == "0"
    else:
        assert steps == ["1", "2", "3"] * (2 if name == "align" else 1)
    if name == "align":
        assert [row[0] for row in rows] == ["forward"] * 3 + ["reverse"] * 3


@every_command
def test_json_and_engine(name: str) -> None:
    found = json.loads(run(f"{LINES[name]} --json --engine threads").out)
    assert found["signature"].startswith("softcount ")
    lines = run(f"{LINES[name]} -q").out.splitlines()
    if name == "align":
        assert [" ".join(f"{i}-{j}" for i, j in row) for row in found["links"]] == lines
        assert found["stopped"] == {"forward": "3 iterations done", "reverse": "3 iterations done"}


# --- align ------------------------------------------------------------------------------------------------------------


def test_align_converges_where_it_is_asked_to() -> None:
    """A tolerance of 0, as it always was, changes nothing."""
    plain = run("align source target --model ibm2 --criterion em:40 --save a -q").out
    assert run("align source target --model ibm2 --criterion em:40 --tolerance 0 --save b -q").out == plain
    steps = [len(trace) for trace in softcount.load("a").history_.values()]
    assert steps == [40, 40]
    ran = run("align source target --model ibm2 --criterion em:40 --tolerance 0.01 --save c --signature long")
    assert "converged: relative change" in ran.err and "tolerance=0.01" in ran.err
    assert all(len(trace) < 40 for trace in softcount.load("c").history_.values())
    alike = softcount.WordAligner("ibm2", criterion="em:40", tolerance=0.01).fit(list(PAIRS.source), list(PAIRS.target))
    assert [len(t) for t in alike.history_.values()] == [len(t) for t in softcount.load("c").history_.values()]


def test_an_applied_aligner_signs_what_it_did() -> None:
    assert run("align source target -q --save m").code == 0
    (signed,) = [
        line
        for line in run("align target source --apply m --symmetrize union --signature long").said
        if " --apply | " in line
    ]
    now, _, trained = signed.partition(" | model: ")
    assert "symmetrize=union threshold=none" in now and "symmetrize=mean threshold=0.5" in trained
    assert now.split("data=")[1] != trained.split("data=")[1].split()[0], "another text has another digest"
    found = json.loads(run("align source target --apply m --symmetrize union --json").out)
    assert "symmetrize=union" in found["signature"]
    assert run("align source target -q --direction reverse --save r").code == 0
    assert "direction=reverse symmetrize=none" in run("align source target --apply r --signature long").said[-1]


def test_longest_leaves_pairs_out(folder: Path) -> None:
    lengths = [max(len(s), len(t)) for s, t in zip(PAIRS.source, PAIRS.target, strict=True)]
    limit = sorted(lengths)[len(lengths) // 2]
    ran = run(f"align source target --longest {limit} --scores s --log-probabilities p --save m --signature long")
    n = sum(length > limit for length in lengths)
    expected = f"note: {n} of {len(lengths)} pairs have more than {limit} words on a side and are skipped"
    assert ran.said[0] == expected and f"longest={limit}" in ran.said[-1]
    digest = run("align source target --signature long").said[-1].split("data=")[1]
    assert ran.said[-1].endswith(digest), "the text is the same"
    lines = ran.out.split("\n")[:-1]
    assert [line == "" for line in lines] == [length > limit for length in lengths]
    rows = [[float(x) for x in line.split("\t")] for line in (folder / "p").read_text().splitlines()[1:]]
    assert [row == [-math.inf] * 2 for row in rows] == [length > limit for length in lengths]
    scores = [float(line) for line in (folder / "s").read_text().splitlines()[1:]]
    assert [score == 0.0 for score in scores] == [length > limit for length in lengths]
    # As if these pairs were empty.
    keep = [length <= limit for length in lengths]
    source = [" ".join(s) if k else "" for s, k in zip(PAIRS.source, keep, strict=True)]
    target = [" ".join(t) if k else "" for t, k in zip(PAIRS.target, keep, strict=True)]
    alone = softcount.WordAligner(prior_over="cooccurring").fit(source, target)
    short = softcount.WordAligner(prior_over="cooccurring", longest=limit).fit(list(PAIRS.source), list(PAIRS.target))
    assert short.align(list(PAIRS.source), list(PAIRS.target)) == alone.align(source, target)
    applied = run(f"align source target --apply m --longest {limit - 1}").said
    assert applied[0].startswith(f"note: {sum(length > limit - 1 for length in lengths)} of ")


def test_an_unusual_pair_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any("will take about" in line for line in run("align source target").said)
    monkeypatch.setattr(align_forecast, "LARGE", 30)
    costs = [(len(s) + 1) * len(t) for s, t in zip(PAIRS.source, PAIRS.target, strict=True)]
    largest = int(np.argmax(costs))
    words = f"{len(PAIRS.source[largest])} × {len(PAIRS.target[largest])}"
    said = run("align source target --save m").said
    assert said[0].startswith(
        f"note: pair {largest + 1} ({words} words) will take about 0 s per iteration on one core, and"
    )
    assert said[0].endswith("; --longest 200 skips pairs with more words on a side")
    assert run("align source target --apply m").said[0] == said[0]
    assert not any("will take about" in line for line in run("align source target --longest 3").said)


def test_a_pair_that_no_memory_holds_is_refused_at_once(folder: Path) -> None:
    """Ten thousand million cells: nobody may wait for these without a word."""
    (folder / "long").write_text("a b c d " * 250_000 + "\n")
    ran = run("align long long")
    refused(ran, "the links of pair 1 (1,000,000 × 1,000,000 words) need ")
    assert ran.err.endswith("; --longest 200 skips pairs with more words on a side\n")


def test_empty_pairs_are_the_worst(folder: Path) -> None:
    (folder / "e").write_text("a b\n\n\nb\n")
    (folder / "f").write_text("x y\n\nx\n\n")
    assert run("align e f -q --scores s --log-probabilities p --save m").code == 0
    head, *rows = [line.split("\t") for line in (folder / "p").read_text().splitlines()]
    assert head == ["target given source", "source given target"]
    assert all(-math.inf < float(x) < 0 for x in rows[0]) and rows[1:] == [["-inf"] * 2] * 3
    head, *scores = (folder / "s").read_text().splitlines()
    assert head == "score" and 0.0 < float(scores[0]) < 1.0 and scores[1:] == ["0"] * 3
    model = softcount.load("m")
    assert np.isneginf(model.scores(["a", ""], ["", ""])).all()
    assert math.isfinite(model.score(["a b", ""], ["x y", ""])), "the sum is over what can be compared"
    assert run("align e f -q --direction forward --log-probabilities p").code == 0
    assert [line.split("\t")[1] for line in (folder / "p").read_text().splitlines()[1:]] == [""] * 4


# --- dictionaries -----------------------------------------------------------------------------------------------------


def test_a_bilingual_dictionary_may_be_a_pipe(folder: Path) -> None:
    e, f = PAIRS.source[0][0], PAIRS.target[0][0]
    entry = f"{e}\t{f}\tprefer\n"
    (folder / "d").write_text(entry)
    expected = run("align source target --dictionary d -q")
    assert expected.code == 0 and expected.out
    assert run("align source target --dictionary - -q", entry.encode()) == expected
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text(entry))
    writer.start()
    assert run("align source target --dictionary pipe -q") == expected
    writer.join()
    refused(
        run("align - target --dictionary -", entry.encode()),
        "<stdin>: both the source and the dictionary; give a file for one of them",
    )


def test_entries_that_say_nothing_are_counted(folder: Path) -> None:
    word = SENTENCES[0].split()[0]
    (folder / "d").write_text(f"{word}\tA B\nNew York\tA\nzzz\tB\nyyy\tB\n")
    note = "of 4 entries, 1 of several words, although each must be one token and 2 not in the text"
    assert f"note: d: {note}; these have no effect" in run("tag text --dictionary d --verbose").said
    (folder / "d").write_text(f"{word}\tA B\n")
    assert not any("entries" in line for line in run("tag text --dictionary d").said)
    e, f = PAIRS.source[0][0], PAIRS.target[0][0]
    (folder / "d").write_text(f"{e}\t{f}\tprefer\n{e}\tzzz\tnever\n{e} {e}\t{f}\tmust\nzz\tyy zz\tprefer\n")
    said = run("align source target --dictionary d").said
    note = "of 4 entries, 2 of several words, although each must be one token and 1 not in the text"
    assert said.count(f"note: dictionary: {note}; these have no effect") == 1


def test_a_short_dictionary_that_sets_the_number_of_states_is_noted(folder: Path) -> None:
    (folder / "t").write_text("the dog runs\nthe cat sleeps\n")
    (folder / "d").write_text("dog\tN\nruns\tV\n")
    note = "note: 2 states, as many as the dictionary has tags; --states M (n_states=M) adds M − 2 unnamed ones"
    assert note in run("tag t --dictionary d --verbose").said
    assert note not in run("tag t --dictionary d --states 2 --verbose").said
    (folder / "d").write_text("dog\tN\nruns\tV\ncat\tN\n")
    assert note not in run("tag t --dictionary d --verbose").said, "it has three of five words"


def test_a_known_tag_that_the_dictionary_forbids_is_named(folder: Path) -> None:
    (folder / "t").write_text("the dog\nthe dog runs\n")
    (folder / "tags").write_text("_ _\nD N V\n")
    (folder / "d").write_text("dog\tV A\nruns\tV\n")
    line = "t:2: 'dog' has the tag N, but d allows V, A; correct one of the two"
    refused(run("tag t --tags tags --dictionary d"), line)
    (folder / "d").write_text("dog\tV N\n")
    assert run("tag t --tags tags --dictionary d -q").code == 0


# --- reading, asking, explaining --------------------------------------------------------------------------------------


def test_conllu_is_known_by_its_lines(folder: Path) -> None:
    (folder / "x.conllu").write_text(CONLLU)
    (folder / "x.txt").write_text(CONLLU)
    expected = run("tag x.conllu --criterion em:2 -q").out
    assert expected.split("\n") == ["D N", "N", ""]
    ran = run("tag x.txt --criterion em:2")
    assert ran.out == expected
    assert ran.said[0] == "warning: x.txt: read as CoNLL-U because of its lines; use --format plain if it is plain text"
    assert run("tag - --criterion em:2 -q", CONLLU.encode()).out == expected
    assert run("tag x.txt --criterion em:2 --format plain --states 2 -q").out.count("\n") == CONLLU.count("\n")
    (folder / "tabs").write_text("1\tdog\tran\n1\tcat\tsat\n")
    assert read(folder / "tabs").n_tokens == 6, "tabs alone do not make CoNLL-U"


def test_a_query_has_one_default_on_both_faces() -> None:
    word = DOCUMENTS[0].split()[0]
    assert run("topics docs --topics 2 --save m -q").code == 0
    asked = run(f"topics docs --apply m --query {word} -k 4 -q").out
    model = softcount.load("m")
    assert asked == "".join(f"{d + 1}\t{s:.4f}\n" for d, s in model.similar(word, 4, among=DOCUMENTS))
    assert model.similar(word, 4, among=DOCUMENTS) == model.similar(word, 4, among=DOCUMENTS, tfidf=0.5)
    assert model.similar(word, 4, among=DOCUMENTS) != model.similar(word, 4, among=DOCUMENTS, tfidf=0.0)
    assert model.similar(word, 4) == model.similar(word, 4, tfidf=0.0)


# --- notes ------------------------------------------------------------------------------------------------------------


def test_notes_of_a_kind_are_gathered() -> None:
    notes = [Note("is empty", f"row {i}") for i in range(2000)] + [Note("tied"), Note("is empty", "row 1")]
    few = ["row 0 is empty", "row 1 is empty", "row 2 is empty"]
    assert gathered(notes) == [*few, "… and 1,997 more like these", "tied"]
    assert gathered(notes[:FEW]) == few


def test_states_that_die_are_not_listed_one_by_one(folder: Path) -> None:
    states = [f"S{k}" for k in range(9)]
    start = {
        "states": states, "initial": {"S0": 1.0}, "transition": {s: {"S0": 1.0} for s in states},
        "emission": {s: {"a": 0.5, "b": 0.5} for s in states},
    }  # fmt: skip
    (folder / "P.json").write_text(json.dumps(start))
    (folder / "ab").write_text("a b\nb a a\n")
    ran = run("tag ab --start P.json --criterion em:3 --save m --verbose")
    notes = [line for line in ran.said if line.startswith("note: ")]
    assert len(notes) == FEW + 1 and notes[-1] == "note: … and 13 more like these"
    assert len(softcount.load("m").history_.notes) == 16, "all are kept"
    shown = run("info m").out
    assert shown.count(" note ") == FEW + 1 and "… and 13 more like these" in shown
    assert len(json.loads(run("info m --json").out)["notes"]) == 16


def test_a_checkpoint_is_good_for_any_engine(folder: Path) -> None:
    """Where a sum is computed is no part of what is trained."""
    texts, engine = [line.split() for line in SENTENCES], ENGINES["threads"](2)
    first = softcount.HMM(3, criterion="em:4", random_state=0).fit(texts, checkpoint="c")
    again = softcount.HMM(3, criterion="em:4", random_state=0, engine=engine).fit(texts, checkpoint="c")
    assert again.history_ == first.history_
