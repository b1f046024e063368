"""Tags as they are written (CoNLL-U as it came, TSV, word/TAG), named, and beside another labelling."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas
import pytest
from command import refused, run

from softcount import read
from softcount.report.label_table import cross_table, distribution_lines, many_to_one_map

CONLLU = (
    "# sent_id = a\n# text = Vámonos al mar\n"
    "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_\n2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\tA=b\n"
    "3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_\n4\tel\tel\tDET\tD\t_\t5\tdet\t_\tClass=old|SpaceAfter=No\n"
    "4.1\tgran\tgran\tADJ\t_\t_\t_\t_\t5:amod\t_\n5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\t_\n\n"
    "# another\n1\tel\tel\tDET\tD\t_\t2\tdet\t_\t_\n2\tmar\tmar\tNOUN\tN\t_\t0\troot\t_\t_\n\n"
)
TRAIN = "--states 2 -q --criterion em:2 --format conllu --column none"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.conllu").write_text(CONLLU)
    Path("text").write_text('the "cat" sat\n\na/b =1+1\n')


def tags(line):
    ran = run(line)
    assert ran.code == 0, ran.err
    return ran.out


def words(text):
    return [row.split("\t") for row in text.splitlines() if row.split("\t")[0].isdigit()]


@pytest.mark.parametrize("column,place", [("xpos", 4), ("upos", 3), ("misc", 9)])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_conllu_comes_back_as_it_came(column, place, ends):
    Path("x.conllu").write_bytes(CONLLU.replace("\n", ends).encode())
    found = [tag for row in tags(f"tag x.conllu {TRAIN}").splitlines() for tag in row.split()]
    out = tags(f"tag x.conllu {TRAIN} --output conllu --output-column {column}")
    before, after = CONLLU.split("\n"), out.replace(ends, "\n").split("\n")
    assert out.count(ends) == CONLLU.count("\n") and len(before) == len(after)
    put = iter(found)
    for old, new in zip(before, after, strict=True):
        if not old.split("\t")[0].isdigit():
            assert old == new
            continue
        old, new = old.split("\t"), new.split("\t")
        assert [c for k, c in enumerate(old) if k != place] == [c for k, c in enumerate(new) if k != place]
        assert next(put) == (new[place] if column != "misc" else dict(i.split("=") for i in new[9].split("|"))["Class"])
    assert next(put, None) is None
    if column == "misc":
        assert [row[9].split("|")[:-1] for row in words(out.replace(ends, "\n"))][1:4] == [
            ["A=b"],
            [],
            ["SpaceAfter=No"],
        ]


@pytest.mark.parametrize("column,place", [("upos", 3), ("xpos", 4)])
def test_tags_return_to_the_column_that_they_were_read_from(column, place):
    """Of the text, or of labelled sentences beside it; and so they do when the model is applied."""
    Path("new.conllu").write_text("1\tel\t_\t_\t_\t_\t_\t_\t_\t_\n2\tmar\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    known = {"upos": ["DET", "NOUN"], "xpos": ["D", "N"]}[column]
    written = f"--column {column} --output conllu -q --criterion em:2"
    whole = words(tags(f"tag x.conllu --save tags.model {written}"))
    for row, before in zip(whole, words(CONLLU), strict=True):
        assert before[place] in ("_", row[place]) and row[7 - place] == before[7 - place]
    for line in (
        "tag new.conllu --apply tags.model --output conllu -q",
        f"tag new.conllu --labelled x.conllu {written}",
        f"tag new.conllu --start x.conllu {written}",
    ):
        rows = words(tags(line))
        assert [row[place] for row in rows] == known and {row[7 - place] for row in rows} == {"_"}, line
    elsewhere = words(tags("tag new.conllu --apply tags.model --output conllu -q --output-column misc"))
    assert all(row[place] == "_" and row[9].startswith("Class=") for row in elsewhere)
    unnamed = words(tags(f"tag new.conllu {TRAIN} --output conllu"))
    assert [row[3] for row in unnamed] == ["_", "_"] and all(row[4].isdigit() for row in unnamed), "no universal tags"
    untagged = words(tags("tag new.conllu --states 2 -q --criterion em:2 --output conllu"))
    assert [row[3:5] for row in untagged] == [row[3:5] for row in unnamed]


def test_a_column_that_is_not_read_is_not_remarked_on():
    assert "known tag" not in run(f"tag x.conllu {TRAIN.replace(' -q', '')} --verbose").err
    assert "have a known tag" in run("tag x.conllu --criterion em:2 --verbose").err


def test_conllu_is_read_by_its_standard_parser():
    conllu = pytest.importorskip("conllu")
    out = conllu.parse(tags(f"tag x.conllu {TRAIN} --output conllu --output-column misc"))
    for mine, theirs in zip(out, conllu.parse(CONLLU), strict=True):
        assert mine.metadata == theirs.metadata and [t["id"] for t in mine] == [t["id"] for t in theirs]
        assert [t["form"] for t in mine] == [t["form"] for t in theirs]
        assert all("Class" in t["misc"] for t in mine if isinstance(t["id"], int))


def test_other_text_as_conllu_and_back():
    out = tags("tag text --states 2 -q --criterion em:2 --output conllu")
    Path("new.conllu").write_text(out)
    data = read("new.conllu", column="xpos")
    assert [data.tokens(s) for s in range(len(data))] == [["the", '"cat"', "sat"], ["a/b", "=1+1"]]
    assert [" ".join(data.tags(s)) for s in (0, 1)] == [
        t for t in tags("tag text --states 2 -q --criterion em:2").split("\n") if t
    ]


def test_tagged_text_and_tsv_come_back():
    plain = tags("tag text --states 2 -q --criterion em:2")
    Path("tagged").write_text(tags("tag text --states 2 -q --criterion em:2 --output tagged"))
    data = read("tagged", format="tagged")
    assert "".join(" ".join(data.tags(s)) + "\n" for s in range(3)) == plain and data.tokens(2) == ["a/b", "=1+1"]
    text = tags("tag text --states 2 -q --criterion em:2 --output tsv")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))
    assert rows[0] == ["sentence", "word", "tag"] and [r[1] for r in rows[1:]] == ["the", '"cat"', "sat", "a/b", "=1+1"]
    table = pandas.read_csv(io.StringIO(text), sep="\t", keep_default_na=False)
    assert table["word"].tolist() == [r[1] for r in rows[1:]] and table["sentence"].tolist() == [1, 1, 1, 3, 3]
    assert " ".join(map(str, table["tag"])) == plain.replace("\n", " ").replace("  ", " ").strip()


def test_show_and_standard_input():
    assert tags("tag text --states 2 -q --criterion em:2 --show") == tags(
        "tag text --states 2 -q --criterion em:2 --output tagged"
    )
    ran = run(f"tag - {TRAIN} --output conllu", CONLLU.encode())
    assert ran.out == tags(f"tag x.conllu {TRAIN} --output conllu")


def test_names_from_the_many_to_one_map():
    Path("gold").write_text("D N V\n\nD N D\n")
    Path("found").write_text("0 1 1\n\n0 2 2\n")
    scores = json.loads(tags("score tags gold found --map map.tsv --json"))
    assert scores["map"] == {"0": "D", "1": "N", "2": "D"} and scores["many_to_one"] == pytest.approx(4 / 6)
    assert Path("map.tsv").read_text().splitlines()[:2] == ["class\tname\ttokens\tshare", "0\tD\t2\t1"]
    plain = tags("tag text --states 3 -q --criterion em:2").split()
    named = tags("tag text --states 3 -q --criterion em:2 --names map.tsv").split()
    assert named == [{"0": "D", "1": "N", "2": "D"}[tag] for tag in plain]
    assert "N" in tags("score tags gold found --table") and "share" in tags("score tags gold found --table")


def test_gold_tags_may_be_those_of_conllu():
    """As good as the same tags line by line; a file of words only has none to score."""
    Path("gold.conllu").write_text(CONLLU)
    Path("gold").write_text("".join(" ".join(block) + "\n" for block in _upos(CONLLU)))
    found = "".join(" ".join(str(i % 2) for i in range(len(block))) + "\n" for block in _upos(CONLLU))
    Path("found").write_text(found)
    lines, blocks = (json.loads(tags(f"score tags {gold} found --json")) for gold in ("gold", "gold.conllu"))
    assert blocks == lines and lines["tokens"] == sum(tag != "_" for block in _upos(CONLLU) for tag in block)


def _upos(text: str) -> list[list[str]]:
    """Column 4 of each word, sentence by sentence."""
    sentences = ([line.split("\t") for line in block.splitlines()] for block in text.strip().split("\n\n"))
    return [[row[3] for row in rows if row[0].isdigit()] for rows in sentences]


def test_tables_and_bars():
    table = np.array([[3, 0, 1], [0, 2, 2]])
    assert [tuple(row[:3]) for row in many_to_one_map(table, ["A", "B"], ["x", "y", "z"])] == [
        ("x", "A", 3),
        ("y", "B", 2),
        ("z", "B", 3),
    ]
    header, rows = cross_table(table, ["A", "B"], ["x", "y", "z"])
    assert header == ["", "x", "z", "y"] and rows == [["A", "3", "1", "·"], ["B", "·", "2", "2"]]
    lines = list(distribution_lines({"gold": (["A", "B"], np.array([2, 1]))}))
    assert [line.index("|") for line in lines[1:3]] == [53, 33], "two to one is Zipf's law of two"
    Path("gold").write_text("D N V\n")
    assert "Zipf" in tags("score tags gold gold --bars") and "█" in tags("score tags gold gold --bars")


def test_a_column_of_a_text_that_has_none_is_noted():
    line = "tag text --states 2 --criterion em:2"
    noted = "note: --column has no effect if the text is not CoNLL-U"
    assert noted in run(f"{line} --column xpos").said and noted not in run(line).said
    assert noted not in run("tag x.conllu --states 2 --criterion em:2 --column none").said
    Path("by-content").write_text(CONLLU)
    assert noted not in run("tag by-content --criterion em:2 --column upos").said


def test_bad_names_and_outputs():
    refused(run("tag text --states 2 --output xml"), "--output 'xml': unknown; use lines, conllu, tsv, tagged")
    refused(
        run("tag text --states 2 --output conllu --output-column feats"),
        "column 'feats': unknown; use upos, xpos, misc",
    )
    Path("a").write_text("0 N\n")
    refused(run("tag text --states 2 --names a"), "a:1: '0 N' is not a name; write class<TAB>name")
    Path("b").write_text("0\tN\n0\tV\n")
    refused(run("tag text --states 2 --names b"), "b:2: class '0' already has a name; remove one of them")
    Path("c").write_text("0\tproper noun\n")
    refused(run("tag text --states 2 --names c"), "c:1: the name 'proper noun' contains a space; write it as one word")
