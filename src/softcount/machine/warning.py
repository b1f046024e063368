"""Warnings about a result, which are due whenever there is such a result."""

from __future__ import annotations

import sys
import warnings

OURS = "softcount"


def warn_each_time(message: str) -> None:
    """A UserWarning at the line that called this package, however often that line runs.

    Python shows a warning once for each line and text, and remembers it in the registry of the module: a fit in a loop
    would warn the first time. What the user's filters say of it (ignore, error, once) still holds.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == OURS:
        frame = frame.f_back
    module = frame.f_globals.get("__name__", "<unknown>")
    warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, frame.f_lineno, module, registry={})
