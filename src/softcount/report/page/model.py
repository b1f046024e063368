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
TAGS = "Every word has a hidden state, learned without labels from similar contexts; state numbers are arbitrary."
SUPERVISED = {"hmm": ("word", "tag"), "crf autoencoder": ("word", "tag"), "word classes": ("word", "class"),
              "naive bayes mixture": ("document", "class")}  # fmt: skip
NEAR = "Each document or point is in the cluster with the nearest center."
KINDS: dict[str, tuple[str, str, Sections]] = {
    "word aligner": ("Word links", "Word translations, learned from sentence pairs without word-level labels.",
                     alignment.sections),
    "hmm": ("Word tags", TAGS, words.sections),
    "crf autoencoder": ("Word tags", TAGS, words.sections),
    "word classes": ("Word classes", "Words with similar contexts and spelling share a class.",
                     words.sections),
    "plsa": ("Topics", "A topic is a set of words that occur in the same documents.",
             documents.topic_sections),
    "naive bayes mixture": ("Clusters of documents", "Each document is in one cluster of documents with similar words.",
                            documents.cluster_sections),
    "k-means": ("Clusters", NEAR, documents.cluster_sections),
    "gaussian mixture": ("Clusters", "Each point is in its most probable cluster.",
                         documents.cluster_sections),
    "network": ("Bayesian network", "Conditional probability of each variable given its parents.", network.sections),
    "grammar": ("Grammar", "Rule probabilities, and the most probable parse of each sentence.", grammar.sections),
    "decipher": ("Cipher key", "Plaintext letter of each cipher symbol, found without the key.", cipher.sections),
    "language model": ("Language model", "Probability of each word given the previous words.", language.sections),
}  # fmt: skip


def page_of(model: Any, data: Any = None, gold: Any = None, coherence: Any = None) -> str:
    """`coherence` is that of topics, where it is shown: softcount.evaluate.topics.Coherence."""
    title, story, sections = KINDS.get(model.kind, (model.kind.capitalize(), "", _nothing))
    if coherence is not None:
        sections = partial(documents.topic_sections, coherence=coherence)
    told = f"{_story_of(model, story, gold)} {training.told(model)}".lstrip()
    return page(title, told, [*sections(model, data, gold), *training.sections(model)])


def _story_of(model: Any, story: str, gold: Any) -> str:
    """What the page shows, where labels, a dictionary or gold answers say so."""
    if model.kind in SUPERVISED:
        item, label = SUPERVISED[model.kind]
        names = model.classes_ if model.kind in ("word classes", "naive bayes mixture") else model.states_
        if not all(str(name).isdecimal() for name in names):
            story = (
                f"Every {item} has a {label}. The {label} names were given (by labels, a dictionary or initial "
                f"parameters); the model assigned the {label} of each unlabelled {item}."
            )
    elif model.kind == "word aligner":
        given = ["a bilingual dictionary"] * (model.dictionary is not None)
        given += ["gold links"] * (" known_links=" in model.signature_)
        if given:
            story = f"Word translations, learned from sentence pairs and {' and '.join(given)}."
    return story if gold is None else f"{story} Gold answers are shown for comparison; training did not use them."


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
        raise InputError("coherence needs a topic model and documents; give the documents as X, or omit coherence")
    if getattr(model, "vocabulary_", None) is None:
        data = model._read(X, reset=False)
        return coherence(model._rank(), data, None, data, TOP)
    read, text = counted(X, model.lowercase)
    return coherence(model._rank(), model._read(read, reset=False), model.vocabulary_.words, text, TOP)


def _nothing(model: Any, data: Any, gold: Any) -> Iterator[Section]:
    return iter(())
