"""What links are made of: posteriors, the best alignment, or MRE's decision, by every model of translations."""

from itertools import product

import numpy as np
import pytest

import softcount
from softcount.errors import InputError

SOURCE = ["the house", "the book", "a book", "the small house", "a b c", "", "house"] * 2
TARGET = ["das haus", "das buch", "ein buch", "das kleine haus", "x", "", "haus"] * 2


def fitted(model, decode, criterion="em:2", **more):
    aligner = softcount.WordAligner(
        model, criterion=criterion, agreement=False, direction="forward", decode=decode, **more
    )
    return aligner.fit(SOURCE, TARGET)


def weighed(model, pair, power):
    """[(alignment, weight)] of a pair, translations to this power, by the parameters as they are."""
    direction = model.directions_["forward"]
    rows, table = direction.model.entries, direction.parameters.translation
    (source, target), words = pair, model.vocabularies_
    e = [0, *(words[0].find(source.split()) + 1).tolist()]
    f = words[1].find(target.split()).tolist()
    t = [[table.values[rows.offsets[r] + rows.row(r).tolist().index(c)] ** power for c in f] for r in e]
    l, m = len(e) - 1, len(f)
    found = []
    for a in product(range(l + 1), repeat=m):
        weight = np.prod([t[i][j] for j, i in enumerate(a)])
        found.append((a, weight * place(direction, a, l)))
    return found


def place(direction, alignment, l):
    """Of an HMM: the weight of the places alone."""
    if direction.model.alignment == "uniform":
        return 1.0
    vector = np.exp(direction.log_weights.alignment)
    begin, end, jump, _ = direction.model.positions.parts(vector)
    weight, at, reach = 1.0, None, direction.model.reach
    for a in alignment:
        weight *= vector[0] if a == 0 else vector[1]
        if a == 0:
            continue
        weight *= (
            begin[a - 1] / begin[:l].sum()
            if at is None
            else jump[reach + a - 1 - at] / sum(jump[reach - at : reach - at + l])
        )
        at = a - 1
    return weight * (1 / l if at is None else end[l - 1 - at] / end[:l].sum())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["ibm1", "hmm"])
@pytest.mark.parametrize("decode", ["posterior", "viterbi", "mre"])
def test_links_are_decided_as_they_say(name, decode):
    model = fitted(name, decode)
    for s, pair in enumerate(zip(SOURCE[:5], TARGET[:5], strict=True)):
        listed = weighed(model, pair, 2 if decode == "mre" else 1)
        if decode == "viterbi":
            best = max(listed, key=lambda one: one[1])[0]
        else:
            m, l = len(pair[1].split()), len(pair[0].split())
            shares = np.zeros((l + 1, m))
            for a, weight in listed:
                shares[list(a), range(m)] += weight
            best = shares.argmax(axis=0)
        expected = sorted((int(i) - 1, j) for j, i in enumerate(best) if i)
        assert model.align(SOURCE[s : s + 1], TARGET[s : s + 1])[0] == expected


def test_both_directions_and_trained_together():
    one, two = (softcount.WordAligner(decode=decode).fit(SOURCE, TARGET) for decode in ("posterior", "mre"))
    p, q = (
        sum(link[2] for row in model.align(SOURCE, TARGET, probabilities=True) for link in row) for model in (one, two)
    )
    assert p > 0 and q > 0 and p != q
    assert "decode=mre" in two.signature_ and "decode" not in one.signature_
    both = softcount.WordAligner("ibm1:2,hmm:2", agreement=False, decode="viterbi", symmetrize="intersection")
    assert all(both.fit(SOURCE, TARGET).align(SOURCE[:4], TARGET[:4]))


def test_refused():
    with pytest.raises(InputError, match="no decoding 'best'; use posterior, viterbi, mre"):
        softcount.WordAligner(decode="best").fit(SOURCE, TARGET)
    with pytest.raises(InputError, match="decode viterbi: directions trained together"):
        softcount.WordAligner(decode="viterbi").fit(SOURCE, TARGET)
