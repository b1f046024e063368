"""A million generated pairs: memory beside what the tool said beforehand, and cost per token pair as the text grows.

python bench/bench_million.py [pairs, 1000000 unless told]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path


def write(folder: Path, n_pairs: int, block: int = 50_000) -> None:
    """Block by block, each of its own seed, so that generating needs little memory."""
    from softcount.synthetic import bilingual

    with open(folder / "s", "w", encoding="utf-8") as source, open(folder / "t", "w", encoding="utf-8") as target:
        for start in range(0, n_pairs, block):
            sample = bilingual(min(block, n_pairs - start), seed=start // block, vocabulary=30.0)
            source.writelines(" ".join(words) + "\n" for words in sample.source)
            target.writelines(" ".join(words) + "\n" for words in sample.target)


def main() -> None:
    n_pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    from softcount import WordAligner, read_bitext
    from softcount.estimators.align_memory import needed

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n_pairs)
        whole = read_bitext(folder / "s", folder / "t")
    WordAligner().fit(whole.slice(0, 1000))  # compiles
    for size in (n_pairs // 10, n_pairs):
        data = whole.slice(0, size)
        print(needed(data, None), flush=True)
        began = time.process_time()
        model = WordAligner(n_jobs=2)
        model.fit(data, on_step=lambda name, step: print(f"  {name} {step.stage} step {step.step}", file=sys.stderr))
        trained = time.process_time()
        links = sum(len(found.source) for found, _ in model.blocks(data))
        aligned = time.process_time()
        pairs, steps = int(data.costs.sum()), 2 * 5
        entries = len(model.directions_["forward"].model.entries.values)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{size:,} pairs, {entries:,} entries: training {trained - began:.1f} CPU s "
            f"({(trained - began) / pairs / steps * 1e9:.1f} ns per token pair and update), aligning "
            f"{aligned - trained:.1f} s, {links:,} links; peak {peak:,.0f} MB",
            flush=True,
        )


if __name__ == "__main__":
    main()
