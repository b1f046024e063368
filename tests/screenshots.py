"""Pages as they look, to be looked at: light and dark, on a desktop and on a phone.

python tests/screenshots.py FOLDER PAGE.html …      PNG files in FOLDER; `softcount demo --pages DIR` writes pages
"""

from __future__ import annotations

import sys
from pathlib import Path

from browser import screenshot

WIDTHS = {"desktop": 1200, "phone": 390}
SETTLED = "await new Promise((done) => setTimeout(done, 500));"  # what a page computes after a while is there


def main(folder: Path, pages: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        for dark in (False, True):
            for name, width in WIDTHS.items():
                out = folder / f"{page.stem}-{name}-{'dark' if dark else 'light'}.png"
                print(out, *screenshot(page.resolve(), out, width, dark, SETTLED), sep="\n  ")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), [Path(page) for page in sys.argv[2:]])
