"""Any state as JSON and named arrays, and back: the skeleton says how the arrays belong together.

Mappings, lists, tuples, strings, numbers and None are JSON's; what JSON has not is an object with one key:

    {"$array": name}   {"$tuple": […]}   {"$strings": [bytes, offsets]}   {"$HMMTables": [fields …]}   …

NamedTuples are called as softcount.disk.wire says. Restoring builds those of the types that the caller lists, and
nothing else: a file cannot name a type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from softcount.disk.wire import wire
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Log
from softcount.text.claim import Claim
from softcount.text.vocabulary import Vocabulary

PLAIN = (str, bool, int, float, type(None))


def flatten(value: Any, arrays: dict[str, Array], name: str = "") -> Any:
    """The skeleton of `value`; its arrays go into `arrays`, each once, under the path that leads to it."""
    if isinstance(value, np.floating | np.integer | np.bool_):
        return value.item()
    if isinstance(value, Claim):
        return str(value)
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.ndarray):
        return _strings(value, arrays, name) if value.dtype.kind in "OU" else _array(value, arrays, name)
    if isinstance(value, Log):
        return {"$Log": flatten(value.weights, arrays, name)}
    if isinstance(value, Vocabulary):
        words = _strings(np.array(value.words, dtype=object), arrays, name)
        return {"$Vocabulary": [words, value.unknown]}
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {"$mapping": flatten([list(pair) for pair in value.items()], arrays, name)}
        return {key: flatten(part, arrays, _join(name, key)) for key, part in value.items()}
    if hasattr(value, "_fields"):
        kind: Any = type(value)
        called, fields = wire(kind)
        parts = zip(fields, value, strict=True)
        return {f"${called}": [flatten(part, arrays, _join(name, field)) for field, part in parts]}
    if isinstance(value, list | tuple):
        listed = [flatten(part, arrays, _join(name, str(i))) for i, part in enumerate(value)]
        return {"$tuple": listed} if isinstance(value, tuple) else listed
    raise TypeError(f"{name}: no place for a {type(value).__name__} in a model file")


def _join(name: str, part: str) -> str:
    return f"{name}.{part}" if name else part


def _array(value: Array, arrays: dict[str, Array], name: str) -> Any:
    name = next((known for known, array in arrays.items() if array is value), name)
    assert arrays.setdefault(name, value) is value, f"two arrays are called {name}"
    turned = value.flags.f_contiguous and not value.flags.c_contiguous
    return {"$array": name, "turned": True} if turned else {"$array": name}


def _strings(value: Array, arrays: dict[str, Array], name: str) -> Any:
    """As Arrow lays strings out: one run of bytes, and where each begins."""
    import pyarrow as pa

    column = pa.array(value.tolist(), pa.large_string())
    _, offsets, data = column.buffers()
    arrays[name + ".bytes"] = np.frombuffer(data or b"", np.uint8)
    arrays[name + ".offsets"] = np.frombuffer(offsets, np.int64)[: len(column) + 1].copy()
    fixed = {"fixed": True} if value.dtype.kind == "U" else {}
    return {"$strings": [name + ".bytes", name + ".offsets"], **fixed}


def restore(node: Any, array: Callable[[str], Array], types: Mapping[str, Any]) -> Any:
    """The value whose skeleton this is; raises KeyError, TypeError or ValueError where it is none."""
    if isinstance(node, list):
        return [restore(part, array, types) for part in node]
    if not isinstance(node, dict):
        return node
    special = next((key for key in node if key.startswith("$")), None)
    if special is None:
        return {key: restore(part, array, types) for key, part in node.items()}
    content = node[special]
    if any(key not in ("turned", "fixed") or value is not True for key, value in node.items() if key != special):
        raise ValueError(f"more than {special}")
    if special == "$array":
        return array(content).T if node.get("turned") else array(content)
    if special == "$strings":
        words = strings(array(content[0]), array(content[1])).to_pylist()
        return np.array(words, dtype=str if node.get("fixed") else object)
    parts = restore(content, array, types)
    if special == "$tuple":
        return tuple(parts)
    if special == "$mapping":
        return dict(parts)
    if special == "$Log":
        return Log(parts)
    if special == "$Vocabulary":
        return Vocabulary(parts[0].tolist(), parts[1])
    if special == "$Ragged":
        return ragged(*parts)
    return types[special[1:]](*parts)


def ragged(offsets: Array, values: Array) -> Ragged:
    if offsets.dtype != np.int64 or offsets.ndim != 1 or values.ndim != 1:
        raise ValueError("rows without offsets")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        raise ValueError("rows that are not where their offsets say")
    return Ragged(offsets, values)


def strings(data: Array, offsets: Array) -> Any:
    """The LargeStringArray over these bytes; checked, as what reads it later does not check."""
    import pyarrow as pa

    found = ragged(offsets, data)
    buffers = pa.py_buffer(found.offsets), pa.py_buffer(found.values)
    column = pa.LargeStringArray.from_buffers(found.n_rows, *buffers)
    column.validate(full=True)
    return column
