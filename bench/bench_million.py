"""A million generated pairs: memory and time beside what the tool said beforehand, as the text grows.

Every size, and every real text that is there, is read, trained and aligned in a process of its own, with the default.

    python bench/bench_million.py [pairs [shares]]      # 1,000,000 pairs; 10,3,1: a tenth, a third and the whole
"""

from __future__ import annotations

import re
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import corpora
from align_tools import measured
from bench_align import text_of
from measured import Measured

REAL = {"Hansards": "hansards-en-fr", "Europarl": "europarl-en-es", "CzEnAli": "czenali-en-cs"}
COLUMNS = {
    "text": "", "pairs": ",.0f", "token pairs": ",.0f", "MB, announced": ",.0f", "MB at the peak": ",.0f",
    "s, announced": ".0f", "CPU s": ".0f",
}  # fmt: skip
SAID = re.compile(r"([\d,]+) pairs, .* ([\d,]+) token pairs; .* need about ([\d,]+) MB and ([\d.]+) (s|min|h)")
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


def measure(table: Measured, text: str, folder: Path) -> None:
    """The command as it is; without a name, only so that everything is compiled."""
    command = [sys.executable, "-m", "softcount", "align", f"{folder}/s.part", f"{folder}/t.part", "--threads", "1"]
    cpu, peak, said = measured(command, folder / "links")
    found = SAID.search("\n".join(said))
    assert found, said
    pairs, token_pairs, announced, time, unit = found.groups()
    seconds = float(time) * {"s": 1, "min": 60, "h": 3600}[unit]
    if text:
        numbers = (float(number.replace(",", "")) for number in (pairs, token_pairs, announced))
        table.add(text, *numbers, peak, seconds, cpu)


def main() -> None:
    n_pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    shares = [int(share) for share in (sys.argv[2] if len(sys.argv) > 2 else SHARES).split(",")]
    table = Measured("align-million", COLUMNS, keys=2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n_pairs)
        for share in (1000, *shares):  # the first compiles
            cut(folder, n_pairs // share)
            measure(table, "" if share == 1000 else "generated", folder)
        for title, place in REAL.items():
            if real := corpora.folder(place):
                text = text_of(real, name)
                for path, part in zip(text[:2], "st", strict=True):
                    Path(path).replace(folder / f"{part}.part")
                measure(table, title, folder)


if __name__ == "__main__":
    main()
