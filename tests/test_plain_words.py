"""Pages in plain words: what remains of habits that readers stumble over is listed, and may only become less."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import prose
from plain_words import (
    HABITS,
    HELP,
    PAGE,
    TITLE,
    find_habits,
    find_in_help,
    find_in_page,
    find_in_pages,
    find_in_title,
    literals,
    script_literals,
)
from typer.main import get_command

import softcount
import softcount.evaluate
from softcount.cli.main import app

SOURCE = Path(softcount.__file__).parent
ALLOWED = Path(__file__).parent / "plain_words_allowed.tsv"  # page, habit, how often
SHORT = {"README.md": 600, "docs/index.md": 150}  # pages that are read to the end, and their words


def test_pages_have_no_more_of_a_habit_than_is_listed() -> None:
    allowed = Counter[tuple[str, str]]()
    for line in ALLOWED.read_text(encoding="utf-8").splitlines():
        page, name, times = line.split("\t")
        allowed[page, name] = int(times)
    places = [((str(page.relative_to(prose.ROOT)), habit.name), line, habit) for page, line, habit in find_in_pages()]
    found = Counter(place for place, _, _ in places)
    more = [
        f"{place[0]}:{line}: {habit.name}: {habit.found!r}; write: {habit.advice}"
        for place, line, habit in places
        if found[place] > allowed[place]
    ]
    assert not more, "\n".join(more)


def test_help_of_every_command_stands_alone() -> None:
    def every(command: Any, words: str) -> Iterator[tuple[str, str]]:
        yield words, (command.help or "").split("\n\n")[0]
        yield from ((f"{words} {param.name}", param.help or "") for param in getattr(command, "params", ()))
        for name, inner in getattr(command, "commands", {}).items():
            yield from every(inner, f"{words} {name}")

    found = [
        f"{where}: {habit}" for where, text in every(get_command(app), "softcount") for habit in find_in_help(text)
    ]
    assert not found, "\n".join(found)


def test_strings_of_the_source_are_in_plain_words() -> None:
    """Messages, notes, captions and titles: all literals of three words or more, docstrings left out."""
    sources = [path for path in SOURCE.rglob("*.py") if path.parent.name != "synthetic"]
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {habit}"
        for path in sources
        for line, text in literals(path.read_text(encoding="utf-8"))
        if text.count(" ") > 1
        for habit in find_habits(text)
    ]
    assert len(sources) > 400 and not found, "\n".join(found)


def test_strings_of_the_scripts_are_in_plain_words() -> None:
    """Labels, captions and notes that the pages write themselves: all strings of two words or more."""
    sources = sorted(SOURCE.rglob("*.js"))
    found = [
        f"{path.relative_to(SOURCE)}: {text!r}: {habit}"
        for path in sources
        for text in script_literals(path.read_text(encoding="utf-8"))
        if " " in text
        for habit in find_habits(text)
    ]
    assert len(sources) > 15 and not found, "\n".join(found)


def test_strings_of_a_script_are_its_literals() -> None:
    source = 'say(`Tree ${k + 1}`, "one a line"); /* "not this" */ f("");'
    assert list(script_literals(source)) == ["Tree ${k + 1}", "one a line", ""]


def test_public_docstrings_begin_with_what_a_thing_is() -> None:
    public = [(name, getattr(module, name)) for module in (softcount, softcount.evaluate) for name in module.__all__]
    first = {name: (inspect.getdoc(thing) or "").split("\n\n")[0] for name, thing in public if name != "__version__"}
    assert all(first.values()), [name for name, line in first.items() if not line]
    found = [f"{name}: {habit}" for name, line in first.items() for habit in find_in_title(" ".join(line.split()))]
    assert not found, "\n".join(found)


def test_every_pattern_finds_what_it_is_about() -> None:
    quoted = {
        "points at another line": "Dirichlet prior of Gibbs, likewise",
        "denies existence": "a criterion that is none",
        "leave away": "leave the tag file away",
        "a table that acts": "Words lean on first letters",
        "late relative": "pairs of which a side has more words",
        "not used so": "blanks between tokens",
        "distributive a": "one topic a line",
        "default as a clause": "0.5 if not given",
        "a clause in the place of a noun": "What log P(y) counts.",
        "semicolons": "P(empty word), or learn; else 0.2; with agreement learn",
        "riddle for a title": "Do the tests notice?",
        "inside of the project": "A test asks every socket",
    }
    assert set(quoted) == {*HABITS, *HELP, *TITLE, *PAGE}
    for name, text in quoted.items():
        assert name in {habit.name for habit in find_habits(text, HELP, TITLE, PAGE)}, text
    plain = (
        "Number of states. Words back off to their prefixes; there is no default. Write `one topic a line` per file."
    )
    assert not find_habits(plain, HELP, TITLE, PAGE)
    assert [habit.name for habit in find_in_help("Number of states")] == ["no period"]


def test_a_page_is_read_by_paragraphs_without_code() -> None:
    page = "# Letters that stand\n\ntext of\nwhich `so many` and\n\n```sh\nblanks\n```\n| blanks |\n- blanks\n"
    assert [(line, habit.found) for line, habit in find_in_page(page)] == [(1, "that"), (3, "of which"), (10, "blanks")]


def test_strings_of_a_source_are_its_literals() -> None:
    source = (
        '"""Docs."""\ndef f(x):\n    """Docs."""\n    raise InputError(f"{x} is none; " + "write")\n    g(a="one")\n'
    )
    assert sorted(literals(source)) == [(4, "write"), (4, "… is none; "), (5, "one")]
    assert sorted(literals(source, {"InputError"})) == [(4, "write"), (4, "… is none; ")]


def test_prose_is_counted_without_code_tables_comments_and_addresses() -> None:
    page = """# Two words

One [link text](https://a.b/c d) – and ![a picture](x.png) `code`, <!-- figure a; b; c -->.80<!-- end -->.
<!-- table x -->
- no words
<!-- end of table -->
| a | table |

```sh
softcount tag
```

:::{note}
A note
:::

```{toctree}
a
```
"""
    assert prose.count_words(page) == 2 + 6 + 2
    assert [number for number, _ in prose.prose_lines(page)] == [1, 3, 14]


def test_pages_for_users_keep_to_their_budget() -> None:
    counts = prose.count_pages()
    assert sum(words for page, words in counts.items() if prose.for_users(page)) <= prose.BUDGET
    for page, words in SHORT.items():
        assert 0 < counts[prose.ROOT / page] <= words, f"{page}: {counts[prose.ROOT / page]} words, more than {words}"
