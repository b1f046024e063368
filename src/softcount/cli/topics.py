"""softcount topics: the topics of documents, by PLSA."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    say_unknown,
    write_whole,
)  # fmt: skip
from softcount.cli.summary import or_null, report_applied, report_training
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.plsa import PLSA
    from softcount.text.documents import Documents

ROWS = (".tsv", ".npy", ".parquet")
TRAINING = (
    "n_topics", "criterion", "tolerance", "pseudo", "seed_words", "min_count", "max_share", "stop_words", "held_out",
    "restarts", "seed", "checkpoint", "checkpoint_every",
)  # fmt: skip


def topics(
    context: typer.Context,
    docs: Annotated[
        str | None,
        typer.Argument(
            help="One document a line (.gz too, - for stdin), UCI docword, .ldac, .svmlight, folder. With --apply and "
            "--query it may be left away: the query is then put to the training documents, by topics alone."
        ),
    ] = None,
    n_topics: Annotated[int, typer.Option("--topics", min=1, help="How many topics.")] = 20,
    criterion: Annotated[str, typer.Option(help="Stages; annealed(start=0.8,stop=0.8):100 is tempered EM.")] = "em:200",
    tolerance: Annotated[float, typer.Option(min=0, help="Stop a stage at this relative change.")] = 1e-6,
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of every word in every topic.")] = 0.0,
    seed_words: Annotated[
        Path | None, typer.Option(help="Words to begin topics with, one topic a line: number, tab, word word …")
    ] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Leave out words in fewer documents.")] = 1,
    max_share: Annotated[float, typer.Option(min=0, max=1, help="Leave out words in a larger share of them.")] = 1.0,
    stop_words: Annotated[Path | None, typer.Option(help="Words to leave out, one a line.")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the text first.")] = False,
    held_out: Annotated[float, typer.Option(min=0, max=0.9, help="Stop by this share of documents kept aside.")] = 0.0,
    restarts: Annotated[int, typer.Option(min=1, help="Best of so many random starts.")] = 1,
    top: Annotated[int, typer.Option(min=1, help="Words shown per topic.")] = 10,
    rows: Annotated[Path | None, typer.Option(help="Write document × topic here: .tsv, .npy or .parquet.")] = None,
    save: Save = None,
    apply: Annotated[Path | None, typer.Option(help="Use this saved model: rows for DOCS, nothing is trained.")] = None,
    checkpoint: Checkpoint = None,
    checkpoint_every: Every = None,
    query: Annotated[str | None, typer.Option(help="Print the documents most similar to these words.")] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="With --query: how many.")] = 10,
    tfidf: Annotated[float, typer.Option(min=0, max=1, help="With --query: weight of tf-idf beside topics.")] = 0.5,
    format: Annotated[str, typer.Option(help="auto, lines, uci, ldac, svmlight, folder.")] = "auto",
    threads: Annotated[int, typer.Option(help="Worker threads; -1: all cores. The result is the same.")] = -1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same topics.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Find topics: for each its prevalence and its most probable words, one topic a line.

    Example: **softcount topics docs.txt --topics 20 --min-count 5 --max-share 0.3 --rows rows.tsv**
    """
    from softcount.text.document_reader import files_beside, read_documents
    from softcount.text.source import check_stdin

    beside = files_beside(docs, format) if docs is not None else []
    check_writable(rows, save, checkpoint, inputs=(docs, *beside, stop_words, seed_words))
    check_writable(rows, inputs=(apply,))
    if rows and rows.suffix not in ROWS:
        raise InputError(f"{rows}: rows are written as {', '.join(ROWS)}; name the file so")
    check_threads(threads)
    if docs is None:
        _ask_training_documents(context, apply, query, k, lowercase, as_json, quiet)
        return
    if apply:
        model = open_model(apply, ("plsa",), "topics --apply", n_jobs=threads)
        lowercase = lower_cased(model, lowercase)
        query = _lower(query, lowercase)
        data = read_documents(docs, format, lowercase)
        note_unknown(model, data, quiet)
        note_unused(context, TRAINING, "with --apply", quiet)
    else:
        check_stdin(documents=docs, seed_words=seed_words)
        data, reading = prepared(docs, format, lowercase, min_count, max_share, stop_words)
        query = _lower(query, lowercase)
        if query is not None and data.vocabulary and (data.vocabulary.find(query.split()) < 0).all():
            raise InputError(f"--query {query!r}: none of its words is in {docs}; use other words")
        begin = _seed_words(seed_words, n_topics, data, lowercase)
        model = _model(
            n_topics, begin, pseudo, reading, criterion=criterion, held_out=held_out, restarts=restarts,
            tolerance=tolerance, n_jobs=threads, random_state=seed,
        )  # fmt: skip
        progress = Progress(quiet, restarts)
        try:
            model.fit(data, on_step=progress, checkpoint=checkpoint, checkpoint_every=checkpoint_every)
        finally:
            progress.close()
    if query is None:
        note_unused(context, ["k", "tfidf"], "without --query", quiet)
    if (apply or query is not None) and not as_json:
        note_unused(context, ["top"], "where no topics are printed", quiet)
    table: Any = model.transform(data) if apply or rows else None
    found = model.similar(query, k, among=data, tfidf=tfidf) if query is not None else None
    if rows:
        write_whole(rows, lambda path: write_rows(path, rows.suffix, table))
    if save:
        model.save(save)
    if apply:
        report_applied(model, apply, data.source, quiet, documents=len(data), words=data.n_tokens)
    else:
        report_training(model, quiet)
    if as_json:
        _print_json(model, data, table if apply and not rows else None, found, top)
    elif found is not None:
        _print_similar(found)
    elif not apply:
        _print_topics(model, top)
    elif not rows:
        print("".join(_row(row) + "\n" for row in table), end="")


