"""softcount.Grammar: training under every criterion, known brackets, cycles, parses, files."""

from __future__ import annotations

import math
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from enumeration import flat
from grammars import trees
from grid import grid_row

import softcount
from softcount import Grammar, InputError
from softcount.engines import Threads
from softcount.loop.trace import FELL
from softcount.models.grammar import GrammarTables, grammar
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Ragged, from_rows
from softcount.text.bracketed import Bracketed
from softcount.text.cfg import parse_cfg
from softcount.text.trees import parse_tree

TELESCOPE = """
S -> NP VP | VP
NP -> 'I' | 'the' N | NP PP
N -> 'man' | 'telescope' | 'saw'
VP -> V NP | VP PP | V
V -> 'saw' | 'man'
PP -> 'with' NP
"""
TEXT = ["I saw the man with the telescope", "the man saw", "", "saw the saw with the man with the saw", "I saw"]
CRITERIA = [
    "em:6", "em(pseudo=0.5):5", "hard:5", "vb:6", "hard(vb):4", "gibbs:5", "annealed:5", "annealed(vb):5",
    "stepwise(em(pseudo=0.1),batches=3):3", "stepwise(vb,batches=3):3", "em:2,mre:4", "em:2,mre(rule=growth):4",
    "em:2,mre(rule=adaptive):4",
]  # fmt: skip


def weights_of(model: Any, logs: np.ndarray) -> Any:
    return model.weigh(GrammarTables(Ragged(model.rules.rows, np.asarray(logs, dtype=float))))


# --- training ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_keeps_rows_zeros_and_what_is_fixed(criterion: str) -> None:
    text = TELESCOPE.replace("'man'\nPP", "'man' [0]\nPP").replace("NP -> 'I'", "NP -> 'I' [0.5]")
    model = Grammar(text, criterion=criterion, fixed=("NP", "VP -> V"), random_state=1).fit(TEXT)
    p = model.parameters_.rule
    np.testing.assert_allclose(np.add.reduceat(p.values, p.offsets[:-1]), 1.0, rtol=1e-12)
    rules = dict(zip(model.rules_.texts(), p.values.tolist(), strict=True))
    assert rules['V -> "man"'] == 0.0 and rules["VP -> V"] == pytest.approx(1 / 3)
    assert [rules[r] for r in ('NP -> "I"', 'NP -> "the" N', "NP -> NP PP")] == pytest.approx([0.5, 0.25, 0.25])
    assert model.history_.stopped.kind != FELL and np.isfinite([step.objective for step in model.history_]).all()


@pytest.mark.parametrize("criterion", ["em:12", "em(pseudo=0.3):12", "hard:12", "vb:12", "hard(vb):12"])
def test_objectives_never_fall(criterion: str) -> None:
    for settings in ({"grammar": TELESCOPE}, {"nonterminals": 2}, {"nonterminals": 2, "preterminals": 0}):
        model = Grammar(criterion=criterion, tolerance=0, random_state=3, **settings).fit(TEXT)
        objectives = np.array([step.objective for step in model.history_])
        assert (np.diff(objectives) >= -1e-9 * np.abs(objectives[:-1])).all() and len(objectives) > 1


def test_pseudo_counts_of_rules_and_symbols() -> None:
    pseudo = {"V": 2.0, "V -> 'man'": 5.0}
    model = Grammar(TELESCOPE, criterion="em:1", pseudo=pseudo, random_state=0).fit(["I saw", "saw", "the man saw"])
    p = dict(zip(model.rules_.texts(), model.parameters_.rule.values.tolist(), strict=True))
    assert p['V -> "saw"'] == pytest.approx((3 + 2) / (3 + 2 + 5)) and p['V -> "man"'] == pytest.approx(0.5)


