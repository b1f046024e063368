"""softcount.PLSA: topics of documents, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from softcount.criteria.spec import Settings, Stage, parse
from softcount.disk.sound import EITHER, check, check_rows
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.base import DocumentEstimator, naming
from softcount.estimators.folding import folded, prevalence_of
from softcount.estimators.held_out import best_steps, both, set_aside, watch
from softcount.estimators.scikit import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from softcount.estimators.settings import check_is_fitted
from softcount.estimators.similar import cosine, one_document, tfidf_cosine
from softcount.estimators.topic_start import STARTS, by_svd, clustered, matched
from softcount.evaluate.topics import completion, least_distance, relevance, split_tokens
from softcount.loop.start import given_start, random_start, uniform_start
from softcount.loop.trace import Step
from softcount.loop.train import Fit
from softcount.machine.memory import check_room
from softcount.models.plsa import PLSA as Model
from softcount.models.plsa import PLSATables
from softcount.numbers.lanes import width
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents
from softcount.text.vocabulary import lowered

SMALLEST = 1e-30  # pseudo-count in float32
TFIDF = 0.5  # its weight beside topics, in a search
# What is done where no criterion is named: a hundred tempered steps, and where those leave two topics alike, plain EM.
TEMPERED, PLAIN = "annealed(start=0.8,stop=0.8):100", "em:200"
SMOOTHED = {"topic": 0.0, "word": 0.05}
ALIKE = 0.1  # Hellinger distance; on real text the least of twenty topics is 0.4 and more
BACKGROUND = 0.8  # the share of words that say nothing of a document's topic, where it is to have one
FELL_BACK = f"tempering left two topics alike, so they were trained by {PLAIN} from the same start instead"


class PLSA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DocumentEstimator):  # type: ignore[misc]
    """Probabilistic latent semantic analysis: each document mixes topics, each topic is a distribution over words.

    criterion : stages by name. None: 100 tempered steps (β = 0.8), and "em:200" from the same start where those leave
        two topics alike, as they may on tables with little in them
    start : "kmeans" (clusters of documents), "svd", "random", "uniform", or PLSATables
    pseudo : pseudo-counts of EM, by table or one number; None: 0.05 for words where no criterion is named, else none
    held_out : share of the documents kept aside in a first run, which finds out after how many steps, and from which
        of the restarts, new documents are foretold best; so long the second run trains, on all documents
    seed_words : {topic number: [words]}, each given `seed_weight` pseudo-counts in its topic, by EM, VB and Gibbs;
        MRE has none, and there they are in the start alone
    fold_pseudo : pseudo-counts of each document's topics when new documents are folded in; an empty one gets the prior
    lowercase : whether text is lower-cased first, here and in whatever is read later
    dtype : of the tables while training; "float32" needs half the memory and, being bound by memory, half the time
    """

    kind = "plsa"
    _afterwards = ("fold_pseudo",)
    _learned = ("parameters_", "prevalence_", "_seen", *DocumentEstimator._READ, *DocumentEstimator._FIT)
    _types = (PLSATables,)
    _optional: ClassVar[tuple[str, ...]] = ("_seen", *DocumentEstimator._optional)  # the first is not in older files
    prevalence_: Array
    _seen: Array  # which words training saw

    def __init__(
        self,
        n_topics: int = 10,
        *,
        criterion: str | None = None,
        start: Any = "kmeans",
        fixed: Any = (),
        pseudo: float | Mapping[str, float] | None = None,
        prior: float | Mapping[str, float] = 0.1,
        held_out: float = 0.0,
        seed_words: Mapping[int, Sequence[str]] | None = None,
        seed_weight: float = 100.0,
        fold_pseudo: float = 0.05,
        restarts: int = 1,
        tolerance: float = 1e-6,
        dtype: str = "float32",
        engine: Any = "threads",
        lowercase: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_topics = n_topics
        self.criterion = criterion
        self.start = start
        self.fixed = fixed
        self.pseudo = pseudo
        self.prior = prior
        self.held_out = held_out
        self.seed_words = seed_words
        self.seed_weight = seed_weight
        self.fold_pseudo = fold_pseudo
        self.restarts = restarts
        self.tolerance = tolerance
        self.dtype = dtype
        self.engine = engine
        self.lowercase = lowercase
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> PLSA:  # fmt: skip
        """`checkpoint`: a file for the state, every `checkpoint_every` steps; the same call again goes on from it."""
        self._check()
        data = self._read(X, reset=True)
        kept = self._checkpoint(checkpoint, checkpoint_every)
        seed, digest = self._seed(kept), data.digest()
        room = 4 * np.dtype(self.dtype).itemsize * width(self.n_topics) * (len(data) + data.n_words)
        check_room(room, f"{self.n_topics:,} topics", "ask for fewer")
        self._model = Model(len(data), self.n_topics, data.n_words)
        self._seen = np.bincount(data.words, minlength=data.n_words) > 0
        watched: dict[str, Any] = {"digest": digest, "on_step": on_step, "checkpoint": kept}
        with self._engine() as engine, naming(data.source):
            self._plain = False
            self._learn(data, seed, engine, watched)
            if self.criterion is None and least_distance(self.parameters_.word) < ALIKE:
                self._plain = True
                self._learn(data, seed, engine, watched)
                self.history_.remarks += (FELL_BACK,)
        self._show()
        self.prevalence_ = prevalence_of(data, self.topic_)
        self.signature_ = self._sign(
            "plsa", seed, topics=self.n_topics, documents=len(data), words=data.n_words, tokens=f"{data.n_tokens:g}",
            held_out=self.held_out, start=self._begins(data), dtype=self.dtype,
            fold_pseudo=self.fold_pseudo, data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, data.source, digest, documents=len(data), tokens=data.n_tokens)
        return self

    _plain = False  # whether tempering was given up

    def _stages(self) -> list[Stage]:
        usual = PLAIN if self._plain else TEMPERED
        return parse(usual if self.criterion is None else self.criterion)

    def _smoothing(self) -> Any:
        if self.pseudo is not None:
            return self.pseudo
        return SMOOTHED if self.criterion is None else 0.0

    def _learn(self, data: Documents, seed: int, engine: Engine, watched: dict[str, Any]) -> Fit:
        watched = {**watched, "settings": self._settings()}
        if self.criterion is None:
            watched["about"] = {"criterion": f"{TEMPERED}, or {PLAIN}"}
        if self.held_out:
            return self._search_and_train(data, seed, engine, watched)
        return self._train(
            self._model, data, lambda restart: self._start(data, (seed, restart)), seed, engine,
            slot="plain" if self._plain else "fit", **watched,
        )  # fmt: skip

    def _search_and_train(self, data: Documents, seed: int, engine: Engine, watched: dict[str, Any]) -> Fit:
        """A run on some documents, watched on those kept aside, and one on all of them for as long as was best."""
        rows, aside_rows = set_aside(len(data), self.held_out, seed)
        learnt, aside = (replace(data.take(part), rows=None) for part in (rows, aside_rows))
        measure, slot = watch(learnt, aside, self.fold_pseudo, seed, engine), "plain" if self._plain else ""

        def start(restart: int) -> Tables:
            if self.start in ("kmeans", "svd"):
                return self._start(learnt, (seed, restart))
            tables = self._start(data, (seed, restart))
            return tables._replace(topic=tables.topic[rows])

        model = Model(len(learnt), self.n_topics, data.n_words)
        search = self._train(
            model, learnt, start, seed, engine, select=measure, monitor=measure, slot=f"{slot} held out", **watched
        )
        steps = best_steps(search, self._stages())
        final = self._train(
            self._model, data, lambda _: self._start(data, (seed, search.chosen)), seed, engine,
            restarts=1, at_most=steps, slot=slot or "fit", **watched,
        )  # fmt: skip
        return self._take(both(search, final))

    def _check(self) -> None:
        super()._check()
        if self.n_topics < 1:
            raise InputError(f"n_topics must be at least 1, not {self.n_topics}")
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"dtype must be float32 or float64, not {self.dtype!r}")
        if not 0.0 <= self.fold_pseudo < float("inf"):
            raise InputError(f"fold_pseudo must be zero or more, not {self.fold_pseudo}")
        if not 0.0 <= self.seed_weight < float("inf"):
            raise InputError(f"seed_weight must be zero or more, not {self.seed_weight}")
        if not 0.0 <= self.held_out < 1.0:
            raise InputError(f"held_out must be a share below 1, not {self.held_out}")
        if self.held_out and "topic" in self.fixed:
            raise InputError(
                "held_out keeps documents aside, whose topics cannot be fixed then; leave one of them away"
            )
        pseudo = self._smoothing()
        by_table = pseudo.values() if isinstance(pseudo, Mapping) else [pseudo]
        if self.dtype == "float32" and any(0 < number < SMALLEST for number in by_table):
            raise InputError(f"pseudo-counts below {SMALLEST:g}, which float32 cannot hold; use 0, or dtype float64")

    def _show(self) -> None:
        self.topic_, self.components_ = self.parameters_.topic, np.asarray(self.parameters_.word, np.float64)
        self.word_ = self.components_

    def _start(self, data: Documents, seed: tuple[int, int]) -> Tables:
        layout = self._model.layout
        if not isinstance(self.start, str):
            tables = given_start(layout, self.start)
        elif self.start not in STARTS:
            raise InputError(f"no start {self.start!r}; use {', '.join(STARTS)}, or tables")
        elif self.start in ("random", "uniform"):
            tables = uniform_start(layout) if self.start == "uniform" else random_start(layout, seed)
        else:
            svd = self.start == "svd"
            tables = by_svd(data, self.n_topics, seed) if svd else clustered(data, self.n_topics, seed, self.n_jobs)
            tables = matched(tables, self._seeds()) if self.seed_words else tables
        if self.seed_words:  # already at the start, or the first steps would give the words to other topics
            tables = tables._replace(word=layout.word.family.normalize(tables.word + self._seeds() / 100.0))
        return PLSATables(
            np.ascontiguousarray(tables.topic, dtype=self.dtype), np.asarray(tables.word, dtype=self.dtype, order="F")
        )

    def _settings(self) -> Settings:
        smoothing = self._smoothing()
        if not self.seed_words:
            return Settings(smoothing, self.prior)
        return Settings(smoothing, self.prior, extra={"word": (self._seeds() * self.seed_weight).astype(self.dtype)})

    def _seeds(self) -> Array:
        """1 where a word is a seed of a topic."""
        assert self.seed_words is not None
        names = {name: v for v, name in enumerate(self._names(None))}
        table = np.zeros((self.n_topics, self.n_features_in_), order="F")
        for topic, words in self.seed_words.items():
            if not 0 <= topic < self.n_topics:
                raise InputError(f"seed words for topic {topic}; topics are 0 to {self.n_topics - 1}")
            for word in lowered(words).to_pylist() if self.lowercase else words:
                if word not in names:
                    raise InputError(f"seed word {word!r} is not in the vocabulary; correct it, or lower min_count")
                table[topic, names[word]] = 1.0
        return table

    # --- using a trained model ------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Array:
        """P(topic | document) of new documents, folded in with the topics held; rows sum to one."""
        check_is_fitted(self, "components_")
        return self._fold(self._read(X, reset=False))

    def predict(self, X: Any) -> Array:
        """The one topic that each document is most about: words that are everywhere have little say in it."""
        check_is_fitted(self, "components_")
        return np.asarray(self._fold(self._read(X, reset=False), BACKGROUND).argmax(axis=1))

    def _fold(self, data: Documents, background: float = 0.0) -> Array:
        with self._engine() as engine:
            return folded(data, self.components_, self.prevalence_, self.fold_pseudo, engine, background)

    def _of_seen(self, data: Documents) -> Documents:
        """Without the counts of words that training did not see: whatever a model gives them, it has not learned it."""
        return replace(data, counts=data.counts * self._seen[data.words])

    @property
    def _n_features_out(self) -> int:
        return self.n_topics

    def perplexity(self, X: Any, random_state: int = 0) -> float:
        """By document completion: exp(−Σ log P(w | d) / tokens) over a random half of each document's tokens, where
        the document's topics are folded in from the other half. Words that training did not see are left out."""
        check_is_fitted(self, "components_")
        seen, aside = split_tokens(self._read(X, reset=False), 0.5, random_state)
        log_likelihood, tokens = completion(self._fold(seen), self.components_, self._of_seen(aside))
        if not tokens:
            raise InputError("perplexity needs documents with at least two known words")
        return float(np.exp(-log_likelihood / tokens))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the log of the perplexity: greater is better."""
        return -float(np.log(self.perplexity(X)))

    def similar(
        self, query: Any, k: int = 10, among: Any = None, tfidf: float | None = None
    ) -> list[tuple[int, float]]:
        """The `k` documents most like the query: (number, similarity).

        query : words as one text, a token list, a row of counts, or a collection that holds one document
        among : the documents to search (anything that `transform` takes); the training documents by default
        tfidf : weight of the cosine between tf-idf vectors beside that between topics, which needs `among`: 0.5 where
            it is given, else 0
        """
        check_is_fitted(self, "components_")
        asked = self._read(one_document(query), reset=False)
        if not len(asked.words):
            raise InputError("no word of the query is known to the model; use other words")
        pool = None if among is None else self._read(among, reset=False)
        rows = np.asarray(self.topic_, np.float64) if pool is None else self._fold(pool)
        similarity = cosine(rows, self._fold(asked)[0])
        tfidf = (0.0 if pool is None else TFIDF) if tfidf is None else tfidf
        if tfidf:
            if pool is None:
                raise InputError("tf-idf needs the documents; pass them as `among`")
            similarity = (1.0 - tfidf) * similarity + tfidf * tfidf_cosine(pool, asked)
        best = np.argsort(-similarity, kind="stable")[:k]
        return [(int(d), float(similarity[d])) for d in best]

    def _sizes(self) -> dict[str, int]:
        return {"topics": self.n_topics, "documents": len(self.topic_), "words": self.n_features_in_}

    def _settle(self) -> None:
        super()._settle()
        check("parameters", self.parameters_, PLSATables)
        H, V, D = self.n_topics, self.n_features_in_, len(self.parameters_.topic)
        check_rows("the documents' topics", self.parameters_.topic, D, H, precisions=EITHER)
        check_rows("the topics' words", self.parameters_.word, H, V, precisions=EITHER)
        check_rows("prevalence", self.prevalence_, H)
        if "_seen" not in self.__dict__:  # as in older files
            self._seen = np.asarray(self.parameters_.word).max(axis=0) > 0.0
        if np.shape(self._seen) != (V,) or self._seen.dtype != bool:
            raise ValueError(f"{np.shape(self._seen)} marks for {V} words")
        self._check_words()
        self._show()

    def top_words(
        self, n: int = 10, words: Sequence[str] | None = None, rank: str = "relevance"
    ) -> dict[int, list[tuple[Any, float]]]:
        """The words that tell most of each topic, each with P(word | topic).

        words : names of the columns, where the input had none
        rank : "relevance", P(w | h)² / (P(w | h) + P(w)), or "probability"
        """
        return dict(enumerate(self._tops(self.components_, n, words, self._rank(rank))))

    def _rank(self, rank: str = "relevance") -> Array:
        """[topics, words]: the greater, the sooner a word is shown."""
        check_is_fitted(self, "components_")
        if rank not in ("relevance", "probability"):
            raise InputError(f"no rank {rank!r}; use relevance or probability")
        return relevance(self.components_, self.prevalence_) if rank == "relevance" else self.components_
