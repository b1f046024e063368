"""A process of our own, as the command line's is, spares what only other people's programs would ask of us.

scikit-learn takes a second to import, and nobody there clones our estimators or puts them into a pipeline; pandas
takes half a second, pyarrow and scikit-learn import it wherever it is installed, and no data frame comes in there.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any

SPARED = "pandas"
_alone = False


def go_alone() -> None:
    """To be called before anything else is imported."""
    global _alone
    _alone = True
    sys.meta_path.insert(0, _Spare())


def is_alone() -> bool:
    return _alone


class _Spare(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == SPARED:
            raise ModuleNotFoundError(f"{SPARED} is not imported on the command line", name=SPARED)
