"""Commands that do not train show what they do as those that do: a line on a terminal after two seconds, or a log.

@watched
def export(…): ...      has --progress, too; the first result that is printed on the terminal takes the line away
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, get_type_hints

from softcount.cli.options import Shown
from softcount.cli.progress import Progress, check_mode
from softcount.machine.streams import is_screen, results, results_to


class Results:
    """A terminal's stdout, on which nothing else is shown once something is printed."""

    def __init__(self, terminal: Any, progress: Progress) -> None:
        self._terminal, self._progress = terminal, progress

    def write(self, text: str) -> int:
        self._progress.close()
        return int(self._terminal.write(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._terminal, name)


class Between(Results):
    """A terminal's stdout on which lines are printed while the progress line goes on below them."""

    def write(self, text: str) -> int:
        self._progress.clear()
        return int(self._terminal.write(text))


def watched(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def call(*args: Any, shown: str = "auto", **given: Any) -> None:
        check_mode(shown)
        with Progress(given.get("quiet", False), mode=shown) as progress:
            if not (progress.shown and is_screen()):
                function(*args, **given)
                return
            with results_to(Results(results(), progress)):
                function(*args, **given)

    hints = get_type_hints(function, include_extras=True) | {"shown": Shown}
    kept = [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()]
    own = inspect.Parameter("shown", inspect.Parameter.KEYWORD_ONLY, default="auto", annotation=Shown)
    call.__signature__ = inspect.Signature([*kept, own])  # type: ignore[attr-defined]
    call.__annotations__ = hints
    return call
