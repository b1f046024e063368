"""Arithmetic on windows of long arrays, eight numbers at a time: softcount.numbers.lanes without cutting slices.

An HMM over the positions of a sentence works on a dozen numbers at a time, millions of times a second; a slice costs
as much as the arithmetic. A window is an array and the place where it begins; w, the same for all, is in whole lanes.
Uncompiled they are NumPy one-liners, compiled a loop of vector instructions each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from softcount.numbers.lanes import FLAGS, LANES
from softcount.numbers.ragged import Array


def spread(out: Array, o: int, ratio: float, row: Array, r: int, w: int) -> None:
    """``out = ratio * row``"""
    out[o : o + w] = ratio * row[r : r + w]


def add(out: Array, o: int, ratio: float, row: Array, r: int, w: int) -> None:
    """``out += ratio * row``"""
    out[o : o + w] += ratio * row[r : r + w]


def multiply(out: Array, o: int, ratio: float, a: Array, p: int, b: Array, q: int, w: int) -> Any:
    """``out = ratio * a * b``; returns its sum"""
    out[o : o + w] = ratio * a[p : p + w] * b[q : q + w]
    return np.sum(out[o : o + w])


def combine(out: Array, o: int, row: Array, r: int, n: int, matrix: Array, g: int, w: int) -> None:
    """``out = row[:n] @ matrix[:n]``, whose rows are w wide"""
    out[o : o + w] = row[r : r + n] @ matrix[g : g + n * w].reshape(n, w)


def correlate(out: Array, o: int, left: Array, p: int, step: int, right: Array, q: int, n: int, w: int) -> None:
    """``out += Σ_{j < n} left[j · step] * right[j · w:]``: the windows of `right` weighted by one column of `left`"""
    for j in range(n):
        out[o : o + w] += left[p + j * step] * right[q + j * w : q + (j + 1) * w]


def dot(a: Array, p: int, b: Array, q: int, w: int) -> Any:
    """``a @ b``"""
    return np.dot(a[p : p + w], b[q : q + w])


class _Loop:
    """LLVM's view of a loop over windows of one kind of number."""

    def __init__(self, context: Any, builder: Any, kind: Any, w: Any) -> None:
        self.context, self.builder, self.kind = context, builder, kind
        self.size = context.get_value_type(types.intp)
        self.number = context.get_value_type(kind.dtype)
        self.vector = ir.VectorType(self.number, LANES)
        self.w = w

    def begin(self, value: Any, place: Any) -> Any:
        array = self.context.make_array(self.kind)(self.context, self.builder, value)
        return self.builder.gep(array.data, [place])

    def each(self) -> Any:
        return cgutils.for_range_slice(self.builder, self.size(0), self.w, self.size(LANES), self.size)

    def _at(self, begin: Any, k: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(begin, [k]), self.vector.as_pointer())

    def load(self, begin: Any, k: Any) -> Any:
        return self.builder.load(self._at(begin, k), align=self.kind.dtype.bitwidth // 8)

    def store(self, value: Any, begin: Any, k: Any) -> None:
        self.builder.store(value, self._at(begin, k), align=self.kind.dtype.bitwidth // 8)

    def everywhere(self, number: Any) -> Any:
        nothing = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(nothing, number, ir.IntType(32)(0))
        return self.builder.shuffle_vector(
            first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        )

    def times(self, x: Any, y: Any) -> Any:
        return self.builder.fmul(x, y, flags=FLAGS)

    def plus(self, x: Any, y: Any) -> Any:
        return self.builder.fadd(x, y, flags=FLAGS)

    def total(self) -> Any:
        room = cgutils.alloca_once(self.builder, self.vector)
        self.builder.store(ir.Constant(self.vector, [0.0] * LANES), room)
        return room

    def keep(self, total: Any, value: Any) -> None:
        self.builder.store(self.plus(self.builder.load(total), value), total)

    def across(self, total: Any) -> Any:
        form = ir.FunctionType(self.number, [self.number, self.vector])
        name = f"llvm.vector.reduce.fadd.v{LANES}f{self.kind.dtype.bitwidth}"
        reduce = cgutils.get_or_insert_function(self.builder.module, form, name)
        return self.builder.call(reduce, [self.number(0.0), self.builder.load(total)], fastmath=FLAGS)


def _fit(*rows: Any) -> bool:
    return all(row.ndim == 1 and row.layout == "C" and row.dtype == rows[0].dtype for row in rows)


@overload(spread)
def _overload_spread(out, o, ratio, row, r, w):  # type: ignore[no-untyped-def]  # Numba wants no annotations here
    return lambda out, o, ratio, row, r, w: _spread(out, o, ratio, row, r, w)


@overload(add)
def _overload_add(out, o, ratio, row, r, w):  # type: ignore[no-untyped-def]
    return lambda out, o, ratio, row, r, w: _add(out, o, ratio, row, r, w)


@overload(multiply)
def _overload_multiply(out, o, ratio, a, p, b, q, w):  # type: ignore[no-untyped-def]
    return lambda out, o, ratio, a, p, b, q, w: _multiply(out, o, ratio, a, p, b, q, w)


@overload(combine)
def _overload_combine(out, o, row, r, n, matrix, g, w):  # type: ignore[no-untyped-def]
    return lambda out, o, row, r, n, matrix, g, w: _combine(out, o, row, r, n, matrix, g, w)


@overload(correlate)
def _overload_correlate(out, o, left, p, step, right, q, n, w):  # type: ignore[no-untyped-def]
    return lambda out, o, left, p, step, right, q, n, w: _correlate(out, o, left, p, step, right, q, n, w)


@overload(dot)
def _overload_dot(a, p, b, q, w):  # type: ignore[no-untyped-def]
    return lambda a, p, b, q, w: _dot(a, p, b, q, w)


def _onto(more: bool) -> Callable[..., Any]:
    """spread, or add where more."""

    def typed(typing: Any, out: Any, o: Any, ratio: Any, row: Any, r: Any, w: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            into, place, number, theirs, start, width = arguments
            loop = _Loop(context, builder, out, width)
            x, y, ratios = loop.begin(into, place), loop.begin(theirs, start), loop.everywhere(number)
            with loop.each() as (k, _):
                value = loop.times(ratios, loop.load(y, k))
                loop.store(loop.plus(loop.load(x, k), value) if more else value, x, k)
            return context.get_dummy_value()

        form = types.void(out, types.intp, out.dtype, row, types.intp, types.intp)
        return (form, emit) if _fit(out, row) else None

    return typed


_spread, _add = intrinsic(_onto(False)), intrinsic(_onto(True))


@intrinsic  # type: ignore[untyped-decorator]
def _multiply(typing: Any, out: Any, o: Any, ratio: Any, a: Any, p: Any, b: Any, q: Any, w: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, place, number, left, first, right, second, width = arguments
        loop = _Loop(context, builder, out, width)
        x, y, z = loop.begin(into, place), loop.begin(left, first), loop.begin(right, second)
        ratios, total = loop.everywhere(number), loop.total()
        with loop.each() as (k, _):
            value = loop.times(loop.times(ratios, loop.load(y, k)), loop.load(z, k))
            loop.store(value, x, k)
            loop.keep(total, value)
        return loop.across(total)

    form = out.dtype(out, types.intp, out.dtype, a, types.intp, b, types.intp, types.intp)
    return (form, emit) if _fit(out, a, b) else None


@intrinsic  # type: ignore[untyped-decorator]
def _dot(typing: Any, a: Any, p: Any, b: Any, q: Any, w: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, first, right, second, width = arguments
        loop = _Loop(context, builder, a, width)
        x, y, total = loop.begin(left, first), loop.begin(right, second), loop.total()
        with loop.each() as (k, _):
            loop.keep(total, loop.times(loop.load(x, k), loop.load(y, k)))
        return loop.across(total)

    return (a.dtype(a, types.intp, b, types.intp, types.intp), emit) if _fit(a, b) else None


@intrinsic  # type: ignore[untyped-decorator]
def _combine(typing: Any, out: Any, o: Any, row: Any, r: Any, n: Any, matrix: Any, g: Any, w: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, place, factors, first, many, rows, start, width = arguments
        loop = _Loop(context, builder, out, width)
        x, y, z, total = loop.begin(into, place), loop.begin(factors, first), loop.begin(rows, start), loop.total()
        with loop.each() as (k, _):
            builder.store(ir.Constant(loop.vector, [0.0] * LANES), total)
            with cgutils.for_range_slice(builder, loop.size(0), many, loop.size(1), loop.size) as (i, _):
                factor = loop.everywhere(builder.load(builder.gep(y, [i])))
                loop.keep(total, loop.times(factor, loop.load(z, builder.add(builder.mul(i, width), k))))
            loop.store(builder.load(total), x, k)
        return context.get_dummy_value()

    form = types.void(out, types.intp, row, types.intp, types.intp, matrix, types.intp, types.intp)
    return (form, emit) if _fit(out, row, matrix) else None


@intrinsic  # type: ignore[untyped-decorator]
def _correlate(typing: Any, out: Any, o: Any, left: Any, p: Any, step: Any, right: Any, q: Any, n: Any, w: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, place, factors, first, stride, rows, second, many, width = arguments
        loop = _Loop(context, builder, out, width)
        x, y, z, total = loop.begin(into, place), loop.begin(factors, first), loop.begin(rows, second), loop.total()
        with loop.each() as (k, _):
            builder.store(loop.load(x, k), total)
            with cgutils.for_range_slice(builder, loop.size(0), many, loop.size(1), loop.size) as (j, _):
                factor = loop.everywhere(builder.load(builder.gep(y, [builder.mul(j, stride)])))
                loop.keep(total, loop.times(factor, loop.load(z, builder.add(builder.mul(j, width), k))))
            loop.store(builder.load(total), x, k)
        return context.get_dummy_value()

    form = types.void(out, types.intp, left, types.intp, types.intp, right, types.intp, types.intp, types.intp)
    return (form, emit) if _fit(out, left, right) else None
