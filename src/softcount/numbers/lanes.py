"""Arithmetic on short rows, eight numbers at a time.

Left to itself, the compiler guards every loop over a row: may the rows overlap, how many numbers are left over? Over
rows of some tens of topics the guards cost more than the arithmetic (PLSA, 20 topics: 12.9 ms a sweep, 7.8 without).
So rows are made as wide as whole lanes, with zeros, and these two functions are compiled to vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from softcount.machine.kernel import LINE, REORDER
from softcount.numbers.ragged import Array

LANES = 8
FLAGS = tuple(sorted(REORDER))


def width(n: int) -> int:
    """How wide a row of n numbers is in whole lanes."""
    return -(-n // LANES) * LANES


def zeros(n_rows: int, n: int, dtype: Any) -> Array:
    """Rows of n zeros and more, in whole lanes, none of which lies across two lines of memory."""
    size = n_rows * width(n) * np.dtype(dtype).itemsize
    room: Array = np.zeros(size + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return np.reshape(room[begin : begin + size].view(dtype), (n_rows, width(n)))


def widened(rows: Array) -> Array:
    """A copy of the rows, in whole lanes."""
    n_rows, n = rows.shape
    result = zeros(n_rows, n, rows.dtype)
    result[:, :n] = rows
    return result


def dot(a: Array, b: Array) -> Any:
    """``a @ b``; both in whole lanes."""
    return np.dot(a, b)


def add(out: Array, ratio: float, row: Array) -> None:
    """``out += ratio * row``; both in whole lanes."""
    out += ratio * row


@overload(dot)
def _overload_dot(a, b):  # type: ignore[no-untyped-def]  # Numba wants no annotations here
    return lambda a, b: _dot(a, b)


@overload(add)
def _overload_add(out, ratio, row):  # type: ignore[no-untyped-def]
    return lambda out, ratio, row: _add(out, ratio, row)


class _Lanes:
    """LLVM's view of a contiguous row: its vectors, and a loop over them."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.data, self.size = builder, array.data, context.get_value_type(types.intp)
        self.length = cgutils.unpack_tuple(builder, array.shape, 1)[0]
        self.number = context.get_value_type(kind.dtype)
        self.vector = ir.VectorType(self.number, LANES)
        self.align = kind.dtype.bitwidth // 8  # rows begin at a number, wherever that is

    def each(self) -> Any:
        return cgutils.for_range_slice(self.builder, self.size(0), self.length, self.size(LANES), self.size)

    def _at(self, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self.data, [place]), self.vector.as_pointer())

    def load(self, place: Any) -> Any:
        return self.builder.load(self._at(place), align=self.align)

    def store(self, value: Any, place: Any) -> None:
        self.builder.store(value, self._at(place), align=self.align)


def _fit(a: Any, b: Any) -> bool:
    """Whether both are contiguous rows of the same numbers; of others nothing is compiled."""
    return all(row.ndim == 1 and row.layout == "C" for row in (a, b)) and a.dtype == b.dtype


def _muladd(builder: Any, total: Any, x: Any, y: Any) -> Any:
    return builder.fadd(total, builder.fmul(x, y, flags=FLAGS), flags=FLAGS)


@intrinsic  # type: ignore[untyped-decorator]
def _dot(typing: Any, a: Any, b: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right = (_Lanes(context, builder, a, value) for value in arguments)
        total = cgutils.alloca_once(builder, left.vector)
        builder.store(ir.Constant(left.vector, [0.0] * LANES), total)
        with left.each() as (place, _):
            builder.store(_muladd(builder, builder.load(total), left.load(place), right.load(place)), total)
        form = ir.FunctionType(left.number, [left.number, left.vector])
        name = f"llvm.vector.reduce.fadd.v{LANES}f{a.dtype.bitwidth}"
        across = cgutils.get_or_insert_function(builder.module, form, name)
        return builder.call(across, [left.number(0.0), builder.load(total)], fastmath=FLAGS)

    return (a.dtype(a, b), emit) if _fit(a, b) else None


@intrinsic  # type: ignore[untyped-decorator]
def _add(typing: Any, out: Any, ratio: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, theirs = _Lanes(context, builder, out, arguments[0]), _Lanes(context, builder, row, arguments[2])
        nothing = ir.Constant(into.vector, ir.Undefined)
        first = builder.insert_element(nothing, arguments[1], ir.IntType(32)(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        ratios = builder.shuffle_vector(first, nothing, everywhere)
        with into.each() as (place, _):
            into.store(_muladd(builder, into.load(place), ratios, theirs.load(place)), place)
        return context.get_dummy_value()

    return (types.void(out, out.dtype, row), emit) if _fit(out, row) else None
