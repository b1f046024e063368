"""Compiled kernels: where they are kept, what makes them compile again, and that one process compiles for all."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SMALL = """
from softcount.machine.kernel import kernel

@kernel
def double(x):
    return 2 * x

@kernel
def other(x):
    return x
"""
KERNEL = "from small import double; double(2.0)"
KEPT = "softcount: compiling kernels (up to a minute, kept in {}: "
LOST = "softcount: compiling kernels (up to a minute, with every run: "
OFTEN = "softcount: compiling kernels (up to a minute, once per machine)\n"
WHY = "neither softcount's folder nor the user's cache is writable; NUMBA_CACHE_DIR sets another folder)\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A module and softcount in a folder where no __pycache__ can be made, not even by root; an empty temporary one."""
    shutil.copytree(ROOT / "src", tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "source" / "small.py").write_text(SMALL)
    (tmp_path / "source" / "softcount" / "__pycache__").write_text("")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def environment(place: Path, **more: str) -> dict[str, str]:
    bare = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME")}
    settings = {"PYTHONPATH": str(place / "source"), "HOME": "/dev/null", "TMPDIR": str(place / "tmp")}
    return bare | settings | {"NUMBA_DISABLE_JIT": "0"} | more


def ran(place: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        env=environment(place, **more),
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
def test_a_temporary_folder_of_the_users_own(place: Path) -> None:
    own = place / "tmp" / f"softcount-{os.getuid()}"
    done = ran(place, "-c", KERNEL)
    assert (done.returncode, done.stderr) == (0, KEPT.format(own) + WHY)
    assert stat.S_IMODE(own.stat().st_mode) == 0o700 and list(own.rglob("*.kernel"))
    assert ran(place, "-c", KERNEL).stderr == ""  # it was kept


@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", ["cut", "turned", "gone"])
def test_what_cannot_be_read_is_compiled_again(place: Path, damage: str) -> None:
    """Of a file that was cut, or has other bytes, or holds types of a module that there is no more."""
    mine = {"NUMBA_CACHE_DIR": str(place / "mine")}
    ran(place, "-c", KERNEL, **mine)
    (kept,) = (place / "mine").rglob("*double*.kernel")
    content = kept.read_bytes()
    if damage == "cut":
        kept.write_bytes(content[: len(content) // 2])
    elif damage == "turned":
        middle = len(content) // 2
        kept.write_bytes(content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :])
    else:
        gone = b"cgone_module\nGone\n."  # a pickle
        told = ran(place, "-c", f"import sys; from softcount.machine import cache; print(cache._check({gone!r}).hex())")
        kept.write_bytes(bytes.fromhex(told.stdout) + gone)
    done = ran(place, "-c", KERNEL, **mine)
    assert (done.returncode, done.stderr) == (0, OFTEN)
    assert ran(place, "-c", KERNEL, **mine).stderr == ""  # and kept


@pytest.mark.thorough
def test_a_users_own_settings_go_first(place: Path) -> None:
    done = ran(place, "-c", KERNEL, NUMBA_CACHE_DIR=str(place / "mine"))
    assert done.stderr == OFTEN and list((place / "mine").rglob("*.kernel"))
    done = ran(place, "-c", KERNEL, HOME=str(place / "home"))
    assert done.stderr == OFTEN and list((place / "home").rglob("*.kernel"))
    assert not list((place / "tmp").iterdir())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("found", ["open", "link", "file", "another's"])
@pytest.mark.parametrize("where", ["temporary", "home"])
def test_a_folder_that_others_can_fill_is_not_used(place: Path, found: str, where: str) -> None:
    """Because what is in it is unpickled."""
    home = {"XDG_CACHE_HOME": str(place / "home")} if where == "home" else {}
    own = place / "home" / "softcount" / "kernels" if home else place / "tmp" / f"softcount-{os.getuid()}"
    own.parent.mkdir(parents=True, exist_ok=True)
    if found == "link":
        (place / "elsewhere").mkdir(mode=0o700)
        own.symlink_to(place / "elsewhere")
    elif found == "file":
        own.write_text("")
    else:
        own.mkdir(mode=0o700)
        if found == "open":
            own.chmod(0o777)
        elif os.getuid() == 0:
            os.chown(own, 1, 1)
        else:
            pytest.skip("needs root")
    done = ran(place, "-c", KERNEL, **home)
    kept = place / "tmp" / f"softcount-{os.getuid()}"
    assert (done.returncode, done.stderr) == (0, (KEPT.format(kept) if home else LOST) + WHY)
    assert not [path for path in place.rglob("*.kernel") if kept not in path.parents or not home]


def test_a_user_without_a_home_at_all(place: Path) -> None:
    """Numba would make a folder that is called ~ where the command is run."""
    code = "import os; os.environ.pop('HOME', None); import pwd\ndef none(*a): raise KeyError\npwd.getpwuid = none\n"
    done = ran(place, "-c", code + KERNEL)
    assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr
    assert not (place / "~").exists() and list((place / "tmp").rglob("*.kernel"))


def test_a_folder_that_can_only_be_read(place: Path) -> None:
    """As in an image: what is there is used without a word, and the rest goes where there is room."""
    image = place / "image"
    ran(place, "-c", KERNEL, NUMBA_CACHE_DIR=str(image))
    kept = sorted(image.rglob("*"))
    sealed = "import tempfile, pathlib\nopened = tempfile.TemporaryFile\n"
    sealed += f"def no(dir):\n    if str(dir).startswith({str(image)!r}): raise PermissionError\n"
    sealed += "    return opened(dir=dir)\n"
    sealed += "tempfile.TemporaryFile = no\n"  # root can write everywhere
    settings = {"NUMBA_CACHE_DIR": str(image), "HOME": str(place / "home")}
    assert ran(place, "-c", sealed + KERNEL, **settings).stderr == ""
    assert not (place / "home").exists()
    new = "from small import other; other(2.0)"
    assert ran(place, "-c", sealed + new, **settings).stderr == OFTEN
    assert sorted(image.rglob("*")) == kept and list((place / "home").rglob("*other*.kernel"))
    assert ran(place, "-c", sealed + new, **settings).stderr == ""


@pytest.mark.thorough
def test_a_whole_command(place: Path) -> None:
    """softcount itself in a folder that cannot be written."""
    (place / "text").write_text("a b\nc d\n")
    train = ("-m", "softcount", "cluster", "text", "--clusters", "2", "--method", "kmeans", "--criterion", "em:1", "-q")
    done = ran(place, *train)
    assert done.returncode == 0 and len(done.stdout.split()) == 2
    assert done.stderr == KEPT.format(place / "tmp" / f"softcount-{os.getuid()}") + WHY


# What is compiled again.

PARTS = {
    "shape": "from typing import NamedTuple\nWIDTH = 3\nclass Pair(NamedTuple):\n    one: float\n    two: float\n",
    "told": """
from numba.core import types
from numba.extending import intrinsic, overload

def emit(context, builder, signature, arguments):
    return builder.add(arguments[0], arguments[0].type(1))

def more(x):
    return x + 1

@intrinsic
def _more(typing, x):
    return types.int64(types.int64), emit

@overload(more)
def _overload_more(x):
    return lambda x: _more(x)
""",
    "inner": """
from softcount.machine.kernel import kernel, within

def _unused(x):
    return x

@within
def part(x):
    return x * 10

@kernel
def whole(x):
    '''A docstring.'''
    return part(x)
""",
    "outer": """
import inner, shape
from inner import whole
from shape import Pair
from told import more
from softcount.machine.kernel import kernel

DOUBLE = 2 * shape.WIDTH

@kernel
def first(x):
    return whole(x) + DOUBLE

@kernel
def second(x):
    return more(x) + 100

@kernel
def third(x):
    pair = Pair(x, x + 1)
    return pair[0] * shape.WIDTH
""",
    "run": """
from numba.core import event
from softcount.machine import stage
compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
stage.say = lambda message: None
import outer
print(outer.first(1), outer.second(1), outer.third(1), *sorted(set(compiled)))
""",
}
EDITS = {
    "nothing": ("inner", "", "", "16 102 3", ""),
    "comment": ("inner", "@within", "# about\n\n@within", "16 102 3", ""),
    "docstring": ("inner", "A docstring.", "Another one.", "16 102 3", ""),
    "plain": ("inner", "return x\n", "return x + 3\n", "16 102 3", ""),
    "part": ("inner", "x * 10", "x * 20", "26 102 3", "first part whole"),
    "constant": ("shape", "WIDTH = 3", "WIDTH = 4", "18 102 4", "first part third whole"),
    "fields": ("shape", "one: float\n    two: float", "two: float\n    one: float", "16 102 3", "third"),
    "emitted": ("told", "type(1)", "type(5)", "16 106 3", "<lambda> second"),
    "overload": ("told", "lambda x: _more(x)", "lambda x: _more(_more(x))", "16 103 3", "<lambda> second"),
    "own": ("outer", "+ 100", "+ 200", "16 202 3", "<lambda> second"),
}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of small modules whose kernels are compiled."""
    folder = tmp_path_factory.mktemp("parts")
    write_parts(folder / "before")
    said, compiled = run_parts(folder, "before")
    assert said == "16 102 3" and compiled == "<lambda> first part second third whole"
    return folder


def write_parts(folder: Path) -> None:
    folder.mkdir()
    for name, text in PARTS.items():
        (folder / f"{name}.py").write_text(text)


def run_parts(folder: Path, state: str) -> tuple[str, str]:
    settings = environment(folder, PYTHONPATH=f"{folder / state}:{ROOT / 'src'}", NUMBA_CACHE_DIR=str(folder / "kept"))
    command = [sys.executable, str(folder / state / "run.py")]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    return " ".join(words[:3]), " ".join(words[3:])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_compiles_again_what_reaches_it(parts: Path, edit: str) -> None:
    """And nothing else; from another folder, so that equal sources share what is kept."""
    file, old, new, said, compiled = EDITS[edit]
    write_parts(parts / edit)
    path = parts / edit / f"{file}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert run_parts(parts, edit) == (said, compiled)
    assert run_parts(parts, edit) == (said, "")


def test_what_is_compiled_was_reached(tmp_path: Path) -> None:
    """Every function that Numba compiles for a kernel is one that its digest knows of."""
    code = """
import sys
from numba.core import event
from softcount.machine import reach, stage
import numpy as np

def reached(function):
    seen, waiting = {}, [function]
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            waiting += reach._told(value)[1]
    return {reach_code(value) for value in seen.values()} - {None}

def reach_code(value):
    return getattr(getattr(value, "py_func", value), "__code__", None)

def inside(code):
    return {code} | {one for const in code.co_consts if hasattr(const, "co_code") for one in inside(const)}

stack, n = [], 0
class Listener(event.Listener):
    def on_start(self, event):
        global n
        function = event.data["dispatcher"].py_func
        if stack and not function.__module__.startswith("numba."):
            known = {one for code in reached(stack[0]) for one in inside(code)}
            assert function.__code__ in known, (stack[0], function)
            n += 1
        stack.append(event.data["dispatcher"])
    def on_end(self, event):
        stack.pop()
event.register("numba:compile", Listener())
stage.say = lambda message: None
from softcount.models import plsa_kernel
from softcount.numbers import lanes, abreast
from softcount.machine.kernel import kernel, prefetch
from softcount.models.hmm_packing import *

@kernel
def some(row, k):
    prefetch(row, k)
    abreast.store(row, k, abreast.inverse(abreast.load(row, k)) * abreast.everywhere(row[0]))
    return lanes.dot(row, row)

assert some(np.ones(16), 1) == 16.0
from softcount.links.lines import _write
print(n)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env=os.environ | dict.fromkeys(("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"), str(tmp_path)),
    )  # fmt: skip
    assert done.returncode == 0 and int(done.stdout) >= 6, done.stderr


# Processes that start together.

SLOW = """
import os, sys, time
from numba.core import event
class Listener(event.Listener):
    def on_start(self, event):
        print("compiles", flush=True)
        time.sleep(float(sys.argv[1]))
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
from small import double
assert double(2.0) == 4.0
"""


def start(place: Path, *arguments: str) -> subprocess.Popen[str]:
    (place / "slow.py").write_text(SLOW)
    return subprocess.Popen(
        [sys.executable, "slow.py", *arguments], cwd=place, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(place, NUMBA_CACHE_DIR=str(place / "mine")),
    )  # fmt: skip


def read(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    said = [process.communicate(timeout=300) for process in processes]
    assert all(process.returncode == 0 for process in processes), said
    return sorted(out for out, _ in said)


def test_one_process_compiles_for_all(place: Path) -> None:
    processes = [start(place, "1") for _ in range(3)]
    assert read(processes) == ["", "", "compiles\n"]


def test_nobody_waits_for_the_dead(place: Path) -> None:
    first = start(place, "1000")
    assert first.stdout is not None and first.stdout.readline() == "compiles\n"
    second = start(place, "0")
    time.sleep(0.2)
    assert second.poll() is None
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert read([second]) == ["compiles\n"]


def test_nor_where_compiling_fails(place: Path) -> None:
    """A function that cannot be compiled gives its lock back."""
    code = (
        "from softcount.machine import cache\nfrom softcount.machine.kernel import kernel\n"
        "@kernel\ndef bad(x):\n    return x.nothing\n"
        "try:\n    bad(1)\nexcept Exception as error:\n    print(type(error).__name__, bad._cache.held)\n"
    )
    (place / "bad.py").write_text(code)
    done = ran(place, "bad.py", NUMBA_CACHE_DIR=str(place / "mine"))
    assert done.stdout == "TypingError []\n", done.stderr
