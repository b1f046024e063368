"""What info says of a model whose numbers cannot be meant, with checksums that are right: a refusal, in a line."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from command import run
from forgery import put_together, taken_apart

import softcount
from softcount.cli.info import _checkpoint_lines

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def content(tmp_path_factory: Any) -> bytes:
    path = tmp_path_factory.mktemp("m") / "m"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        softcount.HMM(2, criterion="em:2", start="random").fit(["a b", "b c a"]).save(path)
    return bytes(path.read_bytes())


@pytest.mark.parametrize("where", ["sizes", "data", "seconds"])
@pytest.mark.parametrize("number", [NAN, INF, -INF, -1, 10**18, 10**400, 4.6e18])
@pytest.mark.parametrize("json", ["", " --json"])
def test_numbers_that_cannot_be_are_refused(
    content: bytes, where: str, number: float, json: str, tmp_path: Path
) -> None:
    parts = taken_apart(content)
    body = parts.about["body"]
    if where == "seconds":
        step = body["traces"][""]["steps"][0]["$Step"]
        assert isinstance(step[6], float)
        step[6] = number
    else:
        name = next(name for name, value in body[where].items() if isinstance(value, int))
        body[where][name] = number
    (tmp_path / "m").write_bytes(put_together(parts.metadata, parts.about, parts.arrays))
    ran = run(f"info {tmp_path / 'm'}{json}")
    assert ran.code == 2 and not ran.out and len(ran.said) == 1 and "Traceback" not in ran.err, ran.err


@pytest.mark.parametrize(
    ("criterion", "took", "stopped"),
    [
        ("em:1", "1 iteration", "1 iteration done"),
        ("em:2", "2 iterations", "2 iterations done"),
        ("gibbs(chains=1):1", "1 iteration", "1 chain of 1 sweep done"),
        ("gibbs(chains=2):3", "6 iterations", "2 chains of 3 sweeps done"),
    ],
)
def test_iterations_agree_in_number(criterion: str, took: str, stopped: str, tmp_path: Path) -> None:
    model = softcount.HMM(2, criterion=criterion, start="random", tolerance=0).fit(["a b", "b c a"])
    model.save(tmp_path / "m")
    assert model.history_.stopped.text == stopped
    lines = run(f"info {tmp_path / 'm'}").out
    assert f": {took}, " in lines and f" s in total; {stopped}; objective" in lines


@pytest.mark.parametrize(("n", "done"), [(1, "1 iteration done"), (12, "12 iterations done")])
def test_iterations_of_a_checkpoint_agree_in_number(n: int, done: str) -> None:
    found = {"about": {}, "finished": [], "under_way": {"tag": {"steps": n}}}
    assert dict(_checkpoint_lines(found))["under way"] == f"tag, {done}; run the same command again to resume"


def test_the_ending_in_an_older_file_is_shown_as_it_was_written(content: bytes, tmp_path: Path) -> None:
    parts = taken_apart(content)
    stopped = parts.about["body"]["traces"][""]["stopped"]["$Ending"]
    assert stopped[1] == "2 iterations done"
    stopped[1] = "2 steps done"
    (tmp_path / "m").write_bytes(put_together(parts.metadata, parts.about, parts.arrays))
    assert "; 2 steps done; objective" in run(f"info {tmp_path / 'm'}").out
    assert softcount.load(tmp_path / "m").history_.stopped.text == "2 steps done"


def test_a_model_as_it_was_written_is_told(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(content)
    assert run(f"info {tmp_path / 'm'}").code == 0
