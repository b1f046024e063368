"""Links and scores of sentence pairs, block by block on an engine, from the directions' own posteriors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.mre import reconstructing
from softcount.engines import Engine
from softcount.errors import ImpossibleItem
from softcount.estimators.asked import in_blocks
from softcount.links.joining import ANY, BEST, Links, Rule, link
from softcount.models.ibm_posterior import PairPosteriors, one_hot
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.shard import cut
from softcount.text.stored import opened

DECODINGS = ("posterior", "viterbi", "mre")


class Decoder(NamedTuple):
    """All that a block of pairs needs to be aligned; `weights` by direction, weighed once."""

    models: Mapping[str, Any]
    weights: Mapping[str, Any]
    rule: Rule

    def ask(self, fn: Callable[[Any, Decoder], Any], engine: Engine, items: Bitext) -> Iterator[Any]:
        """``fn(block, decoder)`` of every block of a text, in order."""
        return in_blocks(fn, engine, items, bounds_of(items, self.models), self)


def decoder(directions: Mapping[str, Any], items: Bitext, rule: Rule = ANY, normed: bool = False) -> Decoder:
    """With the decoding weights, or, where probabilities are asked for, the parameters: those sum to one.

    Under MRE's decision rule what a word emits counts twice, P(f | a) P(a | f).
    """
    models, weights = {}, {}
    for name, d in directions.items():
        side = items if name == "forward" else items.reverse()
        models[name], logs = d.model.on(d.log_parameters() if normed else d.log_weights, side)
        weights[name] = weighed(models[name], logs, rule)
    return Decoder(models, weights, rule)


def weighed(model: Any, logs: Any, rule: Rule) -> Any:
    return _emitted_twice(model, logs) if rule.decode == "mre" else model.weigh(logs)


def _emitted_twice(model: Any, logs: Any) -> Any:
    """Weights of P(a) P(f | a)²; of words that training never saw together as well."""
    weights = model.weigh(reconstructing(model.layout, logs))
    null_row = weights.null_row.copy()
    null_row[-1] **= 2
    return weights._replace(unseen=weights.unseen**2, unknown=weights.unknown**2, null_row=null_row)


def posteriors(items: Bitext, asked: Decoder) -> dict[str, PairPosteriors]:
    found = {}
    for name, model in asked.models.items():
        side = items if name == "forward" else items.reverse()
        found[name] = model.posteriors(asked.weights[name], model.pack(side))
    return found


def best(items: Bitext, asked: Decoder) -> dict[str, Ragged]:
    """The best alignment of every direction, by Viterbi's algorithm, as matrices of ones and zeros."""
    found = {}
    for name, model in asked.models.items():
        side = items if name == "forward" else items.reverse()
        links = _best(model, asked.weights[name], side)
        found[name] = one_hot(links, side.source.sentences.lengths, side.target.sentences)
    return found


def _best(model: Any, weights: Any, side: Bitext) -> Array:
    """Chosen links, 1 + position, or 0; none in a pair without any possible alignment."""
    try:
        links: Array = model.expect(weights, model.pack(side), MAX, labels=True)[1].values
        return links
    except ImpossibleItem:
        if len(side) == 1:
            return np.zeros(len(side.target.sentences.values), np.int32)
        middle = len(side) // 2
        halves = side.slice(0, middle), side.slice(middle, len(side))
        return np.concatenate([_best(model, weights, half) for half in halves])


def matrices(items: Bitext, asked: Decoder) -> dict[str, Ragged]:
    """What links are made of."""
    if asked.rule.decode in BEST:
        return best(items, asked)
    return {name: each.matrices for name, each in posteriors(items, asked).items()}


def bounds_of(items: Bitext, models: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Where the text is cut."""
    return cut(items, _token_pairs, next(iter(models.values())).shard_cost)


# --- what crosses the engine ----------------------------------------------------------------------------------------


def _token_pairs(items: Bitext) -> Array:
    found: Array = items.token_pairs
    return found


def linked(part: Any, asked: Decoder) -> Links:
    part = opened(part)
    found = matrices(part, asked)
    forward, reverse = (found.get(name) for name in ("forward", "reverse"))
    lengths = part.source.sentences.lengths, part.target.sentences.lengths
    return link(asked.rule.name, *lengths, forward, reverse, asked.rule.threshold)


def log_norm_sums(part: Any, asked: Decoder) -> Array:
    """[2]: of the pairs with words on both sides."""
    pairs = opened(part)
    return np.asarray(log_norms(pairs, asked)[pairs.both].sum(axis=0))


def log_norms(part: Any, asked: Decoder) -> Array:
    """[pairs, 2]: log P(target | source), log P(source | target); NaN for a direction that is not there."""
    part = opened(part)
    norms = np.full((len(part), 2), np.nan)
    for name, each in posteriors(part, asked).items():
        norms[:, int(name == "reverse")] = each.log_norms
    return norms
