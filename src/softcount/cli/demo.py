"""softcount demo: every task on the texts that come with softcount, and how far what is found agrees with the gold."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from softcount.cli.demo_pages import check_folder, write_pages
from softcount.machine.streams import columns, is_screen, results


def demo(
    sentences: Annotated[
        int | None,
        typer.Option("--sentences", "-n", min=10, help="Number of sentences to generate for tags and links."),
    ] = None,
    states: Annotated[int, typer.Option(min=1, help="Number of hidden states of the tagger.")] = 18,
    criterion: Annotated[str, typer.Option(help="Criterion of the baseline tagger, from random starts.")] = "em:100",
    restarts: Annotated[int, typer.Option(min=1, help="Number of restarts of the baseline.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of training, and of generated text.")] = 0,
    pages: Annotated[Path | None, typer.Option(help="Folder for one HTML page per task.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")] = False,
) -> None:
    """Run every task on the texts that come with softcount, and compare the results with gold labels.

    Example: **softcount demo**

    Tags and links of a generated language: **softcount demo --sentences 2000 --states 12 --criterion vb**
    """
    from rich.console import Console

    from softcount.cli.demo_classes import demo_classes
    from softcount.cli.demo_decipher import demo_decipher
    from softcount.cli.demo_documents import demo_documents
    from softcount.cli.demo_grammar import demo_grammar
    from softcount.cli.demo_links import demo_links, generated_pairs, own_pairs
    from softcount.cli.demo_network import demo_network
    from softcount.cli.demo_tags import demo_tags, generated_text, own_text
    from softcount.cli.progress import Progress
    from softcount.cli.watched import Between

    if pages is not None:
        check_folder(pages)
    with _own_texts() as folder, Progress(quiet) as progress:
        place: Any = Between(results(), progress) if is_screen() else results()
        console = Console(highlight=False, emoji=False, file=place, width=columns())
        text = own_text(folder) if sentences is None else generated_text(sentences, seed)
        pairs = own_pairs(folder) if sentences is None else generated_pairs(sentences, seed)
        shown = [
            demo_tags(console, text, states, criterion, restarts, seed),
            demo_classes(console, folder, seed),
            demo_links(console, pairs),
            *demo_documents(console, folder, seed),
            demo_network(console, folder, seed),
            demo_grammar(console, seed),
            demo_decipher(console, folder, seed),
        ]
        if pages is not None:
            write_pages(console, pages, shown)


@contextmanager
def _own_texts() -> Iterator[Path]:
    """A folder with the texts, as `softcount examples` writes them; notes on small texts are for users' own."""
    from softcount.examples import EXAMPLES

    with tempfile.TemporaryDirectory(prefix="softcount-demo-") as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for example in ("sentences", "everyday", "articles", "commute"):
            for file, text in EXAMPLES[example].files.items():
                Path(name, file).write_text(text, encoding="utf-8")
        yield Path(name)
