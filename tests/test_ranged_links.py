"""Links and scores from tables in ranges: what one table says, and nobody has the whole."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_ranges import PAIRS, Watched, entries

import softcount as sc
from softcount import WordAligner
from softcount.loop import answering, ranges
from softcount.machine import mapped
from softcount.models import agreement, ibm
from softcount.synthetic import bilingual

OTHER = bilingual(40, seed=9)  # of other words, some of which are spelt like those of PAIRS
MIXED = (
    [*PAIRS.source[:20], *OTHER.source, ["Haus", "unheard-of", "9"], []],
    [*PAIRS.target[20:40], *OTHER.target, ["house", "unheard-of"], ["x"]],
)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks, many ranges, few blocks at a time."""
    monkeypatch.setattr(ibm, "BLOCK", 200)
    monkeypatch.setattr(agreement, "SHARD", 200)
    monkeypatch.setattr(ranges, "RANGE", 60)
    monkeypatch.setattr(answering, "AT_ONCE", 5)


def asked(model: Any, **how: Any) -> list[Any]:
    return [model.align(*text, probabilities=True, **how) for text in (MIXED, (PAIRS.source, PAIRS.target))]


def close(one: list[Any], two: list[Any]) -> None:
    """The same links, and the same probabilities but for the last digits of single precision."""
    for ours, theirs in zip(one, two, strict=True):
        assert [[link[:2] for link in pair] for pair in ours] == [[link[:2] for link in pair] for pair in theirs]
        np.testing.assert_allclose(
            [link[2] for pair in ours for link in pair], [link[2] for pair in theirs for link in pair], rtol=2e-5
        )


def on(engine: Any, model: Any) -> Any:
    """The same model, asked elsewhere."""
    return sc.WordAligner.load(model, engine=engine)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"preset": "best"},
        {"model": "ibm1:2,ibm2:2", "criterion": "em", "agreement": True, "stems": "none", "spelling": False},
        {"dictionary": True, "stems": "4"},
        {"stem_strength": "evidence"},
    ],
    ids=str,
)
def test_a_saved_model_links_in_ranges_as_in_one_table(settings: dict[str, Any], tmp_path: Path) -> None:
    """Also words that it does not know, pairs of words that never met, and pairs without words."""
    settings = {**settings, **({"dictionary": entries()} if "dictionary" in settings else {})}
    near = WordAligner(**settings).fit(PAIRS.source, PAIRS.target)
    near.save(tmp_path / "model")
    engine = Watched()
    far = on(engine, tmp_path / "model")
    close(asked(near), asked(far))
    assert engine.most > 6, "a table that is not cut"
    np.testing.assert_allclose(far.scores(*MIXED), near.scores(*MIXED), rtol=1e-5)
    np.testing.assert_allclose(far.pair_scores(*MIXED), near.pair_scores(*MIXED), rtol=1e-5)
    close(asked(near, decode="mre"), asked(far, decode="mre"))
    close(asked(near, symmetrize="intersection"), asked(far, symmetrize="intersection"))
    assert near.perplexity(*MIXED) == pytest.approx(far.perplexity(*MIXED), rel=1e-5)


def test_a_model_that_was_trained_in_ranges_is_asked_in_ranges() -> None:
    engine = Watched()
    near, far = (
        WordAligner(preset="best", engine=where).fit(PAIRS.source, PAIRS.target) for where in ("threads", engine)
    )
    close(asked(near), asked(far))
    np.testing.assert_allclose(far.pair_scores(*MIXED), near.pair_scores(*MIXED), rtol=1e-5)
    assert far._told(far._read(PAIRS.source, PAIRS.target)).keys() == {"forward", "reverse"}
    assert far.agreed_._whole is None and far.agreed_.second._whole is None, "put together after all"


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "ibm1:2,ibm2:2", "criterion": "vb"},
        {"model": "ibm2-free", "criterion": "em:2", "direction": "reverse"},
        {"model": "hmm", "criterion": "em:2", "agreement": False},
        {"model": "ibm1", "criterion": "em:3", "direction": "forward"},
    ],
    ids=str,
)
def test_directions_that_were_trained_apart_link_in_ranges_as_in_one_table(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    near = WordAligner(**settings).fit(PAIRS.source, PAIRS.target)
    near.save(tmp_path / "model")
    engine = Watched()
    far = on(engine, tmp_path / "model")
    for how in ("posterior", "viterbi", "mre"):
        close(asked(near, decode=how), asked(far, decode=how))
    assert engine.most > 6, "a table that is not cut"
    np.testing.assert_allclose(far.scores(*MIXED), near.scores(*MIXED), rtol=1e-12)
    np.testing.assert_allclose(far.pair_scores(*MIXED), near.pair_scores(*MIXED), rtol=1e-9)
    assert near.perplexity(*MIXED) == pytest.approx(far.perplexity(*MIXED), rel=1e-12)


@pytest.mark.parametrize("settings", [{"agreement": True}, {"model": "ibm1", "direction": "forward"}], ids=str)
def test_nobody_is_sent_the_table(settings: dict[str, Any], tmp_path: Path, monkeypatch: Any) -> None:
    for module, name in ((ibm, "BLOCK"), (agreement, "SHARD"), (ranges, "RANGE")):
        monkeypatch.setattr(module, name, 9000)
    rng, engine = np.random.default_rng(1), Placing()
    lines = [" ".join(f"w{k}" for k in rng.permutation(400)[:30]) for _ in range(200)]
    WordAligner(criterion="em:2", spelling=False, **settings).fit(lines, lines[::-1]).save(tmp_path / "model")
    far = on(engine, tmp_path / "model")
    far.align(lines, lines[::-1])
    entries = sum(far._sizes().values())
    assert entries > 50_000 and engine.most > 5
    dense = [part.nbytes for part in (*far.agreed_.side(0), *far.agreed_.side(1))] if far.agreed_ else []
    assert engine.largest < 4 * entries + sum(dense)  # bytes: less than one number for every entry


class Placing(Watched):
    """Also what is placed leaves the driver."""

    def place(self, pack: Any, parts: Any) -> list[bytes]:
        placed = super().place(pack, parts)
        self.largest = max(self.largest, *map(len, placed))
        return placed


def test_a_model_that_is_read_for_an_engine_elsewhere_is_in_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(mapped, "SMALL", 0)
    near = WordAligner().fit(PAIRS.source, PAIRS.target)
    near.save(tmp_path / "model", parts=3)
    kept = on(Watched(), tmp_path / "model").agreed_.kept
    assert in_a_file(kept.counts) and in_a_file(kept.entries.values)
    assert not in_a_file(on("threads", tmp_path / "model").agreed_.kept.counts)
    np.testing.assert_array_equal(kept.counts, near.agreed_.kept.counts)


def in_a_file(array: Any) -> bool:
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array is not None
