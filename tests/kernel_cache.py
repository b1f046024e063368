"""Where compiled kernels are kept, for the tests and for the site: Numba's disk cache does not see edits in functions
that are imported from other files, so its folder is named by all that is compiled."""

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).parent.parent


def use() -> None:
    digest = hashlib.sha256()
    for source in sorted((ROOT / "src").rglob("*.py")):
        if "@kernel" in (text := source.read_text()) or "numba" in text:
            digest.update(text.encode())
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache" / f"numba-{digest.hexdigest()[:16]}")
