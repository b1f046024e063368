"""softcount.Translator: a word aligner and a language model translate, word by word.

    argmax over y of   log P(x | y) + w · log P(y) + b · |y|

The noisy channel of Brown et al. 1993: P(x | y) is the aligner's, P(y) the language model's. Candidates are found by
beam search (estimators/beam.py) and put into order by the sum over all alignments, log P(x | y); where a lexicon
overrides the aligner, by their best alignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.engines import engine_of
from softcount.errors import InputError
from softcount.estimators.beam import EMPTY, WIDEST, How, found
from softcount.estimators.channel import channel
from softcount.estimators.light_estimator import LightEstimator
from softcount.estimators.parameters import Where
from softcount.estimators.translation_task import Asked, Override, task
from softcount.evaluate.bleu import bleu
from softcount.language.ngram import SPECIAL
from softcount.language.query import beginning, lookup
from softcount.machine import stage
from softcount.numbers.ragged import Array
from softcount.signature import signature
from softcount.text.bilingual import entries_of, signed
from softcount.text.bitext import bitext
from softcount.text.casing import in_words_of, lowered
from softcount.text.characters import joined, spaced
from softcount.text.corpus import Corpus, corpus
from softcount.text.vocabulary import Vocabulary

BLOCK = 25  # sentences that a thread takes at a time
CONSIDERED = 10  # translations of a sentence that are put into order by the sum over all alignments
MOST_WEIGHT = 1e100  # times the logarithm of any probability it is a number still
WORD_BONUS = 1.0  # of 0 to 3 the best for the default aligner on Hansards (docs/background/benchmarks/translate.md)
LM_WEIGHTS = (0.4, 0.7, 1.0, 1.4)
WORD_BONUSES = (0.0, 1.0, 2.0, 3.0, 4.0)


class Translation(NamedTuple):
    text: str
    score: float  # channel + w · language + b · words
    channel: float  # log P(x | y)
    language: float  # log P(y)
    links: list[tuple[int, int]]  # words of x and of y, by the best alignment
    words: list[str]


class Ranked(NamedTuple):
    """A candidate y for a sentence x; nats, −inf where a side is empty, NaN of a direction that is not trained."""

    score: float  # 0 to 1: how likely the two are translations of each other, by both directions
    total: float  # log_p_x_given_y + w · log_p_y + b · |y|
    log_p_x_given_y: float
    log_p_y: float
    log_p_y_given_x: float
    per_word: float  # the mean of both directions' log P per word that they generate


class Translator(LightEstimator):
    """Word-based noisy-channel translation with a trained aligner and a language model of the target language.

    Read more in the :doc:`guide to translation and ranking </how-to/translate>`.

    >>> from softcount import LanguageModel, Translator, WordAligner
    >>> source, target = ["the house", "the book", "a book"] * 3, ["das haus", "das buch", "ein buch"] * 3
    >>> aligner, lm = WordAligner().fit(source, target), LanguageModel(2).fit(target)
    >>> Translator(aligner, lm).translate(["a house"])
    ['ein haus']

    Parameters
    ----------
    aligner : WordAligner
        Trained; its source is translated into its target.
    lm : LanguageModel
        Of the target, or in reverse of the source.
    reverse : bool, default False
        Translate the aligner's target into its source.
    lm_weight : float, default 1.0
        What log P(y) counts, where log P(x | y) counts one.
    word_bonus : float, default 1.0
        Reward for every word of y, in nats, because language models prefer short sentences; 0 maximizes P(x | y) P(y).
    beam : int, default 30
        How many hypotheses go on at a time.
    window : int, default 2
        How many words behind the first that is not translated yet may be translated before it; 0 keeps their order.
    options : int, default 12
        How many translations of a word are tried.
    inserts : int, default 8
        How many of the commonest words may be written though they translate nothing.
    lexicon : path, or list of (word, translation, "must" | "prefer" | "never"), optional
        What overrides the aligner.
    engine : str or Engine, default "threads"
        Where sentences are translated.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    """

    def __init__(
        self, aligner: Any, lm: Any, *, reverse: bool = False, lm_weight: float = 1.0, word_bonus: float = WORD_BONUS,
        beam: int = 30, window: int = 2, options: int = 12, inserts: int = 8,
        lexicon: str | Path | Sequence[Any] | None = None, engine: Where = "threads", n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.aligner = aligner
        self.lm = lm
        self.reverse = reverse
        self.lm_weight = lm_weight
        self.word_bonus = word_bonus
        self.beam = beam
        self.window = window
        self.options = options
        self.inserts = inserts
        self.lexicon = lexicon
        self.engine = engine
        self.n_jobs = n_jobs

    def translate(self, X: Any) -> list[str]:
        """Translate every sentence as well as can be.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.

        Returns
        -------
        list of str
        """
        return [best[0].text for best in self.nbest(X)]

    def nbest(self, X: Any, n: int = 1) -> list[list[Translation]]:
        """Find the best translations of every sentence.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.
        n : int, default 1
            How many of each at most.

        Returns
        -------
        list of lists of Translation
            Of every sentence the best first.
        """
        return list(self.blocks(self.read(X), n))

    def blocks(self, text: Corpus, n: int = 1) -> Iterator[list[Translation]]:
        """Find translations as `nbest` does, sentence by sentence while they are found.

        Parameters
        ----------
        text : Corpus
            The sentences, as `read` gives them.
        n : int, default 1
            How many of each at most.

        Yields
        ------
        list of Translation
        """
        self._check()
        if n < 1:
            raise InputError(f"{n} translations; ask for at least one")
        asked = self._asked(max(n, CONSIDERED))
        known = in_words_of(text, asked.channel.vocabularies[0])
        parts = [
            _Part(text.tokens, known.sentences.row, (k, min(k + BLOCK, len(text)))) for k in range(0, len(text), BLOCK)
        ]
        with engine_of(self.engine, 1 if self.n_jobs is None else self.n_jobs) as engine:
            handles = engine.place(_sentences, iter(parts))
            shared = engine.share((asked, max(n, CONSIDERED)))
            stage.begin("translating")
            for part, answers in zip(
                parts, stage.counted(engine.map(_translated, handles, shared), len(parts)), strict=True
            ):
                yield from self._ordered(part, answers, n, text.source)

    def read(self, X: Any) -> Corpus:
        """Read sentences in the words of the aligner, or in its characters.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.

        Returns
        -------
        Corpus
        """
        if self.aligner.characters and not isinstance(X, Corpus):
            X = [spaced(line) for line in X]
        return corpus(X, lowercase=bool(self.aligner.lowercase))

    def tune(self, X: Any, y: Any) -> Translator:
        """Choose `lm_weight`, then `word_bonus`, by the BLEU of these sentences' translations.

        The weight is that of LM_WEIGHTS with the highest BLEU, at the bonus that is set; then the bonus that of
        WORD_BONUSES, at this weight. Of equal ones the first is taken. `bleu_` is what is reached.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus
            The sentences.
        y : list of str, list of token lists, or Corpus
            Their right translations.

        Returns
        -------
        self
        """
        text = self.read(X)
        other = self.read(y)
        wanted = [other.tokens(s) for s in range(len(other))]
        if len(wanted) != len(text):
            raise InputError(
                f"{len(text):,} sentences for tuning, but {len(wanted):,} translations; give one "
                "translation per sentence"
            )
        for name, values in (("lm_weight", LM_WEIGHTS), ("word_bonus", WORD_BONUSES)):
            scores = []
            for value in values:
                setattr(self, name, value)
                scores.append(bleu([best[0].words for best in self.blocks(text)], wanted))
            setattr(self, name, values[int(np.argmax(scores))])
            self.bleu_ = float(max(scores))
        return self

    def signature(self, data: Any, what: str = "translate") -> str:
        """What was done, translate or rank, behind it what the models are; `data` has a digest."""
        weights = {"reverse": self.reverse, "lm_weight": self.lm_weight, "word_bonus": self.word_bonus}
        search = {name: getattr(self, name) for name in ("beam", "window", "options", "inserts")}
        search["lexicon"] = "no" if self.lexicon is None else signed(entries_of(self.lexicon))
        settings = {**weights, **search} if what == "translate" else weights
        done = signature(what, **settings, data="sha256:" + data.digest()[:12])
        return f"{done} | aligner: {self.aligner.signature_} | lm: {self.lm.signature_}"

    def rank(self, X: Any, y: Any = None) -> list[Ranked]:
        """Find how good each candidate is as a translation.

        Parameters
        ----------
        X : list of str, list of pairs, or Bitext
            The sentences, or sentences and candidates at once.
        y : list of str, optional
            The candidates, one for each sentence.

        Returns
        -------
        list of Ranked
        """
        self._check()
        pairs = self.aligner._bitext(X, y)
        channel(self.aligner, self.reverse)  # says what is missing
        x, candidates = pairs.sides[0].text, pairs.sides[1].text
        logs, scores = (
            ask(pairs.reverse() if self.reverse else pairs) for ask in (self.aligner.scores, self.aligner.pair_scores)
        )
        given, back = (logs[:, 0], logs[:, 1]) if self.reverse else (logs[:, 1], logs[:, 0])
        language = self.lm.score_samples(_tokens(candidates, self.lm.lowercase))
        lengths = np.maximum([x.sentences.lengths, candidates.sentences.lengths], 1)
        total = given + self.lm_weight * language + self.word_bonus * candidates.sentences.lengths
        per_word = np.nanmean([given / lengths[0], back / lengths[1]], axis=0)
        columns = scores, total, given, language, back, per_word
        return [Ranked(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    # --- within -----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        for name, kind in (("aligner", "word aligner"), ("lm", "language model")):
            given = getattr(self, name)
            if getattr(given, "kind", None) != kind or not hasattr(given, "signature_"):
                raise InputError(f"{name} is {type(given).__name__}; give a trained {kind}")
        for name, least, most in (
            ("beam", 1, 100_000),
            ("window", 0, WIDEST),
            ("options", 1, 10**6),
            ("inserts", 0, 1000),
        ):
            if not least <= getattr(self, name) <= most:
                raise InputError(f"{name} is {getattr(self, name)}; it must be from {least} to {most:,}")
        if not (0 <= self.lm_weight <= MOST_WEIGHT and abs(self.word_bonus) <= MOST_WEIGHT):
            raise InputError(
                f"lm_weight is {self.lm_weight} and word_bonus is {self.word_bonus}; both must be "
                f"numbers up to {MOST_WEIGHT:g}, the weight at least 0"
            )

    def _asked(self, n: int) -> Asked:
        side = channel(self.aligner, self.reverse)
        words = side.vocabularies[1]
        names = self.lm.vocabulary_.encode(words.words).astype(np.int64)
        how = How(self.beam, self.window, float(self.lm_weight), float(self.word_bonus), False, n > 1)
        common = [k for k, word in enumerate(words.words[: 10 * self.inserts]) if word not in (*SPECIAL, words.unknown)]
        inserts = np.array([k for k in common if names[k] != 0][: self.inserts], np.int32)
        numbers = {word: k for k, word in enumerate(self.lm.vocabulary_.words)}
        lexicon = self._overrides(words)
        return Asked(side, lookup(self.lm.orders_), names, how, self.options, inserts, lexicon, numbers)

    def _overrides(self, words: Vocabulary) -> Mapping[str, list[Override]]:
        if self.lexicon is None:
            return {}
        entries = entries_of(self.lexicon)
        pairs = [(f, e) if self.reverse else (e, f) for e, f, _ in entries]
        if self.aligner.lowercase:
            pairs = [(x.lower(), y.lower()) for x, y in pairs]
        places = words.find([y for _, y in pairs]).tolist()
        result: dict[str, list[Override]] = {}
        for (x, y), place, entry in zip(pairs, places, entries, strict=True):
            result.setdefault(x, []).append(Override(y, place, entry.kind))
        return result

    def _ordered(self, part: Any, answers: list[list[Any]], n: int, name: str) -> Iterator[list[Translation]]:
        """By the sum over all alignments, of the whole block at once."""
        sources = part.texts()
        flat = [(sources[s], words) for s, each in enumerate(answers) for words, *_ in each]
        x, y = [pair[0] for pair in flat], [pair[1] for pair in flat]
        language = self.lm.score_samples(corpus(y)) if flat else np.empty(0)
        column = int(not self.reverse)
        both = (y, x) if self.reverse else (x, y)
        sums = self.aligner.scores(bitext(*both))[:, column] if flat else np.empty(0)
        at = 0
        for line, (source, each) in enumerate(zip(sources, answers, strict=True), part.bounds[0] + 1):
            if not source:
                yield [Translation("", 0.0, 0.0, 0.0, [], [])]
                continue
            if not each:
                wrong = "the language model gives none of its translations a probability above zero"
                raise InputError(f"{name}:{line}: {wrong}; use a model trained on more text")
            rows = []
            for words, places, best in each:
                total = float(sums[at] + self.lm_weight * language[at] + self.word_bonus * len(words))
                total = total if self.lexicon is None else best  # the sum knows of no overrides
                links = [(j, i) for j, i in enumerate(places.tolist()) if i != EMPTY]
                rows.append(Translation(self._joined(words), total, float(sums[at]), float(language[at]), links, words))
                at += 1
            yield sorted(rows, key=lambda row: -row.score)[:n]

    def _joined(self, words: list[str]) -> str:
        return joined(words) if self.aligner.characters else " ".join(words)


def _tokens(text: Corpus, lowercase: bool) -> Corpus:
    return lowered(text) if lowercase else text


class _Part(NamedTuple):
    tokens: Any
    ids: Any
    bounds: tuple[int, int]

    def texts(self) -> list[list[str]]:
        return [list(self.tokens(s)) for s in range(*self.bounds)]


# --- what crosses the engine ----------------------------------------------------------------------------------------


def _sentences(part: _Part) -> list[tuple[list[str], Array]]:
    return [(words, part.ids(s)) for words, s in zip(part.texts(), range(*part.bounds), strict=True)]


def _translated(part: list[tuple[list[str], Array]], shared: tuple[Asked, int]) -> list[list[Any]]:
    asked, n = shared
    return [_sentence(asked, words, ids, n) for words, ids in part]


def _sentence(asked: Asked, words: list[str], ids: Array, n: int) -> list[Any]:
    if not words:
        return []
    made, names = task(asked, words, ids)
    m = len(words)
    places = asked.channel.places.at(max(1, round(asked.channel.ratio * m)), m)
    best = found(made, places, asked.lm, beginning(asked.lm), asked.how, n)
    return [([names[u] for u in chosen.tolist()], at, score) for chosen, at, score in best]
