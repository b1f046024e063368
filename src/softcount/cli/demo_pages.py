"""The end of softcount demo: a page of each task, and one that computes, and where they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from softcount.cli.console import write_whole
from softcount.errors import InputError
from softcount.machine.atomic import new_folders


class Shown(NamedTuple):
    """What a part of the demo trained, and on what."""

    name: str
    model: Any
    data: tuple[Any, ...]
    gold: Any = None


def check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, not a folder; give another name")


def write_pages(console: Any, folder: Path, shown: list[Shown]) -> None:
    from softcount.report.page.model import items_of, page_of

    with new_folders(folder):
        console.print("\n[bold]Pages[/] to open in a browser:\n")
        for name, model, data, gold in shown:
            items = items_of(model, *(*data, None)[:2]) if data else None
            _write(console, folder / f"{name}.html", page_of(model, items, gold))
        _write(console, folder / "explain.html", _explained())


def _explained() -> str:
    """The textbook's sentence, on a page that computes."""
    import json

    from softcount.examples import EXAMPLES
    from softcount.report.hmm_json import from_json
    from softcount.report.page.explain import explain_page
    from softcount.report.page.explain_data import hmm_data

    return explain_page(hmm_data(from_json(json.loads(EXAMPLES["can-i-can"].files["P.json"])), ["can I can"]))


def _write(console: Any, path: Path, page: str) -> None:
    write_whole(path, lambda place: place.write_bytes(page.encode("utf-8", "replace")))
    console.print(f"  {path}", soft_wrap=True, markup=False)
