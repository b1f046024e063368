"""What `topics` and `cluster` share: documents, and which of their words count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from softcount.cli.console import lower_cased, preparation, say_unknown
from softcount.cli.options import IN, WHAT, Lowercase, Normalize, Restarts, Tokenize, option
from softcount.cli.training import Training

if TYPE_CHECKING:
    from softcount.text.documents import Documents

FORMS = "One document a line (.gz too, - for stdin), UCI docword, .ldac, .svmlight, folder."
USUAL = {"min_count": 1, "max_share": 1.0, "stop_words": 0}

Format = Annotated[str, option(IN, "auto, lines, uci, ldac, svmlight, folder.")]


@dataclass(kw_only=True)
class OfDocuments(Training):
    min_count: Annotated[int, option(WHAT, "Leave out words in fewer documents.", min=1)] = 1
    max_share: Annotated[float, option(WHAT, "Leave out words in a larger share of them.", min=0, max=1)] = 1.0
    stop_words: Annotated[Path | None, option(WHAT, "Words to leave out, one a line.")] = None
    restarts: Restarts = 1
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    normalize: Normalize = None
    format: Format = "auto"

    docs: Any  # each command says itself whether it needs them

    def reads(self) -> dict[str, str | Path | None]:
        return {"documents": self.docs, "stop_words": self.stop_words}

    def beside(self) -> list[str | Path]:
        from softcount.text.document_reader import files_beside

        return [] if self.docs is None else list(files_beside(self.docs, self.format))

    def read(self, model: Any) -> Documents:
        from softcount.text.document_reader import read_documents

        if model is None:
            return self.pruned()
        prepare = preparation(model, self.tokenize, self.normalize)
        data = read_documents(self.docs, self.format, lower_cased(model, self.lowercase), prepare)
        note_unknown(model, data, self.quiet)
        return data

    def pruned(self) -> Documents:
        """The documents without the words that are to be left out."""
        from softcount.text.document_reader import read_documents
        from softcount.text.documents import pruned
        from softcount.text.source import lines
        from softcount.text.vocabulary import lowered

        prepare = preparation(None, self.tokenize, self.normalize)
        data = read_documents(self.docs, self.format, self.lowercase, prepare)
        stop = [word.strip() for word in lines(self.stop_words).to_pylist()] if self.stop_words else []
        stop = sorted({word for word in (lowered(stop).to_pylist() if self.lowercase else stop) if word})
        self.n_stop_words = len(stop)
        return pruned(data, self.min_count, self.max_share, stop)

    def reading(self) -> dict[str, Any]:
        """Which words were left out, where not as by default."""
        now = {"min_count": self.min_count, "max_share": self.max_share, "stop_words": self.n_stop_words}
        how: dict[str, Any] = preparation(None, self.tokenize, self.normalize).settings()
        return {name: value for name, value in now.items() if value != USUAL[name]} | how


def note_unknown(model: Any, data: Documents, quiet: bool) -> None:
    from softcount.text.documents import unknown_tokens

    unknown = unknown_tokens(data, model.vocabulary_)
    say_unknown(unknown, data.n_tokens, data.source, "words", "they are left out", quiet)
