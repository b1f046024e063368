"""What a CRF autoencoder answers once it is trained: tags, their probabilities, scores, what each state stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from softcount.criteria.autoencode import encoding
from softcount.criteria.criterion import log_weights
from softcount.disk.sound import check, check_finite, check_rows, check_whole
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator
from softcount.estimators.hmm_answers import naming
from softcount.estimators.light_estimator import check_is_fitted
from softcount.loop.estep import Answers
from softcount.models.crf import CRF, CRFTables, with_boundary
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged, concatenate
from softcount.numbers.tables import Tables
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.vocabulary import Vocabulary
from softcount.text.word_features import IDENTITY, WORDS, word_features

DECODINGS = ("viterbi", "posterior")


class TrainedCRF(LoopEstimator):
    """The half of softcount.CRFAutoencoder that uses what was learned."""

    decode: str
    features: Any
    reconstruct: int | str
    variance: float
    states_: tuple[str, ...]
    vocabulary_: Vocabulary
    feature_names_: tuple[str, ...]
    features_: Ragged
    feature_values_: Array
    made_: Array
    shares_: Array

    def predict(self, X: Any, decode: str | None = None) -> list[list[int]]:
        """Tag every token of sentences; new words by their features.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.
        decode : str, optional
            "viterbi" or "posterior", in place of the setting of that name.

        Returns
        -------
        list of lists of int
        """
        rule = decode or self.decode
        if rule not in DECODINGS:
            raise InputError(f"decode={rule!r}: unknown; use {', '.join(DECODINGS)}")
        with self._posed(X) as (answers, logs):
            labels = concatenate([part for _, part in answers.labels(logs, SUM if rule == "posterior" else MAX)])
        return [row.tolist() for row in labels.rows()]

    def predict_proba(self, X: Any) -> list[Array]:
        """Find P(state | sentence and what is made again of it) of every token.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        list of arrays
            Of every sentence [tokens, states]; rows sum to one.
        """
        with self._posed(X) as (answers, logs):
            flat = np.concatenate(list(answers.posteriors(logs)))
        return list(Ragged(in_memory(corpus(X), "a CRF autoencoder", "use HMM").sentences.offsets, flat).rows())

    def score(self, X: Any, y: Any = None) -> float:
        """Find log Σ_z P(z | x) P(x̂ | z), in nats, of all sentences together; of an unknown word nothing is made again.

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
        with self._posed(X) as (answers, logs):
            return answers.log_norm(logs) - answers.log_norm(encoding(answers.model.layout, logs))

    def reconstruction_score(self, X: Any, y: Any = None) -> float:
        """The same as `score`: how likely the data is made again from what the model makes of it."""
        return self.score(X)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        check_is_fitted(self, "vocabulary_")
        data = untagged(in_memory(corpus(X, lowercase=self.lowercase), "a CRF autoencoder", "use HMM"))
        model = self._model_of(data.vocabulary)
        with self._engine() as engine, naming(data):
            yield Answers(model, data, engine), log_weights(model.layout, self.parameters_)

    def top_words(self, n: int = 10) -> dict[int, list[tuple[str, float]]]:
        """List the words that each state makes again most often.

        Parameters
        ----------
        n : int, default 10
            How many of each.

        Returns
        -------
        dict
            From state to a list of (word, P(word | state)).
        """
        check_is_fitted(self, "vocabulary_")
        best = np.argsort(-self.emission_, axis=1, kind="stable")[:, :n]
        words = self.vocabulary_.words
        return {k: [(words[v], float(self.emission_[k, v])) for v in row] for k, row in enumerate(best.tolist())}

    def top_features(self, n: int = 10) -> dict[int, list[tuple[str, float]]]:
        """List the features of a word that speak most for each state.

        Parameters
        ----------
        n : int, default 10
            How many of each.

        Returns
        -------
        dict
            From state to a list of (feature, weight above the mean).
        """
        check_is_fitted(self, "vocabulary_")
        here = self.parameters_.here - self.parameters_.here.mean(axis=0)
        best = np.argsort(-here, axis=1, kind="stable")[:, :n]
        names = self.feature_names_
        return {k: [(names[f], float(here[k, f])) for f in row] for k, row in enumerate(best.tolist())}

    # --- within ---------------------------------------------------------------------------------------------------

    def _model_of(self, vocabulary: Vocabulary) -> CRF:
        """For text in these words; those that training has not seen have the features that their letters give them."""
        ids = self.vocabulary_.encode(vocabulary.words)
        new = np.flatnonzero(ids < 0)
        known = sparse.csr_matrix(
            (self.feature_values_, self.features_.values, self.features_.offsets),
            shape=(len(self.vocabulary_), len(self.feature_names_) - 1),
        )
        rows = known[np.maximum(ids, 0)]
        if len(new):
            rows = rows.tolil()
            rows[new] = self._features_of([vocabulary.words[i] for i in new.tolist()])
            rows = rows.tocsr()
        made = np.where(ids < 0, -1, self.made_[np.maximum(ids, 0)])
        n_made = int(self.parameters_.reconstruction.shape[1]) if hasattr(self, "parameters_") else self._n_made()
        return CRF(len(self.states_), with_boundary(rows), np.append(made, [-1, -1]), n_made, 1.0 / self.variance)

    def _n_made(self) -> int:
        n_words = len(self.vocabulary_)
        return n_words if self.reconstruct == WORDS else min(int(self.reconstruct), n_words)

    def _features_of(self, words: Sequence[str]) -> Any:
        """Of new words, those that training knows; of a file's none."""
        own = callable(self.features) or set(self.features.split(",")) <= {WORDS, IDENTITY}
        place = {name: j for j, name in enumerate(self.feature_names_[:-1])}
        table = sparse.lil_matrix((len(words), len(place)))
        if own:
            found = word_features([*words, *words], self.features)  # twice, as what one word alone has is no feature
            entries = found.matrix[: len(words)].tocoo()
            for i, j, value in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
                if found.names[j] in place:
                    table[i, place[found.names[j]]] = value
        return table

    def _show(self) -> None:
        self.transition_ = self.parameters_.transition
        self.emission_ = self.parameters_.reconstruction[:, self.made_] * self.shares_

    def _sizes(self) -> dict[str, int]:
        return {"states": len(self.states_), "words": len(self.vocabulary_), "features": len(self.feature_names_)}

    def _settle(self) -> None:
        super()._settle()
        K, V, F = len(self.states_), len(self.vocabulary_), len(self.feature_names_)
        check("parameters", self.parameters_, CRFTables)
        C = len(self.parameters_.reconstruction[0])
        for name, shape in (
            ("initial", (K,)),
            ("transition", (K, K)),
            ("here", (K, F)),
            ("before", (K, F)),
            ("after", (K, F)),
        ):
            check_finite(name, getattr(self.parameters_, name), *shape)
        check_rows("reconstruction", self.parameters_.reconstruction, K, C)
        check_whole("the target of the reconstruction", self.made_, V, C)
        check_finite("the words' shares", self.shares_, V, least=0.0)
        check_whole("features", self.features_.values, len(self.feature_values_), F - 1)
        check_finite("values of features", self.feature_values_, len(self.features_.values))
        if self.features_.n_rows != V or self.states_ != tuple(map(str, range(K))) or K < 1:
            raise ValueError("features of other words, or other states")
        self._model = self._model_of(self.vocabulary_)
        self._show()


def untagged(data: Corpus) -> Corpus:
    return replace(data, labels=None, tagset=()) if data.labels is not None else data
