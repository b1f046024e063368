"""The glossary of the documentation: each term once, options that exist, terms that the site's search finds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from softcount.cli.main import app

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "reference" / "glossary.md"
LINES = PAGE.read_text(encoding="utf-8").splitlines()
ENTRIES = [(term, text.removeprefix(": ")) for term, text in pairwise(LINES) if text.startswith(": ")]


def test_every_term_is_defined_once_in_a_list_that_the_site_knows_as_a_glossary() -> None:
    terms = [term.lower() for term, _ in ENTRIES]
    assert len(terms) == len(set(terms)) > 150
    lists = PAGE.read_text(encoding="utf-8").split("{.glossary}\n")
    assert len(lists) == 1 + sum(line.startswith("## ") for line in LINES)
    assert sum(part.count("\n: ") for part in lists[1:]) == len(ENTRIES)
    assert all(text.endswith((".", ")", "`")) and text[0].isupper() for _, text in ENTRIES)


def test_options_of_the_glossary_exist() -> None:
    group = typer.main.get_command(app)
    commands = list(group.commands.values())
    commands += [inner for command in commands for inner in getattr(command, "commands", {}).values()]
    known = {name for command in commands for one in command.params for name in (*one.opts, *one.secondary_opts)}
    named = {option for _, text in ENTRIES for option in re.findall(r"--[a-z][a-z-]*", text)}
    assert named and named <= known, sorted(named - known)
    called = {name for _, text in ENTRIES for name in re.findall(r"`softcount ([a-z-]+)", text)}
    assert called <= set(group.commands), sorted(called - set(group.commands))


@pytest.mark.thorough
def test_the_search_of_the_site_finds_every_term(tmp_path: Path) -> None:
    """As the page's search does: all words of the query, stemmed, are in the index."""
    pytest.importorskip("myst_parser", reason="the site's tools are not installed")
    from sphinx.search.en import SearchEnglish

    (tmp_path / "index.md").write_text(f"{PAGE.read_text(encoding='utf-8')}\n", encoding="utf-8")
    (tmp_path / "conf.py").write_text(
        "extensions = ['myst_parser']\nmyst_enable_extensions = ['attrs_block', 'deflist']\n", encoding="utf-8"
    )
    subprocess.run([sys.executable, "-m", "sphinx", "-qW", "-b", "html", tmp_path, tmp_path / "site"], check=True)
    script = (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("Search.setIndex(").removesuffix(")"))
    language, indexed = SearchEnglish({}), {*index["terms"], *index["titleterms"]}
    for term, _ in ENTRIES:
        words = [word for word in language.split(term.lower()) if language.word_filter(word)]
        assert words and all(language.stem(word) in indexed for word in words), term
    assert {term.lower() for term, _ in ENTRIES} == {entry.lower() for entry in index["indexentries"]}
