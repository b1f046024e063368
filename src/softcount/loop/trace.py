"""What happened during training, step by step; kept with the model."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, NamedTuple

from softcount.errors import count_nouns

CONVERGED, DONE, FELL, HELD_OUT = "converged", "done", "fell", "held-out"
READ_OFF = "rules and probabilities were read off the trees"
FEW = 3  # notes of one kind that are shown; the rest is counted


def count_iterations(n: int) -> str:
    """``1 iteration``, ``1,200 iterations``."""
    return count_nouns(n, "iterations")


class Ending(NamedTuple):
    """Why a stage ended."""

    kind: str  # CONVERGED, DONE (all of its steps), FELL (the objective) or HELD_OUT (its likelihood rises no more)
    text: str  # in plain words


class Note(NamedTuple):
    """Something worth saying; notes with the same text are of one kind, whatever each is about."""

    text: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.about} {self.text}".lstrip()


class Step(NamedTuple):
    """The objective is that of the parameters before the step's update."""

    restart: int
    stage: str
    step: int
    objective: float
    change: float | None  # relative to the step before; None for a stage's first
    parts: Mapping[str, float]
    seconds: float
    notes: tuple[Note, ...] = ()


RECORDS = (Ending, Note, Step)  # of which files keep a trace


class Trace(list[Step]):
    """The steps of all stages of all restarts, in order."""

    stopped: Ending = Ending(DONE, "no iterations")  # why the chosen restart's last stage ended
    remarks: tuple[str, ...] = ()  # what is worth saying of the data

    @property
    def parts(self) -> dict[str, Trace]:
        """Of a model that is trained in several parts, the trace of each by its name; else this one."""
        return {"": self}

    @property
    def objectives(self) -> list[float]:
        return [step.objective for step in self]

    @property
    def notes(self) -> list[str]:
        return [*self.remarks, *(str(note) for step in self for note in step.notes)]

    def told(self) -> list[str]:
        """The notes for a reader: each once, a few of each kind, and how many more there are."""
        return [*dict.fromkeys(self.remarks), *gathered(note for step in self for note in step.notes)]

    def stages(self) -> Iterator[tuple[int, str, list[Step]]]:
        """(restart, stage, its steps), in the order in which they ran."""
        group: list[Step] = []
        for step in self:
            same = group and (group[-1].restart, group[-1].stage) == (step.restart, step.stage)
            if group and not (same and step.step > group[-1].step):  # a stage may come twice
                yield group[-1].restart, group[-1].stage, group
                group = []
            group.append(step)
        if group:
            yield group[-1].restart, group[-1].stage, group

    def panels(self) -> dict[str, list[list[Step]]]:
        """The runs of each stage, one a restart: only their objectives can be compared. Twins are numbered."""
        found: dict[str, list[list[Step]]] = {}
        times: dict[tuple[int, str], int] = {}
        for restart, stage, steps in self.stages():
            n = times[restart, stage] = times.get((restart, stage), 0) + 1
            found.setdefault(stage if n == 1 else f"{stage} ({n})", []).append(steps)
        return found

    def table(self) -> list[dict[str, Any]]:
        """One flat record per step, for a data frame or a TSV file."""
        return [
            {**{k: v for k, v in step._asdict().items() if k not in ("parts", "notes")}, **step.parts} for step in self
        ]

    def plot(self, axes: Any = None) -> Any:
        """Objective against step: a panel per stage, since their objectives differ, and a line per restart."""
        return _drawn(self.panels(), axes)


class Traces(Trace):
    """The trace of a model that is trained in several parts, such as an aligner's directions.

    All steps, part after part; where there are several parts, a stage is called "part: stage". `parts` has each part's
    own trace by its name, and so has `traces["forward"]`.
    """

    def __init__(self, parts: Mapping[str, Trace]) -> None:
        super().__init__()
        for name, trace in parts.items():
            self[name] = trace

    @property
    def parts(self) -> dict[str, Trace]:
        found: dict[str, Trace] = self.__dict__.setdefault("_parts", {})
        return found

    def __getitem__(self, which: Any) -> Any:
        return self.parts[which] if isinstance(which, str) else super().__getitem__(which)

    def __setitem__(self, name: Any, trace: Any) -> None:
        self.parts[name] = trace
        several = len(self.parts) > 1
        super().__setitem__(slice(None), [
            step._replace(stage=f"{part}: {step.stage}") if several else step
            for part, steps in self.parts.items() for step in steps
        ])  # fmt: skip
        self.stopped = trace.stopped
        self.remarks = tuple(dict.fromkeys(remark for each in self.parts.values() for remark in each.remarks))

    def keys(self) -> KeysView[str]:
        return self.parts.keys()

    def values(self) -> ValuesView[Trace]:
        return self.parts.values()

    def items(self) -> ItemsView[str, Trace]:
        return self.parts.items()


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8f98", "#a37c00")  # for all eyes


def _drawn(panels: Mapping[str, list[list[Step]]], axes: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'softcount[plot]'") from None
    if axes is None:
        size = (4.5 * len(panels), 3.2)
        axes = plt.subplots(1, len(panels), figsize=size, squeeze=False, layout="constrained")[1][0]
    for (stage, runs), panel in zip(panels.items(), [axes] if hasattr(axes, "plot") else list(axes), strict=True):
        for run in runs:
            look = {"color": COLOURS[run[0].restart % len(COLOURS)], "marker": "o" if len(run) < 10 else None}
            panel.plot([s.step for s in run], [s.objective for s in run], label=f"restart {run[0].restart + 1}", **look)
        panel.set(title=stage, xlabel="step", ylabel="objective (nats)")
        panel.locator_params(axis="x", integer=True)
        if max(map(len, runs)) == 1:  # whole numbers alone, also where there is one
            panel.set_xticks(sorted({run[0].step for run in runs}))
        panel.spines[["top", "right"]].set_visible(False)
        if len(runs) > 1:
            panel.legend(frameon=False, fontsize="small")
    return axes


def gathered(notes: Iterable[Note]) -> list[str]:
    """A few notes of each kind, and how many more there are."""
    kinds: dict[str, dict[Note, None]] = {}
    for note in notes:
        kinds.setdefault(note.text, {})[note] = None
    lines = []
    for alike in kinds.values():
        lines += [str(note) for note in list(alike)[:FEW]]
        lines += [f"… and {len(alike) - FEW:,} more like these"] if len(alike) > FEW else []
    return lines
