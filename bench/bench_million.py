"""A million generated pairs: memory beside what the tool said beforehand, and cost per token pair as the text grows.

Every size is read, trained and aligned in a process of its own, with the default.

    python bench/bench_million.py [pairs [shares]]      # 1,000,000 pairs; 10,3,1: a tenth, a third and the whole
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

SHARES = "10,3,1"  # of the text: a tenth, a third, the whole


def write(folder: Path, n_pairs: int, block: int = 50_000) -> None:
    """Block by block, each of its own seed, so that generating needs little memory."""
    from softcount.synthetic import bilingual

    with open(folder / "s", "w", encoding="utf-8") as source, open(folder / "t", "w", encoding="utf-8") as target:
        for start in range(0, n_pairs, block):
            sample = bilingual(min(block, n_pairs - start), seed=start // block, vocabulary=30.0)
            source.writelines(" ".join(words) + "\n" for words in sample.source)
            target.writelines(" ".join(words) + "\n" for words in sample.target)


def cut(folder: Path, n_pairs: int) -> None:
    for side in "st":
        with open(folder / side, "rb") as whole, open(folder / f"{side}.part", "wb") as part:
            part.writelines(line for line, _ in zip(whole, range(n_pairs), strict=False))


def work(folder: Path) -> None:
    from softcount import WordAligner, read_bitext
    from softcount.estimators.align_memory import needed

    data = read_bitext(folder / "s.part", folder / "t.part")
    model = WordAligner(n_jobs=1)
    print(needed(data, model), flush=True)
    began, steps = time.process_time(), [time.process_time()]
    model.fit(data, on_step=lambda name, step: steps.append(time.process_time()))
    trained, pairs = time.process_time(), int(data.token_pairs.sum())
    links = sum(len(found.source) for found in model.blocks(data))
    each = ", ".join(f"{(b - a) / pairs * 1e9:.0f}" for a, b in pairwise(steps))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"   {len(model.agreed_.rows.values):,} entries; training {trained - began:.1f} CPU s, steps {each} ns per "
        f"token pair, aligning {time.process_time() - trained:.1f} s, {links:,} links; peak {peak:,.0f} MB",
        flush=True,
    )


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        work(Path(sys.argv[2]))
        return
    n_pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    shares = [int(share) for share in (sys.argv[2] if len(sys.argv) > 2 else SHARES).split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n_pairs)
        for share in (1000, *shares):  # the first compiles
            cut(folder, n_pairs // share)
            out = subprocess.DEVNULL if share == 1000 else None
            subprocess.run([sys.executable, __file__, "--worker", name], check=True, stdout=out)


if __name__ == "__main__":
    main()
