"""Whether two source trees do the same: bits of what is learned and printed, peak memory, CPU seconds.

    python tests/compare.py OLD_TREE [NEW_TREE] [--only PATTERN] [--pairs N] [--quick] [--no-ray] [--list]

Each tree runs in processes of its own, with its own compiled kernels. What a model has learned is what its tree's
`softcount export` writes of it, so trees may differ in all but public names and commands. Every run is made once in
each tree: kernels are compiled then, and bits compared. Then come pairs of runs, OLD and NEW in turns, with OLD once
more beside them: how a tree differs from itself is what a difference in seconds is to be held against.

Exit code 1: something differs in its bits, or failed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import math
import os
import re
import resource
import runpy
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
CRITERIA = ("em", "vb", "mre", "hard", "stepwise", "gibbs")
STAGES = {"mre": "em:2,mre:3", "gibbs": "gibbs:6"}


class Run(NamedTuple):
    """One thing that both trees do: an estimator that is trained, or a command."""

    name: str
    make: Callable[[Path], tuple[Any, tuple[Any, ...]]] | None = None
    command: str = ""
    first: tuple[str, ...] = ()  # commands that make what it reads, not measured
    ray: bool = False


# --- what is trained --------------------------------------------------------------------------------------------------


def lines(name: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).read_text(encoding="utf-8").splitlines()


def columns(folder: Path) -> dict[str, list[Any]]:
    rows = [line.split(",") for line in lines("rows.csv")(folder)]
    return {name: [cell or None for cell in cells] for name, *cells in zip(*rows, strict=True)}


def points(folder: Path) -> Any:
    import numpy as np

    return np.loadtxt(folder / "points.txt")


# By name: the class, its settings, and its data.
MODELS: dict[str, tuple[str, dict[str, Any], Sequence[Callable[[Path], Any]]]] = {
    "hmm": ("HMM", {"n_states": 8, "random_state": 1}, [lines("text.txt")]),
    "topics": ("PLSA", {"n_topics": 6, "random_state": 1}, [lines("docs.txt")]),
    "mixture": ("NaiveBayesMixture", {"n_clusters": 6, "random_state": 1}, [lines("docs.txt")]),
    "network": ("Network", {"structure": "mood -> left, right", "values": {"mood": 3}, "random_state": 1}, [columns]),
    "grammar": ("Grammar", {"nonterminals": 3, "random_state": 1}, [lambda f: lines("text.txt")(f)[:150]]),
    "gaussian": ("GaussianMixture", {"n_clusters": 3, "random_state": 1}, [points]),
    "apart": (
        "WordAligner", {"model": "ibm1:2,hmm", "agreement": False}, [lines("text.en"), lines("text.fr")],
    ),
    "decipher": ("Decipher", {"order": 2, "restarts": 3, "random_state": 1}, [lines("cipher.txt")]),
}  # fmt: skip
NOT = {("gaussian", "mre")}  # what the model has not, in every version
# Models that no criterion is chosen for.
OTHERS: dict[str, tuple[str, dict[str, Any], Sequence[Callable[[Path], Any]]]] = {
    "align together": ("WordAligner", {"model": "ibm1:2,hmm:3"}, [lines("text.en"), lines("text.fr")]),
    "align best": ("WordAligner", {"preset": "best"}, [lines("text.en"), lines("text.fr")]),
    "align stems": (
        "WordAligner", {"model": "ibm1:2,hmm:3", "agreement": False, "stems": "5,3"},
        [lines("text.en"), lines("text.fr")],
    ),
    "align crf": ("WordAligner", {"model": "crf:3"}, [lines("text.en"), lines("text.fr")]),
    "k-means": ("KMeans", {"n_clusters": 3, "random_state": 1}, [points]),
    "word classes": ("WordClasses", {"n_classes": 8}, [lines("text.txt")]),
    "crf autoencoder": (
        "CRFAutoencoder", {"n_states": 4, "criterion": "autoencode:3", "random_state": 1},
        [lambda f: lines("text.txt")(f)[:300]],
    ),
    "language model": ("LanguageModel", {"order": 3}, [lines("text.txt")]),
    "hmm features": ("HMM", {"n_states": 6, "features": "words", "random_state": 1}, [lines("text.txt")]),
}  # fmt: skip


def estimator(
    of: tuple[str, dict[str, Any], Sequence[Callable[[Path], Any]]], engine: str = "", **settings: Any
) -> Callable[[Path], tuple[Any, tuple[Any, ...]]]:
    kind, own, data = of

    def make(folder: Path) -> tuple[Any, tuple[Any, ...]]:
        import softcount

        more = {**own, **settings}
        if engine:
            more["engine"] = far() if engine == "far" else engine
        if kind == "Decipher":
            more["lm"] = softcount.LanguageModel(3, characters=True).fit(lines("letters.txt")(folder))
        return getattr(softcount, kind)(**more), tuple(one(folder) for one in data)

    return make


def far() -> Any:
    """The tree's own engine for tests, whose workers are elsewhere: with it tables are in partitions, and rows of
    documents with their documents."""
    place = Path(os.environ["SOFTCOUNT_TREE"]) / "tests" / "copying.py"
    spec = importlib.util.spec_from_file_location("copying", place)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["copying"] = module
    spec.loader.exec_module(module)
    return module.Copying(near=False)


def criterion(name: str) -> str:
    return STAGES.get(name, f"{name}:4")


def trained() -> Iterator[Run]:
    for model, of in MODELS.items():
        for name in CRITERIA:
            if (model, name) not in NOT:
                yield Run(f"{model} {name}", estimator(of, criterion=criterion(name), n_jobs=1))
    for model, of in OTHERS.items():
        yield Run(model, estimator(of, **({} if of[0] == "LanguageModel" else {"n_jobs": 1})))
    for model in ("hmm", "topics", "apart"):
        yield Run(f"{model} em, 2 threads", estimator(MODELS[model], criterion="em:4", n_jobs=2))
    for name in ("em", "vb", "hard", "stepwise"):
        yield Run(f"apart {name}, partitioned", estimator(MODELS["apart"], "far", criterion=criterion(name)))
        yield Run(f"topics {name}, per item", estimator(MODELS["topics"], "far", criterion=criterion(name)))
    yield Run("align together, partitioned", estimator(OTHERS["align together"], "far"))
    for model in ("hmm", "topics", "apart"):
        settings = {"criterion": "em:4", "n_jobs": 2}
        yield Run(f"{model} em, ray", estimator(MODELS[model], "ray", **settings), ray=True)


# --- commands ---------------------------------------------------------------------------------------------------------

SAVED = {
    "tag": "tag text.txt --states 8 --seed 1 --save tags.model",
    "align": "align text.en text.fr --save links.model",
    "topics": "topics docs.txt --topics 6 --seed 1 --save topics.model",
    "lm": "lm text.fr --save text.lm",
    "letters": "lm letters.txt --characters --order 3 --save letters.lm",
    "shard": "shard text.txt --out shards",
    "net": "net 'mood -> left, right' rows.csv --values mood=3 --seed 1 --save net.model",
}
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tag": (SAVED["tag"], ()),
    "classes": ("classes text.txt --classes 8", ()),
    "align": (SAVED["align"], ()),
    "topics": (SAVED["topics"], ()),
    "cluster": ("cluster docs.txt --clusters 6 --seed 1", ()),
    "lm": (SAVED["lm"], ()),
    "decipher": ("decipher cipher.txt --lm letters.lm --restarts 3 --seed 1", ("letters",)),
    "net": (SAVED["net"], ()),
    "grammar": ("grammar G.cfg seen.txt --criterion em:5 --seed 1", ()),
    "glossary": ("glossary links.model text.en text.fr --min-links 2", ("align",)),
    "rank": ("rank links.model new.en new.fr --lm text.lm", ("align", "lm")),
    "tag --apply": ("tag new.txt --apply tags.model", ("tag",)),
    "align --apply": ("align new.en new.fr --apply links.model", ("align",)),
    "topics --apply": ("topics new-docs.txt --apply topics.model", ("topics",)),
    "show": ("show topics.model", ("topics",)),
    "query": ("net 'mood -> left, right' --apply net.model --query 'mood | left=a'", ("net",)),
    "shard": ("shard text.txt --out sharded", ()),
    "tag a folder": ("tag shards --states 8 --criterion em:2 --start random --seed 1", ("shard",)),
}


def runs() -> list[Run]:
    asked = [
        Run(f"softcount {name}", None, line, tuple(SAVED[one] for one in first))
        for name, (line, first) in COMMANDS.items()
    ]
    return [*trained(), *asked, Run("open a model", opened, first=(SAVED["align"],)),
            Run("open a folder", opened_folder, first=(SAVED["shard"],))]  # fmt: skip


class Opened:
    """Opens what a tree has written, many times."""

    def __init__(self, path: Path, open_one: Callable[[Path], Any]) -> None:
        self.path, self.open_one = path, open_one

    def fit(self) -> Opened:
        for _ in range(40):
            self.told = self.open_one(self.path)
        return self


def opened(folder: Path) -> tuple[Any, tuple[Any, ...]]:
    import softcount

    return Opened(folder / "links.model", lambda path: softcount.load(path).data_["digest"]), ()


def opened_folder(folder: Path) -> tuple[Any, tuple[Any, ...]]:
    import softcount

    return Opened(folder / "shards", lambda path: softcount.Shards(path).loaded().digest()), ()


# --- in a tree --------------------------------------------------------------------------------------------------------


def generated(folder: Path) -> None:
    """The text that everything is trained on, by the older tree's generator: both read the same files."""
    import random

    from softcount.synthetic import bilingual, language
    from softcount.synthetic.topics import topical

    dice, text, new = random.Random(1), language(800, seed=1), language(100, seed=2)
    pairs, fresh = bilingual(500, seed=1), bilingual(40, seed=2)
    clouds = [[dice.gauss(4.0 * (k % 3), 1.0) for _ in range(4)] for k in range(300)]
    cells = [[str(k % 3), dice.choice("abc"), dice.choice("xyz")] for k in range(300)]
    rows = ["left,right", *(",".join(cell if dice.random() < 0.9 else "" for cell in row[1:]) for row in cells)]
    seen = ["she saw the dog with a telescope", "she saw a dog", "the dog saw a telescope"] * 20
    rules = ["S -> NP VP", "VP -> V NP | VP PP", "NP -> 'she' | Det N | NP PP", "PP -> P NP", "Det -> 'the' | 'a'",
             "N -> 'dog' | 'telescope'", "V -> 'saw'", "P -> 'with'"]  # fmt: skip
    letters = [" ".join(words).lower() for words in text.sentences[:300]]
    turned = str.maketrans("abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm")
    files = {
        "text.txt": text.sentences, "new.txt": new.sentences, "text.en": pairs.source, "text.fr": pairs.target,
        "new.en": fresh.source, "new.fr": fresh.target, "docs.txt": topical(200, seed=1).documents,
        "new-docs.txt": topical(30, seed=2).documents, "points.txt": [[repr(x) for x in point] for point in clouds],
        "rows.csv": rows, "seen.txt": seen, "G.cfg": rules, "letters.txt": letters,
        "cipher.txt": [line.translate(turned) for line in letters[:20]],
    }  # fmt: skip
    for name, content in files.items():
        said = "".join((line if isinstance(line, str) else " ".join(line)) + "\n" for line in content)
        (folder / name).write_text(said, encoding="utf-8")


