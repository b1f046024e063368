"""Translation memories (TMX) and translation files (XLIFF 1.2 and 2.x) → pairs of lines, as a stream.

| | a unit | its languages |
|---|---|---|
| TMX | a <tu>, the <seg> of its <tuv> | their xml:lang, in any order |
| XLIFF 1.2 | a <trans-unit>, or its <mrk mtype="seg">, where source and target have the same | of the <file> |
| XLIFF 2.x | a <segment> | srcLang and trgLang |

Inline codes (bpt, ept, ph, it, ut, sub, x, bx, ex, sc, ec …) are left out, with all that they hold; what marks text
(hi, g, pc, mrk) leaves its text. A code that is a line break is a blank. Suggestions (alt-trans, matches), notes and
properties are not read. Entities are refused, and no file that a file names is opened. The encoding is the one that the
file declares or begins with; UTF-8 that calls itself UTF-16 is UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from xml.parsers import expat

from softcount.errors import InputError

CODES = frozenset(["bpt", "ept", "ph", "it", "ut", "sub", "x", "bx", "ex", "sc", "ec", "cp", "sm", "em"])
IGNORED = frozenset(
    ("alt-trans", "matches", "notes", "note", "prop", "glossary", "originalData", "ignorable", "metadata")
)
BREAKS = frozenset(("lb", "x-lb", "fmt:lb", "x-html-br"))
ENDINGS = (".tmx", ".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
DONE = {
    "any": None,
    "translated": frozenset(["translated", "reviewed", "signed-off", "final"]),
    "final": frozenset(["signed-off", "final"]),
}
_DECLARED = re.compile(rb'^\xef\xbb\xbf<\?xml[^>]*|^<\?xml[^>]*encoding\s*=\s*["\'](utf-?16|ucs-?2|utf-?32)[^>]*', re.I)

Unit = Callable[[int, dict[str, str]], None]  # what is done with a line number and the texts by language


def is_xml(first: bytes) -> bool:
    """By its first bytes, in UTF-8 or UTF-16."""
    head = first[:64].lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"").lstrip()
    return head.startswith((b"<?xml", b"<tmx", b"<xliff", b"<!DOCTYPE tmx"))


def parse(chunks: Iterable[bytes], name: str, unit: Unit, only: str = "any") -> str:
    """Calls `unit` for every unit that has at least one text; `only` those that are as far (DONE).

    What comes back is the language that a TMX file calls its source, or nothing.
    """
    if only not in DONE:
        raise InputError(f"only={only!r}: unknown; use {', '.join(DONE)}")
    reader = _Reader(name, unit, DONE[only])
    for chunk in chunks:
        reader.feed(chunk)
    reader.feed(b"", last=True)
    return reader.declared


class _Reader:
    def __init__(self, name: str, unit: Unit, states: frozenset[str] | None) -> None:
        self.name, self.unit, self.states = name, unit, states
        self.parser: Any = None
        self.declared = ""
        self.languages = ("", "")  # of XLIFF: source, target
        self.language = ""  # of the text that is open
        self.skipped = 0  # how many elements are open within one that is not read
        self.text: list[str] | None = None
        self.segments: list[tuple[str, list[str]]] = []  # of <mrk mtype="seg">, open or done in this text
        self.marks: list[bool] = []  # of open <mrk>: whether it is a segment
        self.open_segments = 0
        self.begin(0)

    def begin(self, line: int) -> None:
        self.line, self.state, self.approved = line, "", False
        self.texts: dict[str, str] = {}
        self.by_segment: dict[str, dict[str, str]] = {}

    def feed(self, chunk: bytes, last: bool = False) -> None:
        if self.parser is None:
            self.parser = self._parser(chunk)
        try:
            self.parser.Parse(chunk, last)
        except expat.ExpatError as error:
            wrong = f"not well-formed XML ({expat.errors.messages[error.code]})"
            raise InputError(f"{self.name}:{error.lineno}: {wrong}; correct it, or export it again") from None
        except InputError:
            raise
        except (LookupError, ValueError):  # of an encoding that Python does not know, or that has no table
            raise InputError(f"{self.name}: declares an unknown encoding; convert it to UTF-8") from None

    def _parser(self, first: bytes) -> Any:
        parser = expat.ParserCreate("UTF-8" if _DECLARED.match(first[:200]) else None)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.data
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self.entity
        return parser

    def entity(self, *_: Any) -> None:
        where = f"{self.name}:{self.parser.CurrentLineNumber}"
        raise InputError(f"{where}: entities are not resolved; write the text itself")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if self.skipped or kind in IGNORED or (self.text is not None and kind in CODES):
            if not self.skipped and self.text is not None and _is_break(attributes):
                self.data(" ")
            self.skipped += 1
        elif self.text is not None and kind == "mrk":
            self.marks.append(attributes.get("mtype") == "seg")
            if self.marks[-1]:
                self.open_segments += 1
                self.segments.append((attributes.get("mid", ""), []))
        elif kind in OPENED:
            OPENED[kind](self, attributes)

    def end(self, tag: str) -> None:
        kind = tag.rpartition(":")[2]
        if self.skipped:
            self.skipped -= 1
        elif self.text is not None and kind == "mrk" and self.marks:
            self.open_segments -= self.marks.pop()
        elif kind in ("seg", "source", "target", "seg-source"):
            self.close()
        elif kind in ("tu", "trans-unit", "segment"):
            self.deliver()

    def data(self, content: str) -> None:
        if self.text is not None and not self.skipped:
            (self.segments[-1][1] if self.open_segments else self.text).append(content)

    # --- elements -----------------------------------------------------------------------------------------------------

    def open(self, language: str) -> None:
        self.language, self.text, self.segments, self.marks, self.open_segments = language, [], [], [], 0

    def close(self) -> None:
        if self.text is None:
            return
        whole = " ".join("".join([*self.text, *(piece for _, pieces in self.segments for piece in pieces)]).split())
        self.texts.setdefault(self.language, whole)
        for mid, pieces in self.segments:
            self.by_segment.setdefault(mid, {}).setdefault(self.language, " ".join("".join(pieces).split()))
        self.text = None

    def deliver(self) -> None:
        if self.states is None or self.state in self.states or self.approved:
            pairs = [texts for texts in self.by_segment.values() if len(texts) == 2]
            for texts in pairs or ([self.texts] if self.texts else []):
                self.unit(self.line, texts)
        self.begin(0)

    def header(self, attributes: dict[str, str]) -> None:
        self.declared = _language(attributes.get("srclang"))

    def tu(self, attributes: dict[str, str]) -> None:
        self.begin(self.parser.CurrentLineNumber)

    def tuv(self, attributes: dict[str, str]) -> None:
        named = attributes.get("xml:lang") or attributes.get("lang") or ""
        self.tuv_language = _language(named)

    def seg(self, attributes: dict[str, str]) -> None:
        language = getattr(self, "tuv_language", "")
        self.open(language or f"<{len(self.texts) + 1}>")  # without a language: the first, the second …

    def trans_unit(self, attributes: dict[str, str]) -> None:
        self.begin(self.parser.CurrentLineNumber)
        self.approved, self.state = attributes.get("approved") == "yes", attributes.get("state", "")

    def target(self, attributes: dict[str, str]) -> None:
        self.state = attributes.get("state", self.state)
        self.open(self.languages[1] or "<2>")

    def source(self, attributes: dict[str, str]) -> None:
        self.open(self.languages[0] or "<1>")

    def file(self, attributes: dict[str, str]) -> None:
        source, target = (_language(attributes.get(f"{side}-language")) for side in ("source", "target"))
        self.languages = (source or self.languages[0], target or self.languages[1])

    def xliff(self, attributes: dict[str, str]) -> None:
        self.languages = (_language(attributes.get("srcLang")), _language(attributes.get("trgLang")))


def _language(named: str | None) -> str:
    return (named or "").strip().lower().replace("_", "-")


def _is_break(attributes: dict[str, str]) -> bool:
    return any(attributes.get(name) in BREAKS for name in ("type", "ctype", "subType"))


OPENED: dict[str, Callable[[_Reader, dict[str, str]], None]] = {
    "header": _Reader.header,
    "tu": _Reader.tu,
    "tuv": _Reader.tuv,
    "seg": _Reader.seg,
    "xliff": _Reader.xliff,
    "file": _Reader.file,
    "trans-unit": _Reader.trans_unit,
    "segment": _Reader.trans_unit,
    "source": _Reader.source,
    "seg-source": _Reader.source,
    "target": _Reader.target,
}
