"""Word alignment beside FastAlign (sil-thot) and eflomal, on Hansards: AER, CPU seconds and peak memory, in one run.

Every tool runs in a process of its own: reading, indexing, training and aligning both directions. AER is computed
afterwards, from each tool's own directions, with the same symmetrisation for all. Where the corpus or a peer is not
there, this says so and goes on without it.   python bench/bench_align.py [folder with {train,test}.{src,tgt} gold.wa]
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HANSARDS = Path(os.environ.get("SOFTCOUNT_DATA", "/work/shared/data")) / "hansards-en-fr"
COLUMNS = ("forward", "reverse", "intersection", "grow-diag", "grow-diag-final-and", "product")
SETTINGS = {
    "softcount, defaults": {},
    "softcount, learned tension": {"tension": "learn"},
    "softcount, fast_align's settings": {
        "tension": "learn", "null": 0.08, "alpha": 0.01, "prior_over": "cooccurring", "criterion": "vb:3"
    },
    "softcount, tension 4, null .08, VB 0.1": {
        "tension": 4.0, "null": 0.08, "alpha": 0.1, "prior_over": "cooccurring"
    },
    "softcount, the same by EM": {"tension": 4.0, "null": 0.08, "criterion": "em:5"},
    "softcount, IBM 1 by EM": {"model": "ibm1", "criterion": "em:5"},
    "softcount, IBM 1 by VB": {"model": "ibm1"},
}  # fmt: skip


def measured() -> dict[str, float]:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in (own, children))
    return {"cpu": cpu, "mb": max(own.ru_maxrss, children.ru_maxrss) / 1024}


def by_softcount(source: str, target: str, settings: dict[str, object], n_gold: int) -> dict[str, object]:
    from softcount import WordAligner, read_bitext

    data = read_bitext(source, target)
    model = WordAligner(**settings).fit(data)
    n_links = sum(len(links.source) for links in model.blocks(data))
    result: dict[str, object] = {**measured(), "links": n_links}
    part, both = data.slice(0, n_gold), dict(model.directions_)
    result["product"] = model.align(part, symmetrize="product")
    for name in ("forward", "reverse"):
        model.directions_ = {name: both[name]}
        result[name] = model.align(part)
    return result


def by_thot(source: str, target: str, n_gold: int) -> dict[str, object]:
    from thot.alignment import FastAlignModel

    result: dict[str, object] = {}
    texts = [Path(path).read_text(encoding="utf-8").split("\n")[:-1] for path in (source, target)]
    sides = [[line.split() for line in text] for text in texts]
    for name, (first, second) in {"forward": sides, "reverse": sides[::-1]}.items():
        model = FastAlignModel()
        model.variational_bayes = True
        for pair in zip(first, second, strict=True):
            model.add_sentence_pair(*pair)
        model.start_training()
        for _ in range(4):
            model.train()
        model.end_training()
        links = []
        for f, s in zip(first, second, strict=True):
            matrix = model.get_best_alignment(f, s)[1]
            if len(links) < n_gold:
                rows = matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix
                found = [(i, j) for i in range(len(f)) for j in range(len(s)) if rows[i, j]]
                links.append(found if name == "forward" else sorted((j, i) for i, j in found))
        result[name] = links
    return {**measured(), **result}


def by_eflomal(source: str, target: str, n_gold: int) -> dict[str, object]:
    command = str(Path(sys.executable).parent / "eflomal-align")
    with tempfile.TemporaryDirectory() as folder:
        out = [f"{folder}/f", f"{folder}/r"]
        subprocess.run(
            [command, "-s", source, "-t", target, "-f", out[0], "-r", out[1]],
            check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        links = [[_pharaoh(line) for line in Path(path).read_text().split("\n")[:n_gold]] for path in out]
    return {**measured(), "forward": links[0], "reverse": links[1]}


def _pharaoh(line: str) -> list[tuple[int, int]]:
    return sorted((int(i), int(j)) for i, j in (link.split("-") for link in line.split()))


def aer_columns(found: dict, lengths: list[tuple[int, int]], gold: list) -> dict[str, float]:
    """AER in percent of both directions and of what symmetrising makes of them."""
    import numpy as np

    from softcount.evaluate.links import count_links, link_scores, total
    from softcount.links.joining import link
    from softcount.numbers.ragged import from_rows

    def matrices(links: list, sizes: list[tuple[int, int]], turned: bool) -> object:
        rows = []
        for pairs, (l, m) in zip(links, sizes, strict=True):
            matrix = np.zeros((m + 1, l) if turned else (l + 1, m))
            matrix[0] = 0.5
            for i, j in pairs:
                matrix[(j + 1, i) if turned else (i + 1, j)] = 1.0
            rows.append(matrix.ravel())
        return from_rows(rows, float)

    sizes = [np.array([pair[k] for pair in lengths]) for k in (0, 1)]
    f, r = matrices(found["forward"], lengths, False), matrices(found["reverse"], lengths, True)
    rows = {"forward": found["forward"], "reverse": found["reverse"]}
    for rule in COLUMNS[2:5]:
        links = link(rule, *sizes, f, r, 0.5)
        flat = list(zip(links.source.tolist(), links.target.tolist(), strict=True))
        rows[rule] = [flat[a:b] for a, b in zip(links.offsets[:-1], links.offsets[1:], strict=True)]
    if "product" in found:
        rows["product"] = found["product"]
    return {
        name: 100 * link_scores(total(map(lambda a, g: count_links(map(tuple, a), *g), each, gold))).aer
        for name, each in rows.items()
    }


def ibm1_cost(source: str, target: str) -> str:
    """CPU nanoseconds per token pair of an iteration of Model 1, one thread: the best and the median of nine."""
    from softcount import read_bitext
    from softcount.engines import Threads
    from softcount.families.layout import by_table
    from softcount.families.penalty import NOTHING
    from softcount.loop.estep import EStep
    from softcount.models.ibm import IBM
    from softcount.text.bitext import length_classes
    from softcount.text.cooccurrence import cooccurring

    data = read_bitext(source, target)
    rows = cooccurring(data.sides[0].occurrences, data.target.sentences, len(data.target.vocabulary))
    model = IBM(rows, len(data.target.vocabulary), length_classes(data)[0], "uniform")
    layout, parameters, times = model.layout, model.start(), []
    with Threads(1) as engine:
        step = EStep(model, data, engine)
        for _ in range(9):
            began = time.process_time()
            weights = by_table(layout, lambda s, t: s.family.log_weights(t), parameters)
            counts = step(weights).counts
            parameters = by_table(layout, lambda s, c, p: s.family.maximize(c, NOTHING, p), counts, parameters)
            times.append((time.process_time() - began) / data.token_pairs.sum() * 1e9)
    times.sort()
    return f"{times[0]:.1f} best, {times[4]:.1f} median"


def run(worker: str, *arguments: str) -> dict:
    command = [sys.executable, __file__, "--worker", worker, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def worker(name: str, source: str, target: str, settings: str, n_gold: str) -> None:
    if name == "softcount":
        result = by_softcount(source, target, json.loads(settings), int(n_gold))
    else:
        result = (by_thot if name == "thot" else by_eflomal)(source, target, int(n_gold))
    print(json.dumps(result, default=float))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HANSARDS
    if not (folder / "gold.wa").exists():
        print(f"{folder}: not there; nothing to measure")
        return
    from softcount import read_bitext
    from softcount.links.pharaoh import read_links

    gold = read_links(folder / "gold.wa")
    with tempfile.TemporaryDirectory() as scratch:
        source, target = f"{scratch}/src", f"{scratch}/tgt"
        for path, side in ((source, "src"), (target, "tgt")):
            with open(path, "wb") as out:  # test first, so that the gold pairs are the first lines
                for part in ("test", "train"):
                    with open(folder / f"{part}.{side}", "rb") as piece:
                        shutil.copyfileobj(piece, out)
        data = read_bitext(source, target).slice(0, len(gold))
        lengths = list(zip(*(side.sentences.lengths.tolist() for side in (data.source, data.target)), strict=True))
        jobs = [("warm-up (compiles)", "softcount", {})]
        jobs += [(name, "softcount", settings) for name, settings in SETTINGS.items()]
        jobs += [("FastAlign (sil-thot), VB, 4 iterations", "thot", {})] if importlib.util.find_spec("thot") else []
        jobs += [("eflomal", "eflomal", {})] if importlib.util.find_spec("eflomal") else []
        jobs += [("softcount, defaults, again", "softcount", {})]
        print(f"{'':42}{'CPU s':>7}{'MB':>6}" + "".join(f"{name[:12]:>13}" for name in COLUMNS), flush=True)
        for title, kind, settings in jobs:
            found = run(kind, source, target, json.dumps(settings), str(len(gold)))
            scores = aer_columns(found, lengths, gold)
            cells = "".join(f"{scores[name]:13.1f}" if name in scores else f"{'':13}" for name in COLUMNS)
            print(f"{title:42}{found['cpu']:7.1f}{found['mb']:6.0f}{cells}", flush=True)
        for peer in ("thot", "eflomal"):
            if not importlib.util.find_spec(peer):
                print(f"{peer} is not installed: pip install 'softcount[bench]'")
        print(f"IBM 1, ns of CPU per token pair and iteration, one thread: {ibm1_cost(source, target)}")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--worker":
        worker(*sys.argv[2:])
    else:
        main()
