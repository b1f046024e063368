"""Every row of docs/reference/messages.md, with every command to which it applies."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from command import ordinary_user, refused, run, snapshot
from input_commands import SMALL
from input_files import GOOD
from input_page import PAGE, page
from input_row import Refused, Works
from input_rows import APART, LEGAL, REFUSED

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of good files and of models trained on them."""
    folder = tmp_path_factory.mktemp("good")
    for name, content in GOOD.items():
        (folder / name).write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            f"tag text --states 2 {SMALL} --save tag.model", "align text other -q --save align.model",
            "classes text --classes 2 -q --save classes.model",
            f"topics text --topics 2 {SMALL} --save topics.model",
            f"cluster text --clusters 2 {SMALL} --save cluster.model",
            "cluster text --clusters 2 --method kmeans -q --save kmeans.model",
            f"net 'h -> a, b' rows.csv --values h=2 {SMALL} --save net.model",
            f"grammar G.cfg text {SMALL} --save grammar.model",
            f"decipher text --lm chars.arpa --restarts 1 {SMALL} --save decipher.model",
        ):  # fmt: skip
            assert run(line).code == 0, line
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own in which the good files are, too."""
    for path in good.iterdir():
        os.link(path, tmp_path / path.name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def put(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).unlink(missing_ok=True)  # or the good file behind a link would change
        (folder / name).write_bytes(content)


def bad_name(row: Refused) -> str:
    if row.name.startswith("output"):
        return {"output-no-permission": "shut/out", "output-read-only": "shut", "output-no-folder": "none/out"}.get(
            row.name, "bad"
        )
    return "bad.gz" if "bad.gz" in row.files else "bad"


CASES = [
    pytest.param(row, command, says, id=f"{row.name}: {command.replace('{bad}', 'BAD')}")
    for row in REFUSED
    for command, says in zip(
        row.commands, [row.says] * len(row.commands) if isinstance(row.says, str) else row.says, strict=True
    )
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("row", "command", "says"), CASES)
def test_refused(folder: Path, row: Refused, command: str, says: str) -> None:
    put(folder, row.files)
    if row.name in ("folder", "folder-without-texts", "model-folder", "output-is-folder"):
        (folder / "bad").mkdir()
    if row.name == "output-no-permission":
        (folder / "shut").mkdir(mode=0o500)
    before = snapshot(folder)
    if "no-permission" in row.name or row.name == "output-read-only":
        for name in row.files:
            (folder / name).chmod(0o400 if row.name == "output-read-only" else 0)
        with ordinary_user():
            ran = run(command.replace("{bad}", bad_name(row)))
    else:
        ran = run(command.replace("{bad}", bad_name(row)))
    refused(ran, says)
    assert snapshot(folder) == before, "something was written"


ODD_FORMS = {
    "crlf": lambda content: content.replace(b"\n", b"\r\n"),
    "bom": lambda content: b"\xef\xbb\xbf" + content,
    "no-newline": lambda content: content.removesuffix(b"\n"),
    "gz": gzip.compress,
}
ALIKE = [row for row in LEGAL if row.name in ODD_FORMS]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("command", ALIKE[0].commands)
def test_odd_forms_are_alike(folder: Path, command: str) -> None:
    expected = run(command.replace("@", ""))
    assert expected.code == 0 and expected.out, expected
    for form, change in ODD_FORMS.items():
        # Of a form that is told by the end of the name, that end stays.
        end = ".gz" if form == "gz" else ""
        words = [w[1:] if w.startswith("@") else None for w in command.split()]
        for name in filter(None, words):
            (folder / f"odd.{name}{end}").write_bytes(change(GOOD[name]))
        odd = " ".join(w if n is None else f"odd.{n}{end}" for w, n in zip(command.split(), words, strict=True))
        if form == "gz" and "P.json" in odd and "--start" in odd:
            continue  # --start tells parameters from text by .json
        ran = run(odd)
        assert (ran.code, ran.out) == (0, expected.out), (form, ran)


@pytest.mark.parametrize(
    ("row", "command"),
    [pytest.param(r, c, id=f"{r.name}: {c[:60]!r}") for r in LEGAL if r not in ALIKE for c in r.commands],
)
def test_odd_but_good(folder: Path, row: Works, command: str) -> None:
    put(folder, row.files)
    ran = run(command)
    assert ran.code == 0, ran
    if not command.startswith("topics") or "--apply" in command:
        assert ran.out.count("\n") == row.lines, ran.out[:300]
    if row.name == "some-unknown":
        assert "are not in the model's vocabulary; " in ran.err
    if row.name == "blank-lines":
        empty = [not line for line in ran.out.splitlines()]
        assert empty == [command.startswith(("tag", "align")) and n not in (2, 5) for n in range(7)]
    if row.name == "long-token":
        assert len(ran.err) < 5000


@pytest.mark.parametrize(
    ("command", "reader"),
    [("generate -n 4000", "head -n 1"), ("score tags tags tags", "true"), ("info tag.model", "true")],
)
def test_pipe_closes(folder: Path, command: str, reader: str) -> None:
    line = f"(sleep 0.2; {sys.executable} -m softcount {command}) | {reader}"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert found.stderr == "" and found.returncode == 0


def test_disk_full(folder: Path) -> None:
    line = f"{sys.executable} -m softcount generate -n 9 > /dev/full"
    full = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    says = "<stdout>: cannot be written (No space left on device); free some space, or write to another place"
    assert full.returncode == 2 and full.stderr == f"softcount: {says}\n"
    before = snapshot(folder)
    # A file size limit of 1 kB: the file system's way of saying that there is no more.
    code = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
    code += "import softcount.cli.main as m; sys.argv = 'softcount generate -n 99 --tags tags'.split(); m.main()"
    limited = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert limited.returncode == 2 and limited.stdout == ""
    assert limited.stderr.startswith("softcount: tags: cannot be written (File too large); free some space")
    assert snapshot(folder) == before


def test_output_special(folder: Path) -> None:
    os.mkfifo("pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()))
    reader.start()
    assert run("generate -n 3 --tags pipe").code == 0
    reader.join(10)
    assert read[0].count("\n") == 3 and Path("pipe").is_fifo()
    put(folder, {"real": b"old"})
    Path("link").symlink_to("real")
    assert run("generate -n 3 --tags link").code == 0
    assert Path("link").is_symlink() and Path("real").read_text().count("\n") == 3


def test_the_page_has_these_rows() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/input_page.py"
    names = [row.name for row in (*REFUSED, *LEGAL)] + [name for name, *_ in APART]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("test", [test for *_, test in APART])
def test_tests_apart_are_there(test: str) -> None:
    if test.endswith(".py"):
        assert (TESTS / test).is_file()
    else:
        assert f"def {test}(" in Path(__file__).read_text()
