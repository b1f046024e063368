"""softcount: count what you cannot see by its expectation, and normalise.

Names are resolved when first used, so that ``import softcount`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softcount.errors import InputError
from softcount.machine.limits import LIBRARIES, check_limits
from softcount.registry import BUILT_IN
from softcount.version import VERSION as __version__

if TYPE_CHECKING:
    from softcount import evaluate, synthetic
    from softcount.estimators.aligner import WordAligner
    from softcount.estimators.chains import sample_posterior
    from softcount.estimators.crf_autoencoder import CRFAutoencoder
    from softcount.estimators.decipher import Decipher
    from softcount.estimators.gaussian import GaussianMixture
    from softcount.estimators.grammar import Grammar
    from softcount.estimators.hmm import HMM
    from softcount.estimators.kmeans import KMeans
    from softcount.estimators.language_model import LanguageModel
    from softcount.estimators.mixture import NaiveBayesMixture
    from softcount.estimators.network import Network
    from softcount.estimators.plsa import PLSA
    from softcount.estimators.translator import Translator
    from softcount.estimators.word_classes import WordClasses
    from softcount.loop.diagnostics import Chains
    from softcount.registry import load
    from softcount.report.plot import plot_alignment, plot_topics, plot_transition, plot_tried
    from softcount.text.bitext import Bitext, bitext
    from softcount.text.bitext_reader import read_bitext
    from softcount.text.corpus import Corpus, corpus
    from softcount.text.document_reader import read_documents
    from softcount.text.documents import Documents, documents
    from softcount.text.reader import read
    from softcount.text.shards import Shards

__all__ = [
    "HMM",
    "PLSA",
    "Bitext",
    "CRFAutoencoder",
    "Chains",
    "Corpus",
    "Decipher",
    "Documents",
    "GaussianMixture",
    "Grammar",
    "InputError",
    "KMeans",
    "LanguageModel",
    "NaiveBayesMixture",
    "Network",
    "Shards",
    "Translator",
    "WordAligner",
    "WordClasses",
    "__version__",
    "bitext",
    "corpus",
    "documents",
    "evaluate",
    "load",
    "plot_alignment",
    "plot_topics",
    "plot_transition",
    "plot_tried",
    "read",
    "read_bitext",
    "read_documents",
    "sample_posterior",
    "synthetic",
]

_HOME = {
    **{one.name: one.estimator.partition(":")[0] for one in BUILT_IN},
    "Translator": "softcount.estimators.translator",
    "load": "softcount.registry",
    "Chains": "softcount.loop.diagnostics",
    "sample_posterior": "softcount.estimators.chains",
    **dict.fromkeys(("plot_alignment", "plot_topics", "plot_transition", "plot_tried"), "softcount.report.plot"),
    "Corpus": "softcount.text.corpus",
    "corpus": "softcount.text.corpus",
    "read": "softcount.text.reader",
    "Bitext": "softcount.text.bitext",
    "bitext": "softcount.text.bitext",
    "read_bitext": "softcount.text.bitext_reader",
    "read_documents": "softcount.text.document_reader",
    "Documents": "softcount.text.documents",
    "documents": "softcount.text.documents",
    "Shards": "softcount.text.shards",
}


if not TYPE_CHECKING:  # for checkers, all that there is stands above

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            check_limits(*LIBRARIES)
            return getattr(import_module(_HOME[name]), name)
        if name in ("evaluate", "synthetic"):
            return import_module(f"softcount.{name}")
        raise AttributeError(f"module 'softcount' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
