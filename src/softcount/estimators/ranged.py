"""Whether a word aligner's tables stay in ranges of source words, kept by an engine's workers, while they are trained.

Where something has a say that looks at all entries at once, they are whole in the process that trains; it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.spec import Stage, by_families
from softcount.engines.engine import Keeping
from softcount.loop.ranged_text import MOST_PARTS, most_parts
from softcount.models.link_crf import LinkCRF

CRITERIA = {
    "gibbs": "draws all rows from one stream of random numbers",
    "direct": "follows a gradient of all entries",
}
OTHERS = "looks at all entries at once"


def is_far(engine: Any) -> bool:
    """Whether the engine has workers elsewhere, which keep what they find."""
    return isinstance(engine, Keeping) and not engine.near


def whole_because(job: Any) -> str | None:
    """Why tables are whole, in words; None where they may be in ranges."""
    settings, stages = job.settings, [stage for model in job.planned.stages for stage in model.criteria]
    parts = _parts(job, stages)
    reasons = {
        "features are weighed by all entries that have them": settings.features is not None,
        "pseudo-counts of a stage come on top of a prior model's": bool(
            job.before and job.planned.together and any("pseudo" in stage.text for stage in stages)
        ),
        (
            f"weights and mini-batches would divide the text into {parts:,} parts, more than "
            f"{MOST_PARTS:,}; round the weights, or use fewer batches"
        ): parts > MOST_PARTS,
        "mre asks each range alone, and strengths of stems are chosen by all of them": _by_all(job, stages),
        "both directions are trained side by side": job.planned.symmetric,
        "there is no text": len(job.data) == 0,
    }
    return _because(stages) or next((why for why, holds in reasons.items() if holds), None)


def _by_all(job: Any, stages: Sequence[Stage]) -> bool:
    """Whether strengths are chosen where every row is asked by itself."""
    apart = bool(job.planned.stems) and not job.planned.together and job.settings.stem_strength == "evidence"
    return apart and any(stage.innermost.name == "mre" for stage in stages)


def _parts(job: Any, stages: Sequence[Stage]) -> int:
    """Into how many the text is cut by weights and mini-batches."""
    weights = np.ones(1) if job.weights is None else job.weights
    n_batches = max((stage.n_batches for stage in stages), default=0)
    return most_parts(job.data, len(np.unique(weights[weights > 0.0])), n_batches)


def _because(stages: Sequence[Stage]) -> str | None:
    """Of the first criterion that cannot do without them."""
    for stage in stages:
        if not by_families(stage):
            names = [stage.name, stage.innermost.name]
            name = next((one for one in names if one in CRITERIA), stage.name)
            return f"{name} {CRITERIA.get(name, OTHERS)}"
    return None


def note_of(job: Any) -> tuple[str, ...]:
    """What is said of it, where the engine could have kept them in ranges."""
    why = whole_because(job) if is_far(job.engine) else None
    return () if why is None else (f"translation tables are kept whole in this process instead of partitioned: {why}",)


class Asked(NamedTuple):
    """What `whole_because` looks at of a training."""

    settings: Any
    planned: Any
    data: Any
    engine: Any
    before: Any
    weights: Any = None


def foretold(settings: Any, planned: Any, data: Any) -> tuple[str, ...]:
    """The same before training, of an aligner that is given no weights."""
    return note_of(Asked(settings, planned, data, settings.engine, settings.prior))


def linking_note(model: Any) -> tuple[str, ...]:
    """What is said of linking by a trained aligner, where the engine could have been asked in ranges."""
    apart = () if model.agreed_ else model.directions_.values()
    if not any(isinstance(side.model, LinkCRF) for side in apart):
        return ()
    return (
        (
            "for linking, every machine receives the whole translation table, because a CRF weighs features "
            "of all word pairs"
        ),
    )
