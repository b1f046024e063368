"""What a notebook shows of an estimator: its name, the settings that are not as by default, and what it has learned."""

from __future__ import annotations

import inspect
from html import escape
from typing import Any

LONGEST = 80  # letters of a value
STYLE = "border-collapse:collapse;font-size:90%;text-align:left"


def shown(model: Any) -> str:
    """A small table in HTML; whatever comes from data or settings is escaped."""
    rows = [*_settings(model), *_learned(model)]
    cells = "".join(
        f"<tr><th style='text-align:left;padding-right:1em'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(_short(value))}</td></tr>"
        for name, value in rows
    )
    return f"<div><b>{escape(type(model).__name__)}</b><table style='{STYLE}'>{cells}</table></div>"


def _settings(model: Any) -> list[tuple[str, str]]:
    usual = {name: parameter.default for name, parameter in inspect.signature(type(model)).parameters.items()}
    given = model.get_params(deep=False)
    return [(name, repr(value)) for name, value in given.items() if name in usual and not _same(value, usual[name])]


def _same(value: Any, usual: Any) -> bool:
    return value is usual or (
        type(value) is type(usual) and isinstance(value, int | float | str | tuple) and value == usual
    )


def _learned(model: Any) -> list[tuple[str, str]]:
    if "signature_" not in model.__dict__ and "_stored" not in model.__dict__:
        return [("", "not trained yet")]
    sizes = ", ".join(f"{number:,} {what}" for what, number in model._sizes().items())
    data = model.data_
    counted = ", ".join(
        f"{number:,} {what}" if isinstance(number, int | float) else f"{number} {what}"
        for what, number in data.items()
        if what not in ("source", "digest")
    )
    rows = [("holds", sizes), ("trained on", f"{data['source']}: {counted}"), ("trained at", model.trained_)]
    if hasattr(model, "objective_"):
        rows.append(("objective", f"{model.objective_:,.4f}"))
    return rows


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
