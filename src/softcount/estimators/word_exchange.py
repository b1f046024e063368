"""Passes over all words, each moving to its best class: by neighbours side by side, or by frames of both.

    exchange:4,frames:3        four passes of the one, then three of the other

The trace has a step for every pass: J before it, and how many words moved. Under `exchange` J never falls; `frames`
has another J at every pass, because the frames are looked at anew, and within the pass that J never falls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from softcount.disk.checkpoint import Slot
from softcount.errors import InputError
from softcount.loop.trace import CONVERGED, DONE, Ending, Step, Trace
from softcount.machine import stage as shown
from softcount.models.word_classes import LEAST, WordClasses
from softcount.models.word_classes_kernel import Weights, WordTypes
from softcount.models.word_frames import WordFrames
from softcount.numbers.ragged import Array, Ragged

MOST_CELLS = 1 << 27  # frames × classes that may stand in memory: a gigabyte
USUAL = {"exchange": 4, "frames": 3}  # passes, where nobody says how many
MOST_DIGITS = 10  # of a number of passes


class Stage(NamedTuple):
    kind: str
    passes: int

    @property
    def text(self) -> str:
        return f"{self.kind}:{self.passes}"


class Saved(NamedTuple):
    """What a checkpoint holds of the passes so far."""

    classes: Array
    steps: list[Step]
    stage: int  # the one that the last step was of


def stages_of(criterion: str) -> list[Stage]:
    """``exchange:4,frames:3`` in parts."""
    return [_stage(part.strip(), criterion) for part in criterion.split(",")]


def _stage(part: str, criterion: str) -> Stage:
    kind, _, passes = part.partition(":")
    if kind not in USUAL:
        raise InputError(
            f"criterion {part!r}: not available for word classes; use exchange and frames, as in exchange:4,frames:3"
        )
    if passes and not (passes.isascii() and passes.isdigit() and len(passes) < MOST_DIGITS):
        raise InputError(
            f"criterion {criterion!r}: the number of passes must be a number, not {passes[:20]!r}; write exchange:4"
        )
    return Stage(kind, int(passes) if passes else USUAL[kind])


class Passes:
    """What the passes share: the text, the classes of its words, and the record of what happened."""

    def __init__(
        self, sentences: Ragged, text: WordTypes, n_classes: int, weights: Weights, tolerance: float,
        on_step: Callable[[Step], None] | None, slot: Slot | None,
    ) -> None:  # fmt: skip
        self.sentences, self.text, self.tolerance = sentences, text, tolerance
        self.neighbours, self.framed = WordClasses(n_classes, weights), WordFrames(n_classes, weights)
        self.on_step, self.slot = on_step, slot
        self.trace, self.stage = Trace(), 0
        self.objective, self.sure = float("nan"), np.ones(0)

    def run(self, classes: Array, stages: list[Stage], done: Saved | None = None) -> Passes:
        """All stages, or what is left of them; afterwards the classes, their objective, and how sure each is."""
        self.classes = (classes if done is None else done.classes).astype(np.int64)
        self.trace += [] if done is None else done.steps
        first = 0 if done is None else done.stage
        self._end()
        for self.stage in range(first, len(stages)):
            begun = self.trace[-1].step if self.trace and done is not None and self.stage == first else 0
            if not (begun and self._settled()):
                self._passes(stages[self.stage], begun)
        self._judge(stages[-1].kind)
        if self.slot:
            self.slot.finish(self._saved())
        return self

    def _passes(self, stage: Stage, begun: int) -> None:
        shown.begin(stage.text, stage.passes, "steps")
        for number in range(begun + 1, stage.passes + 1):
            began, done = time.perf_counter(), self._pass(stage.kind)
            if done is None:
                return
            self._record(stage.text, number, done, began)
            if self._settled():
                break

    def _pass(self, kind: str, least: float = LEAST) -> tuple[float, int, float, Array] | None:
        """J before it, how many words moved, by how much J rose, how sure each class is; None where it has no room."""
        if kind == "exchange":
            count = self.neighbours.counts(self.text, self.classes)
            objective = self.neighbours.objective(self.text, count)
            return objective, *self.neighbours.exchange(self.text, self.classes, count, least=least)
        frames, K = self.framed.frames(self.sentences, self.classes), self.framed.n_classes
        if len(frames.shares) * K > MOST_CELLS:
            self.trace.remarks = (f"{K} classes are too many for context frames; only single neighbors are used",)
            return None
        inside = self.framed.counts(frames, self.text, self.classes)
        objective = self.framed.objective(frames, self.text, inside)
        return objective, *self.framed.exchange(frames, self.text, self.classes, inside, least=least)

    def _judge(self, kind: str) -> None:
        """The objective, and how sure each class is: by a pass in which nothing moves."""
        shown.begin("how sure each class is")
        judged = self._pass(kind, np.inf) or self._pass("exchange", np.inf)
        assert judged is not None
        self.objective, _, _, self.sure = judged

    def _settled(self) -> bool:
        change = self.trace[-1].change
        return change is not None and change <= self.tolerance

    def _record(self, stage: str, number: int, done: tuple[float, int, float, Array], began: float) -> None:
        objective, moved, rise, _ = done
        parts: dict[str, Any] = {"moved": moved, "rise": rise}
        change = rise / max(abs(objective), 1e-300)
        self.trace.append(Step(0, stage, number, objective, change, parts, time.perf_counter() - began))
        self._end()
        shown.reach(number, self.trace[-1])
        if self.on_step:
            self.on_step(self.trace[-1])
        if self.slot:
            self.slot.keep(f"{stage}, pass {number}", self._saved)

    def _end(self) -> None:
        if not self.trace:
            return
        passes = f"{self.trace[-1].step} pass{'es' * (self.trace[-1].step > 1)} done"
        moved, settled = self.trace[-1].parts["moved"], self._settled()
        text = passes if not settled else "converged: " + ("hardly a word" if moved else "no word") + " moves any more"
        self.trace.stopped = Ending(CONVERGED if settled else DONE, text)

    def _saved(self) -> Saved:
        return Saved(self.classes, list(self.trace), self.stage)
