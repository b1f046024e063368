"""The page of a model: which sections it has is the kind's to say.

page_of(model)                  what was learned
page_of(model, data, gold)      and what it makes of a text, beside the right answers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from softcount.report.page import alignment, cipher, documents, grammar, network, training, words
from softcount.report.page.frame import Section, page

Sections = Callable[[Any, Any, Any], Iterator[Section]]

KINDS: dict[str, tuple[str, Sections]] = {
    "word aligner": ("Word links", alignment.sections),
    "hmm": ("Word tags", words.sections),
    "word classes": ("Word classes", words.sections),
    "plsa": ("Topics", documents.topic_sections),
    "naive bayes mixture": ("Clusters of documents", documents.cluster_sections),
    "k-means": ("Clusters", documents.cluster_sections),
    "gaussian mixture": ("Clusters", documents.cluster_sections),
    "network": ("Bayesian network", network.sections),
    "grammar": ("Grammar", grammar.sections),
    "decipher": ("Key to a cipher", cipher.sections),
}


def page_of(model: Any, data: Any = None, gold: Any = None) -> str:
    title, sections = KINDS.get(model.kind, (model.kind.capitalize(), _nothing))
    return page(title, training.told(model), [*sections(model, data, gold), *training.sections(model)])


def write_page(path: Path, model: Any, data: Any = None, gold: Any = None) -> None:
    """A file name that is no UTF-8 is told with a question mark for what is not."""
    path.write_bytes(page_of(model, data, gold).encode("utf-8", "replace"))


def items_of(model: Any, X: Any, y: Any) -> Any:
    """What Python users give, as the sections want it; words as they are written."""
    if model.kind == "word aligner":
        from softcount.text.bitext import Bitext, bitext

        return X if isinstance(X, Bitext) else bitext(X, y)
    if model.kind in ("hmm", "crf autoencoder", "word classes", "grammar"):
        from softcount.text.corpus import corpus

        return corpus(X)
    if model.kind == "decipher":
        return model._text(X)
    from softcount.text.documents import documents

    return documents(X, lowercase=model.lowercase) if getattr(model, "vocabulary_", None) is not None else X


def _nothing(model: Any, data: Any, gold: Any) -> Iterator[Section]:
    return iter(())
