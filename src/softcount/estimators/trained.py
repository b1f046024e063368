"""What every estimator that trains by steps shares: engine, seed, checkpoint, and the line behind its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from softcount.disk.checkpoint import Checkpoint
from softcount.engines import Engine, engine_of
from softcount.errors import InputError
from softcount.estimators.parameters import at_least, check_parameters
from softcount.estimators.saved import SavedEstimator
from softcount.signature import signature


class TrainedEstimator(SavedEstimator):
    """Subclasses say what is trained, on what and from where; one fit of the loop, or several."""

    tolerance: float
    engine: Any
    n_jobs: int | None
    random_state: Any

    def _check(self) -> None:
        check_parameters(self)
        at_least(self, 0.0, "tolerance")
        if self.n_jobs is not None and self.n_jobs != -1 and self.n_jobs < 1:
            raise InputError(f"n_jobs is {self.n_jobs}; it must be at least 1, or -1 for all cores")
        self._engine()

    def _engine(self) -> Engine:
        return engine_of(self.engine, 1 if self.n_jobs is None else self.n_jobs)

    def _seed(self, checkpoint: Checkpoint | None) -> int:
        """As given, as the checkpoint has it, or drawn."""
        recorded = checkpoint.seed() if checkpoint else None
        if self.random_state is None and recorded is not None:
            return recorded
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        from softcount.estimators.scikit import check_random_state

        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @contextmanager
    def _kept(self, checkpoint: Checkpoint | None, seed: int, digest: str, **about: Any) -> Iterator[None]:
        """The checkpoint of this run, and of no other; `about` is what it should know beside the settings."""
        if checkpoint:
            checkpoint.bind(self._about(seed, digest, **about))
        with checkpoint or nullcontext():
            yield

    def _sign(self, name: str, seed: int, **settings: Any) -> str:
        return signature(name, **settings, tolerance=self.tolerance, seed=seed, **self._read_as())
