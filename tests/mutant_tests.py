"""The tests, collected once in a process without the compiler; every mistake is tried in a fork of it.

The library is imported before a mistake is made, so that a name which another module took (`from x import f`) must not
go on meaning the right code: not modules are replaced, but the code of the functions that live in this process, all
that came of a function's `def`, wherever they are held. Kernels are functions like any other here, those `within`
others too. Whether the statement with the mistake was run at all is noted as it runs.

First all tests run without a mistake, which says how long each takes, which statements it runs, and whether it passes
here. A mistake is then tried on the tests that run its statement, the shortest first and before them those that
noticed others of this file, until one fails.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest
from mutant_places import File, statements

LONGEST = 2.0  # seconds of the processor that a test may take without a mistake, at least; as long as patience lasts
SILENT = 900.0  # seconds on the clock in which a test must end, mistake or not: what sleeps uses no processor
MOST_MEMORY = 8 << 30
TOO_LONG = "takes too long"


class Verdict(NamedTuple):
    """What the tests made of a mistake: noticed, survived, or not run by any of them."""

    outcome: str
    by: str = ""
    how: str = ""
    seconds: float = 0.0


class Tests:
    """A plugin: collects, then leaves the tests to `work`. So many examples are made for a test that says no number
    itself; a mistake is tried on tests of `patience` seconds of the processor together."""

    def __init__(self, work: Any, files: list[File], examples: int, patience: float) -> None:
        self.work, self.files, self.examples, self.patience = work, files, examples, patience
        self.longest, self.raised = max(LONGEST, patience / 2), ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        # the same examples with a mistake as without, and none is made smaller after it has failed
        new = {"phases": (Phase.explicit, Phase.generate), "derandomize": True, "database": None}
        settings.register_profile("mutants", settings.default, max_examples=self.examples, **new)
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions = living(self.files)
        self.seen = {file.name: replace(self, file) for file in self.files}
        gc.freeze()  # forks need not look at what there is again, and share its memory
        self.work(self)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Any:
        report = yield
        if report.failed and not self.raised:
            self.raised = f"{call.excinfo.type.__name__} in {call.when}"
        elif report.skipped and not self.raised:
            self.raised = "skipped"
        return report

    def run(self, test: str, following: str | None) -> str:
        """Nothing, or what went wrong."""
        self.raised = ""
        item, after = self.items[test], self.items[following] if following else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        return self.raised


# --- without a mistake ------------------------------------------------------------------------------------------------


def measure(tests: Tests, names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of every test its processor time, why it cannot be used ("" if it can), and which statements of which file it
    runs; where one takes too long, the rest goes on in a new process."""
    left = list(names)
    while left:
        done = 0
        for message in _forked(lambda send, left=left: _measure(tests, left, send)):
            yield left[done], message
            done += 1
        if done < len(left):  # the process has ended in the midst of this one
            yield left[done], {"seconds": tests.longest, "wrong": TOO_LONG, "seen": {}}
            done += 1
        left = left[done:]


def _measure(tests: Tests, names: list[str], send: Any) -> None:
    for name, following in zip(names, [*names[1:], None], strict=True):
        for each in tests.seen.values():
            each[:] = bytes(len(each))
        signal.setitimer(signal.ITIMER_PROF, tests.longest)
        before = time.process_time()
        wrong = tests.run(name, following)
        found = {file: [k for k, ran in enumerate(each) if ran] for file, each in tests.seen.items() if any(each)}
        send({"seconds": round(time.process_time() - before, 3), "wrong": wrong, "seen": found})


# --- with one ---------------------------------------------------------------------------------------------------------


def attempt(tests: Tests, file: File, mistake: int, known: dict[str, Any], noticed: dict[str, int]) -> Verdict:
    """What the tests that run this statement make of it; `noticed` says how many mistakes of the file each has seen."""
    statement = file.places[mistake].statement
    fine = {name: each for name, each in known.items() if not each["wrong"] and file.name in each["seen"]}
    ran = {name: each for name, each in fine.items() if statement in each["seen"][file.name]}
    likely = {name: each["seconds"] for name, each in (ran or fine).items()}  # if none does, other examples may
    order = sorted(likely, key=lambda name: (likely[name] / (1 + 4 * noticed.get(name, 0)), name))
    chosen, total = [], 0.0
    for name in order:
        total += likely[name]
        if total <= tests.patience or not chosen:
            chosen.append(name)
    if not chosen:
        return Verdict("not run")
    begun = time.monotonic()
    messages = list(_forked(lambda send: _attempt(tests, file, mistake, chosen, likely, send)))
    last = messages[-1] if messages else {"test": chosen[0], "wrong": "", "reached": True}
    seconds = round(sum(message.get("seconds", 0.0) for message in messages), 2)
    if last.get("ended"):
        return Verdict("survived" if last["reached"] else "not run", how=f"{len(chosen)} tests", seconds=seconds)
    if last.get("wrong"):
        return Verdict("noticed" if last["reached"] else "unrelated", last["test"], last["wrong"], seconds)
    at = chosen[len(messages)] if len(messages) < len(chosen) else chosen[-1]
    return Verdict("noticed", at, TOO_LONG, round(time.monotonic() - begun, 2))


