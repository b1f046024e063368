"""softcount classes: one class for every word of a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import Progress, check_writable, lower_cased, note_unused, open_model, say, write_whole
from softcount.cli.options import HOW, IN, OUT, TRAINING, WHAT, Apply, Lowercase, Quiet, Save, Seed, Trace, option
from softcount.cli.summary import trace_tsv
from softcount.cli.training import group_of
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.word_classes import WordClasses

OUTPUTS = ("words", "tags")


def classes(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="One sentence a line, blanks between tokens; .gz too; - for stdin.")],
    n_classes: Annotated[
        int | None,
        option(WHAT, "How many; if not given, as many as tags and dictionary name, or 45.", "--classes", min=1),
    ] = None,
    dictionary: Annotated[
        Path | None, option(WHAT, "The classes a word may have, one word a line: word, tab, CLASS CLASS …")
    ] = None,
    morphology: Annotated[float, option(HOW, "How much endings and capitals count beside contexts.", min=0)] = 0.5,
    passes: Annotated[int, option(HOW, "How often words move to their best class, by neighbours.", min=0)] = 4,
    frame_passes: Annotated[int, option(HOW, "And how often by both neighbours at once.", min=0)] = 3,
    seed: Seed = 0,
    format: Annotated[str, option(IN, "plain, tagged (word/TAG), conllu, or auto.")] = "auto",
    tags: Annotated[str | None, option(IN, "Known tags, line by line; _ where a tag is not known.")] = None,
    column: Annotated[str, option(IN, "The CoNLL-U column with known tags: upos or xpos.")] = "upos",
    lowercase: Lowercase = False,
    apply: Apply = None,
    output: Annotated[
        str, option(OUT, "words: every word, its class, count and confidence; tags: the classes of every line.")
    ] = "words",
    save: Save = None,
    trace: Trace = None,
    quiet: Quiet = False,
) -> None:
    """Find classes of words that stand in like places and look alike: word, class, count, confidence.

    Example: **softcount classes text.txt --classes 45 > classes.tsv**

    New text, with a saved model: **softcount classes new.txt --apply classes.model --output tags**
    """
    from softcount.text.reader import read
    from softcount.text.source import check_stdin

    if output not in OUTPUTS:
        raise InputError(f"no output {output!r}; use {' or '.join(OUTPUTS)}")
    check_writable(trace, save, inputs=(text, dictionary, tags))
    check_writable(trace, inputs=(apply,))  # a model may be saved again where it came from
    check_stdin(text=text, tags=tags, dictionary=dictionary)
    model = None if apply is None else open_model(apply, ("word classes",), "classes --apply")
    asked = lowercase if model is None else lower_cased(model, lowercase)
    data = read(text, format=format, tags=tags, column=column, lowercase=asked)
    if model is None:
        settings: dict[str, Any] = {"dictionary": dictionary, "morphology": morphology, "passes": passes}
        model = _trained(data, lowercase, quiet, n_classes, **settings, frame_passes=frame_passes, random_state=seed)
        notes = [*(f"note: {remark}" for remark in model.history_.told()), _ending(model)]
    else:
        notes = _applied(model, data, apply)
        unused = [o.name for o in context.command.params if group_of(o) in TRAINING and o.name]
        note_unused(context, unused, "with --apply", quiet)
    shown = _words(model, data) if output == "words" else _tags(model, data)
    if save is not None:
        model.save(save)
    if trace is not None:
        write_whole(trace, lambda path: path.write_text(trace_tsv(model._traces()), encoding="utf-8"))
    for note in (*notes, model.signature_):
        say(note, quiet)
    sys.stdout.write(shown)


def _trained(data: Any, lowercase: bool, quiet: bool, n_classes: int | None, **settings: Any) -> WordClasses:
    from softcount.estimators.word_classes import WordClasses

    model = WordClasses(n_classes, **settings)
    model._reading = {"lowercase": True} if lowercase else {}
    progress = Progress(quiet)
    try:
        return model.fit(data, on_step=progress)
    finally:
        progress.close()


def _ending(model: WordClasses) -> str:
    steps = list(model.history_)
    if not steps:
        return "no passes: the start by k-means"
    stages = ",".join(dict.fromkeys(step.stage for step in steps))
    took = f"{len(steps)} passes in {sum(step.seconds for step in steps):.1f} s"
    last = f"{steps[-1].parts['moved']:,} words moved in the last"
    return f"{stages}: {took}, {last}; objective J {model.objective_:,.4f}"


def _applied(model: WordClasses, data: Any, path: Path | None) -> list[str]:
    """Words that the model does not know are classed by their form, and so any text will do."""
    notes = [f"applied {path} to {data.source}: {len(data):,} sentences, {data.n_tokens:,} words"]
    unknown = int((model.vocabulary_.find(data.vocabulary.strings(data.sentences.values)) < 0).sum())
    if unknown:
        share = f"{unknown:,} of {data.n_tokens:,} words ({unknown / data.n_tokens:.1%})"
        notes.insert(0, f"note: {share} are not among the model's words; their form decides")
    return notes


def _words(model: WordClasses, data: Any) -> str:
    return "".join(f"{w.word}\t{w.label}\t{w.frequency}\t{w.confidence:.4f}\n" for w in model.words(data))


def _tags(model: WordClasses, data: Any) -> str:
    return "".join(" ".join(map(str, line)) + "\n" for line in model.predict(data))
