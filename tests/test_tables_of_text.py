"""Text in columns of CSV, TSV, Parquet and Arrow files; documents that have names, and results beside them."""

import csv
import gzip
import html
import json
from pathlib import Path

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import refused, run

import softcount
from softcount import InputError
from softcount.text.document_reader import read_documents
from softcount.text.labelled import read_labelled
from softcount.text.reader import read

BODIES = ["sea ship sea", 'law, "court" law\nof the court', "ship sea\tship", "court law law", ""]
NAMES = ["=1+1", 'a "b"', "c,d", "é", "tab\there"]
PLAIN = [" ".join(body.split()) for body in BODIES]


def written(path, **columns):
    """A table of these columns in the form that the file's name says."""
    table = pa.table(columns)
    if path.endswith(".parquet"):
        pq.write_table(table, path)
    elif path.endswith(".feather"):
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    elif path.endswith(".arrow"):
        with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        mark = {".tsv": "\t", ".csv": ","}.get(Path(path.removesuffix(".gz")).suffix, ";")
        text = table.to_pandas().to_csv(sep=mark, index=False)
        Path(path).write_bytes(gzip.compress(text.encode()) if path.endswith(".gz") else text.encode())
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lines").write_text("".join(f"{body}\n" for body in PLAIN))


FILES = ["x.csv", "x.tsv", "x.csv.gz", "semicolons", "x.parquet", "x.feather", "x.arrow"]


@pytest.mark.parametrize("path", FILES)
def test_documents_are_those_of_the_same_lines(path):
    written(path, id=NAMES, number=[1, 2, 3, 4, 5], body=BODIES)
    data = read_documents(path, text_column="body", id_column="id")
    assert data.names == tuple(NAMES) and data.digest() == read_documents("lines").digest()
    assert read_documents(path, text_column="body", id_column="number").names == ("1", "2", "3", "4", "5")
    text = read(path, text_column="body")
    assert [" ".join(text.tokens(s)) for s in range(5)] == PLAIN


def test_clusters_and_topics_beside_their_names():
    written("x.csv", id=NAMES, body=BODIES)
    plain = run("cluster lines --clusters 2 -q").out.split()
    ran = run("cluster x.csv --text-column body --id-column id --clusters 2 --save m --signature long")
    rows = list(csv.reader(ran.out.splitlines(), delimiter="\t"))
    assert rows == [["document", "cluster"], *map(list, zip(NAMES, plain, strict=True))]
    assert "text_column=body id_column=id" in ran.err
    assert run("cluster x.csv --apply m -q").out == ran.out, "the columns of training"
    assert run("cluster x.csv --apply m -q --output lines").out.split() == plain
    assert run("cluster lines --apply m -q").out.split() == plain
    Path("found").write_text(ran.out)
    Path("plain").write_text("".join(f"{c}\n" for c in plain))
    assert json.loads(run("score clusters plain found --json").out)["nmi"] == pytest.approx(1.0)
    assert json.loads(run("cluster x.csv --apply m -q --json").out)["documents"] == NAMES
    assert {e for c in json.loads(run("show m x.csv --json").out)["classes"] for e in c["examples"]} <= set(NAMES)
    assert run("report m x.csv --out page.html -q").code == 0
    assert all(html.escape(name) in Path("page.html").read_text() for name in NAMES)
    line = "topics x.csv --text-column body --id-column id --topics 2 -q --rows rows.tsv --main-topics best --save t"
    assert run(line).code == 0
    table = pandas.read_csv("rows.tsv", sep="\t")
    assert table["document"].tolist() == NAMES and list(table) == ["document", "topic0", "topic1"]
    best = pandas.read_csv("best", sep="\t")
    assert best["document"].tolist() == NAMES
    top = table.drop(columns="document").to_numpy().argmax(axis=1)
    assert best["topic"].tolist()[:4] == top.tolist()[:4], "an empty document is about nothing"
    run("topics x.csv --apply t -q --rows rows.parquet")
    assert pandas.read_parquet("rows.parquet")["document"].tolist() == NAMES
    assert run("topics x.csv --apply t -q").out == Path("rows.tsv").read_text()
    found = json.loads(run("topics x.csv --apply t -q --query sea -k 1 --json").out)["similar"][0]
    assert found["name"] == NAMES[found["document"] - 1]
    assert run("score topics t x.csv --json").code == 0


