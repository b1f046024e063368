"""What is shown while a command works: a line on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from command import heeding

from softcount.cli import explain, score
from softcount.cli.main import app
from softcount.cli.progress import Progress, age, duration
from softcount.cli.watched import watched
from softcount.loop.trace import Step
from softcount.machine import stage, streams

pty = pytest.importorskip("pty")
TEXT = b"the cook fishes\na fish can swim\n" * 20
COMMANDS = [(str(one.name), one.callback) for one in (
    *app.registered_commands, *score.app.registered_commands, *explain.app.registered_commands
)]  # fmt: skip
TAG = ("tag", "-", "--states", "2", "--start", "random", "--criterion", "em:2")  # which compiles little


def run(*words: str, err: Any, stdin: Any = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "softcount", *words]
    where = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": err, "env": {**os.environ, "COLUMNS": ""}}
    return subprocess.Popen(command, preexec_fn=heeding, **where)


class Terminal:
    """A terminal of 100 columns, and what was written to it, with the second of every piece."""

    def __init__(self, *words: str, stdin: Any = subprocess.DEVNULL) -> None:
        from fcntl import ioctl
        from struct import pack
        from termios import TIOCSWINSZ

        self.master, slave = pty.openpty()
        ioctl(slave, TIOCSWINSZ, pack("HHHH", 24, 100, 0, 0))
        self.began = time.monotonic()
        self.process = run(*words, err=slave, stdin=stdin)
        os.close(slave)
        self.written = b""

    def until(self, pattern: str, seconds: float) -> float:
        """The second at which it was there."""
        from select import select

        while not re.search(pattern, self.text()):
            left = self.began + seconds - time.monotonic()
            assert left > 0 and self.process.poll() is None, f"no {pattern!r} in {self.written!r}"
            if select([self.master], [], [], left)[0]:
                try:
                    self.written += os.read(self.master, 4096)
                except OSError:  # nobody writes any more
                    self.process.wait()
        return time.monotonic() - self.began

    def rest(self) -> str:
        while True:
            try:
                piece = os.read(self.master, 4096)
            except OSError:  # nobody writes any more
                piece = b""
            if not piece:
                return self.text()
            self.written += piece

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.master)

    def text(self) -> str:
        return self.written.decode()


def test_reading_is_shown_on_a_terminal_and_taken_away_again() -> None:
    """Also in a pipe, and in a log, at once: each waits for its text until the first has shown that it waits."""
    pipe = {"stdin": subprocess.PIPE}
    with (
        Terminal(*TAG, **pipe) as shown,
        run(*TAG, err=subprocess.PIPE, **pipe) as piped,
        run(*TAG, "--progress", "plain", err=subprocess.PIPE, **pipe) as logged,
        Terminal(*TAG, "--progress", "none", **pipe) as hushed,
        Terminal(*TAG, "--quiet", **pipe) as quiet,
    ):
        shown.until(r"reading <stdin>  \d+ s", 60.0)
        time.sleep(0.5)  # the others are as far
        answers = [p.communicate(TEXT, 60) for p in (shown.process, piped, logged, hushed.process, quiet.process)]
        assert len({out for out, _ in answers}) == 1
        last = shown.rest().replace("\r\n", "\n").rpartition("\r")[2]
        assert last.startswith("em:2: 2 iterations in") and "reading" not in last, last
        assert b"\r" not in answers[1][1] and b"reading" not in answers[1][1]
        assert re.match(rb"\[\d+ s\] reading <stdin>  \d+ s\n", answers[2][1]) and b"\r" not in answers[2][1]
        assert "reading" not in hushed.rest() and "em:2: 2 iterations" in hushed.text()
        assert quiet.rest() == ""


def test_steps_are_shown_with_objective_speed_and_time_left(tmp_path: Any) -> None:
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    never = ("--criterion", "gibbs:99000000", "--start", "random", "--restarts", "2")
    line = r"restart 1/2  gibbs \d+/99000000  objective -[\d,.]+  (change \S+  )?\S+ s/iter  \d+ h \d\d min left *\r"
    with Terminal("tag", str(path), "--states", "3", *never) as shown:
        shown.until(line, 300.0)  # kernels are compiled, perhaps on a busy machine
        shown.process.send_signal(signal.SIGINT)
        shown.process.communicate(timeout=30)
        assert shown.process.returncode == 130
        last = shown.rest().replace("\r\n", "\n")
    assert last.endswith("\rsoftcount: interrupted\n"), last[-200:]
    assert all(len(piece) < 100 for piece in re.split(r"[\r\n]", last))


class Screen(StringIO):
    """A terminal, as far as a command can tell; both streams write to one."""

    def isatty(self) -> bool:
        return True


def test_commands_that_do_not_train_show_what_they_do_until_they_print(monkeypatch: pytest.MonkeyPatch) -> None:
    """score, show, export, lm, explain and their like: none of them waits in silence, or writes into the line."""

    @watched
    def work(seconds: float, quiet: bool = False) -> None:
        stage.begin("working")
        time.sleep(seconds)
        streams.put("done")
        stage.begin("still working")
        time.sleep(seconds)
        streams.put_lines(["more\n"])

    screen = Screen()
    monkeypatch.setattr("softcount.cli.progress.age", lambda: 10.0)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    work(0.3)
    shown = r"\rworking  0 s *\r +\rdone\nmore\n"
    assert re.fullmatch(shown, screen.getvalue()), screen.getvalue()
    screen.truncate(screen.seek(0))
    for mode in ({"shown": "none"}, {"quiet": True}):
        work(0.0, **mode)
    assert screen.getvalue() == "done\nmore\n" * 2
    assert inspect.signature(work).parameters["shown"].default == "auto"
    unwatched = [name for name, command in COMMANDS if "shown" not in inspect.signature(command).parameters]
    assert unwatched == ["fast-align", "eflomal", "demo", "examples"]  # three have their own, the last takes no time


def test_off_a_terminal_a_line_each_half_minute_from_the_tenth_second(progress: Progress, capsys: Any) -> None:
    """Of the command: a process that is older, Python's say, has not waited for it."""
    assert progress.shown and not progress.rewritten
    stage.begin("working")
    seen = {}
    for second in range(0, 101):
        progress.clock[0] = 100.0 + second  # type: ignore[attr-defined]
        progress._log()
        if said := capsys.readouterr().err:
            seen[second] = said
    assert seen == {10: "[10 s] working  10 s\n", 40: "[40 s] working  40 s\n",
                    70: "[1 min 10 s] working  1 min 10 s\n",
                    100: "[1 min 40 s] working  1 min 40 s\n"}  # fmt: skip
    assert not Progress(False, mode="none").shown and not Progress(True).shown


