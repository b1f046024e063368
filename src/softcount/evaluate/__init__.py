"""Evaluation metrics for tags, clusters, word links, topics and parse trees, with confidence intervals and tests.

Read more in the :doc:`guide to comparing systems </how-to/compare>`.
"""

from importlib import import_module
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
    from softcount.evaluate.comparison import (
        Compared,
        Difference,
        compare,
        compare_clusters,
        compare_links,
        compare_tags,
        compare_trees,
    )
    from softcount.evaluate.scores import (
        Measured,
        measure_clusters,
        measure_links,
        measure_tags,
        measure_topics,
        measure_trees,
    )
    from softcount.evaluate.topics import c_v, diversity, npmi
    from softcount.evaluate.trees import TreeCounts, TreeScores, count_brackets, tree_scores

__all__ = [
    "Compared",
    "Difference",
    "Interval",
    "LinkCounts",
    "LinkScores",
    "Measured",
    "TagScores",
    "TreeCounts",
    "TreeScores",
    "ari",
    "bootstrap",
    "c_v",
    "cluster_scores",
    "compare",
    "compare_clusters",
    "compare_links",
    "compare_tags",
    "compare_trees",
    "contingency",
    "count_brackets",
    "count_links",
    "diversity",
    "link_scores",
    "many_to_one",
    "measure_clusters",
    "measure_links",
    "measure_tags",
    "measure_topics",
    "measure_trees",
    "nmi",
    "npmi",
    "one_to_one",
    "score_tags",
    "tag_scores",
    "total",
    "tree_scores",
    "v_measure",
    "vi_bits",
]


_HOME = {
    **dict.fromkeys(["c_v", "diversity", "npmi"], "topics"),
    **dict.fromkeys(["TreeCounts", "TreeScores", "count_brackets", "tree_scores"], "trees"),
    **dict.fromkeys(
        ["Compared", "Difference", "compare", *(f"compare_{what}" for what in ("clusters", "links", "tags", "trees"))],
        "comparison",
    ),
    **dict.fromkeys(
        ["Measured", *(f"measure_{what}" for what in ("clusters", "links", "tags", "topics", "trees"))], "scores"
    ),
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """What few need, when it is asked for: tables of documents take SciPy, which scores of tags do without."""
        if name in _HOME:
            return getattr(import_module(f"softcount.evaluate.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