@pytest.mark.parametrize("names", [("a", "b c"), ("x/a", "x/deep/b", "y/c")])
def test_folders_flat_and_in_classes_keep_names(names):
    for k, name in enumerate(names):
        path = Path("folder") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BODIES[k])
    data = read_documents("folder")
    assert data.names == names and data.classes == (("x", "y") if "/" in names[0] else ())
    out = run("cluster folder --clusters 2 -q").out.splitlines()
    assert [line.split("\t")[0] for line in out] == ["document", *names]
    assert run("topics folder --topics 2 -q --rows r.tsv").code == 0
    assert [line.split("\t")[0] for line in Path("r.tsv").read_text().splitlines()] == ["document", *names]


def test_sentences_and_pairs_of_tables():
    written("x.parquet", tokens=[["the", "dog"], ["a", "cat"]], n=[1, 2])
    Path("text").write_text("the dog\na cat\n")
    wanted = run("tag text --states 2 -q").out
    assert run("tag x.parquet --states 2 -q").out == wanted, "the only column of text"
    assert run("tag x.parquet --text-column tokens --states 2 -q --save m").out == wanted
    assert run("tag x.parquet --apply m -q").out == wanted
    assert run("classes x.parquet --classes 2 -q").out == run("classes text --classes 2 -q").out
    pairs = [{"en": "the dog", "fr": "le chien"}, {"en": "a cat", "fr": "un chat"}]
    written("p.parquet", id=["1", "2"], translation=pairs)
    Path("p.tsv").write_text("the dog\tle chien\na cat\tun chat\n")
    line = "align p.parquet --source-language en --target-language fr -q"
    assert run(f"{line} --pairs out.tsv").out == run("align p.tsv -q").out
    assert Path("out.tsv").read_text() == Path("p.tsv").read_text()
    written("two.feather", en=["the dog", "a cat"], fr=["le chien", "un chat"])
    assert run("align two.feather -q").out == run("align p.tsv -q").out
    assert run("align two.feather -q --source-language fr --pairs out.tsv").code == 0
    assert Path("out.tsv").read_text().startswith("le chien\tthe dog\n")


def test_what_cannot_be_read_is_refused():
    written("x.parquet", a=["b", None, "c"], b=["x", "y", "z"], n=[1, 2, 3])
    cases = {
        "topics x.parquet": "x.parquet: several text columns: a, b; choose one with --text-column",
        "topics x.parquet --text-column c": "x.parquet: no column 'c' for --text-column; the columns are a, b, n",
        "topics x.parquet --text-column n": "x.parquet: column 'n' has type int64, not text; choose another",
        "topics x.parquet --text-column a": "x.parquet: row 2: 'a' has None instead of a text; fill it with '' or remove the row",
        "topics x.parquet --text-column b --id-column a": "x.parquet: row 2: 'a' is empty; name every row, or omit --id-column",
        "tag x.parquet --text-column a --states 2": "x.parquet: row 2: 'a' has None instead of a text; fill it with '' or remove the row",
        "align x.parquet --only final": "x.parquet: a table has no states; omit --only",
        "align x.parquet --source-language d": "x.parquet: no text column 'd'; the text columns are a, b",
        "align x.parquet --source-language a --target-language a": "x.parquet: source and target are both 'a'; choose two columns",
        "topics lines --format lines --text-column b": "lines: read as lines, which has no columns; omit --text-column",
        "topics lines --text-column b": "lines:2: 2 cells, but the header names 1; give one per column",
        "cluster lines --clusters 2 --output xml": "--output 'xml': unknown; use auto, lines, tsv",
    }  # fmt: skip
    for line, says in cases.items():
        refused(run(line), says)
    written("t.parquet", t=[["a b"]])
    refused(run("tag t.parquet --states 2"),
            "t.parquet: row 1: the token 'a b' is empty or contains a space; write one word per token")  # fmt: skip
    Path("bad.parquet").write_bytes(b"PAR1 and no more")
    Path("bad.arrow").write_bytes(b"ARROW1\0\0")
    refused(run("topics bad.parquet"), "bad.parquet: not a Parquet file; check the path")
    refused(run("topics bad.arrow"), "bad.arrow: not an Arrow file; check the path")
    refused(run("topics none.parquet"), "none.parquet: no such file; check the path")
    written("empty.parquet", a=pa.array([], pa.string()))
    with pytest.raises(InputError, match="no rows"):
        read_documents("empty.parquet")


