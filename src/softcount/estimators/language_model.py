"""softcount.LanguageModel: how likely a sentence is by itself, from n-grams of its words or characters.

lm = LanguageModel(order=3).fit(sentences)
lm.perplexity(others), lm.sample(5), lm.write_arpa("text.arpa")
"""

from __future__ import annotations

import hashlib
import warnings
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from softcount.errors import InputError
from softcount.estimators.light_estimator import LightEstimator
from softcount.estimators.parameters import check_parameters
from softcount.estimators.saved import SavedEstimator
from softcount.language.kneser_ney import estimated
from softcount.language.ngram import (
    END,
    MOST_BACKOFF,
    SPECIAL,
    START,
    UNKNOWN,
    Ngrams,
    Text,
    bounded,
    counted,
    distribution,
    log_probabilities,
)
from softcount.loop.trace import Trace
from softcount.machine import stage
from softcount.machine.memory import check_room
from softcount.numbers.ragged import Array, Ragged
from softcount.signature import signature
from softcount.text.characters import joined, spaced
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.vocabulary import Vocabulary

QUERIES = ("own", "kenlm")
MOST_SURPRISAL = 700.0  # nats per word; exp of more is infinite
LONGEST = 10_000  # words of a sample: a model may never end a sentence


class Fluency(NamedTuple):
    """How well a model foresees a text; ends of sentences are words."""

    perplexity: float
    perplexity_known: float  # over the words that the model knows
    bits: float  # −Σ log2 P in all
    tokens: int
    unknown: int


