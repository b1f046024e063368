"""Compiled kernels find a place to be kept, or none, where nothing but a temporary folder can be written."""

from __future__ import annotations

import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
KERNEL = """
import sys
from softcount.machine.kernel import kernel
from small import double
kernel(double)(2.0)
"""
KEPT = "softcount: compiling this model's kernels, up to a minute, kept in {}: "
LOST = "softcount: compiling this model's kernels, up to a minute, with every run: "
WHY = "neither softcount's own folder nor the user's cache can be written; NUMBA_CACHE_DIR names a place\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A module in a folder where no __pycache__ can be made, not even by root, and an empty temporary folder."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "small.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "source" / "__pycache__").write_text("")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def ran(place: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME")}
    paths = f"{place / 'source'}:{ROOT / 'src'}"
    settings = bare | {"PYTHONPATH": paths, "HOME": "/dev/null", "TMPDIR": str(place / "tmp")} | environment
    return subprocess.run(
        [sys.executable, *command], env=settings, cwd=place, capture_output=True, text=True, check=False
    )


@pytest.mark.thorough
def test_a_temporary_folder_of_the_users_own(place: Path) -> None:
    own = place / "tmp" / f"softcount-{os.getuid()}"
    done = ran(place, "-c", KERNEL)
    assert (done.returncode, done.stderr) == (0, KEPT.format(own) + WHY)
    assert stat.S_IMODE(own.stat().st_mode) == 0o700 and list(own.rglob("*.nbi"))
    assert ran(place, "-c", KERNEL).stderr == ""  # it was kept


@pytest.mark.thorough
def test_what_another_version_left_is_compiled_again(place: Path) -> None:
    """Its index names types by the modules where they were; here by one that is gone."""
    mine = {"NUMBA_CACHE_DIR": str(place / "mine")}
    ran(place, "-c", KERNEL, **mine)
    (index,) = (place / "mine").rglob("*double*.nbi")
    gone = b"cgone_module\nGone\n."  # a pickle
    with index.open("rb") as kept:
        version = pickle.load(kept)
    index.write_bytes(pickle.dumps(version) + gone)
    done = ran(place, "-c", KERNEL, **mine)
    assert done.returncode == 0 and "once per machine" in done.stderr, done.stderr
    assert ran(place, "-c", KERNEL, **mine).stderr == ""  # and kept


@pytest.mark.thorough
def test_a_users_own_settings_go_first(place: Path) -> None:
    done = ran(place, "-c", KERNEL, NUMBA_CACHE_DIR=str(place / "mine"))
    assert "once per machine" in done.stderr and list((place / "mine").rglob("*.nbi"))
    done = ran(place, "-c", KERNEL, HOME=str(place / "home"))
    assert "once per machine" in done.stderr and list((place / "home").rglob("*.nbi"))
    assert not list((place / "tmp").iterdir())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("found", ["open", "link", "file", "another's"])
def test_a_folder_that_others_can_fill_is_not_used(place: Path, found: str) -> None:
    """Because what is in it is unpickled."""
    own = place / "tmp" / f"softcount-{os.getuid()}"
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
    done = ran(place, "-c", KERNEL)
    assert (done.returncode, done.stderr) == (0, LOST + WHY)
    assert not list(place.rglob("*.nbi"))


def test_a_user_without_a_home_at_all(place: Path) -> None:
    """Numba would make a folder that is called ~ where the command is run."""
    code = "import os; os.environ.pop('HOME', None); import pwd\ndef none(*a): raise KeyError\npwd.getpwuid = none\n"
    done = ran(place, "-c", code + KERNEL)
    assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr
    assert not (place / "~").exists() and list((place / "tmp").rglob("*.nbi"))


@pytest.mark.thorough
def test_a_whole_command(place: Path) -> None:
    """softcount itself in a folder that cannot be written."""
    shutil.copytree(ROOT / "src", place / "source", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (place / "source" / "softcount").rglob("*"):
        if folder.is_dir():
            (folder / "__pycache__").write_text("")
    (place / "text").write_text("a b\nc d\n")
    train = ("-m", "softcount", "cluster", "text", "--clusters", "2", "--method", "kmeans", "--criterion", "em:1", "-q")
    paths = str(place / "source")
    done = ran(place, *train, PYTHONPATH=paths)
    assert done.returncode == 0 and len(done.stdout.split()) == 2
    assert done.stderr == KEPT.format(place / "tmp" / f"softcount-{os.getuid()}") + WHY
