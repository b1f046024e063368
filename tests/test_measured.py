"""Tables of measurements: benches keep them as data, pages show what is kept, and no figure is typed by hand."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parent.parent / "bench"


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
            assert row["command"].startswith("python bench/"), name
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


def test_nothing_is_written_unless_it_is_asked_for(measured: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(measured, "DATA", tmp_path)
    monkeypatch.delenv("SOFTCOUNT_WRITE", raising=False)
    measured.Measured("speed", {"tool": ""}).add("ours")
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("SOFTCOUNT_WRITE", "1")
    measured.Measured("speed", {"tool": ""}).add("ours")
    assert [path.name for path in tmp_path.iterdir()] == ["speed.json"]
