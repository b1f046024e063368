"""softcount.PLSA: topics of documents, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from softcount.criteria.spec import Settings, Stage, parse
from softcount.engines import Engine
from softcount.engines.engine import Keeping
from softcount.errors import InputError
from softcount.estimators.base import naming
from softcount.estimators.counted_text import DocumentEstimator
from softcount.estimators.folding import prevalence_of
from softcount.estimators.held_out import best_steps, both, set_aside, watch
from softcount.estimators.how_many import Tried
from softcount.estimators.parameters import Features, Fixed, PerTable, Seed, Share, Sparse, Where
from softcount.estimators.plsa_answers import RANKED
from softcount.estimators.plsa_pieces import PLSAInPieces
from softcount.estimators.plsa_rows import gathered, keeps_rows, started
from softcount.estimators.splitting import Axes, Hidden
from softcount.estimators.topic_start import STARTS, by_svd, clustered, matched, seed_table
from softcount.estimators.topic_words import NONE
from softcount.evaluate.topics import least_distance
from softcount.loop.item_rows import ItemRows, RowModel, item_rows
from softcount.loop.start import given_start, random_start, uniform_start
from softcount.loop.trace import Step
from softcount.loop.train import Fit
from softcount.loop.weighted import checked_weights, digest_with
from softcount.machine.memory import check_room
from softcount.models.plsa import PLSA as Model
from softcount.models.plsa import PLSATables
from softcount.models.plsa_background import BackgroundPLSA, BackgroundTables
from softcount.numbers.lanes import width
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.digest import content_digest
from softcount.text.documents import Documents
from softcount.text.stored import Stored, in_memory

SMALLEST = 1e-30  # pseudo-count in float32
# What is done where no criterion is named: a hundred tempered steps, and where those leave two topics alike, plain EM.
TEMPERED, PLAIN = "annealed(start=0.8,stop=0.8):100", "em:200"
SMOOTHED = {"topic": 0.0, "word": 0.05}
RAW = 0.3  # weight of a background from which on the text is raw, and the start counts a word's n tokens as 1 + log n
ALIKE = 0.1  # Hellinger distance; on real text the least of twenty topics is 0.4 and more
FELL_BACK = f"tempered EM left two topics alike, so the model was trained by {PLAIN} from the same start instead"


class PLSA(PLSAInPieces):
    """Probabilistic latent semantic analysis: each document mixes topics, each topic is a distribution over words.

    Read more in the :doc:`guide to topic models </how-to/topics>`.

    >>> from softcount import PLSA
    >>> docs = ["stars planets moon", "moon stars orbit", "bread butter jam", "jam bread tea"]
    >>> plsa = PLSA(2, random_state=0).fit(docs)
    >>> plsa.predict(["stars and orbit", "butter and jam"])
    array([0, 1])
    >>> {topic: [word for word, p in words] for topic, words in plsa.top_words(2).items()}
    {0: ['stars', 'moon'], 1: ['bread', 'jam']}

    Parameters
    ----------
    n_topics : int or "auto", default 10
        How many topics. "auto": chosen.
    choose : str, default "evidence"
        How "auto" chooses: "evidence", "elbo", "split-merge" or "held-out" (see `softcount.estimators.how_many`).
    criterion : str, optional
        Stages by name. None: 100 tempered steps (β = 0.8), and "em:200" from the same start where those leave
        two topics alike, as they may on tables with little in them.
    start : str, mapping or PLSATables, default "kmeans"
        "kmeans" (clusters of documents), "svd", "random", "uniform", or tables, also by name: {"word": rows}.
    fixed : str, list or mapping, default ()
        Tables that training leaves alone, or a mapping from table to a mask of entries.
    background : float or str, optional
        Weight of a background while training: the words of all documents, mixed into every document, so that topics
        need not have the words that are common everywhere. It is given back at the end, by one plain step. "auto": the
        share of the tokens whose words are in more than a tenth of the documents; "none" or 0: no background.
        None: "auto" where no criterion, features, fixed tables or held-out documents are given, else "none". Under
        `em`, and `annealed` and `stepwise` around it.
    pseudo : float or mapping, optional
        Pseudo-counts of `em`: a number, or one by table. None: 0.05 for words where no criterion is named, else
        none.
    prior : float or mapping, default 0.1
        Dirichlet prior of `vb` and `gibbs`: a number, or one by table.
    features : str, path, function, sparse matrix or list, optional
        Compute P(word | topic) from features of words: "words" (identity, first and last letters, capitals, digits,
        hyphen, length), "identity", a file of lines word<TAB>feature feature=2.5 …, several of them joined by commas;
        a function from a word to the names of its features; a matrix [words, features]; or a list of such.
    variance : float, default 1.0
        σ² of the features' weights; smaller keeps them nearer to zero.
    sparse : pair or mapping, optional
        (alpha, beta) of a wish for rows with few entries, α Σ exp(−θ/β), under `em`, `hard` and `mre`; or by table.
    held_out : float, default 0.0
        Share of the documents kept aside in a first run, which finds out after how many steps, and from which
        of the restarts, new documents are foretold best; so long the second run trains, on all documents.
    seed_words : mapping from int to list of str, optional
        Words of topics, each given `seed_weight` pseudo-counts in its topic, by `em`, `vb` and `gibbs`; `mre`
        has none, and there they are in the start alone.
    seed_weight : float, default 100.0
        Pseudo-counts of a seed word in its topic.
    fold_pseudo : float, default 0.05
        Pseudo-counts of each document's topics when new documents are folded in; an empty one gets the prior.
    restarts : int, default 1
        The best of so many starts, by the objective.
    tolerance : float, default 1e-6
        A stage ends when its objective changes by no more than this share.
    dtype : str, default "float32"
        Of the tables while training; "float32" needs half the memory and, being bound by memory, half the time.
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    lowercase : bool, default False
        Whether text is lower-cased first, here and in whatever is read later.
    min_df : int or float, default 1
        Words in fewer documents, or in a smaller share of them, are left out of text.
    max_df : int or float, default 1.0
        Words in more documents, or in a larger share of them, are left out of text.
    stop_words : list of str or "english", optional
        Words that are left out of text.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.

    Attributes
    ----------
    components_ : array, [topics, words]
        P(word | topic).
    word_ : array, [topics, words]
        The same, under the name of the table.
    topic_ : array, [documents, topics]
        P(topic | document) of the training documents.
    prevalence_ : array, [topics]
        The share of all tokens that each topic has.
    attributed_ : array, [topics, words]
        In how many documents each word is about each topic, √(A · C) in `softcount.estimators.topic_words`; words are
        shown by it. Not in models of 0.2.
    document_frequency_ : array, [words]
        In how many training documents each word is. Not in models of 0.2.
    rank_offset_ : float
        Documents added to those of every word, against rare words. Not in models of 0.2.
    background_weight_ : float
        The weight that the background had; 0: there was none.
    ranked_by_ : str
        The order in which words are shown: "documents", or "relevance" in models of 0.2.
    vocabulary_ : Vocabulary or None
        The words, where the columns have names.
    n_features_in_ : int
        How many columns the training data had.
    feature_names_in_ : array of str
        Names of the columns, where the training data had some.
    """

    kind = "plsa"
    _afterwards = ("fold_pseudo",)
    _learned = (
        "parameters_", "prevalence_", "_seen", "tried_", *RANKED, "background_weight_",
        *DocumentEstimator._READ, *DocumentEstimator._FIT,
    )  # fmt: skip
    _types = (PLSATables, Tried)
    _size_name, _emits = "n_topics", "word"
    _size_axes: ClassVar[Axes] = {"topic": Hidden(share=1), "word": Hidden(row=0)}
    _optional: ClassVar[tuple[str, ...]] = (
        "_seen", "tried_", *RANKED, "background_weight_", *DocumentEstimator._optional,
    )  # fmt: skip

    def __init__(
        self,
        n_topics: int | str = 10,
        *,
        choose: str = "evidence",
        criterion: str | None = None,
        start: str | Sequence[Any] | Mapping[str, Any] = "kmeans",
        fixed: Fixed = (),
        background: float | str | None = None,
        pseudo: PerTable | None = None,
        prior: PerTable = 0.1,
        features: Features = None,
        variance: float = 1.0,
        sparse: Sparse = None,
        held_out: float = 0.0,
        seed_words: Mapping[int, Sequence[str]] | None = None,
        seed_weight: float = 100.0,
        fold_pseudo: float = 0.05,
        restarts: int = 1,
        tolerance: float = 1e-6,
        dtype: str = "float32",
        engine: Where = "threads",
        lowercase: bool = False,
        min_df: Share = 1,
        max_df: Share = 1.0,
        stop_words: str | Sequence[str] | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_topics = n_topics
        self.choose = choose
        self.criterion = criterion
        self.start = start
        self.fixed = fixed
        self.background = background
        self.pseudo = pseudo
        self.prior = prior
        self.features = features
        self.variance = variance
        self.sparse = sparse
        self.held_out = held_out
        self.seed_words = seed_words
        self.seed_weight = seed_weight
        self.fold_pseudo = fold_pseudo
        self.restarts = restarts
        self.tolerance = tolerance
        self.dtype = dtype
        self.engine = engine
        self.lowercase = lowercase
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> PLSA:  # fmt: skip
        """Learn topics from documents.

        Parameters
        ----------
        X : list of str, list of token lists, count table, Documents, path, or Shards
            The documents.
        y : object, optional
            Nobody looks at it; scikit-learn's pipelines pass it.
        sample_weight : array, optional
            How often each document counts.

        Returns
        -------
        self
        """
        self._check()
        data = self._read(X, reset=True)
        weights = checked_weights(sample_weight, len(data), "documents")
        if weights is not None or self.held_out:
            data = in_memory(data, "training with weights or held-out documents", "omit them")
        kept = self._checkpoint(checkpoint, checkpoint_every)
        seed, digest = self._seed(kept), digest_with(data.digest(), weights)
        data = data if weights is None else data.weighted(weights)
        chosen = self._choose_size(data, len(data) // 2)
        self._model = self._mixed(data)
        self._common = self._model.background if isinstance(self._model, BackgroundPLSA) else None
        self._seen = data.times_weights().document_frequencies > 0
        with self._engine() as engine, naming(data.source):
            self._learn(data, seed, engine, {"digest": digest, "on_step": on_step, "checkpoint": kept})
        self.history_.remarks += chosen
        self._show()
        self.prevalence_ = prevalence_of(data.times_weights(), self.topic_)
        if weights is not None and not weights.all():
            self._fold_in(replace(data, weights=None), np.flatnonzero(weights == 0.0))
        self.signature_ = self._sign(
            "plsa", seed, topics=self._size, documents=len(data), words=data.n_words, tokens=f"{data.n_tokens:g}",
            held_out=self.held_out, start=self._begins(data), dtype=self._dtype, **self._signed_background(),
            **self._signed_seeds(), fold_pseudo=self.fold_pseudo, data="sha256:" + digest[:12],
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

    # --- the loop -------------------------------------------------------------------------------------------------

    def _learn(self, data: Documents, seed: int, engine: Engine, watched: dict[str, Any]) -> None:
        """As asked; where nothing was, tempered, and plainly where that leaves two topics alike."""
        self._plain = False
        self._check_memory(data, engine, watched["checkpoint"])
        self._run(data, seed, engine, watched)
        if self.criterion is None and least_distance(self.parameters_.word) < ALIKE:
            self._plain = True
            self._run(data, seed, engine, watched)
            self.history_.remarks += (FELL_BACK,)
        if not self._beginning:
            self._count_words(data, engine)

    def _check_memory(self, data: Documents, engine: Engine, checkpoint: Any) -> None:
        elsewhere = self._keeps_rows(data, engine, checkpoint) and isinstance(data, Stored)
        n_rows = data.n_words + (0 if elsewhere else len(data))
        tables = 5 if isinstance(self._model, BackgroundPLSA) else 4
        room = tables * np.dtype(self._dtype).itemsize * width(self._size) * n_rows
        check_room(room, f"{self._size:,} topics", "use fewer")

    def _run(self, data: Documents, seed: int, engine: Engine, watched: dict[str, Any]) -> Fit:
        watched = {**watched, "settings": self._settings()}
        # A checkpoint of 0.2 knows of no background: it is gone on with where there is none.
        watched["about"] = {"background": self._signed_background().get("background")}
        if self.criterion is None:
            watched["about"]["criterion"] = f"{TEMPERED}, or {PLAIN}"
        if self.held_out and not self._beginning:
            return self._search_and_train(data, seed, engine, watched)
        if self._keeps_rows(data, engine, watched["checkpoint"]):
            return self._learn_in_place(data, seed, cast(Keeping, engine), watched)
        return self._train(
            self._model, data, lambda restart: self._start(data, (seed, restart)), seed, engine,
            slot="plain" if self._plain else "fit", **watched,
        )  # fmt: skip

    def _keeps_rows(self, data: Documents, engine: Engine, checkpoint: Any) -> bool:
        return keeps_rows(self, self._stages(), data, engine, checkpoint)

    def _learn_in_place(self, data: Documents, seed: int, engine: Keeping, watched: dict[str, Any]) -> Fit:
        """With documents' rows where the documents are."""
        rows = item_rows(self._model, data, engine)
        model: Any = RowModel(self._model, rows.family)
        found = self._train(
            model, rows, lambda restart: self._start(data, (seed, restart), rows), seed, engine,
            slot="plain" if self._plain else "fit", **watched,
        )  # fmt: skip
        return self._take(gathered(rows, found, isinstance(data, Stored)))

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

        model = Model(len(learnt), self._size, data.n_words)
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
        if self._is_auto and self.seed_words:
            raise InputError('seed_words refer to topics by number; give n_topics as a number, not "auto"')
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"dtype is {self.dtype!r}; it must be float32 or float64")
        if not 0.0 <= self.fold_pseudo < float("inf"):
            raise InputError(f"fold_pseudo is {self.fold_pseudo}; it must be at least 0")
        if not 0.0 <= self.seed_weight < float("inf"):
            raise InputError(f"seed_weight is {self.seed_weight}; it must be at least 0")
        if not 0.0 <= self.held_out < 1.0:
            raise InputError(f"held_out is {self.held_out}; it must be a share below 1")
        if self.held_out and "topic" in self.fixed:
            raise InputError("topic proportions cannot be fixed with held_out; omit one of them")
        self._check_background()
        pseudo = self._smoothing()
        by_table = pseudo.values() if isinstance(pseudo, Mapping) else [pseudo]
        if self.dtype == "float32" and any(0 < number < SMALLEST for number in by_table):
            raise InputError(f"pseudo-counts below {SMALLEST:g}, which float32 cannot hold; use 0, or dtype float64")

    def _for_choice(self) -> dict[str, Any]:
        return {"held_out": 0.0, "background": NONE, "pseudo": None, **self._READ_WHOLE}

    def _start(self, data: Documents, seed: tuple[int, int], rows: ItemRows | None = None) -> Tables:
        """In the tables' type and order; `rows`: where documents' rows are to be, if not here."""
        plain = Model(len(data), self._size, data.n_words)
        layout = plain.layout if rows is None else RowModel(plain, rows.family).layout
        tables = self._start_tables(data, layout, seed)
        if self.seed_words:  # already at the start, or the first steps would give the words to other topics
            tables = tables._replace(word=layout.word.family.normalize(tables.word + self._seeds() / 100.0))
        word = np.asarray(tables.word, dtype=self._dtype, order="F")
        topic: Any = tables.topic
        topic = np.ascontiguousarray(topic, self._dtype) if rows is None else started(rows, topic, self._dtype)
        if isinstance(self._model, BackgroundPLSA):
            return BackgroundTables(topic, word, np.ones(1, self._dtype))
        return PLSATables(topic, word)

    def _start_tables(self, data: Documents, layout: Tables, seed: tuple[int, int]) -> Tables:
        if not isinstance(self.start, str):
            return given_start(layout, self.start)
        if self.start not in STARTS:
            raise InputError(f"start={self.start!r}: unknown; use {', '.join(STARTS)}, or tables")
        if self.start in ("random", "uniform"):
            return uniform_start(layout) if self.start == "uniform" else random_start(layout, seed)
        data = in_memory(data, "the start from clusters of documents", "use another start: --start random")
        damped = self.background_weight_ >= RAW
        svd = self.start == "svd"
        found = by_svd(data, self._size, seed) if svd else clustered(data, self._size, seed, self.n_jobs, damped)
        return matched(found, self._seeds()) if self.seed_words else found

    def _seeds(self) -> Array:
        return seed_table(self.seed_words or {}, self._names(None), self._size, self.lowercase)

    def _signed_seeds(self) -> dict[str, str]:
        if not self.seed_words:
            return {}
        given = sorted((topic, sorted(set(words))) for topic, words in self.seed_words.items())
        n = sum(map(len, self.seed_words.values()))
        return {"seed_words": f"{n},{content_digest(given)}", "seed_weight": f"{self.seed_weight:g}"}

    def _settings(self) -> Settings:
        smoothing = self._smoothing()
        if not self.seed_words:
            return Settings(smoothing, self.prior, sparse=self.sparse)
        seeded = {"word": (self._seeds() * self.seed_weight).astype(self._dtype)}
        return Settings(smoothing, self.prior, extra=seeded, sparse=self.sparse)

    @property
    def _dtype(self) -> str:
        """Weights of features are found in double precision."""
        return self.dtype if self.features is None else "float64"

    def _fold_in(self, data: Documents, rows: Array) -> None:
        """The topics of documents that training left out."""
        topic = np.array(self.topic_)
        topic[rows] = self._fold(data.take(rows))
        self.parameters_ = self.parameters_._replace(topic=topic)
        self._show()
