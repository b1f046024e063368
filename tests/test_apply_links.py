"""A saved aligner links as training did, to the bit; both directions decode new pairs, and spelling new words."""

import numpy as np
import pytest

import softcount
from softcount.synthetic import bilingual

TEXT = bilingual(250, seed=5)
SOURCE, TARGET = TEXT.source[:200], TEXT.target[:200]
NEW = TEXT.source[200:], TEXT.target[200:]


@pytest.mark.parametrize("options", [{}, {"fertility": False}, {"stems": "none"}, {"spelling": False, "null": 0.1}])
def test_save_and_apply_reproduce_training_to_the_bit(tmp_path, options):
    model = softcount.WordAligner(**options).fit(SOURCE, TARGET)
    model.save(tmp_path / "m")
    loaded = softcount.load(tmp_path / "m")
    assert len(loaded.agreed_.rows.values) < len(model.agreed_.rows.values), "what is the prior is not in the file"
    for pairs in ((SOURCE, TARGET), NEW):
        assert loaded.align(*pairs, probabilities=True) == model.align(*pairs, probabilities=True)
        for one, two in zip(loaded.posteriors(*pairs), model.posteriors(*pairs), strict=True):
            np.testing.assert_array_equal(one["forward"], two["forward"])
            np.testing.assert_array_equal(one["reverse"], two["reverse"])


def test_new_pairs_are_decoded_by_both_directions():
    model = softcount.WordAligner().fit(SOURCE, TARGET)
    for links, p in zip(model.align(*NEW), model.posteriors(*NEW), strict=True):
        both = (p["forward"][1:] + p["reverse"][1:].T) / 2
        assert links == [tuple(link) for link in np.argwhere(both > 0.5).tolist()]
    forward = [[tuple(link) for link in np.argwhere(p["forward"][1:] > 0.5).tolist()] for p in model.posteriors(*NEW)]
    assert forward != model.align(*NEW)


@pytest.mark.parametrize("word", ["Zorblax", "1984", "!?", "qwrtz"])
def test_a_new_word_on_both_sides_is_linked(tmp_path, word):
    """Wherever it stands, also where a word of the text is repeated around it."""
    softcount.WordAligner().fit(SOURCE, TARGET).save(tmp_path / "m")
    model = softcount.load(tmp_path / "m")
    for k in (3, 30, 40):
        source, target = list(NEW[0][k]), list(NEW[1][k])
        source.insert(0, word)
        target.append(word)
        (links,) = model.align([source], [target])
        assert (0, len(target) - 1) in links, (k, source, target, links)
