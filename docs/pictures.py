"""The two pictures of the README, made by softcount itself: python docs/pictures.py (needs chromium).

lattice.svg is the lattice of the page that `softcount explain hmm --page` writes, links.png a pair of the page that
`softcount align --report` writes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from softcount.estimators.aligner import WordAligner
from softcount.examples import EXAMPLES
from softcount.report.hmm_json import from_json
from softcount.report.page.explain import explain_page
from softcount.report.page.explain_data import hmm_data
from softcount.report.page.model import page_of
from softcount.synthetic import bilingual
from softcount.text.bitext import bitext

HERE = Path(__file__).parent
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000")
# The colors that the page has on white; a file of its own has no variables.
COLORS = """text { fill: #57606a; font: 11px system-ui, sans-serif }
.name { fill: #1b1f24; font: 600 13px system-ui, sans-serif }
.node { fill: #f6f8fa; stroke: #d0d7de } .arc { stroke: #0b5cad }"""
ONE_PAIR = """<style>header, nav, section, h2, h3, details { display: none } body { padding: 6px; max-width: none }
#pairs { display: block } #pairs > :not(article) { display: none } #pairs > article { display: none; margin: 0 }
#pairs > article:nth-of-type(%d) { display: block } .drawing { min-width: 0 }</style></head>"""

LIT = """<script>addEventListener("load", () => document.querySelectorAll("#pairs > article")[%d]
.querySelectorAll("button")[6].dispatchEvent(new Event("mouseenter")))</script></body>"""


def browser(*arguments: str) -> str:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("no chromium here; install it to make the pictures")
    return subprocess.run(
        [program, *OPTIONS, *arguments], capture_output=True, text=True, check=True, timeout=120
    ).stdout


def lattice(folder: Path) -> str:
    """After one step of EM; with the colors inside."""
    tables = from_json(json.loads(EXAMPLES["can-i-can"].files["P.json"]))
    page = explain_page(hmm_data(tables, ["can I can"])).replace("</body>", "<script>softcount.go(1)</script></body>")
    (folder / "explain.html").write_text(page)
    drawn = re.search(r"<svg.*?</svg>", browser("--dump-dom", (folder / "explain.html").as_uri()), re.DOTALL)
    assert drawn
    svg = (
        drawn[0]
        .replace("rgba(var(--mark), ", "rgba(11, 92, 173, ")
        .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )
    return svg.replace(">", f'><style>{COLORS}</style><rect width="100%" height="100%" fill="#fff"/>', 1) + "\n"


def links(folder: Path) -> None:
    pairs = bilingual(400, seed=3)
    model = WordAligner(random_state=0).fit(pairs.source, pairs.target)
    page = page_of(model, bitext(pairs.source, pairs.target))
    sizes = [len(pair["source"]) + len(pair["target"]) for pair in _data(page)]
    best = 1 + min(range(len(sizes[:15])), key=lambda k: abs(sizes[k] - 18))  # of those that a page begins with
    (folder / "links.html").write_text(page.replace("</head>", ONE_PAIR % best, 1).replace("</body>", LIT % (best - 1)))
    browser("--window-size=760,150", f"--screenshot={HERE / 'links.png'}", (folder / "links.html").as_uri())


def _data(page: str) -> list[dict[str, list[str]]]:
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    pairs: list[dict[str, list[str]]] = json.loads(found[1])["pairs"]
    return pairs


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        (HERE / "lattice.svg").write_text(lattice(Path(place)), encoding="utf-8")
        links(Path(place))
    print(HERE / "lattice.svg", HERE / "links.png", sep="\n")
