"""Manifests with right digests that say what no writer would: each is refused in one line that names what is wrong."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from command import run
from forgery import LEAVES

from softcount import InputError, Shards
from softcount.text import shard_manifest
from softcount.text.claim import NAMES
from softcount.text.shard_manifest import MANIFEST, NAME, sealed

LEAVES = [leaf for leaf in LEAVES if not isinstance(leaf, dict)] + [{"a": 1}, 10**400, "0" * 64]


@pytest.fixture(scope="module", params=["sentences", "pairs", "documents"])
def folder(request: Any, tmp_path_factory: Any) -> Path:
    place = tmp_path_factory.mktemp(request.param)
    (place / "t").write_text("a b c\nb c\n\nd a a\n")
    target = f"--target {place / 't'}" if request.param == "pairs" else f"--kind {request.param}"
    assert run(f"shard {place / 't'} {target} --lowercase --out {place / 's'} -q").code == 0
    return Path(place / "s")


def body_of(folder: Path) -> dict[str, Any]:
    body = json.loads((folder / MANIFEST).read_text())
    del body["sha256"], body[NAME]
    return dict(body)


def places(node: Any, path: tuple[Any, ...] = ()) -> Any:
    """Of every value in it, however deep."""
    if path:
        yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def altered(body: dict[str, Any], path: tuple[Any, ...], leaf: Any) -> dict[str, Any]:
    found: Any = copy.deepcopy(body)
    node = found
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = leaf
    return dict(found)


def test_every_value_replaced_is_refused_or_has_the_right_type(folder: Path, tmp_path: Path) -> None:
    body, n = body_of(folder), 0
    for path in places(body):
        for leaf in LEAVES:
            (tmp_path / MANIFEST).write_bytes(sealed(altered(body, path, leaf)))
            try:
                found = shard_manifest.read_manifest(str(tmp_path))
            except InputError as error:
                assert str(error).count("\n") == 0 and len(str(error)) < 400, error
                n += 1
                continue
            before: Any = body
            for key in path:
                before = before[key]
            assert type(leaf) is type(before) or path[0] == "reading", (path, leaf, found)
    assert n > 300


@pytest.mark.parametrize("name", ["kind", "rows", "reading", "sides", "shards", "lengths", "digest", "softcount"])
def test_what_is_wrong_is_named(folder: Path, tmp_path: Path, name: str) -> None:
    for body in (altered(body_of(folder), (name,), [[1]]), body_of(folder)):
        if body[name] != [[1]]:
            del body[name]
        (tmp_path / MANIFEST).write_bytes(sealed(body))
        with pytest.raises(InputError, match="invalid value"):
            Shards(tmp_path)


@pytest.mark.parametrize("name", ["", "more", "x" * 100, "line\nbreak"])
def test_what_no_manifest_has_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    body = {name: 1} | body_of(folder)
    (tmp_path / MANIFEST).write_bytes(sealed(body))
    with pytest.raises(InputError, match="invalid value"):
        Shards(tmp_path)


def test_files_elsewhere_are_none_of_the_folder(folder: Path, tmp_path: Path) -> None:
    for path in (("shards", 0, "file"), ("sides", 0, "file")):
        for leaf in ("../t", "/etc/passwd", "shard-00001.arrow", "manifest.json"):
            (tmp_path / MANIFEST).write_bytes(sealed(altered(body_of(folder), path, leaf)))
            with pytest.raises(InputError, match=path[0]):
                Shards(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_names_in_how_text_was_read_are_texts(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / MANIFEST).write_bytes(sealed(altered(body_of(folder), ("reading",), {name: True})))
    with pytest.raises(InputError, match=r"manifest.json: invalid value 'reading'"):
        Shards(tmp_path)


def test_brackets_within_brackets(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    deep = "[" * 200_000 + "]" * 200_000
    for content in (
        f'{{"{NAME}": 2, "kind": {deep}}}',
        f'{{"{NAME}": {deep}}}',
        f'{{"{NAME}": 2, "kind": {"[" * 200_000}',
    ):
        (tmp_path / "s" / MANIFEST).write_text(content)
        for command in (f"info {tmp_path / 's'}", f"tag {tmp_path / 's'} --states 2"):
            ran = run(command)
            assert ran.code == 2 and len(ran.said) == 1 and "Traceback" not in ran.err, ran.err
            assert "too deep" in ran.said[0]


@pytest.mark.parametrize("number", [0, -1, 3, 10**30, True, 2.0, "2", None, [], {}])
def test_other_formats(folder: Path, tmp_path: Path, number: Any) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({NAME: number, **body_of(folder), "sha256": ""}))
    newer = type(number) is int and number > 2
    with pytest.raises(InputError, match="reads formats up to 2; install a newer" if newer else "no format has the"):
        Shards(tmp_path)


def test_folders_of_the_format_before_are_read(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    body = {NAME: 1, **body_of(folder)}
    sha = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    (tmp_path / MANIFEST).write_text(json.dumps({**body, "sha256": sha}))
    assert Shards(tmp_path).digest() == Shards(folder).digest()
    assert run(f"info {tmp_path}").code == 0
