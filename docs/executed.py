"""Examples that say `show` are run while the site is built, and what they print or draw stands under them.

    ```python show          the text that it prints, and the figure that matplotlib has open, if any
    ```sh show              the text that its commands print

All examples before them on the page are run first, in a folder with generated files (`tests/page_data.py`). The pages'
other examples are run by the tests. `-D run_examples=0` leaves them as they are, to look at the rest in seconds.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

from page_blocks import FENCED, Block, Session, blocks

MADE = "_made"  # pictures, beside the pages


def run_page(app: Any, docname: str, source: list[str]) -> None:
    path = Path(app.srcdir) / f"{docname}.md"
    shows = any("show" in match["info"].split() for match in FENCED.finditer(source[0]))
    if not app.config.run_examples or not path.exists() or not shows:
        return
    found = iter(_results(blocks(path), Path(app.srcdir) / MADE, docname))
    source[0] = FENCED.sub(lambda match: match[0] + next(found), source[0])


def _results(listed: list[Block], made: Path, docname: str) -> list[str]:
    """What stands under each block: nothing, but for those that show."""
    import page_data

    last = max(i for i, block in enumerate(listed) if "show" in block.options)
    before, session = Path.cwd(), Session(page_data.names())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page_data.write(Path(folder))
        os.chdir(folder)
        try:
            found = []
            for number, block in enumerate(listed):
                printed = session.run(block) if number <= last and block.skipped is None else ""
                picture = made / f"{docname.replace('/', '-')}-{number}.svg"
                found.append(_under(printed, _drawn(picture)) if "show" in block.options else "")
            return found
        finally:
            os.chdir(before)


def _drawn(path: Path) -> str:
    """The figure that is open, drawn for light and dark pages alike; "" where there is none."""
    import matplotlib.pyplot as plt

    if not plt.get_fignums():
        return ""
    path.parent.mkdir(exist_ok=True)
    figure = plt.gcf()
    figure.savefig(path, bbox_inches="tight", facecolor="white", metadata={"Date": None})
    plt.close("all")
    return f"/{MADE}/{path.name}"


def _under(printed: str, picture: str) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", printed).rstrip("\n")
    text = f"\n\n```text\n{plain}\n```\n" if plain else ""
    return text + (f"\n\n![What the example draws]({picture})\n" if picture else "")


def setup(app: Any) -> dict[str, Any]:
    import kernel_cache
    import matplotlib

    kernel_cache.use()  # those that the tests have compiled
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "softcount"
    app.add_config_value("run_examples", True, "env")
    app.connect("source-read", run_page)
    app.connect("builder-inited", lambda app: shutil.rmtree(Path(app.srcdir) / MADE, ignore_errors=True))
    return {"version": "1", "parallel_read_safe": False}
