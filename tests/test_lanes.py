"""Rows in whole lanes: the same sums as NumPy's, aligned, and nothing but zeros behind."""

import numpy as np
import pytest
from numba import config
from numba.core.errors import TypingError

from softcount.machine.kernel import LINE, kernel
from softcount.numbers.lanes import LANES, add, dot, widened, zeros

pytestmark = pytest.mark.kernels
each = pytest.mark.parametrize(("n", "dtype"), [(n, t) for n in (1, 7, 8, 20, 100) for t in ("float32", "float64")])


@kernel
def compiled_dot(a, b):
    return dot(a, b)


@kernel
def compiled_add(out, ratio, row):
    add(out, ratio, row)


@each
def test_rows_are_widened_by_zeros_on_lines_of_their_own(n, dtype):
    rows = np.random.default_rng(n).random((3, n)).astype(dtype)
    wide = widened(rows.T.copy().T)  # whatever their order in memory
    assert wide.dtype == dtype and wide.flags.c_contiguous and wide.ctypes.data % LINE == 0
    assert wide.shape[1] % LANES == 0 and wide.shape[1] - n < LANES
    assert (wide[:, :n] == rows).all() and not wide[:, n:].any()
    assert not zeros(2, n, dtype).any()


@each
def test_compiled_arithmetic_is_numpys(n, dtype):
    a, b = widened(np.random.default_rng(n).normal(size=(2, n)).astype(dtype))
    exact = np.dot(a.astype(float), b.astype(float))
    room = 4 * n * float(np.finfo(dtype).eps)
    assert float(compiled_dot(a, b)) == pytest.approx(exact, abs=room)
    expected = a.astype(float) + 0.3 * b
    compiled_add(a, a.dtype.type(0.3), b)
    np.testing.assert_allclose(a, expected, rtol=0, atol=room)
    assert not a[n:].any()


@each
def test_infinities_pass(n, dtype):
    a, b = widened(np.ones((2, n), dtype))
    b[0] = -np.inf
    compiled_add(a, a.dtype.type(2.0), b)
    assert a[0] == -np.inf and (a[1:n] == 3.0).all()


@pytest.mark.skipif(config.DISABLE_JIT, reason="NumPy takes any row")
def test_only_contiguous_rows_of_one_kind_compile():
    a = zeros(8, 8, "float64")
    for left, right in ((a[:, 0], a[0]), (a[0], a[:, 0]), (a[0], a[0].astype("float32"))):
        with pytest.raises(TypingError):
            compiled_dot(left, right)
        with pytest.raises(TypingError):
            compiled_add(left, 1.0, right)
