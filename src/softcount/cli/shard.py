"""softcount shard: text as a folder of files that training reads piece by piece."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from softcount.cli.console import say
from softcount.cli.options import (
    IN,
    OUT,
    IdColumn,
    Json,
    Lowercase,
    Normalize,
    Quiet,
    Shown,
    TextColumn,
    Tokenize,
    option,
)
from softcount.cli.progress import Progress, check_mode
from softcount.errors import InputError, count_nouns
from softcount.machine.streams import put

KINDS = ("sentences", "pairs", "documents")


def shard(
    text: Annotated[
        list[str], typer.Argument(help="One or more text files (plain or compressed), read in order, or - for stdin.")
    ],
    out: Annotated[str, option(OUT, "Output folder or URL (s3://bucket/shards).")],
    kind: Annotated[
        str | None,
        option(
            IN,
            "Kind of text. Choices: sentences, pairs, documents. Default: pairs with --target, otherwise sentences.",
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        option(IN, "Translation of a TEXT file; repeat for each. Default: each file of pairs has both sides."),
    ] = None,
    format: Annotated[
        str, option(IN, "Format of sentences. Choices: auto, plain, tagged (word/TAG), conllu.")
    ] = "auto",
    column: Annotated[str, option(IN, "CoNLL-U column with known tags. Choices: upos, xpos, none.")] = "upos",
    lowercase: Lowercase = False,
    tokenize: Tokenize = None,
    normalize: Normalize = None,
    text_column: TextColumn = None,
    id_column: IdColumn = None,
    file_size: Annotated[int, option(OUT, "Size of a shard in megabytes.", min=1)] = 64,
    as_json: Json = False,
    quiet: Quiet = False,
    shown: Shown = "auto",
) -> None:
    """Convert text to sharded files for out-of-core training; training commands take the folder in place of a text.

    Example: **softcount shard part1.txt.gz part2.txt.gz --out shards**, then **softcount tag shards --states 45**

    A text and its translation: **softcount shard text.en --target text.fr --out pairs**

    Documents: **softcount shard docs.txt --kind documents --lowercase --out docs**

    Only the vocabulary must fit into memory.
    """
    check_mode(shown)
    with Progress(quiet, 1, shown), warnings.catch_warnings(record=True) as caught:
        from softcount.text.preparation import preparation_of
        from softcount.text.shard_input import How
        from softcount.text.shard_writer import check_out

        warnings.simplefilter("always", UserWarning)
        kind = kind or ("pairs" if target else "sentences")
        prepare = preparation_of(tokenize, normalize)
        _check(kind, text, target or [], text_column, id_column)
        check_out(out)
        how = How(lowercase, prepare, format, column, text_column, id_column)
        found = _written(out, kind, text, target or [], how, file_size << 20)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        say(f"warning: {message}", quiet)
    put(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(summary_lines(found)))


def _check(kind: str, text: Sequence[str], target: Sequence[str], *columns: str | None) -> None:
    from softcount.text.source import check_stdin

    if kind not in KINDS:
        raise InputError(f"--kind {kind!r}: unknown; use {', '.join(KINDS)}")
    if target and kind != "pairs":
        raise InputError(f"--target needs --kind pairs, not {kind}; omit one of them")
    if kind == "pairs" and any(columns):
        raise InputError("--text-column and --id-column need sentences or documents, not pairs; omit them")
    check_stdin(**{f"file_{number + 1}": path for number, path in enumerate([*text, *target])})


def _written(out: str, kind: str, text: Sequence[str], target: Sequence[str], how: Any, file_bytes: int) -> Any:
    from softcount.text import shard_input
    from softcount.text.growing_vocabulary import Growing
    from softcount.text.shard_writer import write_shards

    names = shard_input.Names((Growing(), Growing()) if kind == "pairs" else (Growing(),), Growing())
    if kind == "pairs":
        rows = shard_input.pairs(text, target, how, names)
        source = (
            [_called(text), _called(target)] if target else [f"{_called(text)} ({s})" for s in ("source", "target")]
        )
    else:
        rows = (shard_input.sentences if kind == "sentences" else shard_input.documents)(text, how, names)
        source = [_called(text)]
    return summary(out, write_shards(out, kind, rows, names, how.settings(), source, file_bytes=file_bytes))


def _called(paths: Sequence[str]) -> str:
    from softcount.text.source import name_of

    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return name_of(paths[0]) + more


def summary(root: str, manifest: dict[str, Any]) -> dict[str, Any]:
    """What a folder is, for --json and `softcount info`."""
    sides = manifest["sides"]
    named = {f"{side['side']} " if len(sides) > 1 else "": side for side in sides}
    counts = {f"{name}{what}": side[what] for name, side in named.items() for what in ("tokens", "words")}
    return {
        "folder": root,
        "kind": manifest["kind"],
        manifest["kind"]: manifest["rows"],
        **counts,
        **{what: len(manifest[what]) for what in ("tagset", "classes") if what in manifest},
        "source": [side["source"] for side in sides],
        "reading": manifest["reading"],
        "shards": len(manifest["shards"]),
        "blocks": sum(len(one["blocks"]) for one in manifest["shards"]),
        "bytes": sum(one["bytes"] for one in manifest["shards"]),
        "digest": "sha256:" + manifest["digest"],
        "softcount": manifest["softcount"],
    }


def summary_lines(found: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    from softcount.cli.info import readable_bytes

    held = {"tagset": "tags"}
    apart = ("folder", "kind", "source", "reading", "shards", "blocks", "bytes", "digest", "softcount")
    counted = ", ".join(f"{n:,} {held.get(what, what)}" for what, n in found.items() if what not in apart)
    size = readable_bytes(found["bytes"])
    yield f"{found['folder']}: {found['kind']} in {count_nouns(found['shards'], 'shards')}, {size}"
    yield f"  holds   {counted}"
    yield f"  from    {', '.join(found['source'])}"
    if found["reading"]:
        yield f"  read    {' '.join(f'{name}={value}' for name, value in found['reading'].items())}"
    yield f"  digest  {found['digest']}"