def _attempt(tests: Tests, file: File, mistake: int, chosen: list[str], usual: dict[str, float], send: Any) -> None:
    seen = replace(tests, file, mistake)
    statement, reached = file.places[mistake].statement, False
    for name, following in zip(chosen, [*chosen[1:], None], strict=True):
        signal.setitimer(signal.ITIMER_PROF, 4 + 8 * usual[name])
        before = time.process_time()
        wrong = tests.run(name, following)
        reached = reached or bool(seen[statement])
        send({"test": name, "wrong": wrong, "reached": reached, "seconds": time.process_time() - before})
        if wrong:
            return
    send({"ended": True, "reached": reached})


def replace(tests: Tests, file: File, mistake: int | None = None) -> bytearray:
    """The code of all functions of this file that live in this process becomes that of the instrumented source; which
    of its statements have been run is noted in what comes back."""
    seen = bytearray(sum(1 for _ in statements(file.tree)))
    sys.modules[module_of(file)].__dict__["__seen__"] = seen
    made = {_place(code): code for code in _within(compile(file.instrumented(mistake), str(file.path), "exec"))}
    for function in tests.functions.get(str(file.path), ()):
        function.__code__ = made[_place(function.__code__)]
    return seen


def module_of(file: File) -> str:
    return "softcount." + file.name.removesuffix(".py").replace("/", ".")


def living(files: Iterable[File]) -> dict[str, list[FunctionType]]:
    """All functions that came of these files, by their paths, wherever they are held."""
    for file in files:
        import_module(module_of(file))
    found: dict[str, list[FunctionType]] = {str(file.path): [] for file in files}
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename in found:
            found[function.__code__.co_filename].append(function)
    return found


def _within(code: CodeType) -> Iterable[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _within(constant)


def _place(code: CodeType) -> tuple[Any, ...]:
    """Where a function stands, by which its code is known; of several lambdas in a line also in which column."""
    columns = [place[2] for place in code.co_positions() if place[2]] if code.co_name == "<lambda>" else []
    return code.co_qualname, code.co_firstlineno, min(columns, default=0)  # type: ignore[attr-defined]


# --- forks ------------------------------------------------------------------------------------------------------------


def _forked(work: Any) -> Iterator[dict[str, Any]]:
    """What `work` sends from a process of its own, until that ends or is silent for too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _alone(work, writing)
    os.close(writing)
    rest = b""
    try:
        while select.select([reading], [], [], SILENT)[0] and (some := os.read(reading, 1 << 16)):
            *lines, rest = (rest + some).split(b"\n")
            yield from map(json.loads, lines)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _alone(work: Any, writing: int) -> None:
    """In the fork: quiet, with limits, and never back into the code of the process that it was forked from."""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        quiet = os.open(os.devnull, os.O_RDWR)
        for each in (0, 1, 2):
            os.dup2(quiet, each)
        work(lambda message: os.write(writing, json.dumps(message).encode() + b"\n"))
    finally:
        os._exit(0)


def collected(paths: list[str], work: Any, *how: Any) -> None:
    """`work(tests)` in this process, where the tests of these paths have been collected; kernels are not compiled."""
    os.environ.update(NUMBA_DISABLE_JIT="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", CI="1")
    root = Path(__file__).parent.parent
    sys.path[:0] = [str(root / "src"), str(root / "tests")]
    options = [
        "-qq",
        "-s",
        "--thorough",
        "too",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--continue-on-collection-errors",
    ]
    temporary = root / ".cache" / "mutants" / "temporary"
    temporary.parent.mkdir(parents=True, exist_ok=True)
    pytest.main(
        [*options, f"--basetemp={temporary}", "-o", "addopts=--strict-markers", *paths],
        plugins=[Tests(work, *how)],
    )
