"""A model in one file: two coins in a bag, each line of text flipped with one of them, nobody saw which.

    P(x, z) = coin[z] · ∏_t side[z, x_t]

What `tests/test_registry.py` adds to softcount from outside, by its registration alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import typer

from softcount.cli.options import WHAT, option
from softcount.cli.training import Training
from softcount.criteria.spec import Settings
from softcount.disk.sound import check_rows
from softcount.estimators.base import LoopEstimator
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.loop.estep import Answers
from softcount.loop.start import random_start
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.tables import Expectation
from softcount.registry import Registered
from softcount.text.corpus import corpus
from softcount.text.reader import read

# --- the model ------------------------------------------------------------------------------------------------------


class CoinTables(NamedTuple):
    coin: Any  # [K]
    side: Any  # [K, sides]


class Coins(NamedTuple):
    n_coins: int
    n_sides: int

    exact = True
    shard_cost = 20

    @property
    def layout(self) -> CoinTables:
        side = Categorical((self.n_coins, self.n_sides))
        return CoinTables(TableLayout(Categorical((self.n_coins,))), TableLayout(side, emits=True))

    def costs(self, items: Any) -> Any:
        return items.sizes

    def pack(self, items: Any) -> Any:
        """How often each line shows each side."""
        return np.array([np.bincount(row[row >= 0], minlength=self.n_sides) for row in items.sentences.rows()], float)

    def n_uniforms(self, shard: Any) -> int:
        return len(shard)

    def weigh(self, log_weights: CoinTables) -> CoinTables:
        return log_weights

    def posteriors(self, weights: CoinTables, shard: Any) -> Any:
        return self._shares(weights, shard)[0]

    def expect(
        self, weights: CoinTables, shard: Any, mode: int = SUM, uniforms: Any = None, labels: bool = False
    ) -> tuple[Expectation, Any]:
        shares, norms, scores = self._shares(weights, shard)
        best = scores.argmax(axis=1)
        if mode == MAX:
            shares, norms = np.eye(self.n_coins)[best], scores.max(axis=1)
        elif mode == SAMPLE:
            drawn = (shares.cumsum(axis=1) < uniforms[:, None]).sum(axis=1)
            shares = np.eye(self.n_coins)[np.minimum(drawn, self.n_coins - 1)]
        found = Expectation(CoinTables(shares.sum(axis=0), shares.T @ shard), float(norms.sum()))
        return found, best if labels else None

    def _shares(self, weights: CoinTables, shard: Any) -> tuple[Any, Any, Any]:
        scores = weights.coin + shard @ np.maximum(np.asarray(weights.side), -1e300).T
        norms = np.logaddexp.reduce(scores, axis=1)
        return np.exp(scores - norms[:, None]), norms, scores

    def tied(self, parameters: CoinTables) -> bool:
        return bool(np.allclose(parameters.side, parameters.side[:1]))

    def row_name(self, table: str, row: int) -> str:
        return f"coin {row}"


# --- its two faces --------------------------------------------------------------------------------------------------


class CoinFlips(LoopEstimator):
    kind = "coins"
    _learned = ("parameters_", "_log_weights", "vocabulary_", *LoopEstimator._FIT)
    _types = (CoinTables,)

    def __init__(
        self, n_coins: int = 2, *, criterion: str = "em:50", start: Any = "random", fixed: Any = (), pseudo: Any = 0.0,
        prior: Any = 0.1, restarts: int = 1, tolerance: float = 1e-6, engine: Any = "threads",
        n_jobs: int | None = None, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_coins, self.criterion, self.start, self.fixed, self.pseudo = n_coins, criterion, start, fixed, pseudo
        self.prior, self.restarts, self.tolerance, self.engine = prior, restarts, tolerance, engine
        self.n_jobs, self.random_state = n_jobs, random_state

    def fit(
        self, X: Any, y: Any = None, *, on_step: Any = None, checkpoint: Any = None, checkpoint_every: Any = None
    ) -> Any:
        data, kept = corpus(X), self._checkpoint(checkpoint, checkpoint_every)
        seed, digest = self._seed(kept), data.digest()
        self.vocabulary_ = data.vocabulary
        model = Coins(self.n_coins, len(data.vocabulary))
        with self._engine() as engine:
            self._train(
                model, data, lambda restart: random_start(model.layout, (seed, restart)), seed, engine,
                settings=Settings(self.pseudo, self.prior), digest=digest, on_step=on_step, checkpoint=kept,
            )  # fmt: skip
        self.signature_ = self._sign("coins", seed, coins=self.n_coins, data="sha256:" + digest[:12])
        self._remember(seed, data.source, digest, lines=len(data))
        return self

    def predict(self, X: Any) -> Any:
        data = corpus(X, self.vocabulary_)
        with self._engine() as engine:
            answers = Answers(Coins(self.n_coins, len(self.vocabulary_)), data, engine)
            return np.concatenate([labels for _, labels in answers.labels(self._log_weights, MAX)])

    def _sizes(self) -> dict[str, int]:
        return {"coins": self.n_coins, "sides": len(self.vocabulary_)}

    def _settle(self) -> None:
        super()._settle()
        K, V = self.n_coins, len(self.vocabulary_)
        check_rows("coin", self.parameters_.coin, K)
        check_rows("side", self.parameters_.side, K, V)


@dataclass(kw_only=True)
class Flip(Training):
    """Say which coin each line of TEXT was flipped with.

    Example: **softcount coins flips.txt --coins 2 > coins.txt**
    """

    text: Annotated[str, typer.Argument(help="Flips, a line each coin's.")]
    coins: Annotated[int, option(WHAT, "How many coins.", min=1)] = 2
    criterion: str = "em:50"

    name: ClassVar[str] = "coins"
    kinds: ClassVar[tuple[str, ...]] = ("coins",)

    def reads(self) -> dict[str, str | Path | None]:
        return {"text": self.text}

    def read(self, model: Any) -> Any:
        return read(self.text, vocabulary=None if model is None else model.vocabulary_)

    def estimator(self, data: Any) -> Any:
        return CoinFlips(self.coins, criterion=self.criterion, tolerance=self.tolerance, random_state=self.seed)

    def counted(self, data: Any) -> dict[str, float]:
        return {"lines": len(data)}

    def answer(self, model: Any, data: Any) -> list[int]:
        found: list[int] = model.predict(data).tolist()
        return found

    def content(self, model: Any, data: Any, answer: Any) -> dict[str, Any]:
        return {"coins": answer}

    def lines(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        return (f"{coin}\n" for coin in answer)


REGISTERED = Registered("coins", "a bag of coins", "coins:CoinFlips", "coins:Flip")
