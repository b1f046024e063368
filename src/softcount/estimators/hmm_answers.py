"""What a hidden Markov model answers once it is trained: tags, their probabilities, scores, new sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from typing import Any

import numpy as np

from softcount.criteria.mre import reconstructing
from softcount.disk.sound import check_tables, check_whole
from softcount.errors import InputError, impossible_means
from softcount.estimators.hmm_language import model_of, shown, sound_language
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.sized import SizedEstimator
from softcount.loop.estep import Answers
from softcount.loop.weighted import checked_weights
from softcount.machine.memory import check_room
from softcount.models.hmm import HMM as Model
from softcount.models.hmm import generate
from softcount.models.ngram_channel import ChannelTables
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Tables
from softcount.report.hmm_json import to_json
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.vocabulary import Vocabulary

DECODINGS = ("viterbi", "posterior", "mre")


class TrainedHMM(SizedEstimator):
    """The half of softcount.HMM that uses what was learned."""

    decode: str
    states_: tuple[str, ...]
    vocabulary_: Vocabulary
    lengths_: Array  # how many sentences have how many words
    decoded_: Array  # [states]: tokens of the training text that were decoded as each, where a command did so
    end_: Array | None
    language_: Array | None  # P(state | states before it), and of the end, where a language model says so

    def _read(self, X: Any) -> Corpus:
        """Text in the model's words. Tags that are states' names are known, other tags say nothing."""
        data = corpus(X, self.vocabulary_, lowercase=self.lowercase)
        if not data.labelled:
            return data
        place = {name: k for k, name in enumerate(self.states_)}
        return data.retagged(np.array([place.get(name, -1) for name in data.tagset], dtype=np.int32), self.states_)

    def predict(self, X: Any, decode: str | None = None) -> list[list[int | str]]:
        """Tag every token of sentences.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.
        decode : str, optional
            "viterbi", "posterior" or "mre", in place of the setting of that name.

        Returns
        -------
        list of lists
            A tag for every token: a number, or a name where states have names.
        """
        return list(chain.from_iterable(self.blocks(X, decode)))

    def blocks(self, X: Any, decode: str | None = None) -> Iterator[list[list[int | str]]]:
        """Tag sentences as `predict` does, a block of them at a time, so that memory stays bounded.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.
        decode : str, optional
            As `predict` takes it.

        Yields
        ------
        list of lists
            The tags of the next sentences.
        """
        rule = decode or self.decode
        if rule not in DECODINGS:
            raise InputError(f"decode={rule!r}: unknown; use {', '.join(DECODINGS)}")
        check_is_fitted(self, "vocabulary_")
        weights, mode = self._logs(), SUM if rule == "posterior" else MAX
        if rule == "mre":
            weights = reconstructing(self._model.layout, weights)
        data = self._read(X)
        names = None if self._numbered() else np.array(self.states_, dtype=object)
        with self._engine() as engine, naming(data):
            for _, part in Answers(self._model, data, engine).labels(weights, mode):
                yield [(row if names is None else names[row]).tolist() for row in part.rows()]

    def predict_proba(self, X: Any) -> list[Array]:
        """Find P(state | sentence) of every token.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        list of arrays
            Of every sentence [tokens, states]; rows sum to one.
        """
        check_is_fitted(self, "vocabulary_")
        data = in_memory(self._read(X), "the probability of every state", "give a part of it")
        with self._engine() as engine, naming(data):
            flat = np.concatenate(list(Answers(self._model, data, engine).posteriors(self._logs())))
        return list(Ragged(data.sentences.offsets, flat).rows())

    def score(self, X: Any, y: Any = None) -> float:
        """Find log P(X), in nats, of all sentences together, jointly with the tags that are known.

        A word that the model does not know counts as unobserved.

        Parameters
        ----------
        X : sentences
            As `fit` takes them; a Corpus may have tags.
        y : object, optional
            Nobody looks at it; scikit-learn's searches pass it.

        Returns
        -------
        float
        """
        with self._posed(X) as (answers, logs):
            return answers.log_norm(logs)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        check_is_fitted(self, "vocabulary_")
        data = self._read(X if y is None else corpus(X, labels=y))
        with self._engine() as engine, naming(data):
            yield Answers(self._model, data, engine), self._logs()

    def perplexity(self, X: Any) -> float:
        """Find exp(−log P(X) / tokens), over the tokens that the model knows.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        float
        """
        data = corpus(X, self.vocabulary_, lowercase=self.lowercase)
        known = data.n_tokens - data.n_unknown
        if not known:
            raise InputError("perplexity of a text without known words is not defined")
        return float(np.exp(-self.score(data) / known))

    def sample(
        self, n_sentences: int = 1, length: int | None = None, random_state: int | None = None
    ) -> tuple[list[list[str]], list[list[int | str]]]:
        """Draw new sentences and their tags.

        Parameters
        ----------
        n_sentences : int, default 1
            How many.
        length : int, optional
            How many words each has; where it is not given, as the end of sentences has it, or as in the training text.
        random_state : int, optional
            The seed.

        Returns
        -------
        (list of lists of str, list of lists)
            The words, and the tag of each.
        """
        check_is_fitted(self, "vocabulary_")
        self._needs_bigrams("new sentences")
        check_room(n_sentences * (100.0 + 100.0 * (length or 10)), f"{n_sentences:,} sentences", "ask for fewer")
        rng = np.random.default_rng(random_state)
        lengths = None
        if length is not None:
            lengths = np.full(n_sentences, length)
        elif not self._model.end:
            lengths = rng.choice(len(self.lengths_), size=n_sentences, p=self.lengths_ / self.lengths_.sum())
        words, states = generate(self.parameters_, n_sentences, lengths, rng)
        names: Sequence[int | str] = range(len(self.states_)) if self._numbered() else self.states_
        return (
            [self.vocabulary_.decode(row) for row in words.rows()],
            [[names[k] for k in row] for row in states.rows()],
        )

    def top_words(self, n: int = 10) -> dict[int | str, list[tuple[str, float]]]:
        """List the most probable words of each state.

        Parameters
        ----------
        n : int, default 10
            How many of each.

        Returns
        -------
        dict
            From state to a list of (word, P(word | state)), the most probable first.
        """
        check_is_fitted(self, "vocabulary_")
        tops: dict[int | str, list[tuple[str, float]]] = {}
        for k, row in enumerate(self.emission_):
            best = np.argsort(-row, kind="stable")[:n]
            tops[k if self._numbered() else self.states_[k]] = [
                (self.vocabulary_.words[v], float(row[v])) for v in best
            ]
        return tops

    def to_json(self) -> dict[str, Any]:
        """Give the parameters as P.json has them, which `start` takes.

        Returns
        -------
        dict
        """
        check_is_fitted(self, "vocabulary_")
        self._needs_bigrams("P.json")
        return to_json(self.states_, list(self.vocabulary_.words), self.parameters_)

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Corpus, Array | None]:
        data = self._read(X if y is None else corpus(X, labels=y))
        return self._model, data, checked_weights(sample_weight, len(data), "sentences")

    def _show_piece(self, items: Corpus) -> None:
        self._show()
        self.__dict__.pop("decoded_", None)
        lengths = np.zeros(max(len(self.lengths_), len(items.length_counts)), np.int64)
        for counts in (self.lengths_, items.length_counts):
            lengths[: len(counts)] += counts
        self.lengths_ = lengths

    def _featured_table(self) -> tuple[str, Sequence[str]]:
        return "emission", self.vocabulary_.words

    def _row_names(self) -> Sequence[int | str]:
        return range(len(self.states_)) if self._numbered() else self.states_

    # --- within -----------------------------------------------------------------------------------------------------

    def _logs(self) -> Tables:
        """Of the parameters as shown and saved, under every criterion: what a P.json tags is what training tagged."""
        return logs_of(self.parameters_)

    def _numbered(self) -> bool:
        return self.states_ == tuple(str(k) for k in range(len(self.states_)))

    def _needs_bigrams(self, what: str) -> None:
        if isinstance(self.parameters_, ChannelTables):
            raise InputError(f"{what} needs transitions between two states; use a language model of order 2")

    def _show(self) -> None:
        if isinstance(self.parameters_, ChannelTables):
            self.initial_, self.transition_, self.end_ = shown(np.asarray(self.language_))
            self.emission_ = self.parameters_.emission
            return
        K, parameters = len(self.states_), self.parameters_
        self.initial_ = parameters.initial
        self.transition_ = parameters.transition[:, :K]
        self.end_ = parameters.transition[:, K] if self._model.end else None
        self.emission_ = parameters.emission

    def _sizes(self) -> dict[str, int]:
        return {"states": len(self.states_), "words": len(self.vocabulary_)}

    def _settle(self) -> None:
        super()._settle()
        K, V = len(self.states_), len(self.vocabulary_)
        check_whole("lengths", self.lengths_, None, np.inf)
        if "decoded_" in self.__dict__:
            check_whole("decoded", self.decoded_, K, np.inf)
        if len(set(self.states_)) != K or not self.lengths_.any():
            raise ValueError("states of one name, or no sentences")
        if self.__dict__.setdefault("language_", None) is not None:
            language = sound_language(self.language_, K)
            self.language_, self._model = language, model_of(language, V)
        else:
            end = getattr(self.parameters_, "transition", np.empty((0, 0))).shape[-1] == K + 1
            self._model = Model(K, V, end)
        layout = self._model.layout
        shapes = {name: spec.family.size() for name, spec in layout._asdict().items()}
        check_tables(self.parameters_, type(layout), **shapes)
        self._show()


def logs_of(parameters: Any) -> Any:
    with np.errstate(divide="ignore"):
        return type(parameters)(*(np.log(table) for table in parameters))


def naming(data: Corpus, where: Callable[[int], str] | None = None) -> AbstractContextManager[None]:
    """Turns an impossible item into a message about the user's text; ``where`` names a line of it."""

    def message(item: int) -> str:
        words = " ".join(data.tokens(item)[:8])
        wrong = f"the sentence {words!r} has probability zero under these parameters, or one too small to represent"
        place = f"{data.source}:{item + 1}" if where is None else where(item + 1)
        return f"{place}: {wrong}; allow its words and transitions, or add pseudo-counts"

    return impossible_means(message)
