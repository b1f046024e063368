"""What a kernel is compiled to, and the functions that it calls: no wrapper and no machine code that none calls."""

from __future__ import annotations

import resource
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import config
from numba.core.codegen import JITCPUCodegen

from softcount.machine.kernel import kernel, within

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the compiler is switched off")


class Two(NamedTuple):
    one: Any
    other: Any


@within
def _twice(x: Any) -> Any:
    return 2 * x


@kernel
def _both(n: int) -> Two:
    return Two(np.full(n, 1.0), np.zeros(n))


@kernel
def _inner(values: Any, k: int) -> Any:
    return _twice(values[k])


@kernel
def _outer(values: Any) -> float:
    """Calls one kernel with a variable and with a constant, and one that returns arrays."""
    pair = _both(len(values))
    for k in range(len(values)):
        pair.other[k] = _inner(values, k) + pair.one[k]
    return pair.other.sum() + _inner(values, 0)


def test_functions_that_only_kernels_call_have_no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[str]] = []
    add = JITCPUCodegen._add_module

    def note(codegen: Any, module: Any) -> Any:
        made.append([function.name for function in module.functions if not function.is_declaration])
        return add(codegen, module)

    monkeypatch.setattr(JITCPUCodegen, "_add_module", note)
    _outer._cache.disable()  # what is kept is not compiled
    assert _outer(np.arange(3.0)) == 9.0
    ours = [names for names in made if any("test_compilation" in name for name in names)]
    assert len(ours) == 1 and any("_outer" in name for name in ours[0])
    assert not any(name.startswith("cfunc") for name in ours[0])
    assert sum("cpython" in name for name in ours[0]) == 1
    assert not _inner.overloads and not _both.overloads and not _twice.overloads


def test_called_from_python_the_same_function_has() -> None:
    _outer(np.arange(3.0))
    assert _inner(np.arange(4.0), 3) == 6.0 and _twice(5) == 10
    assert [len(one.overloads) for one in (_inner, _twice)] == [1, 1]


def test_what_is_allocated_for_the_caller_is_freed() -> None:
    values = np.ones(1_000_000)
    _outer(values)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        _outer(values)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes; 320,000 are allocated


def test_an_error_in_a_function_that_a_kernel_calls_comes_through() -> None:
    @kernel
    def inside(n: int) -> int:
        if n > 2:
            raise ValueError("too many")
        return n

    @kernel
    def outside(n: int) -> int:
        return inside(n) + 1

    assert outside(2) == 3
    with pytest.raises(ValueError, match="too many"):
        outside(3)
