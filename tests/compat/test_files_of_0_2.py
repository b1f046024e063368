"""Whatever 0.2 wrote opens today, and says what it said: models, parts, pickles, checkpoints, folders of shards.

Files and answers are in `0.2/`, made by `make.py`. Where numbers are rounded as on the machine that made them, they
must be the same to the bit; elsewhere they may differ as rounding lets them.
"""

from __future__ import annotations

import json
import math
import pickle
import re
import shutil
from pathlib import Path
from typing import Any

import commands
import instances
import pytest
from command import run

import softcount as sc

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of so little text

HERE = Path(__file__).parent / "0.2"
MADE = json.loads((HERE / "made.json").read_text())
SAME_MACHINE = {key: MADE[key] for key in instances.machine()} == instances.machine()
NEAR = 1e-12 if SAME_MACHINE else 1e-9  # of what is read from a file, and of what is computed elsewhere
NUMBER = re.compile(r"-?\b\d+\.\d+(?:e-?\d+)?\b")
SINGLE = 1e-4  # of topics, whose numbers are of single precision
IN_SINGLE = ("plsa", "plsa-held-out", "plsa-seeds", "plsa-features", "plsa-auto")


def kept(path: str) -> Any:
    return json.loads((HERE / path).read_text(encoding="utf-8"))


def differing(expected: Any, found: Any, near: float, place: str = "") -> list[str]:
    """Where these are not the same; all but numbers must be."""
    if isinstance(expected, float) and isinstance(found, int | float):
        alike = expected == found or (math.isnan(expected) and math.isnan(found))
        alike = alike or (not SAME_MACHINE and math.isclose(expected, found, rel_tol=near, abs_tol=near))
        return [] if alike else [f"{place}: {found!r}, it was {expected!r}"]
    if isinstance(expected, dict) and isinstance(found, dict):
        missing = [f"{place}.{key}: is missing" for key in expected.keys() - found.keys()]
        both = [key for key in expected if key in found]
        return missing + [one for key in both for one in differing(expected[key], found[key], near, f"{place}.{key}")]
    if not SAME_MACHINE and isinstance(expected, str) and isinstance(found, str):
        return differing_text(expected, found, near, place)
    if not SAME_MACHINE and ranked(expected) and ranked(found):
        return differing_ranks(dict(expected), dict(found), near, place)
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [one for k, (was, now) in pairs for one in differing(was, now, near, f"{place}[{k}]")]
    return [] if expected == found else [f"{place}: {found!r}, it was {expected!r}"]


def differing_text(expected: str, found: str, near: float, place: str) -> list[str]:
    """Texts may have other digits where they print a number."""
    if NUMBER.split(expected) != NUMBER.split(found):
        return [f"{place}: {found!r}, it was {expected!r}"]
    numbers = ([float(one) for one in NUMBER.findall(text)] for text in (expected, found))
    return differing(*numbers, near, place)


def ranked(value: Any) -> bool:
    """Whether it is a list of names with their weights, the largest first."""
    shapes = isinstance(value, list) and all(isinstance(row, list) and len(row) == 2 for row in value)
    return bool(shapes and value) and all(isinstance(name, str) and isinstance(w, float) for name, w in value)


def differing_ranks(expected: dict[str, float], found: dict[str, float], near: float, place: str) -> list[str]:
    """Names whose weights differ by rounding may change places, and leave the list at its end."""
    only = [(name, was) for name, was in expected.items() if name not in found]
    came = [(name, now) for name, now in found.items() if name not in expected]
    ends = [(min(found.values()), only), (min(expected.values()), came)]
    lost = [f"{place}: {name} {w!r} is in one list only" for end, rows in ends for name, w in rows if w > end + near]
    both = [name for name in expected if name in found]
    return lost + [one for name in both for one in differing(expected[name], found[name], near, f"{place}.{name}")]


def said(model: Any, new: tuple[Any, ...]) -> Any:
    """In JSON's terms, there and back, as what is kept is."""
    return json.loads(json.dumps(instances.answers(model, new)))


def near(name: str) -> float:
    return SINGLE if name in IN_SINGLE else NEAR


@pytest.mark.parametrize("name", instances.MODELS)
def test_a_model_opens_and_answers_as_it_did(name: str) -> None:
    model = sc.load(HERE / "models" / f"{name}.model")
    assert differing(kept(f"answers/{name}.json"), said(model, instances.MODELS[name]().new), near(name)) == []


