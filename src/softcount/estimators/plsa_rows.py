"""Topics of documents whose rows stay where the documents are: in a cluster's workers, or in files.

What is learned has the bits that it has with all rows in memory. At the end the rows of documents in files come to a
file, too, which is mapped into memory, so that a model may have more documents than memory has room for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.criteria.spec import Stage, by_families
from softcount.engines import Engine
from softcount.engines.engine import Keeping
from softcount.families.spread import Spread
from softcount.loop.item_rows import ItemRows
from softcount.loop.train import Fit
from softcount.machine.mapped import in_file
from softcount.models.plsa import PLSATables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Log
from softcount.text.stored import Stored

ELSEWHERE = ("mre", "stepwise", "constrained")  # criteria that tables in ranges know, and rows of documents do not


def keeps_rows(settings: Any, stages: list[Stage], data: Any, engine: Engine, checkpoint: Any) -> bool:
    """Whether rows may stay where they are: the engine keeps them, and nobody wants all of them at once."""
    apart = isinstance(data, Stored) or not engine.near
    begins = not isinstance(data, Stored) or settings.start in ("random", "uniform")
    here = checkpoint is not None and engine.near  # what is read from one would be in memory
    nothing = not here and not settings.held_out and not settings.fixed and not settings._beginning
    # `mre` squares words alone, in double precision, and kernels want documents' rows to be like them. A mini-batch
    # has documents from anywhere, and no rows of others.
    ways = len(data) > 0 and all(by_families(stage) and stage.name not in ELSEWHERE for stage in stages)
    return isinstance(engine, Keeping) and apart and begins and nothing and ways


def foretold(settings: Any, data: Any, checkpoint: Any) -> tuple[str, ...]:
    """What is said before training, where rows could have stayed with a cluster's workers, and do not."""
    engine = settings.engine
    if isinstance(engine, str) or engine.near or keeps_rows(settings, settings._stages(), data, engine, checkpoint):
        return ()
    return (
        (
            "topic proportions are kept in this process and sent in every iteration; em, vb, hard and "
            "annealed without fixed tables or held-out documents keep them with their documents"
        ),
    )


def started(rows: ItemRows, topic: Spread | Array, dtype: str) -> Spread:
    """The start's rows, where they will be."""
    if isinstance(topic, Spread):
        return rows.family.of_kind(topic, dtype)
    return rows.spread(np.ascontiguousarray(topic, dtype=dtype))


def gathered(rows: ItemRows, result: Fit, stored: bool) -> Fit:
    """With the rows of all documents, in memory or in a file."""
    room: Any = in_file if stored else np.empty
    topic = rows.family.gathered(result.parameters.topic, room)
    logs = PLSATables(Log(topic), result.log_weights.word)  # which nobody decodes with: documents are folded in
    posterior = result.posterior
    if posterior is not None:
        posterior = posterior._replace(topic=rows.family.gathered(posterior.topic, room))
    return result._replace(parameters=result.parameters._replace(topic=topic), log_weights=logs, posterior=posterior)