class LanguageModel(LightEstimator, SavedEstimator):
    """N-gram language model of words or characters with interpolated modified Kneser–Ney smoothing.

    Read more in the :doc:`guide to language models </background/models/language-model>`.

    >>> from softcount import LanguageModel
    >>> lm = LanguageModel(order=2).fit(["the dog runs", "the cat runs", "a dog sleeps"])
    >>> round(lm.probability("runs", ["the", "dog"]), 3)
    0.331

    Parameters
    ----------
    order : int, default 3
        How many words make an n-gram; 3 looks at two words before each.
    characters : bool, default False
        Characters are the words, and the blank is one of them (``▁``).
    min_count : int, default 1
        Rarer words become ``<unk>``.
    lowercase : bool, default False
        Lower-case the text first.
    query : str, default "own"
        Who is asked how likely a text is: "own", or "kenlm" where that package is installed.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The words, ``<unk>``, ``<s>`` and ``</s>`` first.
    orders_ : tuple of Ngrams
        Keys, log P and log backoff of the n-grams of every order.
    discounts_ : list of arrays
        D(1), D(2), D(3 and more) of every order; none for a model that was read from a file.
    """

    kind: ClassVar[str] = "language model"
    _learned: ClassVar[tuple[str, ...]] = ("vocabulary_", "orders_", "discounts_")
    _types: ClassVar[tuple[Any, ...]] = (Ngrams,)

    _asked: tuple[Any, Any] | None = None  # the n-grams that KenLM was given, and its model

    vocabulary_: Vocabulary
    orders_: tuple[Ngrams, ...]
    discounts_: list[Array]

    def __init__(
        self, order: int = 3, *, characters: bool = False, min_count: int = 1, lowercase: bool = False,
        query: str = "own",
    ) -> None:  # fmt: skip
        self.order = order
        self.characters = characters
        self.min_count = min_count
        self.lowercase = lowercase
        self.query = query

    # --- training -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the n-grams of sentences, and smooth them.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.
        y : object, optional
            Nobody looks at it.

        Returns
        -------
        self
        """
        self._check()
        data = self._corpus(X)
        if not len(data):
            raise InputError(f"{data.source}: no sentences; give a text with at least one line")
        self.vocabulary_, text = self._bounded(data)
        stage.begin("counting n-grams")
        counts = counted(text, self.order, len(self.vocabulary_))
        stage.begin("smoothing")
        self.orders_, self.discounts_, guessed = estimated(counts)
        if self.characters and guessed[:1] == [1]:
            guessed = guessed[1:]  # no letter is rare, however long the text
        if guessed:
            orders = ", ".join(map(str, guessed))
            warnings.warn(f"too little text to estimate the discounts of order {orders}; 0.5, 1 and 1.5 are used",
                          stacklevel=2)  # fmt: skip
        sizes = {"sentences": len(data), "tokens": int(text.is_word.sum())}
        self.history_ = Trace([])
        self._remember(0, data.source, data.digest(), **sizes)
        self.signature_ = signature(
            "lm", order=self.order, smoothing="modified-kneser-ney", characters=self.characters,
            min_count=self.min_count, **sizes, words=len(self.vocabulary_), data="sha256:" + data.digest()[:12],
            **self._read_as(),
        )  # fmt: skip
        return self

    @classmethod
    def from_arpa(cls, path: str | Path) -> Self:
        """Read the model of an ARPA file, plain or packed, whoever wrote it.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        LanguageModel
        """
        from softcount.language.arpa import read_arpa

        vocabulary, orders = read_arpa(path)
        model = cls(len(orders), characters=_of_characters(vocabulary))
        model.vocabulary_, model.orders_, model.discounts_ = vocabulary, orders, []
        model.history_ = Trace([])
        model._remember(0, str(path), _digest(orders))
        model.signature_ = signature(
            "lm", source="arpa", order=len(orders), words=len(vocabulary),
            ngrams=sum(len(order.keys) for order in orders), data="sha256:" + _digest(orders)[:12],
        )  # fmt: skip
        return model

    def _check(self) -> None:
        check_parameters(self)
        if not 1 <= self.order <= 10:
            raise InputError(f"order is {self.order}; it must be from 1 to 10")
        if self.query not in QUERIES:
            raise InputError(f"query={self.query!r}: unknown; use {', '.join(QUERIES)}")
        if self.min_count < 1:
            raise InputError(f"min_count is {self.min_count}; it must be at least 1")

    # --- questions ------------------------------------------------------------------------------------------------

    def log_probabilities(self, X: Any) -> Ragged:
        """Find log P of every word and of the end, sentence by sentence.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        Ragged
            A row for each sentence.
        """
        text, _ = self._encoded(X)
        lengths = np.diff(np.append(np.flatnonzero(text.place == 0), len(text.place))) - 1
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Ragged(offsets, self._logs(text)[text.is_word])

    def _logs(self, text: Text) -> Array:
        """log P of every word of a text, by whom is to be asked."""
        if self.query == "own":
            return log_probabilities(self.orders_, text)
        from softcount.language import by_kenlm

        if self._asked is None or self._asked[0] is not self.orders_:
            self._asked = (self.orders_, by_kenlm.reader(self.vocabulary_, self.orders_))
        return by_kenlm.log_probabilities(self._asked[1], self.vocabulary_.words, text)

    def score_samples(self, X: Any) -> Array:
        """Find log P of every sentence, in nats.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        array
        """
        found = self.log_probabilities(X)
        return np.add.reduceat(found.values, found.offsets[:-1]) if found.n_rows else np.empty(0)

    def score(self, X: Any, y: Any = None) -> float:
        """Find the mean log P of a sentence, in nats.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.
        y : object, optional
            Nobody looks at it; scikit-learn's searches pass it.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).mean())

    def fluency(self, X: Any) -> Fluency:
        """Find the perplexity with and without unknown words, the bits, and how many words there are of each.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        Fluency
        """
        text, unknown = self._encoded(X)
        logs = self._logs(text)[text.is_word]
        known = logs[~unknown[text.is_word]]
        means = [subset.mean() for subset in (logs, known) if len(subset)]
        if not all(abs(mean) <= MOST_SURPRISAL for mean in means):
            raise InputError(
                f"the mean log-probability of a word is {min(means):.4g}, which gives no finite perplexity; "
                "check the language model"
            )
        return Fluency(
            float(np.exp(-logs.mean())), float(np.exp(-known.mean())) if len(known) else float("nan"),
            float(-logs.sum() / np.log(2)), len(logs), len(logs) - len(known),
        )  # fmt: skip

    def perplexity(self, X: Any) -> float:
        """Find exp of the mean −log P of a word, ends of sentences included.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        float
        """
        return self.fluency(X).perplexity

    def probability(self, word: str, context: Any = ()) -> float:
        """Find P(word | context).

        Parameters
        ----------
        word : str
            The word; ``</s>`` is the end of the sentence.
        context : str or list of str, default ()
            The words before it; a context that begins with ``<s>`` begins the sentence.

        Returns
        -------
        float
        """
        words = self.vocabulary_.encode([*context, word])
        return float(distribution(self.orders_, words[:-1].astype(np.int64))[words[-1]])

    def transition(self) -> Array:
        """Give P(next word | word), which an HMM can hold fixed.

        Returns
        -------
        array, [words, words]
            Words and next words in the order of the vocabulary.
        """
        V = len(self.vocabulary_)
        return np.stack([distribution(self.orders_, np.array([word])) for word in range(V)])

    def sample(self, n: int = 1, random_state: Any = None) -> list[str]:
        """Draw sentences as the model would write them, of words that it knows.

        Parameters
        ----------
        n : int, default 1
            How many.
        random_state : int, optional
            The seed.

        Returns
        -------
        list of str
        """
        check_room(100.0 * n, f"{n:,} sentences", "ask for fewer")
        rng = np.random.default_rng(random_state)
        return [self._joined(self._sampled(rng)) for _ in range(n)]

    def _sampled(self, rng: np.random.Generator) -> list[int]:
        words = [START]
        while words[-1] != END and len(words) < LONGEST:
            p = distribution(self.orders_, np.array(words[-len(self.orders_) :]))
            p[UNKNOWN] = 0.0  # which is no word that one could write
            p = p.cumsum()
            words.append(int(np.searchsorted(p, rng.random() * p[-1], side="right")))
        return words[1:-1] if words[-1] == END else words[1:]

    def _joined(self, ids: list[int]) -> str:
        words = self.vocabulary_.decode(ids)
        return joined(words) if self.characters else " ".join(words)

    def write_arpa(self, path: str | Path) -> None:
        """Write an ARPA file, which KenLM and SRILM read too.

        Parameters
        ----------
        path : str or path
            The file; it is packed where its name ends in .gz.
        """
        from softcount.language.arpa import write_arpa
        from softcount.machine.atomic import write_whole

        packed = Path(path).suffix == ".gz"
        write_whole(Path(path), lambda place: write_arpa(place, self.vocabulary_, self.orders_, packed))

    # --- text -----------------------------------------------------------------------------------------------------

    def _corpus(self, X: Any) -> Corpus:
        if isinstance(X, str):
            raise InputError("X is a single text; give a list of lines, [text]")
        if self.characters and not isinstance(X, Corpus):
            X = [spaced(line) for line in X]
        found: Corpus = in_memory(corpus(X, lowercase=self.lowercase), "a language model", "give a part of it")
        return found

    def _bounded(self, data: Corpus) -> tuple[Vocabulary, Text]:
        """The words of a text that is trained on, rare ones left out."""
        own = data.vocabulary.words
        for word in SPECIAL[START : END + 1]:
            if word in data.vocabulary:
                raise InputError(
                    f"{data.source}: contains the word {word}, which marks the start or end of a sentence; remove it"
                )
        counts = np.bincount(data.sentences.values, minlength=len(own))
        kept = [word for word, n in zip(own, counts, strict=True) if n >= self.min_count and word != SPECIAL[UNKNOWN]]
        vocabulary = Vocabulary([*SPECIAL, *kept], unknown=SPECIAL[UNKNOWN])
        return vocabulary, bounded(_renumbered(data, vocabulary))

    def _encoded(self, X: Any) -> tuple[Text, Array]:
        """(Text, whether each word is unknown)."""
        self._check_fitted("orders_")
        text = bounded(_renumbered(self._corpus(X), self.vocabulary_))
        return text, text.words == UNKNOWN

    # --- on disk --------------------------------------------------------------------------------------------------

    def _sizes(self) -> dict[str, int]:
        return {f"{n}-grams": len(ngrams.keys) for n, ngrams in enumerate(self.orders_, 1)}

    def _settle(self) -> None:
        V, size = len(self.vocabulary_), len(self.vocabulary_)
        if tuple(self.vocabulary_.words[:3]) != SPECIAL or not self.orders_:
            raise ValueError("no language model's vocabulary")
        for n, ngrams in enumerate(self.orders_, 1):
            last = n == len(self.orders_)
            if not _sound(ngrams, V if n == 1 else V * size, last) or (n == 1 and len(ngrams.keys) != V):
                raise ValueError(f"n-grams of order {n} that cannot be")
            size = len(ngrams.keys)
        if self.discounts_ and [len(row) for row in self.discounts_] != [3] * len(self.orders_):
            raise ValueError("discounts of other orders")


