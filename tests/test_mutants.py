"""The tool that plants mistakes: they reach all that holds the code, and what explains a mistake is of one."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import mutant_places
import mutants
import pytest
from mutant_places import File
from mutant_tests import living, replace

SOURCE = '''
from functools import wraps


def held(function):
    @wraps(function)
    def around(*given):
        return function(*given)
    return around


def larger(a: int = 3, b: int = 4) -> int:
    """1 + 1"""
    if a > b and not b < 0:
        return max(a, -b)
    return sum(x + 1 for x in (b,))


@held
def both(a):
    add = lambda x: x + a
    return add(2)


class Thing:
    size = 5

    @property
    def half(self):
        return self.size / 2

    def less(self):
        return -self.size
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> File:
    """A module of the library for the time of a test."""
    (tmp_path / "tiny.py").write_text(SOURCE)
    monkeypatch.setattr(mutant_places, "HOME", tmp_path)
    module = ModuleType("softcount.tiny")
    exec(compile(SOURCE, str(tmp_path / "tiny.py"), "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "softcount.tiny", module)
    return File("tiny.py")


def test_mistakes_are_named_by_function_and_statement(file: File) -> None:
    names = [place.name for place in file.places]
    assert len(set(names)) == len(names) == 14
    if_line = "larger: if a > b and (not b < 0):  ->  "
    for wrong in ("a > b or not b < 0", "a >= b and (not b < 0)", "a > b and (not not b < 0)", "a > b and (not b < 1)"):
        assert f"{if_line}if {wrong}:" in names
    assert "larger: return max(a, -b)  ->  return min(a, -b)" in names
    assert "larger: return max(a, -b)  ->  return max(a, +b)" in names
    assert "Thing.half: return self.size / 2  ->  return self.size * 2" in names
    assert not any("size = 5" in name for name in names)  # what is declared is not computed


def test_a_mistake_reaches_all_that_took_the_function_before(file: File) -> None:
    module: Any = sys.modules["softcount.tiny"]
    larger, both, thing = module.larger, module.both, module.Thing()  # as `from softcount.tiny import larger` does
    tests: Any = SimpleNamespace(functions=living([file]))
    seen, right = replace(tests, file), (5, 6, 3, 2.5, -5)
    assert (larger(5, 2), larger(2, 5), both(1), thing.half, thing.less()) == right and sum(seen) == 7
    found = set()
    for number, place in enumerate(file.places):
        seen = replace(tests, file, number)
        results = larger(5, 2), larger(2, 5), both(1), thing.half, thing.less()
        assert seen[place.statement]
        found.add((place.name.split(":")[0], results == right))
    assert {("larger", False), ("both", False), ("Thing.half", False), ("Thing.less", False)} <= found
    assert ("both", True) not in found and ("Thing.half", True) not in found


def test_every_file_has_tests_that_can_notice_and_every_explanation_a_mistake() -> None:
    for name in mutants.names():
        for path, _ in mutants.can_notice(name):
            assert (mutants.ROOT / path).exists(), path
    for name, reasons in mutants.explained().items():
        names = {place.name for place in File(name).places}
        for mistake, why in reasons.items():
            assert mistake in names, f"{name} has no such mistake any more: {mistake}"
            assert len(why.split()) > 3
