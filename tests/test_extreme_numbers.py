"""Numbers at the ends of what a double can be, for every option: results are numbers, or a line says why not.

The only infinity that is documented is in files: the log-probability −inf of a pair that is not aligned
(`align --log-probabilities`); JSON says null.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from command import Ran, run
from extreme_numbers import EXTREME, LEARN, OPEN, write_files

import softcount as sc
from softcount.cli.main import app
from softcount.errors import InputError

NOT_FINITE = re.compile(r"(?<![\w.-])-?(nan|inf|infinity)(?!\w)", re.IGNORECASE)
CASES = [(f"{command} {part}", value) for command, parts in OPEN for part in parts for value in EXTREME]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("extreme")
    write_files(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for line in LEARN:
            ran = run(line)
            assert ran.code == 0, ran
    return place


def commands(group: Any = None, name: str = "") -> Iterator[tuple[str, Any]]:
    group = group or typer.main.get_command(app)
    for part, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{part} ")
        else:
            yield f"{name}{part}", command


# What the settings of fast_align's short options are called here.
CALLED = {"T": ("tension",), "q": ("null", "p0"), "a": ("alpha",), "t": ("threshold",), "l": ("length",)}
OTHER = ("alpha", "pseudo-count", "no words remain")  # what one number stands for, and what it leaves of the data


def refused_by_name(ran: Ran, line: str, value: str) -> bool:
    """In one line, which has the number, or the name of what it was given for, or says which data are left."""
    given = [word.strip("-=@") for word in re.findall(r"\S+[ =]\S*@|[a-z]+=@", line)]
    words = [re.split(r"[ =]", word)[0] for word in given] + re.findall(r"([a-z]+)=@", line)
    names = [name for word in words for name in (word, word.replace("-", "_"), *CALLED.get(word, ())) if len(name) > 1]
    said = ran.said[0] if len(ran.said) == 1 else ""
    return bool(said) and any(name in said for name in (value, *names, *OTHER))


@pytest.mark.sampled(25)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("line", "value"), CASES, ids=[f"{line.replace('@', value)}" for line, value in CASES])
def test_results_are_numbers(line: str, value: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    quiet = "" if line.startswith(("fast-align", "eflomal", "glossary", "generate", "explain")) else " -q"
    ran = run(line.replace("@", value) + quiet)
    if ran.code == 0:
        assert not NOT_FINITE.search(ran.out), ran
        assert not re.search("nan|inf(?!o)", ran.err), ran
    else:
        assert ran.code == 2 and refused_by_name(ran, line, value), ran
        return
    known = (
        {option for param in dict(commands())[line.split()[0]].params for option in param.opts}
        if (not line.startswith("explain"))
        else {"--json"}
    )
    if "--json" in known:
        ran = run(f"{line.replace('@', value)}{quiet} --json")
        assert ran.code == 0, ran
        json.loads(ran.out, parse_constant=lambda constant: pytest.fail(f"{constant} in {ran.out}"))


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", [f"{command} {part}" for command, parts in OPEN for part in parts])
def test_the_lines_are_right(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or nothing is walked: with a usual number they run."""
    monkeypatch.chdir(folder)
    ran = run(line.replace("@", "3" if "document-length" in line else "0.9"))
    assert ran.code == 0, ran


def test_every_number_is_walked() -> None:
    """A new option that takes a number with a fraction belongs into the list."""
    walked = {command: " ".join(part for line, parts in OPEN for part in parts if line.startswith(command))
              for command, _ in commands()}  # fmt: skip
    missing = [
        f"{name} {param.opts[0]}"
        for name, command in commands()
        for param in command.params
        if "float" in str(param.type_descriptor.annotation) and not any(o in walked[name] for o in param.opts)
    ]
    assert not missing


@pytest.mark.parametrize("number", [5e-324, 1e-301, 1e101, 1e308, math.inf, math.nan, 10**400])
def test_estimators_refuse_them_too(number: float) -> None:
    text = ["a b", "b c"]
    for model in (
        sc.PLSA(2, criterion="vb:2", prior=number),
        sc.HMM(2, pseudo={"emission": number}),
        sc.HMM(2, criterion="em:2", prior=number),
    ):
        with pytest.raises(InputError, match=r"prior|pseudo"):
            model.fit(text)


def test_training_stops_where_the_objective_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a step whose objective, or whose parameters, are not finite."""
    from softcount.loop import train

    plain = train._Loop.step
    said = r"criterion 'em:3': the objective at iteration 1 is nan; one of pseudo=0.25 is too small or too large"

    def poisoned(self: Any, stage: Any, criterion: Any, data: Any, at: Any) -> Any:
        def step(state: Any, data: Any) -> Any:
            moved, progress = criterion.step(state, data)
            return moved, progress._replace(objective=math.nan)

        return plain(self, stage, criterion._replace(step=step), data, at)

    monkeypatch.setattr(train._Loop, "step", poisoned)
    with pytest.raises(InputError, match=said):
        sc.HMM(2, criterion="em:3", pseudo=0.25, start="random").fit(["a b", "b c"])
