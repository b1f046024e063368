"""softcount.WordClasses: one class for every word of a text, by where it stands and what it looks like."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from softcount.disk.sound import check_table
from softcount.engines import Threads
from softcount.errors import InputError
from softcount.estimators.known_classes import KnownClasses, known_classes
from softcount.estimators.saved import SavedEstimator
from softcount.estimators.settings import LightEstimator
from softcount.estimators.weighted_kmeans import weighted_kmeans
from softcount.estimators.word_exchange import moved_to_best
from softcount.estimators.word_vectors import word_vectors
from softcount.loop.trace import Step
from softcount.machine.memory import check_room
from softcount.models.word_classes import NOBODY, word_types
from softcount.models.word_classes import WordClasses as Model
from softcount.models.word_classes_kernel import Weights, WordTypes
from softcount.numbers.ragged import Array, Ragged
from softcount.signature import signature
from softcount.text.capitals import first_tokens, uncapitalized
from softcount.text.corpus import Corpus, corpus
from softcount.text.dictionary import TagDictionary, tag_dictionary
from softcount.text.vocabulary import Vocabulary
from softcount.text.word_form import FEATURES, read_forms, word_forms

USUAL = 45  # classes, where nobody says how many


class Forms(NamedTuple):
    """What classes know of the forms of their words: enough to class a word that was never seen."""

    names: tuple[tuple[str, ...], ...]  # per feature, its values
    shares: Array  # [values]: the share of all words
    types: Array  # int64 [K]: words
    values: Array  # int64 [values, K]: words with the value


class ClassedWord(NamedTuple):
    word: str
    label: Any  # its class: a number, or a name where classes have names
    frequency: int
    confidence: float  # P(class | the classes of all other words)


class WordClasses(SavedEstimator, LightEstimator):
    """Word classes, learned without labels, with some, or with a dictionary.

    n_classes : how many; if not given, as many as tags and dictionary name, or 45
    passes, frame_passes : how often, after the start by k-means, every word is moved to its best class: by its
        neighbours side by side, and then by the frames that both make together
    morphology : λ, how much the form of a word (its ending, its capitals) counts beside its contexts
    dictionary : mapping from word to its classes, a TagDictionary, or the path of one; other words may be in all
    """

    kind = "word classes"
    _learned = (
        "classes_",
        "vocabulary_",
        "word_class_",
        "confidence_",
        "count_",
        "stands_for_",
        "forms_",
        "objective_",
    )
    _types = (Forms,)

    def __init__(
        self,
        n_classes: int | None = None,
        *,
        passes: int = 4,
        frame_passes: int = 3,
        morphology: float = 0.5,
        dictionary: Any = None,
        random_state: int | None = 0,
    ) -> None:
        self.n_classes = n_classes
        self.passes = passes
        self.frame_passes = frame_passes
        self.morphology = morphology
        self.dictionary = dictionary
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, on_step: Callable[[Step], None] | None = None) -> WordClasses:
        """Class the words of sentences: token lists, text lines, or a Corpus.

        `y`: tag lists, None where a tag is not known. A word that has tags keeps the commonest of them as its class.
        """
        self._check()
        given = tag_dictionary(self.dictionary)
        data = _every_word(corpus(X, labels=y))
        if data.n_tokens == 0:
            raise InputError(f"{data.source}: no words to class; give at least one")
        self.vocabulary_, self.count_ = data.vocabulary, np.bincount(data.sentences.values)
        self.stands_for_ = self._uncapitalized(data, given)
        first, words = first_tokens(data.sentences), data.sentences.values
        words = np.where(first, self.stands_for_[words], words)
        known = known_classes(given, data, words, self.n_classes, USUAL)
        self.classes_ = known.names
        V, K, seed = len(data.vocabulary), len(known.names), self._seed()
        check_room(8.0 * (V * 300 + K * (4 * V + 6 * K)), f"{K:,} classes", "ask for fewer")
        self._learn(Ragged(data.sentences.offsets, words), known, seed, on_step)
        digest = data.digest()
        self.signature_ = self._signature(seed, data, digest)
        self._remember(seed, data.source, digest, sentences=len(data), tokens=data.n_tokens)
        return self

    def _check(self) -> None:
        if self.n_classes is not None and self.n_classes < 1:
            raise InputError(f"n_classes must be at least 1, not {self.n_classes}")
        for name in ("passes", "frame_passes"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if not 0.0 <= self.morphology < float("inf"):
            raise InputError(f"morphology must be zero or more, not {self.morphology}")

    def _seed(self) -> int:
        drawn = np.random.default_rng().integers(2**31 - 1) if self.random_state is None else self.random_state
        return int(drawn)

    def _uncapitalized(self, data: Corpus, dictionary: TagDictionary | None) -> Array:
        """What each word stands for at the beginning of a sentence; words of the dictionary are themselves."""
        stands_for = uncapitalized(data.sentences, data.vocabulary.words)
        if dictionary:
            listed = data.vocabulary.find(dictionary.words)
            stands_for[listed[listed >= 0]] = listed[listed >= 0]
        return stands_for

    def _learn(self, sentences: Ragged, known: KnownClasses, seed: int, on_step: Callable[[Step], None] | None) -> None:
        """The class of every word that is ever itself; the others have the class of what they stand for."""
        V, words = len(self.vocabulary_), self.vocabulary_.words
        own = np.flatnonzero(np.bincount(sentences.values, minlength=V))
        place = np.full(V, -1, dtype=np.int32)
        place[own] = np.arange(len(own))
        place = np.where(place < 0, place[self.stands_for_], place)
        forms = word_forms([words[v] for v in own])
        allowed = NOBODY if known.allowed is None else known.allowed[own]
        sentences = sentences.with_values(place[sentences.values])
        text = word_types(sentences, forms, allowed)
        model, classes = self._model(), _numbered(self._start(text, forms.groups(), seed), text.tokens, known)
        done = moved_to_best(
            sentences, text, classes, model.n_classes, model.weights, self.passes, self.frame_passes, on_step
        )
        self.history_, self.objective_ = done.trace, done.objective
        count = model.counts(text, done.classes)
        self.forms_ = Forms(forms.names, text.shares, count.types, count.values)
        self.word_class_, self.confidence_ = done.classes.astype(np.int32)[place], done.sure[place]

    def _start(self, text: WordTypes, groups: Array, seed: int) -> Array:
        rng, weights = np.random.default_rng(seed), text.tokens.astype(np.float64)
        allowed = text.allowed if len(text.allowed) else None
        with Threads(1):  # of BLAS: the same bits everywhere
            return weighted_kmeans(word_vectors(text, groups), weights, len(self.classes_), rng, allowed)

    def _model(self) -> Model:
        return Model(len(self.classes_), Weights(float(self.morphology)))

    # --- using a trained model --------------------------------------------------------------------------------------

    def predict(self, X: Any) -> list[list[Any]]:
        """A class for every token; known tags of X that are classes' names are kept."""
        self._check_fitted("signature_")
        data = corpus(X)
        names = None if self._numbered() else np.array(self.classes_, dtype=object)
        rows = Ragged(data.sentences.offsets, self.token_classes(data)).rows()
        return [(row if names is None else names[row]).tolist() for row in rows]

    def token_classes(self, text: Corpus) -> Array:
        """int64 [tokens]: the numbers of their classes."""
        data = _every_word(text)
        words, first = data.vocabulary.words, first_tokens(data.sentences)
        (inside, _), at_start = self._of_words(words), self._at_start(words)
        found = np.where(first, at_start[data.sentences.values], inside[data.sentences.values])
        if data.labels is not None:
            known = [self.classes_.index(tag) if tag in self.classes_ else -1 for tag in data.tagset]
            given = np.array([*known, -1])[data.labels.values]
            found = np.where(given >= 0, given, found)
        return found

    def words(self, X: Any = None) -> list[ClassedWord]:
        """The words of the training text, or of another, class by class and by falling frequency."""
        self._check_fitted("signature_")
        if X is None:
            words, ids, sure, counts = self.vocabulary_.words, self.word_class_, self.confidence_, self.count_
        else:
            data = _every_word(corpus(X))
            words = data.vocabulary.words
            (ids, sure), counts = self._of_words(words), np.bincount(data.sentences.values, minlength=len(words))
        order = np.lexsort((-counts, ids))
        names: Any = range(len(self.classes_)) if self._numbered() else self.classes_
        return [ClassedWord(words[v], names[ids[v]], int(counts[v]), float(sure[v])) for v in order]

    def top_words(self, n: int = 10) -> dict[Any, list[tuple[str, int]]]:
        """The most frequent words of each class, and how often they occur."""
        tops: dict[Any, list[tuple[str, int]]] = {}
        for word in self.words():
            listed = tops.setdefault(word.label, [])
            if len(listed) < n:
                listed.append((word.word, word.frequency))
        return tops

    def class_of(self, words: Iterable[str]) -> Array:
        """int64: the numbers of the classes of these words, known or not."""
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
        forms = read_forms(words, self.forms_.names) + begins
        return self._model().of_forms(forms, self.forms_.shares, self.forms_.types, self.forms_.values)

    def _at_start(self, words: list[str]) -> Array:
        """The classes of words that begin a sentence: of what they stand for, of the lower-case form if only that is
        known, or by their form."""
        ids, lower = self.vocabulary_.find(words), self.vocabulary_.find([word.lower() for word in words])
        ids = np.where(ids >= 0, self.stands_for_[ids], lower)
        classes, _ = self._of_words(words)
        return np.where(ids >= 0, self.word_class_[ids], classes)

    # --- within -----------------------------------------------------------------------------------------------------

    def _numbered(self) -> bool:
        return self.classes_ == tuple(str(k) for k in range(len(self.classes_)))

    def _sizes(self) -> dict[str, int]:
        return {"classes": len(self.classes_), "words": len(self.vocabulary_)}

    def _settle(self) -> None:
        K, V = len(self.classes_), len(self.vocabulary_)
        n_values = sum(map(len, self.forms_.names))
        check_table("confidence", self.confidence_, V)
        check_table("shares", self.forms_.shares, n_values)
        for name, array, shape, most in (
            ("word_class", self.word_class_, (V,), K),
            ("stands_for", self.stands_for_, (V,), V),
            ("count", self.count_, (V,), None),
            ("types", self.forms_.types, (K,), None),
            ("values", self.forms_.values, (n_values, K), None),
        ):
            check_whole(name, array, shape, most)
        if len(self.forms_.names) != len(FEATURES):
            raise ValueError("forms of another make")

    def _signature(self, seed: int, data: Corpus, digest: str) -> str:
        return signature(
            "word classes",
            classes=len(self.classes_),
            passes=self.passes,
            frame_passes=self.frame_passes,
            morphology=self.morphology,
            dictionary="no" if self.dictionary is None else "yes",
            labels="no" if data.labels is None else "yes",
            seed=seed,
            sentences=len(data),
            tokens=data.n_tokens,
            data="sha256:" + digest[:12],
            **self._reading,
        )


