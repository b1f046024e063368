"""What is written comes back: tables by pandas, polars and csv, TBX by lxml, whatever the words contain."""

import csv
import io
from pathlib import Path

import pandas
import pytest
from command import run

import softcount
from softcount.report.tsv import Number, spreadsheet_lines, tsv_lines

WORDS = ["=1+1", "+1", "-2", "@x", '"', 'a"b', "'", ",", ";", "a,b", "007", "3-4", "1e5", "TRUE", "null", "NA", "nan",
         "#", "é", "猫", "\\t", "&<>", "a\u2028b", "x\u0085y"]  # fmt: skip
BREAKS = ["a\tb", "a\nb", "a\rb", "a\r\nb", " a ", ""]


def by_csv(text, mark="\t"):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))


def by_pandas(text, mark="\t"):
    table = pandas.read_csv(io.StringIO(text, newline=""), sep=mark, keep_default_na=False, dtype=str)
    return [list(table), *table.to_numpy().tolist()]


def by_polars(text, mark="\t"):
    polars = pytest.importorskip("polars")
    table = polars.read_csv(text.encode(), separator=mark, infer_schema=False)
    return [table.columns, *([cell or "" for cell in row] for row in table.rows())]


READERS = [by_csv, by_pandas, by_polars]


@pytest.mark.parametrize("read", READERS)
def test_cells_of_any_content(read):
    rows = [[word, other] for word in WORDS + BREAKS for other in (word, "x")]
    header = ["=head", "a \t tab"]
    assert read("".join(tsv_lines(header, rows))) == [header, *rows]


def test_a_column_alone_may_be_empty():
    assert by_csv("".join(tsv_lines(["a"], [[""], [None], ["x"]]))) == [["a"], [""], [""], ["x"]]


def excel(text):
    """What a spreadsheet makes of a cell: a formula has the value of the text in it."""
    assert not text.startswith(("=", "+", "-", "@")) or (text.startswith('="') and text.endswith('"'))
    return text[2:-1].replace('""', '"') if text.startswith("=") else text


def test_a_spreadsheet_computes_no_word():
    text = "".join(spreadsheet_lines(["word", "=n"], [[word, Number("1.5")] for word in WORDS]))
    assert text.startswith("\ufeff") and "\r\n" in text
    rows = by_csv(text.removeprefix("\ufeff"), ",")
    assert [[excel(cell) for cell in row] for row in rows] == [["word", "=n"], *([word, "1.5"] for word in WORDS)]
    plain = [row[0] for row in rows[1:] if not row[0].startswith("=")]
    assert all(word[0].isalpha() and not any(c.isdigit() for c in word) for word in plain), "or it is converted"
    assert "TRUE" not in plain and "NA" in plain


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models of these words, each word of one letter or sign more in its own place."""
    folder = tmp_path_factory.mktemp("words")
    words = [word for word in WORDS if word == "".join(word.split())]
    lines = [f"{a} {b}" for a, b in zip(words, words[1:] + words[:1], strict=True)]
    softcount.HMM(2, criterion="em:1", random_state=0).fit(lines).save(folder / "tag.model")
    softcount.PLSA(2, criterion="em:1", random_state=0).fit(lines).save(folder / "topics.model")
    (folder / "a").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        line = "align a a --model ibm1 --criterion em:2 --no-lowercase -q"
        ran = run(f"{line} --save align.model --lexicon l.tsv --lexicon-min 0")
    assert ran.code == 0, ran.err
    return folder, set(words)


@pytest.mark.parametrize("read", READERS)
def test_exported_words_come_back(models, read, tmp_path):
    folder, words = models
    for name, table, columns in (("tag", "emission", 1), ("topics", "word", 1), ("align", "translation_forward", 2)):
        assert run(f"export {folder}/{name}.model --to {tmp_path} -q").code == 0
        found = read((tmp_path / f"{table}.tsv").read_bytes().decode())
        for column in range(columns):
            assert {row[column] for row in found[1:]} - {"<null>"} == words
        assert all(float(row[-1]) >= 0.0 for row in found[1:])
    found = read((folder / "l.tsv").read_bytes().decode())
    assert found[0] == ["source", "target", "p_target", "p_source"]
    assert {row[0] for row in found[1:]} == words


@pytest.mark.parametrize("read", READERS)
def test_classes_and_predictions_come_back(models, read, monkeypatch):
    folder, words = models
    monkeypatch.chdir(folder)
    out = run("classes a --classes 2 -q").out
    assert {row[0] for row in read("word\tclass\tcount\tconfidence\n" + out)[1:]} == words
    values = sorted(words | {"a\rb", "a\nb", "a,b"})
    pandas.DataFrame({"a": values, "b": ["1"] * len(values)}).to_parquet("rows.parquet")
    assert run("net 'a -> b' rows.parquet -q --predict out.csv").code == 0
    assert [row[0] for row in read(Path("out.csv").read_bytes().decode(), ",")[1:]] == values


def test_exported_for_spreadsheets(models, tmp_path):
    folder, words = models
    assert run(f"export {folder}/topics.model --to {tmp_path} -q --format excel").code == 0
    rows = by_csv((tmp_path / "word.csv").read_text(encoding="utf-8-sig"), ",")
    assert {excel(row[0]) for row in rows[1:]} == words and all(float(row[1]) >= 0.0 for row in rows[1:])


def test_glossaries_come_back(models, monkeypatch):
    folder, words = models
    monkeypatch.chdir(folder)
    for read in READERS:
        rows = read(run("glossary align.model a a -q").out)
        assert rows[0] == ["source", "target", "links", "share", "p_target", "p_source"]
        assert {row[0] for row in rows[1:]} <= words and len(rows) > 3
    sheet = run("glossary align.model a a -q --output excel").out.removeprefix("\ufeff")
    assert [excel(row[0]) for row in by_csv(sheet, ",")[1:]] == [row[0] for row in rows[1:]]
    etree = pytest.importorskip("lxml.etree")
    tree = etree.fromstring(run("glossary align.model a a -q --output tbx").out.encode())
    terms = [term.text for term in tree.iter("{*}term")]
    assert terms[::2] == [row[0] for row in rows[1:]] and terms[1::2] == [row[1] for row in rows[1:]]


def test_pairs_of_a_file_that_lxml_writes_come_back(tmp_path, monkeypatch):
    """And the pairs that are written are read again, by us and by others who leave quotation marks alone."""
    etree = pytest.importorskip("lxml.etree")
    monkeypatch.chdir(tmp_path)
    words = [word for word in WORDS if word == "".join(word.split())]
    tmx = etree.Element("tmx", version="1.4")
    body = etree.SubElement(tmx, "body")
    for word in words:
        unit = etree.SubElement(body, "tu")
        for language, text in (("fr", f"{word} la"), ("en", f"{word} the")):
            tuv = etree.SubElement(unit, "tuv", {"{http://www.w3.org/XML/1998/namespace}lang": language})
            segment = etree.SubElement(tuv, "seg")
            segment.text = text
            etree.SubElement(segment, "ph").text = "code"
    etree.ElementTree(tmx).write("x.tmx", encoding="utf-16", xml_declaration=True)
    ran = run("align x.tmx --source-language en --pairs p.tsv -q --model ibm1")
    assert ran.code == 0, ran.err
    wanted = [[f"{word} the", f"{word} la"] for word in words]
    with Path("p.tsv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)) == wanted
    assert run("align p.tsv -q --model ibm1").out == ran.out
