"""The manifest of a folder of shards: what it says, by type, and that it is what was written.

Whoever reads one has a Manifest: all that it should have, of the right kind, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, TypedDict

import pyarrow as pa

from softcount.errors import InputError
from softcount.machine.annotation import fits, hints_of
from softcount.text.claim import has_names
from softcount.text.shard_file import AGAIN, SIDES, filesystem, is_uri, place_of, shown
from softcount.text.source import name_of
from softcount.version import VERSION

MANIFEST, NAME = "manifest.json", "softcount shards"
FORMAT = 2  # 1, of softcount 0.2, differs in nothing else
MOST = 1 << 53  # rows, words, bytes: what numbers of JSON count exactly
DIGESTS = re.compile("[0-9a-f]*")
DIGEST = 64  # hexadecimal digits


class Side(TypedDict):
    """Of the words of a side."""

    side: str
    file: str
    sha256: str
    tokens: int
    words: int
    source: str


class Shard(TypedDict):
    """A file, and of each of its blocks how many rows it has, and their digest."""

    file: str
    bytes: int
    sha256: str
    rows: int
    blocks: list[Any]


class Labels(TypedDict, total=False):
    tagset: list[str]
    classes: list[str]


class Manifest(Labels):
    softcount: str
    kind: str
    rows: int
    reading: dict[str, str | bool]
    sides: list[Side]
    lengths: str
    digest: str
    shards: list[Shard]


def sealed(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as a file has it: what it is first, and its own digest last."""
    body = {NAME: FORMAT, **manifest}
    return (json.dumps({**body, "sha256": _seal(body)}, ensure_ascii=False) + "\n").encode()


def read_manifest(root: str) -> dict[str, Any]:
    where = name_of(place_of(root, MANIFEST))
    found = _parsed(where, _content(root))
    number, sha = found.pop(NAME), found.pop("sha256", "")
    if type(number) is not int or number < 1:
        raise InputError(f"{where}: damaged or changed: no format has the number {str(number)[:20]!r}; {AGAIN}")
    if number > FORMAT:
        raise InputError(
            f"{where}: written in format {number}, but softcount {VERSION} reads formats up to "
            f"{FORMAT}; install a newer softcount, or {AGAIN}"
        )
    if _seal({NAME: number, **found}) != sha:
        raise InputError(f"{where}: damaged or changed: its digest differs; {AGAIN}")
    wrong = _wrong(found)
    if wrong is not None:
        raise InputError(f"{where}: invalid value {wrong!r}; {AGAIN}")
    return found


def _seal(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _parsed(where: str, content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except RecursionError:
        raise InputError(f"{where}: nested too deeply for a manifest; {AGAIN}") from None
    except ValueError:
        raise InputError(f"{where}: not valid JSON; {AGAIN}") from None
    if not isinstance(found, dict) or NAME not in found:
        raise InputError(f"{where}: not the manifest of a folder of shards; give a folder written by softcount shard")
    return found


def _wrong(found: dict[str, Any]) -> str | None:
    """The first thing that cannot be meant, if there is one."""
    hints = hints_of(Manifest)
    for name in (*found, *sorted(Manifest.__required_keys__ - found.keys())):
        if name not in hints or name not in found or not fits(found[name], hints[name]):
            return name[:20]
    if not has_names(found["reading"]):
        return "reading"
    if found["kind"] not in SIDES:
        return "kind"
    if [(side["side"], side["file"]) for side in found["sides"]] != [(n, f"{n}.arrow") for n in SIDES[found["kind"]]]:
        return "sides"
    if not all(_counts(side["tokens"], side["words"]) and _digests([side["sha256"]]) for side in found["sides"]):
        return "sides"
    if not _counts(found["rows"]):
        return "rows"
    if not _digests([found["lengths"], found["digest"]]):
        return "digest"
    return None if all(_is_shard(*numbered) for numbered in enumerate(found["shards"])) else "shards"


def _is_shard(number: int, shard: Shard) -> bool:
    blocks = shard["blocks"]
    if not all(type(block) is list and len(block) == 2 for block in blocks):
        return False
    rows, digests = [block[0] for block in blocks], [block[1] for block in blocks]
    return (
        shard["file"] == f"shard-{number:05}.arrow"
        and _counts(shard["bytes"], *rows)
        and shard["rows"] == sum(rows)
        and _digests([shard["sha256"], *digests])
    )


def _counts(*numbers: Any) -> bool:
    return all(type(n) is int and 0 <= n < MOST for n in numbers)


def _digests(digests: list[Any]) -> bool:
    right = all(type(one) is str and len(one) == DIGEST for one in digests)
    return right and DIGESTS.fullmatch("".join(digests)) is not None


def _content(root: str) -> bytes:
    if not is_uri(root):
        with open(os.path.join(root, MANIFEST), "rb") as file:
            return file.read()
    system, folder = filesystem(root)
    try:
        with system.open_input_stream(place_of(folder, MANIFEST)) as stream:
            content: bytes = stream.read()
            return content
    except (pa.ArrowException, OSError):
        raise InputError(
            f"{shown(root)}: not a folder of shards, or an unfinished one (no manifest); {AGAIN}"
        ) from None
