"""Which tests a usual run has, and which are left to make thorough: no test is in neither, and none in both."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
TESTS = """
import pytest

def test_always(): pass

@pytest.mark.thorough
def test_seldom(): pass

@pytest.mark.sampled(4)
@pytest.mark.parametrize("column", range(8))
@pytest.mark.parametrize("row", range(10))
def test_grid(row, column): pass
"""


@pytest.fixture
def collected(tmp_path: Path):
    """The names of the tests that pytest would run with these arguments, with our own conftest."""
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "kernel_cache.py").write_text("def use(): pass\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    thorough\n    sampled\n")

    def names(*arguments: str) -> list[str]:
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return re.findall(r"test_it.py::(\S+)", done.stdout)

    return names


def test_every_test_is_in_one_of_the_two(collected) -> None:
    usual, rest, both = collected(), collected("--thorough", "only"), collected("--thorough", "too")
    assert "test_always" in usual and "test_seldom" in rest
    assert sorted(usual + rest) == sorted(both) and len(both) == 82
    few = [re.findall(r"\d+", name) for name in usual if "grid" in name]
    assert len(few) == 20 and {row for row, _ in few} == set("0123456789")  # two of every row of eight
    assert len({column for _, column in few}) > 4  # and not the same two


def test_what_is_named_is_run_whole(collected) -> None:
    found = collected("test_it.py::test_seldom", "test_it.py::test_grid")
    assert "test_seldom" in found and len(found) == 81
