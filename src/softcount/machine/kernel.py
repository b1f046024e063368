"""How this project compiles its inner loops, and how the first run says that it compiles.

Kernels are serial and release the GIL; engines run them in threads over shards (design: private counts, no races).

    SOFTCOUNT_CHECK_BOUNDS=1 softcount tag text.txt      a debug build: an index beyond its array is an IndexError
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba.core import cgutils, event, types
from numba.extending import intrinsic, overload

from softcount.machine import cache, stage
from softcount.machine.compilation import compiler

LINE = 64  # bytes that memory hands over at once

F = TypeVar("F", bound=Callable[..., Any])

# Everything of fast-math except the assumption that there are no infinities and NaNs.
REORDER = {"nsz", "arcp", "contract", "afn", "reassoc"}

CHECKED = os.environ.get("SOFTCOUNT_CHECK_BOUNDS", "0") not in ("", "0")


def kernel(function: F) -> F:
    """Compile once per machine: softcount.machine.cache says where it is kept."""
    compiled: F = compiler(nogil=True, fastmath=REORDER, boundscheck=CHECKED)(function)
    cache.keep(compiled, apart="checked" if CHECKED else None)
    return compiled


def within(function: F) -> F:
    """A part of the kernels that call it, as if it stood there: a call with many arrays takes its time."""
    compiled: F = compiler(nogil=True, fastmath=REORDER, boundscheck=CHECKED, forceinline=True)(function)
    return compiled


def part(function: F) -> F:
    """For kernels to call. Optimized with them alone, which saves time where the order of sums is in the source: where
    the optimizer chooses it, as in loops over the numbers of a row, another way through it may give other bits."""
    compiled: F = compiler(late=True, nogil=True, fastmath=REORDER, boundscheck=CHECKED)(function)
    return compiled


def prefetch(table: Any, place: int) -> None:
    """Asks the memory for ``table[place]``, an entry or a contiguous row, some time before it is read.

    Changes nothing, and does nothing uncompiled.
    """


@overload(prefetch)
def _prefetch(table, place):  # type: ignore[no-untyped-def]  # Numba wants no annotations here
    return lambda table, place: _ask(table, place)


@intrinsic  # type: ignore[untyped-decorator]
def _ask(typing: Any, table: Any, place: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(table)(context, builder, arguments[0])
        byte, int32, size = ir.IntType(8).as_pointer(), ir.IntType(32), context.get_value_type(types.intp)
        width = cgutils.unpack_tuple(builder, array.strides, table.ndim)[0]
        begin = builder.gep(builder.bitcast(array.data, byte), [builder.mul(arguments[1], width)])
        form = ir.FunctionType(ir.VoidType(), [byte, int32, int32, int32])
        llvm = builder.module.declare_intrinsic("llvm.prefetch", (byte,), form)
        with cgutils.for_range_slice(builder, size(0), width, size(LINE), size) as (offset, _):
            builder.call(llvm, [builder.gep(begin, [offset]), int32(0), int32(3), int32(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(table, types.intp), emit


class _Announce(event.Listener):
    """Says once per process that compiling takes a while; a cached kernel fires no such event."""

    said = False

    def on_start(self, event: Any) -> None:
        if not _Announce.said and getattr(event.data["dispatcher"], "_cache", None) is not None:
            _Announce.said = True
            message = f"softcount: compiling kernels (up to a minute, {cache.often()})"
            stage.say(message)
        stage.compiling += 1

    def on_end(self, event: Any) -> None:
        stage.compiling -= 1


event.register("numba:compile", _Announce())