def test_mre_doubles_the_weights_of_rules_with_words_alone() -> None:
    """Its gradient by finite differences of log Z(κη) − log Z(η)."""
    model = grammar(parse_cfg(TELESCOPE)[0])
    ids = {word: w for w, word in enumerate(model.rules.words)}
    sentences = from_rows([[ids[w] for w in line.split()] for line in TEXT], np.int32)
    shard, kappa = model.pack(Bracketed(sentences)), np.where(model.rules.emits(), 2.0, 1.0)
    assert kappa.tolist() == [1, 1, 2, 2, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2]
    eta = np.random.default_rng(0).normal(-1.0, 0.5, model.rules.n_rules)

    def objective(eta: np.ndarray) -> float:
        return float(np.subtract(*(model.expect(weights_of(model, e), shard)[0].log_norm for e in (kappa * eta, eta))))

    first, second = (flat(model.expect(weights_of(model, e), shard)[0].counts) for e in (eta, kappa * eta))
    for r, step in enumerate(np.eye(len(eta)) * 1e-5):
        slope = (objective(eta + step) - objective(eta - step)) / 2e-5
        assert slope == pytest.approx((kappa * second - first)[r], rel=1e-4, abs=1e-6)


def test_one_em_step_by_hand() -> None:
    """a a a has two trees of S -> S S | 'a'; both use S -> S S twice and S -> 'a' three times."""
    model = Grammar("S -> S S [0.4] | 'a' [0.6]", criterion="em:1").fit(["a a a", "a"])
    assert model.parameters_.rule.values == pytest.approx([2 / 6, 4 / 6])
    assert model.history_[0].objective == pytest.approx(math.log(2 * 0.4**2 * 0.6**3) + math.log(0.6))


@pytest.mark.parametrize("criterion", ["em", "hard", "vb", "gibbs", "annealed", "stepwise", "mre", "direct"])
def test_the_grid_of_criteria_is_true_of_grammars(criterion: str) -> None:
    assert grid_row("Context-free grammar")[criterion].startswith("yes")
    spec = "stepwise(em(pseudo=0.1),batches=3):2" if criterion == "stepwise" else f"{criterion}:2"
    model = Grammar(TELESCOPE, criterion=spec, random_state=0).fit(TEXT)
    assert np.isfinite(model.score(TEXT)) and model.n_iter_ == 2


# --- what is known of trees -------------------------------------------------------------------------------------------


def test_brackets_choose_among_trees() -> None:
    sentence = TEXT[0]
    for known, attached in (((2, 7), "NP"), ((1, 4), "VP")):
        y = [[known], None]
        model = Grammar(TELESCOPE, criterion="em:20", random_state=0).fit([sentence, "the man saw"], y)
        rules = dict(zip(model.rules_.texts(), model.parameters_.rule.values.tolist(), strict=True))
        assert (rules["NP -> NP PP"] > 0.01) == (attached == "NP"), "the other reading was not ruled out"
        assert model.score([sentence], [[known]]) <= model.score([sentence])


def test_a_whole_tree_leaves_no_choice() -> None:
    gold = "(S (NP I) (VP (V saw) (NP (NP the (N man)) (PP with (NP the (N telescope))))))"
    model = Grammar(TELESCOPE, criterion="em:1").fit([TEXT[0]], [gold])
    counted = {rule: 0 for rule in model.rules_.texts()}
    for line in ("S -> NP VP", 'NP -> "I"', "VP -> V NP", "NP -> NP PP", 'PP -> "with" NP'):
        counted[line] += 1
    counted['NP -> "the" N'] = 2
    rules = dict(zip(model.rules_.texts(), model.parameters_.rule.values.tolist(), strict=True))
    for symbol in ("S", "NP", "VP", "PP"):
        mine = {rule: n for rule, n in counted.items() if rule.startswith(symbol + " ->")}
        assert {rule: rules[rule] for rule in mine} == pytest.approx(
            {r: n / sum(mine.values()) for r, n in mine.items()}
        )
    assert str(model.parse([TEXT[0]])[0]) == gold


