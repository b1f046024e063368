"""Text files → Bitext.

| form | a pair |
|---|---|
| two files | the same line of both |
| one file, ``|||`` | ``source ||| target`` on a line |
| one file, TSV | ``source<TAB>target`` on a line |
| one file, TMX or XLIFF | a unit, in two of its languages (``text.xml_pairs``, ``text.language_pairs``) |
| one file, Parquet or Arrow | a row, in two of its columns (``text.text_column``) |

Packed files and standard input (``-``) as everywhere. A form of one file is told by its name, else by its
first line that is not empty.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from softcount.errors import InputError
from softcount.text.bitext import Bitext, bitext
from softcount.text.corpus import Corpus, assemble
from softcount.text.language_pairs import read_pairs
from softcount.text.packing import unpacked_name
from softcount.text.preparation import Preparation, note_forms, note_uncut, preparation_of, prepared
from softcount.text.reader import text_of_table
from softcount.text.shard_folder import is_shards, loaded
from softcount.text.source import check_stdin, checked_text, line_of, name_of, read_chunks, read_text, split_tokens
from softcount.text.table_file import is_binary_table
from softcount.text.text_column import column_text, columns_of, two_text_columns
from softcount.text.vocabulary import Vocabulary, lowered
from softcount.text.xml_pairs import ENDINGS, is_xml

BAR = b"|||"
SIDE_COLUMN = "write its text column to a file of lines, or rename the file if its lines are the text"


def read_bitext(
    source: str | Path, target: str | Path | None = None, vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
    min_count: int = 1, lowercase: bool = False, *, source_language: str | None = None,
    target_language: str | None = None, only: str = "any",
    prepare: Preparation | None = None, tokenize: str | None = None, normalize: str | None = None,
) -> Bitext:  # fmt: skip
    """Read a Bitext from two parallel files, or from one file with both sides.

    Read more in the :doc:`guide to input </how-to/prepare-input>`.

    >>> from pathlib import Path
    >>> from softcount import read_bitext
    >>> _ = Path("pairs.tsv").write_text("the house\\tdas haus\\na book\\tein buch\\n")
    >>> len(read_bitext("pairs.tsv"))
    2

    Parameters
    ----------
    source : str or path
        The source sentences, or a file with both sides.
    target : str or path, optional
        Their translations, line by line.
    vocabularies : pair of Vocabulary, optional
        Whose numbers are used, as new text is read by an old model; then `min_count` has no say.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    lowercase : bool, default False
        Whether text is lower-cased first.
    source_language, target_language : str, optional
        Of TMX and XLIFF, the languages; of a table, its columns. They need not be said where there are two.
    only : str, default "any"
        Of XLIFF, units that are "translated" or "final", or "any".
    prepare : Preparation, optional
        What is done to raw text first, instead of the next two.
    tokenize : str, optional
        "rules", a package ("sacremoses", "jieba", "mecab", "spacy"), or "pipe:COMMAND", any command that reads lines.
    normalize : str, optional
        A form of Unicode, such as "NFC".

    Returns
    -------
    Bitext
    """
    if target is None and is_shards(source):
        stored: Bitext = loaded(bitext(source, None, vocabularies, min_count, lowercase))
        return stored
    prepare = prepare or preparation_of(tokenize, normalize)
    known = vocabularies or (None, None)
    if target is not None:
        check_stdin(source=source, target=target)
        if (source_language, target_language, only) != (None, None, "any"):
            raise InputError("languages and states need one TMX or XLIFF file, not two files; omit these options")
        first, second = _lines(source), _lines(target)
        names = name_of(source), name_of(target)
    else:
        first, second = sides_of(source, (source_language, target_language), only)
        names = f"{name_of(source)} (source)", f"{name_of(source)} (target)"
    sides = zip((prepared(first, prepare), prepared(second, prepare)), known, names, strict=True)
    return Bitext.of(*(_corpus(text, vocabulary, name, min_count, lowercase) for text, vocabulary, name in sides))


def _lines(path: str | Path) -> bytes:
    """Of a text, or of a table with one column of text."""
    found = text_of_table(path, None, instead=SIDE_COLUMN)
    return read_text(path) if found is None else found


def has_languages(path: str | Path) -> bool:
    """By its name: TMX, XLIFF, or a table, whose columns have names."""
    return unpacked_name(name_of(path)).endswith(ENDINGS) or is_binary_table(path)


def _corpus(text: bytes, vocabulary: Vocabulary | None, name: str, min_count: int, lowercase: bool) -> Corpus:
    offsets, tokens = split_tokens(text)
    if len(offsets) == 1:
        raise InputError(f"{name}: empty file; give at least one line")
    where = lambda token: f"{name}:{line_of(offsets, token)}"  # noqa: E731
    tokens = lowered(tokens) if lowercase else tokens
    note_uncut(len(offsets) - 1, len(tokens), len(text), name)
    found = assemble(offsets, tokens, None, where, vocabulary, min_count, source=name)
    note_forms(found.vocabulary.words, name)
    return found


def sides_of(path: str | Path, languages: tuple[str | None, str | None], only: str) -> tuple[bytes, bytes]:
    name = name_of(path)
    plain = unpacked_name(name)
    if is_binary_table(path):
        if only != "any":
            raise InputError(f"{name}: a table has no states; omit --only")
        table = columns_of(path)
        one, other = two_text_columns(table, languages)
        return column_text(table, one), column_text(table, other)
    chunks = read_chunks(path)
    first = next(chunks, b"")
    if (plain.endswith(ENDINGS) and first.strip()) or is_xml(first):
        return read_pairs(chain([first], chunks), name, *languages, only)
    if languages != (None, None) or only != "any":
        raise InputError(f"{name}: not TMX or XLIFF, so it has no languages or states; omit these options")
    text = checked_text(chain([first], chunks), name)
    if not text.strip():
        raise InputError(f"{name}: {'no words, only spaces' if text else 'empty file'}; give at least one pair")
    return cut_lines(text, mark_of(text, name), name)


def mark_of(text: bytes, name: str) -> bytes:
    """What stands between the sides, by the first line that is not empty."""
    line = next((line for line in text.split(b"\n", 1000) if line.strip()), b"")
    if BAR in line:
        return BAR
    if b"\t" in line or unpacked_name(name).endswith(".tsv"):
        return b"\t"
    raise InputError(
        f"{name}: the second file is missing, and the lines are not source ||| target or "
        "source<TAB>target; give both files"
    )


def cut_lines(text: bytes, mark: bytes, name: str, before: int = 0) -> tuple[bytes, bytes]:
    """At the mark of every line; an empty line is a pair of empty sentences. `before`: lines that came before."""
    left, right, shown = [], [], "|||" if mark == BAR else "<TAB>"
    rows = text.split(b"\n")
    for number, row in enumerate(rows[:-1] if rows[-1] == b"" else rows, before + 1):
        pieces = row.split(mark)
        if len(pieces) != 2 and row.strip():
            raise InputError(f"{name}:{number}: {shown} occurs {len(pieces) - 1} times; write source {shown} target")
        left.append(pieces[0])
        right.append(pieces[-1] if len(pieces) == 2 else b"")
    return b"\n".join(left) + b"\n", b"\n".join(right) + b"\n"
