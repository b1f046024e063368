"""Where compiled kernels are kept, for the tests and for the site: one folder for all states of the source, because a
kernel is known by all that it is made of."""

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent


def use() -> None:
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache" / "kernels")
