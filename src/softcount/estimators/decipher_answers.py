"""What a key answers once it is learned: the plain text, how likely a text is, what each letter stands for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from softcount.disk.sound import check_finite, check_tables, check_whole
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator, naming
from softcount.estimators.light_estimator import check_is_fitted
from softcount.language.histories import without_blanks
from softcount.loop.estep import Answers
from softcount.loop.weighted import checked_weights
from softcount.models.ngram_channel import ChannelTables, NgramChannel
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array, Ragged, concatenate, offsets_of
from softcount.numbers.tables import Tables
from softcount.text.characters import BLANK, joined, spaced
from softcount.text.corpus import Corpus, corpus
from softcount.text.vocabulary import Vocabulary

BLANKS = ("auto", "known", "unknown", "letter")


class KeyEntry(NamedTuple):
    cipher: str
    plain: str
    probability: float  # of this plain letter where this cipher letter stands
    times: float  # how often it is expected to


class TrainedDecipher(LoopEstimator):
    """The half of softcount.Decipher that uses what was learned."""

    power: float
    letters_: tuple[str, ...]
    vocabulary_: Vocabulary
    language_: Array
    blanks_: str
    decoded_: Array  # [letters]: letters of the training text that were deciphered as each, where a command did so

    # --- questions ------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> list[str]:
        """Find the plain text: the likeliest by P(plain) · P(cipher | plain) to the given power.

        Parameters
        ----------
        X : lines
            As `fit` takes them.

        Returns
        -------
        list of str
        """
        check_is_fitted(self, "vocabulary_")
        with self._asked(X) as answers:
            labels = concatenate([part for _, part in answers.labels(self._logs(self.power), MAX)])
        return [self._spelt(row) for row in labels.rows()]

    def score(self, X: Any, y: Any = None) -> float:
        """Find log P(X), in nats, of all lines together.

        Parameters
        ----------
        X : lines
            As `fit` takes them.
        y : object, optional
            Nobody looks at it.

        Returns
        -------
        float
        """
        with self._posed(X) as (answers, logs):
            return answers.log_norm(logs)

    def key(self, X: Any, least: float = 0.01) -> list[KeyEntry]:
        """Find what each letter of a text stands for.

        Parameters
        ----------
        X : lines
            As `fit` takes them.
        least : float, default 0.01
            What is less likely is not listed.

        Returns
        -------
        list of KeyEntry
            Cipher letter, plain letter, probability and expected times; of every cipher letter the likeliest first.
        """
        check_is_fitted(self, "vocabulary_")
        data = self._read(X)
        with self._asked(data) as answers:
            shares = np.concatenate(list(answers.posteriors(self._logs(self.power))))
        K, words = len(self.letters_), data.sentences.values
        counts = np.zeros((len(self.vocabulary_) + 1, K))  # the last row is for letters that were never seen
        np.add.at(counts, words, shares.reshape(len(words), -1, K).sum(axis=1))
        return list(self._entries(counts[:-1], least))

    def _entries(self, counts: Array, least: float) -> Iterator[KeyEntry]:
        for letter, row in zip(self.vocabulary_.words, counts, strict=True):
            total = row.sum()
            for k in np.argsort(-row, kind="stable").tolist():
                if total > 0.0 and row[k] >= least * total:
                    yield KeyEntry(letter, self.letters_[k], float(row[k] / total), float(row[k]))

    @contextmanager
    def _asked(self, X: Any) -> Iterator[Answers]:
        data = X if isinstance(X, Corpus) and X.vocabulary is self.vocabulary_ else self._read(X)
        with self._engine() as engine, naming(data.source, "line", "train on this text"):
            yield Answers(self._model, data, engine)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        check_is_fitted(self, "vocabulary_")
        with self._asked(X) as answers:
            yield answers, self._logs()

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[NgramChannel, Corpus, Array | None]:
        data = self._read(X)
        return self._model, data, checked_weights(sample_weight, len(data), "lines")

    def _show_piece(self, items: Corpus) -> None:
        self._show()
        self.__dict__.pop("decoded_", None)

    # --- text -----------------------------------------------------------------------------------------------------

    def _text(self, X: Any, vocabulary: Vocabulary | None = None) -> Corpus:
        if isinstance(X, str):
            raise InputError("X is a single text; give a list of lines, [text]")
        if not isinstance(X, Corpus):
            X = [spaced(line) if isinstance(line, str) else line for line in X]
        return corpus(X, vocabulary, lowercase=self.lowercase)

    def _read(self, X: Any) -> Corpus:
        """Text in the key's letters."""
        text = self._text(X)
        return corpus(self._without_blanks(text) if self.blanks_ == "unknown" else text, self.vocabulary_)

    def _without_blanks(self, text: Corpus) -> Corpus:
        if BLANK not in text.vocabulary:
            return text
        ids, sentences = text.vocabulary.encode([BLANK]), text.sentences
        kept = sentences.values != ids[0]
        ends = np.concatenate([[0], np.cumsum(kept)])[sentences.offsets]
        shorter = Corpus(Ragged(offsets_of(np.diff(ends)), sentences.values[kept]), text.vocabulary, source=text.source)
        others = [letter for letter in text.vocabulary.words if letter != BLANK]
        return replace(corpus(shorter, Vocabulary(others, None)), source=text.source)

    def _spelt(self, row: Array) -> str:
        K = len(self.letters_)
        return joined([(BLANK if z >= K else "") + self.letters_[z % K] for z in row.tolist()]).strip()

    def _logs(self, power: float = 1.0) -> ChannelTables:
        with np.errstate(divide="ignore"):
            return ChannelTables(np.log(self.parameters_.emission) * power)

    def _show(self) -> None:
        self.emission_ = self.parameters_.emission

    # --- the model, and the file ------------------------------------------------------------------------------------

    def _channel(self, table: Array, order: int) -> NgramChannel:
        n_words = len(self.vocabulary_)
        if self.blanks_ != "unknown" or BLANK not in self.letters_:
            return NgramChannel(table, n_words)
        blank = self.letters_.index(BLANK)
        return NgramChannel(table, n_words, blank) if order > 2 else NgramChannel(without_blanks(table, blank), n_words)

    def _order(self) -> int:
        """Of the table that was used last."""
        order, size = 1, 1
        while size < len(self.language_):
            order, size = order + 1, size * self.language_.shape[1]
        return order

    def _sizes(self) -> dict[str, int]:
        return {"plain letters": len(self.letters_), "cipher letters": len(self.vocabulary_), "order": self._order()}

    def _settle(self) -> None:
        super()._settle()
        K, V = len(self.letters_), len(self.vocabulary_)
        order = self._order()
        check_finite("language", self.language_, (K + 1) ** (order - 1), K + 1, least=0.0)
        check_tables(self.parameters_, ChannelTables, emission=(K, V))
        if self.blanks_ not in BLANKS[1:] or len(set(self.letters_)) != K or order < 2:
            raise ValueError("no key to a cipher")
        if self.blanks_ == "unknown" and order < 3:
            raise ValueError("an invalid treatment of spaces")
        if "decoded_" in self.__dict__:
            check_whole("decoded", self.decoded_, K, np.inf)
        self._model = self._channel(np.ascontiguousarray(self.language_), order)
        self._show()