def _every_word(data: Corpus) -> Corpus:
    """The corpus with a word for every token, also for those that its vocabulary does not list, and no other words."""
    counts = np.bincount(data.sentences.values + 1, minlength=len(data.vocabulary) + 1)
    if not counts[0] and counts[1:].all():
        return data
    vocabulary, ids = Vocabulary.build(data.vocabulary.strings(data.sentences.values))
    return replace(data, sentences=data.sentences.with_values(ids), vocabulary=vocabulary)


def _numbered(classes: Array, tokens: Array, known: KnownClasses) -> Array:
    """The classes without names in the order of how frequent they are."""
    total = np.bincount(classes, weights=tokens, minlength=len(known.names))
    rank = np.arange(len(known.names))
    rank[known.n_named + np.argsort(-total[known.n_named :], kind="stable")] = np.arange(known.n_named, len(rank))
    return rank[classes]


def check_whole(name: str, array: Any, shape: tuple[int, ...], most: int | None) -> None:
    """Whole numbers from 0 on, below `most`."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "i" or array.shape != shape:
        raise ValueError(f"{name} is not {' × '.join(map(str, shape))} whole numbers")
    if array.size and (array.min() < 0 or (most is not None and array.max() >= most)):
        raise ValueError(f"{name} has numbers of nothing")
