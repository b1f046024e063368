"""What a first run costs: CPU seconds of every default command with nothing compiled, and once all is.

    python bench/bench_first_run.py [COMMAND …]            # cold and warm, and how many functions are compiled
    python bench/bench_first_run.py --functions align      # which, by the seconds that each takes by itself

Inputs are thirty lines of the texts that come with softcount. `--functions` subtracts from a function's seconds those
of the functions that are compiled for it. What these cost where they are linked counts for the outer one.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from measured import Measured

from softcount.cli.warm import ALIGN, LETTERS, LM, RUNS, write_texts

NET = RUNS["net"][0]
TOPICS, TAG = RUNS["topics"][0], RUNS["tag"][0]
# By command, what is run before, and what is measured.
LINES: dict[str, tuple[tuple[str, ...], str]] = {
    "tag": ((), TAG),
    "classes": ((), RUNS["classes"][0]),
    "lm": ((), LM),
    "align": ((), ALIGN),
    "glossary": ((ALIGN,), RUNS["glossary"][-1]),
    "translate": ((ALIGN, LM), RUNS["translate"][-1]),
    "rank": ((ALIGN, LM), RUNS["rank"][-1]),
    "topics": ((), TOPICS),
    "cluster": ((), RUNS["cluster"][0]),
    "net": ((), NET),
    "grammar": ((), RUNS["grammar"][0]),
    "decipher": ((LETTERS,), RUNS["decipher"][-1]),
    "show": ((TOPICS,), "show topics.model"),
    "info": ((TOPICS,), "info topics.model"),
    "report": ((TAG,), "report tags.model text.en --out page.html"),
    "explain ibm1": ((), "explain ibm1 new.en new.de"),
}
WATCHED = """
import json, sys, time
from numba.core import event
class Listener(event.Listener):
    def __init__(self):
        self.open, self.found = [], []
    def on_start(self, event):
        self.open.append([time.process_time(), 0.0])
    def on_end(self, event):
        began, inner = self.open.pop()
        took = time.process_time() - began
        if self.open:
            self.open[-1][1] += took
        function = event.data["dispatcher"].py_func
        self.found.append((f"{function.__module__}.{function.__qualname__}", took - inner, took))
listener = Listener()
event.register("numba:compile", listener)
from softcount.__main__ import main
place, sys.argv = sys.argv[1], ["softcount", *sys.argv[2:]]
try:
    main()
finally:
    open(place, "w").write(json.dumps(listener.found))
"""


def seconds(words: list[str], folder: Path, cache: Path) -> float:
    """CPU seconds of a process."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "SOFTCOUNT_CACHE": "alone"}
    process = subprocess.Popen(words, cwd=folder, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{shlex.join(words)}: {said}")
    return used.ru_utime + used.ru_stime


def measure(name: str, folder: Path, warmed: Path) -> tuple[float, float, list[Any]]:
    """Cold, warm, and what was compiled."""
    before, line = LINES[name]
    plain = [sys.executable, "-m", "softcount"]
    for one in before:
        seconds([*plain, *shlex.split(one)], folder, warmed)
    with tempfile.TemporaryDirectory() as empty:
        watched = [sys.executable, "-c", WATCHED, str(folder / "found.json"), *shlex.split(line)]
        cold = seconds(watched, folder, Path(empty))
        warm = min(seconds([*plain, *shlex.split(line)], folder, Path(empty)) for _ in range(3))
    return cold, warm, json.loads((folder / "found.json").read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"of {', '.join(LINES)} (all)")
    parser.add_argument("--functions", action="store_true", help="a table of the functions that are compiled")
    parser.add_argument("--warmed", type=Path, help="a folder that softcount warm --to has filled, for preparations")
    asked = parser.parse_args()
    table = Measured("first-run", {"command": "", "first run, CPU s": ".1f", "later runs, CPU s": ".2f",
                                   "functions compiled": ","})  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_texts(folder)
        warmed = asked.warmed.absolute() if asked.warmed else folder / "warmed"
        for name in asked.commands or LINES:
            cold, warm, found = measure(name, folder, warmed)
            if asked.functions:
                show(name, found)
            else:
                table.add(name, cold, warm, len(found))


def show(command: str, found: list[tuple[str, float, float]]) -> None:
    by_name: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for name, alone, with_all in found:
        by_name[name].append((alone, with_all))
    print(f"\n{command}: {len(found)} functions, {sum(alone for _, alone, _ in found):.2f} s\n")
    print("| function | times | alone, s | with what it calls, s |\n|---|---|---|---|")
    for name, times in sorted(by_name.items(), key=lambda item: -sum(alone for alone, _ in item[1])):
        alone, with_all = (sum(column) for column in zip(*times, strict=True))
        print(f"| {name} | {len(times)} | {alone:.2f} | {with_all:.2f} |")


if __name__ == "__main__":
    main()
