"""All that we take from scikit-learn, loaded when it is used; its bases are stood in for where we are on our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softcount.estimators.light_estimator import LightEstimator
from softcount.machine.alone import is_alone

if TYPE_CHECKING or not is_alone():
    from sklearn.base import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        DensityMixin,
        TransformerMixin,
    )
else:
    BaseEstimator = LightEstimator
    ClassNamePrefixFeaturesOutMixin, ClusterMixin, DensityMixin, TransformerMixin = (
        type(name, (), {}) for name in ("Named", "Clusters", "Density", "Transforms")
    )

__all__ = ["BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "ClusterMixin", "DensityMixin", "TransformerMixin"]


def check_random_state(seed: Any) -> Any:
    from sklearn.utils import check_random_state

    return check_random_state(seed)


def check_consistent_length(*arrays: Any) -> None:
    from sklearn.utils import check_consistent_length

    check_consistent_length(*arrays)


def classifier_tags(**settings: Any) -> Any:
    from sklearn.utils import ClassifierTags

    return ClassifierTags(**settings)


def validate_data(estimator: Any, X: Any, reset: bool, **checks: Any) -> Any:
    """On our own, tables come from our readers alone, which have checked them."""
    if not is_alone():
        from sklearn.utils.validation import validate_data

        return validate_data(estimator, X, reset=reset, **checks)
    if reset:
        estimator.n_features_in_ = X.shape[1]
    return X
