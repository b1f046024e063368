"""What the tests made of small mistakes, file by file, from what `make mutants` has kept in .cache/mutants.

make mutants && SOFTCOUNT_WRITE=1 python bench/bench_mutants.py
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from measured import Measured

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import mutants

CRASHES = ("TypeError", "AttributeError", "NameError", "UnboundLocalError", "KeyError", "IndexError")


def main() -> None:
    files = mutants.all_files()
    kept = mutants.kept(files)
    if not kept:
        print("bench_mutants: nothing was tried yet; make mutants does that")
        return
    reasons = mutants.explained()
    table = Measured("mutants", {"file": "", "possible": ",", "tried": ",", "noticed": ",", "of these by a crash": ",",
                                 "changes nothing": ",", "missed": ","})  # fmt: skip
    total: Counter[str] = Counter()
    lines = []
    for file in files:
        found = [one for (name, _), one in kept.items() if name == file.name]
        line = Counter(possible=len(file.places), tried=len(found))
        line.update(kind(one, reasons.get(file.name, {})) for one in found)
        line["crash"] = sum(one["outcome"] == "noticed" and one["how"].startswith(CRASHES) for one in found)
        total += line
        lines.append((file.name, line))
    for name, line in [*((name, line) for name, line in lines if line["possible"]), ("all", total)]:
        table.add(name, *(line[k] for k in ("possible", "tried", "noticed", "crash", "nothing", "missed")))
    explain(kept, reasons)


def kind(one: dict[str, Any], reasons: dict[str, str]) -> str:
    if one["outcome"] == "noticed":
        return "noticed"
    return "nothing" if one["mistake"] in reasons else "missed"


def explain(kept: dict[tuple[str, str], dict[str, Any]], reasons: dict[str, dict[str, str]]) -> None:
    """All that no test noticed, and why."""
    table = Measured("mutants-explained", {"file": "", "right and wrong": "", "why nothing changes": ""}, keys=2)
    if table.writes:
        table.path.unlink(missing_ok=True)  # of other files, or of what was noticed since
    for (file, mistake), one in sorted(kept.items()):
        if one["outcome"] != "noticed" and mistake in reasons.get(file, {}):
            table.add(file, f"`{mistake}`", reasons[file][mistake])


if __name__ == "__main__":
    main()
