"""softcount cluster: one class for every document, by a Naive Bayes mixture or k-means."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from softcount.cli.console import (
    Checkpoint,
    Every,
    Progress,
    Save,
    check_threads,
    check_writable,
    lower_cased,
    note_unused,
    open_model,
    say,
    terminal_width,
)  # fmt: skip
from softcount.cli.summary import or_null, report_applied, report_training
from softcount.cli.topics import note_unknown, prepared
from softcount.errors import InputError

TRAINING = (
    "clusters", "method", "labels", "unlabelled_weight", "criterion", "start", "pseudo", "document_length", "tolerance",
    "restarts", "min_count", "max_share", "stop_words", "seed", "checkpoint", "checkpoint_every",
)  # fmt: skip
BAYES = ("unlabelled_weight", "pseudo", "document_length")  # for --method nb alone
MOST_SHOWN = 50  # clusters


def cluster(
    context: typer.Context,
    docs: Annotated[
        str, typer.Argument(help="One document a line (.gz too, - for stdin), UCI docword, .ldac, .svmlight, folder.")
    ],
    clusters: Annotated[
        int | None, typer.Option(min=1, help="How many clusters; with --labels, their classes.")
    ] = None,
    method: Annotated[str, typer.Option(help="nb (Naive Bayes mixture) or kmeans (on tf-idf).")] = "nb",
    labels: Annotated[str | None, typer.Option(help="Known classes, one a line; an empty line is unlabelled.")] = None,
    unlabelled_weight: Annotated[
        float, typer.Option(min=0, max=1, help="λ: what an unlabelled document counts.")
    ] = 1.0,
    criterion: Annotated[
        str | None, typer.Option(help="Stages; if not given, em:100 for nb and hard:100 for kmeans.")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Stop a stage at this relative change; nb 1e-6, kmeans 0 if not given.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(help="nb: kmeans (default; with --labels, they are), random, uniform; kmeans: k-means++, random."),
    ] = None,
    pseudo: Annotated[float, typer.Option(min=0, help="nb: pseudo-count of every word in every class.")] = 0.1,
    document_length: Annotated[
        float | None, typer.Option(min=1, help="nb: scale every document to so many words.")
    ] = None,
    restarts: Annotated[int, typer.Option(min=1, help="Best of so many starts.")] = 1,
    min_count: Annotated[int, typer.Option(min=1, help="Leave out words in fewer documents.")] = 1,
    max_share: Annotated[float, typer.Option(min=0, max=1, help="Leave out words in a larger share of them.")] = 1.0,
    stop_words: Annotated[Path | None, typer.Option(help="Words to leave out, one a line.")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the text first.")] = False,
    format: Annotated[str, typer.Option(help="auto, lines, uci, ldac, svmlight, folder.")] = "auto",
    threads: Annotated[int, typer.Option(help="Worker threads; -1: all cores. The result is the same.")] = -1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same clusters.")] = 0,
    save: Save = None,
    apply: Annotated[Path | None, typer.Option(help="Use this saved model; nothing is trained.")] = None,
    checkpoint: Checkpoint = None,
    checkpoint_every: Every = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Cluster documents, or classify them from a few labels: one cluster (or class) a line.

    Example: **softcount cluster docs.txt --labels some.labels --unlabelled-weight 0.2 > classes.txt**
    """
    from softcount.text.document_reader import files_beside
    from softcount.text.source import check_stdin

    if method not in ("nb", "kmeans"):
        raise InputError(f"no method {method!r}; use nb or kmeans")
    check_writable(save, checkpoint, inputs=(docs, *files_beside(docs, format), labels, stop_words))
    if apply is not None:
        check_threads(threads)
        _apply(context, apply, docs, format, lowercase, save, threads, as_json, quiet)
        return
    if clusters is None and labels is None:
        raise InputError("how many clusters? give --clusters, or --labels")
    check_threads(threads)
    if method == "kmeans" and labels is not None:
        raise InputError("--labels goes with --method nb; k-means has no use for labels")
    check_stdin(documents=docs, labels=labels, stop_words=stop_words)
    data, reading = prepared(docs, format, lowercase, min_count, max_share, stop_words)
    if method == "kmeans":
        note_unused(context, BAYES, "with --method kmeans", quiet)
    elif labels is None:
        note_unused(context, ["unlabelled_weight"], "without --labels", quiet)
    common: dict[str, Any] = {"restarts": restarts, "n_jobs": threads, "random_state": seed}
    given = {"criterion": criterion, "start": start, "tolerance": tolerance}
    settings = {**common, **{name: value for name, value in given.items() if value is not None}}
    bayes = {
        "unlabelled_weight": unlabelled_weight, "document_length": document_length,
        "pseudo": {"cluster": 0.0, "word": pseudo},
    }  # fmt: skip
    progress = Progress(quiet, restarts)
    watch = {"on_step": progress, "checkpoint": checkpoint, "checkpoint_every": checkpoint_every}
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            model, classes = _trained(method, data, reading, clusters, labels, bayes, settings, watch)
    finally:
        progress.close()
    for message in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, UserWarning)):
        say(f"warning: {message}", quiet)
    _say_clusters(model, classes, quiet)
    report_training(model, quiet)
    if save:
        model.save(save)
    _print(model, classes, as_json)


