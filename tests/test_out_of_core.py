"""Training from shards has nothing in memory that is as long as the text: no number for every document."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run

from softcount import PLSA, NaiveBayesMixture, Shards
from softcount.loop import files
from softcount.machine import mapped
from softcount.models import mixture, plsa
from softcount.text import shard_writer

FEW, MANY = 20_000, 80_000  # documents


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("many")
    words = np.random.default_rng(1).choice(list("abcdefgh"), (MANY, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shard_writer.write_shards, "__defaults__", (10_000, shard_writer.FILE))  # small blocks
        for n in (FEW, MANY):
            (place / f"text{n}").write_text("".join(f"{one} {two}\n" for one, two in words[:n].tolist()))
            assert run(f"shard {place}/text{n} --kind documents --out {place}/{n} -q").code == 0
    return [place / str(n) for n in (FEW, MANY)]


def peak(model: Any, folder: Path) -> int:
    """Bytes, at most, while it trains."""
    shards = Shards(folder)
    tracemalloc.start()
    try:
        model(2, criterion="em:1", start="random", random_state=0).fit(shards)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("model", [PLSA, NaiveBayesMixture])
def test_memory_does_not_grow_with_the_documents(model: Any, folders: list[Path], monkeypatch: Any) -> None:
    monkeypatch.setattr(mapped, "SMALL", 0)
    monkeypatch.setattr(files, "available", lambda: 0.0)  # so that no shard stays
    for module in (plsa, mixture):
        monkeypatch.setattr(module, "shard_cost", lambda n: 20_000)
    peak(model, folders[0])  # what is imported and compiled once
    few, many = (peak(model, folder) for folder in folders)
    assert many - few < 3 * (MANY - FEW)  # less than a number of four bytes for every document
