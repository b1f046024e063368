"""Topics of documents that arrive in pieces: words alone are learned, and every piece is folded in.

Rows of documents that are gone would be of no use, so the model that takes a step is `models/plsa_folded.py`, which has
no table of them; the documents of the last piece are what users see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softcount.criteria.spec import Settings, Stage, parse
from softcount.estimators.folding import prevalence_of
from softcount.estimators.plsa_answers import TrainedPLSA
from softcount.loop.online import Learned
from softcount.loop.weighted import checked_weights
from softcount.models.plsa import PLSATables
from softcount.models.plsa_folded import FoldedPLSA, TopicTables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Log
from softcount.text.documents import Documents


class PLSAInPieces(TrainedPLSA):
    """What `partial_fit` asks of softcount.PLSA."""

    def _online_stages(self) -> list[Stage]:
        return parse("em" if self.criterion is None else self.criterion)

    def _online_settings(self) -> Settings:
        """Of words alone: documents are folded in."""
        found = self._settings()
        by_table = [
            {"word": setting["word"]} if isinstance(setting, Mapping) and "word" in setting else setting
            for setting in (found.pseudo, found.prior)
        ]
        return found._replace(pseudo=by_table[0], prior=by_table[1])

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[FoldedPLSA, Documents, Array | None]:
        data = self._read(X, reset=False)
        start = self.prevalence_ / max(float(self.prevalence_.sum()), 1e-300)
        model = FoldedPLSA(self._size, data.n_words, start, self.fold_pseudo * self._size)
        return model, data, checked_weights(sample_weight, len(data), "documents")

    def _carried(self) -> TopicTables:
        return TopicTables(np.asarray(self.parameters_.word, dtype=np.float64, order="F"))

    def _held(self, model: Any) -> Any:
        if isinstance(model, FoldedPLSA):  # which has no table of documents
            names = [self.fixed] if isinstance(self.fixed, str) else self.fixed
            kept = [name for name in names if name == "word"]
            return {name: names[name] for name in kept} if isinstance(names, Mapping) else kept
        return self.fixed

    def _take_piece(self, learned: Learned, items: Documents) -> None:
        super()._take_piece(learned, items)
        self.components_ = self.word_ = np.asarray(learned.parameters.word)
        topic = self._fold(items)
        self.parameters_ = PLSATables(topic, learned.parameters.word)
        self._log_weights = PLSATables(Log(topic), learned.log_weights.word)
        if self.posterior_ is not None:
            self.posterior_ = {"topic": None, **self.posterior_}
        self._show()
        share = items.sizes.sum() / learned.online.seen
        self.prevalence_ = (1.0 - share) * self.prevalence_ + share * prevalence_of(items, topic)
