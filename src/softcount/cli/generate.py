"""softcount generate: text with known tags, of the built-in language or of given parameters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from softcount.cli.console import check_writable, open_parameters, say, write_whole
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine.streams import put_lines


@watched
def generate(
    sentences: Annotated[int, typer.Option("--sentences", "-n", min=0, help="Number of sentences.")] = 10,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Sample from these parameters (P.json, or a saved HMM) instead of the built-in language."
        ),
    ] = None,
    length: Annotated[int | None, typer.Option(min=1, help="Words per sentence (with --from).")] = None,
    vocabulary: Annotated[
        float, typer.Option(help="Vocabulary size of the built-in language in units of 400 words.")
    ] = 1.0,
    tags: Annotated[Path | None, typer.Option(help="Write the tags to this file, line by line.")] = None,
    tagged: Annotated[bool, typer.Option("--tagged", help="Print word/TAG instead of words.")] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the random numbers; the same seed gives the same text.")
    ] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Generate tagged text in a small artificial language, or sample it from the parameters of an HMM.

    Example: **softcount generate -n 1000 --tags gold.tags > text.txt**

    From parameters: **softcount generate --from P.json -n 100 --seed 1 > text.txt**
    """
    check_writable(tags, inputs=(source,))
    if source is None:
        if length is not None:
            raise InputError("--length needs --from; sentences of the built-in language have their own length")
        from softcount.synthetic import language

        words, truth = language(sentences, seed, vocabulary)
    else:
        words, truth = _sampled(source, sentences, length, seed, quiet)
    if tags:
        write_whole(tags, lambda path: path.write_text("".join(_lines(truth)), encoding="utf-8"))
    if tagged:
        words = [[f"{w}/{t}" for w, t in zip(*pair, strict=True)] for pair in zip(words, truth, strict=True)]
    put_lines(_lines(words))


def _lines(rows: Iterable[list[str]]) -> Iterable[str]:
    return (" ".join(row) + "\n" for row in rows)


def _sampled(
    source: Path, n_sentences: int, length: int | None, seed: int, quiet: bool
) -> tuple[list[list[str]], list[list[str]]]:
    import numpy as np

    from softcount.machine.memory import check_room
    from softcount.models.hmm import generate as draw

    model = open_parameters(source, "generate --from")
    if length is None and not model.end:
        length = 10
        say(f'{source} has no "end": sentences have {length} words; set --length', quiet)
    check_room(
        n_sentences * (100 + 100 * (length or 10)), f"{n_sentences:,} sentences", "ask for fewer or shorter ones"
    )
    lengths = None if length is None else np.full(n_sentences, length)
    words, states = draw(model.tables, n_sentences, lengths, np.random.default_rng(seed))
    return (
        [[model.words[v] for v in row.tolist()] for row in words.rows()],
        [[model.states[k] for k in row.tolist()] for row in states.rows()],
    )
