"""Names in files: from a table, whatever classes, fields and attributes are called."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cases import CRITERIA, MODELS, bits
from forgery import put_together, taken_apart

import softcount
from softcount.criteria.spec import STATES
from softcount.disk import store, wire
from softcount.disk.state import flatten
from softcount.families.layout import table_types
from softcount.loop.resume import Finished, Position, Restart, Saved
from softcount.loop.trace import RECORDS, Ending
from softcount.models.network import tables_type
from softcount.registry import BUILT_IN, found_at

PLACES = [place for place in wire.TYPES if "network" not in place]


@pytest.fixture(autouse=True)
def fresh() -> Any:
    wire.wire.cache_clear()
    yield
    wire.wire.cache_clear()


@pytest.fixture(scope="module")
def trained() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: make(CRITERIA[0]) for name, make in MODELS.items()}
        return {name: model.fit(*data) for name, (model, data) in found.items()}


def kind_at(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@pytest.mark.parametrize("place", PLACES)
def test_every_line_names_a_class_and_all_of_its_fields(place: str) -> None:
    name, fields = wire.TYPES[place]
    assert wire.wire(kind_at(place)) == (name, tuple(fields.split()))
    assert len(fields.split()) == len(kind_at(place)._fields)
    assert not any(word.startswith("_") for word in (name, *fields.split()))


@pytest.mark.parametrize("one", BUILT_IN, ids=lambda one: one.kind)
def test_all_that_is_learned_has_a_name(one: Any) -> None:
    kind = found_at(one.estimator)
    assert set(kind._learned) <= wire.ATTRIBUTES.keys()
    names = [wire.attribute_name(name) for name in kind._learned]
    assert len(set(names)) == len(names)
    assert wire.readable(*kind._types, *RECORDS, Restart)


def test_no_name_is_private_and_old_ones_lead_to_those_of_today() -> None:
    assert not any(name.startswith("_") for name in wire.ATTRIBUTES.values())
    assert len(set(wire.ATTRIBUTES.values())) == len(wire.ATTRIBUTES)
    assert set(wire.OLD.values()) <= set(wire.ATTRIBUTES.values())
    assert not wire.OLD.keys() & set(wire.ATTRIBUTES.values())


def test_all_that_a_checkpoint_may_hold_has_a_name_of_its_own(trained: dict[str, Any]) -> None:
    layouts = [model._model.layout for model in trained.values() if hasattr(getattr(model, "_model", None), "layout")]
    assert len(layouts) > 2
    for layout in layouts:
        kinds = {*table_types(layout), *STATES, Finished, Saved, Position, Restart, *RECORDS}
        assert len(wire.readable(*kinds)) == len(kinds)


def test_a_network_names_its_fields_itself() -> None:
    assert wire.wire(tables_type(("a b", "c"))) == ("NetworkTables", ("a b", "c"))


def test_what_is_not_in_the_table_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(NamedTuple):  # of another package
        one: int

    class Ours(NamedTuple):
        one: int

    Ours.__module__ = "softcount.models.new"
    assert flatten(Own(1), {}) == {"$Own": [1]}
    with pytest.raises(TypeError, match="no place for a Ours"):
        flatten(Ours(1), {})


@contextmanager
def renamed() -> Iterator[None]:
    """Every class of the table, and its fields."""
    kinds = {kind_at(place) for place in PLACES}
    before = {kind: (kind.__name__, kind.__qualname__, kind._fields) for kind in kinds}
    try:
        for kind in kinds:
            kind.__name__ = kind.__qualname__ = "Renamed"
            kind._fields = tuple(f"renamed_{field}" for field in kind._fields)
        wire.wire.cache_clear()
        yield
    finally:
        for kind, names in before.items():
            kind.__name__, kind.__qualname__, kind._fields = names


@pytest.mark.parametrize("name", MODELS)
def test_whatever_classes_and_fields_are_called_a_file_has_the_same_bytes(
    trained: dict[str, Any], name: str, tmp_path: Path
) -> None:
    trained[name].save(tmp_path / "before")
    with renamed():
        assert wire.wire(Restart).fields[0] == "objective" and Restart.__name__ == "Renamed"
        trained[name].save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


def as_of_old(content: bytes) -> bytes:
    """The file as softcount 0.2 would have written it."""
    parts, private = taken_apart(content), {new: old for old, new in wire.OLD.items()}
    text = json.dumps(parts.about)
    arrays = {}
    for name, array in parts.arrays.items():
        room, _, rest = name.partition(".")
        first, dot, more = rest.partition(".")
        older = f"{room}.{private.get(first, first)}{dot}{more}" if room == "learned" else name
        text, arrays[older] = text.replace(json.dumps(name), json.dumps(older)), array
    about = json.loads(text)
    learned = about["body"]["learned"]
    about["body"]["learned"] = {private.get(name, name): value for name, value in learned.items()}
    return put_together(parts.metadata | {"format": "1", "softcount": "0.2.0"}, about, arrays)


@pytest.mark.parametrize("name", MODELS)
def test_files_with_the_old_names_are_read(trained: dict[str, Any], name: str, tmp_path: Path) -> None:
    path = tmp_path / "m"
    trained[name].save(path)
    content = as_of_old(path.read_bytes())
    path.write_bytes(content)
    assert store.Stored(path).version == "0.2.0"
    assert any(f"learned.{old}".encode() in content for old in wire.OLD) == (name not in NAMED_ALIKE)
    assert bits(softcount.load(path)) == bits(trained[name])


NAMED_ALIKE = ("hmm", "crf", "decipher", "grammar", "full grammar")


def test_an_attribute_under_both_names_is_refused(trained: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "m"
    trained["plsa"].save(path)
    parts = taken_apart(path.read_bytes())
    parts.about["body"]["learned"]["_seen"] = parts.about["body"]["learned"]["seen"]
    path.write_bytes(put_together(parts.metadata, parts.about, parts.arrays))
    with pytest.raises(softcount.InputError, match="too much"):
        softcount.load(path)


def test_a_checkpoint_has_the_same_bytes_too(trained: dict[str, Any], tmp_path: Path) -> None:
    tables, ending = trained["hmm"].parameters_, Ending("done", "all")
    states = [kind(*[tables] * len(kind._fields)) for kind in STATES]
    trace = list(trained["hmm"].history_)
    saved = Saved(Position(0, 0, 1, states, stopped=ending), trace, [], [Restart(1.0, 1.0, 1, ending)], None)
    body = {"positions": {"fit": saved}, "results": {"0": Finished(tables, tables, trace, ending, [], 0)}}
    store.save(tmp_path / "before", "checkpoint", body)
    with renamed():
        store.save(tmp_path / "after", "checkpoint", body)
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
