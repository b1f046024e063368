"""softcount.Decipher: how a language that is known was written in letters that are not.

    key = argmax P(cipher | key),   P(cipher | key) = Σ_plain P(plain) · ∏_t P(cipher letter t | plain letter t)

P(plain) is a language model of characters, and stays as it is; the key, a table of P(cipher letter | plain letter), is
learned by EM or any other criterion, from many random keys (`estimators/key_search.py`): with bigrams first, and from
the likeliest few with the longer n-grams of the language model. The shorter n-grams are those nearest to the language
model itself (`language/histories.py: shortened`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator, naming
from softcount.estimators.decipher_answers import BLANKS, TrainedDecipher
from softcount.estimators.key_search import search
from softcount.estimators.language_model import LanguageModel
from softcount.estimators.parameters import Seed, Where
from softcount.language.histories import next_letters, shortened
from softcount.language.ngram import SPECIAL
from softcount.loop.start import masked, random_start
from softcount.loop.trace import Step
from softcount.loop.train import Fit
from softcount.loop.weighted import checked_weights, digest_with
from softcount.machine.memory import check_room
from softcount.models.ngram_channel import ChannelTables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.signature import of_any_version
from softcount.text.characters import BLANK
from softcount.text.corpus import Corpus

HIGHEST = 4  # order, where none is asked for: a table of 28⁵ numbers takes its time


class Decipher(TrainedDecipher):
    """Substitution cipher solved by EM with a character language model of the plaintext.

    Read more in the :doc:`guide to substitution ciphers </how-to/decipher>`.

    >>> from softcount import Decipher, LanguageModel
    >>> plain = ["the rain in spain stays mainly in the plain"] * 5
    >>> lm = LanguageModel(order=3, characters=True).fit(plain)
    >>> cipher = [line.translate(str.maketrans("aehilmnprsty", "zyxwvutsrqpo")) for line in plain]
    >>> Decipher(lm, random_state=0).fit(cipher).predict(cipher[:1])
    ['the rain in spain stays mainly in the plain']

    Parameters
    ----------
    lm : LanguageModel, optional
        Of characters (``LanguageModel(characters=True)``): the language of the plain text. Needed to fit; a saved
        key has what it needs of it.
    order : int, optional
        How many letters make an n-gram, at most as many as the language model's, which is the default, up to 4.
    blanks : str, default "auto"
        "known", blanks of the text are blanks of the plain text; "unknown", they say nothing, and blanks of the plain
        text are found (order 3 at least); "letter", a blank is written as some letter, as others are. "auto": known
        where the text has blanks, else unknown.
    letters : str, optional
        The letters that the plain text may have, beside the blank; all of the language model's where not given.
    criterion : str, default "em:60"
        Stages by name, for every order of the language model (see `softcount.criteria.spec`).
    restarts : int, default 20
        So many random keys are tried with bigrams; the three likeliest go on.
    power : float, default 3.0
        Plain text is the likeliest by P(plain) · P(cipher | plain)^power: keys are surer than what EM makes of them.
    pseudo : float, default 0.0
        Pseudo-count of `em`.
    prior : float, default 0.1
        Dirichlet prior of `vb` and `gibbs`.
    tolerance : float, default 1e-5
        A stage ends when its objective changes by no more than this share.
    lowercase : bool, default False
        Whether text is lower-cased first.
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.

    Attributes
    ----------
    letters_ : tuple of str
        The plain letters; ``▁`` is the blank.
    vocabulary_ : Vocabulary
        The cipher letters, by their numbers.
    emission_ : array, [letters, cipher letters]
        P(cipher letter | plain letter).
    language_ : array
        P(letter | the letters before it), and of the end, as it was used.
    blanks_ : str
        What blanks were taken for: "known", "unknown" or "letter".
    """

    kind = "decipher"
    _unkept = ("lm",)
    _afterwards = ("power",)
    _learned = ("parameters_", "letters_", "vocabulary_", "language_", "blanks_", "decoded_", *LoopEstimator._FIT)
    _optional = (*LoopEstimator._optional, "decoded_")
    _types = (ChannelTables,)
    start: Any = "random"
    fixed: Any = ()

    def __init__(
        self,
        lm: LanguageModel | None = None,
        *,
        order: int | None = None,
        blanks: str = "auto",
        letters: str | None = None,
        criterion: str = "em:60",
        restarts: int = 20,
        power: float = 3.0,
        pseudo: float = 0.0,
        prior: float = 0.1,
        tolerance: float = 1e-5,
        lowercase: bool = False,
        engine: Where = "threads",
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.lm = lm
        self.order = order
        self.blanks = blanks
        self.letters = letters
        self.criterion = criterion
        self.restarts = restarts
        self.power = power
        self.pseudo = pseudo
        self.prior = prior
        self.tolerance = tolerance
        self.lowercase = lowercase
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_clone__(self) -> Self:
        """With the same language model, trained as it is."""
        return type(self)(**self.get_params(deep=False))

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> Self:  # fmt: skip
        """Learn the key of a text.

        Parameters
        ----------
        X : list of str, list of letter lists, or Corpus
            The lines of the cipher.
        y : object, optional
            Nobody looks at it.
        sample_weight : array, optional
            How often each line counts.

        Returns
        -------
        self
        """
        self._check()
        kept = self._checkpoint(checkpoint, checkpoint_every)
        lm, text = self._language(), self._text(X)
        weights = checked_weights(sample_weight, len(text), "lines")
        self.blanks_ = self._what_blanks_are(text)
        data = self._without_blanks(text) if self.blanks_ == "unknown" else text
        if data.n_tokens == 0:
            raise InputError(f"{data.source}: no letters to decipher; give at least one")
        self.vocabulary_ = data.vocabulary
        self.__dict__.pop("decoded_", None)
        self.letters_ = self._letters(lm, data)
        seed, digest = self._seed(kept), digest_with(text.digest(), weights)
        watched = {
            "settings": self._settings(), "digest": digest, "on_step": on_step, "checkpoint": kept, "weights": weights,
            "about": {"language": of_any_version(lm.signature_)},
        }  # fmt: skip
        with self._engine() as engine, naming(data.source, "line", "use a language model that contains these letters"):
            self._learn(self._tables(lm), data, seed, engine, watched)
        self._show()
        self.signature_ = self._sign(
            "decipher", seed, order=self._order(), blanks=self.blanks_, power=self.power, letters=len(self.letters_),
            lines=len(data), tokens=data.n_tokens, language=described_language(lm), data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, text.source, digest, lines=len(data), letters=data.n_tokens)
        return self

    def _learn(self, tables: Sequence[Array], data: Corpus, seed: int, engine: Any, watched: dict[str, Any]) -> None:
        """With the bigram table from many random keys; then with the longer ones, from the best."""
        allowed = {"emission": self._allowed()}
        longest, size = int(data.sizes.max()), len(tables[-1])
        check_room(8.0 * size * (longest + 1), f"a line of {longest:,} letters", "split it, or use a lower order")

        def train(order: int, start: Callable[[int], Tables], restarts: int, slot: str) -> Fit:
            self.language_ = tables[order - 2]
            self._model = self._channel(self.language_, order)
            return self._train(self._model, data, start, seed, engine, slot=slot, restarts=restarts, **watched)

        def random(number: int) -> Tables:
            layout = self._channel(tables[0], 2).layout
            return masked(layout, random_start(layout, (seed, number)), allowed)

        if self._beginning:  # pieces are learned with the longest n-grams, from the first of the random keys
            train(len(tables) + 1, random, 1, "fit")
            return
        found = self._take(search(train, random, self.restarts, len(tables) + 1))
        if found.trace:
            self.objective_ = [step for step in found.trace if step.restart == found.chosen][-1].objective

    def _tables(self, lm: LanguageModel) -> list[Array]:
        """P(letter | history) of every order from 2 on."""
        ids = lm.vocabulary_.encode(list(self.letters_))
        order = self._chosen_order(lm)
        if self.blanks_ == "unknown" and order < 3:
            raise InputError("unknown spaces need n-grams of order 3; use a language model of order 3")
        found = [next_letters(lm.orders_, ids.tolist(), order)]
        while len(found) < order - 1:
            found.append(shortened(found[-1]))
        return found[::-1]

    def _allowed(self) -> Array:
        """[letters, cipher letters]: a blank that is known is written as a blank, and nothing else is."""
        mask = np.ones((len(self.letters_), len(self.vocabulary_)), dtype=bool)
        if self.blanks_ == "known" and BLANK in self.vocabulary_:
            row, column = self.letters_.index(BLANK), self.vocabulary_.words.index(BLANK)
            mask[row], mask[:, column] = False, False
            mask[row, column] = True
        return mask

    def _held(self, model: Any) -> Any:
        """The blank, where it emits nothing, has nothing to learn."""
        mask = np.zeros((len(self.letters_), len(self.vocabulary_)), dtype=bool)
        if self.blanks_ == "unknown" and BLANK in self.letters_:
            mask[self.letters_.index(BLANK)] = True
        return {"emission": mask} if mask.any() else ()

    # --- what is asked for ------------------------------------------------------------------------------------------

    def _check(self) -> None:
        super()._check()
        if self.blanks not in BLANKS:
            raise InputError(f"`blanks` {self.blanks!r}: unknown; use {', '.join(BLANKS)}")
        if not 0.0 < self.power < float("inf"):
            raise InputError(f"power is {self.power}; it must be above zero")
        if self.order is not None and self.order < 2:
            raise InputError(f"order is {self.order}; it must be at least 2")

    def _language(self) -> LanguageModel:
        if not isinstance(self.lm, LanguageModel):
            raise InputError("the language model is missing; give Decipher a trained LanguageModel(characters=True)")
        self.lm._check_fitted("orders_")
        if not self.lm.characters:
            raise InputError(
                "the language model is a model of words; use one of characters (softcount lm --characters)"
            )
        if len(self.lm.orders_) < 2:
            raise InputError("the language model has order 1; use order 2 or more, preferably 3")
        if self.order is not None and self.order > len(self.lm.orders_):
            raise InputError(
                f"order is {self.order}, but the language model has order {len(self.lm.orders_)}; use at most that"
            )
        return self.lm

    def _chosen_order(self, lm: LanguageModel) -> int:
        return self.order or min(len(lm.orders_), HIGHEST)

    def _what_blanks_are(self, text: Corpus) -> str:
        if self.blanks != "auto":
            return self.blanks
        return "known" if BLANK in text.vocabulary else "unknown"

    def _letters(self, lm: LanguageModel, data: Corpus) -> tuple[str, ...]:
        own = lm.vocabulary_.words[len(SPECIAL) :]
        wanted = set(own) if self.letters is None else {*self.letters.replace(" ", ""), BLANK}
        found = tuple(letter for letter in own if letter in wanted)
        if len(found) < 2 and found != tuple(own):
            raise InputError(f"letters {self.letters!r}: none of them is in the language model; use its letters")
        if self.blanks_ == "known" and BLANK in data.vocabulary and BLANK not in found:
            raise InputError(f"{data.source}: has spaces, but the language model has none; write one word per line, or "
                "use `blanks` unknown")  # fmt: skip
        return found


def described_language(lm: LanguageModel) -> str:
    return str(lm.data_["digest"])[:19]
