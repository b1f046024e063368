"""Numba's disk cache does not see edits in functions imported from other files, so tests key it by all that compile."""

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
digest = hashlib.sha256()
for source in sorted((ROOT / "src").rglob("*.py")):
    if "@kernel" in (text := source.read_text()) or "numba" in text:
        digest.update(text.encode())
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache" / f"numba-{digest.hexdigest()[:16]}")

from hypothesis import settings  # noqa: E402

settings.register_profile("softcount", deadline=None, max_examples=50, derandomize=bool(os.environ.get("CI")))
settings.load_profile("softcount")
