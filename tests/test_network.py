"""Declared networks: worked examples, the specialised models as networks, ties, fixed entries, what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grid import grid_row

import softcount as sc
from softcount import HMM, InputError, NaiveBayesMixture, Network, load
from softcount.models.hmm import HMM as HMMModel
from softcount.models.hmm import HMMTables
from softcount.models.mixture import Mixture, MixtureTables
from softcount.models.network_declared import declared
from softcount.models.network_kernel import _gather, _spread
from softcount.models.plsa import PLSA, PLSATables
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import from_rows
from softcount.text.documents import from_matrix
from softcount.text.records import records
from softcount.text.structure import structure

WEATHER = {"": {"sunny": 0.95, "rainy": 0.05}}
TRAFFIC = {
    "sunny": {"normal": 0.7, "bad": 0.2, "terrible": 0.1},
    "rainy": {"normal": 0.2, "bad": 0.3, "terrible": 0.5},
}
LATE = {"normal": {"yes": 0.1, "no": 0.9}, "bad": {"yes": 0.4, "no": 0.6}, "terrible": {"yes": 0.8, "no": 0.2}}
DAY = {"weather": WEATHER, "traffic": TRAFFIC, "late": LATE}
DIARY = {
    "weather@first": WEATHER, "traffic": TRAFFIC, "late": LATE,
    "weather": {"sunny": {"sunny": 0.9, "rainy": 0.1}, "rainy": {"sunny": 0.4, "rainy": 0.6}},
}  # fmt: skip
CHAIN, OVER_TIME = "weather -> traffic -> late", "weather@-1 -> weather -> traffic -> late"


def day() -> Network:
    return Network(CHAIN, start=DAY)


# --- worked examples ------------------------------------------------------------------------------------------------


def test_late_for_work() -> None:
    net = day()
    close = lambda found, value: abs(found - value) < 1e-12  # noqa: E731
    assert close(net.query("late", weather="rainy")["yes"], 0.54)
    assert close(net.query("late")["yes"], 0.2455)
    assert close(net.query("late | weather=rainy, traffic=normal")["yes"], 0.1)
    assert close(net.query("traffic | late=yes", weather="sunny")["terrible"], 0.08 / 0.23)
    several = net.query("late, traffic | weather=rainy")
    assert close(several["late"]["yes"], 0.54) and close(several["traffic"]["bad"], 0.3)
    assert close(net.score({"late": ["yes"], "weather": ["rainy"]}), np.log(0.05 * 0.54))
    assert net.predict({"late": ["yes", "no"]}) == {
        "weather": ["sunny", "sunny"], "traffic": ["bad", "normal"], "late": ["yes", "no"]
    }  # fmt: skip


def diary_by_hand(late: list[str]) -> tuple[float, np.ndarray, np.ndarray, dict[str, Any]]:
    """(P, each day's weather, each day's traffic, expected counts) over 2³ · 3³ completions."""
    skies, roads = list(TRAFFIC), list(LATE)
    total, weather, traffic = 0.0, np.zeros((len(late), 2)), np.zeros((len(late), 3))
    counts: dict[str, Any] = {name: {g: dict.fromkeys(r, 0.0) for g, r in t.items()} for name, t in DIARY.items()}
    for sky in product(skies, repeat=len(late)):
        for road in product(roads, repeat=len(late)):
            used = [
                ("weather@first" if t == 0 else "weather", sky[t - 1] if t else "", sky[t]) for t in range(len(late))
            ]
            used += [("traffic", sky[t], road[t]) for t in range(len(late))]
            used += [("late", road[t], late[t]) for t in range(len(late))]
            p = float(np.prod([DIARY[table][given][value] for table, given, value in used]))
            total += p
            for t in range(len(late)):
                weather[t, skies.index(sky[t])] += p
                traffic[t, roads.index(road[t])] += p
            for table, given, value in used:
                counts[table][given][value] += p
    scaled = {n: {g: {v: c / total for v, c in r.items()} for g, r in t.items()} for n, t in counts.items()}
    return total, weather / total, traffic / total, scaled


def test_the_diary_by_brute_force_and_one_step_of_em() -> None:
    late = ["yes", "yes", "no"]
    total, weather, traffic, counts = diary_by_hand(late)
    net, X = Network(OVER_TIME, start=DIARY, criterion="em:1"), {"late": late}
    assert abs(np.exp(net.score(X)) - total) < 1e-12 * total
    shares = net.predict_proba(X)
    np.testing.assert_allclose(shares["weather"], weather, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shares["traffic"], traffic, rtol=0, atol=1e-12)
    asked = net.query("weather@2 | late@1=yes, late@2=yes, late@3=no")
    assert abs(asked["sunny"] - weather[1, 0]) < 1e-12
    learned = Network(OVER_TIME, start=DIARY, criterion="em:1").fit(X).to_json()
    for table, rows in counts.items():
        for given, row in rows.items():
            for value, count in row.items():
                assert abs(learned[table][given][value] - count / sum(row.values())) < 1e-12


# --- the specialised models as networks -----------------------------------------------------------------------------


def test_a_hidden_markov_model_is_a_network() -> None:
    rng = np.random.default_rng(0)
    K, V, sentences = 3, 4, from_rows([rng.integers(0, 4, n) for n in (3, 1, 5)], np.int32)
    logs = HMMTables(*(rng.normal(size=shape) for shape in ((K,), (K, K), (K, V))))
    net = declared(structure("s@-1 -> s -> w"), {"s": range(K), "w": range(V)}, observed=("w",))
    assert net.tables == ("s@first", "s", "w") and net.emits == (False, False, True)
    cells = np.stack([np.full(9, -1), sentences.values], axis=1)
    items = records(cells, sentences.offsets)

    class Sentences:
        labels = potentials = None
        offsets = sentences.offsets

    Sentences.sentences = sentences
    hmm = HMMModel(K, V, False)
    for powers in ((1.0, 1.0, 1.0), (1.0, 1.0, 2.0)):  # what maximum reconstruction asks is κ∘η
        eta = HMMTables(*(t * p for t, p in zip(logs, powers, strict=True)))
        for mode in (SUM, MAX):
            mine = net.expect(
                net.weigh(net.layout._replace(**{"s@first": eta[0], "s": eta[1], "w": eta[2]})), net.pack(items), mode
            )[0]
            theirs = hmm.expect(hmm.weigh(eta), hmm.pack(Sentences), mode)[0]
            assert np.isclose(mine.log_norm, theirs.log_norm, rtol=1e-12)
            for a, b in zip(mine.counts, theirs.counts, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("criterion", ["em:3", "vb:3", "em:1,mre:2", "annealed(em):3", "hard:2"])
def test_steps_of_a_hidden_markov_model_are_those_of_the_network(criterion: str) -> None:
    rng = np.random.default_rng(1)
    lines = [" ".join(rng.choice(list("abcd"), n)) for n in (4, 6, 3, 5)]
    start = [rng.dirichlet(np.ones(n), size) for n, size in ((2, None), (2, 2), (4, 2))]
    P = {
        "states": ["x", "y"], "initial": dict(zip("xy", start[0], strict=True)),
        "transition": {s: dict(zip("xy", start[1][i], strict=True)) for i, s in enumerate("xy")},
        "emission": {s: dict(zip("abcd", start[2][i], strict=True)) for i, s in enumerate("xy")},
    }  # fmt: skip
    hmm = HMM(start=P, criterion=criterion, prior=0.3).fit(lines)
    rows = [(i, w) for i, line in enumerate(lines) for w in line.split()]
    net = Network(
        "s@-1 -> s -> w", values={"s": "xy"}, start={"s@first": start[0], "s": start[1], "w": start[2]},
        criterion=criterion, prior=0.3, sequence="line",
    ).fit({"line": [i for i, _ in rows], "w": [w for _, w in rows]})  # fmt: skip
    words = [hmm.vocabulary_.words.index(w) for w in "abcd"]
    np.testing.assert_allclose(net.parameters_[0], hmm.initial_, rtol=1e-9)
    np.testing.assert_allclose(net.parameters_[1], hmm.transition_, rtol=1e-9)
    np.testing.assert_allclose(net.parameters_[2], hmm.emission_[:, words], rtol=1e-9)
    assert np.isclose(net.objective_, hmm.objective_, rtol=1e-11)


def test_naive_bayes_is_a_network_whose_class_stays_and_one_whose_words_share_a_table() -> None:
    rng = np.random.default_rng(2)
    K, V, documents = 3, 4, [rng.integers(0, 4, n) for n in (3, 3, 3)]
    cluster, word = rng.normal(size=K), rng.normal(size=(K, V))
    table = from_matrix(np.array([np.bincount(d, minlength=V) for d in documents], dtype=float))
    mixture = Mixture(K, V)
    theirs = mixture.expect(mixture.weigh(MixtureTables(cluster, word)), mixture.pack(table))[0]
    flat = np.concatenate(documents)
    stays = declared(structure("c@-1 -> c -> w"), {"c": range(K), "w": range(V)}, observed=("w",))
    with np.errstate(divide="ignore"):
        weights = stays.layout._replace(**{"c@first": cluster, "c": np.log(np.eye(K)), "w": word})
    items = records(np.stack([np.full(9, -1), flat], axis=1), np.array([0, 3, 6, 9]))
    mine = stays.expect(stays.weigh(weights), stays.pack(items))[0]
    assert np.isclose(mine.log_norm, theirs.log_norm, rtol=1e-12)
    np.testing.assert_allclose(mine.counts[0], theirs.counts.cluster, rtol=1e-10)
    np.testing.assert_allclose(mine.counts[2], theirs.counts.word, rtol=1e-10, atol=1e-12)
    values = {"c": range(K), **dict.fromkeys(("a", "b", "d"), range(V))}
    tied = declared(structure("c -> a, b, d"), values, [("a", "b", "d")], observed=("a", "b", "d"))
    assert tied.tables == ("c", "a")
    items = records(np.column_stack([np.full(3, -1), np.array(documents)]))
    mine = tied.expect(tied.weigh(type(tied.layout)(cluster, word)), tied.pack(items))[0]
    assert np.isclose(mine.log_norm, theirs.log_norm, rtol=1e-12)
    np.testing.assert_allclose(mine.counts[1], theirs.counts.word, rtol=1e-10, atol=1e-12)


def test_vb_and_mre_of_naive_bayes_are_those_of_the_network() -> None:
    rng = np.random.default_rng(3)
    documents, word = rng.integers(0, 3, (12, 4)), rng.dirichlet(np.ones(3), 2)
    counts = np.array([np.bincount(d, minlength=3) for d in documents], dtype=float)
    for criterion in ("vb:3", "em:1,mre:3", "em(pseudo=0.5):3"):
        settings: dict[str, Any] = {"criterion": criterion, "prior": 0.2, "pseudo": 0.0}
        theirs = NaiveBayesMixture(2, start=(np.array([0.6, 0.4]), word), **settings).fit(counts)
        net = Network(
            "c -> a, b, d, e",
            values={"c": 2},
            tie=["a,b,d,e"],
            start={"c": np.array([0.6, 0.4]), "a": word},
            **settings,
        ).fit({name: documents[:, k] for k, name in enumerate("abde")})
        np.testing.assert_allclose(net.parameters_[1], theirs.word_, rtol=1e-9)
        np.testing.assert_allclose(net.parameters_[0], theirs.cluster_, rtol=1e-9)


def test_plsa_s_count_table_is_a_network_of_weighted_rows() -> None:
    rng = np.random.default_rng(4)
    D, H, V, counts = 3, 2, 4, rng.integers(0, 4, (3, 4)).astype(float)
    topic, word = rng.normal(size=(D, H)), rng.normal(size=(H, V))
    plsa = PLSA(D, H, V)
    theirs = plsa.expect(plsa.weigh(PLSATables(topic, word)), plsa.pack(from_matrix(counts)))[0].whole()
    net = declared(structure("d -> t -> w"), {"d": range(D), "t": range(H), "w": range(V)}, observed=("d", "w"))
    d, w = np.nonzero(counts)
    items = records(np.stack([d, np.full(len(d), -1), w], axis=1), weights=counts[d, w])
    mine = net.expect(net.weigh(type(net.layout)(np.zeros(D), topic, word)), net.pack(items))[0]
    assert np.isclose(mine.log_norm, theirs.log_norm, rtol=1e-12)
    np.testing.assert_allclose(mine.counts[1], theirs.counts.topic, rtol=1e-10)
    np.testing.assert_allclose(mine.counts[2], theirs.counts.word, rtol=1e-10)


@pytest.mark.parametrize("criterion", ["em(pseudo=0.5):3", "vb:3", "em:1,mre:3", "hard:2"])
def test_steps_of_plsa_are_those_of_the_network(criterion: str) -> None:
    rng = np.random.default_rng(6)
    counts = rng.integers(0, 4, (3, 4)).astype(float)
    counts[:, 0] += 1  # no document and no word is empty
    topic, word = rng.dirichlet(np.ones(2), 3), rng.dirichlet(np.ones(4), 2)
    settings: dict[str, Any] = {"criterion": criterion, "prior": 0.2, "pseudo": 0.0, "tolerance": 0}
    theirs = sc.PLSA(2, start=(topic, word), dtype="float64", **settings).fit(counts)
    d, w = np.nonzero(counts)
    net = Network("d -> t -> w", values={"t": 2}, start={"t": topic, "w": word}, weight="n", **settings)
    net.fit({"d": d, "w": w, "n": counts[d, w]})
    np.testing.assert_allclose(net.parameters_[1], theirs.parameters_.topic, rtol=1e-8)
    np.testing.assert_allclose(net.parameters_[2], theirs.parameters_.word, rtol=1e-8)


@pytest.mark.parametrize("text", ["a -> b -> c", "a -> b; c -> b", "b, a -> c; a@-1 -> a; d", "c; b -> a; c -> a"])
def test_a_structure_is_written_as_it_is_read(text: str) -> None:
    found = structure(text)
    assert structure(found.text()) == found


# --- learning -------------------------------------------------------------------------------------------------------


def rows(n: int = 400, seed: int = 0) -> dict[str, list[Any]]:
    drawn = day().sample(n, random_state=seed)
    return {name: list(column) for name, column in drawn.items()}


def test_complete_rows_are_counted() -> None:
    data = rows()
    learned = Network(CHAIN, criterion="em:2").fit(data).to_json()
    rainy = [t for w, t in zip(data["weather"], data["traffic"], strict=True) if w == "rainy"]
    assert abs(learned["traffic"]["rainy"]["bad"] - rainy.count("bad") / len(rainy)) < 1e-12


def test_equal_rows_weigh_as_much_as_their_weight_says() -> None:
    data = {"a": ["x", "x", "y", None], "b": [1, 1, 2, 2]}
    once = {"a": ["x", "y", None], "b": [1, 2, 2], "n": [2, 1, 1]}
    settings: dict[str, Any] = {"values": {"h": 2}, "criterion": "em:5", "random_state": 3}
    plain = Network("h -> a, b", **settings).fit(data)
    weighted = Network("h -> a, b", weight="n", **settings).fit(once)
    for a, b in zip(plain.parameters_, weighted.parameters_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    assert np.isclose(plain.objective_, weighted.objective_, rtol=1e-12)


def test_zeros_stay_fixed_stays_and_partly_given_starts_are_filled() -> None:
    data = rows(200)
    del data["traffic"]
    start = {"traffic": {"sunny": {"normal": 0.5, "bad": 0.5, "terrible": 0.0}}, "late": {"normal": {"yes": 0.2}}}
    net = Network(
        CHAIN, values={"traffic": ["normal", "bad", "terrible"]}, start=start, criterion="em:10", random_state=0,
        fixed={"late": {"normal": True}, "traffic": {"rainy": ["bad"]}},
    )  # fmt: skip
    learned = net.fit(data).to_json()
    assert learned["traffic"]["sunny"]["terrible"] == 0.0
    assert abs(learned["late"]["normal"]["yes"] - 0.2) < 1e-12 and abs(learned["late"]["normal"]["no"] - 0.8) < 1e-12
    again = Network(**{**net.get_params(), "criterion": "em:1"}).fit(data).to_json()
    assert again["traffic"]["rainy"]["bad"] == learned["traffic"]["rainy"]["bad"]
    assert again["traffic"]["rainy"]["normal"] != learned["traffic"]["rainy"]["normal"]


def test_hidden_variables_are_learned_and_held_out_rows_are_as_likely_as_under_the_truth() -> None:
    data, new = rows(3000), {k: v for k, v in rows(2000, seed=9).items() if k != "traffic"}
    del data["traffic"]
    net = Network(CHAIN, values={"traffic": 2}, criterion="em:300", random_state=0).fit(data)
    truth = day().score(new)
    assert net.score(new) > truth - 0.01 * abs(truth)


def test_sequences_may_lie_mixed_and_come_back_in_the_order_of_the_rows() -> None:
    late = ["yes", "no", "yes", "no", "no"]
    mixed = {"late": ["yes", "no", "no", "yes", "no"], "who": ["a", "b", "a", "b", "a"]}
    apart = {"late": ["yes", "no", "no", "no", "yes"], "who": ["a", "a", "a", "b", "b"]}
    net = Network(OVER_TIME, start=DIARY, sequence="who")
    assert np.isclose(net.score(mixed), net.score(apart), rtol=1e-12)
    found = net.predict_proba(mixed)["weather"]
    np.testing.assert_allclose(found[[0, 2, 4, 1, 3]], net.predict_proba(apart)["weather"], rtol=1e-12)
    assert len(net.score_samples(mixed)) == 2 and net.predict(mixed)["late"] == mixed["late"]
    assert not np.isclose(Network(OVER_TIME, start=DIARY).score({"late": late}), net.score(mixed))


def test_the_same_bits_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softcount.models.network.SHARD_ENTRIES", 50)
    data = rows(300)
    data["traffic"] = [None if k % 3 else v for k, v in enumerate(data["traffic"])]
    found = [Network(CHAIN, criterion="em:3,gibbs:2", n_jobs=n, random_state=1).fit(data) for n in (1, 3)]
    for a, b in zip(found[0].parameters_, found[1].parameters_, strict=True):
        assert np.array_equal(a, b)


def test_saved_loaded_and_written_as_bif(tmp_path: Path) -> None:
    net = day().as_given()
    net.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.query("late")["yes"] == net.query("late")["yes"]
    net.to_bif(tmp_path / "net.bif")
    read = Network(str(tmp_path / "net.bif"))
    assert read.to_json() == net.to_json() and read.query("late") == net.query("late")
    assert '"weather" -> "traffic";' in net.to_dot()
    with pytest.raises(InputError, match="BIF does not support arcs from the previous row"):
        Network(OVER_TIME, start=DIARY).to_bif()
    frame = net.tables_["traffic"]
    assert frame.index.names == ["weather"] and float(frame["bad"].xs("rainy", level="weather").iloc[0]) == 0.3


def test_numbers_and_texts_are_values(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1, 2, None, 10], "b": ["x", None, "y", "x"], "c": [True, False, True, None]})
    net = Network("a -> b -> c", criterion="em:3", random_state=0).fit(frame)
    assert net.values_ == {"a": (1, 2, 10), "b": ("x", "y"), "c": (False, True)}
    assert all(value in (1, 2, 10) for value in net.predict(frame)["a"])
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    assert np.isclose(net.score(str(path)), net.score(frame), rtol=1e-12)
    frame.to_parquet(tmp_path / "rows.parquet")
    assert np.isclose(net.score(tmp_path / "rows.parquet"), net.score(frame), rtol=1e-12)
    assert np.isclose(net.score(frame.to_dict("records")), net.score(frame), rtol=1e-12)


@pytest.mark.parametrize("criterion", ["em", "hard", "vb", "gibbs", "annealed", "stepwise", "mre"])
def test_the_grid_of_criteria_is_true_of_networks(criterion: str) -> None:
    assert grid_row("Bayesian network")[criterion].startswith("yes")
    data = rows(40)
    data["traffic"] = [None] * 20 + data["traffic"][20:]
    spec = "stepwise(em(pseudo=0.1),batches=3):2" if criterion == "stepwise" else f"{criterion}:3"
    net = Network(CHAIN, criterion=spec, random_state=0).fit(data)
    assert np.isfinite(net.score(data)) and all(np.allclose(t.sum(axis=-1), 1.0) for t in net.parameters_)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Network("a -> b -> c -> a").fit({"a": [1]}), "cycle: a -> b -> c -> a"),
        (lambda: Network("a -> ").fit({"a": [1]}), "a name is missing"),
        (lambda: Network("a@-2 -> a").fit({"a": [1]}), "only @-1"),
        (lambda: Network("a -> a@-1").fit({"a": [1]}), "is the value in the previous row, which cannot be a child"),
        (
            lambda: Network("a -> b").fit({"a": [1, 2]}),
            "if 'b' is a hidden variable, give the number or",
        ),
        (lambda: Network("a -> b", values={"b": 2}).fit({"c": [1, 2]}), ": no column of the network"),
        (lambda: Network("a", values={"a": [1, 2]}).fit({"a": [1, 3]}), "<memory>:2: '3' is not a value of 'a'"),
        (
            lambda: Network("a -> b", start={"a": {"": {"x": 1.0}}}, values={"b": 2}).as_given(),
            "add it, or give data to learn it from",
        ),
        (lambda: Network("a", start={"a": {"": {"x": 0.5, "y": 0.7}}}).as_given(), "sums to 1.2"),
        (lambda: Network("a", start={"b": {"": {"x": 1.0}}}, values={"a": 2}).as_given(), "unknown table 'b'"),
        (lambda: day().query("late | weather=foggy"), "is not a value of"),
        (lambda: day().query("fog"), ": unknown variable"),
        (lambda: day().query("late@2"), "only a network over time"),
        (lambda: Network(CHAIN, start=DAY, fixed="fog").fit({"late": ["yes"]}), "cannot fix 'fog'"),
        (
            lambda: Network("a -> b; c", tie=["b,c"], values={"b": 2, "c": 2}).fit({"a": [1]}),
            "the numbers of parents differ",
        ),
        (lambda: Network("a", weight="n").fit({"a": [1, 2], "n": [1, -1]}), "<memory>:2: 'n' must be a number"),
        (lambda: Network("a@-1 -> a", sequence="s").fit({"a": [1, 2], "s": ["x", None]}), "'s' is empty"),
    ],
)
def test_refused_in_a_line(make: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_row_of_probability_zero_is_named_by_its_line(tmp_path: Path) -> None:
    start = {"a": {"": {"x": 1.0, "y": 0.0}}}
    path = tmp_path / "rows.csv"
    path.write_text("a\nx\ny\n")
    with pytest.raises(InputError, match=r"rows.csv:3: this row has probability zero"):
        Network("a", start=start).fit(str(path))
    assert np.isneginf(Network("a", start=start).score_samples(str(path))[1])


def test_a_network_too_wide_for_the_memory_is_refused_with_its_width() -> None:
    n = 7
    cells = [f"x{i}{j}" for i in range(n) for j in range(n)]
    arcs = [(f"x{i}{j}", f"x{i}{j + 1}") for i in range(n) for j in range(n - 1)]
    arcs += [(f"x{i}{j}", f"x{i + 1}{j}") for i in range(n - 1) for j in range(n)]
    data: dict[str, Any] = {cells[-1]: [0, 1]}
    with pytest.raises(
        InputError, match=r"largest table has 1.0e\+20 entries over \d+ variables \(x.*; this machine has .* free"
    ):
        Network(arcs, values=dict.fromkeys(cells, 100)).fit(data)
    data = {name: [0, 1] for name in cells[1:]}  # with all but one of them given nothing is wide
    assert Network(arcs, values={cells[0]: 2}, criterion="em:1").fit(data).n_iter_ == 1


def test_a_thousand_columns_do_not_underflow() -> None:
    rng = np.random.default_rng(0)
    data = {f"x{k}": rng.integers(0, 30, 20).tolist() for k in range(400)}
    net = Network([("c", name) for name in data], values={"c": 2}, criterion="em:3", random_state=0).fit(data)
    assert np.isfinite(net.objective_) and net.history_.stopped.kind != "fell"
    shares = net.predict_proba(data)["c"]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.kernels
@pytest.mark.parametrize("strides", [(0, 0, 0), (6, 2, 1), (1, 2, 6), (0, 4, 2), (3, 0, 5), (2, 1, 0)])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_entries_are_spread_and_gathered_by_brute_force(strides: tuple[int, ...], n: int) -> None:
    """``work ∘= pool[base + strides · index]`` and ``pool[base + strides · index] += work``, index by index."""
    sizes, base, rng = np.array([2, 3, 2]), 1, np.random.default_rng(0)
    pool, steps, at = rng.random(30), np.array(strides), np.zeros(3, np.int64)
    indices = list(np.ndindex(*sizes[:n]))
    places = [base + int(np.dot(index, steps[:n])) for index in indices]
    for logs in (False, True):
        work = rng.random(len(indices))
        expected = work + pool[places] if logs else work * pool[places]
        _spread(pool, base, steps, sizes, n, logs, at, work)
        np.testing.assert_allclose(work, expected, rtol=1e-15)
    gathered, expected = np.zeros(30), np.zeros(30)
    np.add.at(expected, places, work)
    _gather(work, gathered, base, steps, sizes, n, at)
    np.testing.assert_allclose(gathered, expected, rtol=1e-14)


FRAMES = {
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "pyarrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_in_frames_out(kind, tmp_path):
    """Of `predict` and `sample`: the same values as of a dict, in a frame of the kind that went in."""
    days = {"weather": ["rainy", "sunny", None, "sunny"], "late": ["yes", "no", "yes", None], "note": list("abcd")}
    frame, plain = FRAMES[kind](days), Network("weather -> late").fit(days)
    net = Network("weather -> late").fit(frame)
    net.save(tmp_path / "net.model")
    for model in (net, load(tmp_path / "net.model")):
        filled, drawn = model.predict(frame), model.sample(5, random_state=1)
        assert type(filled) is type(drawn) is type(frame)
        for found, expected in ((filled, plain.predict(days)), (drawn, plain.sample(5, random_state=1))):
            columns = found.to_pydict() if kind == "pyarrow" else {name: list(found[name]) for name in found.columns}
            assert columns == expected
    assert type(net.predict(days)) is dict is type(plain.predict(days)) and type(plain.predict(frame)) is type(frame)
    if kind == "pandas":
        parts = frame.set_index("note").iloc[[2, 0]]
        assert list(net.predict(parts).index) == ["c", "a"], "the index stays"
