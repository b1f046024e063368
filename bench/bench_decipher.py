"""Substitution ciphers of English: how many letters are wrong, by length and by the order of the letters' model.

    python bench/bench_decipher.py                 # all lengths and orders
    python bench/bench_decipher.py 500 3           # one; 500 3 unknown: with blanks to be found
    python bench/bench_decipher.py 1000 3 known 4  # of so many keys

The model is trained on nine tenths of Brown, in lower case, letters and blanks alone; plain text is cut from the last
tenth, and each piece has a random key of its own. Blanks are known but for the rows that say otherwise. Letters count,
blanks do not.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator

import corpora
import numpy as np
from measured import Measured

from softcount import Decipher, LanguageModel

LETTERS = "abcdefghijklmnopqrstuvwxyz"
N_KEYS = 10
COLUMNS = {
    "letters": ",d", "order": "d", "blanks": "", "wrong, mean": ".1%", "wrong, worst": ".1%", "keys with ≤ 5 %": "",
    "CPU s a key": ".1f",
}  # fmt: skip


def split(path: str) -> tuple[list[str], list[str]]:
    """Lines of letters and blanks: to learn from, and to encipher."""
    with open(path, encoding="utf-8") as file:
        lines = [" ".join(re.sub("[^a-z ]", " ", line.lower()).split()) for line in file]
    cut = len(lines) * 9 // 10
    return [line for line in lines[:cut] if line], [line for line in lines[cut:] if line]


def pieces(lines: list[str], n_letters: int, n_keys: int) -> Iterator[tuple[str, str]]:
    """(Plain, cipher) of so many letters, from somewhere in the text."""
    for key in range(n_keys):
        rng = np.random.default_rng([n_letters, key])
        text = " ".join(lines[int(rng.integers(len(lines) - 200)) :][:200])
        ends = np.cumsum([c != " " for c in text])
        plain = text[: int(np.searchsorted(ends, n_letters)) + 1]
        code = "".join(rng.permutation(list(LETTERS)))
        yield plain, plain.translate(str.maketrans(LETTERS, code.upper()))


def wrong(found: str, plain: str) -> float:
    pairs = list(zip(found.replace(" ", ""), plain.replace(" ", ""), strict=True))
    return sum(a != b for a, b in pairs) / len(pairs)


def main() -> None:
    folder = corpora.folder("pos-brown-en")
    if folder is None:
        return
    known, held_out = split(str(folder / "all.tok"))
    asked = [(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4])] if len(sys.argv) > 2 else [
        *((n, order) for order in (2, 3, 4) for n in (100, 200, 500, 1000)), (500, 3, "unknown"), (1000, 3, "unknown"),
    ]  # fmt: skip
    models = {n: LanguageModel(order=n, characters=True).fit(known) for n in {order for _, order, *_ in asked}}
    n_keys = int(sys.argv[4]) if len(sys.argv) > 4 else N_KEYS
    table = Measured("decipher-brown", COLUMNS, keys=3)
    for n_letters, order, *rest in asked:
        blanks, shares, began = (rest or ["known"])[0], [], time.process_time()
        for key, (plain, cipher) in enumerate(pieces(held_out, n_letters, n_keys)):
            written = [cipher if blanks == "known" else cipher.replace(" ", "")]
            model = Decipher(models[order], blanks=blanks, random_state=key).fit(written)
            shares.append(wrong(model.predict(written)[0], plain))
        seconds = (time.process_time() - began) / n_keys
        good = f"{sum(share <= 0.05 for share in shares)} of {n_keys}"
        table.add(n_letters, order, blanks, float(np.mean(shares)), max(shares), good, seconds)


if __name__ == "__main__":
    main()
