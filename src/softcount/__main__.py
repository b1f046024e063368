"""``python -m softcount``, and the command itself: light, so that Ctrl-C is one line from the first moment on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise

LOST = (
    "Ray ended this command because the cluster's head or one of Ray's processes (raylet, GCS) was "
    "lost; check whether memory was short, and run the command again (with --checkpoint to lose less)"
)
RAYS = r"\[\d{4}-\d\d-\d\d [\d:,]+ \w \d+ \d+\] "  # how Ray's own lines begin


def main() -> None:
    try:
        from softcount.machine.streams import own_process

        own_process()
        end = _child() if _is_for_ray(sys.argv) else None
        from softcount.machine.alone import go_alone

        go_alone()
        from softcount.cli.main import main as run
    except KeyboardInterrupt:
        print("softcount: interrupted", file=sys.stderr)
        sys.exit(130)
    if end is None:
        run()
        return
    code = 1
    try:
        run()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        raise
    finally:
        end(code)


def _is_for_ray(words: list[str]) -> bool:
    return "--engine=ray" in words or ("--engine", "ray") in pairwise(words)


def _child() -> Callable[[int], None] | None:
    from softcount.machine.guardian import can_stand_by, stand_by

    if not can_stand_by():
        return None
    return stand_by(LOST, _remove_folders, RAYS)


def _remove_folders(process: int) -> None:
    """Of a cluster that this process started (engines/ray_cluster.py)."""
    import shutil
    import tempfile
    from pathlib import Path

    name = f"softcount-ray-{process}"
    for pattern in (name, f"{name}[a-z]"):
        for folder in Path(tempfile.gettempdir()).glob(pattern):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
