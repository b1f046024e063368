"""The options that several commands share, written once, and the groups that the help shows them in.

A command that trains is a class (see training.py): its fields are its options, and what it inherits it need not say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

WHAT, HOW = "Model (not with --apply)", "Training (not with --apply)"
IN, OUT, WHERE = "Input", "Output", "Execution"
GROUPS = (WHAT, HOW, IN, OUT, WHERE)  # in the order of the help
TRAINING = (WHAT, HOW)  # nothing in these has an effect where a saved model is applied


def option(group: str, help: str, *names: str, **settings: Any) -> Any:
    if "min" in settings:  # a short name for its kind, so that the help has room for words
        settings["metavar"] = "N"
    return typer.Option(*names, help=help, rich_help_panel=group, **settings)


STAGES = (
    "Training stages in sequence, such as em:100,mre:50. Choices: em, vb, mre, gibbs, direct, hard, "
    "annealed(…), stepwise(…), constrained(…)."
)

# --- of every command that trains -------------------------------------------------------------------------------------

Criterion = Annotated[str, option(HOW, STAGES)]
Tolerance = Annotated[float, option(HOW, "Relative change of the objective that ends a stage.", min=0)]
Seed = Annotated[int, option(HOW, "Seed of the random numbers; the same seed gives the same result.", min=0)]
Checkpoint = Annotated[Path | None, option(HOW, "Checkpoint file; run the same command again to resume.")]
Every = Annotated[
    int | None,
    option(HOW, "Number of iterations between checkpoints. Default: at least 10, depending on their cost.", min=1),
]
Apply = Annotated[Path | None, option(IN, "Saved model to use; nothing is trained.")]
Save = Annotated[Path | None, option(OUT, "Write the trained model, which --apply, show, info and export read.")]
SavedParts = Annotated[int, option(OUT, "Number of files that --save writes.", "--parts", min=1)]
Trace = Annotated[Path | None, option(OUT, "Write a training log (TSV): objective and its terms per iteration.")]
Report = Annotated[Path | None, option(OUT, "Write an HTML page that shows what was learned.", "--report")]
Json = Annotated[bool, option(OUT, "Print one JSON object instead of lines.", "--json")]
Quiet = Annotated[bool, option(OUT, "Print errors only.", "--quiet", "-q")]
Shown = Annotated[
    str,
    option(
        OUT,
        "Progress display. Choices: auto (a line on a terminal, a log line every 30 s elsewhere), plain (a log), none.",
        "--progress",
    ),
]
Verbose = Annotated[
    bool, option(OUT, "Print details of training: every restart, every size tried, all notes.", "--verbose")
]
SignatureForm = Annotated[
    str, option(OUT, "Form of the signature on stderr. Choices: short (ends in a digest), long.", "--signature")
]
Threads = Annotated[int, option(WHERE, "Number of threads; -1 uses all cores. Results do not depend on it.")]
Engine = Annotated[str, option(WHERE, "Execution back-end. Choices: threads (this machine), ray (a cluster).")]
Address = Annotated[
    str | None, option(WHERE, "Address host:port of a running Ray cluster. Default: a local cluster is started.")
]

# --- of some of them --------------------------------------------------------------------------------------------------

CHOICES = "Selection criterion for `auto`. Choices: evidence, elbo, split-merge, held-out."
Choose = Annotated[str, option(WHAT, CHOICES)]
Labelled = Annotated[
    str | None,
    option(WHAT, "Labelled sentences to train on in addition to TEXT: CoNLL-U, word/TAG, or lines word<TAB>TAG."),
]
LabelledTags = Annotated[str | None, option(WHAT, "Tags of the --labelled text, line by line.")]
Restarts = Annotated[int, option(HOW, "Number of random starts; the best result is kept.", min=1)]
Lowercase = Annotated[bool, option(IN, "Convert the text to lower case.", "--lowercase")]
Tokenize = Annotated[
    str | None,
    option(
        IN, "Tokenizer for raw text. Choices: rules (built-in), sacremoses, jieba, mecab, spacy, pipe:COMMAND, none."
    ),
]
Normalize = Annotated[str | None, option(IN, "Unicode normalization. Choices: NFC, NFKC, NFD, NFKD.")]
TextColumn = Annotated[str | None, option(IN, "Column with the text in CSV, TSV, Parquet or Arrow.")]
IdColumn = Annotated[str | None, option(IN, "Column with the names of the rows in CSV, TSV, Parquet or Arrow.")]
Features = Annotated[
    str | None, option(WHAT, "Log-linear features of words. Choices: words, identity, FILE.tsv, or words,FILE.tsv.")
]
PairFeatures = Annotated[str | None, option(WHAT, "Log-linear features of word pairs. Choices: pairs.")]
Variance = Annotated[
    float, option(HOW, "Variance of the Gaussian prior on feature weights; smaller values regularize more.")
]
Sparse = Annotated[
    str | None,
    option(HOW, "Sparsity penalty (alpha,beta) on probability rows; TABLE=A,B for one table.", metavar="A,B"),
]
Rare = Annotated[int, option(WHAT, "Replace words that occur fewer than N times with `<unk>`.", min=1)]


def _checked(text: str | None) -> str | None:
    if text not in (None, "auto") and not (text.isdecimal() and len(text) < 19 and int(text) > 0):
        raise typer.BadParameter(f"{text!r} is not a number of at least 1 or auto")
    return text


def size_option(help: str, *names: str) -> Any:
    """How many: a number, or auto."""
    return option(WHAT, help, *names, metavar="N", callback=_checked)


def number(size: str | None) -> int | str | None:
    return size if size is None or size == "auto" else int(size)
