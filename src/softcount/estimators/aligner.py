"""softcount.WordAligner: word links between sentences and their translations, with scikit-learn's manners."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.estimators.align_check import check_settings
from softcount.estimators.align_directions import Apart, Together, from_bodies
from softcount.estimators.align_plan import Plan, plan
from softcount.estimators.align_prior import Before, before
from softcount.estimators.align_stems import check_stems
from softcount.estimators.align_train import Job, trained
from softcount.estimators.align_use import TrainedAligner
from softcount.estimators.featured import PAIRS, signed_rows
from softcount.estimators.parameters import Function, Sparse, Where, check_parameters
from softcount.links.known import linked, n_linked, signed_links
from softcount.loop.trace import Step, Trace, Traces
from softcount.loop.weighted import checked_weights, digest_with
from softcount.text.bilingual import BilingualEntry, entries_of, signed
from softcount.text.bitext import Bitext, bitext


class WordAligner(TrainedAligner):
    """Word aligner for parallel text (IBM models 1 and 2, HMM, CRF autoencoder), trained without labels.

    Read more in the :doc:`guide to word alignment </how-to/align>`.

    >>> from softcount import WordAligner
    >>> aligner = WordAligner().fit(["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"])
    >>> aligner.align(["the book"], ["das buch"])
    [[(0, 0), (1, 1)]]
    >>> aligner.lexicon_["house"][0]
    ('haus', 1.0, 1.0)

    Parameters
    ----------
    model : str, optional
        ibm1, ibm2 (diagonal), ibm2-free, hmm or crf (a CRF autoencoder), or stages that hand over, such as
        "ibm1:3,hmm:3".
    preset : str, default "default"
        The model where none is named: "default" (both directions' HMMs trained together), "fast" (fewer steps, no
        fertilities), "best" (two such models that are asked together, and their links counted once more).
    criterion : str, optional
        How each stage is trained, such as "vb:4" or "em:5,mre:5" (see `softcount.criteria.spec`). Default: em:3; for a
        named model em:5 with hmm or agreement, else vb:4.
    agreement : bool, optional
        Whether both directions are trained together (any model but crf, with EM). Default: with hmm, if both directions
        are trained by em, without features or sparse rows.
    fertility : bool, default True
        With agreement: how many words a word has.
    recount : bool, optional
        With agreement: whether links are counted once more after training, so that each is decided by what all others
        came to; where not given, with "best".
    stems : tuple of int, str, path or mapping, optional
        What a word's row leans on, from fine to coarse: prefixes of so many letters, such as (5, 3); "suffix-free",
        words without their endings; "letters", words that share pieces of letters; classes of your own, a TSV with a
        word and its classes on every line or a mapping from word to class or classes, of both languages or a pair, one
        of each; () for nothing. Default: (5, 3) with agreement, and for the presets' stages where rows may lean.
    spelling : bool, default True
        With agreement: whether words that are spelt alike are likelier translations.
    stem_strength : float or "evidence", optional
        For how many links of a word its stem's row counts; "evidence" chooses what predicts links left out best.
    lowercase : bool, default True
        Whether words that differ by case alone are one; links are of the text as it is.
    characters : bool, default False
        Characters are the words, and the blank is one of them (``▁``); a Bitext is taken as it is.
    alpha : float or mapping, default 0.001
        Dirichlet prior of `vb` and `gibbs` on each translation row; a number, or a mapping from target word (of
        either direction) to number, in which "*" is any other word.
    prior_over : str, default "vocabulary"
        What the prior is over: "cooccurring" words, or the whole target "vocabulary".
    pseudo : float, default 0.0
        Pseudo-count of `em` on each translation entry.
    features : str or function, optional
        Compute translation rows from features of word pairs: "pairs" (identity, same string, edit distance, first
        letters, numbers and punctuation), or a function from a pair (source word, target word) to the names of its
        features, beside which every pair has its identity. Directions are then trained apart. With crf, the features
        of its encoder, beside what the stage before has counted; where not given, "pairs".
    variance : float, default 1.0
        σ² of the features' weights; smaller keeps them nearer to zero.
    sparse : pair or mapping, optional
        (alpha, beta) of a wish for words with few translations, α Σ exp(−θ/β), under `em`, `hard` and `mre`; or by
        table. Directions are then trained apart.
    null : float or "learn", optional
        Probability of the null word. Default: learned with agreement, else 0.2; 1 / (l + 1) for ibm1, and learned
        by position for ibm2-free.
    tension : float or "learn", default 8.0
        How strongly links keep to the diagonal (ibm2).
    direction : str, default "both"
        "forward" (each target word is generated by a source word), "reverse" or "both".
    symmetrize : str, optional
        How two directions become one: "mean" of those trained together, else "product", where not given.
    threshold : float, optional
        The threshold of those two.
    decode : str, default "posterior"
        What links are made of: "posterior", P(a | f); "viterbi", the best alignment of each direction, where they
        were trained apart; or "mre", P(f | a) P(a | f).
    dictionary : list of tuples or path, optional
        (source, target, "must" | "prefer" | "never") entries, or the path of a TSV of them.
    prior : WordAligner or path, optional
        A trained aligner whose counts are imagined before the text is seen.
    prior_strength : float, default 1.0
        How many pairs of the text a pair of the prior's text counts for.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    tolerance : float, default 0.0
        A stage ends at this relative change of its objective; 0 lets every stage take all its steps.
    longest : int, optional
        Pairs with more words on a side are neither trained on nor linked.
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, default 0
        The seed; the same seed gives the same bits.

    Attributes
    ----------
    vocabularies_ : tuple of Vocabulary
        The source words and the target words.
    directions_ : mapping from str to tables
        By name, "forward" and "reverse", what each direction has learned.
    agreed_ : Agreed or None
        What both have learned together, where they were trained so.
    lexicon_ : mapping from str to list
        Source word to its (target word, p(target|source), p(source|target)), the most probable first.
    posterior_ : mapping from str to Ragged, or None
        After `vb`, λ of each direction's translation rows, row 0 the empty word's.
    """

    kind = "word aligner"
    _afterwards = ("symmetrize", "threshold", "decode")
    _learned = ("vocabularies_", "_bodies")
    _types = ()

    def __init__(
        self,
        model: str | None = None,
        *,
        preset: str = "default",
        criterion: str | None = None,
        agreement: bool | None = None,
        fertility: bool = True,
        recount: bool | None = None,
        stems: str | Path | Sequence[Any] | Mapping[str, Any] | None = None,
        spelling: bool = True,
        stem_strength: float | str | None = None,
        lowercase: bool = True,
        characters: bool = False,
        alpha: float | Mapping[str, float] = 0.001,
        prior_over: str = "vocabulary",
        pseudo: float = 0.0,
        features: str | Function | None = None,
        variance: float = 1.0,
        sparse: Sparse = None,
        null: float | str | None = None,
        tension: float | str = 8.0,
        direction: str = "both",
        symmetrize: str | None = None,
        threshold: float | None = None,
        decode: str = "posterior",
        dictionary: str | Path | Sequence[Any] | None = None,
        prior: str | Path | WordAligner | None = None,
        prior_strength: float = 1.0,
        min_count: int = 1,
        tolerance: float = 0.0,
        longest: int | None = None,
        engine: Where = "threads",
        n_jobs: int | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.model = model
        self.preset = preset
        self.criterion = criterion
        self.agreement = agreement
        self.fertility = fertility
        self.recount = recount
        self.stems = stems
        self.spelling = spelling
        self.stem_strength = stem_strength
        self.lowercase = lowercase
        self.characters = characters
        self.alpha = alpha
        self.prior_over = prior_over
        self.pseudo = pseudo
        self.features = features
        self.variance = variance
        self.sparse = sparse
        self.null = null
        self.tension = tension
        self.direction = direction
        self.symmetrize = symmetrize
        self.threshold = threshold
        self.decode = decode
        self.dictionary = dictionary
        self.prior = prior
        self.prior_strength = prior_strength
        self.min_count = min_count
        self.tolerance = tolerance
        self.longest = longest
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, links: Any = None,
        on_step: Callable[[str, Step], None] | None = None, checkpoint: str | Path | None = None,
        checkpoint_every: int | None = None,
    ) -> WordAligner:  # fmt: skip
        """Train on sentence pairs: X and y are text lines or token lists, or X alone a list of pairs or a Bitext.

        links : for each pair its known links, (i, j) counted from 0 or "0-0 1-2"; none where they are not known
        checkpoint : a file for the state, every `checkpoint_every` steps; the same call again goes on from there
        """
        if links is not None:
            X, y = linked(self._bitext(X, y), links), None
        return self._fit(X, y, None, on_step, self._checkpoint(checkpoint, checkpoint_every), sample_weight)

    def partial_fit(self, X: Any, y: Any = None, *, on_step: Callable[[str, Step], None] | None = None) -> WordAligner:
        """Train on further pairs, with what was counted so far as the prior; the first time as `fit` does."""
        known = Before(copy(self), 1.0) if "signature_" in self.__dict__ or "_stored" in self.__dict__ else None
        return self._fit(X, y, known, on_step, None)

    def _fit(
        self, X: Any, y: Any, known: Before | None, on_step: Any, kept: Any, sample_weight: Any = None
    ) -> WordAligner:
        check_parameters(self)
        whole = self._bitext(X, y)
        weights = checked_weights(sample_weight, len(whole), "pairs")
        data = self._cased(whole)
        if self.min_count > 1:  # counted as they are learned: Word and word are one where case is no matter
            rare = bitext(data, min_count=self.min_count)
            data = data.recoded(rare.source, rare.target)
        data = data.within(self.longest)
        planned, entries = self._checked(data, known is None)
        known = known or before(self, planned.together)
        data = known.coded(data) if known else data
        digest, words = digest_with(whole.digest(), weights), (data.source.vocabulary, data.target.vocabulary)
        seed, stages = self._seed(kept), ",".join(stage.text for stage in planned.stages)
        run = digest_with(digest, None if data.potentials is None else np.concatenate(data.potentials))
        with self._engine() as engine, self._kept(kept, seed, run, model=stages, criterion=None):
            found = trained(Job(self, data, planned, entries, engine, seed, on_step, kept, known, weights))
        self.vocabularies_ = words
        self._take(found)
        self.history_ = Traces(self._traces())
        self.signature_ = self._signature(planned, whole, seed, digest, known, entries)
        tokens = f"{whole.source.n_tokens:,} + {whole.target.n_tokens:,}"
        pairs = len(data) + (known.pairs if known else 0)
        self._remember(seed, f"{data.source.source} and {data.target.source}", digest, pairs=pairs, tokens=tokens)
        return self

    def _take(self, found: Apart | Together) -> None:
        self.agreed_ = found.agreed if isinstance(found, Together) else None
        self.directions_ = found.sides() if isinstance(found, Together) else dict(found.directions)

    def _checked(self, data: Bitext, first: bool = True) -> tuple[Plan, list[Any]]:
        """The plan and the dictionary, where all of the settings and the data are fit for training."""
        self._check()
        planned = plan(self)
        short = data.within(self.longest)
        if not short.lengths.words.any():
            both, limit = (
                f"{data.source.source}, {data.target.source}",
                "" if short is data else f" within {self.longest}",
            )
            raise InputError(f"{both}: no pair has words on both sides{limit}; give at least one such pair")
        if planned.encodes and n_linked(data):
            raise InputError("known links are not available with a CRF autoencoder; use hmm, or omit them")
        check_stems(self, planned)
        if first:  # later, what was counted so far is the prior
            before(self, planned.together)
        return planned, _entries(self.dictionary, self.lowercase)

    def _check(self) -> None:
        super()._check()
        check_settings(self)

    # --- on disk ----------------------------------------------------------------------------------------------------

    @property
    def _bodies(self) -> dict[str, Any]:
        return self._found.bodies()

    def _traces(self) -> dict[str, Trace]:
        return self._found.traces()

    def _take_traces(self, traces: dict[str, Trace]) -> None:
        self.history_ = Traces(traces)

    def _sizes(self) -> dict[str, int]:
        words = {f"{side} words": len(v) for side, v in zip(("source", "target"), self.vocabularies_, strict=True)}
        return words | self._found.sizes()

    def _settle(self) -> None:
        self._take(from_bodies(self.__dict__.pop("_bodies"), self.history_, self.vocabularies_))

    @classmethod
    def _opened(cls, stored: Any, settings: Mapping[str, Any]) -> Any:
        """Files from before casing was a setting hold words as they were written; there was a time when stems were a
        setting of directions trained apart as well, without any effect; and one when these were Model 2 by default."""
        kept, signature = stored.body.get("settings"), str(stored.body.get("signature"))
        if isinstance(kept, dict):
            kept.setdefault("lowercase", False)
            if "stems" not in signature:
                kept["stems"] = None
            was = re.search(r"\| model=(\S*ibm2\S*) ", signature)
            if was and kept.get("model") is None:
                kept["model"] = was[1]
        return super()._opened(stored, settings)

    # --- what the signature says ------------------------------------------------------------------------------------

    def _trained(self, planned: Plan) -> dict[str, Any]:
        """What training depended on, for signatures."""
        if planned.together:
            how = planned.how
            return {
                "agreement": True,
                "fertility": how.fertility,
                **({"recount": True} if how.recount else {}),
                "stems": planned.stems.text,
                "spelling": how.spelling,
                **({} if how.strength is None else {"stem_strength": how.strength}),
                "null": how.null,
                **({"second": how.second[1]} if how.second else {}),
            }
        alpha = self.alpha if not isinstance(self.alpha, Mapping) else "per word"
        features = PAIRS if planned.encodes and self.features is None else self.features
        prior = {"alpha": alpha, "prior_over": self.prior_over, "pseudo": self.pseudo}
        return {
            **prior,
            **signed_rows(features, self.variance, self.sparse),
            **({"stems": planned.stems.text} if planned.stems else {}),
            **({"stem_strength": self.stem_strength} if planned.stems and self.stem_strength is not None else {}),
            **({} if planned.stages[-1].model == "ibm1" and not planned.own_null else {"null": planned.null}),
            "tension": self.tension,
        }

    def _signature(
        self, planned: Plan, data: Bitext, seed: int, digest: str, known: Before | None, entries: list[Any]
    ) -> str:
        prior = {"prior": f"sha256:{known.digest()[:12]}", "prior_strength": known.strength} if known else {}
        dictionary = "no" if self.dictionary is None else signed(entries)
        return self._sign(
            "align", seed, model=",".join(stage.text for stage in planned.stages), **self._decoding(),
            **self._trained(planned), dictionary=dictionary, min_count=self.min_count,
            **prior, **signed_links(data), pairs=len(data), tokens=f"{data.source.n_tokens}+{data.target.n_tokens}",
            data="sha256:" + digest[:12],
        )  # fmt: skip


def _entries(given: Any, lowercase: bool) -> list[Any]:
    if given is None:
        return []
    found = entries_of(given)
    return [BilingualEntry(e.lower(), f.lower(), kind) for e, f, kind in found] if lowercase else found
