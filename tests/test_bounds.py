"""The debug build of kernels, in which an index beyond its array is an error; normal builds are none the wiser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PLANTED = """
import threading

import numpy as np
from softcount.machine.kernel import kernel, within

@within
def part(table, place):
    return table[place]

@kernel
def taken(table, place):
    return part(table, place)

@kernel
def put(table, row, column):
    table[row, column] = 1.0

def tried(call, *given):
    try:
        call(*given)
        return "fine"
    except IndexError:
        return "IndexError"

if __name__ == "__main__":
    said = [tried(taken, np.ones(3), 2), tried(taken, np.ones(3), 3), tried(taken, np.ones(3), -4)]
    said += [tried(put, np.ones((2, 4))[:, :2], 0, 2), tried(put, np.ones((2, 4))[:, :2], 1, 1)]
    thread = threading.Thread(target=lambda: said.append(tried(taken, np.ones(3), 3)))
    thread.start()
    thread.join()
    print(*said)
"""


def ran(place: Path, checked: str) -> str:
    environment = os.environ | {"SOFTCOUNT_CHECK_BOUNDS": checked, "NUMBA_CACHE_DIR": str(place / "kept")}
    environment.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        [sys.executable, str(place / "planted.py")], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_index_beyond_its_array_is_an_error_in_the_debug_build(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    noticed = "fine IndexError IndexError IndexError fine IndexError"
    assert ran(tmp_path, "1") == noticed
    kept = {path for path in (tmp_path / "kept").rglob("*.kernel")}
    assert kept and all("checked" in path.parts for path in kept)
    assert ran(tmp_path, "0") == "fine fine fine fine fine fine"
    assert ran(tmp_path, "1") == noticed
    assert len(kept) < len(set((tmp_path / "kept").rglob("*.kernel")))
