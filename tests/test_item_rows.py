"""Documents' rows of topics stay where the documents are: in workers, or in files; the bits are those of one table."""

from __future__ import annotations

import gc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import DOCUMENTS, bits
from command import run
from copying import Copying

from softcount import PLSA, Shards
from softcount.engines import Threads
from softcount.engines.spilled import Folder, here
from softcount.loop import item_rows
from softcount.machine import mapped
from softcount.models import plsa

CRITERIA = ["em:4", "em(pseudo=0.5):4", "vb:4", "hard:3", "annealed(em):4", "annealed(vb):3"]


@pytest.fixture(autouse=True)
def many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plsa, "shard_cost", lambda n: 60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("rows")
    (place / "text").write_text("\n".join([*DOCUMENTS[:10], "", *DOCUMENTS[10:]]) + "\n")  # one is empty
    assert run(f"shard {place}/text --kind documents --out {place}/shards -q").code == 0
    return place / "shards"


def fitted(data: Any, engine: Any, criterion: Any = "em:4", **more: Any) -> Any:
    model = PLSA(3, criterion=criterion, random_state=1, engine=engine, **{"start": "random", **more})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data)


def placed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many shards there were whenever rows were placed."""
    found: list[int] = []
    whole = item_rows.item_rows
    monkeypatch.setattr(
        "softcount.estimators.plsa.item_rows", lambda *args: found.append(len((rows := whole(*args)).shards)) or rows
    )
    return found


@pytest.mark.parametrize("criterion", CRITERIA)
def test_rows_in_files_and_in_workers_have_the_bits_of_one_table(
    criterion: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards, used = Shards(folder), placed(monkeypatch)
    expected = fitted(shards.loaded(), Threads(2), criterion)
    assert used == []
    for data, engine in ((shards, Threads(2)), (shards, Copying(near=False)), (shards.loaded(), Copying(near=False))):
        found = fitted(data, engine, criterion)
        assert bits(found)[1] == bits(expected)[1]
        for step, other in zip(found.history_, expected.history_, strict=True):  # a divergence is a sum over all rows
            assert step.objective == pytest.approx(other.objective, rel=1e-13 if "vb" in criterion else 0.0)
    assert len(used) == 3 and min(used) > 3


@pytest.mark.parametrize(
    "more",
    [{"dtype": "float64"}, {"start": "uniform"}, {"seed_words": {1: ["cat"]}}, {"restarts": 2}, {"sparse": (0.5, 0.1)}],
    ids=str,
)
def test_whatever_the_start_is(more: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "seed_words" in more:
        more = {"seed_words": {1: [Shards(folder).vocabulary.words[3]]}}
    expected, used = fitted(Shards(folder).loaded(), "threads", **more), placed(monkeypatch)
    found = fitted(Shards(folder), "threads", **more)
    assert bits(found)[1] == bits(expected)[1] and used
    # what sparse rows are worth is a sum over all of them
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-13 if "sparse" in more else 0.0)


def test_a_start_that_is_here_is_dealt_to_the_workers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, used = Shards(folder).loaded(), placed(monkeypatch)
    near, far = (fitted(data, engine, None, start="kmeans") for engine in ("threads", Copying(near=False)))
    assert bits(near) == bits(far) and used


def test_a_model_of_rows_in_a_file_is_saved_as_any_other(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(mapped, "SMALL", 0)
    one, two = fitted(Shards(folder), "threads"), fitted(Shards(folder).loaded(), "threads")
    one.save(tmp_path / "one")
    again = PLSA.load(tmp_path / "one")
    np.testing.assert_array_equal(again.topic_, two.topic_)
    assert isinstance(one.topic_.base, np.memmap) and not isinstance(two.topic_.base, np.memmap)


@pytest.mark.parametrize("criterion", ["em:4", "vb:3"])
def test_a_checkpoint_has_the_rows_of_all_workers(
    criterion: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended in the middle, and gone on with by workers; then, as all is done, by threads, which have one table."""
    data, used, far = Shards(folder).loaded(), placed(monkeypatch), Copying(near=False)
    expected = fitted(data, "threads", criterion)
    monkeypatch.setattr(mapped, "SMALL", 0)
    model = PLSA(3, criterion=criterion, random_state=1, start="random", engine=far)

    def stop(step: Any) -> None:
        if step.step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(data, on_step=stop, checkpoint=tmp_path / "run", checkpoint_every=1)
    for engine in (far, "threads"):
        model.set_params(engine=engine).fit(data, checkpoint=tmp_path / "run")
        np.testing.assert_allclose(model.topic_, expected.topic_, rtol=1e-6)
        np.testing.assert_allclose(model.word_, expected.word_, rtol=1e-6, atol=1e-12)
    assert len(used) == 2


def test_files_of_values_are_gone_when_nobody_has_them() -> None:
    folder = Folder()
    one, two = folder.spill({"a": np.arange(3)}), folder.spill(2)
    assert here(one)["a"].tolist() == [0, 1, 2] and here(two) == 2 and here("as it is") == "as it is"
    path = one.path
    assert path.exists()
    del one
    gc.collect()
    assert not path.exists() and two.path.exists()
    folder.close()
    assert not two.path.parent.exists()
