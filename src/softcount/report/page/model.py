"""The page of a model: which sections it has is the kind's to say.

page_of(model)                  what was learned
page_of(model, data, gold)      and what it makes of a text, beside the right answers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from softcount.report.page import alignment, cipher, documents, grammar, language, network, training, words
from softcount.report.page.frame import Section, page

Sections = Callable[[Any, Any, Any], Iterator[Section]]

# Of each kind: the title, what the page shows in plain words, its sections.
TAGS = "Every word has a state. Nobody said which: words that stand in like places came to share one."
NEAR = "Each document, or point, is in the cluster whose centre is nearest to it."
KINDS: dict[str, tuple[str, str, Sections]] = {
    "word aligner": ("Word links", "Which word translates which, learned from pairs of sentences alone.",
                     alignment.sections),
    "hmm": ("Word tags", TAGS, words.sections),
    "crf autoencoder": ("Word tags", TAGS, words.sections),
    "word classes": ("Word classes", "Every word has one class; words that stand between like neighbours share it.",
                     words.sections),
    "plsa": ("Topics", "A topic is a set of words that come in the same documents; each document has a share of each.",
             documents.topic_sections),
    "naive bayes mixture": ("Clusters of documents", "Each document is in one cluster, whose documents use like words.",
                            documents.cluster_sections),
    "k-means": ("Clusters", NEAR, documents.cluster_sections),
    "gaussian mixture": ("Clusters", "Each point is in the cluster that it most probably came from.",
                         documents.cluster_sections),
    "network": ("Bayesian network", "How each variable depends on those that point at it.", network.sections),
    "grammar": ("Grammar", "How probable each rule is, and the most probable tree of each sentence.", grammar.sections),
    "decipher": ("Key to a cipher", "Which letter each sign stands for, found without a key.", cipher.sections),
    "language model": ("Language model", "How probable each word is after those before it.", language.sections),
}  # fmt: skip


def page_of(model: Any, data: Any = None, gold: Any = None, coherence: Any = None) -> str:
    """`coherence` is that of topics, where it is shown: softcount.evaluate.topics.Coherence."""
    title, story, sections = KINDS.get(model.kind, (model.kind.capitalize(), "", _nothing))
    if coherence is not None:
        sections = partial(documents.topic_sections, coherence=coherence)
    told = f"{story} {training.told(model)}".lstrip()
    return page(title, told, [*sections(model, data, gold), *training.sections(model)])


def write_page(path: Path, model: Any, data: Any = None, gold: Any = None, coherence: Any = None) -> None:
    """A file name that is no UTF-8 is told with a question mark for what is not."""
    path.write_bytes(page_of(model, data, gold, coherence).encode("utf-8", "replace"))


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
    if model.kind == "language model":
        return model._corpus(X)
    from softcount.text.documents import documents

    return documents(X, lowercase=model.lowercase) if getattr(model, "vocabulary_", None) is not None else X


def coherence_of(model: Any, X: Any) -> Any:
    """Of topics, in these documents."""
    from softcount.errors import InputError
    from softcount.evaluate.scores import counted
    from softcount.evaluate.topics import TOP, coherence

    if model.kind != "plsa" or X is None:
        raise InputError("coherence is of topics in documents: give them as X, or leave it away")
    if getattr(model, "vocabulary_", None) is None:
        data = model._read(X, reset=False)
        return coherence(model._rank(), data, None, data, TOP)
    read, text = counted(X, model.lowercase)
    return coherence(model._rank(), model._read(read, reset=False), model.vocabulary_.words, text, TOP)


def _nothing(model: Any, data: Any, gold: Any) -> Iterator[Section]:
    return iter(())
