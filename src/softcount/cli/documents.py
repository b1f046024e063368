"""What `topics` and `cluster` share: documents, and which of their words count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from softcount.cli.console import columns, lower_cased, preparation, say, say_unknown
from softcount.cli.options import HOW, IN, WHAT, IdColumn, Lowercase, Normalize, Restarts, TextColumn, Tokenize, option
from softcount.cli.sampling import Sampled
from softcount.errors import InputError
from softcount.machine import stage

if TYPE_CHECKING:
    from softcount.evaluate.topics import Coherence
    from softcount.text.documents import Documents

FORMS = (
    "Documents, one per line (may be compressed; - for stdin), or a folder, a table, UCI docword, .ldac, "
    ".svmlight, shards."
)
FEWEST = 20  # documents of which it says something that half of them have a word
ENGLISH = "english"  # the built-in list of stop words; ./english is a file of that name
USUAL = {"min_count": 1, "max_share": 1.0, "stop_words": 0}

Format = Annotated[str, option(IN, "Input format. Choices: auto, lines, folder, table, uci, ldac, svmlight.")]


@dataclass(kw_only=True)
class OfDocuments(Sampled):
    min_count: Annotated[int, option(WHAT, "Remove words in fewer than N documents.", min=1)] = 1
    max_share: Annotated[
        float, option(WHAT, "Remove words in more than this share of the documents.", min=0, max=1)
    ] = 1.0
    stop_words: Annotated[
        str | None, option(WHAT, "Stop words to remove: a file with one word per line, or `english`.")
    ] = None
    prior: Annotated[str, option(HOW, "Dirichlet concentration for vb and gibbs: a number, or word=0.01,….")] = "0.1"
    restarts: Restarts = 1
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    normalize: Normalize = None
    format: Format = "auto"
    text_column: TextColumn = None
    id_column: IdColumn = None

    docs: Any  # each command says itself whether it needs them

    def reads(self) -> dict[str, str | Path | None]:
        return {"documents": self.docs, "stop_words": None if self.stop_words == ENGLISH else self.stop_words}

    def beside(self) -> list[str | Path]:
        from softcount.text.document_reader import files_beside

        return [] if self.docs is None else list(files_beside(self.docs, self.format))

    def read(self, model: Any) -> Documents:
        if model is None:
            return self.pruned()
        data = self.documents(model, lower_cased(model, self.lowercase))
        note_unknown(model, data, self.quiet)
        return data

    def documents(self, model: Any, lowercase: bool) -> Documents:
        from softcount.text.document_reader import read_documents
        from softcount.text.documents import documents
        from softcount.text.shard_folder import is_shards

        if is_shards(self.docs):
            found = self.from_folder(self.docs, "documents", model, "format", "text_column", "id_column")
            return documents(found, lowercase=lowercase or bool(model is None and self.lowercase))
        prepare = self.prepare(model)
        chosen = columns(model, self.docs, text_column=self.text_column, id_column=self.id_column)
        return read_documents(self.docs, self.format, lowercase, prepare, **chosen)

    def pruned(self) -> Documents:
        """The documents without the words that are to be left out."""
        from softcount.text.documents import pruned

        data, stop = self.documents(None, self.lowercase), self.listed_stop_words()
        self.n_stop_words: int | str = ENGLISH if self.stop_words == ENGLISH else len(stop)
        return pruned(data, self.min_count, self.max_share, stop)

    def listed_stop_words(self) -> list[str]:
        from softcount.text.documents import listed_words
        from softcount.text.source import check_word_or_file, lines
        from softcount.text.vocabulary import lowered

        if self.stop_words == ENGLISH:
            if Path(ENGLISH).is_file():
                say("note: --stop-words english is the built-in list; to read the file, write ./english", self.quiet)
            return listed_words(ENGLISH, self.lowercase)
        if self.stop_words:
            check_word_or_file(self.stop_words, "a built-in list", f"{ENGLISH}, or a file with one word per line")
        stop = [word.strip() for word in lines(self.stop_words).to_pylist()] if self.stop_words else []
        return sorted({word for word in (lowered(stop).to_pylist() if self.lowercase else stop) if word})

    def reading(self) -> dict[str, Any]:
        """Which words were left out, where not as by default."""
        now = {"min_count": self.min_count, "max_share": self.max_share, "stop_words": self.n_stop_words}
        how: dict[str, Any] = self.prepared.settings()
        how |= columns(None, self.docs, text_column=self.text_column, id_column=self.id_column)
        return {name: value for name, value in now.items() if value != USUAL[name]} | how


def coherence_in(
    model: Any, docs: str, top: int, format: str = "auto", lowercase: bool = False, tokenize: str | None = None,
    text_column: str | None = None, quiet: bool = False, again: bool = False,
) -> tuple[Documents, Coherence]:  # fmt: skip
    """Documents in the words of a model of topics, and how coherent its topics are there; `again`: they were read, and
    what is to be said of them has been said."""
    from softcount.evaluate.topics import coherence
    from softcount.text.document_reader import read_in_order

    chosen, prepare = columns(model, docs, text_column=text_column), preparation(model, tokenize, None, quiet or again)
    read, text = read_in_order(docs, format, lower_cased(model, lowercase), prepare, **chosen)
    note_unknown(model, read, quiet or again)
    data = model._read(read, reset=False)
    stage.begin("scoring")
    words = None if model.vocabulary_ is None else model.vocabulary_.words
    found = coherence(model._rank(), data, words, read if text is None else text, top)
    if found.c_v is None:
        order = f"it needs the order of words, and {docs} has only counts"
        say(f"note: C_V is not available: {order}", quiet)
    return data, found


OUTPUTS = ("auto", "lines", "tsv")


def check_output(output: str) -> None:
    if output not in OUTPUTS:
        raise InputError(f"--output {output!r}: unknown; use {', '.join(OUTPUTS)}")


def beside_names(data: Documents, what: str, found: Iterable[Any], output: str = "auto") -> Iterator[str]:
    """One a line; where documents have names, or it is asked for, as TSV: document, and what was found of it."""
    from softcount.report.tsv import tsv_lines

    if output == "lines" or (output == "auto" and not data.named):
        return (f"{one}\n" for one in found)
    return tsv_lines(("document", what), zip(data.names_of(), found, strict=True))


def note_unknown(model: Any, data: Documents, quiet: bool) -> None:
    from softcount.text.documents import unknown_tokens

    unknown = unknown_tokens(data, model.vocabulary_)
    say_unknown(unknown, data.n_tokens, data.source, "words", "they are ignored", quiet)


def note_common(model: Any, data: Documents, quiet: bool) -> None:
    """Where topics are led by words that most documents have, they say little; how to leave such words out."""
    if data.vocabulary is None or len(data) < FEWEST or not hasattr(data, "document_frequencies"):
        return
    most = {data.vocabulary.words[v] for v in (data.document_frequencies > 0.5 * len(data)).nonzero()[0].tolist()}
    first = [str(words[0][0]) for words in model.top_words(1).values() if words]
    led = [word for word in first if word in most]
    if 3 * len(led) > len(first):
        named = ", ".join(dict.fromkeys(led[:3]))
        say(f"note: {len(led)} of {len(first)} topics are led by words that occur in more than half of "
            f"the documents ({named}); --max-share 0.5 or --stop-words removes such words", quiet)  # fmt: skip
