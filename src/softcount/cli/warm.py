"""softcount warm: compile the kernels of commands ahead, so that no first run waits for them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from softcount.cli.options import OUT, Quiet, Shown, option
from softcount.cli.progress import Progress, check_mode
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put

MB = 1e6
LINES = 30  # of every text
RULES = """S -> NP VP
VP -> V NP | VP PP
NP -> 'she' | Det N | NP PP
PP -> P NP
Det -> 'the' | 'a'
N -> 'dog' | 'telescope'
V -> 'saw'
P -> 'with'
"""
ALIGN, LM = "align text.en text.de --save links.model", "lm text.en --save text.lm"
LETTERS = "lm text.en --characters --lowercase --save letters.lm"
# By command, what is run: all that its default compiles, and what a saved model is asked for later.
RUNS = {
    "tag": ("tag text.en --states 4 --save tags.model", "tag new.en --apply tags.model", "show tags.model"),
    "classes": ("classes text.en --classes 4",),
    "align": (ALIGN, "align new.en new.de --apply links.model"),
    "glossary": (ALIGN, "glossary links.model text.en text.de"),
    "translate": (ALIGN, LM, "translate links.model --lm text.lm --reverse new.de"),
    "rank": (ALIGN, LM, "rank links.model new.de new.en --lm text.lm"),
    "topics": (
        "topics articles.txt --topics 3 --save topics.model",
        "topics new-articles.txt --apply topics.model",
        "show topics.model",
    ),
    "cluster": (
        "cluster articles.txt --clusters 3 --save clusters.model",
        "cluster new-articles.txt --apply clusters.model",
        "show clusters.model",
    ),
    "net": ('net "weather -> traffic -> late" commute.csv --query "late | weather=rainy"',),
    "grammar": ("grammar rules.cfg seen.txt", "grammar rules.cfg seen.txt --criterion em:2"),
    "decipher": (LETTERS, "decipher cipher.txt --lm letters.lm --restarts 1"),
}


def warm(
    commands: Annotated[
        list[str] | None, typer.Argument(help=f"Commands. Choices: {', '.join(RUNS)}. Default: all.")
    ] = None,
    to: Annotated[
        Path | None,
        option(OUT, "Folder for compiled kernels, as NUMBA_CACHE_DIR. Default: NUMBA_CACHE_DIR, or the user's cache."),
    ] = None,
    quiet: Quiet = False,
    shown: Shown = "auto",
) -> None:
    """Compile the kernels of commands before their first run, for installations and container images.

    Example: **softcount warm tag align**

    In an image that many containers share: **softcount warm --to /opt/kernels**, then set NUMBA_CACHE_DIR=/opt/kernels

    Each command trains its default model on a few lines. Kernels are compiled for this processor and the installed
    versions of softcount, Python, NumPy and Numba.
    """
    check_mode(shown)
    chosen = list(dict.fromkeys(commands or RUNS))
    unknown = [name for name in chosen if name not in RUNS]
    if unknown:
        raise InputError(f"{unknown[0]}: not a command with kernels to compile; choose from {', '.join(RUNS)}")
    place, began = _place(to), time.monotonic()
    before = _kernels(place)
    with Progress(quiet, mode=shown), tempfile.TemporaryDirectory(prefix="softcount-") as temporary:
        write_texts(Path(temporary))
        lines = list(dict.fromkeys(line for name in chosen for line in RUNS[name]))
        stage.begin("compiling", len(lines), "runs")
        for k, line in enumerate(lines, 1):
            _run(line, temporary, to)
            stage.reach(k)
    after = _kernels(place)
    size = sum(path.stat().st_size for path in after) / MB
    put(
        f"{', '.join(chosen)}: {len(after - before)} kernels compiled, {len(after)} in {place} ({size:.1f} MB), "
        f"{time.monotonic() - began:.0f} s"
    )


def write_texts(folder: Path) -> None:
    """A few lines for each command, from the texts that come with softcount."""
    from softcount.examples import read_texts

    texts = read_texts("everyday.en", "everyday.de", "articles.tsv", "commute.csv")
    english, german = (texts[f"everyday.{language}"].splitlines() for language in ("en", "de"))
    articles = [line.rpartition("\t")[2] for line in texts["articles.tsv"].splitlines()[1:]]
    letters = "abcdefghijklmnopqrstuvwxyz"
    seen = ["she saw the dog with a telescope", "she saw a dog", "the dog saw a telescope"]
    files = {
        "text.en": english[:LINES], "text.de": german[:LINES], "new.en": english[LINES : LINES + 3],
        "new.de": german[LINES : LINES + 3], "articles.txt": articles[:LINES],
        "new-articles.txt": articles[LINES : LINES + 3], "commute.csv": texts["commute.csv"].splitlines(),
        "seen.txt": seen, "rules.cfg": RULES.splitlines(),
        "cipher.txt": [line.lower().translate(str.maketrans(letters, letters[::-1])) for line in english[:3]],
    }  # fmt: skip
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _place(to: Path | None) -> Path:
    """Where the kernels will be."""
    if to is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(to.absolute())
    from softcount.machine import cache

    if to is None:
        place = cache.writable()
        if place is None:
            raise InputError(f"no place for kernels: {cache.WHY}; or give --to FOLDER")
        return place
    place = to.absolute() / "softcount"
    if cache.writable() != place:
        raise InputError(f"{to}: kernels cannot be written there; check the permissions, or give another folder")
    return place


def _kernels(place: Path) -> set[Path]:
    return set(place.glob("**/*.kernel"))


def _run(line: str, folder: str, to: Path | None) -> None:
    """In a process of its own, as it will be run; into `to` goes also what is kept elsewhere."""
    words: Sequence[str] = [sys.executable, "-m", "softcount", *shlex.split(line)]
    settings = {**os.environ, **({"SOFTCOUNT_CACHE": "alone"} if to is not None else {})}
    done = subprocess.run(words, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise InputError(f"softcount {line}: {said[-1].removeprefix('softcount: ')}")
