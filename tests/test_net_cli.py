"""softcount net on the command line: learned, asked, scored, applied, written; and the picture in the terminal."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
from command import run
from test_network import CHAIN, DAY, DIARY, OVER_TIME, day, diary_by_hand, rows

from softcount.report.network import dot, picture
from softcount.text.structure import structure


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("T.json").write_text(json.dumps(DAY))
    Path("D.json").write_text(json.dumps(DIARY))
    data = rows(60)
    with open("days.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["weather", "late"])
        writer.writerows(zip(data["weather"], data["late"], strict=True))
    Path("diary.csv").write_text("late\nyes\nyes\nno\n")
    return tmp_path


def test_asked_without_data(folder: Path) -> None:
    ran = run(f'net "{CHAIN}" --start T.json --query "late | weather=rainy, traffic=normal" --json -q')
    assert ran.code == 0 and json.loads(ran.out) == {"late": {"yes": pytest.approx(0.1), "no": pytest.approx(0.9)}}
    assert run(f'net "{CHAIN}" --start T.json --query "late | weather=rainy" -q').out == "yes\t0.54\nno\t0.46\n"
    both = run(f'net "{CHAIN}" --start T.json --query "late, traffic | weather=rainy" -q').out.splitlines()
    assert both[0] == "late\tyes\t0.54" and both[2] == "traffic\tnormal\t0.2"


def test_rows_and_sequences_are_scored(folder: Path) -> None:
    ran = run(f'net "{OVER_TIME}" --start D.json --score diary.csv --json -q')
    content, total = json.loads(ran.out), diary_by_hand(["yes", "yes", "no"])[0]
    assert content.keys() == {"log_likelihood", "per_row"} and len(content["per_row"]) == 1
    assert abs(content["log_likelihood"] - math.log(total)) < 1e-12
    lines = run(f'net "{CHAIN}" --start T.json --score diary.csv -q').out.splitlines()
    assert [round(math.exp(float(line)), 8) for line in lines] == [0.2455, 0.2455, 0.7545]


def test_explain_shows_every_number(folder: Path) -> None:
    content = json.loads(run(f'explain net "{OVER_TIME}" D.json diary.csv --json').out)
    total, weather, _, counts = diary_by_hand(["yes", "yes", "no"])
    assert abs(math.exp(content["log_likelihood"]) - total) < 1e-12
    assert abs(content["rows"][1]["weather"]["sunny"] - weather[1, 0]) < 1e-12
    for table, given in counts.items():
        for words, row in given.items():
            for value, count in row.items():
                assert abs(content["counts"][table][words][value] - count) < 1e-12
                assert abs(content["updated"][table][words][value] - count / sum(row.values())) < 1e-12
    shown = run(f'explain net "{OVER_TIME}" D.json diary.csv').out
    assert f"P(sequence 1) = {total:.10g}" in shown and "0.746096" in shown


def test_learned_saved_applied_and_written(folder: Path) -> None:
    learn = f'net "{CHAIN}" days.csv --values traffic=2 --criterion em:5 --verbose'
    ran = run(f"{learn} --save m --parameters out.json --predict out.csv --bif out.bif --dot out.dot --report p.html")
    assert ran.code == 0, ran.err
    tables = json.loads(Path("out.json").read_text())
    table, given, value, p = ran.out.splitlines()[-1].split("\t")
    assert tables[table][given][value] == pytest.approx(float(p), rel=1e-5)
    assert ran.said[:3] == ["weather ──┐", "traffic ◂─┴─┐    (hidden)", "late ◂──────┘"]
    content = json.loads(run(f"{learn} --json -q").out)
    assert content.keys() == {"log_likelihood", "rows", "tables", "signature"} and content["tables"] == tables
    applied = run("net days.csv --apply m -q")
    assert applied.out == Path("out.csv").read_text() and applied.out.startswith("weather,traffic,late\n")
    again = run(f'net "{CHAIN}" --start out.json --score days.csv --json -q')
    assert json.loads(again.out)["log_likelihood"] == pytest.approx(content["log_likelihood"], rel=1e-9)
    assert json.loads(run("net out.bif --score days.csv --json -q").out) == json.loads(again.out)
    assert (
        '"traffic" -> "late"' in Path("out.dot").read_text()
        and "Dependencies between variables" in Path("p.html").read_text()
    )
    told = run('net "late -> weather" days.csv --apply m')
    assert any("SPEC is ignored" in line for line in told.said)


def test_what_is_probably_not_meant_is_noted(folder: Path) -> None:
    said = run('net "weather -> late" days.csv --sequence weather --criterion em:1').said
    assert any("--sequence has no effect in a network without arcs from the previous row" in line for line in said)
    said = run('net "late" days.csv --criterion em:1').said
    assert any("columns not in the network are ignored: weather" in line for line in said)
    said = run('net "late@-1 -> late" days.csv --criterion em:1').said
    assert any("all 60 rows are one sequence" in line for line in said)


def test_pictures() -> None:
    found = structure("rain -> wet; sprinkler -> wet; wet -> slip; rain -> slip; rain@-1 -> rain")
    assert picture(found, ("wet",)) == [
        "rain ───────┐        after rain@-1   (hidden)",
        "sprinkler ──│─┐      (hidden)",
        "wet ◂───────┼─┴─┐",
        "slip ◂──────┴───┘    (hidden)",
    ]
    assert '"rain" -> "rain" [style=dashed];' in dot(found) and day().to_dot().count("->") == 2


def test_names_and_columns_that_may_not_be_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("days.csv").write_text("Weather,late,age\n" + "".join(f"sun,no,{n}\nrain,yes,{n % 9}\n" for n in range(30)))
    hidden = "warning: days.csv: 'wether' is hidden, and the column 'Weather' is ignored; correct the name"
    assert hidden in run("net 'wether -> late' days.csv --values wether=2 --criterion em:1").err
    assert hidden not in run("net 'wether -> late, Weather' days.csv --values wether=2 --criterion em:1").err
    many = "warning: days.csv: 'age' has 30 different numbers in 60 rows; each is a category of its own"
    said = run("net 'age -> late' days.csv --criterion em:1").said
    assert [line.partition("; divide them into intervals")[0] for line in said if line.startswith("warning")] == [many]
    declared = "net 'age -> late' days.csv --criterion em:1 --values age=" + ",".join(map(str, range(30)))
    assert not [line for line in run(declared).said if line.startswith("warning")]
