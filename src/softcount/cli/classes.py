"""softcount classes: one class for every word of a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from softcount.cli.console import columns, lower_cased
from softcount.cli.labelled import check_labelled, labelled_text
from softcount.cli.options import (
    HOW,
    IN,
    OUT,
    WHAT,
    Labelled,
    LabelledTags,
    Lowercase,
    Normalize,
    TextColumn,
    Tokenize,
    option,
)
from softcount.cli.summary import or_null
from softcount.cli.training import Training
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.word_classes import WordClasses

OUTPUTS = ("words", "tags")


@dataclass(kw_only=True)
class Classes(Training):
    """Group words with similar contexts and spelling; print each word with its class, count and confidence.

    Example: **softcount classes text.txt --classes 45 > classes.tsv**

    New text, with a saved model: **softcount classes new.txt --apply classes.model --output tags**
    """

    text: Annotated[
        str,
        typer.Argument(
            help="Text (plain or compressed) with one sentence per line and spaces between tokens, or - for stdin."
        ),
    ]
    classes: Annotated[
        int | None,
        option(WHAT, "Number of classes. Default: the number in --tags and --dictionary, otherwise 45.", min=1),
    ] = None
    dictionary: Annotated[
        Path | None, option(WHAT, "Allowed classes of words, one word per line: word, tab, CLASS CLASS …")
    ] = None
    labelled: Labelled = None
    labelled_tags: LabelledTags = None
    morphology: Annotated[
        float, option(WHAT, "Weight of word shape (endings, capitals) relative to context.", min=0)
    ] = 0.5
    criterion: Annotated[
        str,
        option(
            HOW, "Optimization passes. Choices: exchange (exchange algorithm), frames (contexts of both neighbors)."
        ),
    ] = "exchange:4,frames:3"
    start: Annotated[str, option(HOW, "Initialization. Choices: ward (deterministic), k-means++ (random).")] = "ward"
    format: Annotated[str, option(IN, "Input format. Choices: auto, plain, tagged (word/TAG), conllu.")] = "auto"
    tags: Annotated[str | None, option(IN, "Known tags of TEXT, line by line; _ if unknown.")] = None
    column: Annotated[str, option(IN, "CoNLL-U column with known tags. Choices: upos, xpos.")] = "upos"
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    normalize: Normalize = None
    text_column: TextColumn = None
    output: Annotated[
        str,
        option(OUT, "Output. Choices: words (word, class, count and confidence), tags (the classes of every line)."),
    ] = "words"

    name: ClassVar[str] = "classes"
    kinds: ClassVar[tuple[str, ...]] = ("word classes",)

    def reads(self) -> dict[str, str | Path | None]:
        return {"text": self.text, "tags": self.tags, "dictionary": self.dictionary} | {
            "labelled_text": self.labelled, "labelled_tags": self.labelled_tags,
        }  # fmt: skip

    def check(self) -> None:
        if self.output not in OUTPUTS:
            raise InputError(f"--output {self.output!r}: unknown; use {' or '.join(OUTPUTS)}")
        check_labelled(self)
        super().check()

    def fit(self, model: WordClasses, data: Any, **watch: Any) -> None:
        model.fit(data, labelled=labelled_text(self), **watch)

    def read(self, model: Any) -> Any:
        from softcount.text.reader import read

        lowercase = self.lowercase if model is None else lower_cased(model, self.lowercase)
        chosen = columns(model, self.text, text_column=self.text_column)
        chosen["prepare"] = self.prepare(model)
        data = read(
            self.text, format=self.format, tags=self.tags, column=self.column, lowercase=lowercase, **chosen
        )  # fmt: skip
        if model is not None:
            self.note_unknown(model, data)
        return data

    def note_unknown(self, model: WordClasses, data: Any) -> None:
        """Words that the model does not know are classed by their form, and so any text will do."""
        unknown = int((model.vocabulary_.find(data.vocabulary.strings(data.sentences.values)) < 0).sum())
        if unknown:
            share = f"{unknown:,} of {data.n_tokens:,} words ({unknown / data.n_tokens:.1%})"
            self.say(f"note: {share} are not in the model's vocabulary; they are classified by their form")

    def estimator(self, data: Any) -> Any:
        from softcount.estimators.word_classes import WordClasses

        model = WordClasses(
            self.classes, criterion=self.criterion, start=self.start, morphology=self.morphology,
            dictionary=self.dictionary, tolerance=self.tolerance, lowercase=self.lowercase, random_state=self.seed,
        )  # fmt: skip
        model._reading = self.prepared.settings() | columns(None, self.text, text_column=self.text_column)
        return model

    def answer(self, model: WordClasses, data: Any) -> Any:
        return model.words(data) if self.output == "words" else model.predict(data)

    def counted(self, data: Any) -> dict[str, float]:
        return {"sentences": len(data), "words": data.n_tokens}

    def content(self, model: WordClasses, data: Any, answer: Any) -> dict[str, Any]:
        names = ("word", "class", "count", "confidence")
        rows = [dict(zip(names, word, strict=True)) for word in answer] if self.output == "words" else answer
        steps = list(model.history_)
        return {
            self.output: rows,
            "objective": or_null(model.objective_),
            "steps": len(steps),
            "stopped": model.history_.stopped.text,
            "notes": model.history_.notes,
        }

    def lines(self, model: WordClasses, data: Any, answer: Any) -> Iterator[str]:
        if self.output == "words":
            from softcount.report.tsv import row_line

            return (row_line((w.word, str(w.label), str(w.frequency), f"{w.confidence:.4f}")) for w in answer)
        return (" ".join(map(str, line)) + "\n" for line in answer)

    def report(self, model: WordClasses, data: Any, answer: Any) -> Iterator[str]:
        if self.apply is not None:
            yield from super().report(model, data, answer)
            return
        yield from (f"note: {note}" for note in model.history_.told())
        yield _ending(model)


def _ending(model: WordClasses) -> str:
    steps = list(model.history_)
    if not steps:
        return f"no passes, the classes did not change; objective J {model.objective_:,.4f}"
    stages = ",".join(dict.fromkeys(step.stage for step in steps))
    took = f"{len(steps)} pass{'es' * (len(steps) > 1)} in {sum(step.seconds for step in steps):.1f} s"
    last = f"{steps[-1].parts['moved']:,} words moved in the last pass"
    return f"{stages}: {took}, {last}; objective J {model.objective_:,.4f}"
