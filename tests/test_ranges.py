"""Translation tables in ranges: what is learned is what one table learns, and nobody has the whole."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from copying import Copying
from test_letters import text
from test_shards import write

from softcount import InputError, WordAligner
from softcount.criteria.spec import STATES
from softcount.disk.state import flatten
from softcount.disk.store import Stored, save
from softcount.estimators import ranged
from softcount.loop import ranged_text, ranges
from softcount.loop.resume import Finished, Position, Restart, Saved
from softcount.loop.trace import RECORDS
from softcount.models import agreement, ibm, jump_hmm
from softcount.models.ibm import IBMTables
from softcount.synthetic import bilingual

PAIRS = bilingual(60, seed=4)
LEANING = {"agreement": False, "stems": "4,2"}
WEIGHTS = np.array([0.0, 1.0, 2.5, 1.0, 0.3, 7.0])[np.random.default_rng(3).integers(0, 6, len(PAIRS.source))]
KINDS = (IBMTables, *STATES, Finished, Saved, Position, Restart, *RECORDS)
TYPES = {kind.__name__: kind for kind in KINDS}


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibm, "BLOCK", 200)
    monkeypatch.setattr(jump_hmm, "SHARD", 600)
    monkeypatch.setattr(agreement, "SHARD", 200)
    monkeypatch.setattr(ranges, "RANGE", 300)


class Watched(Copying):
    """How large the largest thing is that leaves the driver or comes to it, once the text is placed."""

    def __init__(self) -> None:
        super().__init__(near=False)
        self.largest, self.most = 0, 0

    def share(self, value: Any) -> bytes:
        shared = super().share(value)
        self.largest = max(self.largest, len(shared))
        return shared

    def map(self, fn: Any, handles: Any, shared: bytes) -> Any:
        for found in super().map(fn, handles, shared):
            self.largest = max(self.largest, len(pickle.dumps(found)))
            yield found

    def keep(self, fn: Any, rows: Any, shared: bytes, n: int = 1) -> list[list[bytes]]:
        self.most = max(self.most, n)
        return super().keep(fn, rows, shared, n)


def learned(model: Any) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    flatten(model._bodies, arrays)
    return arrays


def tables(model: Any) -> dict[str, Any]:
    """Without what files say besides: which last digits of two tables differ."""
    if model.agreed_:
        return learned(model)
    arrays: dict[str, Any] = {}
    flatten({name: [one.parameters, one.log_weights, one.totals] for name, one in model.directions_.items()}, arrays)
    return arrays


def same(near: Any, far: Any) -> None:
    close(learned(near), learned(far))


def close(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert one.keys() == two.keys()
    for key, table in one.items():
        largest = np.max(np.abs(table), initial=0.0, where=np.isfinite(table))
        near = 5e-7 if key.endswith(".links") else 1e-12  # links are counted once more in single precision
        np.testing.assert_allclose(two[key], table, rtol=near, atol=1e-15 * largest, err_msg=key)


def trained(engine: Any, checkpoint: Any = None, weights: Any = None, **settings: Any) -> Any:
    return WordAligner(engine=engine, **settings).fit(PAIRS.source, PAIRS.target, weights, checkpoint=checkpoint)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"preset": "best"},
        {"stems": "none", "spelling": False},
        {"stems": "4", "fertility": False, "stem_strength": 2.0},
        {"stem_strength": "evidence"},
        {"preset": "best", "stem_strength": "evidence"},
        {"stems": "4", "stem_strength": "evidence", "weights": WEIGHTS, "spelling": False},
        {"model": "ibm1:2,ibm2:2", "criterion": "vb", "prior_over": "vocabulary"},
    ],
    ids=str,
)
def test_what_is_learned_in_ranges_is_what_one_table_learns(settings: dict[str, Any]) -> None:
    far = Watched()
    near, ranged = trained("threads", **settings), trained(far, **settings)
    assert far.most > 5, "a table that is not cut"
    same(near, ranged)
    assert near.align(PAIRS.source, PAIRS.target) == ranged.align(PAIRS.source, PAIRS.target)


def test_letters_of_another_script_are_learned_in_ranges() -> None:
    near, far = (WordAligner(engine=engine).fit(*text(60)) for engine in ("threads", Watched()))
    assert near.agreed_.how.letters
    same(near, far)


@pytest.mark.parametrize("settings", [{"agreement": True}, {"model": "ibm1", "direction": "forward"}], ids=str)
def test_the_driver_never_has_a_table_while_it_trains(settings: dict[str, Any], monkeypatch: Any) -> None:
    monkeypatch.setattr(ibm, "BLOCK", 5000)
    monkeypatch.setattr(agreement, "SHARD", 5000)
    monkeypatch.setattr(ranges, "RANGE", 5000)
    rng, far, sizes = np.random.default_rng(1), Watched(), list[int]()
    lines = [" ".join(f"w{k}" for k in rng.permutation(200)[:20]) for _ in range(120)]
    met = {pair for one, two in zip(lines, lines[::-1], strict=True) for pair in product(one.split(), two.split())}
    model = WordAligner(engine=far, criterion="em:2", spelling=False, **settings)
    model.fit(lines, lines[::-1], on_step=lambda *_: sizes.append(far.largest))
    dense = [part.nbytes for side in model.agreed_.parameters[1:] for part in side] if model.agreed_ else []
    assert len(sizes) >= 2 and sizes[-1] < 4 * len(met) + sum(dense)  # bytes: less than one number for every entry


@pytest.mark.thorough
def test_where_the_ranges_are_cut_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for size, most in ((10**9, 2048), (300, 2048), (1, 4)):  # one range, some, one for every source word and few shards
        monkeypatch.setattr(ranges, "RANGE", size)
        monkeypatch.setattr(ranged_text, "MOST_SHARDS", most)
        found.append(trained(Watched(), model="ibm1:2,hmm:2", criterion="em", agreement=False))
    same(found[0], found[1])
    same(found[0], found[2])


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "em:2,mre:2", "model": "ibm1", "agreement": False},
        {"criterion": "em:1,constrained(em,strength=2):2", "model": "hmm", "agreement": False},
        {"criterion": "constrained(vb):2", "model": "hmm", "agreement": False, "direction": "reverse"},
        {"criterion": "em:1,mre(rule=adaptive):3", "model": "hmm", "agreement": False},
        {"criterion": "em:1,mre(rule=growth):2", "model": "ibm2", "agreement": False},
        {"criterion": "em:2", "model": "ibm1", "agreement": False, "dictionary": True},
        {"criterion": "vb:2", "model": "ibm1", "agreement": False, "dictionary": True, "alpha": {"*": 0.1}},
        {"model": "ibm1:1,hmm:1", "criterion": "em", "agreement": True, "dictionary": True},
        {"preset": "best", "dictionary": True},
        {"sparse": (0.5, 0.1), "model": "ibm1:2,hmm:2", "criterion": "em"},
        {"sparse": (0.5, 0.1), "model": "ibm1", "criterion": "hard:3", "dictionary": True},
        {"sparse": (0.5, 0.1), "model": "ibm1", "criterion": "em:2,mre:2"},
    ],
    ids=str,
)
def test_criteria_and_dictionaries_go_to_the_ranges(settings: dict[str, Any]) -> None:
    if "dictionary" in settings:
        settings = {**settings, "dictionary": entries()}
    if "alpha" in settings:
        settings = {**settings, "alpha": {**settings["alpha"], met()[0][1]: 0.5}}
    far = Watched()
    same(trained("threads", **settings), trained(far, **settings))
    assert far.most > 5, "a table that is not cut"


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "settings",
    [
        {"model": "ibm1:2,hmm:2", "criterion": "em", "agreement": True},
        {"preset": "best"},
        {"model": "ibm1:1,ibm2:2", "criterion": "em(pseudo=0.1)", "agreement": False, "dictionary": True},
        {"model": "ibm1", "criterion": "vb:3", "agreement": False, "direction": "reverse"},
        {"model": "hmm", "criterion": "em:2", "agreement": False, "direction": "forward", "sparse": (0.5, 0.1)},
        {**LEANING, "model": "ibm1:1,hmm:1", "criterion": "em", "stem_strength": "evidence"},
        {**LEANING, "model": "ibm2", "criterion": "stepwise(em,batches=3):2", "direction": "forward"},
    ],
    ids=str,
)
def test_what_another_text_has_counted_goes_to_the_ranges(settings: dict[str, Any]) -> None:
    """Half of the pairs are the other text; it has words that this one has not, and the other way round."""
    if "dictionary" in settings:
        settings = {**settings, "dictionary": entries()}
    prior = WordAligner(**settings).fit(PAIRS.source[:30], PAIRS.target[:30])
    far, found = Watched(), []
    for engine in ("threads", far):
        model = WordAligner(engine=engine, prior=prior, prior_strength=0.7, **settings)
        found.append(model.fit(PAIRS.source[20:], PAIRS.target[20:]))
    assert far.most > 5, "a table that is not cut"
    close(*map(tables, found))
    assert found[0].align(PAIRS.source, PAIRS.target) == found[1].align(PAIRS.source, PAIRS.target)
    again = [WordAligner(prior=one, **settings).fit(PAIRS.source[:9], PAIRS.target[:9]) for one in found]
    close(*map(tables, again))  # what is left of the prior's counts for the next


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "settings",
    [
        {"model": "ibm1", "criterion": "vb:3", "agreement": False},
        {"model": "ibm1:2,ibm2:2", "criterion": "em", "agreement": False, "dictionary": True, "null": "learn"},
        {"model": "hmm", "criterion": "em:2,mre:1", "agreement": False, "direction": "reverse"},
        {"model": "ibm1", "criterion": "em:2", "direction": "forward", "sparse": (0.5, 0.1)},
        {"agreement": True},
        {"preset": "best"},
    ],
    ids=str,
)
def test_pairs_count_in_ranges_by_their_weights(settings: dict[str, Any]) -> None:
    """Some count nothing, and their words meet all the same."""
    if "dictionary" in settings:
        settings = {**settings, "dictionary": entries()}
    far = Watched()
    found = trained(far, weights=WEIGHTS, **settings)
    assert far.most > 5, "a table that is not cut"
    same(trained("threads", weights=WEIGHTS, **settings), found)
    with pytest.raises(AssertionError):
        same(trained("threads", **settings), found)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "settings",
    [
        {"model": "ibm1", "criterion": "stepwise(em,batches=4):3", "agreement": False},
        {"model": "ibm1:2,ibm2:3", "criterion": "stepwise(em(pseudo=0.1),batches=3,decay=0.6)", "null": "learn"},
        {"model": "ibm1:1,hmm:2", "criterion": "stepwise(vb,batches=3)", "agreement": False, "alpha": {"*": 0.1}},
        {"model": "hmm", "criterion": "em:1,stepwise(hard,batches=5):2,em:1", "direction": "reverse"},
        {"model": "ibm2", "criterion": "stepwise(em,batches=2):2", "dictionary": True, "direction": "forward"},
        {"model": "ibm1", "criterion": "stepwise(em,batches=100):2", "direction": "forward"},
        {"model": "ibm1", "criterion": "stepwise(em,batches=3):2", "direction": "forward", "sparse": (0.5, 0.1)},
        {"model": "ibm1", "criterion": "em:1,stepwise(vb,batches=3):2", "weights": WEIGHTS},
    ],
    ids=str,
)
def test_mini_batches_are_the_same_in_ranges(settings: dict[str, Any]) -> None:
    if "dictionary" in settings:
        settings = {**settings, "dictionary": entries()}
    far = Watched()
    same(trained("threads", **settings), trained(far, **settings))
    assert far.most > 5, "a table that is not cut"


def test_mini_batches_of_a_folder_are_the_same_in_ranges(tmp_path: Path) -> None:
    """There, a mini-batch is several pieces of the files."""
    for name, lines in (("one", PAIRS.source), ("two", PAIRS.target)):
        (tmp_path / name).write_text("".join(f"{' '.join(line)}\n" for line in lines))
    write(tmp_path / "pairs", "pairs", [tmp_path / "one"], [tmp_path / "two"])
    far, settings = Watched(), {"model": "ibm1:1,hmm:2", "criterion": "stepwise(em,batches=3)", "agreement": False}
    near, ranged = (WordAligner(engine=engine, **settings).fit(tmp_path / "pairs") for engine in ("threads", far))
    assert far.most > 5, "a table that is not cut"
    same(near, ranged)


@pytest.mark.parametrize("far", [True, False], ids=["in ranges", "threads"])
@pytest.mark.parametrize(
    "settings",
    [
        {"model": "ibm2", "criterion": "em:1", "direction": "forward"},
        {"model": "ibm2", "criterion": "stepwise(em,batches=3):1", "direction": "forward"},
        {"agreement": True, "spelling": False},
    ],
    ids=str,
)
def test_an_impossible_pair_is_named_as_it_came(settings: dict[str, Any], far: bool) -> None:
    """Pairs are sorted by weights, and shuffled into mini-batches; the second of 60 is the one that cannot be."""
    source = [PAIRS.source[0], ["alone"], *PAIRS.source[2:]]
    target = [PAIRS.target[0], ["never"], *PAIRS.target[2:]]
    engine, entry = Watched() if far else "threads", [("alone", "never", "never")]
    weights = 60.0 - np.arange(60)
    weights[0] = 0.0
    with pytest.raises(InputError, match=":2: the pair has probability zero"):
        WordAligner(null=0.0, dictionary=entry, engine=engine, **settings).fit(source, target, weights)


def met() -> list[tuple[str, str]]:
    """First words of pairs, which meet."""
    return [(one[0], two[0]) for one, two in zip(PAIRS.source, PAIRS.target, strict=True)]


def entries() -> list[tuple[str, str, str]]:
    kinds = ("must", "prefer", "never")
    return [(*pair, kinds[k % 3]) for k, pair in enumerate(dict.fromkeys(met()))][:9]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "settings",
    [
        {"model": "ibm1:2,hmm:2", "criterion": "em", "agreement": True},
        {"criterion": "vb:3", "model": "ibm1:2,hmm:2"},
        {"criterion": "em:2,mre:3", "model": "ibm1"},
        {"criterion": "constrained(em):4", "model": "hmm", "agreement": False, "direction": "forward"},
        {**LEANING, "criterion": "em:4", "model": "hmm", "stem_strength": "evidence"},
        {"criterion": "stepwise(em,batches=3):2,stepwise(vb,batches=4):2", "model": "ibm1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("ways", [("far", "far"), ("far", "near"), ("near", "far")])
def test_a_checkpoint_is_good_for_tables_in_ranges_and_whole(
    settings: dict[str, Any], ways: tuple[str, str], tmp_path: Path
) -> None:
    """Ended after some steps, and gone on with: by the same way, or by the other."""
    engines = {"near": lambda: "threads", "far": Watched}

    def stop(name: str, step: Any) -> None:
        steps.append(step)
        if len(steps) == 3:
            raise KeyboardInterrupt

    expected, steps, file = trained("threads", **settings), list[Any](), tmp_path / "checkpoint"
    first, then = (engines[way]() for way in ways)
    with pytest.raises(KeyboardInterrupt):
        WordAligner(engine=first, **settings).fit(
            PAIRS.source, PAIRS.target, on_step=stop, checkpoint=file, checkpoint_every=1
        )
    done = WordAligner(engine=then, **settings).fit(PAIRS.source, PAIRS.target, on_step=stop, checkpoint=file)
    assert len(steps) <= sum(map(len, done.history_.values())) + 2, "began anew"
    same(expected, done)
    again = WordAligner(engine=then, **settings).fit(PAIRS.source, PAIRS.target, checkpoint=file)
    same(done, again)


def test_a_checkpoint_of_other_tables_is_refused(tmp_path: Path) -> None:
    """Of the same text and settings, but with numbers that cannot be: each range looks at its own."""
    file = tmp_path / "checkpoint"
    trained(Watched(), criterion="em:2", model="ibm1", checkpoint=file)
    stored = Stored(file)
    body = stored.restore(stored.body, TYPES)
    for results in body["results"].values():
        values = results.parameters.translation.values
        values[-1] = -values[-1]
    save(file, stored.kind, body)
    with pytest.raises(InputError, match="belongs to another model"):
        trained(Watched(), criterion="em:2", model="ibm1", checkpoint=file)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"criterion": "gibbs:2", "model": "ibm1"}, "gibbs draws all rows from one stream of random numbers"),
        (
            {"criterion": "stepwise(em,batches=2000):1", "model": "ibm1"},
            "weights and mini-batches would divide the text into 60 parts, more than 50",
        ),
        (
            {"agreement": False, "model": "hmm(constrained(em,of=symmetry)):2"},
            "both directions are trained side by side",
        ),
        (
            {**LEANING, "criterion": "em:1,mre:1", "model": "ibm1", "stem_strength": "evidence"},
            "mre asks each range alone, and strengths of stems are chosen by all of them",
        ),
        (
            {"criterion": "em:2", "model": "ibm1", "weights": np.arange(1.0, 61.0)},
            "weights and mini-batches would divide the text into 60 parts, more than 50",
        ),
    ],
    ids=str,
)
def test_what_needs_whole_tables_has_them_and_says_so(more: dict[str, Any], why: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(ranged, "MOST_PARTS", 50)
    far = Watched()
    model = trained(far, **more)
    same(trained("threads", **more), model)
    assert far.most == 0
    remarks = [remark for trace in model.history_.values() for remark in trace.remarks]
    assert all(
        remark.startswith(f"translation tables are kept whole in this process instead of partitioned: {why}")
        for remark in remarks
    )
    assert remarks
