"""softcount fast-align: fast_align's flags, where they have a meaning here, so that a script changes one word.

| fast_align | here |
|---|---|
| -i FILE | source ||| target, a line each |
| -d | positions near the diagonal (ibm2); without it ibm1 |
| -o | the tension is learned; without it -T, 4 |
| -v, -a | variational Bayes with this α (0.01), over words that co-occur; without it EM |
| -r | the reverse direction; links are written source-target all the same |
| -I | steps, 5 |
| -q, -N | probability of the empty word, 0.08, or none |
| -p | a number, as in older fast_aligns: as -q; a file, as in newer ones: the lexicon, as --lexicon writes it |
| -b, -t | no effect here |
| -f, -m, -s | not known here: softcount align has --apply and --log-probabilities |
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from softcount.cli.align import Align
from softcount.cli.console import note_unused, say
from softcount.cli.options import HOW, IN, OUT, WHAT, option

UNUSED = ("beam", "buffer")


@dataclass(kw_only=True)
class AsOther(Align):
    """Asked for in another tool's words."""

    same: list[str]  # commands of ours that do the same: said when the input is known to be good
    unused: tuple[str, ...] = ()  # options that have no meaning here

    def fit(self, model: Any, data: Any, on_step: Any = None, **watch: Any) -> None:
        model._checked(data)
        for line in self.same:
            say(line)
        note_unused(self.context, self.unused, "here", quiet=not self.same)
        super().fit(model, data, on_step, **watch)


def fast_align(
    context: typer.Context,
    file: Annotated[
        str, option(IN, "Sentence pairs: source ||| target, TSV, TMX or XLIFF; - for stdin.", "--input", "-i")
    ],
    diagonal: Annotated[bool, option(WHAT, "Prefer links near the diagonal.", "--favor_diagonal", "-d")] = False,
    optimize: Annotated[bool, option(WHAT, "Estimate the diagonal tension.", "--optimize_tension", "-o")] = False,
    tension: Annotated[
        float, option(WHAT, "Diagonal tension, or its initial value with -o.", "--diagonal_tension", "-T", min=0)
    ] = 4.0,
    bayes: Annotated[bool, option(HOW, "Use variational Bayes instead of EM.", "--variational_bayes", "-v")] = False,
    alpha: Annotated[float, option(HOW, "Dirichlet concentration for -v.", "--alpha", "-a", min=0)] = 0.01,
    steps: Annotated[int, option(HOW, "Number of iterations.", "--iterations", "-I", min=1)] = 5,
    null: Annotated[float, option(WHAT, "Probability of the null word.", "--p0", "-q", min=0)] = 0.08,
    no_null: Annotated[bool, option(WHAT, "Train without the null word.", "--no_null_word", "-N")] = False,
    reverse: Annotated[
        bool, option(WHAT, "Train the reverse direction (the target generates the source).", "--reverse", "-r")
    ] = False,
    probabilities: Annotated[
        str | None,
        option(
            OUT,
            "Probability of the null word (a number), or a file for the lexicon.",
            "--conditional_probabilities",
            "-p",
        ),
    ] = None,
    beam: Annotated[float | None, option(HOW, "No effect.", "--beam_threshold", "-t", metavar="N")] = None,
    buffer: Annotated[int | None, option(HOW, "No effect.", "--thread_buffer_size", "-b", metavar="N")] = None,
    save: Annotated[str | None, option(OUT, "Write the model to this file; softcount align --apply reads it.")] = None,
    quiet: Annotated[bool, option(OUT, "Print errors only.", "--quiet")] = False,
) -> None:
    """Align words with the options of fast_align; print the equivalent `softcount align` command to stderr.

    Example: **softcount fast-align -i text.fr-en -d -o -v > forward.align**

    Both directions: **softcount fast-align -i text.fr-en -dovr > reverse.align**, then **softcount symmetrize**
    """
    number = _number(probabilities)
    settings: dict[str, Any] = {
        "preset": "fast",
        "model": "ibm2" if diagonal else "ibm1",
        "criterion": f"{'vb' if bayes else 'em'}:{steps}",
        "direction": "reverse" if reverse else "forward",
        "alpha": alpha,
        "tension": "learn" if optimize and diagonal else str(tension),
        "null": "0" if no_null else str(null if number is None else number),
        "lowercase": False,
    }
    if bayes:
        settings["prior_over"] = "cooccurring"
    if probabilities is not None and number is None:
        settings["lexicon"] = Path(probabilities)
    shown = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in settings.items() if name != "lowercase")
    same = [] if quiet else [f"softcount align {file} {shown} --no-lowercase"]
    place = None if save is None else Path(save)
    AsOther(context=context, source=file, **settings, save=place, quiet=quiet, same=same, unused=UNUSED).run()


def _number(text: str | None) -> float | None:
    """What -p was in older versions."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
