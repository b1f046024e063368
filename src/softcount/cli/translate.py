"""softcount translate, softcount rank: a word aligner and a language model translate, and rank translations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import check_threads, note_unused, open_model, preparation, say
from softcount.cli.options import (
    IN,
    OUT,
    WHERE,
    Json,
    Normalize,
    Quiet,
    Shown,
    SignatureForm,
    Threads,
    Tokenize,
    option,
)
from softcount.cli.progress import Progress, check_mode
from softcount.errors import InputError
from softcount.machine.streams import put, put_lines
from softcount.signature import check_form, in_form

if TYPE_CHECKING:
    from softcount.estimators.translator import Translation, Translator
    from softcount.text.bitext import Bitext

Model = Annotated[Path, typer.Argument(help="Word aligner written by softcount align --save.")]
Language = Annotated[
    Path, option(IN, "Language model of the target language, written by softcount lm --save or in ARPA format.")
]
Reverse = Annotated[
    bool, option(IN, "Translate from the aligner's target language to its source language.", "--reverse")
]
WORD_BONUS = 1.0  # as of softcount.Translator
Weight = Annotated[float, option(OUT, "Weight of log P(y), the language model; log P(x|y) has weight 1.", min=0)]
Bonus = Annotated[float, option(OUT, "Reward per word of a translation.", metavar="N")]


def translate(
    context: typer.Context,
    model: Model,
    text: Annotated[
        str,
        typer.Argument(
            help="Text (plain or compressed) with one sentence per line and spaces between tokens, or - for stdin."
        ),
    ],
    lm: Language,
    reverse: Reverse = False,
    lexicon: Annotated[
        Path | None, option(IN, "Lexical constraints, one per line: source, tab, target, tab, must, prefer or never.")
    ] = None,
    tokenize: Tokenize = None,
    normalize: Normalize = None,
    tune: Annotated[str | None, option(IN, "Text for tuning --lm-weight and --word-bonus on BLEU.")] = None,
    tune_target: Annotated[
        str | None, option(IN, "Translation of the --tune text, unless that has both sides.")
    ] = None,
    n: Annotated[
        int,
        option(OUT, "Number of translations per line (above 1: number ||| text ||| parts ||| total).", "-n", min=1),
    ] = 1,
    lm_weight: Weight = 1.0,
    word_bonus: Bonus = WORD_BONUS,
    window: Annotated[int, option(WHERE, "Distortion limit in words; 0 keeps the source order.", min=0)] = 2,
    beam: Annotated[int, option(WHERE, "Beam size.", min=1)] = 30,
    options: Annotated[int, option(WHERE, "Number of translation options per word.", min=1)] = 12,
    inserts: Annotated[int, option(WHERE, "Number of frequent words that may be inserted.", min=0)] = 8,
    as_json: Json = False,
    quiet: Quiet = False,
    signature_form: SignatureForm = "short",
    shown: Shown = "auto",
    threads: Threads = -1,
) -> None:
    """Translate TEXT word by word with a noisy channel: a word aligner for P(x|y) and a language model for P(y).

    The result maximizes log P(x|y) + lm-weight · log P(y) + word-bonus · (number of words of y).

    Example: **softcount translate en-fr.model --lm fr.lm new.en > new.out**

    Tune the weights first: **softcount translate en-fr.model --lm fr.lm new.en --tune dev.en --tune-target dev.fr**

    Reverse direction, n-best list: **softcount translate en-fr.model --lm en.lm new.fr --reverse -n 5 --json**
    """
    from softcount.text.bilingual import once
    from softcount.text.source import check_stdin

    check_form(signature_form)
    check_threads(threads)
    check_mode(shown)
    check_stdin(text=text, lexicon=lexicon, tune=tune, tune_target=tune_target)
    with Progress(quiet, 1, shown):
        settings: dict[str, Any] = {"lm_weight": lm_weight, "word_bonus": word_bonus, "window": window, "beam": beam}
        settings |= {"options": options, "inserts": inserts, "lexicon": once(lexicon), "n_jobs": threads}
        found = _translator(model, lm, reverse, "translate", settings)
        found._check()
        prepare = preparation(found.aligner, tokenize, normalize, quiet)
        data = _read(text, found, prepare)
        _tune(context, found, tune, tune_target, prepare, quiet)
        answers = found.blocks(data, n)
        signed = found.signature(data)
        if as_json:
            rows = [[one._asdict() for one in each] for each in answers]
            put(json.dumps({"translations": rows, "signature": signed}, ensure_ascii=False))
        else:
            put_lines(_lines(answers, n))
    say(in_form(signed, signature_form), quiet)


def rank(
    model: Model,
    candidates: Annotated[
        str, typer.Argument(help="Lines source ||| candidate, TSV, TMX or XLIFF; or the source sentences only.")
    ],
    lm: Language,
    target: Annotated[
        str | None, typer.Argument(help="Candidates, line by line, if CANDIDATES has only the source sentences.")
    ] = None,
    reverse: Reverse = False,
    tokenize: Tokenize = None,
    normalize: Normalize = None,
    lm_weight: Weight = 1.0,
    word_bonus: Bonus = WORD_BONUS,
    as_json: Json = False,
    quiet: Quiet = False,
    signature_form: SignatureForm = "short",
    shown: Shown = "auto",
    threads: Threads = -1,
) -> None:
    """Score candidate translations; print TSV with log P(x|y), log P(y) and a score from 0 to 1.

    Example: **softcount rank en-fr.model --lm fr.lm candidates.txt > ranked.tsv**

    Score the pairs of a bitext: **softcount rank en-fr.model new.en new.fr --lm fr.lm > ranked.tsv**
    """
    from softcount.estimators.translator import Ranked
    from softcount.report.tsv import tsv_lines
    from softcount.text.bitext_reader import read_bitext

    check_form(signature_form)
    check_threads(threads)
    check_mode(shown)
    with Progress(quiet, mode=shown):
        settings = {"lm_weight": lm_weight, "word_bonus": word_bonus, "n_jobs": threads}
        found = _translator(model, lm, reverse, "rank", settings)
        data: Bitext = read_bitext(candidates, target, prepare=preparation(found.aligner, tokenize, normalize, quiet))
        rows = found.rank(data.spelt() if found.aligner.characters else data)
    signed = found.signature(data, "rank")
    if as_json:
        put(json.dumps({"candidates": [_whole(row) for row in rows], "signature": signed}))
    else:
        put_lines(tsv_lines(Ranked._fields, rows))
    say(in_form(signed, signature_form), quiet)


def _whole(row: Any) -> dict[str, float | None]:
    """JSON has no infinities."""
    return {name: value if abs(value) < float("inf") else None for name, value in row._asdict().items()}


def _translator(model: Path, lm: Path, reverse: bool, who: str, settings: dict[str, Any]) -> Translator:
    from softcount.cli.lm import opened
    from softcount.estimators.translator import Translator

    aligner = open_model(model, ("word aligner",), who, n_jobs=settings["n_jobs"])
    language = opened(lm, f"{who} --lm")
    if aligner.characters != language.characters:
        kinds = ["of words", "of characters"]
        mine, theirs = kinds[aligner.characters], kinds[language.characters]
        raise InputError(f"{lm}: a language model {theirs} does not fit an aligner {mine}; train one of them again")
    return Translator(aligner, language, reverse=reverse, **settings)


def _read(path: str, found: Translator, prepare: Any) -> Any:
    from softcount.text.reader import read, read_characters

    aligner = found.aligner
    return (read_characters if aligner.characters else read)(path, lowercase=aligner.lowercase, prepare=prepare)


def _tune(
    context: typer.Context, found: Translator, source: str | None, target: str | None, prepare: Any, quiet: bool
) -> None:
    if source is None:
        note_unused(context, ["tune_target"], "without --tune", quiet)
        return
    from softcount.text.bitext_reader import read_bitext

    note_unused(context, ["lm_weight"], "with --tune", quiet)
    pairs = read_bitext(source, target, prepare=prepare)
    pairs = pairs.spelt() if found.aligner.characters else pairs
    found.tune(pairs.source, pairs.target)
    say(f"tuned: --lm-weight {found.lm_weight:g} --word-bonus {found.word_bonus:g}, BLEU {found.bleu_:.2f}", quiet)


def _lines(answers: Iterator[list[Translation]], n: int) -> Iterator[str]:
    """One translation a line; several as n-best lists of Moses."""
    for number, each in enumerate(answers):
        if n == 1:
            yield each[0].text + "\n"
            continue
        for one in each:
            parts = f"channel= {one.channel:.6g} language= {one.language:.6g}"
            yield f"{number} ||| {one.text} ||| {parts} ||| {one.score:.6g}\n"
