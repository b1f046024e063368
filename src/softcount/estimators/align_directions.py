"""Both directions of a word aligner, or one, as training leaves them: trained apart, or together.

What is asked of a trained aligner does not depend on which: links, posteriors, log-probabilities, what a file keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from softcount.engines import Engine
from softcount.estimators import agreed_links, agreed_tables, align_decode, pair_score, ranged_decode, ranged_links
from softcount.estimators.agreed import Agreed
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.align_direction import Direction
from softcount.estimators.asked import stacked
from softcount.estimators.direction_file import from_body, to_body
from softcount.estimators.sampling import draw, draw_links, jumped
from softcount.links.joining import AGAIN, ANY, Links, Rule
from softcount.loop.trace import Trace
from softcount.models.agreement_places import TABLED
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.rounds import add_up
from softcount.text.bitext import Bitext
from softcount.text.casing import extended, in_words_of
from softcount.text.corpus import Corpus
from softcount.text.vocabulary import Vocabulary

NAMES = ("forward", "reverse")


class Directions(Protocol):
    def coded(self, text: Corpus, vocabulary: Vocabulary) -> Corpus:
        """New text in the words of training."""

    def link_blocks(self, engine: Engine, items: Bitext, rule: Rule) -> Iterator[Links]: ...

    def posteriors(self, items: Bitext) -> dict[str, Ragged]: ...

    def log_norms(self, engine: Engine, items: Bitext, again: bool = False) -> Array: ...

    def log_norm_sums(self, engine: Engine, items: Bitext) -> Array:
        """[2]: of all pairs with words on both sides."""

    def explained(self, engine: Engine, items: Bitext) -> Array:
        """How much of each pair's sentences the other one explains (estimators/pair_score.py)."""

    def drawn(self, text: Corpus, lengths: Array, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
        """Of every sentence a translation: the target words, and the source places (0: the empty word) of each."""

    def bodies(self) -> dict[str, Any]: ...

    def traces(self) -> dict[str, Trace]: ...

    def sizes(self) -> dict[str, int]: ...


class Apart(NamedTuple):
    directions: Mapping[str, Direction]

    def coded(self, text: Corpus, vocabulary: Vocabulary) -> Corpus:
        return in_words_of(text, vocabulary)

    def link_blocks(self, engine: Engine, items: Bitext, rule: Rule) -> Iterator[Links]:
        return ranged_decode.decoder(engine, self.directions, items, rule).ask(align_decode.linked, engine, items)

    def posteriors(self, items: Bitext) -> dict[str, Ragged]:
        found = align_decode.posteriors(items, align_decode.decoder(self.directions, items))
        return {name: each.matrices for name, each in found.items()}

    def log_norms(self, engine: Engine, items: Bitext, again: bool = False) -> Array:
        asked = ranged_decode.decoder(engine, self.directions, items, AGAIN if again else ANY, normed=True)
        return stacked(asked.ask(align_decode.log_norms, engine, items))

    def log_norm_sums(self, engine: Engine, items: Bitext) -> Array:
        asked = ranged_decode.decoder(engine, self.directions, items, normed=True)
        return np.asarray(add_up(asked.ask(align_decode.log_norm_sums, engine, items)))

    def explained(self, engine: Engine, items: Bitext) -> Array:
        return pair_score.of_each(engine, items, self.directions)

    def drawn(self, text: Corpus, lengths: Array, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
        forward = self.directions["forward"]
        entries, translation = forward.model.entries, forward.parameters.translation
        for words, m in zip(text.sentences.rows(), lengths.tolist(), strict=True):
            links = draw_links(forward.model, forward.log_weights.alignment, len(words), m, rng)
            rows = np.append(0, words + 1)[links]
            yield np.array([_drawn(entries.row(r), translation.row(r), rng) for r in rows], np.int64), links

    def bodies(self) -> dict[str, Any]:
        return {name: to_body(direction) for name, direction in self.directions.items()}

    def traces(self) -> dict[str, Trace]:
        return {name: direction.trace for name, direction in self.directions.items()}

    def sizes(self) -> dict[str, int]:
        return {f"{name} entries": len(d.model.entries.values) for name, d in self.directions.items()}


class Together(NamedTuple):
    agreed: Agreed | Lazy

    def coded(self, text: Corpus, vocabulary: Vocabulary) -> Corpus:
        """New words come behind: of them spelling and positions say something."""
        return extended(text, vocabulary)

    def link_blocks(self, engine: Engine, items: Bitext, rule: Rule) -> Iterator[Links]:
        """The probability of a link by the mean is that of its being right; of other rules it is what they join."""
        return ranged_links.question(engine, self.agreed, items, rule).ask(agreed_links.linked, engine, items)

    def posteriors(self, items: Bitext) -> dict[str, Ragged]:
        both = agreed_links.posteriors(items, agreed_links.question(self.agreed, items))
        return dict(zip(NAMES, both, strict=True))

    def log_norms(self, engine: Engine, items: Bitext, again: bool = False) -> Array:
        asked = ranged_links.question(engine, self.agreed, items, AGAIN if again else ANY)
        return stacked(asked.ask(agreed_links.log_norms, engine, items))

    def log_norm_sums(self, engine: Engine, items: Bitext) -> Array:
        asked = ranged_links.question(engine, self.agreed, items)
        return np.asarray(add_up(asked.ask(agreed_links.log_norm_sums, engine, items)))

    def explained(self, engine: Engine, items: Bitext) -> Array:
        return pair_score.of_both(engine, items, self.agreed)

    def drawn(self, text: Corpus, lengths: Array, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
        """By the HMM over positions, or Models 1 and 2; fertilities, which are a mean-field affair, have no say."""
        longest = max(self.agreed.model.longest, int(text.sentences.lengths.max(initial=1)))
        model = self.agreed.model._replace(longest=longest)
        weights = model.weigh(self.agreed.log_weights)
        forward, rows, null = weights.directions[0], self.agreed.rows, 1.0 - float(weights.linked[0])
        every = np.arange(len(forward.null) - 1)
        for words, m in zip(text.sentences.rows(), lengths.tolist(), strict=True):
            if model.positions:
                links = jumped(forward, words, m, null, rng)
            elif model.alignment in TABLED:
                links = draw_links(*agreed_tables.as_model2(self.agreed, 0), len(words), m, rng)
            else:
                links = rng.integers(1, len(words) + 1, m) * (rng.random(m) >= null) if len(words) else np.zeros(m, int)
            found = []
            for place in links.tolist():
                e = int(words[place - 1]) if place else -1  # of an unknown word nothing is known
                columns = rows.row(e) if e >= 0 else every
                rates = weights.rates[rows.offsets[e] : rows.offsets[e + 1], 0] if e >= 0 else forward.null[:-1]
                found.append(_drawn(columns, rates, rng))
            yield np.array(found, np.int64), links

    def bodies(self) -> dict[str, Any]:
        return {"both": agreed_tables.to_body(self.agreed)}

    def traces(self) -> dict[str, Trace]:
        return {"both": self.agreed.trace}

    def sizes(self) -> dict[str, int]:
        return {"entries": len(self.agreed.kept.counts)}

    def sides(self) -> dict[str, Any]:
        """As tables that can be shown."""
        return {name: agreed_tables.AgreedSide(self.agreed, number) for number, name in enumerate(NAMES)}


def _drawn(columns: Array, weights: Array, rng: np.random.Generator) -> int:
    """One of the columns; −1, an unknown word, where there is none to choose from."""
    if not len(columns) or not np.sum(weights) > 0.0:
        return -1
    return int(columns[draw(np.asarray(weights)[None], np.zeros(1, np.int64), rng)[0]])


def from_bodies(
    bodies: Any, traces: Mapping[str, Trace], vocabularies: tuple[Vocabulary, Vocabulary]
) -> Apart | Together:
    """What a file holds, checked."""
    if not isinstance(bodies, dict) or not bodies or not bodies.keys() <= {*NAMES, "both"}:
        raise ValueError("no direction")
    if bodies.keys() != traces.keys():
        raise ValueError("a trace for each direction, and no other")
    source, target = vocabularies
    if "both" in bodies:
        return Together(agreed_tables.from_body(bodies["both"], traces["both"], (source.words, target.words)))
    sizes = len(source), len(target)
    return Apart(
        {
            name: from_body(body, traces[name], *(sizes if name == "forward" else sizes[::-1]))
            for name, body in bodies.items()
        }
    )
