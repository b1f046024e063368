"""Topics of documents that arrive in pieces: words alone are learned, and every piece is folded in.

Rows of documents that are gone would be of no use, so the model that takes a step is `models/plsa_folded.py`, which has
no table of them; the documents of the last piece are what users see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softcount.criteria.spec import Settings, Stage, by_sums, parse
from softcount.estimators.folding import prevalence_of
from softcount.estimators.plsa_background import PLSAWithBackground
from softcount.loop.online import Learned
from softcount.loop.weighted import checked_weights
from softcount.models.plsa import PLSATables
from softcount.models.plsa_folded import FoldedPLSA, TopicTables
from softcount.models.plsa_pieces import PiecePLSA, PieceTables
from softcount.models.plsa_words import WordCounts
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Log
from softcount.text.documents import Documents


class PLSAInPieces(PLSAWithBackground):
    """What `partial_fit` asks of softcount.PLSA."""

    def _online_stages(self) -> list[Stage]:
        return parse("em" if self.criterion is None else self.criterion)

    def _online_settings(self) -> Settings:
        """Of words alone: documents are folded in."""
        return self._of_words()

    def _ranks_pieces(self) -> bool:
        """Whether words are counted in documents as pieces arrive: under EM, which only asks for sums."""
        return all(map(by_sums, self._online_stages())) and self.features is None

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[FoldedPLSA, Documents, Array | None]:
        data = self._read(X, reset=False)
        start = self.prevalence_ / max(float(self.prevalence_.sum()), 1e-300)
        model: Any = FoldedPLSA(self._size, data.n_words, start, self.fold_pseudo * self._size)
        if self._ranks_pieces():
            background = self.__dict__.get("_common")  # of the first piece; a model from a file has all it has learned
            background = self.prevalence_ @ self.components_ if background is None else background
            pseudo, share = self.fold_pseudo * self._size, self.background_weight_
            model = PiecePLSA(self._size, data.n_words, start, pseudo, share, background)
        return model, data, checked_weights(sample_weight, len(data), "documents")

    def _carried(self) -> TopicTables | PieceTables:
        word = np.asarray(self.parameters_.word, dtype=np.float64, order="F")
        if not self._ranks_pieces():
            return TopicTables(word)
        if self._online is not None:
            carried: PieceTables = self._online.state.inner
            return carried
        none = np.zeros(word.shape)
        return PieceTables(word, none, none, none, np.zeros(word.shape[1]))

    def _held(self, model: Any) -> Any:
        if isinstance(model, FoldedPLSA | PiecePLSA):  # which have no table of documents
            names = [self.fixed] if isinstance(self.fixed, str) else self.fixed
            kept = [name for name in names if name == "word"]
            return {name: names[name] for name in kept} if isinstance(names, Mapping) else kept
        return self.fixed

    def _take_piece(self, learned: Learned, items: Documents) -> None:
        super()._take_piece(learned, items)
        word = learned.parameters.word
        if isinstance(learned.parameters, PieceTables):
            found = WordCounts(*learned.parameters[1:])
            here = items.times_weights().document_frequencies.sum() / max(len(items), 1)
            self._take_ranking(found, found.documents.sum() / max(here, 1e-300))
            word = self._give_back(word, found.plain) if self.background_weight_ else word
        self.components_ = self.word_ = np.asarray(word)
        topic = self._fold(items)
        self.parameters_ = PLSATables(topic, word)
        self._log_weights = PLSATables(Log(topic), Log(word) if self.background_weight_ else learned.log_weights.word)
        if self.posterior_ is not None:
            self.posterior_ = {"topic": None, "word": self.posterior_["word"]}
        self._show()
        share = items.sizes.sum() / learned.online.seen
        self.prevalence_ = (1.0 - share) * self.prevalence_ + share * prevalence_of(items, topic)
