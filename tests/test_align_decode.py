"""What links are made of: posteriors, the best alignment, or MRE's decision, by every model of translations."""

from itertools import product

import numpy as np
import pytest

import softcount
from softcount.errors import InputError
from softcount.estimators import agreed_links
from softcount.links.joining import AGAIN

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
        best = likeliest(listed, pair) if decode == "posterior" else max(listed, key=lambda one: one[1])[0]
        assert model.align(SOURCE[s : s + 1], TARGET[s : s + 1])[0] == pharaoh(best)


def likeliest(listed, pair):
    """Of every word the link with the greatest posterior."""
    shares = np.zeros((len(pair[0].split()) + 1, len(pair[1].split())))
    for a, weight in listed:
        shares[list(a), range(shares.shape[1])] += weight
    return shares.argmax(axis=0)


def pharaoh(alignment):
    return sorted((int(i) - 1, j) for j, i in enumerate(alignment) if i)


def test_mre_is_the_arg_max_over_alignments_and_not_over_links():
    """On text where the two differ: arg max P(f | a) P(a | f), by listing all alignments."""
    rng = np.random.default_rng(3)
    source, target = ([" ".join(rng.choice(list("abcd"), size=4)) for _ in range(40)] for _ in range(2))
    model = softcount.WordAligner("ibm1:1,hmm:2", criterion="em", direction="forward", decode="mre")
    found, unlike = model.fit(source, target).align(source, target), 0
    for pair, links in zip(zip(source, target, strict=True), found, strict=True):
        listed = weighed(model, pair, 2)
        weights = {a: weight for a, weight in listed}
        assert weights[chosen(links, 4)] == pytest.approx(max(weights.values()), rel=1e-9)
        unlike += pharaoh(likeliest(listed, pair)) != links
    assert unlike > 3


@pytest.mark.parametrize("decode", ["viterbi", "mre"])
def test_a_pair_without_a_possible_alignment_has_no_links(decode):
    model = softcount.WordAligner(
        "ibm1:1,hmm:2", criterion="em", agreement=False, direction="forward", null=0.0, decode=decode,
        dictionary=[("a", "x", "never")],
    ).fit(["a b", "b a", "b b"], ["x y", "y x", "y x"])  # fmt: skip
    assert model.align(["b", "a", "b"], ["y", "x", "x"]) == [[(0, 0)], [], [(0, 0)]]


def chosen(links, m):
    """A tuple of source positions from 1 on, 0 the null word."""
    found = [0] * m
    for i, j in links:
        found[j] = i + 1
    return tuple(found)


@pytest.mark.parametrize("fertility", [False, True])
def test_mre_of_directions_that_were_trained_together(fertility):
    """The best alignment under the squared translations, with fertilities as they are for posteriors."""
    rng = np.random.default_rng(5)
    source, target = ([" ".join(rng.choice(list("abcd"), size=4)) for _ in range(40)] for _ in range(2))
    model = softcount.WordAligner(fertility=fertility, decode="mre", stems=()).fit(source, target)
    asked = agreed_links.question(model.agreed_, model._read(source, target), AGAIN)
    unlike = 0
    for s, (e, f) in enumerate(zip(source, target, strict=True)):
        links = model.align([e], [f], symmetrize="forward")[0]
        part = model._read([e], [f])
        shard, weights = agreed_links.packed(part, asked)
        em = weights.linked[0] * weights.rates[shard.entries[shard.cells], 0].reshape(4, 4).astype(float)
        listed = listed_together(weights.directions[0], part, em)
        if fertility:
            em *= factors(weights.directions[0], part, shares_of(listed))
            listed = listed_together(weights.directions[0], part, em)
        by_alignment = dict(listed)
        assert by_alignment[chosen(links, 4)] == pytest.approx(max(by_alignment.values()), rel=1e-4), s
        unlike += pharaoh(likeliest(listed, (e, f))) != links
    assert unlike > 0


def listed_together(direction, part, em):
    """[(alignment, weight)] of one pair of four and four words under a Direction's weights."""
    states, words = part.source.sentences.row(0), part.target.sentences.row(0)
    middle, found = direction.jump.shape[1] // 2, []
    for a in product(range(5), repeat=4):
        weight, at = 1.0, None
        for j, link in enumerate(a):
            if link == 0:
                weight *= direction.null[words[j]]
                continue
            i = link - 1
            if at is None:
                weight *= direction.begin[i] / direction.begin[:4].sum()
            else:
                row = direction.jump[direction.kinds[states[at]]]
                weight *= row[middle + i - at] / row[middle - at : middle - at + 4].sum()
            weight, at = weight * em[i, j], i
        found.append((a, weight * (0.25 if at is None else direction.end[3 - at] / direction.end[:4].sum())))
    return found


def shares_of(listed):
    shares = np.zeros((5, 4))
    for a, weight in listed:
        shares[list(a), range(4)] += weight
    return shares[1:] / shares.sum(axis=0)


def factors(direction, part, shares):
    ratio = direction.ratio[part.source.sentences.row(0)]
    others = shares.sum(axis=1, keepdims=True) - shares
    steps = range(ratio.shape[1])
    return np.array([[np.interp(x, steps, row) for x in xs] for xs, row in zip(others, ratio, strict=True)])


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
    with pytest.raises(InputError, match="decode='best': unknown; use posterior, viterbi, mre"):
        softcount.WordAligner(decode="best").fit(SOURCE, TARGET)
    with pytest.raises(InputError, match="decode=viterbi is not available with joint training"):
        softcount.WordAligner(decode="viterbi").fit(SOURCE, TARGET)
