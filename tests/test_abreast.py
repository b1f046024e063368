"""Numbers abreast: compiled as they are uncompiled."""

import numpy as np
import pytest

from softcount.machine.kernel import kernel
from softcount.numbers.abreast import everywhere, inverse, larger, load, smaller, store
from softcount.numbers.lanes import LANES

pytestmark = pytest.mark.kernels


@kernel
def reckon(row, other, out):
    unit = everywhere(np.float32(1.0))
    a, b = load(row, 1), load(other, 0)
    a = a + b
    store(out, 0, a * b - unit)
    store(out, 1, larger(a, b) + smaller(a, unit))
    store(out, 2, inverse(b))


def test_every_operation_is_that_of_arrays():
    rng = np.random.default_rng(0)
    row, other = rng.normal(size=2 * LANES).astype(np.float32), rng.normal(size=LANES).astype(np.float32)
    other[0] = 0.0
    out = np.zeros(4 * LANES, np.float32)
    reckon(row, other, out)
    a = row[LANES:] + other
    inverses = [1.0 / x if x > 0.0 else 0.0 for x in other]
    wanted = a * other - 1.0, np.maximum(a, other) + np.minimum(a, 1.0), inverses, np.zeros(LANES)
    np.testing.assert_allclose(out.reshape(4, LANES), wanted, rtol=1e-5, atol=1e-6)
