"""Strengths of stems by links that are left out, against rows computed anew without each link."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import softcount
from softcount.errors import InputError
from softcount.families.backoff import estimates, levels
from softcount.families.left_out import FLOOR, LEAST, held_out_strengths, left_out_likelihood, summed
from softcount.numbers.ragged import from_rows
from softcount.text.spelling import nested

pytestmark = pytest.mark.kernels

SOURCE = ["walks", "walked", "walker", "talks", "talked", "in"]
TARGET = ["marche", "marchons", "marcher", "parle", "parles", "dans"]


def instance(seed):
    rng = np.random.default_rng(seed)
    rows = from_rows([np.flatnonzero(rng.random(len(TARGET)) < 0.7) for _ in SOURCE], np.int32)
    frequencies = rng.random(len(SOURCE)) + 0.5, rng.random(len(TARGET)) + 0.5
    classes = list(zip(nested(SOURCE, (5, 3)), nested(TARGET, (5, 3)), strict=True))
    counts = rng.choice([0.0, 0.01, 0.4, 1.0, 2.5, 7.0], len(rows.values))
    return levels(rows, frequencies, classes), counts, rng.choice([0.0, 0.3], len(rows.values))


@settings(max_examples=20)
@given(st.integers(0, 10**6))
@example(1436)  # of a stem's sum in float32 a little is left
def test_every_link_is_left_out_of_every_level(seed):
    found, counts, prior = instance(seed)
    kappa = (2.0, 1.5)
    expected = 0.0
    for k in np.flatnonzero(counts > LEAST):
        fewer = counts.copy()
        fewer[k] -= min(counts[k], 1.0)
        expected += counts[k] * np.log(estimates(found, fewer, kappa, prior)[0].rates[k].astype(float) + FLOOR).sum()
    tables, sums = summed(found, counts, prior)
    ours = left_out_likelihood(found, tables, sums, 0, kappa, prior)
    assert ours == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_strengths_follow_the_text():
    """Stems that predict their words are leaned on; those that mislead are not."""
    found, _, _ = instance(1)
    rows = found[0].rows
    source, target = np.repeat(np.arange(rows.n_rows), rows.lengths), rows.values
    likely = np.array([(e < 3) == (f < 3) and (e == 5) == (f == 5) for e, f in zip(source, target, strict=True)])
    alike = held_out_strengths(found, np.where(likely, 1.0, 0.0))
    own = held_out_strengths(found, np.where(source == target, 30.0, 0.0))
    assert alike[0] > own[0]


def test_by_evidence_from_training_to_file(tmp_path):
    source, target = (
        ["the houses", "the house", "a book", "the books"] * 3,
        ["die häuser", "das haus", "ein buch", "die bücher"] * 3,
    )
    model = softcount.WordAligner(stem_strength="evidence").fit(source, target)
    assert model.agreed_.model.lexicon.strengths is None and "stem_strength=evidence" in model.signature_
    model.save(tmp_path / "m")
    loaded = softcount.WordAligner.load(tmp_path / "m")
    new = ["the booklets"], ["das büchlein"]
    for data in ((source, target), new):
        assert loaded.align(*data, probabilities=True) == model.align(*data, probabilities=True)
    strong = softcount.WordAligner(stem_strength=50).fit(source, target)
    assert strong.agreed_.model.lexicon.strengths[0] == 50.0
    for strength in ("much", 0, -1, float("nan")):
        with pytest.raises(InputError, match="stem strength"):
            softcount.WordAligner(stem_strength=strength).fit(source, target)
