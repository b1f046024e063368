"""Letters of two scripts: learned back from words whose letters are known, and used to compare words."""

import numpy as np
import pytest

from softcount import WordAligner
from softcount.numbers.ragged import from_rows
from softcount.text.letters import corresponding, foreign
from softcount.text.spelling import alike

pytestmark = pytest.mark.kernels

TRUE = dict(zip("abdegiklmnoprstuvz", "абдегиклмнопрстувз", strict=True))


def written(word):
    return "".join(TRUE[letter] for letter in word)


def words(n, seed=0):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(TRUE), size=size)) for size in rng.integers(4, 10, size=n)]


def test_letters_are_learned_among_words_that_are_no_transliterations():
    names, one, two = words(80), words(60, 1), words(60, 2)
    pairs = [(name, written(name)) for name in names] + [(e, written(f)) for e, f in zip(one, two, strict=True)]
    found = corresponding(pairs)
    assert set(TRUE.items()) <= set(found)
    assert len(found) <= 1.5 * len(TRUE)
    assert found == corresponding(pairs[::-1])  # whatever their order


def test_nothing_is_learned_where_there_is_nothing():
    one, two = words(150, 1), words(150, 2)
    assert corresponding([(e, written(f)) for e, f in zip(one, two, strict=True)]) == ()
    assert corresponding([(name, written(name)) for name in words(10)]) == ()  # too few
    assert corresponding([]) == ()


def test_what_is_foreign():
    assert foreign(["house", "1"], ["дом", "1", "и"])
    assert not foreign(["house", "maison"], ["maison", "1", "и"])
    assert not foreign([], ["дом"]) and not foreign(["1"], ["."]) and not foreign(["a"], [])


def test_words_of_two_scripts_look_alike():
    rows = from_rows([[0, 1], [0, 1]], np.int32)
    source, target = ["paris", "london"], ["парис", "лондон"]
    assert not alike(rows, source, target, 0.3).any()
    letters = [(a, b) for a, b in TRUE.items() if a != "o"]
    found = alike(rows, source, target, 0.3, letters).reshape(2, 2)
    assert found[0, 0] == pytest.approx(0.3)  # all letters correspond
    assert found[1, 1] == pytest.approx(0.3 * ((4 / 6 - 0.4) / 0.6) ** 2)  # all but two of six
    assert found[0, 1] == 0.0


def text(n):
    """Pairs of sentences that are names in another order."""
    rng, names = np.random.default_rng(3), words(n, 4)
    chosen = [rng.choice(names, size=4, replace=False) for _ in range(n)]
    return [" ".join(row) for row in chosen], [" ".join(map(written, rng.permutation(row))) for row in chosen]


def test_an_aligner_learns_them_and_keeps_them(tmp_path):
    source, target = text(60)
    model = WordAligner().fit(source, target)
    assert set(TRUE.items()) <= set(model.agreed_.how.letters)
    new = ["sandro martina boris"], ["борис сандро мартина"]
    assert model.align(*new) == [[(0, 1), (1, 2), (2, 0)]]  # none of them was ever seen
    assert WordAligner(spelling=False).fit(source, target).align(*new) != model.align(*new)
    model.save(tmp_path / "model")
    again = WordAligner.load(tmp_path / "model")
    assert again.align(source, target) == model.align(source, target)
    assert again.align(*new) == model.align(*new)
