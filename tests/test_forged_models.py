"""Models with right checksums and every leaf and array altered in turn: refused in one line, or good for every use."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import MODELS, answers
from command import refused, run
from forgery import altered, put_together, refusal, taken_apart
from test_damaged_models import MAKERS, OTHER, ROWS, TEXT

import softcount
from softcount.disk.sound import annotated
from softcount.errors import InputError
from softcount.report.tables import tables

POINTS = {"kmeans": [[0.0], [1.0]], "gaussian": [[0.0], [1.0], [3.0]], "network": ROWS}
# Values of the wrong kind, of which every second is tried; all, and more of them, where time is given.
FEW = [None, True, -1, 2**62, 1.5, float("nan"), "x", [], {"a": 1}, {"$array": "nowhere"}, "line\nbreak" * 50]


def made(kind: str) -> tuple[bytes, tuple[Any, ...]]:
    MAKERS[kind]().save("model")
    data = (TEXT, OTHER) if kind == "aligner" else (POINTS.get(kind, TEXT),)
    return Path("model").read_bytes(), data


def outcome(data: tuple[Any, ...]) -> str:
    """What becomes of the file: a refusal on opening, of the user's data, or answers that are numbers."""
    try:
        model = softcount.load("model")
    except InputError as error:
        assert refusal(str(error), "model"), str(error)
        return "refused"
    try:
        said = answers(model, data)
    except InputError as error:  # a model that is good for other data
        assert str(error).isprintable()
        return "other data"
    for method, found in said:
        flat = np.frombuffer(found[2], found[0]) if isinstance(found, tuple) and found[0] == "<f8" else np.zeros(1)
        assert not np.isnan(flat).any() or method == "scores"
        if method in ("predict_proba", "transform") and not hasattr(model, "inertia_"):
            assert flat.min() >= 0.0 and flat.max() <= 1.0 + 1e-9
    assert dict(tables(model)) and repr(model)
    return "accepted"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", MAKERS)
def test_every_alteration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    content, data = made(kind)
    assert outcome(data) == "accepted"
    wrong, seen = {}, dict.fromkeys(("refused", "accepted", "other data"), 0)
    every = altered(content) if os.environ.get("FUZZ_SECONDS") else islice(altered(content, FEW), 0, None, 5)
    for where, forged in every:
        Path("model").write_bytes(forged)
        try:
            seen[outcome(data)] += 1
        except Exception as error:
            wrong[where] = f"{type(error).__name__}: {error}"[:200]
    assert not wrong, wrong
    assert seen["refused"] > 4 * (seen["accepted"] + seen["other data"])


BAD: list[tuple[str, str, Any]] = [
    ("hmm", "learned.parameters_.emission", lambda a: a.astype("<f2")),
    ("hmm", "learned.parameters_.emission", lambda a: a.astype("<f4")),
    ("hmm", "learned.parameters_.initial", lambda a: np.array([1.5, -0.5])),
    ("hmm", "learned.parameters_.initial", lambda a: a * 0.9),
    ("plsa", "learned.prevalence_", lambda a: -a),
    ("plsa", "learned.parameters_.topic", lambda a: a.astype("<f2")),
    ("mixture", "learned.log_weights.cluster", lambda a: a + 2.0),
    ("mixture", "learned.labels_", lambda a: a + 2),
    ("kmeans", "learned.parameters_.component", lambda a: a * [1, 1, -1]),
    ("gaussian", "learned.log_weights.component", lambda a: a * [1, 1, -1]),
    ("aligner", "learned.bodies.forward.translation", lambda a: -a),
    ("network", "learned.tables.a", lambda a: a * 0.9),
    ("network", "learned.tables.h", lambda a: a[:1]),
    ("aligner", "learned.bodies.forward.entries.values", lambda a: a[::-1].copy()),
]


@pytest.mark.parametrize(("kind", "name", "change"), BAD)
def test_tables_without_a_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, change: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    content, _ = made(kind)
    parts = taken_apart(content)
    assert name in parts.arrays
    Path("model").write_bytes(put_together(*parts[:2], parts.arrays | {name: change(parts.arrays[name])}))
    with pytest.raises(InputError, match=r"model: the tables do not fit together \(.*\); train again"):
        softcount.load("model")
    refused(run("export model --to tables"), "model: the tables do not fit together ")