def _renumbered(data: Corpus, vocabulary: Vocabulary) -> Ragged:
    ids = vocabulary.encode(data.vocabulary.words).astype(np.int64)
    values = data.sentences.values
    return Ragged(data.sentences.offsets, np.where(values >= 0, ids[values], UNKNOWN) if len(ids) else values)


def _of_characters(vocabulary: Vocabulary) -> bool:
    return all(len(word) == 1 for word in vocabulary.words[len(SPECIAL) :])


def _digest(orders: tuple[Ngrams, ...]) -> str:
    sha = hashlib.sha256()
    for ngrams in orders:
        for part in ngrams:
            sha.update(np.ascontiguousarray(part).data)
    return sha.hexdigest()


def _sound(ngrams: Ngrams, most: int, last: bool) -> bool:
    keys, log_p, backoff = ngrams
    return bool(
        keys.dtype == np.int64 and log_p.dtype == backoff.dtype == np.float64
        and keys.ndim == log_p.ndim == backoff.ndim == 1 and len(keys) == len(log_p)
        and len(backoff) == (0 if last else len(keys)) and not np.isnan(log_p).any()
        and (backoff <= MOST_BACKOFF).all()
        and (log_p <= 1e-9).all() and (np.diff(keys) > 0).all() and (not len(keys) or 0 <= keys[0] <= keys[-1] < most)
    )  # fmt: skip
