"""Context-free grammar with weights: a tree's weight is the product of its rules', a sentence's the sum over its trees.

    P(tree) = ∏_{A → X₁ … X_m in tree} rule[A → X₁ … X_m]         rule[A] sums to one over the rules of A

J. K. Baker, "Trainable grammars for speech recognition", 1979. Known brackets and labels, after F. Pereira,
Y. Schabes, "Inside-outside reestimation from partially bracketed corpora", ACL 1992: what crosses a bracket is no
part of any tree. Right sides are of any length; see `grammar_chart` for what the chart makes of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem, InputError
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.machine.memory import installed
from softcount.models.grammar_chart import Chart, Cycle, chart_of
from softcount.models.grammar_cycles import Chains, chain, chains_of, described, rule_counts
from softcount.models.grammar_decode import count_trees, most_brackets, trace
from softcount.models.grammar_kernel import Cells, fill, spread, value_of
from softcount.models.grammar_known import factors_of
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Array, Ragged, from_rows, offsets_of
from softcount.numbers.tables import Expectation, values
from softcount.text.cfg import Rules

SHARD_COST = 100_000  # in words³
ENTRY_BYTES = 20  # of a chart's entry: symbol, inside, outside
MOST_ENTRIES = int(min(installed() / 8, 2**40) / ENTRY_BYTES)  # of one sentence
EXACT = 2.0**52  # whole numbers below are exact in a float
LARGEST_PRIMES = 2**31 - 1  # primes are looked for from here down


NO_CELLS = Cells(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0), False
)


class GrammarTables(NamedTuple):
    rule: Any  # Ragged: a row for every symbol, an entry for every rule


class GrammarWeights(NamedTuple):
    """exp(log-weights) where the chart wants them."""

    steps: Array
    edges: Array
    best_edges: Array  # for MAX: of cycles, the best chain's
    entries: Array
    chains: Chains


class GrammarShard(NamedTuple):
    sentences: Ragged  # word ids, −1 unknown
    order: Array  # short sentences first
    brackets: Ragged | None  # [brackets, 3]: start, end, symbol (−1: any), or (0, 0, −2): there are no others
    potentials: Ragged | None  # [cells, symbols], in logs


class Grammar(NamedTuple):
    rules: Rules
    chart: Chart
    cycles: tuple[Cycle, ...]
    alike: tuple[Array, ...] = ()  # groups of symbols that nothing but their weights tells apart
    lenient: bool = False  # whether a sentence outside the language is passed over, without a tree

    @property
    def layout(self) -> GrammarTables:
        return GrammarTables(TableLayout(Categorical(self.rules.rows), emits=self.rules.emits()))

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD_COST

    def costs(self, items: Any) -> Array:
        return items.sentences.lengths**3 + 50

    def pack(self, items: Any) -> GrammarShard:
        """Items have `sentences`, and `brackets` and `potentials`, or None."""
        if self.cycles and (items.brackets is not None or items.potentials is not None):
            name = described(self.cycles[0], self.rules.symbols)
            raise InputError(f"known brackets do not support cyclic unary rules ({name}); remove a rule")
        order = np.argsort(items.sentences.lengths, kind="stable")
        return GrammarShard(items.sentences, order, items.brackets, items.potentials)

    def n_uniforms(self, shard: GrammarShard) -> int:
        return int(self._draws(shard.sentences.lengths).sum())

    def _draws(self, lengths: Array) -> Array:
        """How many random numbers each sentence needs: one for every symbol of a tree, one for every chain."""
        return np.maximum(2 * lengths - 1, 0) * (1 + self.chart.deepest) * (2 if self.cycles else 1)

    def weigh(self, log_weights: GrammarTables) -> GrammarWeights:
        rule = np.exp(values(log_weights.rule))
        chains = chains_of(self.cycles, rule, self.rules.symbols)

        def of(rules: Array, pairs: Array) -> Array:
            """NO_RULE weighs one; what is below is a pair of a cycle."""
            table = np.concatenate([rule, pairs[::-1], [1.0]])  # −1 is the last, −2 the first pair, …
            return np.ascontiguousarray(table[rules])

        steps, entries = (of(rules, np.empty(0)) for rules in (self.chart.step_rule, self.chart.entry_rule))
        edges, best = (of(self.chart.edge_rule, pairs) for pairs in (chains.totals(), chains.bests()))
        return GrammarWeights(steps, edges, best, entries, chains)

    def expect(
        self, weights: GrammarWeights, shard: GrammarShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        """Labels are nodes (start, end, symbol), a node before its parts: of the best tree (MAX), of a drawn one, or of
        the tree with the most expected brackets (SUM)."""
        tally, log_norm = _Tally(self), 0.0
        nodes: list[Array] = [np.empty(0, np.int32)] * shard.sentences.n_rows
        bounds = offsets_of(self._draws(shard.sentences.lengths))
        for i in shard.order.tolist():
            words = shard.sentences.row(i)
            if not len(words):
                continue
            cells, factors, part = self._filled(weights, shard, i, mode)
            if part == -np.inf and not self.lenient:
                raise ImpossibleItem(i)
            if part == -np.inf:
                continue
            log_norm += part
            if mode == SUM:
                posteriors = np.zeros((len(cells.begin), self.chart.n_user)) if labels else np.empty((0, 0))
                spread(self.chart, *_arrays(weights, mode), words, factors, cells, *tally.parts, posteriors)
                nodes[i] = self._brackets(len(words), posteriors) if labels else nodes[i]
            else:
                chances = np.empty(0) if uniforms is None else uniforms[bounds[i] : bounds[i + 1]]
                nodes[i] = self._traced(weights, words, cells, mode, chances, tally, i)
        counts = Ragged(self.rules.rows, tally.counts(weights.chains, mode))
        return Expectation(GrammarTables(counts), log_norm), from_rows(nodes, np.int32) if labels else None

    def posteriors(self, weights: GrammarWeights, shard: GrammarShard) -> Array:
        """The expected number of nodes of every span and symbol, [cells, symbols], spans by their ends."""
        found = []
        for i in range(shard.sentences.n_rows):
            words = shard.sentences.row(i)
            table = np.zeros((len(words) * (len(words) + 1) // 2, self.chart.n_user))
            if len(words):
                cells, factors, part = self._filled(weights, shard, i, SUM)
                if part == -np.inf:
                    raise ImpossibleItem(i)
                spread(self.chart, *_arrays(weights, SUM), words, factors, cells, *_Tally(self).parts, table)
            found.append(table)
        return np.concatenate(found) if found else np.zeros((0, self.chart.n_user))

    def log_norms(self, weights: GrammarWeights, shard: GrammarShard) -> Array:
        """log Z of every sentence: −inf outside the language, zero of an empty one."""
        rows = range(shard.sentences.n_rows)
        return np.array([self._filled(weights, shard, i, SUM)[2] if len(shard.sentences.row(i)) else 0.0 for i in rows])

    def n_parses(self, sentences: Ragged) -> list[int]:
        """How many trees every sentence has, exactly."""
        if self.cycles:
            name = described(self.cycles[0], self.rules.symbols)
            raise InputError(f"the unary rules {name} are cyclic: a sentence has infinitely many trees")
        weights = self.weigh(GrammarTables(Ragged(self.rules.rows, np.zeros(self.rules.n_rules))))
        shard = GrammarShard(sentences, np.arange(sentences.n_rows), None, None)
        return [self._counted(weights, shard, i) for i in range(sentences.n_rows)]

    def tied(self, parameters: GrammarTables) -> bool:
        """Symbols that have the same rules but for names, and the same weights."""
        groups = [[parameters.rule.row(s) for s in group] for group in self.alike if len(group) > 1]
        return bool(groups) and all(np.allclose(rows, rows[0], rtol=1e-9, atol=0.0) for rows in groups)

    def row_name(self, table: str, row: int) -> str:
        return f"the symbol {self.rules.symbols[row]!r}"

    # --- one sentence ---------------------------------------------------------------------------------------------

    def _filled(self, weights: GrammarWeights, shard: GrammarShard, i: int, mode: int) -> tuple[Cells, Array, float]:
        """(cells, what is known of them, log Z)."""
        words, n = shard.sentences.row(i), len(shard.sentences.row(i))
        factors = factors_of(n, self.chart.n_user, shard.brackets, shard.potentials, i)
        if (words < 0).any():
            return NO_CELLS, factors, -np.inf
        cells = fill(self.chart, *_arrays(weights, mode), words, factors, mode, MOST_ENTRIES)
        if cells.full:
            room = f"more than {MOST_ENTRIES * ENTRY_BYTES / 1e9:,.1f} GB, an eighth of this machine's memory"
            raise InputError(f"the chart of a sentence of {n} words needs {room}; remove the sentence, or split it")
        value = value_of(cells, n * (n - 1) // 2, self.chart.start)
        exponent = cells.exponent[n * (n - 1) // 2]
        return cells, factors, np.log(value) + exponent * np.log(2.0) if value > 0.0 else -np.inf

    def _traced(
        self, weights: GrammarWeights, words: Array, cells: Cells, mode: int, uniforms: Array, tally: _Tally, i: int
    ) -> Array:
        most = (2 * len(words) - 1) * (1 + self.chart.deepest)
        nodes, chances = np.empty((most, 3), np.int32), np.empty(most)
        arrays = _arrays(weights, mode)
        n = trace(self.chart, *arrays, words, cells, mode, uniforms, *tally.parts, nodes, chances)
        if n < 0:
            raise ImpossibleItem(i)
        return tally.expanded(nodes[:n], chances if mode == SAMPLE else None, weights.chains).ravel()

    def _brackets(self, n: int, posteriors: Array) -> Array:
        nodes = np.empty(((2 * n - 1) * (self.chart.n_user + 1), 3), np.int32)
        return nodes[: most_brackets(self.chart, n, posteriors, nodes)].ravel()

    def _counted(self, weights: GrammarWeights, shard: GrammarShard, i: int) -> int:
        words = shard.sentences.row(i)
        if not len(words):
            return 0
        cells, _, log_norm = self._filled(weights, shard, i, SUM)
        if log_norm == -np.inf:
            return 0
        root = len(words) * (len(words) - 1) // 2
        if log_norm < np.log(EXACT):
            return int(np.ldexp(value_of(cells, root, self.chart.start), cells.exponent[root]))
        found, modulus, prime = 0, 1, LARGEST_PRIMES + 1
        while np.log2(float(modulus)) < log_norm / np.log(2.0) + 2:  # one number below the product of all primes
            prime = _prime_below(prime)
            rest = int(count_trees(self.chart, words, prime))
            found += modulus * ((rest - found) * pow(modulus, -1, prime) % prime)
            modulus *= prime
        return found


def grammar(rules: Rules, alike: tuple[Array, ...] = ()) -> Grammar:
    return Grammar(rules, *chart_of(rules), alike)


class _Tally:
    """Counts of what the chart uses, and of the rules behind them."""

    def __init__(self, model: Grammar) -> None:
        self.model, chart = model, model.chart
        self.parts = (np.zeros(len(chart.step_rule)), np.zeros(len(chart.edge_rule)), np.zeros(len(chart.entry_rule)))
        self.chained = np.zeros(model.rules.n_rules)  # of rules within chains that were drawn or best

    def counts(self, chains: Chains, mode: int) -> Array:
        chart, counts = self.model.chart, self.chained
        for rules, part in zip((chart.step_rule, chart.edge_rule, chart.entry_rule), self.parts, strict=True):
            np.add.at(counts, rules[rules >= 0], part[rules >= 0])
        if mode == SUM and self.model.cycles:
            pairs = np.zeros(sum(len(cycle.members) ** 2 for cycle in self.model.cycles))
            cyclic = chart.edge_rule < -1
            pairs[-2 - chart.edge_rule[cyclic]] = self.parts[1][cyclic]
            rule_counts(self.model.cycles, chains, pairs, counts)
        return counts

    def expanded(self, nodes: Array, chances: Array | None, chains: Chains) -> Array:
        """Nodes with the chains of cycles spelt out; counts their rules."""
        if not self.model.cycles:
            return nodes
        found = list[tuple[int, int, int]]()
        for number, (i, j, symbol) in enumerate(nodes.tolist()):
            if symbol >= 0:
                found.append((i, j, symbol))
                continue
            uniform = None if chances is None else float(chances[number])
            symbols, rules = chain(self.model.cycles, chains, -2 - symbol, uniform)
            found += [(i, j, s) for s in symbols]
            np.add.at(self.chained, rules, 1.0)
        return np.array(found, dtype=np.int32)


def _arrays(weights: GrammarWeights, mode: int) -> tuple[Array, Array, Array]:
    return weights.steps, weights.best_edges if mode == MAX else weights.edges, weights.entries


def _prime_below(number: int) -> int:
    number -= 1
    while any(number % d == 0 for d in range(2, int(number**0.5) + 1)):
        number -= 1
    return number
