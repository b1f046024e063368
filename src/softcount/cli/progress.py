"""What is shown while a command works: a line that is rewritten on a terminal; elsewhere a line now and then.

    reading text.txt  120 of 512 MB  61 MB/s  6 s left
    restart 2/5  em 12/100  objective -1,234,567.89  change +1.2e-04  0.42 s/step  3 min 10 s left

A thread looks at `machine.stage` a few times a second, so that long steps, reading and compiling are shown as well.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

from softcount.cli.console import warnings_as_lines
from softcount.errors import InputError
from softcount.loop.trace import Step
from softcount.machine import stage
from softcount.machine.streams import escape_controls

MODES = ("auto", "plain", "none")
PATIENCE = 1.5  # seconds of the process before anything is shown
OFTEN = 0.2  # seconds between two looks
LOGGED = (10.0, 60.0)  # seconds between two lines of a log: in the first minute, and later
UNASKED = (10.0, 30.0)  # off a terminal, without --progress: seconds of the command before the first line; between two
PACE = 10  # steps by which the speed is told


def check_mode(mode: str) -> None:
    if mode not in MODES:
        raise InputError(f"--progress {mode!r}: unknown; use {', '.join(MODES)}")


def terminal_width() -> int:
    """Of the terminal behind stderr: stdout is most often a file."""
    try:
        own = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):  # no terminal
        own = os.terminal_size((80, 24))
    return shutil.get_terminal_size(own).columns


class Progress:
    """Use as a context; also what estimators call `on_step`, for the names that a command gives to its steps."""

    def __init__(self, quiet: bool, restarts: int = 1, mode: str = "auto") -> None:
        self.shown = mode != "none" and not quiet
        self.rewritten = mode == "auto" and sys.stderr.isatty()
        self.restarts, self.width = restarts, 0
        self.began, self.paces = time.monotonic() - age(), deque[float](maxlen=PACE)
        self.asked, self.due = mode == "plain", 0.0  # the seconds at which the next line of a log is due
        if not self.asked:
            self.due = time.monotonic() - self.began + UNASKED[0]
        self.seen: tuple[Any, float, float] = (None, 0.0, self.began)  # the stage, what it had reached, and when
        self.ended, self.lock = threading.Event(), threading.Lock()
        self.warned = warnings_as_lines(quiet)

    def __enter__(self) -> Progress:
        stage.begin("starting")
        self.warned.__enter__()
        if self.shown:
            stage.clear = self.clear
            self.thread = threading.Thread(target=self._watch, daemon=True, name="progress")
            self.thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
        self.warned.__exit__(None, None, None)

    def __call__(self, step: Step) -> None:
        """The step as the command calls it."""
        stage.now.step = step

    def close(self) -> None:
        if self.shown and not self.ended.is_set():
            self.ended.set()
            self.thread.join()
            self.clear()
            stage.clear = lambda: None

    def clear(self) -> None:
        with self.lock:
            if self.width:
                sys.stderr.write("\r" + " " * self.width + "\r")
                sys.stderr.flush()
                self.width = 0

    def _watch(self) -> None:
        while not self.ended.wait(OFTEN):
            self._note_pace()
            if time.monotonic() - self.began < PATIENCE:
                continue
            if self.rewritten:
                self._rewrite(self.line(terminal_width() - 1))
            else:
                self._log()

    def _rewrite(self, line: str) -> None:
        with self.lock:
            if not self.ended.is_set():
                sys.stderr.write("\r" + line.ljust(self.width))
                sys.stderr.flush()
                self.width = len(line)

    def _log(self) -> None:
        elapsed = time.monotonic() - self.began
        if elapsed >= self.due:
            self.due = elapsed + (LOGGED[elapsed > LOGGED[1]] if self.asked else UNASKED[1])
            print(f"[{duration(elapsed)}] {self.line(1000)}", file=sys.stderr, flush=True)

    def _note_pace(self) -> None:
        """Seconds a step, of the last few; other stages have a pace of their own."""
        now, at = stage.now, time.monotonic()
        before, done, when = self.seen
        if now is not before:
            self.paces.clear()
            self.seen = (now, now.done, at)
        elif now.done > done:
            self.paces.append((at - when) / (now.done - done))
            self.seen = (now, now.done, at)

    # --- one line -------------------------------------------------------------------------------------------------

    def line(self, width: int) -> str:
        """With as much of it as there is room for: a longer line would leave one behind at every look."""
        now = stage.now
        parts = self._of_steps(now) if now.unit == "steps" else self._of_amounts(now)
        if stage.compiling:
            parts["what"] += " (compiling)"
        while len("  ".join(parts.values())) > width and len(parts) > 1:
            parts.pop(next((name for name in ("change", "objective", "speed") if name in parts), list(parts)[-1]))
        return escape_controls("  ".join(parts.values()))[:width]

    def _of_steps(self, now: stage.Stage) -> dict[str, str]:
        parts, step = {"what": now.what}, now.step
        if step is not None:
            name, _, total = step.stage.rpartition(":")
            restart = f"restart {step.restart + 1}/{self.restarts}  " if self.restarts > 1 and not now.purpose else ""
            parts["what"] = f"{now.purpose}{restart}{name} {step.step}/{total}"
            if math.isfinite(step.objective):
                parts["objective"] = f"objective {step.objective:,.2f}"
            if step.change is not None and math.isfinite(step.change):
                parts["change"] = f"change {step.change:+.1e}"
        pace = sum(self.paces) / len(self.paces) if self.paces else None
        since = time.monotonic() - self.seen[2]
        if pace is None:
            parts["under way"] = (
                f"first iteration {now.share:.0%}" if now.share else f"first iteration {duration(since)}"
            )
        else:
            parts["speed"] = f"{pace:.2g} s/iter" if pace < 10 else f"{pace:.0f} s/iteration"
            if now.total is not None:
                left = now.total * (1 + now.following) - now.done + now.ahead
                parts["left"] = f"{duration(max(pace * left - since, 0.0))} left"
        return parts

    def _of_amounts(self, now: stage.Stage) -> dict[str, str]:
        parts, elapsed = {"what": now.what}, max(time.monotonic() - now.began, 1e-9)
        scale, unit = (1e6, "MB") if now.unit == "bytes" else (1.0, now.unit)
        if not now.done:
            parts["elapsed"] = f"{now.share:.0%}" if now.share else duration(elapsed)
            if now.share:
                parts["left"] = f"{duration(elapsed * (1 - now.share) / now.share)} left"
            return parts
        of = "" if now.total is None else f" of {now.total / scale:,.0f}"
        parts["amount"] = f"{now.done / scale:,.0f}{of} {unit}"
        speed = now.done / scale / elapsed
        parts["speed"] = f"{speed:,.0f} {unit}/s" if speed >= 10 else f"{speed:.2g} {unit}/s"
        if now.total is not None and now.total >= now.done:
            parts["left"] = f"{duration((now.total - now.done) * elapsed / now.done)} left"
        return parts


def age() -> float:
    """Seconds since this process began, imports and all, where the system tells; else none."""
    try:
        began = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - began, 0.0)
    except (OSError, ValueError, AttributeError, IndexError):
        return 0.0


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
