"""What a compiled function consists of: the code and the constants that it can reach, as one digest.

    digest(f) = H(code of f, constants that f names, digest of all functions that f names)

It is taken from what is loaded, not from files: an edit is seen wherever it was made, also in a file that is imported,
and comments, docstrings and all that is not compiled change nothing. Two copies of a source have the same digest.
An overload stands for a function under its name, so whoever names one of a module may call all overloads of it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.typing.templates import builtin_registry

OTHERS = {"numpy", "numba", "llvmlite", "builtins"} | set(sys.stdlib_module_names)  # their versions stand for them
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


def digest(function: Any) -> bytes:
    """Of a function and all that it reaches; compiled or not."""
    told = hashlib.blake2b(digest_size=16)
    seen: dict[int, int] = {}
    waiting = [function]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            told.update(b"again %d" % seen[id(value)])
            continue
        words, more = _told(value)
        told.update(repr(words).encode(errors="surrogatepass"))
        waiting += more
        if isinstance(value, FunctionType | type) or _is_kernel(value) or _is_intrinsic(value):
            seen[id(value)] = len(seen)  # of numbers, one process has copies where another has none
    return told.digest()


def _is_kernel(value: Any) -> bool:
    return hasattr(value, "py_func") and hasattr(value, "targetoptions")


def _is_intrinsic(value: Any) -> bool:
    return hasattr(value, "_defn")


def _told(value: Any) -> tuple[Any, list[Any]]:
    """What is said of a value, and which others it leads to."""
    if isinstance(value, FunctionType):
        return _function(value)
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, tuple | list):
        return (type(value).__name__, len(value)), list(value)
    if isinstance(value, dict):
        return ("dict", [repr(name) for name in value]), list(value.values())
    if _is_kernel(value):
        return ("kernel", [(name, _constant(how)) for name, how in sorted(value.targetoptions.items())]), [
            value.py_func
        ]
    if _is_intrinsic(value):
        return "intrinsic", [value._defn]
    if hasattr(value, "__wrapped__"):  # by functools.cache and the like
        return "wrapped", [value.__wrapped__]
    return _constant(value), []


def _function(function: FunctionType) -> tuple[Any, list[Any]]:
    if _of_others(function):
        return (function.__module__, function.__qualname__), []
    names = sorted(set(_names(function.__code__)))
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    given = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    found = [(name, value) for name in names for value in _named(function, name, names)]
    more = [*cells, *given, *(value for _, value in found), *_overloads(function)]
    words = (_code(function.__code__, function.__doc__), [name for name, _ in found], len(cells), len(given))
    return words, more


def _class(kind: type) -> tuple[Any, list[Any]]:
    name = (kind.__module__, kind.__qualname__)
    if _of_others(kind):
        return name, []
    if issubclass(kind, tuple):
        return (name, getattr(kind, "_fields", ())), []
    return name, [value for _, value in sorted(vars(kind).items()) if isinstance(value, FunctionType)]


def _constant(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).digest()
    if isinstance(value, frozenset | set):
        return sorted(map(repr, value))
    if isinstance(value, np.generic | np.dtype) or type(value).__module__.partition(".")[0] in ("numba", "llvmlite"):
        return str(type(value)), str(value)
    return type(value).__module__, type(value).__qualname__, getattr(value, "__name__", "")


def _named(function: FunctionType, name: str, names: list[str]) -> Iterator[Any]:
    """The global of this name, or what else of these names there is in it, if it is a module of ours."""
    if name not in function.__globals__:
        return
    value = function.__globals__[name]
    if not isinstance(value, ModuleType):
        yield value
    elif value.__name__.partition(".")[0] not in OTHERS:
        yield from (getattr(value, part) for part in names if part in vars(value))


def _overloads(function: FunctionType) -> list[FunctionType]:
    """Those of the modules in which this one has any, or in which it is."""
    by_module, places = _registered(len(builtin_registry.functions))
    modules = {function.__module__, *places.get(function, ())}
    return [each for module in sorted(modules) for each in by_module.get(module, ())]


@cache
def _registered(n: int) -> tuple[dict[str, list[FunctionType]], dict[Any, list[str]]]:
    by_module: dict[str, list[FunctionType]] = {}
    places: dict[Any, list[str]] = {}
    for template in builtin_registry.functions[:n]:
        implementation = getattr(template, "_overload_func", None)
        if isinstance(implementation, FunctionType) and not _of_others(implementation):
            by_module.setdefault(implementation.__module__, []).append(implementation)
            places.setdefault(template.key, []).append(implementation.__module__)
    return by_module, places


def _of_others(thing: Any) -> bool:
    return str(thing.__module__).partition(".")[0] in OTHERS


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names(const)


def _code(code: CodeType, doc: str | None = None) -> Any:
    """Without its file, its lines and its docstring."""
    consts = [_const(const) for const in code.co_consts if not (isinstance(const, str) and const == doc)]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_name, code.co_code, names, consts, code.co_argcount, code.co_kwonlyargcount, code.co_flags


def _const(const: Any) -> Any:
    if isinstance(const, CodeType):
        return _code(const)
    if isinstance(const, tuple):
        return [_const(each) for each in const]
    return sorted(map(repr, const)) if isinstance(const, frozenset) else repr(const)