SETTINGS = {
    "n_jobs": "two",
    "criterion": 7,
    "decode": "x",
    "n_states": 1.5,
    "tolerance": "x",
    "restarts": 0,
    "fixed": 7,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_wrong_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    parts = taken_apart(made("hmm")[0])
    parts.about["body"]["settings"][name] = SETTINGS[name]
    Path("model").write_bytes(put_together(*parts))
    with pytest.raises(InputError, match=r"^model: the tables do not fit together \("):
        softcount.load("model")


@pytest.mark.parametrize("name", MODELS)
def test_all_that_is_learned_is_annotated(name: str) -> None:
    """So that a file can be held to it."""
    cls = type(MODELS[name]("em:1")[0])
    assert set(cls._learned) - {"_bodies"} <= annotated(cls).keys()
    assert set(cls._optional) <= set(cls._learned)


def test_no_such_setting(tmp_path: Path) -> None:
    MAKERS["hmm"]().save(tmp_path / "m")
    for load in (softcount.load, softcount.HMM.load):
        with pytest.raises(InputError) as caught:
            load(tmp_path / "m", foo=3)
        says = "HMM has no setting 'foo'; it has n_states, choose, criterion, "
        assert str(caught.value).startswith(f"{tmp_path / 'm'}: {says}")
    assert softcount.load(tmp_path / "m", n_jobs=2).n_jobs == 2


# --- what pages and exports are made of -------------------------------------------------------------------------------

LETTERS = ["a b c", "b c a", "c a"] * 3


def lm() -> Any:
    return softcount.LanguageModel(2, characters=True).fit(LETTERS)


def decipher() -> Any:
    return softcount.Decipher(lm(), criterion="em:1", restarts=1, random_state=0).fit(LETTERS)


SIGNED = {
    "no order": "softcount 0.3.0 | decipher | criterion=em:3",
    "an order without end": f"softcount 0.3.0 | decipher | order={10**17} criterion=em:3",
    "an order of many digits": f"softcount 0.3.0 | decipher | order={'9' * 5000} criterion=em:3",
    "a long name": f"softcount 0.3.0 | model={'a' * 400_000} order=3 criterion={'a' * 400_000}",
    "many brackets": f"softcount 0.3.0 | model={'a(' * 100_000} order=3 criterion={'a(' * 100_000}",
    "half a character": "softcount 0.3.0 | \udcff",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [decipher, MAKERS["aligner"]])
@pytest.mark.parametrize("what", SIGNED)
def test_a_signature_is_a_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any, what: str) -> None:
    """A page looks in it for the stages of training: as many as there were, and in time in proportion."""
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a b c\n")
    make().save("model")
    parts = taken_apart(Path("model").read_bytes())
    parts.about["body"]["signature"] = SIGNED[what]
    Path("model").write_bytes(put_together(*parts))
    for command in ("report model --out page.html", "info model", "show model", "export model --to tables"):
        assert run(command).code == 0, command


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts.arrays["learned.orders_.0.log_backoff"].__setitem__(4, 1e30),
        lambda parts: parts.about["body"]["learned"]["discounts_"].pop(),
        lambda parts: parts.about["body"]["reading"].__setitem__("tokenize", 7),
        lambda parts: parts.about["body"]["reading"].__setitem__("text_column", True),
    ],
)
def test_what_no_language_model_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    monkeypatch.chdir(tmp_path)
    lm().save("model")
    parts = taken_apart(Path("model").read_bytes())
    parts = parts._replace(arrays={name: array.copy() for name, array in parts.arrays.items()})
    parts.about["body"].setdefault("reading", {})
    Path("model").write_bytes(put_together(*parts))
    assert run("report model --out page.html -q").code == 0
    change(parts)
    Path("model").write_bytes(put_together(*parts))
    refused(run("report model --out page.html"), "model: the tables do not fit together ")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("letters", ["x", -1, float("nan"), float("inf"), 10**30, None, True])
def test_counts_of_the_training_text_are_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, letters: Any) -> None:
    monkeypatch.chdir(tmp_path)
    decipher().save("model")
    parts = taken_apart(Path("model").read_bytes())
    parts.about["body"]["data"]["letters"] = letters
    Path("model").write_bytes(put_together(*parts))
    refused(run("show model"), "model: the tables do not fit together ")
    del parts.about["body"]["data"]["letters"]
    Path("model").write_bytes(put_together(*parts))
    assert run("show model").code == 0


@pytest.mark.filterwarnings("ignore")
def test_half_characters_are_exported_as_escapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parts = taken_apart(made("network")[0])
    parts.about["body"]["learned"]["values_"]["b"]["$tuple"][1] = "\ud800"
    Path("model").write_bytes(put_together(*parts))
    assert run("export model --to tables").code == 0
    assert "\\ud800" in Path("tables/b.tsv").read_text()
