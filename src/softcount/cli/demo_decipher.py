"""The part of softcount demo about ciphers: letters that stand for letters, and a model of which follow which."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

from softcount.cli.demo_pages import Shown

LINES, SHOWN = 12, 3  # that are enciphered; that are shown


def demo_decipher(console: Any, folder: Path, seed: int) -> Shown:
    """Some lines in other letters; the language model has read the others."""
    import numpy as np

    from softcount.estimators.decipher import Decipher
    from softcount.estimators.language_model import LanguageModel

    text = (folder / "everyday.en").read_text(encoding="utf-8").lower().splitlines()
    letters = string.ascii_lowercase
    lines = [" ".join("".join(c if c in letters else " " for c in line).split()) for line in text]
    plain = lines[:LINES]
    code = "".join(np.random.default_rng([seed, 1]).permutation(list(letters)))
    cipher = [line.translate(str.maketrans(letters, code)) for line in plain]
    lm = LanguageModel(3, characters=True).fit(lines[LINES:])
    model = Decipher(lm, criterion="em:40", restarts=5, random_state=seed, n_jobs=-1).fit(cipher)
    found = model.predict(cipher)
    pairs = [(a, b) for x, y in zip(found, plain, strict=True) for a, b in zip(x, y, strict=True) if b != " "]
    right = sum(a == b for a, b in pairs)
    console.print(
        f"\n[bold]A cipher[/]: {LINES} English sentences in other letters. EM finds the key with a fixed model of "
        f"English letters: {right:,} of {len(pairs):,} letters are right (softcount decipher)\n"
    )
    for written, said in list(zip(cipher, found, strict=True))[:SHOWN]:
        console.print(f"  {written}\n  [bold]{said}[/]", soft_wrap=True)
    return Shown("cipher", model, (cipher,))