def test_a_run_in_a_pipe_is_heard_of(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("softcount.cli.progress.UNASKED", (0.5, 30.0))
    monkeypatch.setattr("softcount.cli.progress.age", lambda: 10.0)
    with Progress(False):
        stage.begin("working")
        time.sleep(1.2)
    assert re.fullmatch(r"\[1[01] s\] working  \d s\n", capsys.readouterr().err)


def test_an_unknown_way_is_refused() -> None:
    done = subprocess.run([sys.executable, "-m", "softcount", "tag", "x", "--progress", "bar"], capture_output=True)
    assert done.returncode == 2
    assert done.stderr == b"softcount: --progress 'bar': unknown; use auto, plain, none\n"


@pytest.fixture
def progress(monkeypatch: pytest.MonkeyPatch) -> Progress:
    """One whose clock stands at 100 seconds, when a stage began."""
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr("softcount.cli.progress.age", lambda: 0.0)
    made = Progress(False, restarts=1)
    made.clock = clock  # type: ignore[attr-defined]
    return made


def after(progress: Any, seconds: float, done: float, step: Any = None) -> None:
    progress.clock[0] += seconds
    stage.reach(done, step)
    progress._note_pace()


def test_time_left_of_steps(progress: Progress) -> None:
    stage.begin("em:100", 100, "steps")
    after(progress, 0, 0)
    progress.clock[0] += 3.0  # type: ignore[attr-defined]
    assert progress.line(100) == "em:100  first iteration 3 s"
    stage.now.share = 0.25
    assert progress.line(100) == "em:100  first iteration 25%"
    after(progress, 1.0, 1, Step(0, "em:100", 1, -1234.5, None, {}, 4.0))
    assert progress.line(100) == "em 1/100  objective -1,234.50  4 s/iter  6 min 36 s left"
    after(progress, 2.0, 2, Step(0, "em:100", 2, -1000.25, 0.19, {}, 2.0))
    assert progress.line(100) == "em 2/100  objective -1,000.25  change +1.9e-01  3 s/iter  4 min 54 s left"
    progress.clock[0] += 1.0  # type: ignore[attr-defined]
    assert progress.line(60) == "em 2/100  objective -1,000.25  3 s/iter  4 min 53 s left"
    assert progress.line(30) == "em 2/100  4 min 53 s left"
    assert len(progress.line(10)) <= 10


def test_objectives_that_are_none_are_not_shown(progress: Progress) -> None:
    stage.begin("em:3", 3, "steps")
    after(progress, 0, 0)
    after(progress, 1.0, 1, Step(0, "both em:3", 1, float("nan"), None, {}, 1.0))
    assert progress.line(100) == "both em 1/3  1 s/iter  2 s left"


def test_steps_towards_a_start_say_so(progress: Progress) -> None:
    with stage.towards("start, clusters"):
        stage.begin("hard:10", 10, "steps")
        assert progress.line(100).startswith("start, clusters: hard:10  first iteration")
        after(progress, 0, 0)
        after(progress, 1.0, 1, Step(0, "hard:10", 1, float("nan"), None, {}, 1.0))
        assert progress.line(100) == "start, clusters: hard 1/10  1 s/iter  9 s left"
    with stage.towards("key 3 of 5", again=2):
        stage.begin("em:10", 10, "steps")
        after(progress, 0, 0)
        after(progress, 1.0, 1, Step(0, "em:10", 1, float("nan"), None, {}, 1.0))
        assert progress.line(100) == "key 3 of 5: em 1/10  1 s/iter  29 s left"
    stage.begin("em:3", 3, "steps")
    assert progress.line(100).startswith("em:3  ")


def test_time_left_of_bytes_and_shares(progress: Progress) -> None:
    stage.begin("reading text", 400e6, "bytes")
    after(progress, 2.0, 100e6)
    assert progress.line(100) == "reading text  100 of 400 MB  50 MB/s  6 s left"
    stage.begin("reading <stdin>", None, "bytes")
    after(progress, 2.0, 100e6)
    assert progress.line(100) == "reading <stdin>  100 MB  50 MB/s"
    stage.begin("tagging")
    assert progress.line(100) == "tagging  0 s"
    list(stage.counted(iter([1]), 4))
    progress.clock[0] += 2.0  # type: ignore[attr-defined]
    assert progress.line(100) == "tagging  25%  6 s left"


def test_later_stages_and_restarts_are_in_the_time_left() -> None:
    """The loop says how many steps may come: of two restarts of em:3,mre:2, and of those that have been."""
    from softcount import HMM

    totals: list[tuple[float | None, float]] = []
    HMM(2, criterion="em:3,mre:2", start="random", restarts=2, tolerance=0, random_state=0).fit(
        ["a b a b", "b a"], on_step=lambda step: totals.append((stage.now.total, stage.now.done))
    )
    left = [total - done for total, done in totals if total is not None]
    assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("named", [{}, {"preset": "best"}, {"model": "ibm1:2,ibm2:2", "criterion": "em"}])
def test_an_aligner_tells_of_all_its_stages_and_directions(
    named: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left, as work: steps of this stage that are left, and all that follows, by what a step costs. So much
    less is left after each step as the step has cost, over all stages, directions and models, down to the links."""
    from softcount import WordAligner
    from softcount.estimators import align_cost

    each = {"ibm1": 2.0, "ibm2": 7.0, "hmm": 16.0}  # so that sums are exact
    for table in ("UNDER_WAY", "STEPS_APART"):
        monkeypatch.setattr(align_cost, table, {name: align_cost.Steps(0, cost) for name, cost in each.items()})
    monkeypatch.setattr(align_cost, "passes", lambda stage, part, fertile: float(part.steps))
    monkeypatch.setattr(align_cost.Size, "entries", 1)
    monkeypatch.setattr("softcount.estimators.align_train.LINKING", 100.0 / 24)  # so many token pairs
    costs, left = list[float](), list[float]()

    def watch(direction: str, step: Step) -> None:
        now = stage.now
        costs.append(stage.each)
        left.append((now.total - now.done + now.ahead) * stage.each)  # type: ignore[operator]

    WordAligner(**named).fit(["a b", "a c", "b c d"], ["x y", "x z", "y z w"], on_step=watch)
    assert len(left) == {0: 6, 1: 10, 2: 8}[len(named)]
    assert left[-1] == pytest.approx(100.0), "links are made when all is trained"
    assert left[0] + costs[0] == pytest.approx(sum(costs) + 100.0)
    assert [a - b for a, b in pairwise(left)] == pytest.approx(costs[1:])
    assert stage.ahead == 0.0, "and whatever else is shown has nothing ahead"


def test_the_age_of_the_process_counts() -> None:
    """Of this one: more than since it was asked first, and as much more as it waits."""
    first = age()
    time.sleep(0.05)
    assert age() - first >= 0.04 and (first > 0.0 or not os.path.exists("/proc/self/stat"))


def test_durations() -> None:
    assert [duration(s) for s in (0, 59.4, 60, 3599, 3600, 7320)] == [
        "0 s", "59 s", "1 min 00 s", "59 min 59 s", "1 h 00 min", "2 h 02 min",
    ]  # fmt: skip
