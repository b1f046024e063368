"""Metrics whose per-item statistics add: statistics per shard, summed, then one score."""

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

__all__ = [
    "TagScores",
    "ari",
    "cluster_scores",
    "contingency",
    "many_to_one",
    "nmi",
    "one_to_one",
    "score_tags",
    "tag_scores",
    "v_measure",
    "vi_bits",
]
