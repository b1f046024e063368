"""Files with right checksums whose content was altered: every leaf of the description, every array, one at a time."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.disk import store

LEAVES: list[Any] = [None, True, -1, 0, 7, 1.5, 2**62, float("nan"), float("inf"), "x", "", [], {}, [1], {"a": 1}]
LEAVES += [{"$array": "nowhere"}, {"$tuple": [1]}, {"$Step": []}, {"$system": ["true"]}, "line\nbreak" * 50]


class Content(NamedTuple):
    """A file taken apart."""

    metadata: dict[str, Any]
    about: dict[str, Any]
    arrays: dict[str, Any]


def taken_apart(content: bytes) -> Content:
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    metadata = header.pop("__metadata__")
    arrays = {}
    for name, spec in header.items():
        start, stop = spec["data_offsets"]
        arrays[name] = np.frombuffer(data[start:stop], store.DTYPES[spec["dtype"]]).reshape(spec["shape"])
    return Content(metadata, json.loads(metadata.pop("about")), arrays)


def put_together(metadata: dict[str, Any], about: dict[str, Any], arrays: dict[str, Any], specs: Any = None) -> bytes:
    """With checksums that are right; `specs` replace what the header says of an array."""
    about = about | {"crc32": {name: store.crc32(np.ascontiguousarray(a)) for name, a in arrays.items()}}
    header: dict[str, Any] = {"__metadata__": {"checksum": "0" * 64} | metadata | {"about": json.dumps(about)}}
    place, data = 0, b""
    for name, array in arrays.items():
        spec = {"dtype": store.CODES[array.dtype], "shape": list(array.shape)}
        header[name] = spec | {"data_offsets": [place, place + array.nbytes]} | (specs or {}).get(name, {})
        place, data = place + array.nbytes, data + array.tobytes()
    header["__metadata__"]["checksum"] = "0" * 64
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    text = text.replace(store.NO_CHECKSUM, store._checksum(text), 1)
    return len(text).to_bytes(8, "little") + text + data


def altered(content: bytes, leaves: list[Any] = LEAVES) -> Iterator[tuple[str, bytes]]:
    """(what was altered, the file) for every alteration; those that change nothing are left out."""
    parts = taken_apart(content)
    for where, about in _leaves(parts.about, leaves):
        yield where, put_together(parts.metadata, about, parts.arrays)
    for where, arrays in _arrays(parts.arrays):
        yield where, put_together(parts.metadata, parts.about, arrays)
    for where, specs in _specs(parts.arrays):
        yield where, put_together(parts.metadata, parts.about, parts.arrays, specs)
    for name in ("format", "softcount"):
        for leaf in ["", "x", "-1", None, 7, [1]]:
            if leaf != parts.metadata[name]:
                yield (
                    f"metadata.{name} = {leaf!r}",
                    put_together(parts.metadata | {name: leaf}, parts.about, parts.arrays),
                )


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in inner:
        yield from _places(part, (*path, key))


def _leaves(about: dict[str, Any], leaves: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in _places(about):
        if path[0] == "crc32":
            continue
        for leaf in [*leaves, ...]:  # the last: the key or element is taken out
            changed = copy.deepcopy(about)
            node = changed
            for key in path[:-1]:
                node = node[key]
            if leaf is not ... and type(node[path[-1]]) is type(leaf) and node[path[-1]] == leaf:
                continue
            if leaf is ...:
                del node[path[-1]]
            else:
                node[path[-1]] = leaf
            shown = "gone" if leaf is ... else repr(leaf)[:40]
            yield f"{'.'.join(map(str, path))} = {shown}", changed


def _arrays(arrays: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, array in arrays.items():
        for what, changed in _variants(array):
            same = changed.dtype == array.dtype and changed.shape == array.shape
            if not (same and changed.tobytes() == array.tobytes()):
                yield f"{name}: {what}", arrays | {name: changed}


def _variants(array: Any) -> Iterator[tuple[str, Any]]:
    with np.errstate(all="ignore"):
        for dtype in store.DTYPES.values():
            yield f"as {dtype}", array.astype(dtype)
    yield "flat", array.reshape(-1)
    yield "turned", np.ascontiguousarray(array.T)
    yield "one more side", array[None]
    yield "none", array[:0]
    yield "0 × 2^62", np.empty((0, 3), array.dtype)
    yield "twice as long", np.concatenate([array, array])
    if array.size:
        yield "one less", np.ascontiguousarray(array[1:])
        for value in (-1, 2, 1e30, np.nan, np.inf, -np.inf, 0):
            for place in {0, array.size - 1}:
                changed = array.copy()
                with np.errstate(all="ignore"):
                    changed.reshape(-1)[place] = np.asarray(value).astype(array.dtype)
                yield f"[{place}] = {value}", changed
        yield "all zero", np.zeros_like(array)


def _specs(arrays: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, array in arrays.items():
        for spec in (
            {"shape": [0, 2**62]}, {"shape": [2**62, 0]}, {"shape": [-1]}, {"shape": None}, {"shape": ["a"]},
            {"shape": [array.size, 2**62]}, {"shape": [1.0 * array.size]}, {"dtype": "OBJECT"}, {"dtype": None},
            {"dtype": []}, {"data_offsets": [1, 2]}, {"data_offsets": 7}, {"data_offsets": [0, 2**70]},
            {"shape": [1] * 70},
        ):  # fmt: skip
            yield f"{name}: {spec}", {name: spec}


def refusal(message: str, path: Path | str) -> bool:
    return message.startswith(f"{path}: ") and "; " in message and message.isprintable() and len(message) < 700
