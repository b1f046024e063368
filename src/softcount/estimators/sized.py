"""Estimators that may choose for themselves how many hidden values there are: `n_states="auto"`.

Training for the choice is variational Bayes, whatever the estimator is to be trained by afterwards: it needs an ELBO,
and probabilities that are nowhere zero for what is kept aside. What a state emits has a prior that is the text's own
words, Dirichlet(10 · P(word)): a state that has seen nothing emits what the text does. Under a prior that is the same
for all words every state has to learn first which words are frequent, and over a vocabulary of some size that costs
more than most states are worth: one would be the best of Brown. Classes of documents, which have many words each, are
worth it, and there the same prior for all words is the better one: of 20 Newsgroups leaning makes one class. Documents
repeat their own words, though, so that their tokens are worth less than they are (`repeats.py`).
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from softcount.criteria.spec import Settings
from softcount.errors import InputError
from softcount.estimators.featured_rows import FeaturedEstimator
from softcount.estimators.how_many import METHODS, SIZES, STEPS, Trained, Tried, choose
from softcount.estimators.splitting import Axes
from softcount.loop.train import Fit
from softcount.machine import stage
from softcount.numbers.tables import Tables
from softcount.text.stored import in_memory

AUTO = "auto"
PRIOR = 0.1  # of the choice
UNSEEN, NONE = 0.1, 1e-9  # what a word counts there beside its tokens; nothing, for a prior that must be positive
RESTARTS, FIRST_STEPS = 3, 8  # from starts of its own: after so many steps the best of them goes on alone


class SizedEstimator(FeaturedEstimator):
    """Subclasses name the setting, say how tables depend on it, and how likely new items are."""

    choose: str
    tried_: list[Tried]

    _size_name: ClassVar[str]
    _size_axes: ClassVar[Axes]
    _emits: ClassVar[str]  # the table of what hidden values emit, [values, words]
    _leans: ClassVar[float] = 0.0  # tokens of the text that each is imagined to have emitted; 0: PRIOR of every word
    _optional: ClassVar[tuple[str, ...]] = ("tried_", *FeaturedEstimator._optional)
    _described = (
        *FeaturedEstimator._described,
        (
            "tried_ : list of Tried",
            'All sizes tried with their scores, if the size is "auto".',
        ),
    )
    _found = 0  # the size that was chosen
    _sizing = False  # whether it is trained for the choice of one

    @property
    def _is_auto(self) -> bool:
        given = getattr(self, self._size_name)
        return isinstance(given, str) and given == AUTO

    @property
    def _size(self) -> Any:
        """The size in force."""
        return self._found if self._is_auto else getattr(self, self._size_name)

    def _check(self) -> None:
        super()._check()
        given = getattr(self, self._size_name)
        if isinstance(given, str) and given != AUTO:
            raise InputError(f'{self._size_name}={given!r}: give a whole number, or "auto"')
        if given is not None and given != AUTO and given < 1:
            raise InputError(f"{self._size_name} is {given}; it must be at least 1")
        if self.choose not in METHODS:
            raise InputError(f"choose={self.choose!r}: unknown; use {', '.join(METHODS)}")

    def _choose_size(self, items: Any, most: int) -> tuple[str, ...]:
        """Settles the size, where it is to be chosen, and says why."""
        self.__dict__.pop("tried_", None)
        if not self._is_auto:
            return ()
        stage.begin("choosing how many")
        items = in_memory(items, f"{self._size_name}=auto", "give a number")
        seed = int(self.random_state) if isinstance(self.random_state, int | np.integer) else 0
        train, most = _Trainer(self, seed), max(1, min(most, SIZES[-1]))
        items, told = self._worth(items, train, most)
        found = choose(self.choose, train, items, most, seed)
        self._found, self.tried_ = found.size, found.tried
        return (f"{self._size_name} is {found.size}, chosen by {self.choose}: {found.why}{told}",)

    def _worth(self, items: Any, train: _Trainer, most: int) -> tuple[Any, str]:
        """The items as what they are worth to the choice, and what to say of that."""
        return items, ""

    def _train(self, model: Any, items: Any, *where: Any, settings: Settings, **how: Any) -> Fit:
        if self._sizing and self._leans:
            words = items.frequencies + UNSEEN
            leaning = self._leans * words / words.sum()
            settings = settings._replace(prior={self._emits: NONE}, extra={self._emits: leaning})
        return super()._train(model, items, *where, settings=settings, **how)

    def _for_choice(self) -> dict[str, Any]:
        """Settings that the choice does without."""
        raise NotImplementedError

    def _begun_from(self, tables: Tables, before: Any) -> Any:
        """The start from these tables, which were learned by the model `before`."""
        return tables

    def _per_token(self, items: Any) -> float:
        """log P of new items, per token."""
        raise NotImplementedError


class _Trainer:
    """Clones of an estimator with other sizes."""

    def __init__(self, estimator: SizedEstimator, seed: int) -> None:
        self.estimator, self.seed, self.axes = estimator, seed, estimator._size_axes
        self.before: Any = None

    def __call__(self, items: Any, size: int, tables: Tables | None = None, steps: int = STEPS) -> Trained:
        if tables is None and size > 1:
            tables = self._fit(items, size, None, FIRST_STEPS, RESTARTS).parameters_
            steps = max(steps - FIRST_STEPS, 1)
        model = self._fit(items, size, tables, steps)
        assert model.posterior_ is not None
        posterior = np.asarray(model.posterior_[model._emits], np.float64)
        imagined = model._leans or PRIOR * posterior.shape[1]
        mass = np.maximum(posterior.sum(axis=1) - imagined, 0.0)
        emitted = np.asarray(model.parameters_._asdict()[model._emits], np.float64)
        return Trained(size, model.objective_, mass, emitted, model.parameters_, model._per_token)

    def _fit(self, items: Any, size: int, tables: Tables | None, steps: int, restarts: int = 1) -> Any:
        asked, fields = self.estimator, self.estimator.get_params(deep=False)
        fields |= {asked._size_name: size, "criterion": f"vb:{steps}", "prior": PRIOR, "random_state": self.seed}
        fields |= {"restarts": restarts, "fixed": (), "features": None, "sparse": None}
        begun = {} if tables is None else {"start": asked._begun_from(tables, self.before)}
        model = self.before = type(asked)(**{**fields, **asked._for_choice(), **begun})
        model._sizing = True
        what = asked._size_name.removeprefix("n_")
        with stage.towards(f"trying {size} {what if size > 1 else what[:-1]}"), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of classes that are not used: that is what is asked
            model.fit(items)
        return model
