"""What estimators of one model share: how it is trained by the loop; and how count tables are read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Self, cast

import numpy as np

from softcount.criteria.mre import reconstructing
from softcount.criteria.spec import Settings, Stage, parse
from softcount.disk.checkpoint import Checkpoint
from softcount.engines import Engine
from softcount.errors import InputError, impossible_means
from softcount.estimators.docstring import SHARED
from softcount.estimators.featured import TableFeatures, signed_rows
from softcount.estimators.saved import signed_start
from softcount.estimators.scikit import BaseEstimator
from softcount.estimators.trained import TrainedEstimator
from softcount.loop.diagnostics import Chains
from softcount.loop.estep import Answers
from softcount.loop.feature_weights import Computed
from softcount.loop.model import Model
from softcount.loop.online import Learned, Online, learn, stepwise_stage
from softcount.loop.resume import Restart
from softcount.loop.state_check import check_posterior
from softcount.loop.trace import DONE, Ending, Step, Trace
from softcount.loop.train import Fit, begun, fit
from softcount.loop.weighted import weighted
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables, by_name, values
from softcount.text.corpus import MEMORY

NOT_THOUGHT_OF = "use a larger prior or pseudo-count, or more data in the first call"
MRE_AT_RANDOM = "mre from a random start rarely works; start with em, for example em:100,mre:50"


class LoopEstimator(TrainedEstimator, BaseEstimator):  # type: ignore[misc]
    """Trains a model by the loop; subclasses say which, on what, and from where."""

    criterion: Any  # stages by name
    start: Any
    fixed: Any
    pseudo: Any
    prior: Any
    sparse: Any = None  # (α, β) of sparse rows
    restarts: int

    parameters_: Any
    restarts_: list[Restart]
    restart_: int
    objective_: float
    n_iter_: int
    chains_: Chains | None = None  # where the last stage is several of them; no file keeps their draws
    posterior_: dict[str, Any] | None  # by table, after variational Bayes: λ, of Gaussians χ; None of a point
    _optional: ClassVar[tuple[str, ...]] = ("posterior_",)  # not in older files

    _described: ClassVar[tuple[tuple[str, str], ...]] = (
        ("parameters_ : NamedTuple of tables", "All learned tables."),
        ("posterior_ : dict or None", "Dirichlet posteriors by table after `vb` (λ; for Gaussians χ)."),
        ("chains_ : Chains or None", "Averages and diagnostics after `gibbs(chains=4)`; not saved."),
        ("objective_ : float", "Objective at the last iteration of the chosen restart."),
        ("n_iter_ : int", "Number of iterations of that restart, in all stages."),
        ("restarts_ : list of Restart", "Objective, score and number of iterations of every restart."),
        ("restart_ : int", "Index of the chosen restart."),
        *SHARED,
    )

    def _check(self) -> None:
        super()._check()
        self._stages()
        if self.restarts < 1:
            raise InputError(f"restarts is {self.restarts}; it must be at least 1")

    def _held(self, model: Model) -> Any:
        """What training leaves alone: names of tables, or masks of their entries."""
        return self.fixed

    def _stages(self) -> list[Stage]:
        return parse(self.criterion)

    def _features(self) -> dict[str, TableFeatures]:
        """The tables whose rows are computed from features, and from which."""
        return {}

    def _computed(self) -> Computed:
        return {name: table.rows for name, table in self._features().items()}

    def _smoothing(self) -> Any:
        """Pseudo-counts, by table or one number."""
        return self.pseudo

    def _begins(self, items: Any) -> str:
        """What the start is, in a word."""
        return self.start if isinstance(self.start, str) else "given"

    def _train(
        self,
        model: Model,
        items: Any,
        start: Callable[[int], Tables],
        seed: int,
        engine: Engine,
        *,
        settings: Settings,
        digest: str,
        select: Callable[[Tables], float] | None = None,
        monitor: Callable[[Tables], float] | None = None,
        on_step: Callable[[Step], None] | None = None,
        checkpoint: Checkpoint | None = None,
        about: Mapping[str, Any] | None = None,
        restarts: int | None = None,
        at_most: Sequence[int] | None = None,
        slot: str = "fit",
        weights: Array | None = None,
    ) -> Fit:
        """`digest` is that of the data, `about` what else a checkpoint should know of the run, `slot` where in it;
        `weights` are what the items count."""
        LoopEstimator._check(self)
        self._online = None
        if self._beginning:
            return self._take(begun(model, start(0)))
        restarts = self.restarts if restarts is None else restarts
        stages = self._stages()
        texts = {"criterion": ",".join(stage.text for stage in stages)}
        texts |= {f"features of {name}": table.digest() for name, table in self._features().items()}
        with self._kept(checkpoint, seed, digest, **(texts | dict(about or {}))):
            result = fit(
                model, weighted(items, weights), stages, start, engine, fixed=self._held(model),
                computed=self._computed(), settings=settings, tolerance=self.tolerance,
                restarts=restarts, seed=seed, select=select, monitor=monitor,
                on_step=on_step, checkpoint=checkpoint.slot(slot) if checkpoint else None, at_most=at_most,
            )  # fmt: skip
        if stages[0].name == "mre" and self._begins(items) == "random":
            result.trace.remarks += (MRE_AT_RANDOM,)
        return self._take(result)

    def _take(self, result: Fit) -> Fit:
        self.history_, self.restarts_, self.restart_ = result.trace, result.restarts, result.chosen
        self.objective_ = result.restarts[result.chosen].objective
        self.n_iter_ = result.restarts[result.chosen].steps
        self.parameters_, self._log_weights = result.parameters, result.log_weights
        self.posterior_ = None if result.posterior is None else by_name(result.posterior)
        self.chains_ = result.chains
        self._take_weights(result.weights)
        return result

    def _take_weights(self, weights: dict[str, Array] | None) -> None:
        """Of rows that are computed from features."""

    # What the loop leaves, beside tables and trace.
    _FIT: ClassVar[tuple[str, ...]] = ("restarts_", "restart_", "objective_", "n_iter_", "posterior_")

    def _settle(self) -> None:
        if not 0 <= self.restart_ < len(self.restarts_) or self.n_iter_ != self.restarts_[self.restart_].steps >= 0:
            raise ValueError("an unknown restart")
        self._check_posterior()

    def _check_posterior(self) -> None:
        known = self.__dict__.setdefault("posterior_", None)
        if known is None:
            return
        tables = self._tables_by_name()
        if known.keys() != tables.keys():
            raise ValueError("a posterior of other tables")
        for name, table in tables.items():
            if known[name] is not None:
                positive = bool(np.min(values(table), initial=0.0) >= 0.0)  # a mean has the sign of its sum
                check_posterior(name, known[name], table, positive)

    def _tables_by_name(self) -> dict[str, Any]:
        return by_name(self.parameters_)

    # --- data that arrives in pieces --------------------------------------------------------------------------------

    _beginning = False  # whether `fit` is to get everything ready, and take no steps
    _online: Online | None = None

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, total: float | None = None) -> Self:
        """Train on data that arrives in pieces: one step of the stepwise criterion, of which X is a mini-batch.

        The first call begins as `fit` does: with its words, states and start. Words that come later are unknown.

        Parameters
        ----------
        X, y, sample_weight
            As `fit` takes them.
        total : number, optional
            How many items there will be in all; where it is not given, all that there were. Only priors and
            pseudo-counts care.

        Returns
        -------
        self
        """
        self._check()
        stage = stepwise_stage(self._online_stages())
        if "signature_" not in self.__dict__ and "_stored" not in self.__dict__:
            self._beginning = True
            try:
                cast(Any, self).fit(X, y, sample_weight)
            finally:
                del self._beginning
        if total is not None and not total > 0:
            raise InputError(f"total is {total}; it must be the total number of items")
        model, items, weights = self._arrived(X, y, sample_weight)
        with self._engine() as engine, naming(getattr(items, "source", MEMORY), "item", NOT_THOUGHT_OF):
            learned = learn(
                model, weighted(items, weights), stage, self._online_settings()._replace(seed=(self.seed_,)),
                self._carried(), self._online, engine, fixed=self._held(model), computed=self._computed(), total=total,
            )  # fmt: skip
        self._take_piece(learned, items)
        return self

    def _online_stages(self) -> list[Stage]:
        return self._stages()

    def _settings(self) -> Settings:
        return Settings(self._smoothing(), self.prior, sparse=self.sparse)

    def _online_settings(self) -> Settings:
        return self._settings()

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Model, Any, Array | None]:
        """A piece of data in the model's terms: the model to ask, the items, and what they count."""
        raise NotImplementedError

    def _carried(self) -> Tables:
        """The parameters to go on from."""
        return self.parameters_

    def _take_piece(self, learned: Learned, items: Any) -> None:
        n = learned.online.state.updates
        self._online, self.parameters_, self._log_weights = learned.online, learned.parameters, learned.log_weights
        self.posterior_ = None if learned.posterior is None else by_name(learned.posterior)
        self._take_weights(learned.weights)
        before = Trace(step for step in self.history_ if step.stage == learned.step.stage)
        before.remarks, before.stopped = self.history_.remarks, Ending(DONE, f"{n:,} piece{'s' * (n != 1)} learned")
        before.append(learned.step)
        self.history_, self.objective_ = before, learned.step.objective
        self.restarts_, self.restart_ = [Restart(self.objective_, self.objective_, len(before), before.stopped)], 0
        self.n_iter_ = len(before)
        self._show_piece(items)
        piece = getattr(items, "digest", lambda: "")()
        self.data_["digest"] = "sha256:" + hashlib.sha256((self.data_["digest"] + piece).encode()).hexdigest()
        self.signature_ = f"{self.signature_.partition(' | pieces=')[0]} | pieces={n} {self.data_['digest'][:19]}"

    def _show_piece(self, items: Any) -> None:
        """What users see of new parameters, and of the items they were just learned from."""

    # --- what every model can be asked ------------------------------------------------------------------------------

    def _posed(self, X: Any, y: Any = None) -> AbstractContextManager[tuple[Answers, Tables]]:
        """New data as a question to the model, and the log-weights to ask it with: those of `score`."""
        raise NotImplementedError

    def reconstruction_score(self, X: Any, y: Any = None) -> float:
        """How likely the data is made again from what the model makes of it: log Σ_z P(x | z) P(z | x), in nats.

        Summed over all items; it is what maximum reconstruction (`mre`) maximises. Greater is better.

        Parameters
        ----------
        X : sentences, documents, rows
            As `fit` takes them.
        y : labels, optional
            What is known of the hidden values, as `fit` takes it.

        Returns
        -------
        float
        """
        with self._posed(X, y) as (answers, log_weights):
            again = answers.log_norm(reconstructing(answers.model.layout, log_weights))
            return again - answers.log_norm(log_weights)

    def _signed_rows(self) -> dict[str, str]:
        """Of rows that are computed from features, or sparse; of others nothing."""
        return signed_rows(None, 1.0, self.sparse)

    def _sign(self, name: str, seed: int, **settings: Any) -> str:
        if "start" in settings:
            settings["start"] = signed_start(settings["start"], self.start)
        return super()._sign(
            name,
            seed,
            **settings,
            criterion=",".join(stage.text for stage in self._stages()),
            pseudo=compact(self._smoothing()),
            prior=compact(self.prior),
            **self._signed_rows(),
            fixed=named(self.fixed),
            restarts=self.restarts,
        )


def compact(setting: Any) -> str:
    return ",".join(f"{k}:{v}" for k, v in setting.items()) if isinstance(setting, Mapping) else str(setting)


def named(tables: Any) -> str:
    """The names of tables: one, several, or those of a mapping."""
    return tables if isinstance(tables, str) else ",".join(tables) or "none"


def naming(
    source: str, what: str = "document", do: str = "allow its words, or add pseudo-counts"
) -> AbstractContextManager[None]:
    """Turns an impossible item into a message about the user's data."""
    wrong = f"this {what} has probability zero under the parameters"
    return impossible_means(lambda item: f"{source}:{item + 1}: {wrong}; {do}")
