"""Passes over all words, each moving to its best class: first by neighbours side by side, then by frames of both.

The trace has a step for every pass: J before it, and how many words moved. Under `exchange` J never falls; `frames`
has another J at every pass, because the frames are looked at anew, and within the pass that J never falls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softcount.loop.trace import CONVERGED, DONE, Ending, Step, Trace
from softcount.models.word_classes import WordClasses
from softcount.models.word_classes_kernel import Weights, WordTypes
from softcount.models.word_frames import WordFrames
from softcount.numbers.ragged import Array, Ragged

MOST_CELLS = 1 << 27  # frames × classes that may stand in memory: a gigabyte
SETTLED = Ending(CONVERGED, "converged: no word moves any more")


class Passes:
    """What the passes share: the text, the classes of its words, and the record of what happened."""

    def __init__(
        self, sentences: Ragged, text: WordTypes, classes: Array, on_step: Callable[[Step], None] | None
    ) -> None:
        self.sentences, self.text, self.classes, self.on_step = sentences, text, classes, on_step
        self.trace = Trace()
        self.objective, self.sure = float("nan"), np.ones(len(classes))

    def exchange(self, model: WordClasses, passes: int) -> None:
        """By neighbours; afterwards how sure each class is."""
        count = model.counts(self.text, self.classes)
        for number in range(1, passes + 1):
            began, objective = time.perf_counter(), model.objective(self.text, count)
            moved, rise, _ = model.exchange(self.text, self.classes, count)
            self._record(f"exchange:{passes}", number, objective, rise, moved, began)
            if not moved:
                break
        self.objective = model.objective(self.text, count)
        self.sure = model.exchange(self.text, self.classes, count, least=np.inf)[2]  # nothing moves

    def frames(self, model: WordFrames, passes: int) -> None:
        """By frames, looked at anew in every pass; afterwards how sure each class is."""
        for number in range(1, passes + 2):
            began, frames = time.perf_counter(), model.frames(self.sentences, self.classes)
            if len(frames.shares) * model.n_classes > MOST_CELLS:
                self.trace.remarks += (f"{model.n_classes} classes have too many frames; neighbours alone decide",)
                return
            count = model.counts(frames, self.text, self.classes)
            objective = model.objective(frames, self.text, count)
            if number > passes:
                break
            moved, rise, _ = model.exchange(frames, self.text, self.classes, count)
            self._record(f"frames:{passes}", number, objective, rise, moved, began)
        self.objective = objective
        self.sure = model.exchange(frames, self.text, self.classes, count, least=np.inf)[2]

    def _record(self, stage: str, number: int, objective: float, rise: float, moved: int, began: float) -> None:
        parts: dict[str, Any] = {"moved": moved, "rise": rise}
        change = rise / max(abs(objective), 1e-300)
        self.trace.append(Step(0, stage, number, objective, change, parts, time.perf_counter() - began))
        self.trace.stopped = Ending(DONE, f"{number} passes done") if moved else SETTLED
        if self.on_step:
            self.on_step(self.trace[-1])


def moved_to_best(
    sentences: Ragged, text: WordTypes, classes: Array, n_classes: int, weights: Weights, passes: int,
    frame_passes: int, on_step: Callable[[Step], None] | None = None,
) -> Passes:  # fmt: skip
    """The classes after all passes, with their trace."""
    done = Passes(sentences, text, classes.astype(np.int64), on_step)
    done.exchange(WordClasses(n_classes, weights), passes)
    if frame_passes:
        done.frames(WordFrames(n_classes, weights), frame_passes)
    return done
