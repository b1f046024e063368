"""The examples of docs/how-to/python.md run as they stand, in order; and a type checker reads a user's script."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.filterwarnings("ignore:the classes collapse")
def test_every_example_runs() -> None:
    page = (ROOT / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(blocks) >= 8
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/how-to/python.md", "exec"), scope)


SCRIPT = """
import softcount as sc

hmm: sc.HMM = sc.HMM(3, criterion="vb:2").fit(["a b", "b a"])
tags: list[list[int | str]] = hmm.predict(["a b"])
tops: dict[int | str, list[tuple[str, float]]] = hmm.top_words(2)
nats: float = hmm.score(["a b"])
low: float = sc.evaluate.measure_links([[(0, 0)]], [[(0, 0)]])["aer"].low
links = sc.WordAligner().fit(["a"], ["b"]).align(["a"], ["b"])
again: sc.HMM = sc.HMM.load("tags.model")
reveal_type(hmm.sample(1))
"""
WRONG = """
import softcount as sc

sc.HMM([3])
sc.HMM(3, tolerance="x")
sc.PLSA(2).fit(["a b"], sample_wieght=[1])
words: int = sc.HMM(2).fit(["a"]).predict(["a"])
sc.no_such_thing()
"""


@pytest.mark.thorough
def test_a_type_checker_reads_a_users_script(tmp_path: Path) -> None:
    """As users have it: without the sources' own settings; types of the package are followed, not reported on."""
    pytest.importorskip("mypy")
    files = {"right": tmp_path / "right.py", "wrong": tmp_path / "wrong.py"}
    files["right"].write_text(SCRIPT)
    files["wrong"].write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--config-file", "", "--follow-imports=silent", "--ignore-missing-imports"]
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "users"), *map(str, files.values())]
    environment = {"PATH": "/usr/bin:/bin", "MYPYPATH": str(ROOT / "src")}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    errors = [line for line in ran.stdout.splitlines() if "error:" in line]
    assert len(errors) == 5 and all(line.startswith("wrong.py") for line in errors), ran.stdout + ran.stderr
    assert "list[list[str]]" in ran.stdout
