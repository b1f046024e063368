"""softcount cluster: one class for every document, by a Naive Bayes mixture or k-means."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from softcount.cli.console import per_table, sparse_of
from softcount.cli.documents import FORMS, OfDocuments, beside_names, check_output
from softcount.cli.options import (
    HOW,
    OUT,
    STAGES,
    WHAT,
    Choose,
    Features,
    Sparse,
    Variance,
    number,
    option,
    size_option,
)
from softcount.cli.progress import terminal_width
from softcount.cli.summary import or_null
from softcount.errors import InputError

BAYES = (
    "unlabelled_weight",
    "pseudo",
    "prior",
    "document_length",
    "features",
    "variance",
    "sparse",
)  # for --method nb alone
MOST_SHOWN = 50  # clusters
AT_ONCE = 65_536  # documents


@dataclass(kw_only=True)
class Cluster(OfDocuments):
    """Cluster documents, or classify them from a few labels; print one cluster or class per document.

    Example: **softcount cluster docs.txt --clusters 20 --min-count 3 --restarts 5 > clusters.txt**

    Read a table with names: **softcount cluster docs.csv --text-column body --id-column id --clusters 20**

    Gibbs sampling: **softcount cluster docs.txt --clusters 20 --criterion gibbs:200 --chains 4 --collapsed**

    From a few labels: **softcount cluster docs.txt --labels some.labels --unlabelled-weight 0.2 > classes.txt**

    New documents, with a saved model: **softcount cluster new.txt --apply classes.model > new.classes**
    """

    docs: Annotated[str, typer.Argument(help=FORMS)]
    clusters: Annotated[
        str | None, size_option("Number of clusters, or `auto`. Default: the number of classes in --labels.")
    ] = None
    choose: Choose = "evidence"
    method: Annotated[str, option(WHAT, "Method. Choices: nb (Naive Bayes mixture), kmeans (on tf-idf).")] = "nb"
    labels: Annotated[
        str | None, option(WHAT, "Known classes, one document per line; an empty line means unlabelled.")
    ] = None
    criterion: Annotated[str | None, option(HOW, f"{STAGES} Default: em:100 for nb, hard:100 for kmeans.")] = None  # type: ignore[assignment]
    tolerance: Annotated[
        float | None, option(HOW, "Relative change that ends a stage. Default: 1e-6 for nb, 0 for kmeans.", min=0)
    ] = None  # type: ignore[assignment]
    start: Annotated[
        str | None,
        option(
            HOW,
            "Initialization. Choices: kmeans (nb only), random, uniform (nb only), k-means++ (kmeans "
            "only). Default: kmeans for nb, k-means++ for kmeans.",
        ),
    ] = None
    metric: Annotated[str, option(WHAT, "Distance for kmeans. Choices: euclidean, cosine (spherical k-means).")] = (
        "euclidean"
    )
    unlabelled_weight: Annotated[
        float | None,
        option(HOW, "Weight λ of unlabelled documents, 0 to 1. Default: chosen by cross-validation.", min=0, max=1),
    ] = None
    features: Features = None
    variance: Variance = 1.0
    sparse: Sparse = None
    pseudo: Annotated[float, option(HOW, "Pseudo-count of every word in every class (nb only).", min=0)] = 0.1
    document_length: Annotated[float | None, option(HOW, "Normalize documents to N tokens (nb only).", min=1)] = None
    output: Annotated[
        str,
        option(
            OUT,
            "Output format. Choices: auto (tsv if documents have names), lines (one cluster per line), "
            "tsv (document, cluster).",
        ),
    ] = "auto"

    name: ClassVar[str] = "cluster"
    kinds: ClassVar[tuple[str, ...]] = ("naive bayes mixture", "k-means")

    def reads(self) -> dict[str, str | Path | None]:
        return {**super().reads(), "labels": self.labels}

    def check(self) -> None:
        if self.method not in ("nb", "kmeans"):
            raise InputError(f"--method {self.method!r}: unknown; use nb or kmeans")
        check_output(self.output)
        super().check()
        if self.apply is not None:
            return
        self.size = number(self.clusters)
        if self.size is None and self.labels is None:
            raise InputError("the number of clusters is missing; give --clusters N, or --labels FILE")
        if self.size == "auto" and (self.method == "kmeans" or self.labels is not None):
            raise InputError("--clusters auto needs --method nb without --labels; give a number of clusters")
        if self.method == "kmeans" and self.labels is not None:
            raise InputError("--labels needs --method nb; k-means does not use labels")
        if self.method == "kmeans" and self.criterion and "gibbs(" in self.criterion:
            raise InputError("chains need --method nb; k-means has no posterior to sample from")

    def estimator(self, data: Any) -> Any:
        from softcount.estimators.kmeans import KMeans
        from softcount.estimators.mixture import NaiveBayesMixture

        if isinstance(self.size, int) and self.size > len(data):
            raise InputError(
                f"{data.source}: {len(data)} documents are fewer than {self.size} clusters; use a smaller --clusters"
            )
        if self.size != "auto":
            self.note_unused("choose", where="without --clusters auto")
        given = {"criterion": self.criterion, "start": self.start, "tolerance": self.tolerance}
        settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        settings |= {"restarts": self.restarts, "random_state": self.seed, "lowercase": self.lowercase}
        if self.method == "kmeans":
            self.note_unused(*BAYES, where="with --method kmeans")
            model: Any = KMeans(self.size if isinstance(self.size, int) else 1, metric=self.metric, **settings)
        else:
            self.note_unused("metric", where="with --method nb")
            model = NaiveBayesMixture(self.size or 1, choose=self.choose, **self.bayes(), **settings)
        model._reading = self.reading()
        return model

    def bayes(self) -> dict[str, Any]:
        if self.labels is None:
            self.note_unused("unlabelled_weight", where="without --labels")
        pseudo = {"cluster": 0.0, "word": self.pseudo}
        return {
            "unlabelled_weight": self.unlabelled_weight, "document_length": self.document_length, "pseudo": pseudo,
            "prior": per_table(self.prior, "--prior"), "features": self.features,
            "variance": self.variance, "sparse": sparse_of(self.sparse),
        }  # fmt: skip

    def fit(self, model: Any, data: Any, **watch: Any) -> None:
        from softcount.estimators.unlabelled_weight import STEPS, n_trainings

        known = None if self.labels is None else _labels(self.labels, len(data))
        n_classes = self.size if known is None else len({label for label in known if label})
        if self.size is not None and self.size != n_classes:
            raise InputError(f"{self.labels}: {n_classes} classes, but --clusters is {self.clusters}; omit --clusters")
        if known is not None and self.unlabelled_weight is None and (known == None).any():  # noqa: E711  # by element
            n = n_trainings()
            self.say(
                f"note: the weight of unlabelled documents is chosen by {n} short trainings of {STEPS} "
                "iterations; --unlabelled-weight sets it"
            )
        model.fit(data, known, **watch)

    def answer(self, model: Any, data: Any) -> Iterable[Any]:
        if getattr(model, "chains_", None) is not None:
            return [model.classes_[k].item() for (k,) in model.chains_.labels]
        if not hasattr(model, "classes_"):
            return (model.predict(data) if self.apply else model.labels_).tolist()  # type: ignore[no-any-return]
        found = model._best(model._read(data, reset=False)) if self.apply else model.labels_
        return Named(model.classes_.tolist(), found)

    def report(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        if self.apply is None and self.verbose:
            yield from _shown(model, answer, self.quiet)
        yield from super().report(model, data, answer)

    def content(self, model: Any, data: Any, answer: Any) -> dict[str, Any]:
        named = {"documents": list(data.names_of())} if data.named else {}
        return {"clusters": list(answer), **named, "objective": or_null(model.objective_), **self.of_chains(model)}

    def lines(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        return beside_names(data, "cluster", answer, self.output)


class Named:
    """Classes of documents by their numbers; names one after the other, for all at once may be more than memory has."""

    def __init__(self, names: list[Any], numbers: Any) -> None:
        self.names, self.numbers = names, numbers

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self.numbers), AT_ONCE):
            yield from map(self.names.__getitem__, self.numbers[start : start + AT_ONCE].tolist())


def _shown(model: Any, classes: Iterable[Any], quiet: bool) -> Iterator[str]:
    """Each cluster by its size and its words."""
    from softcount.report.clusters import cluster_lines

    n_clusters = len(model.classes_) if hasattr(model, "classes_") else model.n_clusters
    if not quiet and n_clusters <= MOST_SHOWN:
        yield from cluster_lines(model, classes, terminal_width() if sys.stderr.isatty() else None)


def _labels(path: str, n_documents: int) -> Any:
    """The classes as an array of objects, None where the line is empty: a class may have any name, "-1" too."""
    import numpy as np

    from softcount.text.source import lines

    labels = [line.strip() for line in lines(path).to_pylist()]
    if not labels:
        raise InputError(f"{path}: empty file; give at least one line")
    if len(labels) != n_documents:
        raise InputError(
            f"{path}: {len(labels)} lines for {n_documents} documents; give one label per line (an "
            "empty line for an unlabelled document)"
        )
    if not any(labels):
        raise InputError(f"{path}: every line is empty; give at least one label, or omit --labels")
    return np.array([label or None for label in labels], dtype=object)
