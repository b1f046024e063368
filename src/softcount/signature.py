"""The line that stands behind every number: what computed it, how, and from which data."""

from __future__ import annotations

import hashlib
import re

from softcount.errors import InputError
from softcount.version import TRAINS_AS, VERSION


def signature(*parts: str, **settings: object) -> str:
    """``softcount 0.1.0 | hmm | states=45 …``: fixed parts first, then settings in the order given."""
    shown = " ".join(f"{key}={value}" for key, value in settings.items())
    return " | ".join(["softcount " + VERSION, *parts, *([shown] if shown else [])])


FORMS = ("short", "long")


def check_form(form: str) -> None:
    if form not in FORMS:
        raise InputError(f"--signature {form!r}: unknown; use {', '.join(FORMS)}")


def in_form(signature: str, form: str) -> str:
    """The whole signature, or its fixed parts and a digest of it all: ``softcount 0.3.0 | hmm | sha256:0a1b2c3d4e5f``.

    The short form names what was run; whoever has the long one, from a model's file or a JSON answer, can verify it.
    """
    if form == "long":
        return signature
    first = signature.split(" | model: ")[0].split(" | ")
    fixed = [part for part in first if "=" not in part]
    return " | ".join([*fixed, "sha256:" + hashlib.sha256(signature.encode(errors="surrogatepass")).hexdigest()[:12]])


def of_any_version(signature: str) -> str:
    """The same whichever version wrote it, of those that train to the same bits: what it names is then the same too."""
    first = _numbers(TRAINS_AS)
    return re.sub(
        r"softcount (\d{1,9}\.\d{1,9}\.\d{1,9})\S*",
        lambda found: f"softcount {TRAINS_AS}" if _numbers(found[1]) >= first else found[0],
        signature,
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
