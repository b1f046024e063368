"""softcount topics: the topics of documents, by PLSA."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import typer

from softcount.cli.console import lower_cased, note_old_ranking, open_model, per_table, sparse_of
from softcount.cli.documents import FORMS, OfDocuments, beside_names, note_common
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
from softcount.cli.summary import or_null
from softcount.cli.training import Files
from softcount.errors import InputError, count_nouns
from softcount.signature import in_form

if TYPE_CHECKING:
    from softcount.text.documents import Documents

ROWS = (".tsv", ".npy", ".parquet")
WITHOUT = (
    "rows",
    "main_topics",
    "save",
    "trace",
    "tfidf",
    "top",
    "format",
    "threads",
    "engine",
    "address",
)  # no effect without DOCS


class Found(NamedTuple):
    rows: Any  # of every document its topics, one after the other, where they are asked for
    best: Any  # the topic of each document, where they are
    similar: list[tuple[int, float]] | None  # to the query


@dataclass(kw_only=True)
class Topics(OfDocuments):
    """Find topics in documents; print one line per topic: its number, prevalence (share of the tokens), and top words.

    Example: **softcount topics docs.txt --topics 20 --min-count 5 --max-share 0.3 --rows rows.tsv**

    Latent Dirichlet allocation: **softcount topics docs.txt --topics 20 --criterion gibbs:400 --chains 4 --collapsed**

    Read a table with names: **softcount topics docs.csv --text-column body --id-column id --rows rows.tsv**

    New documents, with a saved model: **softcount topics new.txt --apply my.model --rows new.tsv**

    Search by topic: **softcount topics docs.txt --apply my.model --query "sea ship" -k 5**
    """

    docs: Annotated[
        str | None,
        typer.Argument(
            help=f"{FORMS} Optional with --apply and --query: the query is then compared with the training "
            "documents, by topics only."
        ),
    ] = None
    n_topics: Annotated[str, size_option("Number of topics, or `auto`.", "--topics")] = "20"
    choose: Choose = "evidence"
    seed_words: Annotated[
        Path | None, option(WHAT, "Seed words of topics, one topic per line: number, tab, word word …")
    ] = None
    criterion: Annotated[
        str | None,
        option(
            HOW,
            f"{STAGES} Default: 100 iterations of tempered EM, then em:200 if two topics are alike.",
        ),
    ] = None  # type: ignore[assignment]
    start: Annotated[
        str, option(HOW, "Initialization. Choices: kmeans (clusters of documents), svd, random, uniform.")
    ] = "kmeans"
    features: Features = None
    variance: Variance = 1.0
    sparse: Sparse = None
    background: Annotated[
        str | None,
        option(
            HOW,
            "Weight of a background word distribution in training: auto (estimated), none, or a number below 1. "
            "Default: none with --criterion, --features or --held-out, otherwise auto.",
        ),
    ] = None
    pseudo: Annotated[
        float | None,
        option(
            HOW,
            "Pseudo-count of every word in every topic. Default: 0.05 with the default criterion, otherwise 0.",
            min=0,
        ),
    ] = None
    held_out: Annotated[float, option(HOW, "Share of documents held out for early stopping.", min=0, max=0.9)] = 0.0
    top: Annotated[int, option(OUT, "Number of top words per topic.", min=1)] = 10
    rows: Annotated[
        Path | None, option(OUT, "Write the topic proportions of each document: .tsv, .parquet or .npy.")
    ] = None
    main_topics: Annotated[
        Path | None,
        option(OUT, "Write the main topic of each document, one per line (after its name if it has one)."),
    ] = None
    query: Annotated[str | None, option(OUT, "Print the documents most similar to these words.")] = None
    k: Annotated[int, option(OUT, "Number of documents to print with --query.", "-k", min=1)] = 10
    tfidf: Annotated[
        float | None,
        option(OUT, "Weight of tf-idf similarity with --query, relative to topics. Default: 0.5.", min=0, max=1),
    ] = None

    name: ClassVar[str] = "topics"
    kinds: ClassVar[tuple[str, ...]] = ("plsa",)

    def run(self) -> None:
        if self.docs is not None:
            return super().run()
        self.check()
        return self.ask_training_documents()

    def reads(self) -> dict[str, str | Path | None]:
        return {**super().reads(), "seed_words": self.seed_words}

    def writes(self) -> list[Path | None]:
        return [self.rows, self.main_topics]

    def check(self) -> None:
        super().check()
        if self.rows and self.rows.suffix not in ROWS:
            raise InputError(f"{self.rows}: unknown file type; use a name that ends in {', '.join(ROWS)}")

    def estimator(self, data: Any) -> Any:
        from softcount.estimators.plsa import PLSA

        query = self.asked(self.lowercase)
        if query is not None and data.vocabulary and (data.vocabulary.find(query.split()) < 0).all():
            raise InputError(f"--query {query!r}: no word occurs in {self.docs}; use other words")
        if self.n_topics != "auto":
            self.note_unused("choose", where="without --topics auto")
        seeds = self.seeds(data)
        pseudo = None if self.pseudo is None else {"topic": 0.0, "word": self.pseudo}
        model = PLSA(
            number(self.n_topics) or 1, choose=self.choose, features=self.features,
            variance=self.variance, sparse=sparse_of(self.sparse),
            seed_words=seeds, background=self.background, pseudo=pseudo, prior=per_table(self.prior, "--prior"),
            start=self.start, criterion=self.criterion,
            held_out=self.held_out, restarts=self.restarts, tolerance=self.tolerance, lowercase=self.lowercase,
            random_state=self.seed,
        )  # fmt: skip
        model._reading = self.reading()
        return model

    def fit(self, model: Any, data: Any, **watch: Any) -> None:
        from softcount.estimators.plsa_rows import foretold

        if len(data) == 1 and not model.held_out:  # which refuses a single document
            self.say(f"note: {data.source} is one document, and topics are learned from differences between "
                "documents; write one document per line, such as a paragraph")  # fmt: skip
        for note in foretold(model, data, self.checkpoint):
            self.say(f"note: {note}")
        super().fit(model, data, **watch)

    def seeds(self, data: Any) -> dict[int, list[str]] | None:
        from softcount.text.seed_words import read_seed_words

        if self.seed_words is None:
            return None
        n_topics = number(self.n_topics)
        if not isinstance(n_topics, int):
            raise InputError(
                f"{self.seed_words}: seed words refer to topics by number; give --topics a number, not auto"
            )
        return read_seed_words(self.seed_words, n_topics, data.vocabulary, self.lowercase)

    def asked(self, lowercase: bool) -> str | None:
        return self.query.lower() if self.query is not None and lowercase else self.query

    def answer(self, model: Any, data: Any) -> Found:
        if self.query is None:
            self.note_unused("k", "tfidf", where="without --query")
        if (self.apply or self.query is not None) and not self.as_json:
            self.note_unused("top", where="if no topics are printed")
        if not self.apply and self.query is None:
            note_common(model, data, self.quiet)
        if self.apply and self.as_json:
            note_old_ranking(model, self.say)
        rows = None
        if self.apply or self.rows:
            averaged = getattr(model, "chains_", None) is not None
            rows = iter(model.topic_) if averaged else chain.from_iterable(model.blocks(data))
        query = self.asked(lower_cased(model, self.lowercase))
        best = model.predict(data) if self.main_topics else None
        return Found(rows, best, None if query is None else model.similar(query, self.k, among=data, tfidf=self.tfidf))

    def files(self, model: Any, data: Any, answer: Found) -> Files:
        suffix = self.rows.suffix if self.rows else ""
        yield self.rows, lambda path: write_rows(path, suffix, answer.rows, model.n_topics, data)
        yield self.main_topics, lambda path: _write(path, beside_names(data, "topic", answer.best))
        yield from super().files(model, data, answer)

    def content(self, model: Any, data: Any, answer: Found) -> dict[str, Any]:
        from softcount.report.overview import documents_of_topics

        best = documents_of_topics(model) / len(model.topic_)
        probable = model.top_words(self.top, rank="probability")
        listed = [
            {"topic": h, "prevalence": float(model.prevalence_[h]), "share_of_documents": float(best[h]),
             "words": [[str(w), p] for w, p in words], "probable": [[str(w), p] for w, p in probable[h]]}
            for h, words in model.top_words(self.top).items()
        ]  # fmt: skip
        content: dict[str, Any] = {
            "topics": listed, "ranked_by": model.ranked_by_, "documents": len(data),
            "objective": or_null(model.objective_),
        }  # fmt: skip
        if answer.similar is not None:
            content["similar"] = _similar(answer.similar, _names(data))
        if data.named:
            content["names"] = list(data.names_of())
        if self.apply and not self.rows:
            content["rows"] = [row.tolist() for row in answer.rows]
        return {**content, **self.of_chains(model)}

    def lines(self, model: Any, data: Any, answer: Found) -> Iterator[str]:
        if answer.similar is not None:
            yield from _similar_lines(answer.similar, _names(data))
        elif not self.apply:
            for h, words in model.top_words(self.top).items():
                yield f"{h}\t{model.prevalence_[h]:.4f}\t{' '.join(str(w) for w, _ in words)}\n"
        elif not self.rows:
            yield from row_lines(answer.rows, model.n_topics, data) if data.named else map(_row, answer.rows)

    def ask_training_documents(self) -> None:
        """The query alone: the model knows the topics of the documents that it was trained on."""
        if self.apply is None or self.query is None:
            raise InputError("no documents; give DOCS (only --apply MODEL --query WORDS works without)")
        model = open_model(self.apply, self.kinds, "topics --apply")
        self.note_unused(*self.training_options(), *WITHOUT, where="without DOCS")
        found = model.similar(self.asked(lower_cased(model, self.lowercase)), self.k)
        self.say(f"applied {self.apply} to its training documents: {count_nouns(len(model.topic_), 'documents')}")
        self.say(in_form(model.signature_, self.signature_form))
        self.print({"similar": _similar(found)}, _similar_lines(found), model.signature_)


def _similar(found: list[tuple[int, float]], names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    named = [{"name": names[d]} if names else {} for d, _ in found]
    return [{"document": d + 1, **name, "similarity": s} for (d, s), name in zip(found, named, strict=True)]


def _similar_lines(found: list[tuple[int, float]], names: tuple[str, ...] = ()) -> Iterator[str]:
    from softcount.report.tsv import row_line

    return (row_line((names[d] if names else str(d + 1), f"{similarity:.4f}")) for d, similarity in found)


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


def _names(data: Any) -> tuple[str, ...]:
    return tuple(data.names_of()) if data.named else ()


def row_lines(rows: Iterable[Any], n_topics: int, data: Documents) -> Iterator[str]:
    """document, topic0, topic1 …: the name of each, and its shares."""
    from softcount.report.tsv import tsv_lines

    header = ("document", *(f"topic{h}" for h in range(n_topics)))
    return tsv_lines(header, ([name, *row.tolist()] for name, row in zip(data.names_of(), rows, strict=True)))


def write_rows(path: Path, suffix: str, rows: Iterable[Any], n_topics: int, data: Documents) -> None:
    """.npy has numbers alone."""
    import numpy as np

    if suffix == ".npy":
        with open(path, "wb") as stream:
            np.save(stream, np.array(list(rows)))
    elif suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        topics = {f"topic{h}": column for h, column in enumerate(np.array(list(rows)).T)}
        pq.write_table(pa.table({"document": list(data.names_of()), **topics}), path)
    else:
        _write(path, row_lines(rows, n_topics, data))


def _row(row: Any) -> str:
    return "\t".join(f"{p:.6g}" for p in row) + "\n"
