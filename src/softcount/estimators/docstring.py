"""What docstrings of estimators have in common, written once: attributes of all that are trained, how `fit` is watched.

Docstrings are extended when a class is made, so that `help`, notebooks and the site show all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Entry = tuple[str, str]  # (name : type, what it is)

# What every trained estimator has.
SHARED: tuple[Entry, ...] = (
    ("history_ : Trace", "Every step of training; an aligner's `history_.parts` has one by direction."),
    ("signature_ : str", "Model, criterion, settings, seed, version and digest of the data in one line."),
    ("data_ : dict", "Training data: source, digest and sizes."),
    ("reading_ : dict", "Settings for reading the text that differ from the defaults."),
    ("seed_ : int", "Seed of the random numbers."),
    ("trained_ : str", "Time of training."),
)
# The last parameters of every `fit` that goes by steps, and what it returns.
WATCHED: tuple[Entry, ...] = (
    ("on_step : function, optional", "Called after every iteration of training."),
    ("checkpoint : str or path, optional", "File for the state of training; the same call again resumes from it."),
    (
        "checkpoint_every : int, optional",
        "Number of iterations between checkpoints; by default chosen so that they cost little.",
    ),
)
SECTION = r"\n( +){}\n +-+\n(?:(?!\n +\w+\n +-+\n)[\s\S])*"


def extended(text: str | None, heading: str, entries: Iterable[Entry]) -> str | None:
    """The docstring with these entries behind those of a section; as it is, where it has no such section."""
    found = re.search(SECTION.format(heading), text or "")
    if text is None or found is None:
        return text
    indent, (first, _) = found[1], next(iter(entries))
    if f"\n{indent}{first}\n" in text:
        return text
    more = "".join(f"\n{indent}{name}\n{indent}    {what}" for name, what in entries)
    return text[: found.end()].rstrip() + more + "\n" + (text[found.end() :] or indent)
