"""What a file says is never run, opened or imported: commands, paths and names in saved models and folders of shards."""

from __future__ import annotations

import json
import pickle
import warnings
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from command import refused, run
from forgery import put_together, taken_apart

import softcount
from softcount import InputError
from softcount.disk.store import Stored
from softcount.text.claim import Claim, claimed
from softcount.text.preparation import Preparation, prepared, tokenized
from softcount.text.shard_folder import sealed

COMMAND = "pipe:sh -c 'touch X; cat'"
AGAIN = (
    f"says that its text was tokenized by {COMMAND!r}, and no command is run because a file names it; give --tokenize again "
    "(Python: tokenize=): pipe:COMMAND, if you trust it, rules, sacremoses, jieba, mecab, spacy or none"
)
TRAINED = {
    "tag": "tag text --states 2 --criterion em:1",
    "classes": "classes text --classes 2 --criterion exchange:1",
    "align": "align text other --model ibm1 --criterion em:1",
    "topics": "topics text --topics 2 --criterion em:1",
    "cluster": "cluster text --clusters 2 --criterion em:1",
    "lm": "lm text --order 2",
    "letters": "lm text --order 2 --characters",
    "decipher": "decipher text --lm letters --restarts 1 --criterion em:1",
}
APPLIED = {
    "tag text --apply tag": "tag",
    "classes text --apply classes": "classes",
    "align text other --apply align": "align",
    "topics text --apply topics": "topics",
    "cluster text --apply cluster": "cluster",
    "lm text --apply lm": "lm",
    "lm text --apply lm --report page.html": "lm",
    "decipher text --apply decipher": "decipher",
    "show tag text": "tag",
    "show classes text": "classes",
    "show topics text": "topics",
    "show align text other": "align",
    "report tag text": "tag",
    "report align text other": "align",
    "report lm text": "lm",
    "report topics text": "topics",
    "glossary align text other": "align",
    "translate align text --lm lm": "align",
    "translate align text --lm lm --tune text --tune-target other": "align",
    "rank align text other --lm lm": "align",
    "score topics topics text": "topics",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of every command, whose `reading` was forged to name a command."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.chdir(folder)
        Path("text").write_text("a b c\nb a\nc a b\na c\n" * 6)
        Path("other").write_text("x y z\ny x\nz x y\nx z\n" * 6)
        for name, line in TRAINED.items():
            assert run(f"{line} -q --save {name}").code == 0
            if name != "letters":
                forge(name, tokenize=COMMAND)
    return folder


def forge(name: str, **reading: Any) -> None:
    parts = taken_apart(Path(name).read_bytes())
    parts.about["body"]["reading"] = {**parts.about["body"].get("reading", {}), **reading}
    Path(name).write_bytes(put_together(*parts))


@pytest.fixture
def here(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in models.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", APPLIED)
def test_no_command_of_a_model_is_run(here: Path, line: str) -> None:
    before = sorted(path.name for path in here.iterdir())
    refused(run(line), f"{APPLIED[line]}: {AGAIN}")
    assert sorted(path.name for path in here.iterdir()) == before
    ran = run(f"{line} --tokenize pipe:cat")
    assert ran.code == 0 and not Path("X").exists(), ran
    if "-q" not in line and APPLIED[line] != "none":
        said = f"note: the text is tokenized by 'pipe:cat', and the model's training text by {COMMAND!r}; words may be "
        assert any(one.startswith(said) for one in ran.said), ran.said
