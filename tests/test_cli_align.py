"""softcount align, score links and explain ibm1 as a shell user meets them."""

import gzip
import json
import shlex

import pytest
from command import run

from softcount import WordAligner
from softcount.synthetic import bilingual

TMX = """<?xml version="1.0"?><tmx version="1.4"><body>
<tu><tuv xml:lang="en"><seg>the <b>house</b></seg></tuv><tuv xml:lang="de"><seg>das haus</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>the book</seg></tuv><tuv xml:lang="de"><seg>das buch</seg></tuv></tu>
</body></tmx>
"""


def softcount(*arguments, stdin=""):
    return run(shlex.join(map(str, arguments)), stdin.encode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("align")
    sample = bilingual(150, seed=1)
    source, target = [" ".join(s) for s in sample.source], [" ".join(t) for t in sample.target]
    source[3], target[3], source[5] = "", "", ""
    sample.links[3] = sample.links[5] = []
    (path / "src").write_text("\n".join(source) + "\n", encoding="utf-8")
    (path / "tgt").write_text("\n".join(target) + "\n", encoding="utf-8")
    (path / "tgt.gz").write_bytes(gzip.compress(("\n".join(target) + "\n").encode()))
    (path / "both").write_text("".join(f"{s} ||| {t}\n" for s, t in zip(source, target, strict=True)), encoding="utf-8")
    (path / "both.tsv").write_text(
        "".join(f"{s}\t{t}\n" for s, t in zip(source, target, strict=True)), encoding="utf-8"
    )
    (path / "gold").write_text(
        "".join(" ".join(f"{i}-{j}" for i, j in row) + "\n" for row in sample.links), encoding="utf-8"
    )
    return path


def test_every_form_gives_the_same_links(folder):
    expected = softcount("align", folder / "src", folder / "tgt", "--threads", 1)
    assert expected.code == 0, expected.err
    assert "will need about" in expected.err and "perplexity" in expected.err and "bits" in expected.err
    lines = expected.out.split("\n")
    assert len(lines) == 151 and lines[3] == lines[5] == ""
    for form in ((folder / "src", folder / "tgt.gz"), (folder / "both",), (folder / "both.tsv",)):
        assert softcount("align", *form, "--threads", 2, "-q").out == expected.out
    by_pipe = softcount("align", "-", folder / "tgt", stdin=(folder / "src").read_text(encoding="utf-8"))
    assert by_pipe.out == expected.out


@pytest.mark.parametrize("criterion", ["vb:3", "em:3", "hard:3", "annealed:3"])
def test_the_perplexity_that_is_printed_is_of_the_model_that_is_saved(folder, tmp_path, criterion):
    trained = softcount("align", folder / "both", "--no-agreement", "--criterion", criterion, "--save", tmp_path / "m")
    said = [part.split(" ")[0] for part in trained.err.split("perplexity ")[1:]]
    source, target = ((folder / side).read_text(encoding="utf-8").split("\n")[:-1] for side in ("src", "tgt"))
    expected = WordAligner.load(tmp_path / "m").perplexity(source, target)
    assert said == [f"{expected[name]:,.2f}" for name in ("forward", "reverse")]


def test_save_apply_scores_lexicon(folder, tmp_path):
    outputs = ("--save", tmp_path / "m", "--scores", tmp_path / "s", "--lexicon", tmp_path / "l")
    trained = softcount("align", folder / "src", folder / "tgt", "--probabilities", *outputs)
    assert trained.code == 0, trained.err
    applied = softcount("align", folder / "both", "--apply", tmp_path / "m", "--probabilities")
    assert applied.out == trained.out and ":" in trained.out
    rows = (tmp_path / "s").read_text().split("\n")
    assert len(rows) == 152 and rows[0] == "score" and all(0.0 <= float(row) < 1.0 for row in rows[1:-1])
    header, *entries = (line.split("\t") for line in (tmp_path / "l").read_text(encoding="utf-8").split("\n")[:-1])
    assert header == ["source", "target", "p_target", "p_source"] and entries
    assert entries == sorted(entries, key=lambda e: e[:2]) and all(len(e) == 4 for e in entries)
    unknown = softcount("align", "-", "--apply", tmp_path / "m", stdin="zzz . ||| yyy .\n")
    assert unknown.code == 0 and "are not in the model's vocabulary" in unknown.err and unknown.out.count("\n") == 1


def test_tmx_and_show(tmp_path):
    (tmp_path / "x.tmx").write_text(TMX)
    assert softcount("align", tmp_path / "x.tmx", "-q").out == "0-0 1-1\n0-0 1-1\n"
    shown = softcount("align", tmp_path / "x.tmx", "-q", "--show", 2)
    assert "book" in shown.out and "[" in shown.out


def test_score_links(folder, tmp_path):
    found = softcount("align", folder / "src", folder / "tgt", "-q").out
    scored = softcount("score", "links", folder / "gold", "-", "--json", stdin=found)
    result = json.loads(scored.out)
    assert 0 < result["aer"] < 0.5 and result["found"] == len(found.split())
    (tmp_path / "g.wa").write_text("1 1 1 S\n1 2 2 P\n2 1 1\n")
    (tmp_path / "p").write_text("0-0 1-1\n0-0\n")
    result = json.loads(softcount("score", "links", tmp_path / "g.wa", tmp_path / "p", "--json").out)
    assert (result["aer"], result["sure"], result["possible"]) == (0.0, 2, 3)


def test_explain_ibm1(tmp_path):
    (tmp_path / "b").write_text(
        "He is living in Bangkok ||| เขา อาศัย อยู่ใน กรุงเทพฯ\nHe likes Bangkok ||| เขา ชอบ กรุงเทพฯ\n"
        "He likes living in Bangkok ||| เขา ชอบ อาศัย อยู่ใน กรุงเทพฯ\n",
        encoding="utf-8",
    )
    result = json.loads(softcount("explain", "ibm1", tmp_path / "b", "--steps", 2, "--json").out)
    assert result["iterations"][0]["parameters"]["Bangkok"]["กรุงเทพฯ"] == pytest.approx(0.259259, abs=5e-7)
    assert result["iterations"][1]["perplexity"] < result["iterations"][0]["perplexity"]
    assert "Posteriors of pair 1" in softcount("explain", "ibm1", tmp_path / "b").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("align", "{src}", "{short}"), "short: 1 lines, 149 fewer than"),
        (("align", "{src}"), "the second file is missing, and the lines are not source"),
        (("align", "{src}", "{missing}"), "no such file"),
        (("align", "{empty}", "{src}"), "empty file"),
        (("align", "{src}", "{tgt}", "--dictionary", "{short}"), "short:1: 1 columns"),
        (("align", "{src}", "{tgt}", "--apply", "{src}"), "softcount model"),
        (("align", "{src}", "{tgt}", "--model", "ibm7"), ": unknown"),
        (("align", "{src}", "{tgt}", "--null", "x"), "--null 'x'"),
        (("align", "{src}", "{tgt}", "--save", "{missing}/x"), "not found; create it first"),
        (("align", "{src}", "{tgt}", "--show", "999"), "--show 999: the text has only 150 pairs; use 1 to 150"),
        (("align", "{bars}"), "bars:2: ||| occurs 2 times"),
        (("align", "{bad_tmx}"), "entities are not resolved"),
        (("score", "links", "{gold}", "{short}"), "lines fewer"),
        (("score", "links", "{gold}", "{src}"), "invalid link"),
        (("score", "links", "{gold}", "{gold1}", "--source", "{src}"), "count words from 0"),
        (("score", "links", "{gold}", "{gold1}"), "count words from 0"),
    ],
)
def test_bad_input_is_one_line(folder, arguments, message):
    (folder / "short").write_text("0-0\n")
    (folder / "empty").write_text("")
    (folder / "bars").write_text("a ||| b\na ||| b ||| c\n")
    (folder / "bad_tmx").write_text('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><tmx><tu/></tmx>')
    rows = (folder / "gold").read_text().split("\n")[:-1]
    shifted = [" ".join(f"{int(i) + 1}-{int(j) + 1}" for i, j in (x.split("-") for x in row.split())) for row in rows]
    (folder / "gold1").write_text("\n".join(shifted) + "\n")
    done = softcount(*(a.format_map(_Paths(folder)) for a in arguments))
    assert done.code == 2 and done.out == ""
    assert message in done.err and "Traceback" not in done.err
    assert done.err.strip().split("\n")[-1].startswith("softcount: ")


class _Paths(dict):
    def __init__(self, folder):
        self.folder = folder

    def __missing__(self, name):
        return str(self.folder / name)
