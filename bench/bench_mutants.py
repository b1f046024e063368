"""What the tests made of small mistakes, file by file, from what `make mutants` has kept in .cache/mutants.

make mutants && SOFTCOUNT_WRITE=1 python bench/bench_mutants.py

Rows of files that were not tried here, or not as they are now, stay as they were kept.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from measured import Measured, read

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import mutants

CRASHES = ("TypeError", "AttributeError", "NameError", "UnboundLocalError", "KeyError", "IndexError")


def main() -> None:
    files = mutants.all_files()
    kept = mutants.kept(files)
    if not kept:
        print("bench_mutants: nothing was tried yet; make mutants does that")
        return
    reasons, names = mutants.explained(), ("possible", "tried", "noticed", "crash", "nothing", "missed")
    table = Measured("mutants", {"file": "", "possible": ",", "tried": ",", "noticed": ",", "of these by a crash": ",",
                                 "changes nothing": ",", "missed": ","})  # fmt: skip
    lines = {row[0]: row[1:] for row in before(table)}
    for file in files:
        found = [one for (name, _), one in kept.items() if name == file.name]
        line = Counter(possible=len(file.places), tried=len(found))
        line.update(kind(one, reasons.get(file.name, {})) for one in found)
        line["crash"] = sum(one["outcome"] == "noticed" and one["how"].startswith(CRASHES) for one in found)
        if line["possible"] and (found or file.name not in lines):
            lines[file.name] = [line[k] for k in names]
            table.add(file.name, *lines[file.name])
    there = [lines[file.name] for file in files if file.name in lines]
    table.add("all", *(sum(column) for column in zip(*there, strict=True)))
    explain(kept, reasons)


def before(table: Measured) -> list[list[Any]]:
    """The rows that were kept: of files that were not tried here they stay."""
    return [row["cells"] for row in read(table.path)["rows"]] if table.path.exists() else []


def kind(one: dict[str, Any], reasons: dict[str, str]) -> str:
    if one["outcome"] == "noticed":
        return "noticed"
    return "nothing" if one["mistake"] in reasons else "missed"


def explain(kept: dict[tuple[str, str], dict[str, Any]], reasons: dict[str, dict[str, str]]) -> None:
    """All that no test noticed, and why."""
    table = Measured("mutants-explained", {"file": "", "right and wrong": "", "why nothing changes": ""}, keys=2)
    tried = {file for file, _ in kept}
    rows = [row for row in before(table) if row[0] not in tried]
    for (file, mistake), one in kept.items():
        if one["outcome"] != "noticed" and mistake in reasons.get(file, {}):
            rows.append([file, f"`{mistake}`", reasons[file][mistake]])
    if table.writes:
        table.path.unlink(missing_ok=True)  # without what was noticed since
    for row in sorted(rows):
        table.add(*row)


if __name__ == "__main__":
    main()
