"""What a trained word aligner can be asked: links, posteriors, scores, a lexicon."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.estimators.agreed import Agreed
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.align_check import check_decode
from softcount.estimators.align_directions import Apart, Directions, Together
from softcount.estimators.align_plan import plan
from softcount.estimators.light_estimator import LightEstimator
from softcount.estimators.pair_score import pair_scores
from softcount.estimators.sampling import lengths_of
from softcount.estimators.trained import TrainedEstimator
from softcount.links.joining import THRESHOLDS, Links, Rule
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext, bitext
from softcount.text.casing import in_words_of
from softcount.text.corpus import corpus
from softcount.text.stored import in_memory
from softcount.text.vocabulary import Vocabulary


class TrainedAligner(TrainedEstimator, LightEstimator):
    """The face of both directions, or of one; how they are trained is WordAligner's."""

    vocabularies_: tuple[Vocabulary, Vocabulary]
    directions_: dict[str, Any]
    agreed_: Agreed | Lazy | None
    longest: int | None
    decode: str
    lowercase: bool
    characters: bool

    @property
    def _found(self) -> Directions:
        return Together(self.agreed_) if self.agreed_ else Apart(self.directions_)

    def align(
        self, X: Any, y: Any = None, *, symmetrize: str | None = None, probabilities: bool = False,
        decode: str | None = None,
    ) -> list[list[tuple[Any, ...]]]:  # fmt: skip
        """For every pair its links (i, j), sorted; with probabilities (i, j, p)."""
        rows: list[list[tuple[Any, ...]]] = []
        for links in self.blocks(self._read(X, y), symmetrize, decode):
            columns = [links.source.tolist(), links.target.tolist()]
            columns += [links.probability.tolist()] if probabilities else []
            flat = list(zip(*columns, strict=True))
            bounds = links.offsets.tolist()
            rows += [flat[a:b] for a, b in pairwise(bounds)]
        return rows

    def blocks(self, items: Bitext, symmetrize: str | None = None, decode: str | None = None) -> Iterator[Links]:
        """The links block by block, so that memory stays bounded."""
        items = self._read(items, None).within(self.longest)
        rule = self._rule(symmetrize, decode)
        with self._engine() as engine:
            yield from self._found.link_blocks(engine, items, rule)

    def _rule(self, symmetrize: str | None, decode: str | None = None) -> Rule:
        decode = decode or self.decode
        check_decode(decode, self.agreed_ is not None)
        if len(self.directions_) == 1:
            return Rule(next(iter(self.directions_)), 0.0, decode)
        planned = plan(self)
        rule = symmetrize or planned.rule
        threshold = planned.threshold if rule == planned.rule else THRESHOLDS.get(rule, 0.0)
        return Rule(rule, threshold, decode)

    def posteriors(self, X: Any, y: Any = None) -> list[dict[str, Array]]:
        """Per pair and direction the matrix of P(word i generated word j); row 0 is the empty word."""
        items = self._whole(X, y)
        found = self._found.posteriors(items)
        l, m = items.source.sentences.lengths, items.target.sentences.lengths
        shapes = {"forward": (l + 1, m), "reverse": (m + 1, l)}
        return [
            {name: p.row(s).reshape(shapes[name][0][s], shapes[name][1][s]) for name, p in found.items()}
            for s in range(len(items))
        ]

    def scores(self, X: Any, y: Any = None) -> Array:
        """[pairs, 2]: log P(target | source) and log P(source | target), in nats; NaN for a direction not trained.

        A pair with an empty side, or one beyond `longest`, has −inf: as a translation nothing is worse.
        """
        items = self._whole(X, y)
        result = self._scores(items)
        return np.where(~items.both[:, None] & ~np.isnan(result), -np.inf, result)

    def pair_scores(self, X: Any, y: Any = None) -> Array:
        """[pairs]: from 0 to 1, how likely each pair is a translation, by both directions.

        At a half right and wrong pairs balance if one in ten is wrong. A pair with an empty side, or one beyond
        `longest`, has 0.
        """
        items = self._whole(X, y)
        with self._engine() as engine:
            return pair_scores(self._found.explained(engine, items))

    def _scores(self, items: Bitext, again: bool = False) -> Array:
        with self._engine() as engine:
            return self._found.log_norms(engine, items, again)

    def score(self, X: Any, y: Any = None) -> float:
        """Log-probability of the generated sides, in nats, all pairs and trained directions together."""
        return float(np.nansum(self._scores(self._whole(X, y))))

    def reconstruction_score(self, X: Any, y: Any = None) -> float:
        """How likely the words are made again from their links: log Σ_a P(f | a) P(a | f), in nats, of all pairs and
        trained directions together; what maximum reconstruction maximises."""
        items = self._whole(X, y)
        return float(np.nansum(self._scores(items, again=True) - self._scores(items)))

    def perplexity(self, X: Any, y: Any = None) -> dict[str, float]:
        """Of each direction exp(−log P(generated | given) / generated words), under the parameters."""
        totals = self._totals(self._read(X, y))
        return {name: float(np.exp(-log_likelihood / words)) for name, (log_likelihood, words) in totals.items()}

    def _told(self, items: Bitext) -> dict[str, tuple[float, int]]:
        """What is said of a training text: an E-step of its own, so that it is of the model that links, and not of one
        before it. Of two directions trained together, which promise no likelihood, that of the last step will do."""
        if not self.agreed_:
            return self._totals(self._read(items, None))
        return {name: (side.log_likelihood(), side.tokens) for name, side in self.directions_.items()}

    def _totals(self, items: Bitext) -> dict[str, tuple[float, int]]:
        """Of each direction (log P, generated words), over pairs with words on both sides: a model of translations
        says nothing of the others, and training leaves them out as well."""
        items = items.within(self.longest)
        words = items.lengths.words[::-1]
        if not words.any():
            raise InputError(
                "no pair has words on both sides, so perplexity is not defined; give at least one such pair"
            )
        with self._engine() as engine:
            sums = self._found.log_norm_sums(engine, items)
        columns = {name: int(name == "reverse") for name in self.directions_}
        return {name: (float(sums[c]), int(words[c])) for name, c in columns.items()}

    def lexicon(self, least: float = 0.0) -> Iterator[tuple[str, str, float, float]]:
        """(source, target, p(target|source), p(source|target)), sorted, where either reaches `least`."""
        self._check_fitted("directions_")
        from softcount.links.lexicon import lexicon

        yield from lexicon(self.directions_, self.vocabularies_, least)

    @property
    def posterior_(self) -> dict[str, Ragged] | None:
        """λ of each direction's translation rows after variational Bayes, row 0 the empty word's; else None."""
        self._check_fitted("directions_")
        found = {f"{name}.translation": getattr(side, "posterior", None) for name, side in self.directions_.items()}
        return {name: table for name, table in found.items() if table is not None} or None

    @property
    def lexicon_(self) -> dict[str, list[tuple[str, float, float]]]:
        """source word → its (target word, p(target|source), p(source|target)), the most probable first."""
        found: dict[str, list[tuple[str, float, float]]] = {}
        for source, *rest in self.lexicon():
            found.setdefault(source, []).append(tuple(rest))  # type: ignore[arg-type]
        return {source: sorted(rows, key=lambda row: (-row[1], row[0])) for source, rows in found.items()}

    def sample(
        self, X: Any, lengths: Any = None, random_state: int | None = None
    ) -> tuple[list[list[str]], list[list[tuple[int, int]]]]:
        """A translation of every source sentence, word by word as the forward direction tells it, and its links.

        lengths : how many words each translation has: one number for all, or one each; as the source where not given
        """
        self._check_fitted("directions_")
        if "forward" not in self.directions_:
            raise InputError("sampling needs the forward direction; train with direction='both'")
        vocabularies = self.vocabularies_
        text = in_words_of(corpus(X, lowercase=self.lowercase), vocabularies[0])
        wanted = text.sentences.lengths if lengths is None else lengths_of(lengths, len(text))
        targets, links = [], []
        for words, places in self._found.drawn(text, wanted, np.random.default_rng(random_state)):
            targets.append(vocabularies[1].decode(words))
            links.append(sorted((i - 1, j) for j, i in enumerate(places.tolist()) if i > 0))
        return targets, links

    # --- within -----------------------------------------------------------------------------------------------------

    def _read(self, X: Any, y: Any) -> Bitext:
        """In the model's words; where both directions were trained together, new words come behind them."""
        self._check_fitted("directions_")
        data = self._cased(self._bitext(X, y))
        coded = self._found.coded
        sides = (coded(text, known) for text, known in zip((data.source, data.target), self.vocabularies_, strict=True))
        return data.recoded(*sides)

    def _bitext(self, X: Any, y: Any) -> Bitext:
        if y is None and isinstance(X, Bitext):
            return X
        return bitext(X, y).spelt() if self.characters else bitext(X, y)

    def _whole(self, X: Any, y: Any) -> Bitext:
        """The same in memory, without pairs that are too long."""
        data = in_memory(self._read(X, y), "per-pair results", "give a part of it")
        found: Bitext = data.within(self.longest)
        return found

    def _cased(self, data: Bitext) -> Bitext:
        return data.lowered if self.lowercase else data

    def _decoding(self) -> dict[str, Any]:
        """How links are made of what was trained, for signatures."""
        both = len(self.directions_) == 2
        rule = self._rule(None)
        return {
            "direction": "both" if both else next(iter(self.directions_)),
            **({} if rule.decode == "posterior" else {"decode": rule.decode}),
            "symmetrize": rule.name if both else "none",
            "threshold": rule.threshold if both and rule.name in THRESHOLDS else "none",
            "longest": self.longest or "any",
        }
