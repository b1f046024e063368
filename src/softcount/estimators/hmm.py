"""softcount.HMM: hidden Markov models of sentences with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from softcount.criteria.spec import Stage, parse, sparsity
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.base import compact, named
from softcount.estimators.class_start import class_start
from softcount.estimators.development import development_score
from softcount.estimators.hmm_answers import DECODINGS, TrainedHMM, naming
from softcount.estimators.hmm_language import (
    checked_language,
    model_of,
    refuse_known,
    states_of,
    table_of,
    with_language,
)
from softcount.estimators.hmm_start import (
    STARTS,
    allowed_entries,
    check_known,
    check_start,
    counted_start,
    few_states,
    labelled_remark,
    remarks,
    unobserved,
)
from softcount.estimators.hmm_states import NamedBy, StateNames, state_names
from softcount.estimators.how_many import Tried
from softcount.estimators.language_model import LanguageModel
from softcount.estimators.parameters import Features, Fixed, PerTable, Seed, Sparse, Where
from softcount.estimators.saved import described, signed_start
from softcount.estimators.splitting import Axes, Hidden
from softcount.families.layout import per_table
from softcount.loop.start import masked, random_start, uniform_start
from softcount.loop.trace import Step
from softcount.loop.weighted import checked_weights, digest_with, repeated
from softcount.models.hmm import HMM as Model
from softcount.models.hmm import HMMTables
from softcount.models.ngram_channel import ChannelTables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.report.hmm_json import NamedHMM, from_json, read_parameters
from softcount.signature import signature
from softcount.text.corpus import Corpus, corpus
from softcount.text.dictionary import TagDictionary, tag_dictionary
from softcount.text.labelled import place_in, with_labelled
from softcount.text.stored import in_memory
from softcount.text.vocabulary import UNKNOWN, Vocabulary


class HMM(TrainedHMM):
    """Hidden Markov model for tagging words, trained without labels, with some labels, or with a tag dictionary.

    Read more in the :doc:`guide to tagging </how-to/tag>`.

    >>> from softcount import HMM
    >>> text = ["the dog runs", "a cat runs", "the cat sleeps", "a dog sleeps"]
    >>> HMM(3, random_state=0).fit(text).predict(["the dog sleeps", "a cat"])
    [[0, 1, 2], [0, 1]]
    >>> HMM(3, dictionary={"the": ["DET"], "dog": ["NOUN"]}, random_state=0).fit(text).predict(["the dog sleeps"])
    [['DET', 'NOUN', '2']]

    Parameters
    ----------
    n_states : int or "auto", optional
        How many hidden states; may be left out where names of states are known from elsewhere. "auto": chosen.
    choose : str, default "evidence"
        How "auto" chooses: "evidence", "elbo", "split-merge" or "held-out" (see `softcount.estimators.how_many`).
    criterion : str, optional
        Stages by name, such as "em:100,mre:50" (see `softcount.criteria.spec`). Where not given, "vb:1"; with
        features, from classes of words, "mre:1".
    start : str, mapping, path or Corpus, optional
        "classes", what `WordClasses` finds, beside what tags and dictionary tell (so also "auto" and None);
        "known", counts of the known tags and of the words that have one tag in the dictionary; "random";
        "uniform"; parameters (a P.json path or its content); or a labelled Corpus to count.
    transition : LanguageModel, optional
        Of tags, or whatever the states are: which state follows which is known, and stays as it is, and so is how
        sentences begin and end. With order 2 these are the tables `initial` and `transition`; with more, states are
        histories, and `transition_` has a row for each. Emissions start at random, or from what a dictionary tells.
    fixed : str, list or mapping, default ()
        Tables that training leaves alone, or a mapping from table to a mask of entries.
    pseudo : float or mapping, default 0.0
        Pseudo-counts of `em`: a number, or one by table.
    prior : float or mapping, default 0.001
        Dirichlet prior of `vb` and `gibbs`: a number, or one by table.
    features : str, path, function, sparse matrix or list, optional
        Compute P(word | state) from features of words: "words" (identity, first and last letters, capitals, digits,
        hyphen, length), "identity", a file of lines word<TAB>feature feature=2.5 …, several of them joined by commas;
        a function from a word to the names of its features; a matrix [words, features]; or a list of such.
    variance : float, default 1.0
        σ² of the features' weights; smaller keeps them nearer to zero.
    sparse : pair or mapping, optional
        (alpha, beta) of a wish for rows with few entries, α Σ exp(−θ/β), under `em`, `hard` and `mre`; or by table.
    end : bool, default False
        Whether the end of a sentence is part of the model.
    dictionary : mapping, TagDictionary or path, optional
        From word to its tags; other words allow all tags.
    restarts : int, default 1
        The best of so many random starts, by objective or by the score on `dev` given to `fit`.
    tolerance : float, default 1e-6
        A stage ends when its objective changes by no more than this share.
    lowercase : bool, default False
        Whether text is lower-cased first, here and in whatever is read later.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    decode : str, default "viterbi"
        "viterbi", "posterior" (best tag of each token), or "mre" (argmax P(x|z) P(z|x)).
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.

    Attributes
    ----------
    states_ : tuple of str
        The names of the states.
    vocabulary_ : Vocabulary
        The words, by their numbers.
    initial_ : array, [states]
        P(state) of the first word.
    transition_ : array, [states, states]
        P(state | state before).
    end_ : array, [states], or None
        P(the sentence ends | state), where that is part of the model.
    emission_ : array, [states, words]
        P(word | state).
    language_ : array or None
        With `transition`: P(state | the states before it), and of the end as the last column.
    lengths_ : array
        How many sentences have how many words.
    """

    kind = "hmm"
    _unkept = ("transition",)
    _afterwards = ("decode",)
    _learned = (
        "parameters_",
        "states_",
        "vocabulary_",
        "lengths_",
        "tried_",
        "language_",
        "decoded_",
        *TrainedHMM._FIT,
    )
    _optional = (*TrainedHMM._optional, "language_", "decoded_")
    _types = (HMMTables, ChannelTables, Tried)
    _size_name, _emits, _leans = "n_states", "emission", 10.0
    _size_axes: ClassVar[Axes] = {
        "initial": Hidden(share=0),
        "transition": Hidden(row=0, share=1),
        "emission": Hidden(row=0),
    }

    def __init__(
        self,
        n_states: int | str | None = None,
        *,
        choose: str = "evidence",
        criterion: str | None = None,
        start: str | Path | Mapping[str, Any] | NamedHMM | Corpus | None = None,
        transition: LanguageModel | None = None,
        fixed: Fixed = (),
        pseudo: PerTable = 0.0,
        prior: PerTable = 0.001,
        features: Features = None,
        variance: float = 1.0,
        sparse: Sparse = None,
        end: bool = False,
        dictionary: Mapping[str, Any] | TagDictionary | str | Path | None = None,
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
        self.choose = choose
        self.criterion = criterion
        self.start = start
        self.transition = transition
        self.fixed = fixed
        self.pseudo = pseudo
        self.prior = prior
        self.features = features
        self.variance = variance
        self.sparse = sparse
        self.end = end
        self.dictionary = dictionary
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
        self, X: Any, y: Any = None, sample_weight: Any = None, *, labelled: Any = None, dev: Any = None,
        on_step: Callable[[Step], None] | None = None, checkpoint: str | Path | None = None,
        checkpoint_every: int | None = None,
    ) -> HMM:  # fmt: skip
        """Learn the model from sentences.

        Parameters
        ----------
        X : list of str, list of token lists, Corpus, or Shards
            The sentences.
        y : list of tag lists, optional
            Known tags; None where a tag is not known.
        sample_weight : array, optional
            How often each sentence counts.
        labelled : Corpus, path, or (sentences, tags), optional
            Labelled sentences that are not among X: they are trained on as if they stood before it.
        dev : sentences, optional
            A text by which the best restart is chosen: by the accuracy of its tags, or else by its likelihood.

        Returns
        -------
        self
        """
        self._check()
        kept = self._checkpoint(checkpoint, checkpoint_every)
        given, dictionary = self._given_parameters(), tag_dictionary(self.dictionary)
        text = corpus(X, labels=y, lowercase=self.lowercase)
        weights = checked_weights(sample_weight, len(text), "sentences")
        source = text.source
        text, weights, n_before = with_labelled(text, labelled, weights, self.lowercase)
        where = place_in(text.source, source, n_before)
        data = corpus(text, _vocabulary(given), self.min_count)
        self._check_text(data, given, dictionary)
        chosen = self._choose_size(text, len(data.vocabulary))
        data, n_named = self._declare(data, given, dictionary)
        if dictionary:
            check_known(data, dictionary, where)
        mask = dictionary.mask(data.vocabulary, self.states_) if dictionary else None
        allowed = {} if mask is None else allowed_entries(mask, self._model.end)
        self._begun = self._begin()
        seed, digest = self._seed(kept), digest_with(text.digest(), weights)
        counted = repeated(data, weights)

        def start(restart: int) -> Tables:
            if self._begun == "classes":
                spread = random_start(self._model.layout, (seed, restart))
                chance = seed + restart if restart else None  # the first start is the same for every seed
                whole = in_memory(counted, "the start from word classes", "use another start: --start random")
                tables = class_start(whole, self.states_, n_named, dictionary, spread, chance)
            else:
                tables = self._start(given, data, mask, (seed, restart))
            if self.language_ is not None:
                tables = with_language(self.language_, tables)
            return masked(self._model.layout, tables, {k: v for k, v in allowed.items() if k in tables._fields})

        with self._engine() as engine, naming(data, where):
            select = None if dev is None else self._selection(dev, engine)
            self._train(
                self._model, data, start, seed, engine, settings=self._settings(), digest=digest,
                select=select, on_step=on_step, checkpoint=kept, weights=weights,
                about={"dev": None if dev is None else described("dev", corpus(dev, lowercase=self.lowercase))},
            )  # fmt: skip
        self._show()
        self.history_.remarks += (*chosen, *unobserved(data), *remarks(data, mask, dictionary, self._begun))
        alone = not (given or data.labelled) and self.language_ is None
        if dictionary and alone and self._size is None:
            self.history_.remarks += few_states(data, dictionary, len(self.states_))
        self.history_.remarks += dictionary.unmatched(text.vocabulary) if dictionary else ()
        if isinstance(self.start, Corpus):
            self.history_.remarks += (labelled_remark(data, corpus(self.start, lowercase=self.lowercase)),)
        self.lengths_ = data.length_counts
        self.__dict__.pop("decoded_", None)
        if n_before and self.chains_ is not None:  # which answer for X
            kept_rows = {name: getattr(self.chains_, name)[n_before:] for name in ("posteriors", "labels")}
            self.chains_ = self.chains_._replace(**kept_rows)
        self.signature_ = self._signature(seed, text, digest, n_before, dictionary, given)
        self._remember(seed, text.source, digest, sentences=len(text), tokens=text.n_tokens)
        return self

    def _check_text(self, data: Corpus, given: NamedHMM | None, dictionary: TagDictionary | None) -> None:
        if data.n_tokens == 0:
            raise InputError(f"{data.source}: no tokens to train on; give at least one word")
        if data.n_unknown == data.n_tokens:
            raise InputError(f"{data.source}: the start contains none of its words; use parameters of this language")
        if self._is_auto and (given or dictionary or data.tagset or isinstance(self.start, Corpus)):
            raise InputError('n_states="auto" is not available with named tags; omit it')

    def _declare(self, data: Corpus, given: NamedHMM | None, dictionary: TagDictionary | None) -> tuple[Corpus, int]:
        """Settles states, words and model; returns the text in their numbers, and how many states are named."""
        self.states_, n_named = self._states(given, dictionary, data)
        data = _with_states(data, self.states_)
        self.vocabulary_ = data.vocabulary
        self._model = Model(len(self.states_), len(data.vocabulary), self.end or bool(given and given.end))
        self._take_language(data)
        for setting in (self.pseudo, self.prior):  # wrong ones are refused under criteria that do not read them, too
            per_table(self._model.layout, setting)
        sparsity(self._model.layout, self.sparse)
        self._features()  # what cannot be read is refused at once
        return data, n_named

    def _check(self) -> None:
        super()._check()
        if self.decode not in DECODINGS:
            raise InputError(f"decode={self.decode!r}: unknown; use {', '.join(DECODINGS)}")

    def _stages(self) -> list[Stage]:
        """Classes of words know much already: more than a step undoes what they know."""
        if self.criterion is not None:
            return parse(self.criterion)
        return parse("mre:1" if self.features is not None and self._begin() == "classes" else "vb:1")

    def _for_choice(self) -> dict[str, Any]:
        """Words that occur once are one: each would be in the state that suits its neighbours, whatever they are."""
        return {"pseudo": 0.0, "min_count": max(self.min_count, 2)}

    def _begun_from(self, tables: Tables, before: Any) -> NamedHMM:
        states = tuple(str(k) for k in range(len(tables.initial)))
        return NamedHMM(states, list(before.vocabulary_.words), tables, before._model.end)

    def _per_token(self, items: Corpus) -> float:
        return self.score(items) / max(items.n_tokens, 1)

    def _take_language(self, data: Corpus) -> None:
        """Which state follows which, where that is known."""
        self.language_ = None
        if self.transition is not None:
            self.language_ = table_of(checked_language(self.transition), self.states_)
            self._model = model_of(self.language_, len(data.vocabulary))
            refuse_known(data, self._model)

    def _held(self, model: Any) -> Any:
        """What training leaves alone."""
        if self.transition is None or not isinstance(model, Model):
            return self.fixed
        wanted = self.fixed if isinstance(self.fixed, Mapping) else dict.fromkeys(_listed(self.fixed), True)
        return {**wanted, "initial": True, "transition": True}

    def _given_parameters(self) -> NamedHMM | None:
        given = None
        if isinstance(self.start, NamedHMM):
            given = self.start
        elif isinstance(self.start, Mapping):
            given = from_json(self.start)
        elif isinstance(self.start, Path) or (isinstance(self.start, str) and self.start not in STARTS):
            check_start(self.start)
            given = read_parameters(self.start)
        if given and self.end and not given.end:
            raise InputError('the start has no "end"; add it there, or omit end (--end)')
        return given

    def _states(self, given: NamedHMM | None, dictionary: TagDictionary | None, data: Corpus) -> StateNames:
        labelled = self.start.tagset if isinstance(self.start, Corpus) else ()
        language = None if self.transition is None else states_of(checked_language(self.transition))
        others = (labelled, dictionary.tagset if dictionary else (), data.tagset)
        by = NamedBy(given.states if given else None, language, others)
        return state_names(by, self._size, len(data.vocabulary))

    def _begin(self) -> str:
        """What the start is, in a word."""
        if self.transition is not None and (self.start is None or self.start in ("auto", "classes")):
            return "random" if self.dictionary is None else "known"  # classes of words have no names
        if self.start is None or (isinstance(self.start, str) and self.start == "auto"):
            return "classes"
        return self.start if isinstance(self.start, str) and self.start in STARTS else "given"

    def _begins(self, items: Any) -> str:
        return self._begun

    def _start(self, given: NamedHMM | None, data: Corpus, mask: Array | None, seed: tuple[int, ...]) -> Tables:
        if given:
            return given.tables
        model = Model(len(self.states_), len(self.vocabulary_), self._model.end)
        layout = model.layout
        if isinstance(self.start, Corpus):
            labelled = _with_states(corpus(self.start, self.vocabulary_, lowercase=self.lowercase), self.states_)
            return counted_start(model, labelled, None, uniform_start(layout))
        spread = uniform_start(layout) if self._begun == "uniform" else random_start(layout, seed)
        return counted_start(model, data, mask, spread) if self._begun == "known" else spread

    def _selection(self, dev: Any, engine: Engine) -> Callable[[Tables], float]:
        held_out = corpus(dev, self.vocabulary_, lowercase=self.lowercase)
        return development_score(self._model, held_out, len(self.states_), engine)

    def _signature(
        self, seed: int, text: Corpus, digest: str, n_labelled: int, dictionary: TagDictionary | None,
        given: NamedHMM | None,
    ) -> str:  # fmt: skip
        return signature(
            "hmm",
            states=len(self.states_),
            criterion=",".join(stage.text for stage in self._stages()),
            start=signed_start(self._begun, _by_name(given) if given else self.start),
            end="yes" if self._model.end else "no",
            pseudo=compact(self.pseudo),
            prior=compact(self.prior),
            **self._signed_rows(),
            fixed=named(self.fixed),
            **({} if self.transition is None else {"transition": described("transition", self.transition)}),
            dictionary=dictionary.text if dictionary else "no",
            min_count=self.min_count,
            restarts=self.restarts,
            tolerance=self.tolerance,
            seed=seed,
            decode=self.decode,
            **({"labelled": n_labelled} if n_labelled else {}),
            sentences=len(text),
            tokens=text.n_tokens,
            data="sha256:" + digest[:12],
            **self._read_as(),
        )


def _by_name(given: NamedHMM) -> dict[str, Any]:
    return {**given._asdict(), "states": list(given.states), "tables": given.tables._asdict()}


def _listed(fixed: Any) -> list[str]:
    return [fixed] if isinstance(fixed, str) else list(fixed)


def _vocabulary(given: NamedHMM | None) -> Vocabulary | None:
    if given is None:
        return None
    return Vocabulary(given.words, UNKNOWN if UNKNOWN in given.words else None)


def _with_states(data: Corpus, states: tuple[str, ...]) -> Corpus:
    """The corpus with its labels numbered as the states are."""
    if not data.labelled:
        return data
    return corpus(data, data.vocabulary, tagset=states)
