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
from typing import Any

SHARES = "10,3,1"  # of the text: a tenth, a third, the whole


def write(folder: Path, n_pairs: int, block: int = 50_000) -> None:
    """Block by block, each of its own seed, so that generating needs little memory.

    Words by Zipf's law, sentences of 4 to 22 of them; a target word is the translation of its source word, but that one
    in ten is left out, one in ten is any word, and neighbours change places one time in four.
    """
    import numpy as np

    words = [_words(40_000, 1), _words(40_000, 2)]
    share = 1.0 / (np.arange(40_000) + 2.7)
    bounds = np.cumsum(share / share.sum())
    translation = np.random.default_rng(0).permutation(40_000)
    with open(folder / "s", "w", encoding="utf-8") as source, open(folder / "t", "w", encoding="utf-8") as target:
        for start in range(0, n_pairs, block):
            rng = np.random.default_rng(start + 1)
            lengths = rng.integers(4, 23, min(block, n_pairs - start))
            ids = np.searchsorted(bounds, rng.random(int(lengths.sum())))
            other = np.where(rng.random(len(ids)) < 0.1, np.searchsorted(bounds, rng.random(len(ids))), ids)
            sentence = np.repeat(np.arange(len(lengths)), lengths)
            order = np.argsort(100.0 * sentence + np.arange(len(ids)) + 1.5 * (rng.random(len(ids)) < 0.25))
            kept = order[rng.random(len(ids)) < 0.9]
            _write_lines(source, words[0], ids, sentence, len(lengths))
            _write_lines(target, words[1], translation[other[kept]], sentence[kept], len(lengths))


def _words(n: int, seed: int) -> list[str]:
    """Stems of two or three syllables with one of eight endings."""
    import numpy as np

    rng = np.random.default_rng(seed)
    syllables = [a + b for a in "bdfgklmnprstv" for b in "aeiou"]
    stems = sorted({"".join(rng.choice(syllables, size)) for size in (2, 3) for _ in range(n // 6)})
    endings = ["", "s", "n", "la", "ri", "to", "mes", "ko"]
    found = [stem + ending for stem in stems for ending in endings]
    return [found[k] for k in rng.permutation(len(found))[:n].tolist()]


def _write_lines(file: Any, words: list[str], ids: Any, sentence: Any, n: int) -> None:
    import numpy as np

    shown = [words[k] for k in ids.tolist()]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(sentence, minlength=n))]).tolist()
    file.writelines(" ".join(shown[a:b]) + "\n" for a, b in pairwise(bounds))


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
