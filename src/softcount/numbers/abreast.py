"""Eight numbers abreast, one of each of eight items that are computed at once: a type of their own within kernels.

    store(row, k, load(row, k) * load(other, k) + everywhere(unit))

Items of the same shape need the same arithmetic. Their numbers lie side by side, those of place k in
``row[k * LANES : (k + 1) * LANES]``, so that nothing is ever summed across them, and a division serves all of them.
Uncompiled they are short arrays, compiled what the processor has for such vectors; they are values, so write a = a + b.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, overload, register_model

from softcount.machine.kernel import REORDER
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array

FLAGS = tuple(sorted(REORDER - {"reassoc"}))  # sums in their order, so that zeros behind them change no bit


def load(row: Array, k: int) -> Any:
    return row[k * LANES : (k + 1) * LANES].copy()


def store(row: Array, k: int, numbers: Any) -> None:
    row[k * LANES : (k + 1) * LANES] = numbers


def everywhere(number: Any) -> Any:
    """The same number for all items."""
    return np.full(LANES, number)


def larger(a: Any, b: Any) -> Any:
    return np.where(a > b, a, b)


def smaller(a: Any, b: Any) -> Any:
    return np.where(a < b, a, b)


def inverse(a: Any) -> Any:
    """1 / a; of what is not positive zero"""
    return np.where(a > 0.0, 1.0 / np.where(a > 0.0, a, 1.0), 0.0).astype(a.dtype)


class Abreast(types.Type):
    """So many numbers of one kind."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"abreast({dtype}, {LANES})")


@register_model(Abreast)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        number = ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, kind, ir.VectorType(number, LANES))


def _vectors(context: Any, builder: Any, kind: Any, row: Any, k: Any) -> Any:
    """Where in memory the numbers of place k are, and how they are aligned."""
    data = context.make_array(kind)(context, builder, row).data
    first = builder.gep(data, [builder.mul(k, context.get_value_type(types.intp)(LANES))])
    vector = ir.VectorType(context.get_value_type(kind.dtype), LANES)
    return builder.bitcast(first, vector.as_pointer()), kind.dtype.bitwidth // 8


def _spread(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


@intrinsic  # type: ignore[untyped-decorator]
def _load(typing: Any, row: Any, k: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, align = _vectors(context, builder, row, *arguments)
        return builder.load(place, align=align)

    return Abreast(row.dtype)(row, types.intp), emit


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing: Any, row: Any, k: Any, numbers: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, align = _vectors(context, builder, row, *arguments[:2])
        builder.store(arguments[2], place, align=align)
        return context.get_dummy_value()

    return types.void(row, types.intp, numbers), emit


@intrinsic  # type: ignore[untyped-decorator]
def _everywhere(typing: Any, number: Any) -> Any:
    return Abreast(number)(number), lambda context, builder, signature, arguments: _spread(builder, arguments[0])


def _of_two(name: str) -> Any:
    """An instruction on two of them."""

    @intrinsic  # type: ignore[untyped-decorator]
    def both(typing: Any, a: Any, b: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if name in (">", "<"):
                chosen = builder.fcmp_ordered(name, *arguments)
                return builder.select(chosen, *arguments)
            return getattr(builder, name)(*arguments, flags=FLAGS)

        return a(a, b), emit

    return both


@intrinsic  # type: ignore[untyped-decorator]
def _inverse(typing: Any, a: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.get_value_type(a.dtype)
        zeros, ones = _spread(builder, number(0.0)), _spread(builder, number(1.0))
        positive = builder.fcmp_ordered(">", arguments[0], zeros)
        return builder.select(positive, builder.fdiv(ones, arguments[0]), zeros)

    return a(a), emit


_add, _subtract, _multiply = _of_two("fadd"), _of_two("fsub"), _of_two("fmul")
_larger, _smaller = _of_two(">"), _of_two("<")


@overload(load)
def _overload_load(row, k):  # type: ignore[no-untyped-def]  # Numba wants no annotations here
    return lambda row, k: _load(row, k)


@overload(store)
def _overload_store(row, k, numbers):  # type: ignore[no-untyped-def]
    return lambda row, k, numbers: _store(row, k, numbers)


@overload(everywhere)
def _overload_everywhere(number):  # type: ignore[no-untyped-def]
    return lambda number: _everywhere(number)


@overload(inverse)
def _overload_inverse(a):  # type: ignore[no-untyped-def]
    return lambda a: _inverse(a)


@overload(larger)
def _overload_larger(a, b):  # type: ignore[no-untyped-def]
    return lambda a, b: _larger(a, b)


@overload(smaller)
def _overload_smaller(a, b):  # type: ignore[no-untyped-def]
    return lambda a, b: _smaller(a, b)


@overload(operator.add)
def _overload_add(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _add(a, b)) if isinstance(a, Abreast) and a == b else None


@overload(operator.sub)
def _overload_sub(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _subtract(a, b)) if isinstance(a, Abreast) and a == b else None


@overload(operator.mul)
def _overload_mul(a, b):  # type: ignore[no-untyped-def]
    return (lambda a, b: _multiply(a, b)) if isinstance(a, Abreast) and a == b else None
