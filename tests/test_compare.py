"""compare notices one number that is changed in a source tree, and says in which run and table."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import compare
import pytest

ROOT = Path(__file__).parent.parent


def test_a_difference_is_told_by_its_lines_and_its_size() -> None:
    old, new = ["a\t0.5", "b\t1.0", "c\t-2"], ["a\t0.5", "b\t1.25", "c\t-2"]
    assert compare.difference(old, new) == "1 of 3 lines, at most by 0.25; the first: 'b\\t1.0' and 'b\\t1.25'"
    assert compare.difference(old, [*old, "d"]).startswith("1 of 4 lines; the first: ''")
    assert compare.sha(old) == compare.sha(list(old)) != compare.sha(new)


def test_of_a_trace_the_clock_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "exported").mkdir()
    (tmp_path / "exported" / "trace.tsv").write_text("step\tseconds\tobjective\n1\t0.25\t-3.5\n")
    assert compare.tables_of(tmp_path) == {"trace": ["step\tobjective", "1\t-3.5"]}


def test_seconds_are_held_against_those_of_a_tree_with_itself() -> None:
    def these(*seconds: float) -> list[compare.Measured]:
        return [compare.Measured(one, 50_000) for one in seconds]

    old, again = these(1.0, 1.0, 1.0), these(0.95, 1.0, 1.05)
    assert compare.told(compare.Timed(old, these(1.2, 1.2, 1.0), again)).endswith("slower")
    assert compare.told(compare.Timed(old, these(1.02, 0.9, 1.0), again)).endswith("MB")


def test_every_run_has_a_name_of_its_own() -> None:
    names = [run.name for run in compare.runs()]
    assert len(set(names)) == len(names) > 30
    assert {run.name for run in compare.runs() if run.ray} >= {"hmm em, ray", "topics em, ray", "apart em, ray"}


@pytest.mark.thorough
def test_every_command_runs(tmp_path: Path) -> None:
    """In the order in which they are run: none is in the way of another."""
    words = [sys.executable, compare.__file__, str(ROOT), str(ROOT), "--quick", "--only", "^softcount|^open"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 0 and "0 of 20 runs differ or fail" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.thorough
def test_a_constant_that_is_changed_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    changed = [path for path in tmp_path.rglob("*.py") if "(n[1] + 2 * n[2])" in path.read_text()]
    for path in changed:
        path.write_text(path.read_text().replace("(n[1] + 2 * n[2])", "(n[1] + 2.001 * n[2])"))
    assert changed
    words = [sys.executable, compare.__file__, str(ROOT), str(tmp_path), "--quick", "--only", "^language|softcount lm"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 1 and "DIFFERS" in ran.stdout, ran.stdout + ran.stderr
