"""A real browser, without a window: opens a page from disk, runs a script in it, and says what became of it.

One browser serves all tests of a process. It is spoken to over two pipes, in the protocol of its own developer tools
(messages in JSON, each ended by a zero byte), so that nothing has to be installed besides the browser itself. Errors of
the page, of its console, and whatever it asks for besides itself are answers too, and fail the test.
"""

from __future__ import annotations

import atexit
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 120.0  # seconds for an answer
MOST = 16_000  # pixels of a screenshot, from the top
AXE = Path(__file__).parents[1] / ".cache/axe/node_modules/axe-core/axe.min.js"  # where `make axe` puts it
OF_LOOKS = ["color-contrast", "scrollable-region-focusable", "target-size"]  # rules that colours and width can break
VIOLATIONS = """const found = await axe.run(document, { resultTypes: ["violations"], ...ONLY });
    return found.violations.filter((v) => ["serious", "critical"].includes(v.impact))
      .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);"""


class Browser:
    def __init__(self, program: str) -> None:
        self.profile = tempfile.TemporaryDirectory()
        (theirs, self.out), (self.into, ours) = os.pipe(), os.pipe()
        for end in (theirs, ours):
            os.set_inheritable(end, True)
        # The browser reads from 3 and writes to 4, whatever the ends of the pipes are called here.
        words = ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{ours}', "bash", program, *OPTIONS]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([*words, f"--user-data-dir={self.profile.name}"], close_fds=False, **quiet)
        os.close(theirs)
        os.close(ours)
        self.number, self.rest, self.events = 0, b"", list[dict[str, Any]]()

    def close(self) -> None:
        os.close(self.out)
        os.close(self.into)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile.name, ignore_errors=True)
        self.profile.cleanup()

    def ask(self, method: str, session: str | None = None, **given: Any) -> Any:
        self.number += 1
        message = {"id": self.number, "method": method, "params": given, **({"sessionId": session} if session else {})}
        left = memoryview(json.dumps(message).encode() + b"\0")
        while left:
            left = left[os.write(self.out, left) :]
        return self.until(lambda heard: heard.get("id") == self.number)

    def until(self, wanted: Any) -> Any:
        """The first message that is wanted; all others are kept."""
        end = time.monotonic() + PATIENCE
        while True:
            heard = self._next(end)
            if wanted(heard):
                assert "error" not in heard, heard["error"]
                return heard.get("result", heard)
            self.events.append(heard)

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self.rest:
            assert select.select([self.into], [], [], max(end - time.monotonic(), 0.0))[0], (
                "the browser does not answer"
            )
            piece = os.read(self.into, 1 << 20)
            assert piece, "the browser ended"
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        heard: dict[str, Any] = json.loads(message)
        return heard

    @contextmanager
    def opened(self, place: Path, width: int, dark: bool) -> Iterator[str]:
        """A page of its own, loaded; the session to speak to it."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session: str = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events.clear()
        try:
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.ask(f"{domain}.enable", session)
            looks = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
            self.ask("Emulation.setEmulatedMedia", session, features=looks)
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            self.ask("Emulation.setDeviceMetricsOverride", session, **size)
            self.ask("Page.navigate", session, url=place.as_uri())
            if not any(heard.get("method") == "Page.loadEventFired" for heard in self.events):
                self.until(lambda heard: heard.get("method") == "Page.loadEventFired")
            yield session
        finally:
            self.ask("Target.closeTarget", targetId=target)

    def run(self, session: str, script: str) -> Any:
        """What the body of a function returns in the page."""
        words = {"expression": f"(async () => {{ {script} }})()", "awaitPromise": True, "returnByValue": True}
        answer = self.ask("Runtime.evaluate", session, **words)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def complaints(self, place: Path) -> list[str]:
        """Errors, what the console says of them, and everything that is asked for but the page itself."""
        told = list[str]()
        for heard in self.events:
            method, given = heard.get("method"), heard.get("params", {})
            if method == "Runtime.exceptionThrown":
                told.append(str(given["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
                told.append(f"console: {given['args']}")
            elif method == "Log.entryAdded" and given["entry"]["level"] == "error":
                told.append(given["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = given["request"]["url"]
                told += [] if url == place.as_uri() or url.startswith("data:") else [f"asked for {url}"]
        return told


@cache
def browser() -> Browser:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no chromium here; install it to test the pages in a browser")
    found = Browser(program)
    atexit.register(found.close)
    return found


def in_browser(page: str, script: str, folder: Path, width: int = 1200, dark: bool = False, library: str = "") -> Any:
    """What `script`, the body of a function, returns in the page, which may have no error and ask for nothing."""
    place = folder / "tested.html"
    place.write_text(page, encoding="utf-8")
    used = browser()
    with used.opened(place, width, dark) as session:
        if library:
            used.ask("Runtime.evaluate", session, expression=library)
        found = used.run(session, script)
    assert used.complaints(place) == []
    return found


def violations(page: str, folder: Path, width: int = 1200, dark: bool = False) -> list[str]:
    """What axe-core finds serious or critical: the rule, and where; in the dark, by those rules that may differ."""
    if not AXE.exists():
        pytest.skip("no axe-core here; `make axe` fetches it by npm, to test whether everybody can use the pages")
    only = f"const ONLY = {json.dumps({'runOnly': OF_LOOKS} if dark else {})};"
    found: list[str] = in_browser(page, only + VIOLATIONS, folder, width, dark, AXE.read_text(encoding="utf-8"))
    return found


def screenshot(place: Path, out: Path, width: int = 1200, dark: bool = False, script: str = "") -> list[str]:
    """The whole page as it looks, after a script, to look at; what it complains of."""
    used = browser()
    with used.opened(place, width, dark) as session:
        if script:
            used.run(session, script)
        size = used.ask("Page.getLayoutMetrics", session)["cssContentSize"]
        whole = {"x": 0, "y": 0, "width": width, "height": min(size["height"], MOST), "scale": 1}
        content = used.ask("Page.captureScreenshot", session, captureBeyondViewport=True, clip=whole)["data"]
    out.write_bytes(base64.b64decode(content))
    return used.complaints(place)
