"""Every estimator that there is: how files call it, where it lives, which command trains it.

All that must know estimators by name reads it here: ``softcount.HMM``, `softcount.load`, the command line, `softcount
info`. To add one: a line in BUILT_IN. To add one from elsewhere: an entry point of the group ``softcount.models`` that
names a `Registered`, in whatever package; nothing here needs to know of it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.disk.store import Stored

GROUP = "softcount.models"


class Registered(NamedTuple):
    kind: str  # what files call it
    title: str  # as messages say it, with its article
    estimator: str  # module:class, imported when it is needed, because kernels take their time
    command: str = ""  # module:class of the command that trains and applies it, if it has one

    @property
    def name(self) -> str:
        return self.estimator.partition(":")[2]


BUILT_IN = (
    Registered("hmm", "a hidden Markov model", "softcount.estimators.hmm:HMM", "softcount.cli.tag:Tag"),
    Registered(
        "word classes", "word classes", "softcount.estimators.word_classes:WordClasses", "softcount.cli.classes:Classes"
    ),
    Registered(
        "crf autoencoder", "a CRF autoencoder", "softcount.estimators.crf_autoencoder:CRFAutoencoder",
        "softcount.cli.tag:Tag",
    ),
    Registered("plsa", "a PLSA topic model", "softcount.estimators.plsa:PLSA", "softcount.cli.topics:Topics"),
    Registered(
        "naive bayes mixture", "a Naive Bayes mixture", "softcount.estimators.mixture:NaiveBayesMixture",
        "softcount.cli.cluster:Cluster",
    ),
    Registered("k-means", "k-means clusters", "softcount.estimators.kmeans:KMeans", "softcount.cli.cluster:Cluster"),
    Registered("gaussian mixture", "a Gaussian mixture", "softcount.estimators.gaussian:GaussianMixture"),
    Registered("grammar", "a grammar", "softcount.estimators.grammar:Grammar", "softcount.cli.grammar:GrammarCommand"),
    Registered(
        "word aligner", "a word aligner", "softcount.estimators.aligner:WordAligner", "softcount.cli.align:Align"
    ),
    Registered("network", "a Bayesian network", "softcount.estimators.network:Network", "softcount.cli.net:Net"),
    Registered(
        "decipher", "a cipher key", "softcount.estimators.decipher:Decipher",
        "softcount.cli.decipher:DecipherCommand",
    ),
    Registered("language model", "a language model", "softcount.estimators.language_model:LanguageModel"),
)  # fmt: skip


def found_at(place: str) -> Any:
    """What ``module:name`` says."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def from_elsewhere() -> tuple[Registered, ...]:
    """What other packages have registered."""
    from importlib.metadata import entry_points

    return tuple(point.load() for point in entry_points(group=GROUP))


def registered(kind: str) -> Registered | None:
    known = next((one for one in BUILT_IN if one.kind == kind), None)
    return known or next((one for one in from_elsewhere() if one.kind == kind), None)


def title(kind: str) -> str:
    """What a file holds, with its article."""
    if kind == "checkpoint":
        return "a checkpoint"
    if kind == "part":
        return "a part of a model"
    known = registered(kind)
    return known.title if known else f"something unknown ({kind!r})"


def load(path: str | Path, **settings: Any) -> Any:
    """Load a saved estimator of any kind from a file.

    Read more in the :doc:`guide to saving, loading and exporting </how-to/save>`.

    >>> from softcount import LanguageModel, load
    >>> LanguageModel(order=2).fit(["the dog runs", "the cat runs"]).save("lm.softcount")
    >>> load("lm.softcount")
    LanguageModel(order=2)

    Opening takes milliseconds whatever the size: tables are read and checked when they are first asked for.

    Parameters
    ----------
    path : str or path
        The file that `save` wrote.
    **settings
        Settings that replace those it was saved with, such as ``n_jobs=2``.

    Returns
    -------
    estimator
    """
    return load_one_of(path, (), "softcount.load", **settings)


def load_one_of(path: str | Path, kinds: tuple[str, ...], who: str, **settings: Any) -> Any:
    """`who` is asking, for the message; no kinds: any will do."""
    from softcount.disk.store import Stored

    stored: Stored = Stored(path)
    known = registered(stored.kind)
    if known is None or (kinds and stored.kind not in kinds):
        needs = " or ".join(title(kind) for kind in kinds) if kinds else "a model"
        raise InputError(f"{path}: contains {title(stored.kind)}; {who} needs {needs}")
    return found_at(known.estimator)._opened(stored, settings)
