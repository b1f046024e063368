"""Two directions trained together: what they agree on is counted, once, for both.

    c(e, f) = Σ P₁(a_j = i) · P₂(b_i = j)        t₁(f | e) and t₂(e | f) from c by families/backoff.py

P. Liang, B. Taskar, D. Klein, NAACL 2006. Model 1, Model 2 or the HMM over positions both ways; the HMM with
fertilities, as soon as some have been counted. The counts are no derivative of log Z, so nothing promises that a
likelihood never falls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem, InputError
from softcount.families.backoff import Backoff, levels
from softcount.families.empty_word import FLOOR, EmptyWord
from softcount.families.jumps import JumpCounts
from softcount.families.kept import Kept
from softcount.families.layout import TableLayout
from softcount.machine.kernel import kernel
from softcount.models.agreement_best import best_links, best_words
from softcount.models.agreement_hmm import agree_hmm, groups_of
from softcount.models.agreement_kernel import Direction, Shard, Tally, agree_ibm1
from softcount.models.agreement_places import TABLED, Places, agree_ibm2, places_family, weigh_places
from softcount.models.fertility import MOST, fertility_ratios
from softcount.models.ibm_link import link_wishes
from softcount.models.jump_kernel import desk
from softcount.models.scattered import Scattered
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Expectation, Log, values
from softcount.text.pair_index import pair_index

SHARD = 1_000_000  # token pairs: the entries that meet in so many fit into a cache, more or less
UNKNOWN = 1e-7  # the weight of a word that is not known with any word: there positions decide
NO_CLASSES = np.empty((0, 2), np.int64)
FIRST_TENSION = 4.0  # where it is learned


class SideTables(NamedTuple):
    """What a direction has for itself."""

    empty: Any  # (p₀, t(word | empty) …)
    jump: Any  # (begin, end, jump)
    fertility: Any  # [words of the generating side, 0 … 6]
    log_likelihood: Any  # [1]: what the last E-step found
    places: Any  # of Model 2 (models/agreement_places.py)


class AgreementTables(NamedTuple):
    translation: Any  # [entries]
    forward: SideTables
    reverse: SideTables


class AgreementWeights(NamedTuple):
    rates: Array  # float32 [entries, 2]
    linked: Array  # float32 [2]: 1 − p₀
    directions: tuple[Direction, Direction]
    fertile: bool
    places: tuple[Places, Places] | None  # of Model 2


class PairShares(NamedTuple):
    """P₁ and P₂ of every token pair of some sentence pairs, and log Z of every pair in both directions."""

    starts: Array  # where each sentence pair's token pairs begin
    shares: Array  # float32 [token pairs, 2]
    log_norms: Array  # [pairs, 2]


class Agreement(NamedTuple):
    lexicon: Backoff
    n_words: tuple[int, int]  # source, target
    kinds: tuple[Array, Array]  # int32: which kind of jumps each word's are; 0 that of all other words
    longest: int  # sentence
    alignment: str = "jumps"  # the HMM; "uniform": Model 1; "diagonal", "free": Model 2
    fertility: bool = True
    null: float = 0.15
    learn_null: bool = True
    stride: int = 1  # jumps are counted in one sentence pair of so many
    classes: Array = NO_CLASSES  # int64 [C, 2]: the (source length, target length) pairs, sorted; of Model 2
    tension: float | str = 8.0  # of the diagonal; or "learn"

    @property
    def exact(self) -> bool:
        return False

    @property
    def positions(self) -> bool:
        return self.alignment == "jumps"

    def among(self, entries: Ragged) -> Agreement:
        """The same model of these entries alone, whose rates somebody else computes."""
        nothing = np.empty(0, np.float32)
        level = levels(entries, (np.empty(0), np.empty(self.n_words[1])), [])
        return self._replace(lexicon=Backoff(level, (), nothing, np.empty((0, 2), bool)))

    @property
    def shard_cost(self) -> int:
        return SHARD

    def costs(self, items: Any) -> Array:
        return items.token_pairs

    @property
    def layout(self) -> AgreementTables:
        sides = [self._side(0), self._side(1)]
        return AgreementTables(TableLayout(self.lexicon, emits=True), *sides)

    def _side(self, d: int) -> SideTables:
        return SideTables(
            TableLayout(EmptyWord(self.n_words[1 - d], self.null, self.learn_null)),
            TableLayout(self._jumps(d)),
            TableLayout(Kept((self.n_words[d], MOST + 1), self.fertility)),
            TableLayout(Kept((1,))),
            TableLayout(self._places(d)),
        )

    def _places(self, d: int) -> Any:
        learn = self.tension == "learn"
        tension = FIRST_TENSION if learn else float(self.tension)
        return places_family(self.alignment, self.classes_of(d), tension, learn)

    def classes_of(self, d: int) -> Array:
        """Lengths of the generating side and of the generated one."""
        return self.classes if d == 0 else np.unique(self.classes[:, ::-1], axis=0).reshape(-1, 2)

    def _jumps(self, d: int) -> JumpCounts:
        return JumpCounts(kinds=int(self.kinds[d].max(initial=0)) + 1)

    def pack(self, items: Any) -> Shard:
        """Items are a Bitext, or packed already."""
        if isinstance(items, Shard):
            return items
        rows = self.lexicon.levels[0].rows
        found = pair_index(items.source.sentences, items.target.sentences, rows, self.n_words[1])
        (one, starts), (two, begins) = link_wishes(items), link_wishes(items.reverse())
        wishes = one.astype(np.float32), two.astype(np.float32)
        return Shard(*found, wishes, (starts, begins), groups_of(found.source.lengths, found.target.lengths))

    def n_uniforms(self, shard: Shard) -> int:
        return 0

    def weigh(self, log_weights: AgreementTables) -> AgreementWeights:
        table, sides = log_weights.translation, log_weights[1:]
        rates = table.weights if isinstance(table, Log) else np.exp(values(table)).astype(np.float32)
        linked = np.array([1.0 - side.empty[0] for side in sides], np.float32)
        fertile = self.positions and self.fertility and all(side.fertility.any() for side in sides)
        directions = self._direction(0, sides[0]), self._direction(1, sides[1])
        return AgreementWeights(rates, linked, directions, fertile, self._weigh_places(sides))

    def _weigh_places(self, sides: Any) -> tuple[Places, Places] | None:
        if self.alignment not in TABLED:
            return None
        one, two = (weigh_places(self.alignment, self.classes_of(d), side.places) for d, side in enumerate(sides))
        return one, two

    def _direction(self, d: int, side: SideTables) -> Direction:
        begin, end, jump = self._jumps(d).parts(np.asarray(side.jump))
        away, reach, n = np.arange(self.longest), jump.shape[1] // 2, self.longest
        jumps = np.take(jump, reach + np.clip(np.arange(-n, n + 1), -reach, reach), axis=1).astype(np.float32)
        null = side.empty[0] * np.append(side.empty[1:], FLOOR)
        firsts = [part[np.minimum(away, reach)].astype(np.float32) for part in (begin, end)]
        ratio = fertility_ratios(np.concatenate([side.fertility, np.zeros((1, MOST + 1))]))
        sums = np.cumsum(np.pad(jumps, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
        kinds = np.append(self.kinds[d], np.zeros(1 + self.n_words[d] - len(self.kinds[d]), np.int32))
        return Direction(null.astype(np.float32), kinds, jumps, sums, firsts[0], firsts[1], ratio)

    def expect(
        self, weights: AgreementWeights, shard: Shard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, None]:  # fmt: skip
        if mode != SUM or labels:
            raise InputError("joint training supports only sums; use em, or --no-agreement")
        counts = np.zeros(len(shard.entries), np.float32)
        tallies, places = (self._tally(0), self._tally(1)), (self._no_places(0), self._no_places(1))
        found = self._ask(weights, shard, True, counts, tallies, places, np.empty((0, 2), np.float32))
        if not np.isfinite(found).all():
            raise ImpossibleItem(int(np.argmin(found.min(axis=1))))
        tokens = len(shard.target.values), len(shard.source.values)
        columns = (0, 1), tallies, places, tokens, found.sum(axis=0)
        sides = [self._counted(*side) for side in zip(*columns, strict=True)]
        n = len(weights.rates)
        tables = AgreementTables(Scattered(n, shard.entries[:-1], counts[:-1]), *sides)
        return Expectation(tables, float(found.sum())), None

    def _tally(self, d: int) -> Tally:
        n, fertility = self.longest, np.zeros((self.n_words[d] + 1, MOST + 1))
        jump = np.zeros((self._jumps(d).kinds, 2 * n + 1))
        rest = np.zeros(n), np.zeros(n), fertility, np.zeros_like(jump, np.float32)
        return Tally(np.zeros(self.n_words[1 - d] + 1), jump, *rest)

    def _no_places(self, d: int) -> Array:
        """Room for what is counted of places."""
        return np.zeros(self._places(d).size())

    def _counted(self, d: int, tally: Tally, placed: Array, tokens: int, log_norm: float) -> SideTables:
        """A tally as counts of the side's tables; Model 1 has none but the empty word's."""
        reach, n, away = JumpCounts().reach, self.longest, np.arange(self.longest)
        begin, end = (np.bincount(np.minimum(away, reach), part, reach + 1) for part in (tally.begin, tally.end))
        places = np.clip(np.arange(-n, n + 1), -reach, reach) + reach
        jump = [np.bincount(places, row, 2 * reach + 1) for row in tally.jump]
        null = tally.null[:-1]
        links = [0.0] if self.alignment == "uniform" else [tokens - tally.null.sum()]
        empty, moves = np.concatenate([links, null]), np.concatenate([begin, end, *jump])
        found = self._places(d).table(placed) if self.alignment == "free" else placed
        return SideTables(empty, moves, tally.fertility[:-1], np.array([log_norm]), found)

    def _ask(
        self, weights: AgreementWeights, shard: Shard, counting: bool, counts: Array, tallies: tuple[Tally, Tally],
        places: tuple[Array, Array], shares: Array,
    ) -> Array:  # fmt: skip
        local = np.empty((len(shard.entries), 2), np.float32)
        gather(weights.rates, weights.linked, shard.entries, UNKNOWN, local)
        log_norms = np.zeros((len(shard.starts) - 1, 2))
        if self.positions:
            how = weights.fertile, counting, self.stride
            agree_hmm(shard, local, weights.directions, *how, counts, tallies, shares, log_norms)
            return log_norms
        null, nulls = (weights.directions[0].null, weights.directions[1].null), (tallies[0].null, tallies[1].null)
        if weights.places is None:
            agree_ibm1(shard, local, null, counting, counts, nulls, shares, log_norms)
        else:
            agree_ibm2(shard, local, null, weights.places, counting, counts, nulls, places, shares, log_norms)
        return log_norms

    def posteriors(self, weights: AgreementWeights, shard: Shard) -> PairShares:
        shares = np.empty((len(shard.cells), 2), np.float32)
        tallies = self._tally(0), self._tally(1)
        nothing = np.empty(0, np.float32), tallies, (np.empty(0), np.empty(0))
        log_norms = self._ask(weights, shard, False, *nothing, shares)
        return PairShares(shard.starts, shares, log_norms)

    def best(self, weights: AgreementWeights, shard: Shard) -> PairShares:
        """The best alignment of each direction, as shares of ones and zeros."""
        alone = self.posteriors(weights._replace(fertile=False), shard)
        chosen = np.zeros_like(alone.shares)
        if not self.positions:
            best_words(shard.starts, shard.source.lengths, shard.target.lengths, alone.shares, chosen)
        else:
            local = np.empty((len(shard.entries), 2), np.float32)
            gather(weights.rates, weights.linked, shard.entries, UNKNOWN, local)
            best_links(shard, local, weights.directions, weights.fertile, alone.shares, desk(self.longest), chosen)
        return alone._replace(shares=chosen)

    def tied(self, parameters: AgreementTables) -> bool:
        return False

    def row_name(self, table: str, row: int) -> str:
        return f"row {row} of the {table}"


@kernel
def gather(rates: Array, linked: Array, entries: Array, unknown: float, out: Array) -> None:
    """out = linked * rates[entries], or unknown where there is no entry"""
    for k in range(len(entries)):
        for d in range(2):
            out[k, d] = linked[d] * (rates[entries[k], d] if entries[k] >= 0 else unknown)