def softcount_says(*words: str) -> str:
    """What a command prints, in this process."""
    import io

    before, sys.argv = sys.argv, ["softcount", *words]
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    try:
        with redirect_stdout(out):
            runpy.run_module("softcount", run_name="__main__")
    except SystemExit as leaving:
        if leaving.code:
            raise RuntimeError(f"softcount {' '.join(words)}: left with {leaving.code}") from None
    finally:
        sys.argv = before
    out.flush()
    return out.buffer.getvalue().decode()


def trained_here(run: Run, folder: Path, out: Path, tables: bool) -> None:
    """In a process of the tree: trains, notes the seconds, and writes what was learned."""
    assert run.make
    model, data = run.make(folder)
    began = time.process_time()
    found = model.fit(*data)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (out / "measured.json").write_text(json.dumps({"seconds": seconds, "kilobytes": peak}))
    if not tables:
        return
    if isinstance(found, Opened):
        (out / "opened.tsv").write_text(str(found.told))
        return
    new = [one[:50] if isinstance(one, list) else one for one in data]
    for method in ("predict", "predict_proba", "transform", "align", "posteriors", "parse"):
        if hasattr(found, method) and not (method == "posteriors" and isinstance(data[0], dict)):
            said = getattr(found, method)(*new)
            (out / f"{method}.tsv").write_text("".join(f"{line}\n" for line in flat(said)), encoding="utf-8")
    found.save(out / "learned.model")
    softcount_says("export", str(out / "learned.model"), "--to", str(out / "exported"), "-q")


