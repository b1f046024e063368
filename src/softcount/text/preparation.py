"""What is done to raw text before it is cut at blanks: one form of Unicode, and tokens.

    prepared(text, Preparation("rules", "NFC"))          lines in, as many lines out

| tokenize | what it is |
|---|---|
| rules | the small tokenizer of `text.tokenizer`, for writing with blanks |
| sacremoses, jieba, mecab, spacy | a package of that name, where it is installed |
| pipe:COMMAND | any command that reads lines and writes as many |

A command is run where a person gives it. What a file says of its text (`reading_` of a saved model, the manifest of a
folder of shards) may name one of the others; a command there is a description, and is refused (`text.claim`).
"""

from __future__ import annotations

import shlex
import subprocess
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from softcount.errors import InputError
from softcount.text.claim import Claim
from softcount.text.source import quoted
from softcount.text.unicode_form import normalize

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
PIPE = "pipe:"
NONE = "none"  # as it stands, whatever a model's own text was
UNKNOWN: Mapping[str, Any] = MappingProxyType({})
SHOWN = 3  # words named in a note
MANY = 20  # lines, from which on it is told how text looks
UNCUT = 15  # letters of a usual token, from which on a line of one token is a sentence


class Preparation(NamedTuple):
    tokenize: str | None = None
    normalize: str | None = None

    def check(self) -> None:
        if self.normalize is not None and self.normalize not in FORMS:
            said, forms = self.normalize, ", ".join(FORMS)
            if isinstance(said, Claim):
                raise InputError(f"{said.file}: names no Unicode form ({said.shown}); give --normalize: {forms}")
            raise InputError(f"Unicode form {said!r}: unknown; use {forms}")
        if self.tokenize is not None:
            check_tokenizer(self.tokenize)

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Preparation:
        """What options or a file say, of which nothing is checked before text is prepared."""
        return cls(*(None if said.get(name) == NONE else said.get(name) for name in cls._fields))

    def options(self) -> str:
        """As a command takes it, for messages."""
        shown = [value.shown if isinstance(value, Claim) and value not in KNOWN else value for value in self]
        return f"--tokenize {shown[0] or NONE}" + (f" --normalize {shown[1]}" if shown[1] else "")

    def settings(self) -> dict[str, str]:
        settings = {"tokenize": self.tokenize, "normalize": self.normalize}  # as files call them
        return {name: value for name, value in settings.items() if value is not None}


def preparation_of(tokenize: str | None, normalize: str | None, reading: Mapping[str, Any] = UNKNOWN) -> Preparation:
    """What is asked for, else what `reading` says of another text; "none" is nothing."""
    found = Preparation.of({**reading, **asked_for(tokenize, normalize)})
    found.check()
    return found


def asked_for(tokenize: str | None, normalize: str | None) -> dict[str, str]:
    """The options that were given."""
    given = {"tokenize": tokenize, "normalize": normalize}
    return {name: value for name, value in given.items() if value is not None}


def check_tokenizer(name: str) -> None:
    """Whether there is such a tokenizer, and whether it may be used by who names it."""
    if name in TOKENIZERS:
        return
    if isinstance(name, Claim):
        raise InputError(
            f"{name.file}: its text was tokenized by {name.shown}, and commands in a model are not "
            f"run; give --tokenize again (Python: tokenize=): {PIPE}COMMAND, if you trust it, "
            f"{', '.join(TOKENIZERS)} or {NONE}"
        )
    if not name.startswith(PIPE):
        raise InputError(f"tokenizer {name!r}: unknown; use {', '.join(TOKENIZERS)} or pipe:COMMAND")


def prepared(text: bytes, how: Preparation | None) -> bytes:
    """The text of a file, known to be UTF-8."""
    if how is None or how == (None, None):
        return text
    how.check()
    decoded = text.decode()
    if how.normalize:
        decoded = normalize(how.normalize, decoded)
    if how.tokenize:
        ends = decoded.endswith("\n")
        lines = tokenized(decoded.removesuffix("\n").split("\n"), how.tokenize)
        decoded = "\n".join(lines) + ("\n" if ends else "")
    return decoded.encode()


