"""Metrics whose per-item statistics add: statistics per shard, summed, then one score."""

from typing import TYPE_CHECKING, Any

from softcount.evaluate.clustering import (
    TagScores,
    ari,
    cluster_scores,
    contingency,
    many_to_one,
    nmi,
    one_to_one,
    score_tags,
    tag_scores,
    v_measure,
    vi_bits,
)
from softcount.evaluate.interval import Interval, bootstrap
from softcount.evaluate.links import LinkCounts, LinkScores, count_links, link_scores, total

if TYPE_CHECKING:
    from softcount.evaluate.topics import npmi

__all__ = [
    "Interval",
    "LinkCounts",
    "LinkScores",
    "TagScores",
    "ari",
    "bootstrap",
    "cluster_scores",
    "contingency",
    "count_links",
    "link_scores",
    "many_to_one",
    "nmi",
    "npmi",
    "one_to_one",
    "score_tags",
    "tag_scores",
    "total",
    "v_measure",
    "vi_bits",
]


def __getattr__(name: str) -> Any:
    """Tables of documents take SciPy, which scores of tags and links do without."""
    if name == "npmi":
        from softcount.evaluate.topics import npmi

        return npmi
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
