"""Every example of README.md and of docs/ runs, and prints what the page says."""

from __future__ import annotations

import os
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page_data
import pytest
import typer
from page_blocks import REASONS, ROOT, Block, Session, alike, blocks, commands, pages, prompts, unnamed

import softcount as sc
from softcount.cli.main import app

PAGES = [page for page in pages() if blocks(page)]
PEERS = [block for page in PAGES for block in blocks(page) if block.needs]
SKIPPED = {
    "corpus": 0,
    "install": 3,  # pip install into a new environment, and completion in the reader's shell
    "make": 1,
    "cluster": 3,  # several machines, or a bucket
    "long": 1,
    "peer": 4,
}  # how many do not run with their page, and why


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    page_data.write(folder)
    return folder


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return page_data.names()


@pytest.fixture
def folder(files: Path, tmp_path: Path) -> Iterator[Path]:
    before = Path.cwd()
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page.parent == ROOT else pytest.mark.sampled(8)) for page in PAGES],
    ids=[str(page.relative_to(ROOT)) for page in PAGES],
)
def test_examples_run(page: Path, folder: Path, names: dict[str, Any]) -> None:
    session = Session(names)
    for block in blocks(page):
        if block.skipped is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # notes about texts as small as these
                session.run(block)


@pytest.mark.parametrize("block", PEERS, ids=lambda block: f"{block.page}:{block.needs}")
def test_examples_of_other_libraries_run(block: Block, folder: Path, names: dict[str, Any]) -> None:
    """What `make bench` installs is run here too; nobody is asked to install the rest for a test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert block.needs
        pytest.importorskip(block.needs, reason=f"{block.needs} is not installed: its side of {block.page} is not run")
        Session(names).run(block)


def test_what_cannot_run_is_counted() -> None:
    """So that it cannot grow unnoticed: change the number with the page, and say why there."""
    skipped = Counter(block.skipped for page in PAGES for block in blocks(page) if block.skipped is not None)
    assert set(skipped) <= set(REASONS)
    assert {reason: skipped[reason] for reason in REASONS} == SKIPPED


def test_no_example_hides_in_a_block_without_a_language() -> None:
    """A command in an indented block, or between bare fences, would not be run."""
    for page in pages():
        hidden = [
            line
            for line in unnamed(page.read_text(encoding="utf-8"))
            if line.startswith(("softcount ", "$ ", "import "))
        ]
        assert not hidden, f"{page.name}: say sh, console or python where {hidden[0]!r} stands"


def test_every_page_is_part_of_the_site() -> None:
    """Named in a table of contents; what nobody names would be a warning, and a warning is an error."""
    docs, named = ROOT / "docs", {ROOT / "docs" / "index"}
    for page in docs.rglob("*.md"):
        for listed in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            entries = (line.strip() for line in listed.splitlines())
            named |= {(page.parent / entry).resolve() for entry in entries if entry and not entry.startswith(":")}
    assert {page.with_suffix("") for page in docs.rglob("*.md")} == named


def test_every_public_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    missing = [name for name in sc.__all__ if not re.search(rf"\b{name}\b", page) and name != "__version__"]
    assert not missing, f"docs/reference/api.md lacks {missing}"


def test_every_command_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    group = typer.main.get_command(app)
    named = {
        f"{name} {inner}".strip()
        for name, command in group.commands.items()
        for inner in getattr(command, "commands", [""])
    }
    assert set(re.findall(r"^softcount (.*) --help$", page, re.M)) == named
    assert {heading for heading in re.findall(r"^### (.*)$", page, re.M)} == named


def test_outputs_are_compared() -> None:
    assert alike("a  \nb\n", "a\nb") and not alike("a\nb\n", "a\nc")
    assert alike("a 0.31 s\nb\nc\nd\n", "a … s\n…\nd") and not alike("a 0.31 m\nb\n", "a … s\nb")
    assert list(commands("# x\n\nsoftcount tag a \\\n  b  # y\n")) == ["softcount tag a    b  # y"]
    assert list(unnamed("a\n\n    b\n\n```\nc\n```\n\n```sh\nd\n```\n")) == ["b", "c"]
    assert list(prompts("$ cat f\n1\n2\n$ x\n")) == [("cat f", "1\n2\n"), ("x", "")]
