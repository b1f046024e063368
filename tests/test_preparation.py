"""Raw text: tokens, forms of Unicode, blanks of any width; what is noticed of text that has none."""

import re
import sys
import unicodedata
import warnings
from pathlib import Path

import pytest
from command import refused, run
from hypothesis import example, given
from hypothesis import strategies as st

from softcount import read
from softcount.text.preparation import FORMS, Preparation, prepared, tokenized
from softcount.text.tokenizer import _patterns, tokenize
from softcount.text.unicode_form import normalize

CASES = {
    'Hello, world! "Yes," he said.': 'Hello , world ! " Yes , " he said .',
    "Don't stop... see https://a.b/c?d=1.": "Don't stop ... see https://a.b/c?d=1 .",
    "L'homme qu’il a vu dell'arte": "L' homme qu’ il a vu dell' arte",
    "J. S. Bach paid $3.14 (1,000%) at 12:30.": "J. S. Bach paid $ 3.14 ( 1,000 % ) at 12:30 .",
    "in the U.S.A. etc. and so on": "in the U.S.A. etc. and so on",
    "well-known 4th x@y.org, e.g. this": "well-known 4th x@y.org , e.g. this",
    "हिन्दी भाषा है।": "हिन्दी भाषा है ।",
    "-- !! ?!": "-- !! ? !",
    "": "",
}


@pytest.mark.parametrize("line", CASES)
def test_the_rules(line):
    assert tokenize(line) == CASES[line]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_no_character_is_lost_and_none_is_added(line):
    assert "".join(tokenize(line).split()) == "".join(line.split())


@given(st.text(alphabet="ab.,'- \n1é", max_size=40))
def test_lines_stay_in_step(text):
    assert prepared(text.encode(), Preparation("rules", "NFC")).count(b"\n") == text.count("\n")


PIECES = [
    "a",
    "b.",
    "@",
    "@b.c",
    "1",
    ".",
    "-",
    "+",
    "_",
    " ",
    "www.",
    "http://",
    "/",
    "l'",
    "’",
    "\u0301",
    "٣",
    "<",
    "é",
    "A.",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=20))
def test_addresses_are_found_where_one_rule_after_the_other_would_find_them(line):
    assert tokenize(line) == " ".join(_one_rule_after_the_other(line))


def _one_rule_after_the_other(line):
    token, _, host = _patterns()
    address, at = re.compile(rf"\w[\w.+-]*@{host.pattern}"), 0
    while found := token.search(line, at):
        better = address.match(line, found.start()) if found.lastgroup != "web" else None
        yield (better or found)[0]
        at = (better or found).end()


@pytest.mark.parametrize("piece,tokens", [("ab.", 120_000), ("a.b@", 60_000), ("a@b.c ", 60_000), ("a.@b", 180_001)])
def test_a_long_line_is_tokenised(piece, tokens):
    """What looks for an address from every word on takes minutes."""
    found = tokenize(piece * 60_000)
    assert found.replace(" ", "") == (piece * 60_000).replace(" ", "") and len(found.split()) == tokens


def test_unicode_forms(tmp_path):
    (tmp_path / "x").write_text("caf\u00e9 cafe\u0301\n")
    with pytest.warns(UserWarning, match=": 1 word in two Unicode forms"):
        assert len(read(tmp_path / "x").vocabulary) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path / "x", prepare=Preparation(normalize="NFC")).vocabulary.words == ["caf\u00e9"]


MARKS = "\u0301\u0327\u0f73\u0344\u3099\uff9e"  # of several classes; some stand for two, one only in the K forms


@given(st.text(alphabet=MARKS + "ae\u0430\u1100\u1161\u00e9\u212b", min_size=40, max_size=200), st.sampled_from(FORMS))
@example("a" + "\u0301\u0327" * 100, "NFC")
@example("a" + "\u0f73\uff9e\u0301" * 100, "NFKC")
def test_long_runs_of_marks_have_the_usual_forms(text, form):
    assert normalize(form, text * 3) == unicodedata.normalize(form, text * 3)


