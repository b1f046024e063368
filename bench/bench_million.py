"""A million generated pairs: memory and time beside what the tool said beforehand, as the text grows.

Every size is read, trained and aligned in a process of its own, with the default.

    python bench/bench_million.py [pairs [shares]]      # 1,000,000 pairs; 10,3,1: a tenth, a third and the whole
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from measured import Measured

COLUMNS = {
    "pairs": ",.0f", "token pairs": ",.0f", "entries": ",.0f", "links": ",.0f", "MB, announced": ",.0f",
    "peak": ",.0f", "s, announced": ".0f", "CPU s": ".0f", "training": ".1f", "linking": ".1f",
}  # fmt: skip
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


def work(folder: Path) -> dict[str, float]:
    """What was said beforehand, and what it came to."""
    from softcount import WordAligner, read_bitext
    from softcount.estimators.align_forecast import estimated_entries, megabytes, seconds

    data, model = read_bitext(folder / "s.part", folder / "t.part"), WordAligner(n_jobs=1)
    token_pairs = data.lengths.token_pairs
    size = data.source.n_tokens + data.target.n_tokens, estimated_entries(data), token_pairs
    said = megabytes(model, *size), seconds(model, *size)
    began = time.process_time()
    model.fit(data)
    trained = time.process_time()
    links = sum(len(found.source) for found in model.blocks(data))
    return {
        "pairs": len(data), "token pairs": token_pairs, "entries": len(model.agreed_.rows.values), "links": links,
        "MB, announced": said[0], "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "s, announced": said[1], "CPU s": time.process_time(), "training": trained - began,
        "linking": time.process_time() - trained,
    }  # fmt: skip


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        print(json.dumps(work(Path(sys.argv[2]))))
        return
    n_pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    shares = [int(share) for share in (sys.argv[2] if len(sys.argv) > 2 else SHARES).split(",")]
    table = Measured("align-million", COLUMNS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n_pairs)
        for share in (1000, *shares):  # the first compiles
            cut(folder, n_pairs // share)
            worker = [sys.executable, __file__, "--worker", name]
            done = subprocess.run(worker, check=True, stdout=subprocess.PIPE, text=True)
            if share != 1000:
                row = json.loads(done.stdout)
                table.add(*(row[column] for column in COLUMNS))


if __name__ == "__main__":
    main()