def flat(value: Any) -> Iterator[str]:
    """Every number and word, a line each, with all digits."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from (f"{key}\t{line}" for line in flat(part))
    elif hasattr(value, "tolist"):
        yield from flat(value.tolist())
    elif isinstance(value, list | tuple):
        for part in value:
            yield from flat(part)
    else:
        yield repr(value)


# --- beside each other ------------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    seconds: float
    kilobytes: int


class Tree:
    """A source tree, where its kernels are kept, and what it has made of the runs' text."""

    def __init__(self, root: Path, work: Path, number: int) -> None:
        self.root, self.work = root.resolve(), work / str(number)
        if not (self.root / "src" / "softcount").is_dir():
            raise SystemExit(f"compare: {root}: no src/softcount is there; give the root of a source tree")
        self.cache = HERE.parent / ".cache" / "compare" / f"{self.root.name}-{self._digest()}"
        self.work.mkdir(parents=True)

    def _digest(self) -> str:
        """Of the path and all that is compiled: Numba does not see an edit in what a kernel imports."""
        digest = hashlib.sha256(str(self.root).encode())
        for path in sorted((self.root / "src").rglob("*.py")):
            text = path.read_bytes()
            digest.update(text if b"numba" in text or b"kernel" in text else b"")
        return digest.hexdigest()[:12]

    def environment(self) -> dict[str, str]:
        return {
            **os.environ, "PYTHONPATH": str(self.root / "src"), "NUMBA_CACHE_DIR": str(self.cache),
            "SOFTCOUNT_TREE": str(self.root), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip

    def start(self, words: Sequence[str], out: Path, name: str = "stdout.tsv") -> Measured:
        """A process of this tree: what it prints goes to a file; its CPU seconds and its peak."""
        with (out / name).open("wb") as stdout, (out / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                words, cwd=self.work, env=self.environment(), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said = (out / "stderr").read_text(errors="replace").strip().splitlines()
            raise Failed(said[-1] if said else f"exit code {process.returncode}")
        return Measured(used.ru_utime + used.ru_stime, used.ru_maxrss)

    def here(self, *words: str) -> list[str]:
        return [sys.executable, str(Path(__file__).resolve()), "--inside", *words]

    def prepare(self, first: Sequence[str]) -> None:
        for line in first:
            mark = self.work / f"made-{hashlib.sha256(line.encode()).hexdigest()[:12]}"
            if not mark.exists():
                self.start([sys.executable, "-m", "softcount", *shlex.split(line), "-q"], fresh(self.work / "first"))
                mark.touch()

    def do(self, run: Run, out: Path, tables: bool = True) -> Measured:
        """One run; in `out` is what came of it."""
        fresh(out)
        self.prepare(run.first)
        if run.command:
            saved = re.search(r"--(?:save|out) (\S+)", run.command)
            if saved and not tables:  # as the first time: nothing to replace
                place = self.work / saved[1]
                shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
            quiet = [] if run.command.startswith("show ") else ["-q"]
            found = self.start([sys.executable, "-m", "softcount", *shlex.split(run.command), *quiet], out)
            if saved and tables and saved[1].endswith(("model", "lm")):
                words = ["export", str(self.work / saved[1]), "--to", str(out / "exported"), "-q"]
                self.start([sys.executable, "-m", "softcount", *words], fresh(out / "export"))
            return found
        self.start(self.here(run.name, str(self.work), str(out), "tables" if tables else ""), out, "said")
        measured = json.loads((out / "measured.json").read_text())
        return Measured(measured["seconds"], measured["kilobytes"])


class Failed(Exception):
    """A run that did not come to its end, and why."""


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def tables_of(out: Path) -> dict[str, list[str]]:
    """By name, the lines of every table and of what was printed; of a trace without the clock."""
    found = {}
    for path in sorted([*out.glob("*.tsv"), *out.glob("exported/*.tsv")]):
        text = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        names = text[0].split("\t") if text else []
        if path.parent.name == "exported" and "seconds" in names:
            clock = names.index("seconds")
            text = ["\t".join(c for k, c in enumerate(line.split("\t")) if k != clock) for line in text]
        found[path.stem] = text
    return found


def sha(table: list[str]) -> str:
    return hashlib.sha256("\n".join(table).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def difference(old: list[str], new: list[str]) -> str:
    """In words: how many lines differ, and by how much at most."""
    pairs = [(a, b) for a, b in zip_longest(old, new, fillvalue="") if a != b]
    numbers = [(number(x), number(y)) for a, b in pairs for x, y in zip(cells(a), cells(b), strict=False) if x != y]
    told = [abs(x - y) for x, y in numbers if x is not None and y is not None]
    largest = f", at most by {max(told):.3g}" if told else ""
    first = " and ".join(repr(line[:60]) for line in pairs[0])
    return f"{len(pairs):,} of {max(len(old), len(new)):,} lines{largest}; the first: {first}"


def cells(line: str) -> list[str]:
    return re.split(r"[\s,\[\]()]+", line)


def number(cell: str) -> float | None:
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def compared(run: Run, trees: Sequence[Tree], work: Path) -> tuple[list[str], list[str]]:
    """What differs between two trees in this run; and a line for each table that does not."""
    found: list[dict[str, list[str]] | str] = []
    for number_, tree in enumerate(trees):
        out = work / f"out-{number_}"
        try:
            tree.do(run, out)
            found.append(tables_of(out))
        except Failed as failure:
            found.append(str(failure))
    old, new = found
    if isinstance(old, str) and isinstance(new, str):
        return [f"neither runs: {old}"], []
    if isinstance(old, str) or isinstance(new, str):
        which = "OLD" if isinstance(old, str) else "NEW"
        return [f"{which} alone failed: {old if isinstance(old, str) else new}"], []
    wrong = [f"no table {name}" for name in old if name not in new]
    both = [name for name in old if name in new]
    wrong += [f"{name}: {difference(old[name], new[name])}" for name in both if old[name] != new[name]]
    return wrong, [f"{name} {sha(old[name])}" for name in both if old[name] == new[name]]


class Timed(NamedTuple):
    old: list[Measured]
    new: list[Measured]
    again: list[Measured]


def timed(run: Run, old: Tree, new: Tree, work: Path, pairs: int) -> Timed:
    """Pairs, which tree is first in turns; and OLD once more beside each, which shows how far it is from itself."""
    found = Timed([], [], [])
    for k in range(pairs):
        three = [(old, found.old), (new, found.new), (old, found.again)]
        for tree, into in three if k % 2 == 0 else three[::-1]:
            into.append(tree.do(run, work / "timed", tables=False))
    return found


def told(found: Timed) -> str:
    """Seconds and megabytes of both, and the quotients beside those of OLD with itself."""

    def quotients(these: list[Measured]) -> list[float]:
        return sorted(b.seconds / max(a.seconds, 1e-9) for a, b in zip(found.old, these, strict=True))

    def megabytes(these: list[Measured]) -> float:
        return statistics.median(one.kilobytes for one in these) / 1000

    ratio, itself = quotients(found.new), quotients(found.again)
    seconds = statistics.median(one.seconds for one in found.old)
    middle = statistics.median(ratio)
    mark = "  slower" if middle > itself[-1] else "  faster" if middle < itself[0] else ""
    return (
        f"CPU {seconds:8.3f} s × {middle:.3f}  (itself {itself[0]:.3f} to {itself[-1]:.3f})   "
        f"peak {megabytes(found.old):7.1f} → {megabytes(found.new):7.1f} MB{mark}"
    )


def chosen(only: str, ray: bool) -> list[Run]:
    return [run for run in runs() if re.search(only, run.name) and (ray or not run.ray)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, nargs="?", help="the root of the tree to compare with")
    parser.add_argument("new", type=Path, nargs="?", default=HERE.parent, help="the other (if not given, this one)")
    parser.add_argument("--only", default="", metavar="PATTERN", help="runs whose name this regular expression finds")
    parser.add_argument("--pairs", type=int, default=7, help="how many pairs are timed (7)")
    parser.add_argument("--quick", action="store_true", help="bits alone; nothing is timed")
    parser.add_argument("--no-ray", action="store_true", help="without the runs on a local Ray cluster")
    parser.add_argument("--list", action="store_true", help="print the names of the runs, and leave")
    asked = parser.parse_args()
    of = chosen(asked.only, not asked.no_ray)
    if asked.list:
        print("\n".join(run.name for run in of))
        return 0
    if asked.old is None:
        parser.error("name the tree to compare with")
    with tempfile.TemporaryDirectory(prefix="softcount-compare-") as temporary:
        return _compare(asked, of, Path(temporary))


def _compare(asked: argparse.Namespace, of: list[Run], work: Path) -> int:
    old, new = Tree(asked.old, work, 0), Tree(asked.new, work, 1)
    old.start(old.here("generate", str(old.work)), fresh(work / "text"))
    for path in old.work.iterdir():
        shutil.copy(path, new.work)
    print(f"OLD {old.root}\nNEW {new.root}\n{len(of)} runs", flush=True)
    differ = []
    for run in of:
        wrong, same = compared(run, (old, new), work)
        print(f"{run.name:32} {'DIFFERS' if wrong else 'the same bits'}  ({', '.join(same) or 'nothing'})", flush=True)
        for line in wrong:
            print(f"    {line}", flush=True)
        differ += [run.name] if wrong else []
        if not wrong and not asked.quick:
            print(f"    {told(timed(run, old, new, work, asked.pairs))}", flush=True)
    print(f"{len(differ)} of {len(of)} runs differ or fail{': ' + ', '.join(differ) if differ else ''}")
    return 1 if differ else 0


def inside(what: str, folder: Path, out: Path | None = None, tables: str = "") -> None:
    """In a process that has one of the trees for its softcount."""
    import softcount

    assert Path(softcount.__file__).is_relative_to(os.environ["SOFTCOUNT_TREE"]), softcount.__file__
    warnings.simplefilter("ignore")
    if what == "generate":
        generated(folder)
    elif out is not None:
        run = next(run for run in runs() if run.name == what)
        trained_here(run, folder, out, bool(tables))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        name, *paths = sys.argv[2:]
        inside(name, Path(paths[0]), *(Path(paths[1]), paths[2]) if len(paths) > 1 else ())
    else:
        sys.exit(main())
