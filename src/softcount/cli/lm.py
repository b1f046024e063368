"""softcount lm: a language model of a text, and how well one foresees another text."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import check_writable, columns, note_unused, preparation, say, write_whole
from softcount.cli.options import (
    IN,
    OUT,
    WHAT,
    Json,
    Lowercase,
    Normalize,
    Quiet,
    Report,
    Save,
    Seed,
    SignatureForm,
    TextColumn,
    Tokenize,
    option,
)
from softcount.cli.summary import or_null
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put, put_lines
from softcount.signature import check_form, in_form

if TYPE_CHECKING:
    from softcount.estimators.language_model import LanguageModel

MODEL = ("order", "characters", "min_count", "lowercase")


@watched
def lm(
    context: typer.Context,
    text: Annotated[
        str | None,
        typer.Argument(
            help="Text (plain or compressed) with one sentence per line and spaces between tokens, or - for stdin."
        ),
    ] = None,
    order: Annotated[int, option(WHAT, "Order of the n-grams: 3 conditions on two words.", min=1, max=10)] = 3,
    characters: Annotated[
        bool, option(WHAT, "Use characters instead of words; a space becomes ▁.", "--characters")
    ] = False,
    min_count: Annotated[int, option(WHAT, "Replace words that occur fewer than N times with `<unk>`.", min=1)] = 1,
    seed: Seed = 0,
    apply: Annotated[Path | None, option(IN, "Saved model or ARPA file to use; nothing is trained.")] = None,
    lowercase: Lowercase = False,
    tokenize: Tokenize = None,
    normalize: Normalize = None,
    format: Annotated[str, option(IN, "Input format. Choices: auto, plain, tagged (word/TAG), conllu.")] = "auto",
    text_column: TextColumn = None,
    save: Save = None,
    arpa: Annotated[Path | None, option(OUT, "Write the model in ARPA format, for KenLM, SRILM and others.")] = None,
    page: Report = None,
    query: Annotated[str, option(OUT, "Scoring back-end. Choices: own, kenlm (if installed).")] = "own",
    scores: Annotated[bool, option(OUT, "Print log10 P of every line.", "--scores")] = False,
    sample: Annotated[int, option(OUT, "Sample N sentences.", min=0)] = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    signature_form: SignatureForm = "short",
) -> None:
    """Train an n-gram language model (interpolated modified Kneser–Ney), or evaluate one on a text.

    Example: **softcount lm text.txt --order 3 --save text.lm --arpa text.arpa**

    Evaluate a model or an ARPA file on a text: **softcount lm --apply text.lm new.txt --json**

    An evaluation prints perplexity, bits, tokens and unknown words.
    """
    from softcount.estimators.language_model import LanguageModel

    check_form(signature_form)
    check_writable(save, arpa, page, inputs=(text, apply))
    if apply is None and text is None:
        raise InputError("no text to train on; give a text, or --apply MODEL")
    if apply is None:
        assert text is not None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            model = LanguageModel(order, characters=characters, min_count=min_count, lowercase=lowercase)
            prepare = preparation(None, tokenize, normalize)
            model._reading = prepare.settings() | columns(None, text, text_column=text_column)
            model.fit(_read(text, model, prepare, format, text_column))
        for warning in caught:
            say(f"warning: {warning.message}", quiet)
    else:
        note_unused(context, MODEL, "with --apply", quiet)
        model = opened(apply, "lm --apply")
        prepare = None if text is None else preparation(model, tokenize, normalize, quiet)
    model.set_params(query=query)._check()
    for path, write in ((save, model.save), (arpa, model.write_arpa)):
        if path is not None:
            stage.begin(f"writing {path}")
            write(path)
    if page is not None:
        data = None if apply is None or text is None else _read(text, model, prepare, format, text_column)
        _write_page(page, model, data)
    say(in_form(model.signature_, signature_form), quiet)
    if sample:
        stage.begin("sampling sentences")
        put_lines(line + "\n" for line in model.sample(sample, seed))
    elif apply is None:
        _print_trained(model, as_json)
    elif text is not None:
        _print_applied(model, _read(text, model, prepare, format, text_column), scores, as_json)


def _write_page(path: Path, model: LanguageModel, data: Any) -> None:
    """Of a text that the model was not trained on, how surprising it is as well."""
    from softcount.report.page.model import write_page

    stage.begin(f"writing {path}")
    write_whole(path, lambda place: write_page(place, model, data))


def text_for(model: LanguageModel, *files: str, tokenize: str | None = None) -> Any:
    """What `softcount report` shows: one text, read as the model's own was."""
    if len(files) > 1:
        raise InputError(f"{files[-1]}: `softcount lm` takes one file; omit it")
    return _read(files[0], model, preparation(model, tokenize, None))


def opened(path: Path, who: str) -> LanguageModel:
    """A saved model or an ARPA file."""
    from softcount.estimators.language_model import LanguageModel
    from softcount.machine.magic import is_marked
    from softcount.registry import load_one_of
    from softcount.text.source import read_chunks

    stage.begin(f"opening {path}")
    if not is_marked(next(read_chunks(path), b"")):
        return LanguageModel.from_arpa(path)
    model: LanguageModel = load_one_of(path, (LanguageModel.kind,), f"`softcount {who}`")
    return model


def _read(path: str, model: LanguageModel, prepare: Any, format: str = "auto", text_column: str | None = None) -> Any:
    from softcount.text.reader import read, read_characters, text_of_table

    column = columns(model, path, text_column=text_column).get("text_column")
    if not model.characters:
        return read(path, format, lowercase=model.lowercase, prepare=prepare, text_column=column)
    return read_characters(path, model.lowercase, prepare, text_of_table(path, column, format))


def _print_trained(model: LanguageModel, as_json: bool) -> None:
    rows = [
        {"order": n, "ngrams": len(ngrams.keys), "discounts": [float(d) for d in D]}
        for n, (ngrams, D) in enumerate(zip(model.orders_, model.discounts_, strict=True), 1)
    ]
    if as_json:
        put(json.dumps({"orders": rows, "words": len(model.vocabulary_), "signature": model.signature_}))
        return
    put("order\tngrams\tdiscount_1\tdiscount_2\tdiscount_3")
    for row, D in zip(rows, model.discounts_, strict=True):
        put(row["order"], row["ngrams"], *(f"{d:.4f}" for d in D), sep="\t")


def _print_applied(model: LanguageModel, data: Any, scores: bool, as_json: bool) -> None:
    stage.begin("scoring")
    found = model.fluency(data)
    result = {**found._asdict(), "perplexity_known": or_null(found.perplexity_known), "signature": model.signature_}
    logs: list[float] = (model.score_samples(data) / math.log(10)).tolist() if scores else []
    if as_json:
        put(json.dumps(result | ({"scores": logs} if scores else {}), ensure_ascii=False))
    elif scores:
        put_lines(f"{log:.6f}\n" for log in logs)
    else:
        for name, value in found._asdict().items():
            put(f"{name}\t{value:.10g}")
