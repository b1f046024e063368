"""softcount: count what you cannot see by its expectation, and normalise.

Names are resolved when first used, so that ``import softcount`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softcount.errors import InputError
from softcount.version import VERSION as __version__

if TYPE_CHECKING:
    from softcount import synthetic
    from softcount.estimators.aligner import WordAligner
    from softcount.estimators.hmm import HMM
    from softcount.text.bitext import Bitext, bitext
    from softcount.text.bitext_reader import read_bitext
    from softcount.text.corpus import Corpus, corpus
    from softcount.text.reader import read

__all__ = [
    "HMM", "Bitext", "Corpus", "InputError", "WordAligner", "__version__", "bitext", "corpus", "read", "read_bitext",
    "synthetic",
]  # fmt: skip

_HOME = {
    "HMM": "softcount.estimators.hmm",
    "Bitext": "softcount.text.bitext",
    "WordAligner": "softcount.estimators.aligner",
    "bitext": "softcount.text.bitext",
    "read_bitext": "softcount.text.bitext_reader",
    "Corpus": "softcount.text.corpus",
    "corpus": "softcount.text.corpus",
    "read": "softcount.text.reader",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name == "synthetic":
        return import_module("softcount.synthetic")
    raise AttributeError(f"module 'softcount' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
