"""What scikit-learn asks of an estimator, for one that should start before scikit-learn has been imported.

Importing it takes a second; `clone` and grid search find here what they need.
"""

from __future__ import annotations

import inspect
from typing import Any

from softcount.errors import InputError


class LightEstimator:
    """The constructor's arguments are the parameters, each kept under its own name."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the settings by name.

        Parameters
        ----------
        deep : bool, default True
            Nobody looks at it; scikit-learn passes it.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Any:
        """Change settings by name.

        Parameters
        ----------
        **parameters
            The settings.

        Returns
        -------
        self
        """
        known = self._parameter_names()
        for name, value in parameters.items():
            if name not in known:
                raise InputError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        usual = {name: parameter.default for name, parameter in inspect.signature(type(self)).parameters.items()}
        changed = (f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, usual[name]))
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator

        return BaseEstimator.__sklearn_tags__(self)


def _same(value: Any, usual: Any) -> bool:
    """Words and numbers may have come from a file; other things are compared with nothing but themselves."""
    return value is usual or (isinstance(value, str | int | float) and type(value) is type(usual) and value == usual)


def check_is_fitted(estimator: Any, attribute: str) -> None:
    if not hasattr(estimator, attribute):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"this {type(estimator).__name__} is not trained yet; call fit first")
