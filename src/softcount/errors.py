"""The one kind of error that is the user's to mend: one line that says where, what, and what to do."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input. ``str()`` is the whole message, one line; command lines print it and exit with 2."""
