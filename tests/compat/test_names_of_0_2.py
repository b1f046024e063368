"""Every name of 0.2 is still there: commands and options with their defaults, JSON keys, Python names and how they are
called. New ones may come beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import commands
import make
import pytest
from command import run

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of so little text

HERE = Path(__file__).parent / "0.2"
OPTIONS, NAMES, JSON = (json.loads((HERE / f"{name}.json").read_text()) for name in ("options", "names", "json_keys"))
# Defaults that changed on purpose, with a line in the CHANGELOG: (old, new).
CHANGED = {
    ("cluster", "--unlabelled-weight"): (1.0, None),  # chosen by cross-validation unless it is given
    **dict.fromkeys(
        [("demo", "--sentences"), ("demo", "-n")], (3000, None)
    ),  # the texts that come with softcount, unless a generated one is asked for
    ("tag", "--output-column"): ("xpos", None),  # the column that the tags were read from, where it was one
    ("translate", "--word-bonus"): (2.0, 1.0),  # at 2 short texts are translated twice over
    ("rank", "--word-bonus"): (2.0, 1.0),
    ("softcount.Translator", "word_bonus"): ("2.0", "1.0"),
    ("softcount.NaiveBayesMixture", "unlabelled_weight"): ("1.0", "None"),
    ("softcount.PLSA", "rank"): ("'relevance'", "None"),  # by documents, where the text allows it
}
POSITIONAL = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")


@pytest.fixture(scope="module")
def options() -> dict[str, Any]:
    return make.options()


@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_keeps_its_options(command: str, options: dict[str, Any]) -> None:
    now = {name: one for one in options[command] for name in one["names"]}
    for was in OPTIONS[command]:
        for name in was["names"]:
            assert name in now, f"softcount {command} has no {name}"
            old, new = CHANGED.get((command, name), (was["default"], was["default"]))
            assert (was["default"], now[name]["default"]) == (old, new), (
                f"softcount {command} {name} has another default"
            )
            same = {"names": was["names"], "default": was["default"]}
            assert {**now[name], **same} == was, f"softcount {command} {name} is another"
    arguments = [[one["names"] for one in known if one["argument"]] for known in (OPTIONS[command], options[command])]
    assert arguments[1][: len(arguments[0])] == arguments[0]
    assert not any(one["required"] for one in options[command] if one not in OPTIONS[command])


@pytest.mark.parametrize("command", OPTIONS)
def test_help_has_every_option_that_it_had(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    told = (HERE / "help" / f"{command.replace(' ', '-')}.txt").read_text(encoding="utf-8")
    ran = run(f"{command} --help")
    assert ran.code == 0
    assert set(re.findall(r"^ *(-[\w-]+)", told, re.M)) <= set(re.findall(r"^ *(-[\w-]+)", ran.out, re.M))


@pytest.mark.parametrize("name", NAMES)
def test_a_python_name_is_called_as_before(name: str) -> None:
    now = make.names()
    assert name in now
    for method, was in NAMES[name].items():
        assert method in now[name], f"{name} has no {method}"
        called = [as_it_was(name, one) for one in now[name][method] or []]
        assert was is None or called_alike(was, called) == [], f"{name}.{method}"


def as_it_was(name: str, parameter: list[str]) -> list[str]:
    """With the default of 0.2, where it was changed on purpose."""
    old, new = CHANGED.get((name, parameter[0]), (None, None))
    return [*parameter[:2], old] if new is not None and parameter[2] == new else parameter


def called_alike(was: list[list[str]], now: list[list[str]]) -> list[str]:
    """What is wrong with a signature for those who call it by the old one."""
    known = {name: (kind, default) for name, kind, default in now}
    wrong = [f"{name} is {known.get(name)}, was {kind, default}" for name, kind, default in was
             if known.get(name) != (kind, default)]  # fmt: skip
    places = [[name for name, kind, _ in signature if kind in POSITIONAL] for signature in (was, now)]
    if places[1][: len(places[0])] != places[0]:
        wrong.append(f"positions are {places[1]}, were {places[0]}")
    old = {name for name, _, _ in was}
    needed = [n for n, kind, default in now if n not in old and default is None and not kind.startswith("VAR")]
    return [*wrong, *(f"{name} has no default" for name in needed)]


def test_a_signature_that_changes_is_noticed() -> None:
    was = [["x", "POSITIONAL_OR_KEYWORD", None], ["n", "KEYWORD_ONLY", "3"]]
    assert called_alike(was, [*was, ["more", "KEYWORD_ONLY", "None"]]) == []
    for now in (
        was[:1], was[::-1][:1], [was[0], ["n", "KEYWORD_ONLY", "4"]], [*was, ["more", "KEYWORD_ONLY", None]],
        [["y", "POSITIONAL_OR_KEYWORD", "1"], *was],
    ):  # fmt: skip
        assert called_alike(was, now)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    commands.write(folder)
    for name, line in commands.MADE.items():
        make.run(f"{line} -q --save {name}", folder)
    return folder


@pytest.mark.parametrize("name", JSON)
def test_json_has_every_key_that_it_had(name: str, texts: Path) -> None:
    now = commands.places(make.run(commands.JSON[name], texts))
    assert [key for key in JSON[name] if key not in now] == []
