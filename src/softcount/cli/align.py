"""softcount align: word links between two texts that say the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import (
    Checkpoint,
    Every,
    Progress,
    Save,
    check_threads,
    check_writable,
    note_unused,
    open_model,
    say,
    say_unknown,
    write_whole,
)  # fmt: skip
from softcount.cli.summary import report_applied
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.aligner import WordAligner
    from softcount.text.bitext import Bitext

TRAINING = (
    "direction", "model", "criterion", "alpha", "prior_over", "pseudo", "null", "tension", "dictionary", "min_count",
    "seed", "checkpoint", "checkpoint_every",
)  # fmt: skip


def align(
    context: typer.Context,
    source: Annotated[
        str, typer.Argument(help="A text, or one file with both: source ||| target, TSV or TMX; - stdin.")
    ],
    target: Annotated[str | None, typer.Argument(help="Its translation, line by line; .gz too.")] = None,
    direction: Annotated[
        str, typer.Option(help="forward (a target word comes from a source word), reverse, both.")
    ] = "both",
    symmetrize: Annotated[
        str | None,
        typer.Option(help="intersection, union, grow-diag, grow-diag-final, grow-diag-final-and, product (default)."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Of product: link where √(p·q) reaches it; 0.35 if not given.")
    ] = None,
    model: Annotated[str, typer.Option(help="ibm1, ibm2, ibm2-free; stages hand over: ibm1:5,ibm2:5.")] = "ibm2",
    criterion: Annotated[str, typer.Option(help="vb, em, mre, gibbs, hard, annealed(…), stepwise(…).")] = "vb:4",
    alpha: Annotated[float, typer.Option(help="Dirichlet prior of VB and Gibbs.")] = 0.001,
    prior_over: Annotated[str, typer.Option(help="cooccurring words, or the whole vocabulary.")] = "vocabulary",
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of EM.")] = 0.0,
    null: Annotated[str, typer.Option(help="Probability of the empty word (ibm2), or learn.")] = "0.2",
    tension: Annotated[str, typer.Option(help="How strongly links keep to the diagonal (ibm2), or learn.")] = "8",
    dictionary: Annotated[
        Path | None, typer.Option(help="One entry a line: source, tab, target, tab, must, prefer or never.")
    ] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words become `<unk>`.")] = 1,
    probabilities: Annotated[bool, typer.Option("--probabilities", help="Write i-j:0.97.")] = False,
    scores: Annotated[
        Path | None, typer.Option(help="Write log P(target|source), its reverse, and both per word.")
    ] = None,
    lexicon: Annotated[Path | None, typer.Option(help="Write source, target and both probabilities as TSV.")] = None,
    lexicon_min: Annotated[float, typer.Option(min=0, help="Leave out entries below; 0 writes all.")] = 0.01,
    save: Save = None,
    apply: Annotated[Path | None, typer.Option(help="Align with this model instead of training.")] = None,
    checkpoint: Checkpoint = None,
    checkpoint_every: Every = None,
    show: Annotated[int | None, typer.Option(min=1, help="Draw pair N as a grid instead of writing links.")] = None,
    threads: Annotated[int, typer.Option(help="Worker threads; -1: all cores. The result is the same.")] = -1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same links.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Link the words of SOURCE and TARGET: one line of i-j for each pair, counted from 0.

    Example: **softcount align text.en text.fr --save en-fr.model > links.txt**
    """
    from softcount.estimators.aligner import WordAligner

    check_writable(scores, lexicon, save, checkpoint, inputs=(source, target, dictionary))
    check_writable(scores, lexicon, inputs=(apply,))
    check_threads(threads)
    chosen: dict[str, Any] = {"n_jobs": threads}
    chosen |= {k: v for k, v in (("symmetrize", symmetrize), ("threshold", threshold)) if v is not None}
    if apply is not None:
        aligner = open_model(apply, ("word aligner",), "align --apply", **chosen)
        aligner._check()
        data = _read(source, target, aligner.vocabularies_, 1, show)
        _say_unknown(data, quiet)
        note_unused(context, TRAINING, "with --apply", quiet)
    else:
        aligner = WordAligner(
            model, criterion=criterion, alpha=alpha, prior_over=prior_over, pseudo=pseudo,
            null=_number(null, "--null", "a probability below 1"),
            tension=_number(tension, "--tension", "a number from 0 to 60"),
            direction=direction, dictionary=dictionary, min_count=min_count, random_state=seed, **chosen,
        )  # fmt: skip
        data = _read(source, target, None, min_count, show)
        _train(aligner, data, quiet, {"checkpoint": checkpoint, "checkpoint_every": checkpoint_every})
    if lexicon is None:
        note_unused(context, ["lexicon_min"], "without --lexicon", quiet)
    if save:
        aligner.save(save)
    if lexicon:
        rows = aligner.lexicon(lexicon_min)
        write_whole(lexicon, lambda path: _write(path, ("\t".join((e, f, _p(p), _p(q))) + "\n" for e, f, p, q in rows)))
    if scores:
        write_whole(scores, lambda path: _write(path, _score_lines(aligner, data)))
    if apply is not None:
        both = dict.fromkeys([data.source.source, data.target.source])
        words = data.source.n_tokens + data.target.n_tokens
        report_applied(aligner, apply, " and ".join(both), quiet, pairs=len(data), words=words)
    if show is not None:
        from softcount.report.grid import print_grid

        print_grid(aligner, data, show - 1)
    else:
        _print_links(aligner, data, probabilities)


