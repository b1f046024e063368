"""Word aligners as their users run them, each in a process of its own, with its CPU seconds and its peak memory.

A run is from start-up to the last line of links: reading, indexing, training and aligning both directions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

Sentences = list[list[tuple[int, int]]]
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
# An installed package has its modules compiled; here whatever is measured may keep them, too.
INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
RULES = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and", "product", "mean")


class Run(NamedTuple):
    cpu: float  # seconds, user and system
    mb: float  # resident, at most
    links: dict[str, Sentences]  # by direction or symmetrisation; "links" are those that the tool itself prints


# A process of its own starts the command: what a child is charged with begins with the memory of whoever started it.
LAUNCH = """
import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, file=sys.stderr)
"""


def measured(command: Sequence[str], out: Path) -> tuple[float, float, list[str]]:
    """CPU seconds and peak memory of a command, with all that it starts, and what it said; its output goes to `out`."""
    with out.open("wb") as file:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCH, *command], stdout=file, stderr=subprocess.PIPE, check=True,
            env={**INSTALLED, **ONE_THREAD},
        )  # fmt: skip
    *said, last = done.stderr.decode().strip().split("\n")
    code, cpu, memory = last.split()
    if code != "0":
        raise SystemExit("\n".join([f"{' '.join(command)}: exit code {code}", *said]))
    return float(cpu), float(memory), said


def softcount(source: str, target: str, n_gold: int, options: Sequence[str]) -> Run:
    """The command as it is; what other symmetrisations make of the same training is asked in another process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "links"
        command = [sys.executable, "-m", "softcount", "align", source, target, "--quiet", *options]
        cpu, mb, _ = measured(command, out)
        printed = pharaoh(out, n_gold)
        asked = [sys.executable, __file__, source, target, str(n_gold), *options]
        measured(asked, out)
        return Run(cpu, mb, {**json.loads(out.read_text()), "links": printed})


def fast_align(source: str, target: str, n_gold: int, options: Sequence[str]) -> Run:
    """sil-thot's FastAlignModel, variational Bayes, four iterations: what fast_align's users run."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "links"
        cpu, mb, _ = measured([sys.executable, __file__, "--thot", source, target, str(n_gold)], out)
        return Run(cpu, mb, json.loads(out.read_text()))


def eflomal(source: str, target: str, n_gold: int, options: Sequence[str]) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        out = {name: Path(folder) / name for name in ("forward", "reverse")}
        command = [_script("eflomal-align"), "-s", source, "-t", target, "-f", str(out["forward"])]
        cpu, mb, _ = measured([*command, "-r", str(out["reverse"]), *options], Path(folder) / "said")
        return Run(cpu, mb, {name: pharaoh(path, n_gold) for name, path in out.items()})


def _script(name: str) -> str:
    """A command of an installed package, also where its environment is not the active one."""
    import eflomal as package

    beside = [Path(sys.executable).parent, *(parent / "bin" for parent in Path(package.__file__).parents)]
    found = shutil.which(name, path=os.pathsep.join(map(str, beside)))
    if found is None:
        raise SystemExit(f"{name}: not found beside {package.__file__}")
    return found


def pharaoh(path: Path, n: int) -> Sentences:
    lines = path.read_text(encoding="utf-8").split("\n")[:n]
    return [sorted((int(i), int(j)) for i, j in (link.split("-") for link in line.split())) for line in lines]


# --- in a process of their own ----------------------------------------------------------------------------------------


def all_rules(source: str, target: str, n_gold: int, options: Sequence[str]) -> dict[str, Sentences]:
    """The same training once more, and what every rule makes of it."""
    from softcount import WordAligner, read_bitext

    data = read_bitext(source, target)
    pairs = zip(options[::2], options[1::2], strict=True)
    settings = {name.removeprefix("--").replace("-", "_"): value for name, value in pairs}
    model: Any = WordAligner(**settings).fit(data)
    part, both = data.slice(0, n_gold), dict(model.directions_)
    result = {rule: model.align(part, symmetrize=rule) for rule in RULES}
    for name in ("forward", "reverse"):
        model.directions_ = {name: both[name]}
        result[name] = model.align(part)
    return result


def by_thot(source: str, target: str, n_gold: int) -> dict[str, Sentences]:
    texts = [Path(path).read_text(encoding="utf-8").split("\n")[:-1] for path in (source, target)]
    sides = [[line.split() for line in text] for text in texts]
    result = {}
    for name, (model, first, second) in zip(("forward", "reverse"), fast_align_models(*sides), strict=True):
        links = []
        for f, s in zip(first, second, strict=True):
            matrix = model.get_best_alignment(f, s)[1]
            if len(links) < n_gold:
                rows = matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix
                found = [(i, j) for i in range(len(f)) for j in range(len(s)) if rows[i, j]]
                links.append(found if name == "forward" else sorted((j, i) for i, j in found))
        result[name] = links
    return result


def fast_align_models(source: Any, target: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Of both directions (the model, what is given, what is generated)."""
    from thot.alignment import FastAlignModel

    for first, second in ((source, target), (target, source)):
        model = FastAlignModel()
        model.variational_bayes = True
        for pair in zip(first, second, strict=True):
            model.add_sentence_pair(*pair)
        model.start_training()
        for _ in range(4):
            model.train()
        model.end_training()
        yield model, first, second


def symmetrized(links: dict[str, Sentences], lengths: Sequence[tuple[int, int]]) -> dict[str, Sentences]:
    """What the heuristics make of two directions' links, for tools that have none of their own."""
    import numpy as np

    from softcount.links.joining import link
    from softcount.numbers.ragged import from_rows

    def matrices(sentences: Sentences, turned: bool) -> Any:
        rows = []
        for pairs, (l, m) in zip(sentences, lengths, strict=True):
            matrix = np.zeros((m + 1, l) if turned else (l + 1, m))
            matrix[0] = 0.5
            for i, j in pairs:
                matrix[(j + 1, i) if turned else (i + 1, j)] = 1.0
            rows.append(matrix.ravel())
        return from_rows(rows, float)

    sizes = [np.array([pair[k] for pair in lengths]) for k in (0, 1)]
    f, r = matrices(links["forward"], False), matrices(links["reverse"], True)
    result = dict(links)
    for rule in RULES[:5]:
        found = link(rule, *sizes, f, r, 0.5)
        flat = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
        result[rule] = [flat[a:b] for a, b in pairwise(found.offsets.tolist())]
    return result


if __name__ == "__main__":
    if sys.argv[1] == "--thot":
        print(json.dumps(by_thot(*sys.argv[2:4], int(sys.argv[4]))))
    else:
        print(json.dumps(all_rules(*sys.argv[1:3], int(sys.argv[3]), sys.argv[4:])))
