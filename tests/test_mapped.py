"""Arrays in files: what was given back comes back, and the file is gone with its array."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from softcount.machine.mapped import SMALL, give_back, give_back_shared, in_file


def test_what_is_given_back_is_not_lost():
    table = in_file((3, SMALL), np.float32)
    assert isinstance(table.base, np.memmap) and not table.any()
    table[1] = np.arange(SMALL)
    give_back(table)
    give_back(table[1:2].reshape(-1).view(np.uint8))
    np.testing.assert_array_equal(table[1], np.arange(SMALL, dtype=np.float32))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="asks Linux what is resident")
def test_what_is_given_back_is_no_memory_of_ours():
    def resident() -> int:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(("RssFile:", "RssShmem:")))

    table = in_file(64 * SMALL, np.uint8)
    before = resident()
    table[:] = 7
    touched = resident()
    give_back(table)
    assert touched - before > 32_000 > resident() - before and table[-1] == 7
    assert table.all() and resident() - before > 32_000


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="asks Linux what is mapped")
def test_shared_memory_is_given_back_by_its_name(tmp_path: Path) -> None:
    tables = [
        np.memmap(tmp_path / name, np.uint8, "w+", shape=32 * SMALL) for name in ("plasma-1", "other", "plasma-2")
    ]
    private = np.memmap(tmp_path / "plasma-1", np.uint8, "c", shape=32 * SMALL)
    for table in (*tables, private):
        table[:] = 7
    give_back_shared("/plasma-")
    assert [resident_of(table) < 1_000 for table in (*tables, private)] == [True, False, True, False]
    assert all(table.all() for table in (*tables, private))


def resident_of(table: np.ndarray) -> int:
    """Of the mapping in which it lies, in kilobytes."""
    inside, at = False, table.ctypes.data
    with open("/proc/self/smaps") as maps:
        for line in maps:
            if edges := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
                inside = int(edges[1], 16) <= at < int(edges[2], 16)
            elif inside and line.startswith("Rss:"):
                return int(line.split()[1])
    raise AssertionError("not mapped")


@pytest.mark.parametrize("array", [in_file(0), in_file((0, 3)), in_file(5), np.arange(3), None])
def test_what_is_small_is_in_memory_and_stays(array):
    give_back(array)
    assert array is None or not isinstance(array.base, np.memmap)