def test_labels_that_the_grammar_does_not_have_are_brackets() -> None:
    model = Grammar(nonterminals=3, criterion="em:5", random_state=0)
    model.fit(["a b c", "b c"], ["(X (Y a) (Z (Y b) (Y c)))", None])
    assert [span[:2] for span in model.parse(["a b c"])[0].spans() if span[1] - span[0] > 1][-1] == (1, 3)


def test_known_trees_must_fit() -> None:
    for y, said in (
        (["(S (NP you) (VP saw))"], "the words of the tree and the sentence differ"),
        ([[(0, 9)]], "in a sentence of 2 words"),
        ([[(0, 1, "QP")]], "symbol 'QP' is not in the grammar"),
        ([None, None], "trees for 2 sentences, but there are 1"),
    ):
        with pytest.raises(InputError, match=said):
            Grammar(TELESCOPE).fit(["I saw"], y)


# --- unary rules in a circle ------------------------------------------------------------------------------------------

CYCLIC = """
S -> A B [0.7] | A [0.3]
A -> C [0.4] | 'a' [0.5] | B [0.1]
C -> A [0.3] | 'a' [0.7]
B -> C [0.2] | 'b' [0.5] | A [0.3]
"""


def unrolled(depth: int) -> str:
    """The same grammar with every chain of unary rules at most so long: A0 is A after no rule yet."""
    lines = ["S -> A0 B0 [0.7] | A0 [0.3]"]
    for k in range(depth):
        lines += [
            f"A{k} -> C{k + 1} [0.4] | 'a' [0.5] | B{k + 1} [0.1]",
            f"C{k} -> A{k + 1} [0.3] | 'a' [0.7]",
            f"B{k} -> C{k + 1} [0.2] | 'b' [0.5] | A{k + 1} [0.3]",
        ]
    lines += [f"A{depth} -> 'a'", f"C{depth} -> 'a'", f"B{depth} -> 'b'"]
    return "\n".join(lines)


