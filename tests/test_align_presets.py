"""Presets of the word aligner: what they plan, that they are saved whole, and that threads do not change them."""

import numpy as np
import pytest

from softcount import WordAligner
from softcount.errors import InputError
from softcount.estimators.align_plan import plan

RNG = np.random.default_rng(0)
WORDS = [f"w{k}{'aeiou'[k % 5]}" for k in range(30)]
CHOSEN = [RNG.choice(30, size=RNG.integers(1, 8)) for _ in range(80)]
SOURCE = [" ".join(WORDS[k] for k in row) for row in CHOSEN]
TARGET = [" ".join(WORDS[k].upper()[::-1] for k in RNG.permutation(row)) for row in CHOSEN]
NEW = ["w1e w2i unheard", ""], ["I2W UNHEARD", "E1W"]


def stages(**settings):
    return [stage.text for stage in plan(WordAligner(**settings)).stages]


def test_what_presets_plan():
    assert stages() == stages(preset="best") == ["ibm1(em:3)", "hmm(em:3)"]
    assert stages(preset="fast") == ["ibm1(em:2)", "hmm(em:1)"]
    assert stages(preset="fast", model="ibm1:7") == ["ibm1(vb:7)"]
    assert not plan(WordAligner(preset="fast")).how.fertility
    assert plan(WordAligner(preset="best")).how.second == ((4,), "ibm1:1,hmm:3")
    assert plan(WordAligner(preset="best", stems=())).how.second == ((), "ibm1:1,hmm:3")
    assert plan(WordAligner(preset="best", direction="forward")).how.second is None
    with pytest.raises(InputError, match="default, fast, best"):
        plan(WordAligner(preset="quick"))


def test_best_is_the_mean_of_two_models():
    first = WordAligner().fit(SOURCE, TARGET)
    second = WordAligner("ibm1:1,hmm:3", stems=(4,)).fit(SOURCE, TARGET)
    both = WordAligner(preset="best", recount=False).fit(SOURCE, TARGET)
    assert "second=ibm1:1,hmm:3" in both.signature_ and "second" not in first.signature_
    for a, b, mean in zip(*(model.posteriors(SOURCE, TARGET) for model in (first, second, both)), strict=True):
        for name in ("forward", "reverse"):
            np.testing.assert_allclose(mean[name][1:], (a[name][1:] + b[name][1:]) / 2, atol=1e-6)


@pytest.mark.parametrize("preset", ["fast", "best"])
def test_a_preset_is_saved_whole(tmp_path, preset):
    model = WordAligner(preset=preset, n_jobs=2).fit(SOURCE, TARGET)
    model.save(tmp_path / "model")
    again = WordAligner.load(tmp_path / "model")
    one = WordAligner(preset=preset, n_jobs=1).fit(SOURCE, TARGET)
    for text in ((SOURCE, TARGET), NEW):
        links = model.align(*text, probabilities=True)
        assert links == again.align(*text, probabilities=True) == one.align(*text, probabilities=True)
