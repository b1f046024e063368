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

from softcount.examples import EXAMPLES
from softcount.report.hmm_json import from_json
from softcount.report.page.explain import explain_page
from softcount.report.page.explain_data import hmm_data

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
.querySelectorAll("button")[%d].dispatchEvent(new Event("mouseenter")))</script></body>"""
PAIR, WORD = 3, 6  # of the texts `everyday`: the pair that is drawn, and the word whose links are marked


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
    texts = [EXAMPLES["everyday"].files[f"everyday.{language}"] for language in ("en", "de")]
    both = [" ||| ".join(pair) + "\n" for pair in zip(*map(str.splitlines, texts), strict=True)]
    (folder / "both.txt").write_text("".join(both), encoding="utf-8")
    (folder / "few.txt").write_text("".join(both[:PAIR]), encoding="utf-8")
    for command in (
        "align both.txt --tokenize --quiet --save links.model",
        "report links.model few.txt --tokenize --quiet --out links.html",
    ):
        line = [sys.executable, "-m", "softcount", *command.split()]
        subprocess.run(line, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    page = (folder / "links.html").read_text(encoding="utf-8")
    page = page.replace("</head>", ONE_PAIR % PAIR, 1).replace("</body>", LIT % (PAIR - 1, WORD))
    (folder / "links.html").write_text(page, encoding="utf-8")
    browser("--window-size=960,150", f"--screenshot={HERE / 'links.png'}", (folder / "links.html").as_uri())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        (HERE / "lattice.svg").write_text(lattice(Path(place)), encoding="utf-8")
        links(Path(place))
    print(HERE / "lattice.svg", HERE / "links.png", sep="\n")
