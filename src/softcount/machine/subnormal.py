"""Numbers too small to be written in full (below 2e-308, in single precision below 1e-38) count as zero here.

    with subnormals_as_zero(): ...          this thread's arithmetic alone, and only until the block ends

Probabilities that training drives towards zero linger among them, where every product takes the processor a hundred
times as long: whole runs took up to four times as long. They are lost in any sum with the probability that won.
So the processor's own switch is turned where E-steps run; the caller's arithmetic stays as it was.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from softcount.machine.kernel import kernel

MACHINE = platform.machine().lower()
# The bits of the control register: results to zero and operands as zero (Intel, AMD); both at once (ARM).
SWITCH = 0x8040 if MACHINE in ("x86_64", "amd64") else 1 << 24 if MACHINE in ("aarch64", "arm64") else 0


@contextmanager
def subnormals_as_zero() -> Iterator[None]:
    before = _turn(SWITCH, SWITCH)
    try:
        yield
    finally:
        _turn(SWITCH, before)


@kernel
def _turn(which: int, on: int) -> int:
    """Sets the bits `which` of the control register as they are in `on`; returns the register as it was."""
    return _exchange(which, on)


def _exchange(which: int, on: int) -> int:
    """Uncompiled there is no way to the register: nothing changes."""
    return 0


@overload(_exchange)
def _overload_exchange(which, on):  # type: ignore[no-untyped-def]  # Numba wants no annotations here
    return (lambda which, on: _register(which, on)) if SWITCH else (lambda which, on: 0)


@intrinsic  # type: ignore[untyped-decorator]
def _register(typing: Any, which: Any, on: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        which, on = arguments
        before = read(builder)
        kept = builder.and_(before, builder.not_(which))
        write(builder, builder.or_(kept, builder.and_(on, which)))
        return before

    read, write = (_read_intel, _write_intel) if SWITCH == 0x8040 else (_read_arm, _write_arm)
    return types.int64(types.int64, types.int64), emit


INT32, INT64, BYTES = ir.IntType(32), ir.IntType(64), ir.IntType(8).as_pointer()


def _read_intel(builder: Any) -> Any:
    place = builder.alloca(INT32)
    _call(builder, "llvm.x86.sse.stmxcsr", ir.VoidType(), builder.bitcast(place, BYTES))
    return builder.zext(builder.load(place), INT64)


def _write_intel(builder: Any, value: Any) -> None:
    place = builder.alloca(INT32)
    builder.store(builder.trunc(value, INT32), place)
    _call(builder, "llvm.x86.sse.ldmxcsr", ir.VoidType(), builder.bitcast(place, BYTES))


def _read_arm(builder: Any) -> Any:
    return _call(builder, "llvm.aarch64.get.fpcr", INT64)


def _write_arm(builder: Any, value: Any) -> None:
    _call(builder, "llvm.aarch64.set.fpcr", ir.VoidType(), value)


def _call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    form = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(builder.module.declare_intrinsic(name, (), form), arguments)
