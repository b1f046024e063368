"""softcount.CRFAutoencoder: tags by an encoder with features of words, trained so that the words can be made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softcount.criteria.spec import Settings, parse
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator
from softcount.estimators.crf_answers import DECODINGS, TrainedCRF, untagged
from softcount.estimators.featured import signed_features
from softcount.estimators.hmm_answers import naming
from softcount.estimators.parameters import PerTable, Seed, Where, at_least
from softcount.estimators.saved import signed_start
from softcount.estimators.word_classes import WordClasses
from softcount.loop.start import check_names, random_start
from softcount.loop.trace import Step
from softcount.loop.weighted import checked_weights, digest_with, repeated
from softcount.models.crf import CRFTables
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import Tables
from softcount.signature import signature
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.word_features import WORDS, word_features

STARTS = ("classes", "random")
SURE = 4.0  # how much a feature says of a class that all words with it have, at the start
SMOOTHING = 0.1  # added to every row of the reconstruction at the start


class CRFAutoencoder(TrainedCRF):
    """CRF autoencoder: an unsupervised tagger with log-linear features, trained to reconstruct the words.

    Read more in the :doc:`guide to the CRF autoencoder </background/models/crf-autoencoder>`.

    >>> from softcount import CRFAutoencoder
    >>> text = ["the dog runs", "a cat runs", "the cat sleeps", "a dog sleeps"] * 3
    >>> CRFAutoencoder(3, criterion="autoencode:20", random_state=0).fit(text).predict(["the dog sleeps"])
    [[0, 1, 2]]

    Parameters
    ----------
    n_states : int, default 10
        How many hidden states.
    criterion : str, default "autoencode:40"
        How many steps, and by which rate: "autoencode(rate=0.01):100".
    start : str or mapping, default "classes"
        "classes", what `WordClasses` finds, "random", or tables by name; those that are missing are random.
    features : str or function, default "words"
        Of every word and its two neighbours: "words" (the word, its beginning, ending, shape, length), "identity", a
        file with lines word<TAB>feature feature, several of them joined by commas, or a function of a word.
    reconstruct : int or str, default 100
        What is made again: the class of each word, among so many that `WordClasses` finds, or "words".
    variance : float, default 1.0
        Of the Gaussian prior on the encoder's weights w, whose log is −|w|² / 2 variance.
    pseudo : float or mapping, default 0.0
        Pseudo-counts of the reconstruction.
    restarts : int, default 1
        The best of so many starts, by objective.
    tolerance : float, default 1e-6
        A stage ends when its objective changes by no more than this share.
    lowercase : bool, default False
        Whether text is lower-cased first, here and in whatever is read later.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    decode : str, default "viterbi"
        "viterbi", or "posterior" (best tag of each token).
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.

    Attributes
    ----------
    states_ : tuple of str
        The names of the states: numbers.
    vocabulary_ : Vocabulary
        The words, by their numbers.
    feature_names_ : tuple of str
        The features; the last is the boundary of a sentence.
    features_ : Ragged
        The numbers of each word's features.
    feature_values_ : array
        Their values, in step.
    made_ : array, [words]
        What is made again of each word: its number, or its class.
    shares_ : array, [words]
        The share of each word in what is made again.
    emission_ : array, [states, words]
        P(word | state), made again.
    transition_ : array, [states, states]
        Weights of the encoder.
    """

    kind = "crf autoencoder"
    fixed = ()
    prior = 0.1
    _afterwards = ("decode",)
    _learned = (
        "parameters_", "states_", "vocabulary_", "feature_names_", "features_", "feature_values_", "made_", "shares_",
        *LoopEstimator._FIT,
    )  # fmt: skip
    _types = (CRFTables,)

    def __init__(
        self,
        n_states: int = 10,
        *,
        criterion: str = "autoencode:40",
        start: str | Mapping[str, Any] = "classes",
        features: str | Callable[[str], Any] = "words",
        reconstruct: int | str = 100,
        variance: float = 1.0,
        pseudo: PerTable = 0.0,
        restarts: int = 1,
        tolerance: float = 1e-6,
        lowercase: bool = False,
        min_count: int = 1,
        decode: str = "viterbi",
        engine: Where = "threads",
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_states = n_states
        self.criterion = criterion
        self.start = start
        self.features = features
        self.reconstruct = reconstruct
        self.variance = variance
        self.pseudo = pseudo
        self.restarts = restarts
        self.tolerance = tolerance
        self.lowercase = lowercase
        self.min_count = min_count
        self.decode = decode
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> CRFAutoencoder:  # fmt: skip
        """Learn tags from sentences.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.
        y : object, optional
            Nobody looks at it.
        sample_weight : array, optional
            How often each sentence counts.

        Returns
        -------
        self
        """
        self._check()
        kept = self._checkpoint(checkpoint, checkpoint_every)
        text = untagged(in_memory(corpus(X, lowercase=self.lowercase), "a CRF autoencoder", "use HMM"))
        weights = checked_weights(sample_weight, len(text), "sentences")
        data = corpus(text, None, self.min_count)
        if data.n_tokens == 0:
            raise InputError(f"{data.source}: no tokens to train on; give at least one word")
        seed, digest, counted = self._seed(kept), digest_with(text.digest(), weights), repeated(data, weights)
        self.states_, self.vocabulary_ = tuple(map(str, range(self.n_states))), data.vocabulary
        self._describe(data, seed)
        self._model = self._model_of(data.vocabulary)

        def start(restart: int) -> Tables:
            tables = random_start(self._model.layout, (seed, restart))
            if isinstance(self.start, Mapping):
                return _replaced(tables, self.start)
            return tables if self.start == "random" else self._classes_start(counted, tables, restart, seed)

        with self._engine() as engine, naming(data):
            self._train(
                self._model, data, start, seed, engine, settings=Settings(self.pseudo), digest=digest,
                on_step=on_step, checkpoint=kept, weights=weights,
            )  # fmt: skip
        self._show()
        self.signature_ = self._signature(seed, text, digest)
        self._remember(seed, text.source, digest, sentences=len(text), tokens=text.n_tokens)
        return self

    def _check(self) -> None:
        super()._check()
        at_least(self, 1, "n_states")
        if not 0.0 < self.variance < float("inf"):
            raise InputError(f"variance is {self.variance}; it must be above zero")
        for name, value, known in (("decoding", self.decode, DECODINGS), ("start", self.start, STARTS)):
            if isinstance(value, str) and value not in known:
                raise InputError(f"{name}={value!r}: unknown; use {', '.join(known)}")
        other = next((stage for stage in parse(self.criterion) if stage.name != "autoencode"), None)
        if other is not None:
            raise InputError(
                f"criterion {other.text!r}: a CRF autoencoder trains with autoencode only; use autoencode:40"
            )
        if self.reconstruct != WORDS and (isinstance(self.reconstruct, str) or self.reconstruct < 1):
            raise InputError(f"reconstruct is {self.reconstruct!r}; give a number of classes, or words")

    def _describe(self, data: Corpus, seed: int) -> None:
        """The features of the words, and what is made again of them."""
        found = word_features(data.vocabulary.words, self.features)
        self.feature_names_ = (*found.names, "boundary")
        self.features_ = Ragged(found.matrix.indptr.astype(np.int64), found.matrix.indices.astype(np.int64))
        self.feature_values_ = np.asarray(found.matrix.data, dtype=np.float64)
        self.made_ = np.arange(len(data.vocabulary))
        if self.reconstruct != WORDS:
            classes = WordClasses(self._n_made(), random_state=seed).fit(data)
            self.made_ = np.asarray(classes.class_of(data.vocabulary.words), dtype=np.int64)
        tokens = np.bincount(data.sentences.values, minlength=len(data.vocabulary)).astype(np.float64)
        self.shares_ = tokens / np.maximum(np.bincount(self.made_, tokens)[self.made_], 1e-300)

    def _classes_start(self, data: Corpus, tables: CRFTables, restart: int, seed: int) -> CRFTables:
        """A feature speaks for the classes of the words that have it; words are made again by their class."""
        rule = {"start": "k-means++", "random_state": seed + restart} if restart else {"random_state": seed}
        classes = np.asarray(WordClasses(self.n_states, **rule).fit(data).class_of(data.vocabulary.words))
        belongs = np.eye(self.n_states)[classes]
        features = self._model.features[: len(belongs), :]
        here = SURE * np.asarray(features.T @ belongs) / np.maximum(np.asarray(features.sum(axis=0)).T, 1e-300)
        tokens = np.bincount(data.sentences.values, minlength=len(belongs))
        again = SMOOTHING * tables.reconstruction
        np.add.at(again, (classes, self.made_), tokens)
        return tables._replace(here=here.T.copy(), reconstruction=again / again.sum(axis=1, keepdims=True))

    def _signature(self, seed: int, text: Corpus, digest: str) -> str:
        return signature(
            "crf-autoencoder",
            states=self.n_states,
            criterion=",".join(stage.text for stage in parse(self.criterion)),
            start=signed_start(self.start if isinstance(self.start, str) else "given", self.start),
            features=signed_features(
                self.features, self.feature_names_, self.features_.offsets, self.features_.values, self.feature_values_
            ),
            reconstruct=self.reconstruct,
            variance=self.variance,
            min_count=self.min_count,
            restarts=self.restarts,
            tolerance=self.tolerance,
            seed=seed,
            decode=self.decode,
            sentences=len(text),
            tokens=text.n_tokens,
            data="sha256:" + digest[:12],
            **self._read_as(),
        )


def _replaced(tables: CRFTables, given: Mapping[str, Any]) -> CRFTables:
    """With the tables that a start gives; rows of the reconstruction are normalized."""
    check_names(given, tables._fields)
    for name, rows in given.items():
        table, old = np.array(rows, dtype=np.float64), getattr(tables, name)
        wrong = table.shape != old.shape or not np.isfinite(table).all()
        if name == "reconstruction" and not wrong:
            wrong = bool((table < 0.0).any() or (table.sum(axis=1) <= 0.0).any())
            table = table if wrong else table / table.sum(axis=1, keepdims=True)
        if wrong:
            size = " x ".join(map(str, old.shape))
            raise InputError(f"start: the table {name!r} needs {size} finite numbers, and probabilities not below zero")
        tables = tables._replace(**{name: table})
    return tables
