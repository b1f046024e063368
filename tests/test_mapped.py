"""Arrays in files: what was given back comes back, and the file is gone with its array."""

import os

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
    give_back_shared(table[100:])
    assert resident() - before < 32_000 and table.all()


@pytest.mark.parametrize("array", [in_file(0), in_file((0, 3)), in_file(5), np.arange(3), None])
def test_what_is_small_is_in_memory_and_stays(array):
    give_back(array)
    assert array is None or not isinstance(array.base, np.memmap)
