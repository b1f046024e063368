"""The options that several commands share, written once, and the groups that the help shows them in.

A command that trains is a class (see training.py): its fields are its options, and what it inherits it need not say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

WHAT, HOW = "What is learned (not with --apply)", "How it is learned (not with --apply)"
IN, OUT, WHERE = "What is read", "What comes out", "Where it runs"
GROUPS = (WHAT, HOW, IN, OUT, WHERE)  # in the order of the help
TRAINING = (WHAT, HOW)  # nothing in these has an effect where a saved model is applied


def option(group: str, help: str, *names: str, **settings: Any) -> Any:
    if "min" in settings:  # a short name for its kind, so that the help has room for words
        settings["metavar"] = "N"
    return typer.Option(*names, help=help, rich_help_panel=group, **settings)


STAGES = "Stages in turn: em, vb, mre, gibbs, direct, hard, annealed(…), stepwise(…), constrained(…): em:100,mre:50."

# --- of every command that trains -------------------------------------------------------------------------------------

Criterion = Annotated[str, option(HOW, STAGES)]
Tolerance = Annotated[float, option(HOW, "Stop a stage at this relative change.", min=0)]
Seed = Annotated[int, option(HOW, "The same seed gives the same result.", min=0)]
Checkpoint = Annotated[Path | None, option(HOW, "Keep the state here; the same command goes on from it.")]
Every = Annotated[
    int | None, option(HOW, "Steps between checkpoints; else 10 or more.", min=1)
]  # fmt: skip
Apply = Annotated[Path | None, option(IN, "Use this saved model; nothing is trained.")]
Save = Annotated[Path | None, option(OUT, "Write the trained model here, for --apply, info and export.")]
SavedParts = Annotated[int, option(OUT, "Files that --save writes.", "--parts", min=1)]
Trace = Annotated[Path | None, option(OUT, "Write every step's objective and parts as TSV.")]
Report = Annotated[
    Path | None, option(OUT, "Write a page that shows what was learned; open it in a browser.", "--report")
]
Json = Annotated[bool, option(OUT, "Print one JSON object instead of lines.", "--json")]
Quiet = Annotated[bool, option(OUT, "No messages but errors.", "--quiet", "-q")]
Shown = Annotated[
    str,
    option(
        OUT,
        "auto (a line on a terminal; elsewhere one each half-minute after 10 s), plain (a log), none.",
        "--progress",
    ),
]
Verbose = Annotated[
    bool, option(OUT, "Print details of training: every restart, every size tried, all notes.", "--verbose")
]
SignatureForm = Annotated[
    str, option(OUT, "Form of the signature on stderr. Choices: short (ends in a digest), long.", "--signature")
]
Threads = Annotated[int, option(WHERE, "Worker threads; -1: all cores. The result is the same.")]
Engine = Annotated[str, option(WHERE, "Where sums are computed: threads (here), ray (a cluster).")]
Address = Annotated[str | None, option(WHERE, "A running Ray cluster, host:port; else one is started.")]

# --- of some of them --------------------------------------------------------------------------------------------------

CHOICES = "With auto: evidence, elbo, split-merge, held-out."
Choose = Annotated[str, option(WHAT, CHOICES)]
Labelled = Annotated[
    str | None,
    option(
        WHAT, "Labelled sentences beside TEXT, used as if they were in it: CoNLL-U, word/TAG, or word<TAB>TAG lines."
    ),
]
LabelledTags = Annotated[str | None, option(WHAT, "Tags of the --labelled text, line by line.")]
Restarts = Annotated[int, option(HOW, "Best of so many starts.", min=1)]
Lowercase = Annotated[bool, option(IN, "Lower-case the text first.", "--lowercase")]
Tokenize = Annotated[
    str | None, option(IN, "Raw text: rules (if no name follows), sacremoses, jieba, mecab, spacy, pipe:COMMAND, none.")
]
Normalize = Annotated[str | None, option(IN, "Make one form of Unicode of all text: NFC, NFKC, NFD, NFKD.")]
TextColumn = Annotated[str | None, option(IN, "The column with the text: of CSV, TSV, Parquet, Arrow.")]
IdColumn = Annotated[str | None, option(IN, "The column with the names of the rows, likewise.")]
Features = Annotated[
    str | None, option(WHAT, "Compute rows from features of words: words, identity, FILE.tsv, or words,FILE.tsv.")
]
PairFeatures = Annotated[str | None, option(WHAT, "Compute translations from features of word pairs: pairs.")]
Variance = Annotated[float, option(HOW, "Of features' weights; less: nearer to zero.")]
Sparse = Annotated[str | None, option(HOW, "Wish for rows with few entries; or TABLE=A,B.", metavar="A,B")]
Rare = Annotated[int, option(WHAT, "Rarer words become `<unk>`.", min=1)]


def _checked(text: str | None) -> str | None:
    if text not in (None, "auto") and not (text.isdecimal() and len(text) < 19 and int(text) > 0):
        raise typer.BadParameter(f"{text!r} is not a whole number from 1 on, nor auto")
    return text


def size_option(help: str, *names: str) -> Any:
    """How many: a number, or auto."""
    return option(WHAT, help, *names, metavar="N", callback=_checked)


def number(size: str | None) -> int | str | None:
    return size if size is None or size == "auto" else int(size)
