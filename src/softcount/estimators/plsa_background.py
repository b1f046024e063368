"""The background of softcount.PLSA while it trains, and what words are ranked by once it has been given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softcount.criteria.spec import Settings, by_sums
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.plsa_answers import TrainedPLSA
from softcount.estimators.topic_words import (
    AUTO,
    NONE,
    background_weight,
    background_words,
    count_words,
    parse_background,
    rank_offset,
)
from softcount.loop.start import constrain
from softcount.models.plsa import PLSA as Model
from softcount.models.plsa import PLSATables
from softcount.models.plsa_background import BackgroundPLSA
from softcount.models.plsa_folded import FoldedPLSA, TopicTables
from softcount.models.plsa_words import WordCounts
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Log
from softcount.text.documents import Documents


class PLSAWithBackground(TrainedPLSA):
    background: float | str | None
    _model: Any

    def _mixed(self, data: Documents) -> Model | BackgroundPLSA:
        """The model to train, which has a background where there is to be one."""
        plain = Model(len(data), self._size, data.n_words)
        asked = parse_background(self._usual_background() if self.background is None else self.background)
        weight = background_weight(data, self._size) if asked == AUTO else 0.0 if asked == NONE else float(asked)
        self.background_weight_ = weight
        return BackgroundPLSA(*plain, weight, background_words(data)) if weight else plain

    def _usual_background(self) -> str:
        """Of what is named by its criterion, or in another way, nothing is done that is not named."""
        named = self.criterion is not None or self.features is not None or self.held_out or len(self.fixed)
        return NONE if named else AUTO

    def _check_background(self) -> None:
        if self.background is None or parse_background(self.background) in (NONE, 0.0):
            return
        for stage in self._stages():
            if not by_sums(stage):
                raise InputError(
                    f"criterion {stage.text!r} is not available with a background; use em (also annealed or "
                    "stepwise), or background none"
                )
        for name in ("features", "held_out"):
            if getattr(self, name):
                raise InputError(f"a background cannot be combined with {name}; use one of them")

    def _signed_background(self) -> dict[str, str]:
        return {"background": f"{self.background_weight_:.4g}"} if self.background_weight_ else {}

    def _count_words(self, data: Documents, engine: Engine) -> None:
        """What words are ranked by; then the background is given back, by one step of EM of the words' table."""
        mixed = self._model if isinstance(self._model, BackgroundPLSA) else None
        found = count_words(data, self.parameters_, mixed, engine)
        self._take_ranking(found, len(data))
        if mixed is not None:
            topic, word = self.parameters_[:2]
            word = self._give_back(word, found.plain)
            self.parameters_, self._log_weights = PLSATables(topic, word), PLSATables(Log(topic), Log(word))

    def _take_ranking(self, found: WordCounts, n_documents: float) -> None:
        self.attributed_ = np.sqrt(found.attributed * found.topics).astype(np.float32)
        self.document_frequency_ = found.documents
        self.rank_offset_ = rank_offset(found.documents, n_documents)

    def _give_back(self, word: Array, plain: Array) -> Array:
        """One step of EM of the words' table from `plain`, the counts that it expects without a background."""
        tables, layout = TopicTables(word), FoldedPLSA(self._size, word.shape[1], np.empty(0), 0.0).layout
        names = [self.fixed] if isinstance(self.fixed, str) else self.fixed
        masks = names if isinstance(names, Mapping) else dict.fromkeys(names, True)
        held = {name: mask for name, mask in masks.items() if name == "word"}
        criterion = self._stages()[-1].innermost.build(constrain(layout, tables, held), self._of_words())
        counts: Any = Expectation(TopicTables(plain), 0.0)
        found: Array = criterion.step(tables, lambda *asked: counts)[0].word  # type: ignore[arg-type]
        return found

    def _of_words(self) -> Settings:
        """Settings of the words' table alone."""
        found = self._settings()
        by_table = [
            {"word": setting["word"]} if isinstance(setting, Mapping) and "word" in setting else setting
            for setting in (found.pseudo, found.prior)
        ]
        return found._replace(pseudo=by_table[0], prior=by_table[1])
