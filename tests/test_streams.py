"""stdin, stdout and stderr of a command: stdout is the result's alone, and nothing depends on who hears messages."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from command import snapshot
from test_bad_input import folder, good  # noqa: F401  fixtures

import softcount
from softcount.cli.main import app
from softcount.machine import stage, streams

STEPS = "--criterion em:2"
# One of every command at least.
COMMANDS = (
    f"tag text --states 2 {STEPS} --save new", "tag text --apply tag.model", f"tag nothing --states 2 {STEPS}",
    "classes text --classes 2", "align text other", "topics text --topics 2 --json",
    "cluster text --clusters 2 --report new", f"net 'h -> a, b' rows.csv --values h=2 {STEPS}",
    f"grammar G.cfg text {STEPS}", "lm text --order 2 --arpa new",
    f"decipher text --lm chars.arpa --restarts 1 {STEPS} --key new", "translate align.model text --lm m.arpa",
    "rank align.model both --lm m.arpa", "fast-align -i both -dov", "eflomal -i both -f new --verbose",
    "glossary align.model text other", "symmetrize links links", "shard text --out new", "info tag.model",
    "info nothing", "export tag.model --to tables --out new", "report tag.model text --out new",
    "generate -n 5 --tags new", "show tag.model text", "demo --sentences 20 --states 3 --criterion em:2 --seed 1",
    "examples", "score tags tags tags", "score clusters labels labels", "score topics topics.model text",
    "score links links links", "score trees trees trees", "explain hmm P.json dog --page new", "explain mixture text",
    "explain plsa text", "explain kmeans points", "explain ibm1 text other", "explain net 'a -> b' T.json",
    "explain grammar G.cfg 'the dog runs'", "tag text --states two", "--help", "tag --help", "score", "--version",
    "warm nothing", "taag",
)  # fmt: skip
LONG = ["-m", "softcount", "generate", "-n", "20000", "--seed", "1"]
UNHEARD = {"closed": "2>&-", "full": "2>/dev/full", "a pipe that nobody reads": "2> >(true)"}
CLOSED = f"softcount: {streams.CLOSED}\n"
FULL = "softcount: <stdout>: cannot be written (No space left on device); free some space, or write to another place\n"
# A command into which somebody else prints, in every way that there is; then the command itself.
NOISY = """
import ctypes, os, sys
import softcount.cli.generate as generate
from softcount.__main__ import main
check = generate.check_writable

def noise(*given, **named):
    print("print"), sys.stdout.write("stdout "), sys.__stdout__.write("__stdout__ ")
    os.write(1, b"descriptor "), os.system("echo child")
    libc = ctypes.CDLL(None)
    libc.puts(b"library"), libc.fflush(None)
    check(*given, **named)

