"""The index of token pairs against a dictionary of word pairs; vector windows against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.machine.kernel import kernel
from softcount.numbers import windows
from softcount.numbers.ragged import from_rows
from softcount.text.cooccurrence import cooccurring, without_null
from softcount.text.occurrence import occurrences
from softcount.text.pair_index import pair_index

pytestmark = pytest.mark.kernels


def random_side(rng, n, words, unknown=False):
    rows = [rng.integers(-1 if unknown else 0, words, size=rng.integers(0, 5)) for _ in range(n)]
    return from_rows(rows, np.int32)


@given(st.integers(0, 10**6), st.booleans())
def test_every_token_pair_finds_its_entry(seed, unknown):
    rng, words = np.random.default_rng(seed), 12
    source, target = random_side(rng, 9, words), random_side(rng, 9, words)
    whole = without_null(cooccurring(occurrences(source, words), target, words))
    if unknown:  # new text: words and word pairs that the whole has not
        source, target = random_side(rng, 9, words, True), random_side(rng, 9, words, True)
    found = pair_index(source, target, whole, words)
    entry_of = {
        (row, int(whole.values[k])): k
        for row in range(whole.n_rows)
        for k in range(whole.offsets[row], whole.offsets[row + 1])
    }
    for s in range(source.n_rows):
        block = found.entries[found.cells[found.starts[s] : found.starts[s + 1]]]
        expected = [entry_of.get((int(e), int(f)), -1) for e in source.row(s) for f in target.row(s)]
        assert block.tolist() == expected
    met = found.entries[found.entries >= 0]
    assert len(np.unique(met)) == len(met)
    assert found.longest == max(source.lengths.max(), target.lengths.max(), 1)


def test_an_index_of_nothing():
    nothing = from_rows([], np.int32)
    whole = without_null(cooccurring(occurrences(nothing, 0), nothing, 0))
    found = pair_index(nothing, nothing, whole, 0)
    assert (len(found.cells), len(found.entries), found.longest) == (0, 1, 1)


@kernel
def _all(a, b, c, n, w, out):
    windows.spread(out, 3, a.dtype.type(2.0), a, 1, w)
    windows.add(out, 3, a.dtype.type(0.5), b, 2, w)
    total = windows.multiply(out, 40, a.dtype.type(3.0), a, 0, b, 5, w)
    windows.combine(out, 80, a, 2, n, c, 3, w)
    windows.correlate(out, 120, a, 1, 3, b, 2, n, w)
    return total, windows.dot(a, 4, b, 1, w)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("w", [8, 16, 24])
def test_windows_are_their_numpy_one_liners(kind, w):
    rng = np.random.default_rng(w)
    a, b, c = (rng.random(150).astype(kind) for _ in range(3))
    out, n = rng.random(200).astype(kind), 5
    expected = out.astype(np.float64)
    a64, b64, c64 = (x.astype(np.float64) for x in (a, b, c))
    expected[3 : 3 + w] = 2 * a64[1 : 1 + w] + 0.5 * b64[2 : 2 + w]
    product = 3 * a64[:w] * b64[5 : 5 + w]
    expected[40 : 40 + w] = product
    expected[80 : 80 + w] = [sum(a64[2 + i] * c64[3 + i * w + k] for i in range(n)) for k in range(w)]
    for j in range(n):
        expected[120 : 120 + w] += a64[1 + 3 * j] * b64[2 + j * w : 2 + (j + 1) * w]
    total, inner = _all(a, b, c, n, w, out)
    np.testing.assert_allclose(out, expected, rtol=1e-5 if kind == np.float32 else 1e-13)
    assert total == pytest.approx(product.sum(), rel=1e-5)
    assert inner == pytest.approx(a64[4 : 4 + w] @ b64[1 : 1 + w], rel=1e-5)
