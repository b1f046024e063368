"""Pages: well-formed, whole, safe against what words contain, and alive in a real browser."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import in_browser, violations
from command import run

import softcount
from softcount.links.pharaoh import PairLinks
from softcount.report.page.chart import line_chart
from softcount.report.page.element import el, table
from softcount.report.page.model import page_of
from softcount.text.bitext import bitext
from softcount.text.corpus import corpus
from softcount.text.documents import documents

SOURCE = ["the house is small", "the book", "a house", "</script><b> & the book", "a small book is a book"] * 3
TARGET = ["das haus ist klein", "das buch", "ein haus", "</script><b> & das buch", "ein kleines buch ist ein buch"] * 3
DOCS = ["wine red grape wine", "grape wine barrel", "goal ball match", "ball goal team match", "match team <i>"] * 4


class Strict(HTMLParser):
    """Every element that is opened is closed, in order; keeps text, ids and addresses."""

    VOID = ("meta", "input", "wbr")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"]] if found.get("id") else []
        self.addresses += [value for name in ("href", "src") if (value := found.get(name))]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def aligner() -> Any:
    return softcount.WordAligner(stems=(), random_state=0).fit(SOURCE, TARGET)


def pages(aligner: Any) -> dict[str, tuple[Any, Any, Any]]:
    hmm = softcount.HMM(3, start="random", criterion="em:4", random_state=0).fit(SOURCE)
    tags = [["T"] * len(row.split()) for row in SOURCE]
    plsa = softcount.PLSA(3, random_state=0).fit(DOCS)
    mixture = softcount.NaiveBayesMixture(2, random_state=0).fit(DOCS)
    means = softcount.KMeans(2, random_state=0).fit(DOCS)
    gold = [PairLinks({(0, 0)}, {(1, 1)}) for _ in SOURCE]
    return {
        "aligner": (aligner, bitext(SOURCE, TARGET), gold),
        "hmm": (hmm, corpus(SOURCE), tags),
        "classes": (softcount.WordClasses(3, random_state=0).fit(SOURCE), corpus(SOURCE), tags),
        "plsa": (plsa, documents(DOCS), None),
        "mixture": (mixture, documents(DOCS), None),
        "kmeans": (means, documents(DOCS), None),
        "points": (softcount.GaussianMixture(2, random_state=0).fit(np.arange(12.0).reshape(6, 2) ** 1.5), None, None),
    }


def test_every_model_has_a_page_that_is_whole(aligner: Any) -> None:
    for name, (model, data, gold) in pages(aligner).items():
        for given in ((None, None), (data, gold)):
            page = page_of(model, *given)
            read = Strict(page)
            assert len(set(read.ids)) == len(read.ids), name
            inside = {address[1:] for address in read.addresses if address.startswith("#")}
            assert len(inside) == len(set(read.addresses)) and inside <= set(read.ids), f"{name}: links lead elsewhere"
            assert model.signature_ in read.text
            assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page), name
            json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]


def test_words_are_never_markup(aligner: Any) -> None:
    page = page_of(aligner, bitext(SOURCE, TARGET))
    assert page.count("</script>") == 2 and "<b> &" not in page and "&lt;b&gt;" in page
    assert el("td", "<&>", cls='a"b') == '<td class="a&quot;b">&lt;&amp;&gt;</td>'


def test_an_aligners_page_has_its_links_and_posteriors(aligner: Any) -> None:
    pairs = bitext(SOURCE, TARGET)
    page = page_of(aligner, pairs)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])["pairs"]  # type: ignore[index]
    assert [pair["source"] for pair in data] == [row.split() for row in SOURCE]
    expected = aligner.align(SOURCE, TARGET, probabilities=True)
    for pair, links, matrices in zip(data, expected, aligner.posteriors(SOURCE, TARGET), strict=True):
        assert [tuple(link[:2]) for link in pair["links"]] == [link[:2] for link in links]
        np.testing.assert_allclose([link[2] for link in pair["links"]], [link[2] for link in links], atol=5.1e-4)
        for i, j, p, q in pair["shares"]:
            assert abs(matrices["forward"][i + 1, j] - p) <= 0.0051
            assert abs(matrices["reverse"][j + 1, i] - q) <= 0.0051


def test_the_confusion_says_the_many_to_one_accuracy() -> None:
    hmm = softcount.HMM(2, start="random", criterion="em:5", random_state=1).fit(SOURCE)
    gold = [["D" if word in ("the", "a") else "N" for word in row.split()] for row in SOURCE]
    flat = [str(tag) for row in hmm.predict(SOURCE) for tag in row], [tag for row in gold for tag in row]
    counts: dict[tuple[str, str], int] = {}
    for pair in zip(*flat, strict=True):
        counts[pair] = counts.get(pair, 0) + 1
    best = sum(max(n for (tag, _), n in counts.items() if tag == name) for name in set(flat[0]))
    assert f"accuracy {best / len(flat[0]):.3f}" in Strict(page_of(hmm, corpus(SOURCE), gold)).text


def test_pages_are_alive_in_a_browser(aligner: Any, tmp_path: Path) -> None:
    gold = [PairLinks({(0, 0), (0, 1)}, set()) for _ in SOURCE]
    page = page_of(aligner, bitext(SOURCE, TARGET), gold)
    found = in_browser(page, """
        const box = document.querySelector("[data-search=pairs]");
        const pairs = [...document.querySelectorAll("#pairs article")];
        box.value = "haus HOUSE"; box.dispatchEvent(new Event("input"));
        const shown = pairs.filter((pair) => !pair.hidden).length;
        const said = document.getElementById("pairs-found").textContent;
        box.value = ""; box.dispatchEvent(new Event("input"));
        const word = pairs[0].querySelector("button"); word.focus();
        const lit = pairs[0].querySelectorAll("line.lit").length, label = word.getAttribute("aria-label");
        const line = pairs[0].querySelector("line"), drawn = ["x1", "y1", "x2", "y2"].map((k) => +line.getAttribute(k));
        const grid = pairs[0].querySelector("details"); grid.open = true; grid.dispatchEvent(new Event("toggle"));
        return { shown, said, lit, label, drawn, cells: grid.querySelectorAll("td.linked").length,
                 wide: document.documentElement.scrollWidth <= window.innerWidth,
                 missed: pairs[0].querySelectorAll("line.missed").length };
    """, tmp_path, width=390)  # fmt: skip
    links = aligner.align(SOURCE[:1], TARGET[:1])[0]
    assert found["shown"] == 6 and found["said"] == f"6 of {len(SOURCE)}"  # every house
    assert found["lit"] == sum(i == 0 for i, _ in links) + (0 if (0, 0) in links else 1) + 1
    assert found["label"].startswith("the: linked with das")
    assert found["drawn"][3] > found["drawn"][1] > 0 and found["cells"] == len(links) and found["missed"] == 1
    assert found["wide"], "the page is wider than a phone"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["aligner", "hmm", "plsa", "kmeans"])
def test_everybody_can_use_the_reports(aligner: Any, name: str, tmp_path: Path) -> None:
    model, data, gold = pages(aligner)[name]
    page = page_of(model, data, gold)
    for dark in (False, True):
        assert violations(page, tmp_path, 390 if dark else 1200, dark) == []


def test_the_box_of_topics_computes_what_the_library_does(tmp_path: Path) -> None:
    model = softcount.PLSA(2, random_state=0).fit(DOCS)
    found = in_browser(page_of(model), """
        const box = document.getElementById("query"); box.value = "wine grape unheard";
        box.dispatchEvent(new Event("input")); return document.getElementById("query-answer").textContent;
    """, tmp_path)  # fmt: skip
    best = int(np.argmax(model.transform(["wine grape"])[0]))
    assert f"% {best}: " in found.split(";")[0] and "2 of 3 words known" in found


def test_report_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_text("\n".join(SOURCE) + "\n")
    Path("t").write_text("\n".join(TARGET) + "\n")
    Path("g").write_text("0-0 1?1\n" * len(SOURCE))
    assert run("align s t --save m --report a.html -q").code == 0
    assert run("report m s t --gold g --out b.html").said == ["wrote b.html"]
    assert "Sentence pairs" in Path("a.html").read_text() and "missed" in Path("b.html").read_text()
    assert run("report m --out c.html -q").code == 0 and "Glossary" in Path("c.html").read_text()
    Path("g").write_text("0-0\n")
    for line, says in {
        "report m s t --gold g --out d.html": f"g: 1 lines of links for {len(SOURCE)} pairs; give one line per pair",
        "report m s t s --out d.html": "s: `softcount align` takes at most 2 files; omit it",
        "report m --gold g --out d.html": "g: --gold needs DATA and a tagger or aligner; give both, or omit --gold",
        "report m s t --out s": "s: is an input of this command",
    }.items():
        ran = run(line)
        assert ran.code == 2 and len(ran.said) == 1 and says in ran.err, ran.err
    assert not Path("d.html").exists()


def test_charts_and_tables() -> None:
    assert line_chart("one point", [[(1, 2.0)]], "objective") == ""
    drawn = line_chart("t", [[(1, 1.0), (2, 3.0)], [(1, 1.0), (2, 2.0)]], "objective")
    assert drawn.count("<polyline") == 2 and all(f">{level}</text>" in drawn for level in ("1", "2", "3"))
    cells = re.findall(r"<t[dh]\b[^>]*>", table(("a", "b"), [("x", "1")], "c", numbers=(1,)))
    assert cells == ['<th scope="col">', '<th scope="col" class="number">', '<th scope="row">', '<td class="number">']


def test_of_long_lists_the_first_are_shown_until_more_is_asked_for(tmp_path: Path) -> None:
    text = [f"word{k} of many" for k in range(40)]
    page = page_of(softcount.HMM(2, start="random", criterion="em:1", random_state=0).fit(text), corpus(text))
    found = in_browser(page, """
        const shown = () => [...document.querySelectorAll("#sentences article")].filter((row) => !row.hidden).length;
        const box = document.querySelector("[data-search]"), more = document.querySelector("#sentences .more");
        const seen = [shown()];
        box.value = "word39"; box.dispatchEvent(new Event("input")); seen.push(shown(), more.hidden);
        box.value = ""; box.dispatchEvent(new Event("input")); seen.push(shown());
        more.click(); seen.push(shown(), more.hidden); return seen;
    """, tmp_path)  # fmt: skip
    assert found == [15, 1, True, 15, 40, True]


def test_every_picture_can_be_saved(tmp_path: Path) -> None:
    """With its colours inside, as SVG and as PNG."""
    hmm = softcount.HMM(3, start="random", criterion="em:4", restarts=2, random_state=0).fit(SOURCE)
    ask = """const box = document.getElementById("pictures"), choose = box.querySelector("select");
        return { hidden: box.hidden, names: [...choose.options].map((o) => o.text),
                 svg: await window.picture(0, "svg"), png: await window.picture(0, "png") };"""
    found = in_browser(page_of(hmm), ask, tmp_path)
    assert not found["hidden"] and len(found["names"]) >= 1
    assert found["svg"].startswith("data:image/svg+xml") and "polyline" in found["svg"] and "var(" not in found["svg"]
    content = base64.b64decode(found["png"].removeprefix("data:image/png;base64,"))
    assert content.startswith(b"\x89PNG") and len(content) > 2000
