"""softcount.Shards: a folder of shards as a corpus, of which nothing is read before it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softcount.errors import InputError
from softcount.text.shard_folder import Folder
from softcount.text.stored import Stored, stored_texts

WHO = {"sentences": "sentences", "pairs": "sentence pairs", "documents": "documents"}


class Shards:
    """Folder of text written by `softcount shard`, an input of every estimator in place of text in memory.

    Read more in the :doc:`guide to text larger than memory </how-to/large-text>`.

    Parameters
    ----------
    path : str or Path
        The folder, or an address that `pyarrow.fs` knows, such as s3://bucket/shards.

    Returns
    -------
    SentenceShards, PairShards or DocumentShards
        By what the folder holds. `len()` is the number of items, `loaded` reads them into memory.
    """

    def __new__(cls, path: str | Path) -> Any:
        folder = Folder(path)
        texts = stored_texts(folder)
        if folder.kind == "pairs":
            from softcount.text.stored_pairs import PairShards

            return PairShards(folder, texts)
        if folder.kind == "documents":
            from softcount.text.stored_documents import DocumentShards

            return DocumentShards(folder, texts)
        from softcount.text.stored_sentences import SentenceShards

        return SentenceShards(folder, texts, folder.names("tagset"))


def shards_of(data: Any, kind: str) -> Any:
    """The folder that this is or names, which must hold this kind of items."""
    found: Any = data if isinstance(data, Stored) else Shards(data)
    if found.folder.kind != kind:
        wrong = f"holds {WHO.get(found.folder.kind, found.folder.kind)}, not {WHO[kind]}"
        raise InputError(f"{found.name}: {wrong}; write it again with softcount shard --kind {kind}")
    return found
