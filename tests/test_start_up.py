"""The command line as a process of its own: it starts without what only other programs ask of us, and says the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

# The command, as `python -m softcount` runs it; then which of these were imported.
ALONE = """
import sys
from softcount.__main__ import main
try:
    main()
finally:
    heavy = {"sklearn", "pandas", "scipy", "scipy.optimize", "numba", "Cython", "numpy.f2py"}
    print(*sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
TEXT = "the cat sat\na dog ran\nthe dog sat\na cat ran home\n"
TRAINING = (
    "tag text --states 2 --save model",
    "align pairs --save model",
    "topics text --topics 2 --save model",
    "cluster text --clusters 2 --save model",
    "cluster text --clusters 2 --method kmeans --save model",
)


def alone(line: str) -> tuple[str, set[str]]:
    """What the command prints, and what it imports."""
    ran = subprocess.run([sys.executable, "-c", ALONE, *line.split()], capture_output=True, text=True, check=True)
    return ran.stdout, set(ran.stderr.splitlines()[-1].split())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text(TEXT)
    Path("tags").write_text("D N V\nD N V\nD N V\nD N V A\n")
    Path("links").write_text("0-0 1-1\n0-0\n0-0\n")
    Path("pairs").write_text("the cat ||| le chat\na dog ||| un chien\nthe dog ||| le chien\n")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("line", TRAINING)
def test_training_starts_without_scikit_learn_and_learns_the_same(line: str) -> None:
    printed, imported = alone(line + " -q")
    assert imported == {"numba", "scipy"}
    ran = run(line.replace("model", "other") + " -q")
    assert ran.code == 0 and ran.out == printed
    applied = line.split(" --")[0] + (" --method kmeans" if "kmeans" in line else "") + " --apply "
    printed, imported = alone(applied + "model -q")
    assert imported == {"numba", "scipy"}
    assert run(applied + "other -q").out == printed
    ours, theirs = (json.loads(run(f"info {name} --json").out) for name in ("model", "other"))
    assert all(ours[key] == theirs[key] for key in ("settings", "signature", "sizes"))


@pytest.mark.parametrize(
    "line",
    [
        "--help",
        "tag --help",
        "score tags tags tags",
        "score links links links",
        "generate -n 2",
    ],
)
def test_what_trains_nothing_imports_little(line: str) -> None:
    assert alone(line)[1] == set()


def test_products_of_matrices_take_one_thread_though_their_library_is_loaded_late() -> None:
    """Which is why an engine of the command line does not load it first."""
    code = (
        "from softcount.machine.alone import go_alone; go_alone(); import sys; from softcount.engines import Threads\n"
        "with Threads(1): assert 'scipy.linalg' not in sys.modules\n"
        "import scipy.linalg, threadpoolctl; print({each['num_threads'] for each in threadpoolctl.threadpool_info()})"
    )
    bare = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=bare)
    assert ran.stdout == "{1}\n"


def test_in_other_programs_estimators_are_scikit_learns() -> None:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin

    from softcount import HMM, PLSA, KMeans

    assert isinstance(HMM(2), BaseEstimator) and isinstance(PLSA(2), TransformerMixin)
    assert isinstance(KMeans(2), ClusterMixin)