def _read(source: str, target: str | None, vocabularies: Any, min_count: int, show: int | None) -> Bitext:
    from softcount.text.bitext_reader import read_bitext

    data = read_bitext(source, target, vocabularies, min_count)
    if show is not None and show > len(data):
        raise InputError(f"--show {show}: there are only {len(data)} pairs; give 1 to {len(data)}")
    return data


def _number(text: str, option: str, what: str) -> float | str:
    if text == "learn":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} {text!r}: give {what}, or learn") from None


def _train(aligner: WordAligner, data: Bitext, quiet: bool, kept: dict[str, Any]) -> None:
    import math

    from softcount.estimators.align_memory import needed

    aligner._checked(data)  # what is wrong is said before anything else is
    say(needed(data, aligner), quiet)
    progress = Progress(quiet)
    try:
        aligner.fit(data, on_step=lambda name, step: progress(step._replace(stage=f"{name} {step.stage}")), **kept)
    finally:
        progress.close()
    totals = {} if quiet else aligner._totals(data)  # under the final parameters, so this is an E-step of its own
    for name, found in aligner.directions_.items():
        if name in totals:
            log_likelihood, words = totals[name]
            bits, perplexity = -log_likelihood / math.log(2), math.exp(-log_likelihood / words)
            say(f"{name}: perplexity {perplexity:,.2f} per word, {bits:,.0f} bits in all; {found.trace.stopped}")
        notes = list(dict.fromkeys(found.trace.notes))
        for note in notes[:3]:
            say(f"note: {note}", quiet)
        if len(notes) > 3:
            say(f"note: and {len(notes) - 3} more like these", quiet)
    say(aligner.signature_, quiet)


def _say_unknown(data: Bitext, quiet: bool) -> None:
    for name, side in (("source", data.source), ("target", data.target)):
        unknown = int((side.sentences.values < 0).sum())
        say_unknown(unknown, side.n_tokens, side.source, f"{name} words", "positions decide them", quiet)


def _print_links(aligner: WordAligner, data: Bitext, probabilities: bool) -> None:
    for links in aligner.blocks(data):
        pairs = zip(links.source.tolist(), links.target.tolist(), strict=True)
        if probabilities:
            shown = [f"{i}-{j}:{p:.2g}" for (i, j), p in zip(pairs, links.probability.tolist(), strict=True)]
        else:
            shown = [f"{i}-{j}" for i, j in pairs]
        bounds = links.offsets.tolist()
        sys.stdout.writelines(" ".join(shown[a:b]) + "\n" for a, b in pairwise(bounds))


def _score_lines(aligner: WordAligner, data: Bitext) -> Iterator[str]:
    """log P(target|source), log P(source|target), and each per generated word."""
    lengths = (data.target.sentences.lengths.tolist(), data.source.sentences.lengths.tolist())
    for (forward, reverse), m, l in zip(aligner.scores(data).tolist(), *lengths, strict=True):
        cells = (forward, reverse, forward / m if m else 0.0, reverse / l if l else 0.0)
        yield "\t".join(_p(x) for x in cells) + "\n"


def _p(number: float) -> str:
    return "" if number != number else f"{number:.6g}"


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
