"""The page that says which commands read shards is true, command by command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import page_data
import pytest
from command import run

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "shards.md"
COMMANDS = {
    "tag": "tag text --states 2 --start random --criterion em:1",
    "align": "align pairs --preset fast",
    "topics": "topics docs --topics 2 --start random --criterion em:1",
    "cluster": "cluster docs --clusters 2 --start random --criterion em:1",
    "classes": "classes text --classes 3 --criterion exchange:1",
    "lm": "lm text",
    "grammar": "grammar --nonterminals 2 --preterminals 2 text --criterion em:1",
    "translate": "translate pairs.model --lm text.lm text",
    "rank": "rank pairs.model --lm text.lm pairs",
    "glossary": "glossary pairs.model pairs",
    "show": "show docs.model docs",
    "report": "report docs.model docs --out page.html",
    "score topics": "score topics docs.model docs",
    "info": "info text",
    "net": "net auto docs",
    "decipher": "decipher text --lm text.lm",
    "symmetrize": "symmetrize pairs pairs",
    "score links": "score links gold.wa pairs",
}


def rows() -> dict[str, bool]:
    """{command: whether it reads shards}"""
    table = PAGE.read_text(encoding="utf-8").split("\n\n")[2]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {name: row[1] == "yes" for row in cells for name in re.findall(r"`([a-z][a-z -]*)`", row[0])}


def test_every_row_names_a_command_that_is_tried() -> None:
    assert set(rows()) == set(COMMANDS)


@pytest.mark.thorough
def test_commands_read_shards_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page_data.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    for prepare in (
        "shard text.txt --out text",
        "shard text.en --target text.fr --out pairs",
        "shard docs.txt --kind documents --out docs",
        "align text.en text.fr --preset fast --save pairs.model",
        "lm text.txt --save text.lm",
        "topics docs.txt --topics 2 --save docs.model",
    ):
        assert run(prepare).code == 0, prepare
    read = {name: run(shlex.join(shlex.split(COMMANDS[name]))).code for name in rows()}
    assert read == {name: 0 if reads else 2 for name, reads in rows().items()}
