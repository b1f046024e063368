"""softcount.WordClasses: one class for every word of a text, by where it stands and what it looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from softcount.disk.checkpoint import Checkpoint, Slot
from softcount.disk.sound import check, check_table
from softcount.disk.store import MALFORMED
from softcount.disk.wire import readable
from softcount.engines import Threads, engine_of
from softcount.errors import InputError
from softcount.estimators.known_classes import KnownClasses, known_classes
from softcount.estimators.parameters import Where, check_parameters
from softcount.estimators.saved import signed_start
from softcount.estimators.weighted_kmeans import nearest_wards, weighted_kmeans
from softcount.estimators.word_class_answers import Forms, LearnedClasses, every_word
from softcount.estimators.word_exchange import Passes, Saved, stages_of
from softcount.estimators.word_vectors import context_vectors, told_by, word_vectors
from softcount.loop.resume import foreign
from softcount.loop.trace import RECORDS, Step
from softcount.loop.weighted import checked_weights
from softcount.machine import stage
from softcount.models.word_classes import NOBODY, with_forms, word_types
from softcount.models.word_classes_kernel import WordTypes
from softcount.numbers.ragged import Array, Ragged
from softcount.signature import signature
from softcount.text.capitals import first_tokens, uncapitalized
from softcount.text.corpus import Corpus, corpus
from softcount.text.dictionary import TagDictionary, tag_dictionary
from softcount.text.labelled import with_labelled
from softcount.text.stored import in_memory
from softcount.text.word_form import FEATURES, WordForms, word_forms

STARTS = ("ward", "k-means++")
MOST = 0.003  # of all tokens, what a word counts for k-means at most
USUAL = 45  # classes, where nobody says how many


class WordClasses(LearnedClasses):
    """Word clustering: one class per word, from its contexts and spelling.

    Read more in the :doc:`guide to word classes </how-to/word-classes>`.

    >>> from softcount import WordClasses
    >>> text = ["the dog runs", "a cat runs", "the cat sleeps", "a dog sleeps"] * 3
    >>> WordClasses(3).fit(text).predict(["the dog sleeps"])
    [[0, 1, 2]]

    Parameters
    ----------
    n_classes : int, optional
        How many; if not given, as many as tags and dictionary name, or 45.
    criterion : str, default "exchange:4,frames:3"
        The passes after the start, in each of which every word moves to its best class: four by its neighbours
        side by side, then three by the frames that both make together.
    start : str or mapping, default "ward"
        "ward", clusters that are joined one by one, the same for every seed; "k-means++", drawn by the seed; or
        the first class of words, {"dog": 0}, where the others begin as by "ward".
    morphology : float, default 0.5
        λ, how much the form of a word (its ending, its capitals) counts beside its contexts.
    dictionary : mapping, TagDictionary or path, optional
        From word to its classes; other words may be in all.
    tolerance : float, default 1e-6
        A stage ends when a pass raises its objective by no more than this share.
    lowercase : bool, default False
        Whether text is lower-cased first, here and in whatever is read later.
    engine : str or Engine, default "threads"
        As everywhere; a move depends on all moves before it, so that one thread does the work.
    n_jobs : int, optional
        As everywhere.
    random_state : int, default 0
        The seed; only "k-means++" draws.

    Attributes
    ----------
    classes_ : tuple of str
        The names of the classes.
    vocabulary_ : Vocabulary
        The words, by their numbers.
    word_class_ : array of int, [words]
        The number of every word's class.
    confidence_ : array, [words]
        P(class | the classes of all other words).
    count_ : array of int, [words]
        How often every word occurs.
    stands_for_ : array of int, [words]
        What every word stands for at the beginning of a sentence.
    forms_ : Forms
        What classes know of the forms of their words.
    objective_ : float
        The objective of the last pass.
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
        criterion: str = "exchange:4,frames:3",
        start: str | Mapping[str, int] = "ward",
        morphology: float = 0.5,
        dictionary: Mapping[str, Any] | TagDictionary | str | Path | None = None,
        tolerance: float = 1e-6,
        lowercase: bool = False,
        engine: Where = "threads",
        n_jobs: int | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.n_classes = n_classes
        self.criterion = criterion
        self.start = start
        self.morphology = morphology
        self.dictionary = dictionary
        self.tolerance = tolerance
        self.lowercase = lowercase
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, labelled: Any = None,
        on_step: Callable[[Step], None] | None = None, checkpoint: str | Path | None = None,
        checkpoint_every: int | None = None,
    ) -> WordClasses:  # fmt: skip
        """Find the classes of the words of sentences.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.
        y : list of tag lists, optional
            Known tags; None where a tag is not known. A word that has tags keeps the commonest of them as its class.
        sample_weight : array, optional
            How often each sentence counts.
        labelled : Corpus, path, or (sentences, tags), optional
            Labelled sentences that are not among X: they are trained on as if they stood before it.

        Returns
        -------
        self
        """
        self._check()
        stage.begin("counting words")
        kept = self._checkpoint(checkpoint, checkpoint_every)
        given = tag_dictionary(self.dictionary)
        text = corpus(X, labels=y, lowercase=self.lowercase)
        weights = checked_weights(sample_weight, len(text), "sentences")
        text, weights, _ = with_labelled(text, labelled, weights, self.lowercase)
        data = every_word(in_memory(text, "word classes", "give a part of it"))
        if weights is not None:
            data = _as_often(data, weights)
        if data.n_tokens == 0:
            raise InputError(f"{data.source}: no words; give at least one")
        self.vocabulary_, self.count_ = data.vocabulary, np.bincount(data.sentences.values)
        self.stands_for_ = self._uncapitalized(data, given)
        first, words = first_tokens(data.sentences), data.sentences.values
        words = np.where(first, self.stands_for_[words], words)
        known = known_classes(given, data, words, self.n_classes, USUAL)
        self.classes_ = known.names
        seed, digest = self._seed(kept), data.digest()
        if kept:
            kept.bind(self._about(seed, digest))
        with kept or nullcontext():
            slot = kept.slot("classes") if kept else None
            self._learn(Ragged(data.sentences.offsets, words), known, seed, on_step, slot)
        self.signature_ = self._signature(seed, data, digest, given)
        self._remember(seed, data.source, digest, sentences=len(data), tokens=data.n_tokens)
        return self

    def _check(self) -> None:
        check_parameters(self)
        if self.n_classes is not None and self.n_classes < 1:
            raise InputError(f"n_classes is {self.n_classes}; it must be at least 1")
        for name in ("morphology", "tolerance"):
            if not 0.0 <= getattr(self, name) < float("inf"):
                raise InputError(f"{name} is {getattr(self, name)}; it must be at least 0")
        if isinstance(self.start, str) and self.start not in STARTS:
            raise InputError(f"start={self.start!r}: unknown; use {' or '.join(STARTS)}")
        stages_of(self.criterion)
        engine_of(self.engine, 1 if self.n_jobs is None else self.n_jobs)

    def _seed(self, checkpoint: Checkpoint | None) -> int:
        """As given, as the checkpoint has it, or drawn."""
        if self.random_state is not None:
            return int(self.random_state)
        recorded = checkpoint.seed() if checkpoint else None
        return int(np.random.default_rng().integers(2**31 - 1)) if recorded is None else recorded

    def _uncapitalized(self, data: Corpus, dictionary: TagDictionary | None) -> Array:
        """What each word stands for at the beginning of a sentence; words of the dictionary are themselves."""
        stands_for = uncapitalized(data.sentences, data.vocabulary.words)
        if dictionary:
            listed = data.vocabulary.find(dictionary.words)
            stands_for[listed[listed >= 0]] = listed[listed >= 0]
        return stands_for

    def _learn(
        self, sentences: Ragged, known: KnownClasses, seed: int, on_step: Callable[[Step], None] | None,
        slot: Slot | None,
    ) -> None:  # fmt: skip
        """The class of every word that is ever itself; the others have the class of what they stand for."""
        V, words = len(self.vocabulary_), self.vocabulary_.words
        own = np.flatnonzero(np.bincount(sentences.values, minlength=V))
        place = np.full(V, -1, dtype=np.int32)
        place[own] = np.arange(len(own))
        place = np.where(place < 0, place[self.stands_for_], place)
        forms = word_forms([words[v] for v in own])
        allowed = NOBODY if known.allowed is None else known.allowed[own]
        sentences = sentences.with_values(place[sentences.values])
        text, model = word_types(sentences, forms, allowed), self._model()
        stage.begin("vectors of the words' contexts")
        with Threads(1):  # of BLAS: the same bits everywhere
            context = context_vectors(text)
            forms = _telling(forms, word_forms([words[v] for v in own], backwards=True), context, text.tokens)
        text = with_forms(text, forms)
        passes = Passes(sentences, text, model.n_classes, model.weights, self.tolerance, on_step, slot)
        done = self._restored(slot, text) if slot else None
        stage.begin("first classes of words")
        start = np.empty(0) if done else _by_frequency(self._start(text, forms, context, seed), text.tokens, known)
        if isinstance(self.start, Mapping) and not done:
            start = _placed(start, [words[v] for v in own], self.start, model.n_classes, allowed)
        passes.run(start, stages_of(self.criterion), done)
        self.history_, self.objective_ = passes.trace, passes.objective
        count = model.counts(text, passes.classes)
        self.forms_ = Forms(forms.names, text.shares, count.types, count.values, forms.backwards)
        self.word_class_, self.confidence_ = passes.classes.astype(np.int32)[place], passes.sure[place]

    def _restored(self, slot: Slot, text: WordTypes) -> Saved | None:
        """What a checkpoint has, if it can be meant."""
        types, stages = readable(Saved, *RECORDS), stages_of(self.criterion)
        done: Saved | None = slot.result(types) or slot.position(types)
        if done is None:
            return None
        try:
            check("the position", done, Saved)
            check_whole("classes", done.classes, text.tokens.shape, len(self.classes_))
            forbidden = len(text.allowed) and not text.allowed[np.arange(len(done.classes)), done.classes].all()
            if forbidden or not 0 <= done.stage < len(stages):
                raise ValueError("classes that are not allowed, or an unknown stage")
            if any("moved" not in step.parts for step in done.steps):
                raise ValueError("passes in which nobody knows who moved")
            if done.steps and not 0 < done.steps[-1].step <= stages[done.stage].passes:
                raise ValueError("an unknown pass")
        except MALFORMED as error:
            raise foreign(slot) from error
        return done

    def _start(self, text: WordTypes, forms: WordForms, context: Array, seed: int) -> Array:
        K, allowed = len(self.classes_), text.allowed if len(text.allowed) else None
        with Threads(1):
            vectors = word_vectors(text, forms.groups(), context)
            # By their tokens alone, a few frequent words would have most classes to themselves.
            if self.start == "ward" or isinstance(self.start, Mapping):
                return nearest_wards(vectors, np.sqrt(text.tokens), K, allowed)
            weights = np.minimum(text.tokens, MOST * text.tokens.sum())
            return weighted_kmeans(vectors, weights, K, np.random.default_rng(seed), allowed)

    # --- within -----------------------------------------------------------------------------------------------------

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

    def _signature(self, seed: int, data: Corpus, digest: str, dictionary: TagDictionary | None) -> str:
        return signature(
            "word classes",
            classes=len(self.classes_),
            criterion=",".join(stage.text for stage in stages_of(self.criterion)),
            start=signed_start(self.start if isinstance(self.start, str) else "given", self.start),
            morphology=self.morphology,
            dictionary=dictionary.text if dictionary else "no",
            labels="no" if data.labels is None else "yes",
            tolerance=self.tolerance,
            seed=seed,
            sentences=len(data),
            tokens=data.n_tokens,
            data="sha256:" + digest[:12],
            **self._read_as(),
        )


