"""Text file → ids → shards.

The builder of a Corpus from Python lists is ``softcount.text.corpus.corpus``; it is not repeated here, because here
its name is the module's.
"""

from __future__ import annotations

from softcount.text.corpus import Corpus
from softcount.text.dictionary import TagDictionary, read_dictionary
from softcount.text.reader import read, read_labels
from softcount.text.shard import shards
from softcount.text.vocabulary import Vocabulary

__all__ = ["Corpus", "TagDictionary", "Vocabulary", "read", "read_dictionary", "read_labels", "shards"]
