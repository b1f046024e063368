"""Models and checkpoints on the command line: --save, --apply, info, export, --checkpoint, signals and full disks."""

from __future__ import annotations

import csv
import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import DOCUMENTS, PAIRS, SENTENCES
from command import heeding
from test_cli import Run, run  # noqa: F401

import softcount

TRAIN = {
    "tag": ("tag", "text", "--states", 3, "--criterion", "em:5,vb:3"),
    "classes": ("classes", "text", "--classes", 3),
    "align": ("align", "source", "target", "--probabilities"),
    "topics": ("topics", "docs", "--topics", 3, "--criterion", "em:8", "--rows", "rows.tsv"),
    "cluster": ("cluster", "docs", "--clusters", 3, "--criterion", "em:8"),
    "kmeans": ("cluster", "docs", "--clusters", 3, "--method", "kmeans"),
}
APPLY = {
    "tag": ("tag", "text"),
    "classes": ("classes", "text"),
    "align": ("align", "source", "target", "--probabilities"),
    "topics": ("topics", "docs", "--rows", "again.tsv"),
    "cluster": ("cluster", "docs"),
    "kmeans": ("cluster", "docs"),
}
TITLES = {
    "tag": "a hidden Markov model",
    "classes": "word classes",
    "align": "a word aligner",
    "topics": "a PLSA topic model",
    "cluster": "a Naive Bayes mixture",
    "kmeans": "k-means clusters",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in (("text", SENTENCES), ("docs", DOCUMENTS)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    for name, sentences in (("source", PAIRS.source), ("target", PAIRS.target)):
        (tmp_path / name).write_text("".join(" ".join(words) + "\n" for words in sentences))
    return tmp_path


@pytest.mark.parametrize("name", list(TRAIN))
def test_save_apply_and_info(run: Run, folder: Path, name: str) -> None:  # noqa: F811
    trained = run(*TRAIN[name], "--save", "m")
    assert trained.code == 0, trained.err
    applied = run(*APPLY[name], "--apply", "m")
    assert applied.code == 0, applied.err
    if name != "topics":
        assert applied.out == trained.out
    else:
        assert applied.out == ""
        assert (folder / "rows.tsv").read_text() == (folder / "again.tsv").read_text()
    told = run("info", "m")
    assert told.code == 0 and told.err == ""
    assert told.lines[0].startswith(f"m: {TITLES[name]}, ") and told.lines[0].endswith(", intact")
    assert "trained on  " in told.lines[1] and "UTC" in told.lines[2] and "iterations" in told.out
    found = json.loads(run("info", "m", "--json").out)
    assert found["seed"] == 0 and found["signature"] == softcount.load(folder / "m").signature_
    assert found["short_signature"] == trained.err.splitlines()[-1]


@pytest.mark.parametrize("name", list(TRAIN))
def test_a_model_of_another_kind_is_named(run: Run, folder: Path, name: str) -> None:  # noqa: F811
    kind = "tag" if name != "tag" else "topics"
    assert run(*TRAIN[kind], "--save", "m", "-q").code == 0
    ran = run(*APPLY[name], "--apply", "m")
    assert ran.code == 2 and ran.out == "" and ran.err.count("\n") == 1
    command = APPLY[name][0]
    assert f"m: contains {TITLES[kind]}; `softcount {command} --apply` needs" in ran.err


@pytest.mark.parametrize("name", list(TRAIN))
def test_one_flipped_bit_is_one_line(run: Run, folder: Path, name: str) -> None:  # noqa: F811
    assert run(*TRAIN[name], "--save", "m", "-q").code == 0
    content = (folder / "m").read_bytes()
    for place in np.random.default_rng(0).integers(0, len(content), 25).tolist():
        flipped = bytearray(content)
        flipped[place] ^= 1 << (place % 8)
        (folder / "m").write_bytes(flipped)
        for command in ((*APPLY[name], "--apply", "m"), ("info", "m"), ("export", "m", "--to", "out")):
            ran = run(*command)
            assert ran.code == 2 and ran.out == "" and ran.err.startswith("softcount: m: ")
            assert ran.err.count("\n") == 1
    assert not (folder / "out").exists()


def test_tag_applies_a_lower_cased_model_to_any_text(run: Run, folder: Path) -> None:  # noqa: F811
    (folder / "loud").write_text((folder / "text").read_text().upper())
    trained = run(
        "tag", "loud", "--states", 3, "--criterion", "em:5", "--lowercase", "--save", "m", "--signature", "long"
    )
    assert trained.err.splitlines()[-1].endswith(" lowercase=True")
    applied = run("tag", "loud", "--apply", "m")
    assert applied.out == trained.out and "note" not in applied.err
    assert json.loads(run("info", "m", "--json").out)["reading"] == {"lowercase": True}


def test_a_labelled_start_is_lower_cased_like_the_text(run: Run, folder: Path) -> None:  # noqa: F811
    (folder / "labelled").write_text("CAN/V I/PRO\n")
    (folder / "can").write_text("can i Can\n")
    ran = run("tag", "can", "--start", "labelled", "--lowercase", "--criterion", "em:0", "-q")
    assert ran.lines == ["V PRO V"]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", strict=True))


@pytest.mark.parametrize("name", list(TRAIN))
def test_export_names_everything_and_loses_no_digit(run: Run, folder: Path, name: str) -> None:  # noqa: F811
    pq = pytest.importorskip("pyarrow.parquet")
    assert run(*TRAIN[name], "--save", "m", "-q").code == 0
    for format in ("tsv", "parquet"):
        assert run("export", "m", "--to", "out/tables", "--format", format, "-q").code == 0
    model, out = softcount.load(folder / "m"), folder / "out" / "tables"
    for path in out.glob("*.tsv"):
        listed, columns = rows(path), pq.read_table(path.with_suffix(".parquet")).to_pylist()
        assert len(listed) == len(columns) > 0
        for mine, theirs in zip(listed, columns, strict=True):
            assert mine.keys() == theirs.keys()
            assert all(_same(mine[key], theirs[key]) for key in mine)
    if name == "tag":
        assert [float(r["probability"]) for r in rows(out / "initial.tsv")] == model.initial_.tolist()
        word = next(r for r in rows(out / "emission.tsv") if r["word"] == "dog")
        assert float(word["1"]) == dict(model.top_words(99)[1])["dog"]
    if name == "align":
        found = {(r["source"], r["target"]): float(r["probability"]) for r in rows(out / "translation_forward.tsv")}
        for source, target, probability, _ in model.lexicon():
            assert found[source, target] == probability
        assert found[("<null>", PAIRS.target[0][0])] > 0
    assert len(list(out.glob("trace*.tsv"))) == 1, "one run, of joint training of both directions where it aligns"


def test_words_and_tags_that_are_called_as_we_call_things(run: Run, folder: Path) -> None:  # noqa: F811
    """The empty word, the end, and the first column have names; a word or tag of that name is another thing."""
    (folder / "left").write_text("a <null>\nb \\<null>\n<null> c\n" * 2)
    (folder / "right").write_text("x y\nz y\ny x\n" * 2)
    assert run("align", "left", "right", "--direction", "forward", "--save", "m", "-q").code == 0
    for format in ("tsv", "parquet"):
        assert run("export", "m", "--to", "out", "--format", format, "-q").code == 0
    listed = rows(folder / "out" / "translation_forward.tsv")
    model = softcount.load(folder / "m")
    empty = [float(row["probability"]) for row in listed if row["source"] == "<null>"]
    assert empty == model.directions_["forward"].parameters.translation.row(0).tolist()
    assert {row["source"] for row in listed} == {"<null>", "a", "b", "c", "\\<null>", "\\\\<null>"}
    pq = pytest.importorskip("pyarrow.parquet")
    assert pq.read_table(folder / "out" / "translation_forward.parquet").num_rows == len(listed)
    names = ("word", "state", "<end>", "\\word")
    tagged = softcount.corpus(["a b", "c d"], labels=[names[:2], names[2:]])
    softcount.HMM(start=tagged, end=True, criterion="em:1").fit(["a b", "c d"]).save(folder / "h")
    assert run("export", "h", "--to", "tags", "-q").code == 0
    first = rows(folder / "tags" / "emission.tsv")[0]
    assert list(first) == ["word", "<end>", "\\\\word", "state", "\\word"] and first["word"] == "a"
    transition = rows(folder / "tags" / "transition.tsv")
    assert list(transition[0]) == ["state", "\\<end>", "\\word", "\\state", "word", "<end>"]
    assert all(sum(float(v) for k, v in row.items() if k != "state") == pytest.approx(1.0) for row in transition)


ODD = "\udcff"  # the byte 0xff, which no UTF-8 has


def test_file_names_that_are_no_text(run: Run, folder: Path) -> None:  # noqa: F811
    for name in ("text", "source", "target", "docs"):
        (folder / name).rename(folder / (name + ODD))
    train = ("tag", "text" + ODD, "--states", 2, "--criterion", "em:3")
    plain = run(*train, "--save", "m" + ODD, "--trace", "t" + ODD, "--parameters", "p" + ODD, "--checkpoint", "c" + ODD)
    assert plain.code == 0, plain.err
    assert run(*train, "--checkpoint", "c" + ODD).out == run("tag", "text" + ODD, "--apply", "m" + ODD).out == plain.out
    assert softcount.load(folder / ("m" + ODD)).data_["source"] == repr("text" + ODD)
    told = run("info", "m" + ODD)
    assert told.lines[0].startswith("m\\udcff: a hidden Markov model, ") and told.code == 0
    assert json.loads(run("info", "m" + ODD, "--json").out)["data"]["source"] == repr("text" + ODD)
    for format in ("tsv", "parquet"):
        ran = run("export", "m" + ODD, "--to", "out" + ODD, "--format", format)
        assert ran.code == 0 and (folder / ("out" + ODD) / f"initial.{format}").exists(), ran.err
    ran = run("align", "source" + ODD, "target" + ODD, "--lexicon", "l" + ODD, "-q")
    assert ran.code == 0 and (folder / ("l" + ODD)).exists()
    assert run("topics", "docs" + ODD, "--topics", 2, "--criterion", "em:1", "-q").code == 0
    for command in (
        ("info", "no" + ODD),
        ("tag", "no" + ODD, "--states", 2),
        ("tag", "text" + ODD, "--apply", "no" + ODD),
    ):
        ran = run(*command)
        assert ran.code == 2 and ran.out == "" and ran.err.count("\n") == 1 and "no\\udcff" in ran.err


def test_messages_with_such_names_reach_the_terminal_and_files_are_utf8(folder: Path) -> None:
    ran = subprocess.run([sys.executable, "-m", "softcount", "info", b"no\xff"], capture_output=True, check=False)
    assert ran.returncode == 2 and ran.stderr.startswith(b"softcount: no\\udcff: cannot be read (No such file or ")
    model = softcount.HMM(2, criterion="em:1", dictionary=None, random_state=0)
    model._reading = {"file": "a" + ODD}
    model.fit(SENTENCES).save(folder / "m")
    content = (folder / "m").read_bytes()
    content[8 : 8 + int.from_bytes(content[:8], "little")].decode("utf-8")
    assert softcount.load(folder / "m").reading_ == {"file": "a" + ODD}


def _same(text: str, value: Any) -> bool:
    if isinstance(value, str) or value is None:
        return text == (value or "")
    return text == "" if value != value else float(text) == pytest.approx(value, rel=1e-7, abs=1e-300)


# --- checkpoints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(TRAIN))
def test_the_same_command_again_is_the_same_answer(run: Run, folder: Path, name: str) -> None:  # noqa: F811
    plain = run(*TRAIN[name])
    first = run(*TRAIN[name], "--checkpoint", "c", "--checkpoint-every", 2)
    again = run(*TRAIN[name], "--checkpoint", "c", "--threads", 2)
    assert first.code == again.code == 0 and plain.out == first.out == again.out
    told = run("info", "c")
    assert told.code == 0 and told.lines[0].startswith("c: a checkpoint, ") and "finished" in told.out
    other = run(*TRAIN[name], "--seed", 5, "--checkpoint", "c")
    assert other.code == 2 and other.out == ""
    assert other.err.splitlines()[-1].startswith("softcount: c: checkpoint of a run with seed=0, not 5; ")


def test_refusals(run: Run, folder: Path) -> None:  # noqa: F811
    ran = run(*TRAIN["tag"], "--save", "x", "--checkpoint", "x")
    assert ran.code == 2 and "two results have this name" in ran.err
    ran = run(*TRAIN["tag"], "--checkpoint", "nowhere/x")
    assert ran.code == 2 and "not found; create it first" in ran.err
    (folder / "other").write_text("some text\n")
    ran = run(*TRAIN["tag"], "--checkpoint", "other")
    assert ran.code == 2 and "other: not a softcount model" in ran.err
    ran = run("export", "text", "--to", "out")
    assert ran.code == 2 and "not a softcount model" in ran.err
    assert run(*TRAIN["tag"], "--save", "m", "-q").code == 0
    ran = run("export", "m", "--to", "text")
    assert ran.code == 2 and "is a file, not a folder" in ran.err
    ran = run("export", "m", "--to", "out", "--format", "xlsx")
    assert ran.code == 2 and "use tsv, parquet, excel" in ran.err


def test_no_result_is_written_over_what_is_read(run: Run, folder: Path) -> None:  # noqa: F811
    """By whatever name: through a link, as a document of a folder, or as a table beside the model."""
    (folder / "link").symlink_to("text")
    (folder / "classes" / "a").mkdir(parents=True)
    (folder / "classes" / "a" / "1").write_text("a b\n")
    assert run(*TRAIN["tag"], "--save", "initial.tsv", "-q").code == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for command, name in (
        ((*TRAIN["tag"], "--save", "link"), "link"),
        (("topics", "classes", "--topics", 1, "--save", "classes/a/1"), "classes/a/1"),
        (("export", "initial.tsv", "--to", "."), "initial.tsv"),
    ):
        ran = run(*command)
        assert ran.code == 2 and ran.out == "" and ran.err.count("\n") == 1
        assert ran.err.startswith(f"softcount: {name}: is an input of this command and would be overwritten; ")
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run("topics", "classes", "--topics", 1, "--save", "classes/m", "-q").code == 0


# --- processes of their own -------------------------------------------------------------------------------------------

LONG = ("tag", "text", "--states", 3, "--criterion", "gibbs:1000000", "--threads", 2)


def start(folder: Path, *arguments: Any, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "softcount", *map(str, arguments)]
    options.setdefault("preexec_fn", heeding)
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    for _ in range(1200):
        if path.exists() or process.poll() is not None:
            return
        time.sleep(0.05)
    raise AssertionError(f"no {path}")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_keep_the_work(folder: Path, signum: int, code: int) -> None:
    process = start(folder, *LONG, "--checkpoint", "c", "--checkpoint-every", 5)
    wait_for(folder / "c", process)
    process.send_signal(signum)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code and out == "", err
    lines = err.splitlines()
    assert "Traceback" not in err and lines[-1].startswith("softcount: stopped after iteration ")
    assert lines[-1].endswith("of gibbs:1000000; the state is in c; run the same command again to resume")
    steps = int(lines[-1].split()[4])
    told = start(folder, "info", "c", "--json")
    assert json.loads(told.communicate()[0])["under_way"] == {"fit": {"steps": steps}}
    process = start(folder, *LONG, "--checkpoint", "c", "--checkpoint-every", 1)
    before = (folder / "c").stat().st_mtime_ns
    while (folder / "c").stat().st_mtime_ns == before and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signum)
    assert int(process.communicate(timeout=60)[1].splitlines()[-1].split()[4]) > steps


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("signum", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "term")]
)
def test_signals_without_a_checkpoint_are_one_line(folder: Path, signum: int, code: int, word: str) -> None:
    process = start(folder, *LONG, "--trace", "never")
    time.sleep(5.0)
    process.send_signal(signum)
    out, err = process.communicate(timeout=60)
    # Python, too, ends by the signal itself where it came within an exec; shells call both 128 + n.
    assert process.returncode in (code, -signum), err
    assert out == "" and "Traceback" not in err
    assert err.splitlines()[-1].startswith(f"softcount: {word}")
    assert not (folder / "never").exists()


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))