def _as_often(data: Corpus, weights: Array) -> Corpus:
    """Classes are counted in whole words, so that a sentence counts a whole number of times."""
    if not (weights == np.floor(weights)).all():
        raise InputError("sample_weight must be whole numbers (0, 1, 2, …) for word classes")
    return every_word(data.take(np.repeat(np.arange(len(data)), weights.astype(np.int64))))


def _telling(ends: WordForms, begins: WordForms, context: Array, tokens: Array) -> WordForms:
    """Of two ways to look at words, the one whose groups tell more of where words stand."""
    told = [told_by(forms.groups(), context, tokens) for forms in (ends, begins)]
    return begins if told[1] > told[0] else ends


def _by_frequency(classes: Array, tokens: Array, known: KnownClasses) -> Array:
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


def _placed(classes: Array, words: Sequence[str], given: Mapping[str, int], n_classes: int, allowed: Array) -> Array:
    """First classes, with those of the words that a start names."""
    place, classes = {word: v for v, word in enumerate(words)}, classes.copy()
    for word, k in given.items():
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k < n_classes:
            raise InputError(f"start: {word!r} has the class {k!r}; give a number from 0 to {n_classes - 1}")
        if word in place and (not len(allowed) or allowed[place[word], k]):
            classes[place[word]] = k
    return classes
