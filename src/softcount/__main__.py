"""``python -m softcount``, and the command itself: light, so that Ctrl-C is one line from the first moment on."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from softcount.machine.streams import own_process

        own_process()
        from softcount.machine.alone import go_alone

        go_alone()
        from softcount.cli.main import main as run
    except KeyboardInterrupt:
        print("softcount: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