generate.check_writable = noise
main()
"""


class Ran(NamedTuple):
    out: bytes
    code: int
    files: dict[str, bytes | None]


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    """SOFTCOUNT is the command, with the Python of this run."""
    line = line.replace("SOFTCOUNT", f"{sys.executable} -m softcount")
    return subprocess.run(["bash", "-c", line], capture_output=True, check=False)


def ran(folder: Path, line: str) -> Ran:  # noqa: F811
    before = snapshot(folder)
    found = shell(line)
    after = snapshot(folder)
    for name in sorted(after.keys() - before.keys(), reverse=True):  # what is in a folder before the folder
        path = folder / name
        path.rmdir() if path.is_dir() and not any(path.iterdir()) else path.unlink() if path.is_file() else None
    new = {name: None if name.endswith(".model") else content for name, content in after.items() if name not in before}
    return Ran(found.stdout, found.returncode, new)


def test_every_command_is_here() -> None:
    names = {each.name for each in app.registered_commands}
    for group in app.registered_groups:
        names |= {f"{group.name} {each.name}" for each in group.typer_instance.registered_commands}
    assert {name for name in names if not any(line.startswith(name) for line in COMMANDS)} == set()


@pytest.mark.sampled(22)
@pytest.mark.parametrize("command", COMMANDS)
def test_results_do_not_depend_on_who_hears_the_messages(folder: Path, command: str) -> None:  # noqa: F811
    heard = ran(folder, f"SOFTCOUNT {command}")
    for what, unheard in UNHEARD.items():
        assert same(heard, ran(folder, f"SOFTCOUNT {command} {unheard}")), what


def same(one: Ran, other: Ran) -> bool:
    """But for seconds that were measured."""
    return (one.code, one.files.keys(), timeless(one.out)) == (other.code, other.files.keys(), timeless(other.out))


def timeless(out: bytes) -> list[bytes]:
    return [line for line in out.splitlines() if b" in " not in line or b" s; " not in line]


@pytest.mark.sampled(22)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_stdout_that_takes_nothing_is_one_line(folder: Path, command: str) -> None:  # noqa: F811
    heard = shell(f"SOFTCOUNT {command}")
    for where, says in {">&-": CLOSED, ">/dev/full": FULL}.items():
        found = shell(f"rm -rf new; SOFTCOUNT {command} {where}")
        if heard.stdout:
            assert (found.returncode, found.stderr.decode().splitlines(True)[-1]) == (2, says)
        else:
            assert found.returncode == heard.returncode
        assert b"Traceback" not in found.stderr
    assert (
        shell(f"rm -rf new; set -o pipefail; (sleep 0.2; SOFTCOUNT {command} 2>&-) | true").returncode
        == heard.returncode
    )


def test_whoever_prints_prints_to_stderr(folder: Path) -> None:  # noqa: F811
    line = ["generate", "-n", "3", "--seed", "1"]
    quiet = shell(f"SOFTCOUNT {' '.join(line)}")
    noisy = subprocess.run([sys.executable, "-c", NOISY, *line], capture_output=True, check=False)
    assert (noisy.returncode, noisy.stdout) == (0, quiet.stdout) and quiet.stdout.count(b"\n") == 3
    words = {b"print", b"stdout", b"__stdout__", b"descriptor", b"child", b"library"}
    assert set(noisy.stderr.split()) == words


def test_no_module_of_ours_prints_to_where_others_print() -> None:
    printing = set()
    for path in Path(softcount.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            if named and "file" not in {keyword.arg for keyword in node.keywords}:
                printing.add(f"{path.name}:{node.lineno}")
    assert printing == set()


def test_all_streams_may_be_closed(folder: Path) -> None:  # noqa: F811
    """No file that is opened gets the number of one, and is written to in its place."""
    before = snapshot(folder)
    for closed, code in {"<&- 2>&-": 0, "<&- >&- 2>&-": 2, ">&- 2>&-": 2}.items():
        assert shell(f"SOFTCOUNT tag text --states 2 {STEPS} --save new {closed}").returncode == code
    (folder / "new").unlink()
    assert snapshot(folder) == before


def test_a_closed_stdin_is_one_line(folder: Path) -> None:  # noqa: F811
    found = shell(f"SOFTCOUNT tag - --states 2 {STEPS} <&-")
    says = "softcount: <stdin>: is closed; give a file, or pipe the text with | or <\n"
    assert (found.returncode, found.stdout, found.stderr.decode()) == (2, b"", says)
    assert shell(f"SOFTCOUNT tag text --states 2 {STEPS} <&-").returncode == 0


def test_files_need_no_stdout(folder: Path) -> None:  # noqa: F811
    assert shell("SOFTCOUNT eflomal -i both -f new >&-").returncode == 0 and (folder / "new").stat().st_size


def test_a_stdout_that_has_no_room_at_the_moment_is_waited_for(folder: Path) -> None:  # noqa: F811
    """A pipe in which writers are told not to wait, as some programs start us."""
    code = f"import os; os.set_blocking(1, False); os.execv({sys.executable!r}, {[sys.executable, *LONG]})"
    line = f'{sys.executable} -c "{code}" | (sleep 2; cat)'
    slow = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
    assert (slow.stdout.count(b"\n"), slow.stderr) == (20000, b"")


def test_in_other_programs_stdout_is_theirs(capfd: pytest.CaptureFixture[str]) -> None:
    streams.put("ours")
    with streams.results_apart():
        print("theirs")
        streams.put("ours again")
    print("theirs again")
    os.write(1, b"")
    assert capfd.readouterr() == ("ours\nours again\ntheirs again\n", "theirs\n")


def test_what_is_said_in_other_programs_need_not_be_heard(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with open(tmp_path / "nobody", "w") as closed:
        pass
    for stderr in (None, closed):
        monkeypatch.setattr(sys, "stderr", stderr)
        stage.say("hello")
    assert capsys.readouterr().out == ""