@pytest.mark.parametrize("command", ["topics --topics 2", "cluster --clusters 2", "tag --states 2", "classes --classes 2", "lm", "shard --out new",
                                     "shard --kind documents --out new"])  # fmt: skip
def test_a_table_is_not_read_as_lines(command):
    """Of no command that reads sentences or documents; a format that is named, or one column only, is read."""
    written("x.csv", id=NAMES[2:4], body=["sea ship", "law court"])
    name, *options = command.split()
    ran = run(" ".join([name, "x.csv", *options]))
    refused(ran, "x.csv: a table with the columns id, body; give its text column with --text-column (text_column=), or "
            "rename the file if its lines are the text")  # fmt: skip
    assert not Path("new").exists()
    assert run(" ".join([name, "x.csv", *options, "--text-column body", "-q" if name != "shard" else ""])).code == 0


def test_tables_in_step_are_not_aligned_as_lines():
    written("x.csv", id=NAMES[2:4], body=["sea ship", "law court"])
    Path("lines").write_text("id body\nmer navire\nloi cour\n")
    wanted = "write its text column to a file of lines, or rename the file if its lines are the text"
    refused(run("align x.csv lines"), f"x.csv: a table with the columns id, body; {wanted}")
    refused(run("shard lines --target x.csv --out new"), f"x.csv: a table with the columns id, body; {wanted}")


def test_lines_in_a_file_called_a_table_are_read():
    written("x.csv", id=NAMES[2:4], body=["sea ship", "law court"])
    assert len(read("x.csv", format="plain")) == 3 and len(read_documents("x.csv", format="lines")) == 3
    Path("one.csv").write_text("sea ship\nlaw court\n")
    ran = run("cluster one.csv --clusters 2")
    assert "one.csv: read as lines, although its name suggests a table; --text-column reads a column of it" in ran.err
    Path("prose.tsv").write_text("the sea\tthe ship\nthe law, the court\n")
    assert len(read("prose.tsv")) == 2  # rows of unequal lengths are no table
    for odd in ("\r\n", '"', "a\rb,c", '"a"b,c', "\ra\tb"):  # no header that a table could have
        Path("odd.csv").write_text(f"{odd}\nlaw court\n")
        assert len(read("odd.csv")) >= 1 and run("cluster odd.csv --clusters 2 --format lines").code == 0
    Path("tagged.tsv").write_text("the\tD\nsea\tN\n")
    assert read_labelled("tagged.tsv").tagset == ("D", "N")


TOOLBOX = "\\_sh v3.0  400  Text\n\n" + "".join(
    f"\\ref {i}\n\\tx wa kan\n\\mb wa ka -n\n\\ge 3 see -PST\n\\ft he saw it\n\n" for i in range(4)
)


@pytest.mark.parametrize("command", ["tag --states 2", "classes --classes 2", "lm", "shard --out new", "topics --topics 2", "cluster --clusters 2",
                                     "shard --kind documents --out new"])  # fmt: skip
def test_toolbox_files_and_points_are_not_read_as_words(command):
    Path("t.txt").write_text(TOOLBOX)
    Path("points.txt").write_text("".join(f"{i}.5 {i / 7:.3f} -{i}e-2\n" for i in range(9)))
    name, *options = command.split()
    format = "lines" if {"topics", "cluster", "documents"} & {name, *options} else "plain"
    refused(run(" ".join([name, "t.txt", *options])), "t.txt: a Toolbox (SFM) file with the markers \\_sh, \\ref, \\tx, "
            f"\\mb, …; extract one, for example with sed -n 's/^\\\\tx //p' (--format {format} reads the lines as they are)")  # fmt: skip
    refused(run(" ".join([name, "points.txt", *options])), "points.txt: 3 decimal numbers per line instead of words; cluster "
            f"points in Python with softcount.KMeans or GaussianMixture (--format {format} reads them as words)")  # fmt: skip
    assert not Path("new").exists()
    if name != "shard":
        assert run(" ".join([name, "t.txt", *options, "--format", format, "-q"])).code == 0


