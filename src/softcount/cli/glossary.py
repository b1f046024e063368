"""softcount glossary: which words, and terms of several words, translate which."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import open_model, preparation, say
from softcount.cli.options import IN, OUT, Quiet, Tokenize, option
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put_lines

if TYPE_CHECKING:
    from softcount.links.terms import Row
    from softcount.text.bitext import Bitext

COLUMNS = ("source", "target", "links", "share", "p_target", "p_source")
OUTPUTS = ("tsv", "excel", "tbx", "json")


@watched
def glossary(
    model: Annotated[Path, typer.Argument(help="Word aligner written by softcount align --save.")],
    source: Annotated[
        str | None,
        typer.Argument(help="Source text, or a file with both sides. Default: the links counted in training."),
    ] = None,
    target: Annotated[str | None, typer.Argument(help="Translation of SOURCE, unless SOURCE has both sides.")] = None,
    terms: Annotated[bool, option(OUT, "Include terms of several words, linked as a unit.", "--terms")] = False,
    min_links: Annotated[int, option(OUT, "Minimum number of links per entry.", min=1)] = 1,
    min_share: Annotated[float, option(OUT, "Minimum share of the source word's links.", min=0, max=1)] = 0.0,
    dispersion: Annotated[
        bool, option(OUT, "Add a column with the dispersion: 0 is even, 1 means a single segment.", "--dispersion")
    ] = False,
    output: Annotated[
        str, option(OUT, "Output format. Choices: tsv, excel (CSV for spreadsheets), tbx (terminology tools), json.")
    ] = "tsv",
    source_language: Annotated[str | None, option(IN, "Source language in TMX or XLIFF, and its name in TBX.")] = None,
    target_language: Annotated[str | None, option(IN, "Target language in TMX or XLIFF, and its name in TBX.")] = None,
    tokenize: Tokenize = None,
    quiet: Quiet = False,
) -> None:
    """Extract a bilingual glossary from word links, most frequent entries first.

    Example: **softcount glossary en-fr.model text.en text.fr --terms > glossary.tsv**

    From another text, for terminology tools: **softcount glossary en-fr.model new.en new.fr --output tbx > new.tbx**
    """
    if output not in OUTPUTS:
        raise InputError(f"--output {output!r}: unknown; use {', '.join(OUTPUTS)}")
    found = open_model(model, ("word aligner",), "glossary")
    languages = {"source_language": source_language, "target_language": target_language}
    prepare = preparation(found, tokenize, None, quiet) if source is not None else None
    data = _text(found, model, (source, target), terms or dispersion, languages, prepare)
    stage.begin("counting links")
    rows = _expected(found, min_links) if data is None else _counted(found, data, min_links, terms)
    rows = [row for row in rows if row.share >= min_share]
    where = "counted in training" if data is None else f"in {len(data):,} pairs"
    say(f"{len(rows):,} entries; links {where}", quiet)
    named = (source_language or "und", target_language or "und")
    put_lines(_written(rows, output, dispersion, named, found))


def _written(rows: list[Row], output: str, dispersion: bool, languages: tuple[str, str], model: Any) -> Iterator[str]:
    columns = (*COLUMNS, "dispersion") if dispersion else COLUMNS
    if output == "tbx":
        from softcount.report.tbx import tbx_lines

        yield from tbx_lines(rows, languages, model.signature_)
    elif output == "json":
        entries = [{name: getattr(row, name) for name in columns} for row in rows]
        yield json.dumps({"glossary": entries, "signature": model.signature_}, ensure_ascii=False) + "\n"
    else:
        from softcount.report.tsv import spreadsheet_lines, tsv_lines

        lines = tsv_lines if output == "tsv" else spreadsheet_lines
        yield from lines(columns, (row[: len(columns)] for row in rows))


# --- where links are counted ------------------------------------------------------------------------------------------


def _text(
    model: Any, path: Path, files: tuple[str | None, str | None], needed: bool, languages: dict[str, Any], prepare: Any
) -> Bitext | None:
    """The text that is given. The paths of the training text, which a model names, are not opened."""
    from softcount.text.bitext_reader import has_languages, read_bitext
    from softcount.text.source import quoted

    source, target = files
    if source is not None:
        chosen = languages if target is None and has_languages(source) else {}
        given = read_bitext(source, target, prepare=prepare, **chosen)
        return given.spelt() if model.characters else given
    if model.agreed_ is not None and not needed:
        return None
    said = quoted(model.data_["source"], 100)
    raise InputError(
        f"{path}: the text is missing (paths stored in a model, here {said}, are not opened); give SOURCE and TARGET"
    )


def _counted(model: Any, data: Bitext, least: int, terms: bool) -> list[Row]:
    """By the links of a text."""
    from softcount.links.glossary import joined
    from softcount.links.terms import in_order, terms_of, words_of

    links, pairs = joined(model.blocks(data)), model._cased(data)
    rows = words_of(links, pairs, least, model.lexicon)
    if terms:
        rows += terms_of(links, pairs, least)
    written = [_as_written(side) for side in (data.source, data.target)]
    return in_order(
        row._replace(source=_in(written[0], row.source), target=_in(written[1], row.target)) for row in rows
    )


def _as_written(text: Any) -> dict[str, str]:
    """Of every word in lower case the form in which it is commonest; ids fall with frequency."""
    from softcount.text.vocabulary import lowered

    words = text.vocabulary.words
    found: dict[str, str] = {}
    for small, word in zip(lowered(words).to_pylist(), words, strict=True):
        found.setdefault(small, word)
    return found


def _in(written: dict[str, str], words: str) -> str:
    return " ".join(written.get(word, word) for word in words.split(" "))


def _expected(model: Any, least: int) -> list[Row]:
    """By what both directions agreed on in training, which the model has kept."""
    import numpy as np

    from softcount.links.terms import Row, in_order

    agreed = model.agreed_
    counts = np.asarray(agreed.parameters.translation, np.float64)
    sources = np.repeat(np.arange(agreed.rows.n_rows), agreed.rows.lengths)
    shares = counts / np.maximum(np.bincount(sources, counts, agreed.rows.n_rows)[sources], 1e-300)
    kept = np.flatnonzero(np.round(counts) >= least)
    wanted = {
        (agreed.words[0][e], agreed.words[1][f]): (round(n), share)
        for e, f, n, share in zip(
            *(a[kept].tolist() for a in (sources, agreed.rows.values, counts, shares)), strict=True
        )
    }
    return in_order(Row(s, t, *wanted[s, t], p, q) for s, t, p, q in model.lexicon(0.0) if (s, t) in wanted)
