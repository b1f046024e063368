"""What the table of moves would do to imports: rooms that import upwards, and modules that would import in a circle.

python tests/moving/cycles.py
"""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

from move import HERE, SOURCE, read_table

ORDER = (
    "errors",
    "version",
    "runtime",
    "disk",
    "core",
    "models",
    "text",
    "evaluate",
    "report",
    "estimator",
    "synthetic",
)
ORDER += ("shell", "tasks", "teaching", "cli")
TASKS = {"tagging", "alignment", "documents", "networks", "grammars", "language_models", "translation", "decipherment"}
MAY = {("documents", "tagging"), ("translation", "alignment")}
MAY |= {(task, "language_models") for task in ("tagging", "decipherment", "translation")}


def room(module: str) -> str:
    return module.split(".")[0]


def rank(module: str) -> int:
    return ORDER.index("tasks" if room(module) in TASKS else room(module))


def main() -> None:
    moved = dict(read_table(HERE / "modules.tsv"))
    upwards, graph = defaultdict(list), defaultdict(set)
    for old, new in moved.items():
        path = SOURCE / (old.replace(".", "/") + ".py")
        if not path.exists():
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        top = {id(node) for node in tree.body}
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("softcount."):
                continue
            package = (node.module or "").removeprefix("softcount.")
            for name in node.names:
                target = moved.get(f"{package}.{name.name}", moved.get(package, ""))
                if not target or target == new:
                    continue
                if id(node) in top:
                    graph[new].add(target)
                between = room(new) in TASKS and room(target) in TASKS and room(new) != room(target)
                if rank(target) > rank(new) or (between and (room(new), room(target)) not in MAY):
                    upwards[room(new), room(target)].append(f"{old} -> {package}")
    for rooms, lines in sorted(upwards.items()):
        print(f"{rooms[0]} imports {rooms[1]}: {', '.join(sorted(set(lines)))}")
    try:
        TopologicalSorter(graph).prepare()
        print("no module imports in a circle")
    except CycleError as error:
        print("a circle:", " -> ".join(error.args[1]))


if __name__ == "__main__":
    main()