def test_a_short_toolbox_file_is_known_by_its_first_line():
    Path("t.txt").write_text("\\_sh v3.0  400  Text\n\\ref 1\n\\tx wa kan\n\\mb wa ka -n\n\n\\tx b c\n\\mb b c\n")
    ran = run("tag t.txt --states 2")
    assert ran.code == 2 and "t.txt: a Toolbox (SFM) file with the markers \\_sh, \\ref, \\tx, \\mb; " in ran.err


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_language_model_is_no_text(ends):
    """`explain plsa` had taken it for documents, and printed nan."""
    Path("m.arpa").write_bytes(
        f"{ends}\\data\\{ends}ngram 1=1{ends}{ends}\\1-grams:{ends}-1\ta{ends}\\end\\{ends}".encode()
    )
    for line, format in (("explain plsa m.arpa", "lines"), ("tag m.arpa", "plain"), ("topics m.arpa", "lines")):
        says = f"m.arpa: an ARPA language model, not text; give text (--format {format} reads the lines as they are)"
        refused(run(line), says)
    assert run("tag m.arpa --format plain --states 2 -q").code == 0


@pytest.mark.parametrize("line", ["mixture", "plsa", "kmeans", "ibm1", "net 'a -> b' T.json"])
def test_explain_reads_no_large_file(line):
    """Every number of it would be shown."""
    Path("T.json").write_text("{}")
    Path("large").write_bytes(b"1 2\n" * 1_250_001)
    says = "large: 5,000,004 bytes; explain shows every number, so give a file of at most 5,000,000"
    refused(run(f"explain {line} large"), says)


def test_words_that_look_a_little_like_markers_or_numbers_are_read():
    Path("dice").write_text("1 3 6 6 2\n" * 4)  # symbols may be whole numbers
    Path("latex").write_text("\\section one\nsome text\nmore text\nand more\n")
    Path("prices").write_text("costs 3.50 today\n2.20 then\n" * 9)
    Path("empty_columns.csv").write_text(",\n,\n")
    for name in ("dice", "latex", "prices", "empty_columns.csv"):
        assert len(read(name)) == Path(name).read_text().count("\n")


def test_digits_without_an_end_are_no_number():
    """A pattern that may cut them at any place takes minutes to say so, of text and of the cells of a table."""
    Path("digits").write_text("1.5\n" * 9 + "1" * 200_000 + "x\n")
    assert len(read("digits")) == 10
    Path("digits.csv").write_text("a,b\n" + "".join(f"{k},x\n" for k in range(12)) + "1" * 200_000 + "x,y\n")
    assert run("net 'a -> b' digits.csv --criterion em:1 -q").code == 0


def test_the_line_that_is_advised_for_toolbox_files_works():
    import subprocess

    Path("t.txt").write_text(TOOLBOX)
    advised = run("tag t.txt").err.partition("example with ")[2].partition(" (--format")[0]
    found = subprocess.run(["sh", "-c", f"{advised} t.txt"], capture_output=True, text=True).stdout
    assert found == "wa kan\n" * 4


def test_polars_writes_what_we_read(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": NAMES, "body": BODIES})
    frame.write_parquet("x.parquet")
    frame.write_ipc("x.arrow")
    frame.write_csv("x.csv")
    for path in ("x.parquet", "x.arrow", "x.csv"):
        data = read_documents(path, text_column="body", id_column="id")
        assert data.names == tuple(NAMES) and data.digest() == read_documents("lines").digest()
    assert softcount.KMeans(2, random_state=0).fit_predict(frame["body"]).shape == (5,)