@pytest.mark.parametrize("marks", ["\u0301\u0327", "\u0f73", "\uff9e\u0301"])
def test_very_many_marks_on_one_letter(tmp_path, marks):
    """Sorted by insertion, they take minutes; the words of every text are looked at for their form."""
    word = "a" + marks * 200_000
    assert len(prepared(f"{word}\n".encode(), Preparation(normalize="NFKC")).decode()) >= 400_000
    (tmp_path / "x").write_text(f"{word} b\n")
    assert len(read(tmp_path / "x").vocabulary) == 2


def test_wide_blanks_are_blanks(tmp_path):
    (tmp_path / "x").write_text("10\u00a0km\u3000ok\u202f!\n\u00a0\n")
    data = read(tmp_path / "x")
    assert [data.tokens(s) for s in (0, 1)] == [["10", "km", "ok", "!"], []]


def test_text_without_blanks_is_noticed(tmp_path):
    (tmp_path / "x").write_text("今日は天気がいいですね。\n" * 20)
    with pytest.warns(UserWarning, match="does not seem to be tokenized. --tokenize"):
        read(tmp_path / "x")
    (tmp_path / "words").write_text("cat\ndog\n" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path / "words")


def test_on_the_command_line_and_again_with_the_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("raw").write_text("The cat, it sat.\nA dog: it ran!\n")
    Path("cut").write_text("The cat , it sat .\nA dog : it ran !\n")
    wanted = run("tag cut --states 2 -q --criterion em:2").out
    small = "--states 2 -q --criterion em:2"
    for line in (
        f"tag raw --tokenize {small} --save m",
        f"tag --tokenize raw {small}",
        f"tag raw {small} --tokenize rules",
    ):
        assert run(line).out == wanted
    assert run("tag raw --apply m -q").out == run("tag cut --apply m -q").out == wanted
    assert "tokenize=rules" in run("info m").out
    assert run("classes raw --tokenize --classes 2 -q --save c").out == run("classes cut --classes 2 -q").out
    assert run("classes raw --apply c -q").out == run("classes cut --apply c -q --tokenize 'pipe:cat'").out
    assert run("align raw raw --tokenize -q --pairs p").out == run("align cut cut -q").out
    assert Path("p").read_text().startswith("The cat , it sat .\tThe cat , it sat .\n")
    assert run("topics raw --tokenize --topics 2 -q --seed 1").out == run("topics cut --topics 2 -q --seed 1").out
    assert run("classes raw --tokenize --classes 3 -q --save c").out == run("classes cut --classes 3 -q").out
    assert run("classes raw --apply c -q --output tags").out == run("classes cut --apply c -q --output tags").out


def test_any_command_as_a_pipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    Path("raw").write_text("a-b\nc\n")
    assert tokenized(["a-b", "c"], "pipe:sed 's/-/ - /'") == ["a - b", "c"]
    refused(run("tag raw --states 2 --tokenize 'pipe:head -1'"),
            "pipe:head -1: wrote 1 lines for 2; it must write one line per line read")  # fmt: skip
    refused(
        run("tag raw --states 2 --tokenize pipe:false"),
        "pipe:false: failed with exit code 1 (''); run it alone to check",
    )
    ran = run("tag raw --states 2 --tokenize pipe:no-such-command")
    assert ran.code == 2 and "pipe:no-such-command: cannot be run" in ran.err


@pytest.mark.parametrize(
    "name,line,wanted", [("sacremoses", "Hello, world!", "Hello , world !"), ("jieba", "我来到北京", "我 来到 北京")]
)
def test_packages(name, line, wanted):
    pytest.importorskip(name)
    assert tokenized([line], name) == [wanted]


def test_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("raw").write_text("a b\n")
    Path("tags").write_text("N N\n")
    Path("d.ldac").write_text("1 0:1\n")
    refused(run("tag raw --states 2 --tokenize=moses"),
            "tokenizer 'moses': unknown; use rules, sacremoses, jieba, mecab, spacy or pipe:COMMAND")  # fmt: skip
    refused(run("tag raw --states 2 --normalize nfc"), "Unicode form 'nfc': unknown; use NFC, NFD, NFKC, NFKD")
    refused(run("tag raw --tags tags --tokenize"), "raw: a text with tags is already tokenized; omit --tokenize")
    refused(run("topics d.ldac --tokenize"), "d.ldac: a table of counts is already tokenized; omit --tokenize")
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    refused(run("tag raw --states 2 --tokenize sacremoses"),
            "the tokenizer sacremoses needs the package sacremoses; install it, or use rules")  # fmt: skip
