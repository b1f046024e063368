"""CPU seconds of a command as its user pays them: a process of its own, from start-up to the last line.

Steps that grow slower on the way show here, and in no figure per step that is taken from the first ones.
"""

from __future__ import annotations

import resource
import subprocess
import sys


def seconds(*words: object) -> float:
    """Of `softcount WORDS`, user and system."""
    before = _children()
    command = [sys.executable, "-m", "softcount", *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return _children() - before


def table(*words: object, steps: int) -> None:
    """A run of `steps` steps, which is the default's length, beside one of a single step and one of eleven."""
    each = (*words, "--threads", 1, "--tolerance", 0, "--criterion")
    seconds(*each, "em:1")  # compiles
    start, first, whole = (seconds(*each, f"em:{n}") for n in (1, 11, steps))
    early, late = (first - start) / 10, (whole - start) / (steps - 1)
    print(f"| softcount {words[0]}, from start-up to the last line | CPU s |\n|---|---|")
    print(
        f"| start-up, reading, one step, writing | {start:.2f} |\n| all {steps} steps of a default run | {whole:.2f} |"
    )
    print(f"\na step of the first ten: {early * 1e3:.1f} ms; of the whole run: {late * 1e3:.1f} ms", flush=True)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
