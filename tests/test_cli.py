"""Every command: what goes to stdout and what to stderr, exit codes, and every bad input read for its message."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_hmm import COUNTS, EXAMPLE, near

import softcount
from softcount.cli.main import main
from softcount.examples import EXAMPLES
from softcount.text.tokenizer import tokenize
from softcount.version import VERSION

LINES = ["the dog runs", "", "a dog sees the cat", "cats run", "   ", "the cat sees a dog"]


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.split("\n")[:-1]


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run_main(*arguments: Any, stdin: bytes | None = None) -> Ran:
        monkeypatch.setattr(sys, "argv", ["softcount", *map(str, arguments)])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code: Any = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run_main


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "text").write_text("\n".join(LINES) + "\n")
    (tmp_path / "P.json").write_text(json.dumps(EXAMPLE))
    (tmp_path / "can").write_text("can I can\n\nI can\n")
    (tmp_path / "blank").write_text("\n  \n\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "latin").write_bytes(b"fine\nna\xefve\n")
    (tmp_path / "nul").write_bytes(b"fine\nfine\na\0b\n")
    (tmp_path / "folder").mkdir()
    return tmp_path


def fails(ran: Ran, *parts: str) -> None:
    """One line on stderr, nothing on stdout, exit code 2."""
    assert ran.code == 2 and ran.out == "", ran
    said = [line for line in ran.err.splitlines() if "compiling kernels" not in line]
    assert len(said) == 1 and said[0].startswith("softcount: "), ran.err
    for part in parts:
        assert part in said[0], said[0]


# --- what is asked for --------------------------------------------------------------------------------------------


def test_tag_writes_one_line_per_line(run: Run, files: Path) -> None:
    ran = run("tag", "text", "--states", 2, "--criterion", "em:3", "--seed", 1, "--signature", "long")
    assert ran.code == 0 and [len(line.split()) for line in ran.lines] == [len(line.split()) for line in LINES]
    assert {tag for line in ran.lines for tag in line.split()} <= {"0", "1"}
    assert "3 iterations in" in ran.err and "objective" in ran.err
    assert f"softcount {VERSION} | hmm | states=2" in ran.err
    again = run("tag", "text", "--states", 2, "--criterion", "em:3", "--seed", 1, "--threads", 1, "--quiet")
    assert again.out == ran.out and again.err == ""


def test_tag_reads_stdin(run: Run, files: Path) -> None:
    text = (files / "text").read_bytes()
    assert run("tag", "-", "--states", 2, stdin=text).out == run("tag", "text", "--states", 2).out


def test_tag_json(run: Run, files: Path) -> None:
    found = json.loads(run("tag", "text", "--states", 2, "--criterion", "em:2", "--restarts", 2, "--json").out)
    assert [len(row) for row in found["tags"]] == [len(line.split()) for line in LINES]
    assert found["steps"] == 4 and len(found["restarts"]) == 2 and found["signature"].startswith("softcount")
    assert found["objective"] == max(r["objective"] for r in found["restarts"])


def test_tag_parameters_can_be_a_start(run: Run, files: Path) -> None:
    trained = ("--states", 2, "--criterion", "vb:3", "--tolerance", 0, "--end")
    first = run("tag", "text", *trained, "--parameters", "out.json", "--trace", "trace.tsv", "-q")
    written = json.loads((files / "out.json").read_text())
    assert written["states"] == ["0", "1"] and set(written["end"]) == {"0", "1"}
    header, *rows = (files / "trace.tsv").read_text().splitlines()
    assert header.startswith("restart\tstage\tstep\tobjective") and len(rows) >= 2
    again = run("tag", "text", "--start", "out.json", "--criterion", "em:0", "-q")
    assert again.out == first.out
    assert not [p.name for p in files.iterdir() if p.name.startswith(".")], "temporary files are left"


def test_tag_names_of_dictionary_and_start(run: Run, files: Path) -> None:
    ran = run("tag", "can", "--start", "P.json", "--criterion", "em:1", "-q")
    assert {tag for line in ran.lines for tag in line.split()} <= {"V", "N"} and ran.lines[1] == ""
    (files / "D.tsv").write_text("can\tV\nI\tPRO\n")
    assert run("tag", "can", "--dictionary", "D.tsv", "-q").lines == ["V PRO V", "", "PRO V"]
    (files / "labelled").write_text("can/V I/PRO\n")
    assert run("tag", "can", "--start", "labelled", "-q", "--criterion", "em:0").lines == ["V PRO V", "", "PRO V"]


def test_tag_with_fixed_tables_known_tags_and_dev(run: Run, files: Path) -> None:
    run("tag", "can", "--start", "P.json", "--fix", "initial, transition,emission", "--parameters", "o.json", "-q")
    written = json.loads((files / "o.json").read_text())
    assert near(
        {k: v for k, v in written.items() if k != "states"}, {k: v for k, v in EXAMPLE.items() if k != "states"}
    )
    (files / "known").write_text("V _ _\n\n_ _\n")
    assert run("tag", "can", "--tags", "known", "--states", 2, "-q").lines[0].startswith("V")
    ran = run("tag", "can", "--states", 2, "--restarts", 2, "--dev", "can", "--dev-tags", "known", "--verbose")
    assert ran.code == 0 and "← chosen" in ran.err and "restart 2" in ran.err


@pytest.mark.parametrize("decode", ["viterbi", "posterior", "mre"])
def test_tag_decodings_and_pseudo_counts(run: Run, files: Path, decode: str) -> None:
    ran = run("tag", "text", "--states", 2, "--decode", decode, "--pseudo", "emission=0.1,transition=1", "-q")
    assert ran.code == 0 and len(ran.lines) == len(LINES)


def test_tied_start_is_noted(run: Run, files: Path) -> None:
    assert (
        "all states (clusters, topics) start identical and stay identical"
        in run("tag", "text", "--states", 2, "--start", "uniform").err
    )


def test_explain(run: Run, files: Path) -> None:
    ran = run("explain", "hmm", "P.json", "can I can")
    assert ran.code == 0 and ran.err == "" and ran.lines[0] == "P(sentence) = 0.125"
    for number in ("0.6", "0.3", "0.36", "0.18", "0.171", "0.0855", "0.0395", "0.792", "0.528", "0.612", "0.068"):
        assert number in ran.out.split()
    for number in ("1.284", "0.72", "0.716", "0.28", "0.125"):
        assert number in ran.out.split()
    found = json.loads(run("explain", "hmm", "P.json", "can I can", "--json").out)
    assert {"probability", "alpha", "beta", "posterior", "counts", "updated"} <= set(found)
    assert near(found["counts"], COUNTS) and near(found["probability"], 0.125)


def test_score_tags(run: Run, files: Path) -> None:
    (files / "gold").write_text("D N V\n\nN V\n")
    (files / "found").write_text("0 1 2\n\n1 1\n")
    found = json.loads(run("score", "tags", "gold", "found", "--json").out)
    assert set(found) == {"many_to_one", "one_to_one", "vi_bits", "v_measure", "tokens", "signature"}
    assert near(found["many_to_one"], 0.8) and near(found["one_to_one"], 0.8) and found["tokens"] == 5
    ran = run("score", "tags", "gold", "found")
    assert "many_to_one" in ran.out and "0.8000" in ran.out and ran.err == ""


def test_generate(run: Run, files: Path) -> None:
    ran = run("generate", "-n", 7, "--tags", "gold", "--seed", 3)
    assert len(ran.lines) == 7 and ran.out == run("generate", "-n", 7, "--seed", 3).out
    gold = (files / "gold").read_text().splitlines()
    assert [len(line.split()) for line in gold] == [len(line.split()) for line in ran.lines]
    assert all("/" in token for token in run("generate", "-n", 2, "--tagged").out.split())
    sampled = run("generate", "--from", "P.json", "-n", 4, "--length", 5)
    assert [len(line.split()) for line in sampled.lines] == [5] * 4 and set(sampled.out.split()) <= {"can", "I"}
    assert 'has no "end"' in run("generate", "--from", "P.json").err
    saved = run("tag", "text", "--states", 3, "--end", "--save", "tags.model", "--parameters", "Q.json", "-q")
    drawn = [run("generate", "--from", source, "-n", 4, "--seed", 2) for source in ("tags.model", "Q.json")]
    assert saved.code == 0 and drawn[0].out == drawn[1].out != "", drawn
    assert run("generate", "--from", "P.json", "-q").err == "" and run("generate", "-n", 0).out == ""


TABLES = re.compile(r"^ +[0-9]+ +(?:[0-9,]+|[0-9]+%) +(?:[A-Za-z–]+ +[0-9/%]+ +|[0-9.]+% +)?(.*?) *$", re.M)


def test_demo(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every task on our own texts, and far above plain EM there; a page of each."""
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("demo", "-q", "--pages", "pages")
    written = [line.strip() for line in ran.out.splitlines() if line.endswith(".html")]
    tasks = ("tags", "classes", "links", "topics", "clusters", "network", "grammar", "cipher", "explain")
    assert written == [str(Path("pages", f"{name}.html")) for name in tasks], ran.err
    pages = [Path(path).read_text() for path in written]
    assert all("</html>" in page and "softcount-demo-" not in page for page in pages), "no folder that is gone"
    assert ran.code == 0 and ran.err == "" and "em:100: " in ran.out, "of :100: rich makes a picture unless told not to"
    usual, plain = (
        [float(cell) for cell in re.search(rf"^ +{name} +(.*?) *$", ran.out, re.M)[1].split()]  # type: ignore[index]
        for name in ("softcount tag", "em:100 from a random start")
    )
    assert usual[0] > plain[0] + 0.1 and usual[3] > plain[3] + 0.1 and usual[2] < plain[2], ran.out
    assert float(re.search(r"AER (0\.\d+)", ran.out)[1]) < 0.2  # type: ignore[index]
    gold = EXAMPLES["sentences"].files["sentences.conllu"] + EXAMPLES["everyday"].files["everyday.en"].lower()
    known = set(re.findall(r"\S+", gold)) | set(tokenize(gold).split())
    known |= set(tokenize(EXAMPLES["articles"].files["articles.tsv"].lower()).split())
    shown = [word for row in TABLES.findall(ran.out) for word in row.split()]
    assert len(shown) > 150 and set(shown) <= known, "no word is cut"
    assert "softcount show tags.model sentences.conllu" in ran.out and "softcount show pairs.model" in ran.out
    assert re.search(r"^           .*\[[^ ]+\]", ran.out, re.M), "examples in context"


