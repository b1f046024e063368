"""softcount classes: one class for every word of a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import (
    Progress,
    Save,
    check_writable,
    lower_cased,
    note_unused,
    open_model,
    say,
)  # fmt: skip
from softcount.cli.summary import report_applied
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.word_classes import WordClasses

OUTPUTS = ("words", "tags")
TRAINING = ("n_classes", "dictionary", "passes", "frame_passes", "morphology", "seed")


def classes(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="One sentence a line, blanks between tokens; .gz too; - for stdin.")],
    n_classes: Annotated[
        int | None,
        typer.Option("--classes", min=1, help="How many; if not given, as many as tags and dictionary name, or 45."),
    ] = None,
    output: Annotated[
        str, typer.Option(help="words: each word, its class, count and confidence; tags: a line of classes per line.")
    ] = "words",
    dictionary: Annotated[
        Path | None, typer.Option(help="The classes a word may have, one word a line: word, tab, CLASS CLASS …")
    ] = None,
    passes: Annotated[
        int, typer.Option(min=0, help="How often every word moves to its best class, by neighbours.")
    ] = 4,
    frame_passes: Annotated[int, typer.Option(min=0, help="And then by both neighbours at once.")] = 3,
    morphology: Annotated[
        float, typer.Option(min=0, help="How much endings and capitals count beside contexts.")
    ] = 0.5,
    format: Annotated[str, typer.Option(help="plain, tagged (word/TAG), conllu, or auto.")] = "auto",
    tags: Annotated[str | None, typer.Option(help="Known tags, line by line; _ where a tag is not known.")] = None,
    column: Annotated[str, typer.Option(help="The CoNLL-U column with known tags: upos or xpos.")] = "upos",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the text first.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same classes.")] = 0,
    save: Save = None,
    apply: Annotated[Path | None, typer.Option(help="Class the words of TEXT with this model; no training.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Find classes of words that stand in like places and look alike: word, class, count, confidence.

    Example: **softcount classes text.txt --classes 45 > classes.tsv**
    """
    from softcount.text.reader import read
    from softcount.text.source import check_stdin

    if output not in OUTPUTS:
        raise InputError(f"no output {output!r}; use {' or '.join(OUTPUTS)}")
    check_writable(save, inputs=(text, dictionary, tags))
    check_stdin(text=text, tags=tags, dictionary=dictionary)
    if apply is not None:
        model = open_model(apply, ("word classes",), "classes --apply")
        data = read(text, format=format, tags=tags, column=column, lowercase=lower_cased(model, lowercase))
        _note_unknown(model, data, quiet)
        note_unused(context, TRAINING, "with --apply", quiet)
    else:
        data = read(text, format=format, tags=tags, column=column, lowercase=lowercase)
        settings = {"passes": passes, "frame_passes": frame_passes, "morphology": morphology, "random_state": seed}
        model = _train(data, n_classes, lowercase, quiet, dictionary=dictionary, **settings)
    shown = _words(model, data) if output == "words" else _tags(model, data)
    if save:
        model.save(save)
    if apply is not None:
        report_applied(model, apply, data.source, quiet, sentences=len(data), words=data.n_tokens)
    else:
        say(_ending(model), quiet)
        say(model.signature_, quiet)
    sys.stdout.write(shown)


def _train(data: Any, n_classes: int | None, lowercase: bool, quiet: bool, **settings: Any) -> WordClasses:
    from softcount.estimators.word_classes import WordClasses

    model = WordClasses(n_classes, **settings)
    model._reading = {"lowercase": True} if lowercase else {}
    progress = Progress(quiet)
    try:
        model.fit(data, on_step=progress)
    finally:
        progress.close()
    for remark in model.history_.remarks:
        say(f"note: {remark}", quiet)
    return model


def _note_unknown(model: WordClasses, data: Any, quiet: bool) -> None:
    unknown = int((model.vocabulary_.find(data.vocabulary.strings(data.sentences.values)) < 0).sum())
    if unknown:
        share = f"{unknown:,} of {data.n_tokens:,} words ({unknown / data.n_tokens:.1%})"
        say(f"note: {share} are not among the model's words; their form decides", quiet)


def _words(model: WordClasses, data: Any) -> str:
    return "".join(f"{w.word}\t{w.label}\t{w.frequency}\t{w.confidence:.4f}\n" for w in model.words(data))


def _tags(model: WordClasses, data: Any) -> str:
    return "".join(" ".join(map(str, line)) + "\n" for line in model.predict(data))


def _ending(model: WordClasses) -> str:
    steps = list(model.history_)
    if not steps:
        return "no passes: the start by k-means"
    stages = ",".join(dict.fromkeys(step.stage for step in steps))
    took = f"{len(steps)} passes in {sum(step.seconds for step in steps):.1f} s"
    last = f"{steps[-1].parts['moved']:,} words moved in the last"
    return f"{stages}: {took}, {last}; objective J {model.objective_:,.4f}"
