"""JSON that somebody may have written by hand: what is wrong with it is said with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from softcount.errors import InputError
from softcount.text.source import name_of, read_text


def read_json(path: str | Path, what: str, if_model: str, remedy: str) -> Any:
    text = read_text(path, if_model=if_model)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also of a number with thousands of digits
        where, why = "", "too deep, or a number too long"
        if isinstance(error, json.JSONDecodeError):
            where, why = f":{error.lineno}", error.msg
        raise InputError(f"{name_of(path)}{where}: not {what} ({why}); {remedy}") from None
