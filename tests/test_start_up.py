"""The command line as a process of its own: it starts without what only other programs ask of us, and says the same."""

from __future__ import annotations

import json
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
    print(*sorted({"sklearn", "pandas", "scipy.optimize", "numba"} & set(sys.modules)), file=sys.stderr)
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
    Path("pairs").write_text("the cat ||| le chat\na dog ||| un chien\nthe dog ||| le chien\n")


@pytest.mark.parametrize("line", TRAINING)
def test_training_starts_without_scikit_learn_and_learns_the_same(line: str) -> None:
    printed, imported = alone(line + " -q")
    assert imported == {"numba"}
    ran = run(line.replace("model", "other") + " -q")
    assert ran.code == 0 and ran.out == printed
    applied = line.split(" --")[0] + (" --method kmeans" if "kmeans" in line else "") + " --apply "
    printed, imported = alone(applied + "model -q")
    assert imported == {"numba"}
    assert run(applied + "other -q").out == printed
    ours, theirs = (json.loads(run(f"info {name} --json").out) for name in ("model", "other"))
    assert all(ours[key] == theirs[key] for key in ("settings", "signature", "sizes"))


@pytest.mark.parametrize("line", ["--help", "tag --help", "score tags tags tags", "generate -n 2"])
def test_what_trains_nothing_imports_little(line: str) -> None:
    assert alone(line)[1] == set()


def test_in_other_programs_estimators_are_scikit_learns() -> None:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin

    from softcount import HMM, PLSA, KMeans

    assert isinstance(HMM(2), BaseEstimator) and isinstance(PLSA(2), TransformerMixin)
    assert isinstance(KMeans(2), ClusterMixin)
