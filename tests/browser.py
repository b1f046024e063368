"""A real browser, without a window: opens a page from disk, runs a script in it, and says what became of it.

The script is put at the end of a copy of the page and leaves its answer, as JSON, in an element of its own, so that all
that is needed is a browser that prints the page it made (`chromium --dump-dom`). Errors of the page are answers too.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=20000", "--dump-dom",
)  # fmt: skip
LISTEN = """<script>window.seen = []; window.addEventListener("error", (e) => seen.push(String(e.message)));
console.error = (...words) => seen.push("console: " + words.join(" "));
document.addEventListener("securitypolicyviolation", (e) => seen.push("asked for " + e.blockedURI));</script>"""
ANSWER = """<script>%s</script><script>window.addEventListener("load", async () => { let found;
try { found = await (async () => { %s })(); } catch (error) { seen.push(String(error)); }
const node = document.createElement("pre"); node.id = "answer-of-test";
node.textContent = JSON.stringify({ found, seen }); document.body.append(node); });</script>"""
AXE = Path(__file__).parents[1] / ".cache/axe/node_modules/axe-core/axe.min.js"  # where `make axe` puts it


def in_browser(page: str, script: str, folder: Path, width: int = 1200, dark: bool = False, library: str = "") -> Any:
    """What `script`, the body of a function, returns in the page, which may have no error and ask for nothing."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no chromium here; install it to test the pages in a browser")
    place = folder / "tested.html"
    beginning, end = page.replace("<body>", "<body>" + LISTEN, 1).rsplit("</body>", 1)
    place.write_text(beginning + ANSWER % (library, script) + "</body>" + end)
    looks = ["--blink-settings=preferredColorScheme=0"] if dark else []
    command = [
        program,
        *OPTIONS,
        *looks,
        f"--window-size={width},900",
        f"--user-data-dir={folder / 'profile'}",
        place.as_uri(),
    ]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    match = re.search(r'<pre id="answer-of-test">(.*?)</pre>', shown, re.DOTALL)
    assert match, shown[-2000:]
    answer = json.loads(unescape(match[1]))
    assert answer["seen"] == [], answer["seen"]
    return answer.get("found")


def violations(page: str, folder: Path, width: int = 1200, dark: bool = False) -> list[str]:
    """What axe-core finds serious or critical: the rule, and where."""
    if not AXE.exists():
        pytest.skip("no axe-core here; `make axe` fetches it by npm, to test whether everybody can use the pages")
    ask = """const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.filter((v) => ["serious", "critical"].includes(v.impact))
      .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);"""
    library = AXE.read_text().replace("</script", "<\\/script")
    found: list[str] = in_browser(page, ask, folder, width, dark, library)
    return found
