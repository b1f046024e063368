"""What Numba does of a kernel that it need not: half of the time of a first run, and none of the machine code.

Numba makes of every function that a kernel calls what it makes of the kernel: code that Python could call, with a
wrapper that takes every array of a NamedTuple apart, and code that C could call. A function that only kernels call is
linked with them, and needs neither. It also runs the optimizer on every function that a module only names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types.misc import unliteral


class Library(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """The code of a kernel that Python calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        super()._optimize_functions(_Defined(ll_module))


class _Defined:
    """A module, without the functions that are defined elsewhere."""

    def __init__(self, module: Any) -> None:
        vars(self)["module"] = module

    @property
    def functions(self) -> list[Any]:
        return [function for function in self.module.functions if not function.is_declaration]

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["module"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.module, name, value)


class Part(Library):
    """The code of a function that kernels call: optimized, and linked with them, but no machine code by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class LatePart(Part):
    """The same, optimized where it is linked and not before, which takes a tenth of the time of a first run."""

    def _optimize_final_module(self) -> None:
        pass


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's, with a library of ours."""

    kind = Library

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *more: Any) -> None:
        super().__init__(typingctx, targetctx, library or self.kind(targetctx.codegen(), "softcount"), *more)
        self.state.library.enable_object_caching()


class PartCompiler(KernelCompiler):
    kind = Part

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags.no_compile = True  # that is, no address that could be called


class LatePartCompiler(PartCompiler):
    kind = LatePart


def compiler(late: bool = False, **how: Any) -> Callable[[Any], Any]:
    """Numba's decorator of functions, with these options; `late`: what kernels call is optimized with them alone."""

    of_part = LatePartCompiler if late else PartCompiler

    def decorate(function: Any) -> Any:
        compiled = njit(no_cfunc_wrapper=True, pipeline_class=KernelCompiler, **how)(function)
        if hasattr(compiled, "get_call_template"):  # or the compiler is switched off
            _give_part(
                compiled,
                njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, pipeline_class=of_part, **how)(function),
            )
        return compiled

    return decorate


def _give_part(compiled: Any, part: Any) -> None:
    """Kernels that call this one call a part; and one with a constant calls the one that it calls with a variable."""
    template = part.get_call_template
    compiled.get_call_template = lambda args, kws: template(
        [unliteral(each) for each in args], {name: unliteral(each) for name, each in kws.items()}
    )
    compiled.get_overload = part.get_overload
    part.add_overload = lambda found: _add(part, found)


def _add(part: Any, found: Any) -> None:
    """A part has no address by which those who call it could know it."""
    name = object()
    part.targetctx.insert_user_function(name, found.fndesc, [found.library])
    part.overloads[tuple(found.signature.args)] = found._replace(entry_point=name)
