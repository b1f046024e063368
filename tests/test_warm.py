"""softcount warm: what it compiles is all that the commands need, also where it can only be read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from softcount.cli.warm import RUNS, write_texts

SEALED = """
import pathlib, sys, tempfile
opened = tempfile.TemporaryFile
def refuse(dir):  # root can write everywhere
    if str(dir).startswith(sys.argv[1]): raise PermissionError
    return opened(dir=dir)
tempfile.TemporaryFile = refuse
from numba.core import event
class Listener(event.Listener):
    def on_start(self, event): print("compiles", event.data["dispatcher"].py_func.__qualname__, file=sys.stderr)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
from softcount.__main__ import main
sys.argv[:2] = ["softcount"]
main()
"""


def run(folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    own = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "home"), "NUMBA_DISABLE_JIT": "0"}
    bare = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env={**bare, **own, **settings}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def warm(folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "softcount", "warm", *words, **settings)


@pytest.mark.parametrize(
    "name", [name if name == "classes" else pytest.param(name, marks=pytest.mark.thorough) for name in RUNS]
)
def test_in_a_folder_that_can_only_be_read_nothing_is_compiled(tmp_path: Path, name: str) -> None:
    image = tmp_path / "image"
    done = warm(tmp_path, name, "--to", "image")
    kept = sorted(image.rglob("*"))
    said = rf"{name}: (\d+) kernels compiled, \1 in {image}/softcount \(\d+\.\d MB\), \d+ s\n"
    assert re.fullmatch(said, done.stdout) and done.returncode == 0, done
    assert sum(path.suffix == ".kernel" for path in kept) == int(done.stdout.split()[1]) > 0
    write_texts(tmp_path)
    for line in RUNS[name]:
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        done = run(tmp_path, "-c", SEALED, str(image), *words, NUMBA_CACHE_DIR=str(image))
        assert done.returncode == 0 and not re.search("compil", done.stderr), (line, done.stderr)
    assert sorted(image.rglob("*")) == kept and not list((tmp_path / "home").rglob("*.kernel"))


def test_what_is_kept_elsewhere_is_put_into_the_folder_as_well(tmp_path: Path) -> None:
    found = [warm(tmp_path, "classes", *to).stdout for to in ((), ("--to", "image"), ("--to", "image"))]
    first, second, third = (int(re.findall(r" (\d+) kernels compiled", said)[0]) for said in found)
    assert first == second > 0 and third == 0
    assert (
        len(list((tmp_path / "home").rglob("*.kernel"))) == len(list((tmp_path / "image").rglob("*.kernel"))) == first
    )


def test_what_cannot_be_warmed_is_refused_in_a_line(tmp_path: Path) -> None:
    done = warm(tmp_path, "explain")
    assert done.returncode == 2 and done.stderr.startswith(
        "softcount: explain: not a command with kernels to compile; "
    )
    (tmp_path / "file").write_text("")
    done = warm(tmp_path, "classes", "--to", "file")
    assert done.returncode == 2 and done.stderr.startswith("softcount: file: kernels cannot be written there; ")
    assert done.stderr.count("\n") == 1
