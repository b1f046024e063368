"""Tables of measurements: benches keep them as data, pages show what is kept, and no figure is typed by hand."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parent.parent / "bench"
FIGURE = re.compile(r"\|\s*\**[−-]?\d*\.\d+\b[^|`]*\|")  # a cell that begins with a decimal fraction

SAID = re.compile(
    r"(?<![\w.,])(?<!/ )(0?\.[1-9]\d\d|\d+(\.\d+)?( ?%| (points|CPU s|CPU seconds|times (less|more|as|the|its))))(?!\d)"
)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    import measured

    yield measured
    for name in ("measured", "corpora"):
        sys.modules.pop(name, None)


def test_pages_show_what_is_kept(measured: Any) -> None:
    pages = measured.pages()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text == measured.page(text), f"{page.name} is not what docs/data has; run python bench/measured.py"


def test_every_table_that_is_kept_is_shown_and_says_where_it_comes_from(measured: Any) -> None:
    shown = set(re.findall(r"<!-- table (\S+)", "".join(p.read_text(encoding="utf-8") for p in measured.pages())))
    kept = {path.stem: measured.read(path) for path in measured.DATA.glob("*.json")}
    assert set(kept) == shown
    for name, table in kept.items():
        for row in table["rows"]:
            assert len(row["cells"]) == len(table["columns"]), name
            by_hand = re.fullmatch(r"\d{4}-\d\d-\d\d", row.get(measured.BY_HAND, ""))
            assert row["command"].startswith("python bench/") or (by_hand and not row["command"]), name
            assert not row["command"] or (BENCH.parent / row["command"].split()[1]).exists(), name
            assert re.match(r"\d+\.\d+", row["softcount"]) and "cores" in row["machine"], name


def test_a_run_replaces_its_own_rows_and_leaves_the_others(measured: Any, tmp_path: Path) -> None:
    columns = {"tool": "", "CPU s": ".2f", "pairs": ","}
    before = measured.Measured("speed", columns, folder=tmp_path)
    before.run = {"command": "python bench/old.py", "softcount": "0.1.0", "machine": "1 core"}
    before.add("ours", 1.23456789, 12000)
    before.add("theirs", 9.5, None)
    now = measured.Measured("speed", columns, folder=tmp_path)
    now.run = {"command": "python bench/new.py", "softcount": "0.2.0", "machine": "2 cores"}
    now.add("ours", -0.5, 1500)
    assert measured.rendered("speed", folder=tmp_path).splitlines() == [
        "| tool | CPU s | pairs |",
        "|---|---|---|",
        "| ours | −0.50 | 1,500 |",
        "| theirs | 9.50 | – |",
        "",
        "- ours: `python bench/new.py`, softcount 0.2.0; 2 cores.",
        "- theirs: `python bench/old.py`, softcount 0.1.0; 1 core.",
    ]


def test_what_was_written_down_before_says_so_until_it_is_measured(measured: Any, tmp_path: Path) -> None:
    old = {
        "cells": ["ours", 1],
        "command": "",
        "softcount": "0.1.0",
        "machine": "2 cores",
        measured.BY_HAND: "2026-11-16",
    }
    (tmp_path / "speed.json").write_text(json.dumps({"columns": {"tool": "", "s": ""}, "rows": [old]}))
    said = "The record of a trial on 2026-11-16, which no bench repeats: softcount 0.1.0; 2 cores."
    assert measured.rendered("speed", folder=tmp_path).splitlines()[-1] == said
    measured.Measured("speed", {"tool": "", "s": ""}, folder=tmp_path).add("ours", 2)
    assert "written down" not in measured.rendered("speed", folder=tmp_path)


def test_no_page_has_a_table_of_figures_by_hand(measured: Any) -> None:
    """A table in which a cell is a measured number, outside the marks, would be one that nobody can write anew."""
    for path in (*measured.DOCS.rglob("*.md"), measured.DOCS.parent / "README.md"):
        rest = measured.FIGURE.sub("", measured.MARKED.sub("", path.read_text(encoding="utf-8")))
        figures = [line for line in rest.splitlines() if line.startswith("|") and FIGURE.search(line)]
        assert not figures, f"{path.name}: keep this row in docs/data, see bench/measured.py: {figures[0]}"


def test_no_sentence_has_a_measured_figure_by_hand(measured: Any) -> None:
    """A score in three digits, a per cent, points, CPU seconds or a ratio in a sentence comes from docs/data as well.
    Pages that follow a published text may quote its figures, and work out its examples."""
    texts = measured.DOCS / "background" / "reproductions"
    for path in (*measured.DOCS.rglob("*.md"), measured.DOCS.parent / "README.md"):
        if texts not in path.parents:
            typed = [line for line in _prose(measured, path.read_text(encoding="utf-8")) if SAID.search(line)]
            assert not typed, f"{path.name}: say <!-- figure … --> before it, see bench/measured.py: {typed[0]}"
    asked = {"it has .897 of": True, "by 2.5 points": True, "n / 2 times the": False, "with .01": False}
    assert {line: SAID.search(line) is not None for line in asked} == asked


def _prose(measured: Any, text: str) -> list[str]:
    """Its sentences: no tables, no code, no formulas, nothing that is kept."""
    text = measured.FIGURE.sub("", measured.MARKED.sub("", text))
    text = re.sub(r"`[^`]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return [line for line in text.splitlines() if not line.startswith(("|", "    "))]


def test_sentences_say_what_is_kept(measured: Any, tmp_path: Path) -> None:
    table = measured.Measured("links", {"text": "", "tool": "", "AER": "", "pairs": ","}, keys=2, folder=tmp_path)
    table.add("en-fr", "ours, best", "0.3", 1)
    table.add("en-fr", "ours", "0.4912 ±0.1", 12000)
    asked = {"en-fr, ours; AER; .2f bare": ".49", "en-fr, ours; pairs; ,.0f": "12,000", "en-fr; AER; .1f": "0.3"}
    text = "\n".join(f"<!-- figure links; {what} -->stale<!-- end -->" for what in asked)
    assert re.sub("<!--.*?-->", "", measured.page(text, tmp_path)).split("\n") == list(asked.values())


def test_a_table_of_another_shape_is_measured_anew(measured: Any, tmp_path: Path) -> None:
    measured.Measured("speed", {"tool": "", "s": ""}, folder=tmp_path).add("ours", 1)
    measured.Measured("speed", {"tool": "", "ms": ""}, folder=tmp_path).add("theirs", 2)
    assert [row["cells"] for row in measured.read(tmp_path / "speed.json")["rows"]] == [["theirs", 2]]


def test_a_long_table_is_turned_around(measured: Any, tmp_path: Path) -> None:
    table = measured.Measured("links", {"text": "", "tool": "", "AER": ".1f"}, keys=2, folder=tmp_path)
    for row in (("en-fr", "ours", 4.91), ("en-fr", "theirs", 7.7), ("en-es", "ours", 22.4)):
        table.add(*row)
    text = "before\n<!-- table links rows=tool columns=text cell=AER -->\nstale\n<!-- end of table -->\nafter\n"
    lines = measured.page(text, tmp_path).splitlines()
    assert lines[3:7] == ["|  | en-fr | en-es |", "|---|---|---|", "| ours | 4.9 | 22.4 |", "| theirs | 7.7 | – |"]
    assert (lines[0], lines[-2], lines[-1]) == ("before", "<!-- end of table -->", "after") and "stale" not in lines


def test_a_table_that_is_turned_may_have_a_column_for_every_two_names_and_its_origins_below(
    measured: Any, tmp_path: Path
) -> None:
    table = measured.Measured("tags", {"text": "", "method": "", "start": "", "score": ".2f"}, keys=3, folder=tmp_path)
    for row in (("wsj", "EM", "random", 0.5), ("wsj", "EM", "classes", 0.8), ("ewt", "MRE", "random", 0.6)):
        table.add(*row)
    asked = "table tags rows=method columns=text, start cell=score"
    turned = measured.page(f"<!-- {asked} origins=below -->\n<!-- end of table -->\n", tmp_path)
    assert [line for line in turned.splitlines() if line][1:-1] == [
        "|  | wsj, random | wsj, classes | ewt, random |",
        "|---|---|---|---|",
        "| EM | 0.50 | 0.80 | – |",
        "| MRE | – | – | 0.60 |",
    ]
    table.add("ewt", "EM", "random", "0.5512 ± 0.0100")
    assert "| EM | .50 | .80 | .55 |" in measured.page(
        f"<!-- {asked} form=.2f bare -->\n<!-- end of table -->\n", tmp_path
    )
    assert "softcount" in measured.page(f"<!-- {asked} -->\n<!-- end of table -->\n", tmp_path)


def test_nothing_is_written_unless_it_is_asked_for(measured: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(measured, "DATA", tmp_path)
    monkeypatch.delenv("SOFTCOUNT_WRITE", raising=False)
    measured.Measured("speed", {"tool": ""}).add("ours")
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("SOFTCOUNT_WRITE", "1")
    measured.Measured("speed", {"tool": ""}).add("ours")
    assert [path.name for path in tmp_path.iterdir()] == ["speed.json"]


def test_a_figure_that_cannot_be_looked_up_is_an_error(measured: Any, tmp_path: Path) -> None:
    """A name with a > in it left the mark unread, and the page with the number that stood there."""
    table = measured.Measured("speed", {"tool": "", "perplexity, <unk> too": ".1f"}, folder=tmp_path)
    table.add("ours", 280.14)
    table.add("theirs", None)

    def said(what: str, end: str = "<!-- end -->") -> str:
        return str(measured.page(f"<!-- figure speed; {what} -->0{end}", tmp_path))

    assert said("ours; perplexity, <unk> too; .1f") == (
        "<!-- figure speed; ours; perplexity, <unk> too; .1f -->280.1<!-- end -->"
    )
    for what in ("nobody; perplexity, <unk> too; .1f", "ours; perplexity; .1f", "theirs; perplexity, <unk> too; .1f"):
        with pytest.raises(LookupError):
            said(what)
    with pytest.raises(LookupError, match="without its end"):
        said("ours; perplexity, <unk> too; .1f", end="")