def merged(counts: dict[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for rule, n in counts.items():
        name = "".join(c for c in rule if not c.isdigit())
        found[name] = found.get(name, 0.0) + n
    return found


@pytest.mark.kernels
@pytest.mark.parametrize("mode", [SUM, MAX])
def test_a_circle_of_unary_rules_is_a_geometric_series(mode: int) -> None:
    found = []
    for text in (CYCLIC, unrolled(60)):
        rules, probabilities = parse_cfg(text)
        model = grammar(rules)
        ids = {word: w for w, word in enumerate(rules.words)}
        shard = model.pack(Bracketed(from_rows([[ids[w] for w in s.split()] for s in ("a b", "a", "b")], np.int32)))
        expectation, nodes = model.expect(weights_of(model, np.log(probabilities)), shard, mode, labels=True)
        spelt = [[(a, b, rules.symbols[s][0]) for a, b, s in row.reshape(-1, 3).tolist()] for row in nodes.rows()]
        found.append(
            (expectation.log_norm, merged(dict(zip(rules.texts(), flat(expectation.counts), strict=True))), spelt)
        )
    (norm, counts, nodes), (norm_, counts_, nodes_) = found
    assert norm == pytest.approx(norm_, rel=1e-12)
    assert counts == pytest.approx({rule: counts_[rule] for rule in counts}, rel=1e-9, abs=1e-12)
    if mode == MAX:
        assert nodes == nodes_


@pytest.mark.kernels
def test_drawn_chains_average_to_their_expectation() -> None:
    rules, probabilities = parse_cfg(CYCLIC)
    model = grammar(rules)
    shard = model.pack(Bracketed(from_rows([[rules.words.index("a"), rules.words.index("b")]], np.int32)))
    weights, rng, n = weights_of(model, np.log(probabilities)), np.random.default_rng(0), 1000
    expected = flat(model.expect(weights, shard)[0].counts)
    draws = [model.expect(weights, shard, SAMPLE, rng.random(model.n_uniforms(shard)), True) for _ in range(n)]
    counts = np.array([flat(found.counts) for found, _ in draws])
    assert (np.abs(counts.mean(axis=0) - expected) < 5 * counts.std(axis=0) / n**0.5 + 1e-9).all()
    for (found, nodes), mine in zip(draws[:50], counts, strict=False):  # every node is made by one rule
        assert len(nodes.row(0)) // 3 == mine.sum() and found.log_norm == pytest.approx(draws[0][0].log_norm)


def test_counts_of_a_circle_are_finite_differences() -> None:
    rules, probabilities = parse_cfg(CYCLIC)
    model = grammar(rules)
    ids = {word: w for w, word in enumerate(rules.words)}
    shard = model.pack(Bracketed(from_rows([[ids["a"], ids["b"]], [ids["a"]]], np.int32)))
    eta = np.log(probabilities)
    counts = flat(model.expect(weights_of(model, eta), shard)[0].counts)
    for r, step in enumerate(np.eye(len(eta)) * 1e-5):
        norms = [model.expect(weights_of(model, eta + sign * step), shard)[0].log_norm for sign in (1, -1)]
        assert (norms[0] - norms[1]) / 2e-5 == pytest.approx(counts[r], rel=1e-5, abs=1e-8)


def test_what_circles_cannot_do_is_refused_by_name() -> None:
    model = Grammar(CYCLIC, criterion="em:3", random_state=0).fit(["a b", "a"])
    with pytest.raises(InputError, match=r"the unary rules A -> C -> A are cyclic: .* infinitely many trees"):
        model.n_parses(["a b"])
    with pytest.raises(InputError, match="known brackets do not support cyclic unary rules"):
        Grammar(CYCLIC).fit(["a b"], [[(0, 1)]])
    with pytest.raises(InputError, match="the unary rules A -> B -> A are cyclic: their chains have no finite sum"):
        Grammar("A -> B [1.0]\nB -> A [1.0] | 'b' [0.0]", criterion="em:1").fit(["b"])


# --- how many trees ---------------------------------------------------------------------------------------------------


@pytest.mark.kernels
def test_numbers_of_parses_are_exact_beyond_what_floats_hold() -> None:
    """S -> S S | 'a' has the Catalan numbers."""
    lengths = [1, 2, 3, 10, 28, 31, 36, 60]
    rules, _ = parse_cfg("S -> S S | 'a'")
    model = grammar(rules)
    catalan = [math.comb(2 * n - 2, n - 1) // n for n in lengths]
    assert model.n_parses(from_rows([[0] * n for n in [*lengths, 0]], np.int32)) == [*catalan, 0]
    assert catalan[-1] > 2**100 and catalan[5] < 2**53 < catalan[6]


@pytest.mark.kernels
def test_all_weights_one_count_trees() -> None:
    model = grammar(parse_cfg(TELESCOPE)[0])
    ids = {word: w for w, word in enumerate(model.rules.words)}
    rows = [tuple(ids[w] for w in line.split()) for line in TEXT if line]
    n = [len(list(trees(model.rules, model.rules.start, row, 0, len(row)))) for row in rows]
    assert model.n_parses(from_rows(rows, np.int32)) == n and max(n) == 5
    shard = model.pack(Bracketed(from_rows(rows, np.int32)))
    norms = model.log_norms(weights_of(model, np.zeros(model.rules.n_rules)), shard)
    np.testing.assert_allclose(np.exp(norms), n, rtol=1e-12)


@pytest.mark.kernels
def test_long_sentences_do_not_underflow() -> None:
    """Every tree of n words has the same weight: P = Catalan · 0.1^(n-1) · 1e-9^n, far below the smallest number."""
    n = 60
    model = grammar(parse_cfg("S -> S S | 'a'")[0])
    eta = np.log([0.1, 1e-9])
    found, _ = model.expect(weights_of(model, eta), model.pack(Bracketed(from_rows([[0] * n], np.int32))))
    trees_ = math.comb(2 * n - 2, n - 1) // n
    assert found.log_norm == pytest.approx(math.log(trees_) + (n - 1) * eta[0] + n * eta[1], rel=1e-12)
    assert flat(found.counts) == pytest.approx([n - 1, n], rel=1e-9)


# --- trees, sentences, files ------------------------------------------------------------------------------------------


def test_parses_are_in_the_grammar_and_empty_where_there_are_none() -> None:
    model = Grammar(TELESCOPE, criterion="em:5", random_state=0).fit([*TEXT, "telescope the"])
    assert any("1 of 6 sentences cannot be parsed with this grammar: 6" in note for note in model.history_.told())
    asked = [*TEXT, "the the", "unheard of"]
    for best in ("viterbi", "brackets"):
        found = model.parse(asked, best)
        assert [tree is None for tree in found] == [False, False, True, False, False, True, True]
        for tree, line in zip(found, asked, strict=True):
            assert tree is None or (tree.words() == line.split() and tree.label == "S")
    assert model.n_parses(asked) == [2, 1, 0, 5, 1, 0, 0]
    norms = model.log_likelihood(asked)
    assert np.isneginf(norms[-2:]).all() and norms[2] == 0.0 and model.perplexity(asked) == math.inf
    assert model.score(TEXT) == pytest.approx(norms[:5].sum())
    with pytest.raises(InputError, match=r"<memory>:6: the sentence 'the the' has no parse"):
        model.score(asked)


def test_samples_follow_the_probabilities() -> None:
    model = Grammar("S -> S S [0.25] | 'a' [0.5] | 'b' [0.25]").fit()
    drawn = model.sample(1000, 1)
    ones = [tree.words()[0] for tree in drawn if len(tree.words()) == 1]
    assert len(ones) / 1000 == pytest.approx(0.75, abs=0.06) and ones.count("a") / len(ones) == pytest.approx(
        2 / 3, abs=0.05
    )
    with pytest.raises(InputError, match="do not end"):
        Grammar("S -> S S [1.0] | 'a' [0.0]").fit().sample(1, 0)


def test_a_full_grammar_learns_from_several_starts() -> None:
    text = ["a b", "a a b b", "a a a b b b"] * 3
    model = Grammar(nonterminals=3, criterion="em:30", restarts=3, random_state=0).fit(text)
    assert len(model.restarts_) == 3 and len({restart.objective for restart in model.restarts_}) == 3
    assert model.objective_ == max(restart.objective for restart in model.restarts_)
    tied = Grammar(nonterminals=2, criterion="em:2", start="uniform").fit(text)
    assert any("identical" in note for note in tied.history_.told())


def test_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softcount.models.grammar.SHARD_COST", 300)
    found = []
    for engine in (Threads(1), Threads(3)):
        model = Grammar(nonterminals=3, criterion="em:3,gibbs:3", random_state=0, engine=engine).fit(TEXT * 3)
        found.append(model.parameters_.rule.values.tobytes() + repr(model.parse(TEXT)).encode())
    assert found[0] == found[1]


def test_saved_loaded_resumed(tmp_path: Path) -> None:
    make = partial(Grammar, TELESCOPE, criterion="em:6", random_state=0, tolerance=0)
    model = make().fit(TEXT)
    model.save(tmp_path / "m")
    loaded = softcount.load(tmp_path / "m")
    assert loaded.parse(TEXT) == model.parse(TEXT) and loaded.to_pcfg() == model.to_pcfg()
    assert loaded.n_parses(TEXT) == model.n_parses(TEXT) and loaded.signature_ == model.signature_

    class Stop(Exception):
        pass

    def stop(step: Any) -> None:
        if step.step == 4:
            raise Stop

    with pytest.raises(Stop):
        make().fit(TEXT, on_step=stop, checkpoint=tmp_path / "c", checkpoint_every=1)
    again = make().fit(TEXT, checkpoint=tmp_path / "c")
    assert np.array_equal(again.parameters_.rule.values, model.parameters_.rule.values)
    reread = Grammar(model.to_pcfg()).fit()
    np.testing.assert_allclose(reread.parameters_.rule.values, model.parameters_.rule.values, rtol=1e-12)


# --- read off trees ---------------------------------------------------------------------------------------------------

BANK = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (DT the) (JJ old) (JJ old) (JJ old) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))",
    "(NP (DT the) (NN cat))",
    "(S (NP (NNP Rex)) (VP (VBZ barks)))",
]


