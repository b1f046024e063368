"""Word alignment beside eflomal and FastAlign (sil-thot): AER of every symmetrisation, CPU seconds and peak memory.

Six sets with gold links, each tool trained on all the text that a set has, test text first. Whole runs, each in a
process of its own, one thread. AER is computed from each tool's links by the same code. eflomal draws at random, so it
runs three times: means, and the range of its AER. "AER" is of the links that a tool prints or, of a peer, which has
directions only, of its best column, chosen with the gold links. Peers and corpora that are not there are said and
skipped.

    python bench/bench_align.py                          # all of it: about half an hour
    python bench/bench_align.py --sets it nl --tools softcount fast best
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import align_tools as tools
import corpora
from measured import Measured

SETS = {
    "hansards": "hansards-en-fr",
    "europarl": "europarl-en-es",
    "cs": "czenali-en-cs",
    "es": "xl-wa/en-es",
    "it": "xl-wa/en-it",
    "nl": "xl-wa/en-nl",
}
PARTS = ("test", "dev", "unlabelled", "train")
COLUMNS = ("links", "forward", "reverse", *tools.RULES)
SHORT = ("links", "forward", "reverse", "inters.", "union", "g-d", "g-d-f", "g-d-f-and", "product", "mean")
TABLE = {"set": "", "tool": "", "AER": "", "CPU s": ".1f", "MB": ",.0f", **dict.fromkeys(SHORT, ".2f")}


class Tool(NamedTuple):
    title: str
    run: Callable[..., tools.Run]
    options: Sequence[str] = ()
    needs: str = "softcount"
    runs: int = 1


TOOLS = {
    "softcount": Tool("softcount", tools.softcount),
    "fast": Tool("softcount, fast", tools.softcount, ("--preset", "fast")),
    "best": Tool("softcount, best", tools.softcount, ("--preset", "best")),
    "thot": Tool("FastAlign (sil-thot)", tools.fast_align, needs="thot"),
    "eflomal": Tool("eflomal", tools.eflomal, needs="eflomal", runs=3),
    "eflomal-4": Tool(
        "eflomal, prefixes 4/4", tools.eflomal, ("--source-prefix", "4", "--target-prefix", "4"), "eflomal", 3
    ),
}


class Text(NamedTuple):
    source: str
    target: str
    gold: list[Any]
    lengths: list[tuple[int, int]]


def text_of(folder: Path, scratch: str) -> Text:
    """All text of a set in two files, the pairs with gold links first."""
    from softcount import read_bitext
    from softcount.links.pharaoh import read_links

    paths = [f"{scratch}/{folder.name}.{side}" for side in ("src", "tgt")]
    for path, side in zip(paths, ("src", "tgt"), strict=True):
        pieces = (folder / f"{part}.{side}" for part in PARTS)
        Path(path).write_bytes(b"".join(piece.read_bytes() for piece in pieces if piece.exists()))
    gold = read_links(folder / "gold.wa")
    data = read_bitext(*paths).slice(0, len(gold))
    sides = (side.sentences.lengths.tolist() for side in (data.source, data.target))
    return Text(paths[0], paths[1], gold, list(zip(*sides, strict=True)))


def aer(links: tools.Sentences, gold: list[Any]) -> float:
    """In percent."""
    from softcount.evaluate.links import count_links, link_scores, total

    counted = (count_links(map(tuple, found), *known) for found, known in zip(links, gold, strict=True))
    return 100.0 * link_scores(total(counted)).aer


def measure(tool: Tool, text: Text) -> tuple[list[tools.Run], list[dict[str, float]]]:
    """Every run, and the AER of its columns."""
    runs = [tool.run(text.source, text.target, len(text.gold), tool.options) for _ in range(tool.runs)]
    columns = [run.links if "mean" in run.links else tools.symmetrized(run.links, text.lengths) for run in runs]
    return runs, [{name: aer(links, text.gold) for name, links in each.items()} for each in columns]


def row(tool: Tool, runs: list[tools.Run], scores: list[dict[str, float]]) -> list[Any]:
    shown = {name: mean(each[name] for each in scores) for name in scores[0]}
    own = [each["links"] if "links" in each else min(each.values()) for each in scores]
    aer = f"{min(own):.2f}" if len(own) == 1 else f"{min(own):.2f}–{max(own):.2f}"
    cpu, memory = mean(run.cpu for run in runs), max(run.mb for run in runs)
    return [tool.title, aer, cpu, memory, *map(shown.get, COLUMNS)]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    table = Measured("align-peers", TABLE, keys=2)
    missing = {TOOLS[name].needs for name in chosen.tools if not importlib.util.find_spec(TOOLS[name].needs)}
    for peer in sorted(missing):
        print(f"{peer} is not installed: pip install 'softcount[bench]'")
    wanted = [TOOLS[name] for name in chosen.tools if TOOLS[name].needs not in missing]
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen.sets:
            folder = corpora.folder(SETS[name])
            if folder is None:
                continue
            text = text_of(folder, scratch)
            for tool in wanted:
                if tool.run is tools.softcount:  # compiled before it is timed, once per machine
                    tool.run(*_few(text, scratch), 1, tool.options)
                table.add(name, *row(tool, *measure(tool, text)))


def _few(text: Text, scratch: str) -> list[str]:
    paths = [f"{scratch}/few.{side}" for side in ("src", "tgt")]
    for path, whole in zip(paths, text[:2], strict=True):
        with open(whole, "rb") as lines:
            Path(path).write_bytes(b"".join(next(lines) for _ in range(20)))
    return paths


if __name__ == "__main__":
    sys.exit(main())