@pytest.mark.parametrize("name", sorted(path.stem for path in (HERE / "models").glob("*.model")))
def test_a_model_that_is_saved_again_is_the_same(name: str, tmp_path: Path) -> None:
    old = sc.load(HERE / "models" / f"{name}.model")
    old.save(tmp_path / "again")
    again, new = sc.load(tmp_path / "again"), (instances.MODELS[name]().new if name in instances.MODELS else ((),))
    assert again.signature_ == old.signature_ and repr(again) == repr(old)
    assert again.reading_ == old.reading_ and again.data_ == old.data_
    if name in instances.MODELS:
        assert differing(said(old, new), said(again, new), 0.0) == []


@pytest.mark.parametrize("name", kept("learned.json"))
def test_what_is_learned_keeps_its_names(name: str) -> None:
    model = sc.load(HERE / "models" / f"{name}.model")
    assert [one for one in kept("learned.json")[name] if not hasattr(model, one)] == []


@pytest.mark.parametrize("path", sorted((HERE / "pickles").glob("*.pickle")), ids=lambda path: path.stem)
def test_a_pickle_opens(path: Path) -> None:
    found = pickle.loads(path.read_bytes())
    if path.stem in instances.MODELS:
        new = instances.MODELS[path.stem]().new
        assert differing(kept(f"answers/{path.stem}.json"), said(found, new), near(path.stem)) == []
        return
    fresh = {
        "corpus": lambda: sc.corpus(instances.SENTENCES[:4]),
        "documents": lambda: sc.documents(instances.DOCUMENTS[:3]),
        "bitext": lambda: sc.bitext(instances.SOURCE[:3], instances.TARGET[:3]),
    }[path.stem]()
    assert found.digest() == fresh.digest()


@pytest.mark.parametrize("name", instances.INTERRUPTED)
def test_a_run_that_0_2_began_ends_as_one_of_today(name: str, tmp_path: Path) -> None:
    make, steps = instances.INTERRUPTED[name]
    shutil.copy(HERE / "checkpoints" / f"{name}.ckpt", tmp_path / "run.ckpt")
    taken: list[Any] = []
    resumed = make().trained(checkpoint=tmp_path / "run.ckpt", on_step=lambda *step: taken.append(step))
    whole: list[Any] = []
    fresh = make().trained(on_step=lambda *step: whole.append(step))
    assert len(taken) == len(whole) - steps > 0, "it began anew"
    new = make().new
    assert differing(said(fresh, new), said(resumed, new), SINGLE if name.startswith("plsa") else 1e-7) == []
    assert differing(kept(f"finished/{name}.json"), said(fresh, new), SINGLE if name.startswith("plsa") else 1e-7) == []


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    commands.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", commands.READ)
def test_a_model_reads_text_as_it_did(name: str, texts: Path) -> None:
    ran = run(f"{commands.READ[name][1]} -q --apply {HERE / 'models' / name}.model")
    assert ran.code == 0 and ran.out == kept("read.json")[name], ran.err


@pytest.mark.parametrize("name", commands.SHARDS)
def test_a_folder_trains_as_it_did(name: str, texts: Path) -> None:
    ran = run(f"{commands.SHARDS[name][1].format(HERE / 'shards' / name)} -q")
    found, wanted = ran.out, kept("read.json")[name]
    if name == "documents":  # topics and their prevalence; their words are ranked in another way since
        found, wanted = ([line.split("\t")[:2] for line in lines.splitlines()] for lines in (found, wanted))
    assert ran.code == 0 and found == wanted, ran.err


@pytest.mark.parametrize("name", commands.SHARDS)
def test_a_folder_is_the_text_it_was_made_of(name: str, texts: Path) -> None:
    """Written today, it has the same digest: what is bound to the one is good for the other."""
    assert run(f"{commands.SHARDS[name][0]} --out again -q").code == 0
    again, old = (json.loads(run(f"info {path} --json").out) for path in ("again", HERE / "shards" / name))
    assert {key: old[key] for key in ("kind", "digest", "reading")} == {
        key: again[key] for key in ("kind", "digest", "reading")
    }


def test_info_knows_every_file() -> None:
    for path in [
        *(HERE / "models").glob("*.model"),
        *(HERE / "checkpoints").glob("*.ckpt"),
        *(HERE / "shards").iterdir(),
    ]:
        ran = run(f"info {path}")
        assert ran.code == 0 and "0.2.0" in run(f"info {path} --json").out, (path, ran.err)