def test_demo_of_a_generated_language(run: Run) -> None:
    ran = run("demo", "-n", 40, "--states", 3, "--criterion", "em:2", "-q")
    assert ran.code == 0 and "A generated language: 40 sentences" in ran.out and "Against 40 pairs" in ran.out
    assert "--states 3" in ran.out and "em:2 from a random start" in ran.out


def test_version_and_usage(run: Run) -> None:
    assert run("--version").out == f"softcount {VERSION}\n"
    assert "Exit codes" in run("--help").out
    for words, says in {
        "tagg": "No such command 'tagg'",
        "tag": "; see softcount tag --help",
        "tag x --states many": "Invalid value for '--states': ",
        "tag x y": "unexpected extra argument",
        "score tag": "No such command 'tag'",
        "topics x --topcs 3": "No such option: --topcs",
        "cluster x --clusters 0": "Invalid value for '--clusters'",
        "explain plsa": "see softcount explain plsa --help",
    }.items():
        ran = run(*words.split())
        assert ran.code == 2 and len(ran.err.splitlines()) == 1 and says in ran.err, ran.err
    assert "Usage" in run("score").out + run("score").err


# --- bad input: where, what, what to do ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["empty"], ["empty: empty file; give at least one line"]),
        (["blank"], ["blank: no tokens to train on"]),
        (["latin"], ["latin:2: byte 3", "is not UTF-8; convert"]),
        (["nul"], ["nul:3: NUL byte"]),
        (["folder"], ["folder: a folder, not a file"]),
        (["missing"], ["missing: no such file; check the path"]),
        (["text", "--tags", "can"], ["can: 3 lines, 3 fewer than text"]),
        (["can", "--tags", "bad.tags"], ["can:3: 2 tokens, but 1 tags in bad.tags:3"]),
        (["text", "--criterion", "em:x"], ["criterion 'em:x': the number of iterations must be a number, not"]),
        (["text", "--criterion", "magic"], ["criterion 'magic': unknown; use em, vb, mre"]),
        (["text", "--criterion", "annealed(em,start=0)"], [": start must be greater than 0"]),
        (["text", "--criterion", "vb", "--prior", "0"], ["prior must be positive"]),
        (["text", "--fix", "emissions"], ["cannot fix 'emissions'; the tables are initial, transition, emission"]),
        (["text", "--pseudo", "lots"], ["--pseudo 'lots': invalid value; write a number"]),
        (["text", "--pseudo", "-1"], ["--pseudo '-1': invalid value; write a number"]),
        (["text", "--pseudo", "emission=nan"], ["--pseudo 'emission=nan': invalid value; write a number"]),
        (["text", "--pseudo", "emission=1=2"], ["--pseudo 'emission=1=2': invalid value; write a number"]),
        (["text", "--pseudo", "emissions=1"], ["unknown table 'emissions'"]),
        (["text", "--decode", "best"], ["decode='best': unknown; use viterbi, posterior, mre"]),
        (["text", "--threads", "0"], ["it must be at least"]),
        (["text", "--format", "xml"], ["format 'xml': unknown"]),
        (["text", "--dictionary", "missing"], ["missing: no such file"]),
        (["text", "--dictionary", "bad.tsv"], ["bad.tsv:2: no tab; write word<TAB>TAG"]),
        (["text", "--start", "missing"], ["missing: no such file"]),
        (["text", "--start", "text"], ["text: has no tags; write CoNLL-U, word/TAG, or lines word<TAB>TAG"]),
        (["text", "--parameters", "nowhere/out.json"], ["nowhere/out.json: folder 'nowhere' not found"]),
        (["text", "--parameters", "folder"], ["folder: is a folder; give a file name"]),
        (["text", "--dev", "missing"], ["missing: no such file"]),
    ],
)  # fmt: skip
def test_bad_input_of_tag(run: Run, files: Path, arguments: list[str], parts: list[str]) -> None:
    (files / "bad.tsv").write_text("dog\tN\ncat N\n")
    (files / "bad.tags").write_text("V N V\n\nN\n")
    before = sorted(files.iterdir())
    fails(run("tag", *arguments, *([] if "--states" in arguments else ["--states", 2])), *parts)
    assert sorted(files.iterdir()) == before, "something was written"