@pytest.mark.thorough
def test_a_full_disk_ends_with_one_line_and_leaves_what_was_there(folder: Path) -> None:
    (folder / "m").write_text("free some space, or give another place")
    for option, name in (("--checkpoint", "c"), ("--save", "m"), ("--parameters", "m")):
        train = ("tag", "text", "--states", 20, "--criterion", "em:12")
        process = start(folder, *train, option, name, preexec_fn=small_files)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 2 and out == ""
        last = err.splitlines()[-1]
        assert last.startswith(f"softcount: {name}: cannot be written (File too large); ") and "Traceback" not in err
    assert (folder / "m").read_text() == "free some space, or give another place" and not (folder / "c").exists()
    assert not list(folder.glob(".*"))


def test_an_interrupt_that_an_extension_turns_into_another_error_is_still_one_line(folder: Path) -> None:
    code = (
        "import os, signal, sys, softcount.cli.main as m; sys.argv = ['softcount', 'generate']\n"
        "import softcount.cli.generate as g\n"
        "def stop(*a, **k):\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM); import time; time.sleep(5)\n"
        "    except BaseException: raise ImportError('numpy.core.multiarray failed to import') from None\n"
        "g.check_writable = stop; m.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "softcount: terminated\n")


def test_an_interrupt_that_a_callback_swallows_is_obeyed_at_the_next_step(folder: Path) -> None:
    code = (
        "import sys, signal, os, weakref, softcount.cli.main as m\n"
        "import softcount.loop.train as t\n"
        "class Some: pass\n"
        "def killed(_): os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(10_000)]\n"
        "step = t._Loop.step\n"
        "def once(self, *given):\n"
        "    if self.__dict__.setdefault('first', True):\n"
        "        self.first = False; some = Some(); seen = weakref.ref(some, killed); del some\n"
        "    return step(self, *given)\n"
        "t._Loop.step = once\n"
        "sys.argv = ['softcount', 'tag', 'text', '--states', '2', '--criterion', 'em:50', '--tolerance', '0',\n"
        "            '--start', 'random']\n"
        "m.main()\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, preexec_fn=heeding)
    assert done.returncode == 130 and done.stdout == "", done.stderr
    assert "Exception ignored in" in done.stderr and done.stderr.splitlines()[-1] == "softcount: interrupted"
