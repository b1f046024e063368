"""What estimators share whose words have features: from which their rows are computed, and what those have learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from softcount.disk.sound import check_finite
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator
from softcount.estimators.featured import TableFeatures, of_words, signed_rows, telling
from softcount.numbers.ragged import Array


class FeaturedEstimator(LoopEstimator):
    """Subclasses name the table, its columns and its rows."""

    features: Any = None
    variance: float = 1.0
    feature_weights_: dict[str, Array] | None  # by table, where rows are computed from features
    feature_names_: dict[str, Array] | None
    _told: TableFeatures | None = None  # what the features are of the words at hand
    _FIT: ClassVar[tuple[str, ...]] = (*LoopEstimator._FIT, "feature_weights_", "feature_names_")
    _optional: ClassVar[tuple[str, ...]] = (*LoopEstimator._optional, "feature_weights_", "feature_names_")
    _described: ClassVar[tuple[tuple[str, str], ...]] = (
        ("feature_weights_ : dict or None", "Feature weights by table, with features."),
        ("feature_names_ : dict or None", "Feature names by table, with features."),
        *LoopEstimator._described,
    )

    def _featured_table(self) -> tuple[str, Sequence[str]]:
        """The table whose rows may be computed from features, and its columns."""
        raise NotImplementedError

    def _row_names(self) -> Sequence[int | str]:
        """What its rows are called."""
        raise NotImplementedError

    def top_features(self, n: int = 10, identities: bool = False) -> dict[int | str, list[tuple[str, float]]]:
        """Of each state, topic, cluster the features that speak for it most: how far their weight is above the mean.

        Parameters
        ----------
        n : int
            How many at most.
        identities : bool
            Whether what a word is counts beside what it looks like.

        Returns
        -------
        dict of lists of (feature, weight above the mean)
        """
        self._check_fitted("signature_")
        if not self.feature_weights_ or not self.feature_names_:
            raise InputError("the model has no features; train with features, for example features='words'")
        (name, weights), *_ = self.feature_weights_.items()
        found = telling(weights.reshape(-1, weights.shape[-1]), self.feature_names_[name], n, identities)
        return dict(zip(self._row_names(), found, strict=True))

    # --- within -----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        super()._check()
        self._told = None

    def _features(self) -> dict[str, TableFeatures]:
        if self.features is None:
            return {}
        name, words = self._featured_table()
        if self._told is None or self._told.rows.features.shape[0] != len(words):
            self._told = of_words(words, self.features, self.variance)
        return {name: self._told}

    def _take_weights(self, weights: dict[str, Array] | None) -> None:
        names = {name: np.array(table.names, dtype=object) for name, table in self._features().items()}
        self.feature_weights_, self.feature_names_ = weights, names or None

    def _settle(self) -> None:
        super()._settle()
        weights = self.__dict__.setdefault("feature_weights_", None) or {}
        names = self.__dict__.setdefault("feature_names_", None) or {}
        if weights.keys() != names.keys() or not weights.keys() <= self._tables_by_name().keys():
            raise ValueError("weights of other tables")
        for name, table in weights.items():
            check_finite(f"the weights of {name}", table, *table.shape[:-1], len(names[name]))

    def _signed_rows(self) -> dict[str, str]:
        (told,) = self._features().values() or (None,)
        return signed_rows(self.features, self.variance, self.sparse, told)
