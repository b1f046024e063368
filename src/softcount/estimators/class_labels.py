"""What `y` says of documents' classes: names or whole numbers, and for a document whose class is not known −1.

None, NaN, "" and pandas' NA are not known either. NumPy makes "-1" of a −1 among names, so in an array of names "-1" is
not known; in one of objects it is a name.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array


def label_column(y: Any, n: int) -> Array:
    """Labels in a row; a column of them is taken for that, with a warning, as scikit-learn does."""
    y = np.asarray(y)
    if y.shape == (n, 1):
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            f"A column-vector y was passed when a 1d array was expected: shape {y.shape}, not ({n},)",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y.ravel()
    if y.shape != (n,):
        raise InputError(f"y has shape {y.shape}; one label for each of the {n} documents is needed")
    if y.dtype.kind == "f" and np.any(y[np.isfinite(y)] % 1.0):
        raise InputError("y: Unknown label type: continuous values are not classes; give names or whole numbers")
    return np.asarray(y)


def known_labels(y: Array) -> Array:
    """Which labels say a class."""
    unknown = (None, "", -1, "-1") if y.dtype.kind == "U" else (None, "", -1)
    return np.array([not _missing(label) and label not in unknown for label in y.tolist()], dtype=bool)


def _missing(label: Any) -> bool:
    """As data frames and floats have it: NaN, pandas' NA."""
    return type(label).__name__ == "NAType" or (isinstance(label, float) and label != label)


def numbered_classes(labels: list[Any], classes: Any = None) -> tuple[Array, Array]:
    """The classes in order, and which of them each label says; `classes` are all that there may be, where known."""
    if len({isinstance(label, str) for label in labels}) > 1:
        raise InputError("y has both names and numbers as classes; use one kind")
    if classes is None:
        names, ids = np.unique(labels, return_inverse=True)
        return names, ids
    names = np.unique(np.asarray(classes))
    strange = sorted(set(labels) - set(names.tolist()), key=str)
    if strange:
        raise InputError(f"y has the class {strange[0]!r}, which is not in classes; add it there")
    return names, np.searchsorted(names, labels)


def class_numbers(y: Array, classes: Array) -> Array:
    """int32: which of the classes each label says; −1 where it says none, or one that is not among them."""
    place = {name: k for k, name in enumerate(classes.tolist())}
    known = known_labels(y).tolist()
    return np.array([place.get(l, -1) if k else -1 for l, k in zip(y.tolist(), known, strict=True)], np.int32)
