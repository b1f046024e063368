"""A model that softcount has never heard of, in one file, through its registration alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import softcount
from softcount.registry import BUILT_IN, found_at

HERE = Path(__file__).parent


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """A package of somebody else's: the file, and the entry point that its installation would leave."""
    package = tmp_path / "site"
    about = package / "coins-1.0.dist-info"
    about.mkdir(parents=True)
    shutil.copy(HERE / "coins.py", package)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: coins\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[softcount.models]\ncoins = coins:REGISTERED\n")
    rng = np.random.default_rng(0)
    bias = np.where(np.arange(60) % 2, 0.9, 0.15)
    flips = [" ".join(rng.choice(["head", "tail"], 20, p=[p, 1 - p])) for p in bias]
    (tmp_path / "flips.txt").write_text("\n".join(flips) + "\n")
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run(where: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "softcount", *words]
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=120)


def test_a_new_model_trains_saves_loads_and_resumes(tmp_path: Path, elsewhere: dict[str, str]) -> None:
    options = ("coins", "flips.txt", "--criterion", "em:8", "--tolerance", "0", "--seed", "1", "--signature", "long")
    trained = run(tmp_path, elsewhere, *options, "--save", "m", "--checkpoint", "c", "--checkpoint-every", "3")
    assert trained.returncode == 0, trained.stderr
    found = trained.stdout.split()
    assert len(found) == 60 and set(found[::2]) != set(found[1::2]) and len(set(found[::2])) == 1
    assert "coins=2" in trained.stderr and "em:8" in trained.stderr
    applied = run(tmp_path, elsewhere, "coins", "flips.txt", "--apply", "m")
    assert applied.stdout == trained.stdout and "applied m to flips.txt: 60 lines" in applied.stderr
    again = run(tmp_path, elsewhere, *options, "--save", "n", "--checkpoint", "c")
    assert again.returncode == 0 and again.stdout == trained.stdout
    info = run(tmp_path, elsewhere, "info", "m")
    assert "a bag of coins" in info.stdout, info.stderr
    exported = run(tmp_path, elsewhere, "export", "m", "--to", "tables")
    assert exported.returncode == 0 and list((tmp_path / "tables").glob("*side*")), exported.stderr
    script = "import softcount; print(*softcount.load('m').predict(['head head head head', 'tail tail tail']))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=elsewhere, capture_output=True, text=True, timeout=120
    )
    assert loaded.stdout.split() == [found[1], found[0]], loaded.stderr
    assert "coins" in run(tmp_path, elsewhere, "--help").stdout


def test_without_its_package_a_model_is_unknown(tmp_path: Path, elsewhere: dict[str, str]) -> None:
    run(tmp_path, elsewhere, "coins", "flips.txt", "--criterion", "em:2", "--save", "m", "-q")
    plain = {**elsewhere, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    found = run(tmp_path, plain, "info", "m")
    assert "something unknown ('coins')" in found.stdout + found.stderr and "Traceback" not in found.stderr
    applied = run(tmp_path, plain, "tag", "flips.txt", "--apply", "m")
    assert applied.returncode == 2 and "contains something unknown ('coins')" in applied.stderr
    refused = run(tmp_path, plain, "coins", "flips.txt")
    assert refused.returncode == 2 and "No such command 'coins'" in refused.stderr


@pytest.mark.parametrize("one", BUILT_IN, ids=lambda one: one.kind)
def test_what_is_registered_is_there(one: softcount.registry.Registered) -> None:
    kind = found_at(one.estimator)
    assert kind.kind == one.kind and getattr(softcount, one.name) is kind and one.name in softcount.__all__
    assert one.title.split()[0] in ("a", "an", "k-means", "word")
    if one.command:
        assert one.kind in found_at(one.command).kinds