def _apply(
    context: typer.Context,
    path: Path,
    docs: str,
    format: str,
    lowercase: bool,
    save: Path | None,
    threads: int,
    as_json: bool,
    quiet: bool,
) -> None:
    from softcount.text.document_reader import read_documents

    kinds = ("naive bayes mixture", "k-means")
    model = open_model(path, kinds, "cluster --apply", n_jobs=threads)
    data = read_documents(docs, format, lower_cased(model, lowercase))
    note_unknown(model, data, quiet)
    note_unused(context, TRAINING, "with --apply", quiet)
    classes = model.predict(data).tolist()
    if save:
        model.save(save)
    report_applied(model, path, data.source, quiet, documents=len(data), words=data.n_tokens)
    _print(model, classes, as_json)


def _say_clusters(model: Any, classes: list[Any], quiet: bool) -> None:
    from softcount.report.clusters import cluster_lines

    n_clusters = len(model.classes_) if hasattr(model, "classes_") else model.n_clusters
    if not quiet and n_clusters <= MOST_SHOWN:
        for line in cluster_lines(model, classes, terminal_width() if sys.stderr.isatty() else None):
            say(line)


def _print(model: Any, classes: list[Any], as_json: bool) -> None:
    if as_json:
        answer = {"clusters": classes, "objective": or_null(model.objective_), "signature": model.signature_}
        print(json.dumps(answer, ensure_ascii=False))
    else:
        sys.stdout.write("".join(f"{c}\n" for c in classes))


def _trained(
    method: str,
    data: Any,
    reading: dict[str, Any],
    clusters: int | None,
    labels: str | None,
    bayes: Any,
    settings: Any,
    watch: Any,
) -> tuple[Any, list[Any]]:
    from softcount.estimators.kmeans import KMeans
    from softcount.estimators.mixture import NaiveBayesMixture

    if clusters is not None and clusters > len(data):
        raise InputError(f"{data.source}: {len(data)} documents, but {clusters} clusters; ask for fewer")
    if method == "kmeans":
        model: Any = KMeans(clusters or 1, **settings)
        model._reading = reading
        model.fit(data, **watch)
        return model, model.labels_.tolist()
    known = None if labels is None else _labels(labels, len(data))
    n_classes = clusters if known is None else len({label for label in known if label})
    if clusters is not None and clusters != n_classes:
        raise InputError(f"{labels}: {n_classes} classes, but --clusters {clusters}; leave it away")
    model = NaiveBayesMixture(clusters or 1, **bayes, **settings)
    model._reading = reading
    model.fit(data, known, **watch)
    return model, model.predict(data).tolist()


def _labels(path: str, n_documents: int) -> Any:
    """The classes as an array of objects, None where the line is empty: a class may have any name, "-1" too."""
    import numpy as np

    from softcount.text.source import lines

    labels = [line.strip() for line in lines(path).to_pylist()]
    if not labels:
        raise InputError(f"{path}: empty file; give at least one line")
    if len(labels) != n_documents:
        raise InputError(
            f"{path}: {len(labels)} lines for {n_documents} documents; give one label a line, empty if none"
        )
    if not any(labels):
        raise InputError(f"{path}: every line is empty; give at least one label, or leave --labels away")
    return np.array([label or None for label in labels], dtype=object)
