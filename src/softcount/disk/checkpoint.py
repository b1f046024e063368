"""Work that survives: the state of a run on disk, from which the same run goes on to the same bits.

A run consists of one or more fits (an aligner's directions and models, say), each under its own key. The file holds
what the run is of, the results of the fits that are finished, and the position within the one that is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from softcount.disk.store import Room, Stored, save, short
from softcount.errors import InputError
from softcount.machine.signals import Stopped, Wish, postponed

KIND = "checkpoint"
EVERY = 10  # steps, if nobody says otherwise; more where steps are so short that writing would take …
SHARE = 0.05  # … more than this share of the time


class Checkpoint:
    """Use as a context: within, Ctrl-C and SIGTERM wait for the end of the step, and the state is written then."""

    def __init__(self, path: str | Path, every: int | None = None) -> None:
        if every is not None and every < 1:
            raise InputError(f"the checkpoint interval is {every}; it must be at least 1")
        self.path, self.every = Path(path), every
        self.about: dict[str, Any] = {}
        self._stored = Stored(self.path) if self.path.exists() else None
        if self._stored and self._stored.kind != KIND:
            raise InputError(f"{path}: is a model, not a checkpoint, and is not overwritten; give another file")
        if self._stored and not all(isinstance(self._part(name), dict) for name in ("about", "results", "positions")):
            raise self._stored.damaged()
        self._results: dict[str, Any] = {}
        self._wish = Wish()
        self._steps, self._written, self._cost = 0, time.monotonic(), 0.0  # since the last writing; its time; its cost

    def _part(self, name: str) -> Any:
        body = self._stored.body if self._stored else {}
        return body.get(name) if isinstance(body, dict) else None

    def seed(self) -> int | None:
        """Of the run that the file is of, before anything is compared; None where there is none."""
        seed = self._part("about").get("seed") if self._stored else None
        if self._stored and (type(seed) is not int or not 0 <= seed < 1 << 63):
            raise self._stored.damaged()
        return seed

    def bind(self, about: Mapping[str, Any]) -> None:
        """This is what the run is of; raises where the file is of another."""
        self.about = dict(about)
        if not self._stored:
            return
        known = self._part("about")
        names = dict.fromkeys([*known, *self.about])
        differ = [
            f"{name}={short(known.get(name))}, not {short(self.about.get(name))}"
            for name in names
            if known.get(name) != self.about.get(name)
        ]
        if known.get("kind") != self.about.get("kind"):  # then all the rest differs as well
            differ = [f"the model {short(known.get('kind'))}, not {self.about.get('kind')}"]
        if differ:
            raise InputError(
                f"{self.path}: checkpoint of a run with {'; with '.join(differ)}; use another "
                "checkpoint file, or delete this one to start again"
            )

    def __enter__(self) -> Checkpoint:
        self._stack = ExitStack()
        self._wish = self._stack.enter_context(postponed())
        return self

    def __exit__(self, kind: Any, *rest: Any) -> None:
        self._stack.close()
        if kind is None and self.asked():
            self.leave("training is finished")

    def slot(self, key: str) -> Slot:
        return Slot(self, key)

    def restored(self, part: str, key: str, types: Mapping[str, Any], room: Room) -> Any:
        if not self._stored or key not in self._part(part):
            return None
        return self._stored.restore(self._part(part)[key], types, room)

    def due(self) -> bool:
        """Whether it is time to write, now that another step is done."""
        self._steps += 1
        if self.every is not None:
            return self._steps >= self.every
        return self._steps >= EVERY and (time.monotonic() - self._written) * SHARE >= self._cost

    def write(self, key: str, position: Any) -> None:
        positions, began = {} if position is None else {key: position}, time.monotonic()
        save(self.path, KIND, {"about": self.about, "results": self._results, "positions": positions})
        self._steps, self._written, self._cost = 0, time.monotonic(), time.monotonic() - began

    def asked(self) -> bool:
        return self._wish.signum is not None

    def leave(self, done: str) -> NoReturn:
        assert self._wish.signum is not None
        raise Stopped(f"{done}; the state is in {self.path}; run the same command again to resume", self._wish.signum)


class Slot(NamedTuple):
    """One fit's place in a checkpoint."""

    checkpoint: Checkpoint
    key: str

    def result(self, types: Mapping[str, Any], room: Room = np.empty) -> Any:
        """Of this fit, where it is finished; `room` is where arrays go that are read."""
        found = self.checkpoint.restored("results", self.key, types, room)
        if found is not None:
            self.checkpoint._results[self.key] = found
        return found

    def position(self, types: Mapping[str, Any], room: Room = np.empty) -> Any:
        return self.checkpoint.restored("positions", self.key, types, room)

    def keep(self, done: str, position: Callable[[], Any]) -> None:
        """After every step; writes where it is time to, and leaves where somebody asked to."""
        asked = self.checkpoint.asked()  # once: who asks while we write must wait for the next step
        if self.checkpoint.due() or asked:
            self.checkpoint.write(self.key, position())
        if asked:
            self.checkpoint.leave(f"stopped after {done}")

    def finish(self, result: Any) -> None:
        self.checkpoint._results[self.key] = result
        self.checkpoint.write(self.key, None)