def test_a_grammar_read_off_trees_is_counted() -> None:
    model = Grammar().fit(trees=BANK)
    rules = dict(zip(model.rules_.texts(), model.parameters_.rule.values.tolist(), strict=True))
    assert rules["TOP -> S"] == 0.75 and rules["NP -> DT NN"] == 0.6 and rules["NP -> NNP"] == 0.2
    assert rules['NN -> "dog"'] == 0.5 and rules['NNP -> "<unk>"'] == 1.0
    assert [str(tree) for tree in model.parse([parse_tree(line).words() for line in BANK])] == BANK
    assert str(model.parse(["the zebra barks"])[0]) is not None


@pytest.mark.parametrize("markov", [(1, 0), (1, 1), (2, 1), (2, 2), (3, None)])
def test_markov_grammars_give_trees_without_their_marks(markov: tuple[int, int | None]) -> None:
    model = Grammar(markov=markov).fit(trees=BANK)
    p = model.parameters_.rule
    np.testing.assert_allclose(np.add.reduceat(p.values, p.offsets[:-1]), 1.0)
    assert [str(tree) for tree in model.parse([parse_tree(line).words() for line in BANK])] == BANK
    longer = model.parse(["the old old old old dog barks"])[0]
    if markov[1] is not None and markov[1] < 2:  # longer right sides than any tree has
        assert str(longer) == f"(S (NP (DT the) {'(JJ old) ' * 4}(NN dog)) (VP (VBZ barks)))"
    else:
        assert longer is None
    assert ("NP^S" in model.rules_.symbols) == (markov[0] > 1)


