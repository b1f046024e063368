"""The part of softcount demo about ciphers: letters that stand for letters, and a model of which follow which."""

from __future__ import annotations

import string
import warnings
from collections.abc import Sequence
from typing import Any

from softcount.cli.demo_pages import Shown

LINES, SHOWN = 12, 3  # that are enciphered; that are shown


def demo_decipher(console: Any, sentences: Sequence[Sequence[str]], seed: int) -> Shown:
    """Some lines in other letters; the language model has read the others."""
    import numpy as np

    from softcount.estimators.decipher import Decipher
    from softcount.estimators.language_model import LanguageModel

    lines = [line for words in sentences if (line := " ".join(word for word in words if word.isalpha()))]
    plain, letters = lines[:LINES], string.ascii_lowercase
    code = "".join(np.random.default_rng([seed, 1]).permutation(list(letters)))
    cipher = [line.translate(str.maketrans(letters, code)) for line in plain]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a small demo, that the text is short
        lm = LanguageModel(3, characters=True).fit(lines[LINES:])
    model = Decipher(lm, criterion="em:40", restarts=5, random_state=seed, n_jobs=-1).fit(cipher)
    found = model.predict(cipher)
    pairs = [(a, b) for x, y in zip(found, plain, strict=True) for a, b in zip(x, y, strict=True) if b != " "]
    right = sum(a == b for a, b in pairs)
    console.print(
        f"\n[bold]A cipher[/]: {LINES} lines of that language in other letters. EM finds the key, with a language "
        f"model of letters held fixed: {right:,} of {len(pairs):,} letters are right\n"
    )
    for written, said in list(zip(cipher, found, strict=True))[:SHOWN]:
        console.print(f"  {written}\n  [bold]{said}[/]", soft_wrap=True)
    return Shown("cipher", model, (cipher,))
