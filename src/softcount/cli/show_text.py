"""A text, as a model reads it: how much of it is in which class, and examples of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from softcount.cli.console import columns, lower_cased, preparation
from softcount.errors import InputError
from softcount.machine import stage

if TYPE_CHECKING:
    from softcount.text.corpus import Corpus

SENTENCE_KINDS = ("hmm", "word classes")
DOCUMENT_KINDS = ("plsa", "naive bayes mixture", "k-means")
EXAMPLES = 2  # of a class


class Read(NamedTuple):
    """A text, as the model reads it."""

    sizes: Any  # [classes]
    examples: list[list[str]]
    sentences: list[list[str]]  # empty for documents
    labels: list[list[str]]


def read_for(
    model: Any, text: str, format: str, top: int, tokenize: str | None, text_column: str | None = None
) -> Read:
    if model.kind in SENTENCE_KINDS:
        return _sentences(model, text, format, top, tokenize, text_column)
    if model.kind in DOCUMENT_KINDS:
        return _documents(model, text, format, tokenize, text_column)
    raise InputError(f"{text}: a model of this kind takes no text; omit it")


def _sentences(model: Any, text: str, format: str, top: int, tokenize: str | None, text_column: str | None) -> Read:
    from softcount.text.reader import read

    prepare = preparation(model, tokenize, None)
    chosen = columns(model, text, text_column=text_column)
    data = read(text, format=format, lowercase=lower_cased(model, False), prepare=prepare, **chosen)
    return labelled(model, data, top)


def labelled(model: Any, data: Corpus, top: int) -> Read:
    """Sentences with the classes that the model gives to their words."""
    import numpy as np

    from softcount.report.context import word_examples
    from softcount.report.overview import overview

    stage.begin("labelling")
    names = [str(name) for name in (model.states_ if model.kind == "hmm" else model.classes_)]
    labels = [[str(k) for k in row] for row in model.predict(data)]
    place = {name: k for k, name in enumerate(names)}
    flat = np.array([place[k] for row in labels for k in row], dtype=np.int64)
    sentences = [data.tokens(i) for i in range(len(data))]
    seen = overview(model, max(top, 50))
    assert seen is not None
    found = word_examples(sentences, labels, {group.name: group.words for group in seen.groups}, EXAMPLES)
    return Read(np.bincount(flat, minlength=len(names)), [found[name] for name in names], sentences, labels)


def _documents(model: Any, text: str, format: str, tokenize: str | None, text_column: str | None) -> Read:
    import numpy as np

    from softcount.report.context import beginning, document_examples
    from softcount.text.document_reader import read_documents
    from softcount.text.source import lines
    from softcount.text.table_file import is_binary_table

    chosen = columns(model, text, text_column=text_column, id_column=None)
    prepare = preparation(model, tokenize, None)
    data = read_documents(text, format, lower_cased(model, False), prepare, **chosen)
    stage.begin("labelling")
    shares = model.transform(data) if model.kind == "plsa" else None
    if model.kind == "naive bayes mixture":
        shares = model.predict_proba(data)
    best = np.asarray(model.predict(data)) if shares is None else shares.argmax(axis=1)
    sure = np.zeros(len(data)) if shares is None else shares.max(axis=1)
    n_classes = model.n_clusters if shares is None else shares.shape[1]
    by_lines = text != "-" and Path(text).is_file() and not chosen and not is_binary_table(text)
    rows = lines(text) if by_lines else []
    by_lines = len(rows) == len(data)

    def name_of(d: int) -> str:
        if data.names:
            return str(data.names[d])
        return f"{d + 1}: {beginning(rows[d].as_py())}" if by_lines else f"document {d + 1}"

    examples = document_examples(best, sure, n_classes, name_of, EXAMPLES)
    return Read(np.bincount(best, minlength=n_classes), examples, [], [])