def test_trees_and_text_together() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Grammar(criterion="em:3", markov=(1, 1)).fit(["the cat sees Rex", "the dog barks"], trees=BANK)
    assert model.n_iter_ == 3 and model.parse(["the dog sees Rex"])[0] is not None


def test_bad_settings() -> None:
    for settings, said in (
        ({}, "give exactly one of a grammar, a number of nonterminals, or trees"),
        ({"grammar": TELESCOPE, "nonterminals": 3}, "give exactly one of"),
        ({"grammar": TELESCOPE, "best": "nicest"}, "best='nicest': unknown"),
        ({"grammar": TELESCOPE, "start": "here"}, ": unknown"),
        ({"grammar": TELESCOPE, "fixed": "XP"}, "use one of its symbols, or a rule such as 'NP -> Det N'"),
        ({"grammar": TELESCOPE, "fixed": "S -> S S"}, "rule 'S -> S S' is not in the grammar"),
        ({"grammar": TELESCOPE, "prior": {"S": 0.0}}, "prior must be positive"),
        ({"grammar": TELESCOPE, "pseudo": {"S": -1.0}}, "give a number from 0 to"),
        (
            {"grammar": "S -> 'x'"},
            "no sentence can be parsed with this grammar; the word 'saw', for example, is not in the grammar",
        ),
        ({"nonterminals": 0}, "it must be at least"),
        ({"grammar": TELESCOPE, "markov": (0, 1)}, "markov"),
    ):
        with pytest.raises(InputError, match=said):
            Grammar(**settings).fit(TEXT)