def _ask_training_documents(
    context: typer.Context, apply: Path | None, query: str | None, k: int, lowercase: bool, as_json: bool, quiet: bool
) -> None:
    if apply is None or query is None:
        raise InputError("which documents? give DOCS; only --apply MODEL --query WORDS goes without")
    model = open_model(apply, ("plsa",), "topics --apply")
    note_unused(context, [*TRAINING, "rows", "save", "tfidf", "top", "format", "threads"], "without DOCS", quiet)
    found = model.similar(_lower(query, lower_cased(model, lowercase)), k)
    report_applied(model, apply, "its training documents", quiet, documents=len(model.topic_))
    if as_json:
        print(json.dumps({"similar": _similar(found), "signature": model.signature_}))
    else:
        _print_similar(found)


def _similar(found: list[tuple[int, float]]) -> list[dict[str, Any]]:
    return [{"document": d + 1, "similarity": s} for d, s in found]


def _print_similar(found: list[tuple[int, float]]) -> None:
    print("".join(f"{d + 1}\t{similarity:.4f}\n" for d, similarity in found), end="")


def _seed_words(path: Path | None, n_topics: int, data: Documents, lowercase: bool) -> dict[int, list[str]] | None:
    from softcount.text.seed_words import read_seed_words

    if path is None:
        return None
    assert data.vocabulary is not None  # what is read from files has names, if only numbers
    return read_seed_words(path, n_topics, data.vocabulary, lowercase)


def _model(
    n_topics: int, seed_words: dict[int, list[str]] | None, pseudo: float, reading: dict[str, Any], **settings: Any
) -> PLSA:
    from softcount.estimators.plsa import PLSA

    by_table = {"topic": 0.0, "word": pseudo} if pseudo else 0.0
    model = PLSA(n_topics, seed_words=seed_words, pseudo=by_table, **settings)
    seeds = {} if seed_words is None else {"seed_words": sum(map(len, seed_words.values()))}
    model._reading = {**reading, **seeds}
    return model


def _lower(query: str | None, lowercase: bool) -> str | None:
    return query.lower() if query is not None and lowercase else query


def prepared(
    docs: str, format: str, lowercase: bool, min_count: int, max_share: float, stop_words: Path | None
) -> tuple[Documents, dict[str, Any]]:
    """The documents without the words that are to be left out, and what of that is not as by default."""
    from softcount.text.document_reader import read_documents
    from softcount.text.documents import pruned
    from softcount.text.source import check_stdin, lines

    check_stdin(documents=docs, stop_words=stop_words)
    data = read_documents(docs, format, lowercase)
    stop = [word.strip() for word in lines(stop_words).to_pylist()] if stop_words else []
    stop = sorted({word.lower() if lowercase else word for word in stop if word})
    reading = {"lowercase": lowercase, "min_count": min_count, "max_share": max_share, "stop_words": len(stop)}
    usual = {"lowercase": False, "min_count": 1, "max_share": 1.0, "stop_words": 0}
    changed = {name: value for name, value in reading.items() if value != usual[name]}
    return pruned(data, min_count, max_share, stop), changed


def note_unknown(model: Any, data: Documents, quiet: bool) -> None:
    from softcount.text.documents import unknown_tokens

    unknown = unknown_tokens(data, model.vocabulary_)
    say_unknown(unknown, data.n_tokens, data.source, "words", "they are left out", quiet)


def write_rows(path: Path, suffix: str, table: Any) -> None:
    import numpy as np

    if suffix == ".npy":
        with open(path, "wb") as stream:
            np.save(stream, table)
    elif suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({f"topic{h}": column for h, column in enumerate(table.T)}), path)
    else:
        path.write_text("".join(_row(row) + "\n" for row in table), encoding="utf-8")


def _row(row: Any) -> str:
    return "\t".join(f"{p:.6g}" for p in row)


def _print_json(model: PLSA, data: Documents, table: Any, found: Any, top: int) -> None:
    listed = [
        {"topic": h, "prevalence": float(model.prevalence_[h]), "words": [[str(w), p] for w, p in words]}
        for h, words in model.top_words(top).items()
    ]
    answer: dict[str, Any] = {"topics": listed, "documents": len(data), "objective": or_null(model.objective_)}
    answer["signature"] = model.signature_
    if found is not None:
        answer["similar"] = _similar(found)
    if table is not None:
        answer["rows"] = table.tolist()
    print(json.dumps(answer, ensure_ascii=False))


def _print_topics(model: PLSA, top: int) -> None:
    for h, words in model.top_words(top).items():
        print(f"{h}\t{model.prevalence_[h]:.4f}\t{' '.join(str(w) for w, _ in words)}")
