"""What word classes answer once they are learned: a class for every token and for every word, known or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from softcount.estimators.light_estimator import LightEstimator
from softcount.estimators.saved import SavedEstimator
from softcount.models.word_classes import WordClasses as Model
from softcount.models.word_classes_kernel import Weights
from softcount.numbers.ragged import Array, Ragged
from softcount.text.capitals import first_tokens
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.vocabulary import Vocabulary
from softcount.text.word_form import read_forms


class Forms(NamedTuple):
    """What classes know of the forms of their words: enough to class a word that was never seen."""

    names: tuple[tuple[str, ...], ...]  # per feature, its values
    shares: Array  # [values]: the share of all words
    types: Array  # int64 [K]: words
    values: Array  # int64 [values, K]: words with the value
    backwards: bool  # whether the letters are those that words begin with


class ClassedWord(NamedTuple):
    word: str
    label: Any  # its class: a number, or a name where classes have names
    frequency: int
    confidence: float  # P(class | the classes of all other words)


class LearnedClasses(SavedEstimator, LightEstimator):
    """The half of softcount.WordClasses that uses what was learned."""

    morphology: float
    classes_: tuple[str, ...]
    vocabulary_: Vocabulary
    word_class_: Array  # int32 [V]
    confidence_: Array  # [V]
    count_: Array  # int64 [V]
    stands_for_: Array  # int32 [V]: the word that each stands for at the beginning of a sentence
    forms_: Forms

    def predict(self, X: Any) -> list[list[Any]]:
        """Find a class for every token; known tags of X that are names of classes are kept.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        list of lists
            Numbers of classes, or names where classes have names.
        """
        self._check_fitted("signature_")
        data = in_memory(corpus(X, lowercase=self.lowercase), "the classes of a text", "give a part of it")
        names = None if self._numbered() else np.array(self.classes_, dtype=object)
        rows = Ragged(data.sentences.offsets, self.token_classes(data)).rows()
        return [(row if names is None else names[row]).tolist() for row in rows]

    def token_classes(self, text: Corpus) -> Array:
        """Find the number of the class of every token.

        Parameters
        ----------
        text : Corpus
            The sentences.

        Returns
        -------
        array of int64, [tokens]
        """
        data = every_word(text)
        words, first = data.vocabulary.words, first_tokens(data.sentences)
        (inside, _), at_start = self._of_words(words), self._at_start(words)
        found = np.where(first, at_start[data.sentences.values], inside[data.sentences.values])
        if data.labels is not None:
            known = [self.classes_.index(tag) if tag in self.classes_ else -1 for tag in data.tagset]
            given = np.array([*known, -1])[data.labels.values]
            found = np.where(given >= 0, given, found)
        return found

    def words(self, X: Any = None) -> list[ClassedWord]:
        """List words class by class, and by falling frequency.

        Parameters
        ----------
        X : sentences, optional
            A text whose words are listed; those of the training text where it is not given.

        Returns
        -------
        list of ClassedWord
            Of each word its class, its frequency, and how sure its class is.
        """
        self._check_fitted("signature_")
        if X is None:
            words, ids, sure, counts = self.vocabulary_.words, self.word_class_, self.confidence_, self.count_
        else:
            data = every_word(
                in_memory(corpus(X, lowercase=self.lowercase), "the words of a text", "give a part of it")
            )
            words = data.vocabulary.words
            (ids, sure), counts = self._of_words(words), np.bincount(data.sentences.values, minlength=len(words))
        order = np.lexsort((-counts, ids))
        names: Any = range(len(self.classes_)) if self._numbered() else self.classes_
        return [ClassedWord(words[v], names[ids[v]], int(counts[v]), float(sure[v])) for v in order]

    def top_words(self, n: int = 10) -> dict[Any, list[tuple[str, int]]]:
        """List the most frequent words of each class.

        Parameters
        ----------
        n : int, default 10
            How many of each.

        Returns
        -------
        dict
            From class to a list of (word, how often it occurs).
        """
        tops: dict[Any, list[tuple[str, int]]] = {}
        for word in self.words():
            listed = tops.setdefault(word.label, [])
            if len(listed) < n:
                listed.append((word.word, word.frequency))
        return tops

    def class_of(self, words: Iterable[str]) -> Array:
        """Find the classes of words, by what they look like where they are not known.

        Parameters
        ----------
        words : iterable of str
            The words.

        Returns
        -------
        array of int64
            The numbers of their classes.
        """
        self._check_fitted("signature_")
        return self._of_words(words)[0]

    def _of_words(self, words: Iterable[str]) -> tuple[Array, Array]:
        """(class, how sure) of words: as learned, or else by their form."""
        listed = list(words)
        ids = self.vocabulary_.find(listed)
        classes, sure = self.word_class_[ids].astype(np.int64), self.confidence_[ids].astype(np.float64)
        new = np.flatnonzero(ids < 0)
        if len(new):
            shares = self._of_forms([listed[v] for v in new])
            classes[new] = shares.argmax(axis=1)
            sure[new] = shares.max(axis=1)
        return classes, sure

    def _of_forms(self, words: list[str]) -> Array:
        begins = np.concatenate([[0], np.cumsum([len(names) for names in self.forms_.names])[:-1]])
        forms = read_forms(words, self.forms_.names, self.forms_.backwards) + begins
        return self._model().of_forms(forms, self.forms_.shares, self.forms_.types, self.forms_.values)

    def _at_start(self, words: list[str]) -> Array:
        """The classes of words that begin a sentence: of what they stand for, of the lower-case form if only that is
        known, or by their form."""
        ids, lower = self.vocabulary_.find(words), self.vocabulary_.find([word.lower() for word in words])
        ids = np.where(ids >= 0, self.stands_for_[ids], lower)
        classes, _ = self._of_words(words)
        return np.where(ids >= 0, self.word_class_[ids], classes)

    def _model(self) -> Model:
        return Model(len(self.classes_), Weights(float(self.morphology)))

    def _numbered(self) -> bool:
        return self.classes_ == tuple(str(k) for k in range(len(self.classes_)))


def every_word(data: Corpus) -> Corpus:
    """The corpus with a word for every token, also for those that its vocabulary does not list, and no other words."""
    counts = np.bincount(data.sentences.values + 1, minlength=len(data.vocabulary) + 1)
    if not counts[0] and counts[1:].all():
        return data
    vocabulary, ids = Vocabulary.build(data.vocabulary.strings(data.sentences.values))
    return replace(data, sentences=data.sentences.with_values(ids), vocabulary=vocabulary)