def tokenized(lines: Sequence[str], tokenizer: str) -> list[str]:
    check_tokenizer(tokenizer)
    if tokenizer.startswith(PIPE):
        return _piped(lines, tokenizer[len(PIPE) :])
    try:
        cut = TOKENIZERS[tokenizer]()
    except ImportError:
        package = PACKAGES.get(tokenizer, tokenizer)
        raise InputError(f"the tokenizer {tokenizer} needs the package {package}; install it, or use rules") from None
    return [" ".join(cut(line).split()) for line in lines]


def _piped(lines: Sequence[str], command: str) -> list[str]:
    """What the command makes of the lines."""
    try:
        done = subprocess.run(
            shlex.split(command), input="".join(f"{line}\n" for line in lines).encode(), capture_output=True
        )
    except (OSError, ValueError, IndexError) as error:
        raise InputError(
            f"pipe:{command}: cannot be run ({getattr(error, 'strerror', None) or error}); run it alone to check"
        ) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        raise InputError(
            f"pipe:{command}: failed with exit code {done.returncode} ({quoted(said, 100)}); run it alone to check"
        )
    found = done.stdout.decode(errors="replace").removesuffix("\n").split("\n")
    if len(found) != len(lines):
        raise InputError(
            f"pipe:{command}: wrote {len(found)} lines for {len(lines)}; it must write one line per line read"
        )
    return [" ".join(line.split()) for line in found]


def _rules() -> Callable[[str], str]:
    from softcount.text.tokenizer import tokenize

    return tokenize


def _sacremoses() -> Callable[[str], str]:
    from sacremoses import MosesTokenizer

    moses = MosesTokenizer()
    return lambda line: str(moses.tokenize(line, return_str=True, escape=False))


def _jieba() -> Callable[[str], str]:
    import jieba

    jieba.setLogLevel(60)
    return lambda line: " ".join(jieba.cut(line))


def _mecab() -> Callable[[str], str]:
    import MeCab

    tagger: Any = MeCab.Tagger("-Owakati")
    return lambda line: str(tagger.parse(line))


def _spacy() -> Callable[[str], str]:
    import spacy

    blank = spacy.blank("xx")
    return lambda line: " ".join(token.text for token in blank(line))


TOKENIZERS: dict[str, Callable[[], Callable[[str], str]]] = {
    "rules": _rules,
    "sacremoses": _sacremoses,
    "jieba": _jieba,
    "mecab": _mecab,
    "spacy": _spacy,
}
KNOWN = (*TOKENIZERS, *FORMS)
PACKAGES = {"mecab": "mecab-python3"}


def note_forms(words: Sequence[str], where: str) -> None:
    """Words that stand there in two forms of Unicode are two words to every model."""
    odd = [word for word in words if not word.isascii() and not unicodedata.is_normalized("NFC", word)]
    if not odd:
        return
    known = set(words)
    twice = [word for word in odd if normalize("NFC", word) in known]
    if twice:
        named = ", ".join(normalize("NFC", word) for word in twice[:SHOWN])
        count = f"{len(twice):,} word{'s' * (len(twice) > 1)}"
        wrong = f"{count} in two Unicode forms ({named}{' …' * (len(twice) > SHOWN)})"
        warnings.warn(f"{where}: {wrong}; --normalize NFC unifies them", UserWarning, stacklevel=4)


def note_uncut(n_lines: int, n_tokens: int, n_bytes: int, where: str) -> None:
    """Text that has as good as no blanks."""
    if n_lines >= MANY and n_tokens <= 1.2 * n_lines and n_bytes >= UNCUT * n_tokens:
        wrong = "only one token per line; the text does not seem to be tokenized."
        warnings.warn(
            f"{where}: {wrong} --tokenize splits text at spaces and punctuation, or with a dictionary",
            UserWarning,
            stacklevel=4,
        )
