"""What topics answer once they are learned: those of new documents, perplexity, documents like a query, top words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from softcount.disk.sound import EITHER, check, check_finite, check_rows
from softcount.errors import InputError
from softcount.estimators.base import naming
from softcount.estimators.counted_text import DocumentEstimator
from softcount.estimators.folding import folded, folded_blocks
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.sampling import draw, draw_documents, lengths_of
from softcount.estimators.scikit import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from softcount.estimators.similar import cosine, one_document, tfidf_cosine
from softcount.estimators.sized import SizedEstimator
from softcount.estimators.topic_words import rank_words
from softcount.evaluate.topics import completion, relevance, split_tokens
from softcount.loop.estep import Answers
from softcount.models.plsa import PLSA as Model
from softcount.models.plsa import PLSATables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Log, Tables
from softcount.text.documents import Documents
from softcount.text.stored import in_memory

TFIDF = 0.5  # its weight beside topics, in a search
RANKS = ("documents", "relevance", "probability")
RANKED = ("attributed_", "document_frequency_", "rank_offset_")  # what words are shown by; models of 0.2 have none
BACKGROUND = 0.8  # the share of words that say nothing of a document's topic, where it is to have one


class TrainedPLSA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SizedEstimator, DocumentEstimator):  # type: ignore[misc]
    """The half of softcount.PLSA that uses what was learned."""

    fold_pseudo: float
    prevalence_: Array
    attributed_: Array
    document_frequency_: Array
    rank_offset_: float
    background_weight_: float
    _seen: Array  # which words training saw

    def transform(self, X: Any) -> Array:
        """Find P(topic | document) of new documents, which are folded in with the topics held.

        Parameters
        ----------
        X : documents
            As `fit` takes them.

        Returns
        -------
        array, [documents, topics]
            Rows sum to one.
        """
        check_is_fitted(self, "components_")
        return self._fold(self._read(X, reset=False))

    def blocks(self, X: Any) -> Iterator[Array]:
        """Fold in documents as `transform` does, a block of them at a time, so that memory stays bounded.

        Parameters
        ----------
        X : documents
            As `fit` takes them.

        Yields
        ------
        array, [documents, topics]
            The rows of the next documents.
        """
        check_is_fitted(self, "components_")
        data = self._read(X, reset=False)
        with self._engine() as engine:
            yield from folded_blocks(data, self.components_, self.prevalence_, self.fold_pseudo, engine)

    def predict(self, X: Any) -> Array:
        """Find the one topic that each document is most about; words that are everywhere have little say in it.

        Parameters
        ----------
        X : documents
            As `fit` takes them.

        Returns
        -------
        array of int
        """
        check_is_fitted(self, "components_")
        return np.asarray(self._fold(self._read(X, reset=False), BACKGROUND).argmax(axis=1))

    def _fold(self, data: Documents, background: float = 0.0) -> Array:
        with self._engine() as engine:
            return folded(data, self.components_, self.prevalence_, self.fold_pseudo, engine, background)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        """Of new documents with their topics folded in."""
        check_is_fitted(self, "components_")
        data = self._read(X, reset=False)
        with self._engine() as engine, naming(data.source):
            topic = folded(data, self.components_, self.prevalence_, self.fold_pseudo, engine)
            model = Model(len(data), self._size, data.n_words)
            yield Answers(model, data, engine), PLSATables(Log(topic), Log(self.components_))

    def perplexity(self, X: Any, random_state: int = 0) -> float:
        """Find the perplexity by document completion: exp(−Σ log P(w | d) / tokens).

        The sum is over a random half of each document's tokens; its topics are folded in from the other half. Words
        that training did not see are left out.

        Parameters
        ----------
        X : documents
            As `fit` takes them.
        random_state : int, default 0
            The seed of the halves.

        Returns
        -------
        float
        """
        check_is_fitted(self, "components_")
        data = in_memory(self._read(X, reset=False), "perplexity", "give a part of it")
        seen, aside = split_tokens(data, 0.5, random_state)
        log_likelihood, tokens = completion(self._fold(seen), self.components_, self._of_seen(aside))
        if not tokens:
            raise InputError("perplexity needs documents with at least two known words")
        return float(np.exp(-log_likelihood / tokens))

    def _of_seen(self, data: Documents) -> Documents:
        """Without the counts of words that training did not see: whatever a model gives them, it has not learned it."""
        return replace(data, counts=data.counts * self._seen[data.words])

    def score(self, X: Any, y: Any = None) -> float:
        """Find minus the log of the perplexity: greater is better.

        Parameters
        ----------
        X : documents
            As `fit` takes them.
        y : object, optional
            Nobody looks at it; scikit-learn's searches pass it.

        Returns
        -------
        float
        """
        return -float(np.log(self.perplexity(X)))

    def sample(
        self, n_documents: int = 1, length: int | Sequence[int] = 100, random_state: int | None = None
    ) -> tuple[sparse.csr_matrix, Array]:
        """Draw new documents; each has the topics of a training document, any of which is as likely.

        Parameters
        ----------
        n_documents : int, default 1
            How many.
        length : int or list of int, default 100
            How many words each has.
        random_state : int, optional
            The seed.

        Returns
        -------
        (sparse matrix, array)
            Counts, [documents, words], and P(topic | document) of each, [documents, topics].
        """
        check_is_fitted(self, "components_")
        lengths, rng = lengths_of(length, n_documents), np.random.default_rng(random_state)
        topic = np.asarray(self.topic_[rng.integers(len(self.topic_), size=n_documents)], np.float64)
        tokens = np.repeat(np.arange(n_documents), lengths)
        hidden = draw(topic, tokens, rng)
        return draw_documents(self.components_, tokens, hidden, n_documents, rng), topic

    def similar(
        self, query: Any, k: int = 10, among: Any = None, tfidf: float | None = None
    ) -> list[tuple[int, float]]:
        """Find the documents that are most like a query.

        >>> from softcount import PLSA
        >>> docs = ["stars planets moon", "moon stars orbit", "bread butter jam", "jam bread tea"]
        >>> [number for number, similarity in PLSA(2, random_state=0).fit(docs).similar("planets orbit", k=2)]
        [0, 1]

        Parameters
        ----------
        query : str, list of str, row of counts, or documents
            Words as one text, a token list, a row of counts, or a collection that holds one document.
        k : int, default 10
            How many documents.
        among : documents, optional
            The documents to search, anything that `transform` takes; the training documents where it is not given.
        tfidf : float, optional
            Weight of the cosine between tf-idf vectors beside that between topics, which needs `among`: 0.5 where
            that is given, else 0.

        Returns
        -------
        list of (int, float)
            Number and similarity of each, the most similar first.
        """
        check_is_fitted(self, "components_")
        asked = self._read(one_document(query), reset=False)
        if not len(asked.words):
            raise InputError("no word of the query is in the vocabulary; use other words")
        pool = None if among is None else self._read(among, reset=False)
        if tfidf != 0:
            pool = in_memory(pool, "a search by words", "search by topics only: --tfidf 0")
        rows = np.asarray(self.topic_, np.float64) if pool is None else self._fold(pool)
        similarity = cosine(rows, self._fold(asked)[0])
        tfidf = (0.0 if pool is None else TFIDF) if tfidf is None else tfidf
        if tfidf:
            if pool is None:
                raise InputError("tf-idf needs the documents; pass them as `among`")
            similarity = (1.0 - tfidf) * similarity + tfidf * tfidf_cosine(pool, asked)
        best = np.argsort(-similarity, kind="stable")[:k]
        return [(int(d), float(similarity[d])) for d in best]

    def top_words(self, n: int = 10, words: Any = None, rank: str | None = None) -> dict[int, list[tuple[Any, float]]]:
        """List the top words of each topic.

        Parameters
        ----------
        n : int, default 10
            How many of each.
        words : list, vectoriser or pipeline, optional
            Names of the columns, where the input had none: a list, the vectoriser that made them, or a pipeline.
        rank : str, optional
            The order: "documents", which part of the documents with a word is about the topic (see
            `softcount.estimators.topic_words`); "relevance", P(w | h)² / (P(w | h) + P(w)); or "probability". Default:
            `ranked_by_`, which is "documents", and "relevance" where nothing was counted for it, as in models of 0.2.

        Returns
        -------
        dict
            From topic to a list of (word, P(word | topic)).
        """
        return dict(enumerate(self._tops(self.components_, n, words, self._rank(rank))))

    def _rank(self, rank: str | None = None) -> Array:
        """[topics, words]: the larger, the sooner a word is shown."""
        check_is_fitted(self, "components_")
        rank = self.ranked_by_ if rank is None else rank
        if rank not in RANKS:
            raise InputError(f"rank={rank!r}: unknown; use {', '.join(RANKS)}")
        if rank == "documents":
            if not self._ranks_documents:
                raise InputError("this model cannot rank words by documents; use relevance, or train it again")
            return rank_words(self.attributed_, self.document_frequency_, self.rank_offset_)
        return relevance(self.components_, self.prevalence_) if rank == "relevance" else self.components_

    @property
    def _ranks_documents(self) -> bool:
        """Whether there is a table to rank words by documents, which models of 0.2 do not have."""
        check_is_fitted(self, "components_")
        return "attributed_" in self.__dict__

    @property
    def ranked_by_(self) -> str:
        """The order in which words are shown."""
        return "documents" if self._ranks_documents else "relevance"

    # --- within -----------------------------------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return int(self._size)

    def _per_token(self, items: Documents) -> float:
        return self.score(items)

    def _row_names(self) -> Sequence[int | str]:
        return range(self._size)

    def _show(self) -> None:
        self.topic_, self.components_ = self.parameters_.topic, np.asarray(self.parameters_.word, np.float64)
        self.word_ = self.components_

    def _sizes(self) -> dict[str, int]:
        return {"topics": self._size, "documents": len(self.topic_), "words": self.n_features_in_}

    def _settle(self) -> None:
        super()._settle()
        check("parameters", self.parameters_, PLSATables)
        self._found = np.shape(self.parameters_.word)[0] if self._is_auto else 0
        H, V, D = self._size, self.n_features_in_, len(self.parameters_.topic)
        check_rows("the documents' topics", self.parameters_.topic, D, H, precisions=EITHER)
        check_rows("the topics' words", self.parameters_.word, H, V, precisions=EITHER)
        check_rows("prevalence", self.prevalence_, H)
        if "_seen" not in self.__dict__:  # as in older files
            self._seen = np.asarray(self.parameters_.word).max(axis=0) > 0.0
        self.__dict__.setdefault("background_weight_", 0.0)
        if "attributed_" in self.__dict__:
            check_finite("what words are ranked by", self.attributed_, H, V, least=0.0, precisions=EITHER)
            check_finite("the documents with each word", self.document_frequency_, V, least=0.0)
        if np.shape(self._seen) != (V,) or self._seen.dtype != bool:
            raise ValueError(f"{np.shape(self._seen)} marks for {V} words")
        self._check_words()
        self._show()