def test_states_must_be_known(run: Run, files: Path) -> None:
    fails(run("tag", "text"), "a dictionary, or parameters to start from")
    fails(run("tag", "can", "--start", "P.json", "--states", 3), "3 states, but 2 tags are named")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('{"states": ["V"', ["P.json:1: not a JSON parameter file"]),
        ("hello", ["not a JSON parameter file"]),
        ("[1, 2]", ["not an object with states"]),
        ('{"states": ["V"], "initial": {"V": 1}}', ['"transition" is missing']),
        (json.dumps({**EXAMPLE, "states": ["V", "V"]}), ["\"states\" contains a name twice"]),
        (json.dumps({**EXAMPLE, "states": "VN"}), ['"states" must be a list of names']),
        (json.dumps({**EXAMPLE, "initial": {"V": 0.6, "N": 0.6}}), ["initial sums to 1.2 instead of 1"]),
        (json.dumps({**EXAMPLE, "initial": {"V": 0.6, "X": 0.4}}), ["initial: 'X' is not one of the states"]),
        (json.dumps({**EXAMPLE, "initial": {"V": float("nan"), "N": 1}}), ["'V' must be a probability, not NaN"]),
        (json.dumps({**EXAMPLE, "initial": {"V": -0.5, "N": 1.5}}), ["'V' must be a probability, not -0.5"]),
        (json.dumps({**EXAMPLE, "initial": {"V": "1", "N": 0}}), ["'V' must be a probability, not \"1\""]),
        (json.dumps({**EXAMPLE, "initial": [0.6, 0.4]}), ['"initial" must be an object']),
        (json.dumps({**EXAMPLE, "transition": {"V": {"V": 1}}}), ["\"transition\" has no entry for 'N'"]),
        (json.dumps({**EXAMPLE, "transition": [1]}), ["\"transition\" has no entry for 'V'"]),
        (json.dumps({**EXAMPLE, "emission": {"V": {}, "N": {}}}), ["give each state its words"]),
        (json.dumps({**EXAMPLE, "end": {"V": 0.2, "N": 0.2}}), ["transition of 'V' with its end sums to 1.2"]),
        (json.dumps({**EXAMPLE, "initial": {"V": 10**400, "N": 0}}), ["'V' must be a probability"]),
        ("[" * 100_000, ["not a JSON parameter file"]),
        (b"\xff\xfe", ["P.json: UTF-16, not UTF-8"]),
        (b"{\xe9", ["P.json:1: byte 2 of the line (0xe9) is not UTF-8"]),
    ],
)  # fmt: skip
def test_bad_parameter_files(run: Run, files: Path, content: str | bytes, parts: list[str]) -> None:
    (files / "P.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    fails(run("tag", "can", "--start", "P.json"), "P.json", *parts)
    fails(run("explain", "hmm", "P.json", "can"), "P.json", *parts)


def test_impossible_sentences_are_named(run: Run, files: Path) -> None:
    (files / "D.tsv").write_text("can\tV\nI\tN\n")
    stuck = {**EXAMPLE, "transition": {"V": {"V": 1.0}, "N": {"N": 1.0}}}
    (files / "stuck.json").write_text(json.dumps(stuck))
    (files / "two").write_text("can can\n\ncan I\n")
    out = files / "out.json"
    out.write_text("old")
    fails(
        run("tag", "two", "--dictionary", "D.tsv", "--start", "stuck.json", "--parameters", "out.json"),
        "two:3: the sentence 'can I' has probability zero",
    )
    assert out.read_text() == "old", "an error leaves the old file"


def test_unknown_words_at_apply_time(run: Run, files: Path) -> None:
    (files / "new").write_text("can zebras can\n")
    ran = run("tag", "new", "--start", "P.json", "--criterion", "em:0", "-q")
    assert ran.code == 0 and len(ran.lines[0].split()) == 3
    fails(run("explain", "hmm", "P.json", "can zebras"), "no state emits 'zebras'")


def test_explain_bad_input(run: Run, files: Path) -> None:
    fails(run("explain", "hmm", "P.json", "  "), "the sentence is empty")
    fails(run("explain", "hmm", "P.json", "can " * 501), "words, but explain shows at most 500")
    fails(run("explain", "hmm", "folder", "can"), "folder: a folder, not a file")
    fails(run("explain", "hmm", "missing.json", "can"), "missing.json: no such file")


def test_score_bad_input(run: Run, files: Path) -> None:
    (files / "a").write_text("N V\nN\n")
    (files / "b").write_text("N V\n")
    (files / "c").write_text("N V\nN V\n")
    (files / "d").write_text("_ _\n_\n")
    fails(run("score", "tags", "a", "b"), "b: 1 lines fewer than a; give files of the same text")
    fails(run("score", "tags", "a", "c"), "c:2: 2 tags, but 1 in a")
    fails(run("score", "tags", "a", "d"), "nothing to score")
    fails(run("score", "tags", "a", "missing"), "missing: no such file")


def test_generate_bad_input(run: Run, files: Path) -> None:
    fails(run("generate", "--length", 3), "--length needs --from")
    fails(run("generate", "--vocabulary", 0), "vocabulary is 0.0: it must be positive")
    fails(run("generate", "--tags", "nowhere/x"), "folder 'nowhere' not found")
    assert run("generate", "-n", -1).code == 2


def test_million_token_line(run: Run, files: Path) -> None:
    (files / "long").write_text("a b b a c\n" + "a b c d " * 250_000 + "\n")
    ran = run("tag", "long", "--states", 2, "--criterion", "em:1", "--threads", 1)
    assert ran.code == 0 and [len(line.split()) for line in ran.lines] == [5, 1_000_000]


# --- processes of their own -------------------------------------------------------------------------------------------


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_import_is_light() -> None:
    """Under 0.3 s of CPU beyond a bare interpreter's, best of three; nothing heavy is loaded."""
    code = (
        "import time, sys; began = time.process_time(); import softcount, softcount.cli.main;"
        "heavy = {'numba', 'pyarrow', 'sklearn', 'scipy'} & set(sys.modules);"
        "began2 = time.process_time(); print(began2 - began, sorted(heavy))"
    )
    results = [python("-c", code).stdout.split(maxsplit=1) for _ in range(3)]
    assert {heavy.strip() for _, heavy in results} == {"[]"}
    light = [python("-c", code.replace(", softcount.cli.main", "")).stdout.split()[0] for _ in range(3)]
    assert min(map(float, light)) < 0.3


@pytest.mark.thorough
def test_second_process_reuses_the_compiled_kernels(files: Path) -> None:
    # The command with the fewest kernels.
    few = ("-m", "softcount", "cluster", str(files / "text"), "--method", "kmeans", "--clusters", "2")
    few += ("--criterion", "em:1", "--threads", "1")
    # From a copy, because the cache also forgets when a source file is touched meanwhile.
    shutil.copytree(Path(softcount.__file__).parent, files / "src" / "softcount")
    environment = {"NUMBA_CACHE_DIR": str(files / "cache"), "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(files / "src")}
    environment["XDG_CACHE_HOME"] = str(files / "home")  # what this user's commands have compiled is not found there
    first, second = python(*few, **environment), python(*few, **environment)
    assert first.returncode == second.returncode == 0 and first.stdout == second.stdout
    assert first.stderr.count("compiling kernels (up to a minute") == 1 and "compiling" not in second.stderr


@pytest.mark.parametrize(("n", "reader"), [(8000, "head -n 1"), (5, "true")])
def test_reader_that_goes_away(n: int, reader: str) -> None:
    command = f"(sleep 0.2; {sys.executable} -m softcount generate -n {n}) | {reader}"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert found.stderr == "" and found.returncode == 0


def test_interrupted() -> None:
    code = (
        "import sys, softcount.cli.main as m; sys.argv = ['softcount', 'generate']\n"
        "def stop(*a, **k): raise KeyboardInterrupt\n"
        "import softcount.cli.generate as g; g.check_writable = stop; m.main()"
    )
    found = python("-c", code)
    assert found.returncode == 130 and found.stdout == "" and "Traceback" not in found.stderr
