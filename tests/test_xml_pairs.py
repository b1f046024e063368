"""TMX and XLIFF as tools write them; packed files."""

import bz2
import gzip
import lzma
import tracemalloc
import warnings
from pathlib import Path

import pyarrow as pa
import pytest
from command import refused, run

from softcount import InputError, read_bitext
from softcount.machine import stage
from softcount.text.language_pairs import read_pairs

TMX = """<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US" segtype="sentence"/><body>
<tu tuid="1"><prop type="x">not text</prop>
 <tuv xml:lang="FR-fr"><note>nor this</note><seg>Le <bpt i="1">&lt;b&gt;</bpt>petit<ept i="1">&lt;/b&gt;</ept> café</seg></tuv>
 <tuv xml:lang="en-US"><seg>The <hi type="bold">little</hi> café<ph x="1">{{1}}<sub>footnote</sub></ph></seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>one side</seg></tuv></tu>
<tu><tuv xml:lang="en-GB"><seg>a<ph type="lb"/>b &amp; c</seg></tuv><tuv xml:lang="fr-FR"><seg>d<it pos="begin">x</it> <ut>u</ut>e</seg></tuv></tu>
</body></tmx>
"""
THREE = """<tmx><body><tu><tuv xml:lang="de"><seg>ein</seg></tuv><tuv xml:lang="en"><seg>one</seg></tuv>
<tuv xml:lang="fr"><seg>un</seg></tuv></tu><tu><tuv xml:lang="en"><seg>two</seg></tuv><tuv xml:lang="de"><seg>zwei</seg></tuv></tu></body></tmx>"""
XLIFF1 = """<?xml version="1.0"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="fr"><body>
<trans-unit id="1" approved="yes"><source>Hello <g id="1">big</g> <x id="2"/>world</source><target>Bonjour <g id="1">grand</g> monde</target>
 <alt-trans><source>no</source><target>non</target></alt-trans></trans-unit>
<trans-unit id="2"><source>new</source><target state="needs-translation">nouveau</target></trans-unit>
<trans-unit id="3"><source>A b. C.</source><seg-source><mrk mtype="seg" mid="0">A b.</mrk> <mrk mtype="seg" mid="1">C.</mrk></seg-source>
 <target state="translated"><mrk mtype="seg" mid="1">Z.</mrk> <mrk mtype="seg" mid="0">X y.</mrk></target></trans-unit>
<trans-unit id="4"><source>nothing</source></trans-unit>
</body></file></xliff>"""
XLIFF2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u">
<originalData><data id="d">&lt;br/&gt;</data></originalData>
<segment state="final"><source>The <pc id="1">red</pc> <ph id="2" dataRef="d"/>house</source><target>Das <pc id="1">rote</pc> Haus</target></segment>
<ignorable><source> </source><target> </target></ignorable>
<segment state="initial"><source>a</source><target>b</target></segment>
<mtc:matches xmlns:mtc="urn:m"><mtc:match><source>no</source><target>nein</target></mtc:match></mtc:matches>
</unit></file></xliff>"""


def pairs(path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = read_bitext(path, **options)
    told = [str(w.message) for w in caught]
    return [(" ".join(data.source.tokens(s)), " ".join(data.target.tokens(s))) for s in range(len(data))], told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_tmx_in_every_encoding(tmp_path, encoding):
    path = tmp_path / "x.tmx"
    path.write_bytes(TMX.format(encoding=encoding.removesuffix("-sig")).encode(encoding))
    found, told = pairs(path)
    assert found == [("The little café", "Le petit café"), ("a b & c", "d e")]
    assert told == [f"{path}: 1 of 3 units do not have text in both languages and are skipped"]
    assert pairs(path, source_language="fr")[0] == [(b, a) for a, b in found]
    assert pairs(path, source_language="EN-us", target_language="fr")[0] == found[:1]


def test_utf8_that_calls_itself_utf16_and_a_name_that_says_nothing(tmp_path):
    path = tmp_path / "memory"
    path.write_text(TMX.format(encoding="UTF-16"), encoding="utf-8")
    assert len(pairs(path)[0]) == 2


def test_of_three_languages_two_are_chosen(tmp_path):
    path = tmp_path / "x.tmx"
    path.write_text(THREE)
    assert pairs(path, source_language="fr", target_language="de")[0] == [("un", "ein")]
    assert pairs(path, source_language="en", target_language="de")[0] == [("one", "ein"), ("two", "zwei")]
    with pytest.raises(InputError, match=r"3 languages \(de 2, en 2, fr 1\); choose with --source-language"):
        read_bitext(path)
    with pytest.raises(InputError, match=r"no text in 'it'; it has de$"):
        read_bitext(path, source_language="it", target_language="de")
    with pytest.raises(InputError, match="source and target are both de"):
        read_bitext(path, source_language="de", target_language="de")


def test_of_several_that_fit_the_one_named_exactly_counts_else_the_first(tmp_path):
    path = tmp_path / "x.tmx"
    tuvs = "".join(f'<tuv xml:lang="{name}"><seg>{name}</seg></tuv>' for name in ("en-US", "en", "en-GB", "fr"))
    path.write_text(f"<tmx><body><tu>{tuvs}</tu></body></tmx>")
    assert pairs(path, source_language="en", target_language="fr")[0] == [("en", "fr")]
    path.write_text(f"<tmx><body><tu>{tuvs}</tu></body></tmx>".replace('"en"', '"en-CA"'))
    assert pairs(path)[0] == [("en-US", "fr")]


def test_xliff_12(tmp_path):
    path = tmp_path / "x.xlf"
    path.write_text(XLIFF1)
    hello = ("Hello big world", "Bonjour grand monde")
    found, told = pairs(path)
    assert found == [hello, ("new", "nouveau"), ("A b.", "X y."), ("C.", "Z.")] and "1 of 5 units" in told[0]
    assert pairs(path, only="translated")[0] == [hello, ("A b.", "X y."), ("C.", "Z.")]
    assert pairs(path, only="final")[0] == [hello]
    assert pairs(path, source_language="fr")[0][0] == hello[::-1]


def test_xliff_2(tmp_path):
    path = tmp_path / "x.xliff"
    path.write_text(XLIFF2)
    assert pairs(path) == ([("The red house", "Das rote Haus"), ("a", "b")], [])
    assert pairs(path, only="final")[0] == [("The red house", "Das rote Haus")]


def test_the_links_are_of_the_pairs_that_are_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.tmx").write_text(THREE)
    ran = run("align x.tmx --source-language en --target-language de --pairs p.tsv --save m --model ibm2")
    assert ran.out == "0-0\n0-0\n" and Path("p.tsv").read_text() == "one\tein\ntwo\tzwei\n"
    assert run("align p.tsv -q --model ibm2").out == ran.out
    assert "source_language=en" in run("info m").out
    assert run("glossary m x.tmx --source-language en --target-language de -q --terms").code == 0


def test_languages_are_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("a b\n")
    Path("both").write_text("a\tb\n")
    refused(run("align a a --source-language en"),
            "languages and states need one TMX or XLIFF file, not two files; omit these options")  # fmt: skip
    refused(run("align both --only final"),
            "both: not TMX or XLIFF, so it has no languages or states; omit these options")  # fmt: skip
    Path("x.xlf").write_text(XLIFF1)
    refused(run("align x.xlf --only done"), "only='done': unknown; use any, translated, final")
    Path("k.tmx").write_text(TMX.format(encoding="klingon"))
    refused(run("align k.tmx"), "k.tmx: declares an unknown encoding; convert it to UTF-8")


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstd}


@pytest.mark.parametrize("suffix", PACK)
def test_packed_text_and_packed_standard_input(tmp_path, monkeypatch, suffix):
    monkeypatch.chdir(tmp_path)
    text = b"a b\tc d\nx\ty\n" * 50
    Path("plain.tsv").write_bytes(text)
    packed = PACK[suffix](text)
    Path(f"packed.tsv{suffix}").write_bytes(packed)
    wanted = run("align plain.tsv -q").out
    assert run(f"align packed.tsv{suffix} -q").out == wanted
    assert run("align - -q", packed).out == wanted
    Path(f"cut.tsv{suffix}").write_bytes(packed[:-5])
    ran = run(f"align cut.tsv{suffix} -q")
    assert ran.code == 2 and ran.said[0].startswith(f"softcount: cut.tsv{suffix}: not a complete ")
    Path("unnamed").write_bytes(packed)
    ran = run("align unnamed -q")
    assert ran.code == 2 and f"name it …{suffix}, or decompress it first" in ran.said[0]


def test_a_text_may_begin_like_a_packed_one(tmp_path):
    (tmp_path / "x").write_text("BZh one\ttwo\n")
    assert pairs(tmp_path / "x")[0] == [("BZh one", "two")]


# --- long files -------------------------------------------------------------------------------------------------------


def long_tmx(n_units, code):
    """In pieces, UTF-16, three languages, each segment with an inline code of so many letters."""
    yield '<?xml version="1.0" encoding="utf-16"?><tmx version="1.4"><body>'.encode("utf-16")
    inline = f'<ph x="1">{"x" * code}</ph>'
    for n in range(n_units):
        sides = [("de", f"wort{n % 97}"), ("fr", f"mot{n % 97}"), ("en", f"word{n % 97}")][n % 10 == 0 :]
        tuvs = "".join(f'<tuv xml:lang="{name}"><seg>{inline}a {word}</seg></tuv>' for name, word in sides)
        yield f"<tu>{tuvs}</tu>\n".encode("utf-16-le")
    yield "</body></tmx>".encode("utf-16-le")


def test_a_long_file_is_read_as_a_stream():
    """Memory grows with the text of two languages, not with the file; a tenth of the units has no German."""
    n_units, code = 10_500, 500
    tracemalloc.start()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        source, target = read_pairs(long_tmx(n_units, code), "x.tmx", "en", "de")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    lines = [n for n in range(n_units) if n % 10]
    assert source == "".join(f"a word{n % 97}\n" for n in lines).encode()
    assert target == "".join(f"a wort{n % 97}\n" for n in lines).encode()
    assert "1,050 of 10,500 units" in str(caught[0].message)
    assert peak < 25 * len(source + target) < n_units * code, "of 33 MB of XML"


def test_reading_tells_how_far_it_is(tmp_path, monkeypatch):
    """Bytes of the file, packed or not, of how many; what is shown of it is the business of `cli/progress.py`."""
    monkeypatch.setattr("softcount.text.source.CHUNK", 10_000)
    reached = []
    monkeypatch.setattr(stage, "reach", lambda done, step=None: reached.append((stage.now.what, done, stage.now.total)))
    for name, packed in (("x.tmx", bytes), ("x.tmx.gz", gzip.compress)):
        path = tmp_path / name
        path.write_bytes(packed(b"".join(long_tmx(500, 1))))
        size, reached[:] = path.stat().st_size, []
        read_bitext(path, source_language="en", target_language="fr")
        assert {(what, total) for what, _, total in reached} == {(f"reading {path}", size)}
        done = [n for _, n, _ in reached]
        assert done == sorted(done) and len(done) > 10 and done[-1] == size


def test_marks_within_marks(tmp_path):
    """At every piece of text all open ones were gone through."""
    n = 100_000
    text = "<mrk>x" * n + '<mrk mtype="seg">y</mrk>z' + "</mrk>" * n
    units = "".join(f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language in ("en", "fr"))
    (tmp_path / "x.tmx").write_text(f"<tmx><body><tu>{units}</tu></body></tmx>")
    assert read_bitext(tmp_path / "x.tmx").source.tokens(0) == ["y"]
    (tmp_path / "x.tmx").write_text(f"<tmx><body><tu>{units.replace(' mtype=', ' x=')}</tu></body></tmx>")
    assert read_bitext(tmp_path / "x.tmx").source.tokens(0) == ["x" * n + "yz"]


def test_ten_of_many_languages_are_named(tmp_path):
    sides = "".join(f'<tuv xml:lang="{a}{b}"><seg>x</seg></tuv>' for a in "abc" for b in "abcdefgh")
    (tmp_path / "x.tmx").write_text(f"<tmx><body><tu>{sides}</tu></body></tmx>")
    with pytest.raises(InputError, match=r"24 languages \(aa 1, ab 1, .*, bb 1 and 14 more\); choose with"):
        read_bitext(tmp_path / "x.tmx")
