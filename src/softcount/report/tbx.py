"""A glossary as TBX (ISO 30042:2019, the core with categories as attributes), which terminology tools import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

NOT_XML = {code: None for code in (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)}  # which no XML file may hold


def tbx_lines(rows: Iterable[Any], languages: tuple[str, str], title: str) -> Iterator[str]:
    """One concept a row: a term in each language, and what speaks for it as a note."""
    source, target = (quoteattr(language) for language in languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<tbx style="dca" type="TBX-Core" xml:lang={source} xmlns="urn:iso:std:iso:30042:ed-2">\n'
    yield f"<tbxHeader><fileDesc><sourceDesc><p>{_text(title)}</p></sourceDesc></fileDesc></tbxHeader>\n<text><body>\n"
    for number, row in enumerate(rows, 1):
        yield f'<conceptEntry id="c{number}"><note>{row.links} links, {row.share:.4f} of the source term</note>'
        yield f"<langSec xml:lang={source}><termSec><term>{_text(row.source)}</term></termSec></langSec>"
        yield f"<langSec xml:lang={target}><termSec><term>{_text(row.target)}</term></termSec></langSec>"
        yield "</conceptEntry>\n"
    yield "</body></text>\n</tbx>\n"


def _text(words: str) -> str:
    return escape(words.translate(NOT_XML))
