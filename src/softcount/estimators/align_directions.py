"""Both directions of a word aligner, or one, as training leaves them: trained apart, or together.

What is asked of a trained aligner does not depend on which: links, posteriors, log-probabilities, what a file keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from softcount.engines import Engine
from softcount.estimators import agreed_links, agreed_tables, align_decode, pair_score
from softcount.estimators.agreed import Agreed
from softcount.estimators.align_direction import Direction
from softcount.estimators.direction_file import from_body, to_body
from softcount.links.joining import Links, Rule
from softcount.loop.trace import Trace
from softcount.numbers.ragged import Array, Ragged
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

    def log_norms(self, engine: Engine, items: Bitext) -> Array: ...

    def explained(self, engine: Engine, items: Bitext) -> Array:
        """How much of each pair's sentences the other one explains (estimators/pair_score.py)."""

    def bodies(self) -> dict[str, Any]: ...

    def traces(self) -> dict[str, Trace]: ...

    def sizes(self) -> dict[str, int]: ...


class Apart(NamedTuple):
    directions: Mapping[str, Direction]

    def coded(self, text: Corpus, vocabulary: Vocabulary) -> Corpus:
        return in_words_of(text, vocabulary)

    def link_blocks(self, engine: Engine, items: Bitext, rule: Rule) -> Iterator[Links]:
        asked = align_decode.decoder(self.directions, items, rule)
        return align_decode.link_blocks(engine, items, asked)

    def posteriors(self, items: Bitext) -> dict[str, Ragged]:
        found = align_decode.posteriors(items, align_decode.decoder(self.directions, items))
        return {name: each.matrices for name, each in found.items()}

    def log_norms(self, engine: Engine, items: Bitext) -> Array:
        return align_decode.log_norms(engine, items, align_decode.decoder(self.directions, items, normed=True))

    def explained(self, engine: Engine, items: Bitext) -> Array:
        return pair_score.of_each(engine, items, self.directions)

    def bodies(self) -> dict[str, Any]:
        return {name: to_body(direction) for name, direction in self.directions.items()}

    def traces(self) -> dict[str, Trace]:
        return {name: direction.trace for name, direction in self.directions.items()}

    def sizes(self) -> dict[str, int]:
        return {f"{name} entries": len(d.model.entries.values) for name, d in self.directions.items()}


class Together(NamedTuple):
    agreed: Agreed

    def coded(self, text: Corpus, vocabulary: Vocabulary) -> Corpus:
        """New words come behind: of them spelling and positions say something."""
        return extended(text, vocabulary)

    def link_blocks(self, engine: Engine, items: Bitext, rule: Rule) -> Iterator[Links]:
        """The probability of a link by the mean is that of its being right; of other rules it is what they join."""
        return agreed_links.link_blocks(engine, items, agreed_links.question(self.agreed, items, rule))

    def posteriors(self, items: Bitext) -> dict[str, Ragged]:
        both = agreed_links.posteriors(items, agreed_links.question(self.agreed, items))
        return dict(zip(NAMES, both, strict=True))

    def log_norms(self, engine: Engine, items: Bitext) -> Array:
        return agreed_links.log_norms(engine, items, agreed_links.question(self.agreed, items))

    def explained(self, engine: Engine, items: Bitext) -> Array:
        return pair_score.of_both(engine, items, self.agreed)

    def bodies(self) -> dict[str, Any]:
        return {"both": agreed_tables.to_body(self.agreed)}

    def traces(self) -> dict[str, Trace]:
        return {"both": self.agreed.trace}

    def sizes(self) -> dict[str, int]:
        return {"entries": int(self.agreed.kept.sum())}

    def sides(self) -> dict[str, Any]:
        """As tables that can be shown."""
        return {name: agreed_tables.AgreedSide(self.agreed, number) for number, name in enumerate(NAMES)}


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
