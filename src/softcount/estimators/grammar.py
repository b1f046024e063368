"""softcount.Grammar: context-free grammars whose rules get their probabilities from text, from trees, or from both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcount.criteria.spec import Settings, parse
from softcount.errors import InputError
from softcount.estimators.grammar_answers import BEST, TrainedGrammar, naming
from softcount.estimators.grammar_rules import (
    Given,
    full_grammar,
    given_grammar,
    grammar_off,
    held_rules,
    listed_trees,
    per_rule,
    rule_probabilities,
)
from softcount.estimators.parameters import Fixed, PerTable, Seed, Sparse, Where
from softcount.estimators.saved import described
from softcount.loop.start import random_start, uniform_start
from softcount.loop.trace import DONE, READ_OFF, Ending, Step
from softcount.loop.weighted import checked_weights, digest_with
from softcount.models.grammar import GrammarTables
from softcount.models.grammar import grammar as compiled
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Tables
from softcount.text.cfg import Rules
from softcount.text.corpus import Corpus, corpus
from softcount.text.digest import content_digest
from softcount.text.stored import in_memory
from softcount.text.trees import Tree

STARTS = ("given", "random", "uniform")


class Grammar(TrainedGrammar):
    """Probabilistic context-free grammar, trained on sentences, brackets or trees, or read from a treebank.

    Read more in the :doc:`guide to grammars </how-to/grammars>`.

    >>> from softcount import Grammar
    >>> grammar = Grammar("S -> NP VP\\nNP -> 'she' | 'the' 'dog'\\nVP -> 'saw' NP | 'ran'")
    >>> print(grammar.fit(["she saw the dog", "the dog ran"]).parse(["the dog saw she"])[0])
    (S (NP the dog) (VP saw (NP she)))

    Parameters
    ----------
    grammar : str or path, optional
        A file, or the rules themselves, as NLTK writes them: ``S -> NP VP | S CC S [0.3]``, words in quotes.
    nonterminals : int, optional
        Without a grammar, every rule over so many symbols is possible, learned from a random start.
    preterminals : int, optional
        As many as nonterminals if not given; 0: words themselves stand in rules.
    markov : (int, int), optional
        (v, h) for a grammar read off trees: how many labels upwards a phrase is known by, and how many parts of
        a right side are remembered (None: all).
    criterion : str, default "em:50"
        Stages by name, such as "em:50,mre:20" (see `softcount.criteria.spec`).
    start : str or mapping, optional
        "given", the grammar's own probabilities, which is what None means where it has some; "uniform";
        "random"; or probabilities of rules, {"NP -> Det N": 0.5}, where the others share the rest.
    fixed : list of str, default ()
        Symbols, or rules as lines, that training leaves alone.
    pseudo : float or mapping, default 0.0
        Pseudo-counts of `em`: a number, or a mapping from symbols and rules to numbers.
    prior : float or mapping, default 0.1
        Dirichlet prior of `vb` and `gibbs`: a number, or a mapping from symbols and rules to numbers.
    sparse : pair, optional
        (alpha, beta) of a wish for symbols with few rules, α Σ exp(−θ/β), under `em`, `hard` and `mre`.
    restarts : int, default 1
        The best of so many starts, by the objective.
    tolerance : float, default 1e-6
        A stage ends when its objective changes by no more than this share.
    lowercase : bool, default False
        Whether text is lower-cased first, here and in whatever is read later.
    best : str, default "viterbi"
        Which tree `parse` gives: "viterbi", the most probable; "brackets", that with the most expected
        brackets.
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.

    Attributes
    ----------
    rules_ : Rules
        The rules, their symbols and words.
    top_ : str
        The start symbol of a grammar read off trees, which its trees do not show.
    """

    kind = "grammar"
    _afterwards = ("best",)
    _learned = ("parameters_", "rules_", "top_", *TrainedGrammar._FIT)
    _types = (GrammarTables, Rules)

    def __init__(
        self,
        grammar: str | Path | tuple[Any, ...] | None = None,
        *,
        nonterminals: int | None = None,
        preterminals: int | None = None,
        markov: Sequence[int | None] | None = None,
        criterion: str = "em:50",
        start: str | Mapping[str, float] | None = None,
        fixed: Fixed = (),
        pseudo: PerTable = 0.0,
        prior: PerTable = 0.1,
        sparse: Sparse = None,
        restarts: int = 1,
        tolerance: float = 1e-6,
        lowercase: bool = False,
        best: str = "viterbi",
        engine: Where = "threads",
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.grammar = grammar
        self.nonterminals = nonterminals
        self.preterminals = preterminals
        self.markov = markov
        self.criterion = criterion
        self.start = start
        self.fixed = fixed
        self.pseudo = pseudo
        self.prior = prior
        self.sparse = sparse
        self.restarts = restarts
        self.tolerance = tolerance
        self.lowercase = lowercase
        self.best = best
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, trees: Any = None,
        on_step: Callable[[Step], None] | None = None, checkpoint: str | Path | None = None,
        checkpoint_every: int | None = None,
    ) -> Grammar:  # fmt: skip
        """Learn the probabilities of the rules from sentences; without any, the grammar is taken as it is.

        Parameters
        ----------
        X : list of str, list of token lists, or Corpus, optional
            The sentences.
        y : list, optional
            What is known of their trees: of each a tree, brackets (start, end) or (start, end, label), or None.
        sample_weight : array, optional
            How often each sentence counts.
        trees : path, list of str, or list of Tree, optional
            Trees to read the grammar off.

        Returns
        -------
        self
        """
        self._check()
        kept = self._checkpoint(checkpoint, checkpoint_every)
        treebank = None if trees is None else listed_trees(trees)
        text = self._text(X, treebank)
        given = self._given(text, treebank)
        # Rows of their own, so that a file has the same parts wherever its tables were made.
        self.rules_, self.top_ = given.rules._replace(rows=given.rules.rows.copy()), given.top
        self._model = compiled(given.rules, given.alike)
        settings = self._settings()
        items = self._items(text, y)
        weights = checked_weights(sample_weight, len(text), "sentences")
        seed, digest = self._seed(kept), digest_with(text.digest(), weights)
        at_most = [0] * len(parse(self.criterion)) if X is None else None
        trains = X is not None and any(stage.steps for stage in parse(self.criterion))

        def start(restart: int) -> Tables:
            return self._start(given, (seed, restart))

        with self._engine() as engine:
            rows, remarks = self._inside(items, text, start(0), engine) if trains else (None, ())
            with naming(text, rows):
                self._train(
                    self._model, items if rows is None else items.take(rows), start, seed, engine, settings=settings,
                    digest=digest, on_step=on_step, checkpoint=kept, at_most=at_most,
                    weights=weights if weights is None or rows is None else weights[rows],
                    about={"y": None if y is None else described("y", [str(one) for one in y])},
                )  # fmt: skip
        if treebank is not None and not self.history_ and self._begins(None) == "given":
            self.history_.stopped = Ending(DONE, READ_OFF)
        self.history_.remarks += (*self._remarks(), *remarks)
        self.signature_ = self._sign(
            "grammar", seed, **self._sizes(), **self._signed_grammar(given), start=self._begins(items),
            markov=str(self.markov).replace(" ", ""),
            best=self.best, sentences=len(text), tokens=text.n_tokens, data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, text.source, digest, sentences=len(text), tokens=text.n_tokens)
        return self

    def _signed_grammar(self, given: Given) -> dict[str, str]:
        if self.grammar is None:
            return {}
        symbols, words, top, rows, rhs = given.rules
        found = content_digest(symbols, words, top, rows, rhs.offsets, rhs.values, given.probabilities)
        return {"grammar": found}

    def _check(self) -> None:
        super()._check()
        if self.best not in BEST:
            raise InputError(f"best={self.best!r}: unknown; use {', '.join(BEST)}")
        if isinstance(self.start, str) and self.start not in STARTS:
            raise InputError(f"start={self.start!r}: unknown; use {', '.join(STARTS)}")
        for name, least in (("nonterminals", 1), ("preterminals", 0)):
            number = getattr(self, name)
            if number is not None and number < least:
                raise InputError(f"{name} is {number}; it must be at least {least}")
        if self.markov is not None and not _is_markov(self.markov):
            raise InputError(
                f"markov={self.markov!r}: invalid; give (v, h) with v at least 1 and h at least 0, such as (2, 1)"
            )

    def _text(self, X: Any, treebank: Sequence[Tree] | None) -> Corpus:
        if X is not None:
            text: Corpus = in_memory(corpus(X, lowercase=self.lowercase), "a grammar", "give a part of it")
            if not text.n_tokens:
                raise InputError(f"{text.source}: no words to train on; give at least one")
            return text
        return corpus([[]] if treebank is None else [tree.words() for tree in treebank], lowercase=self.lowercase)

    def _given(self, text: Corpus, treebank: Sequence[Tree] | None) -> Given:
        ways = [self.grammar is not None, self.nonterminals is not None, treebank is not None]
        if sum(ways) != 1:
            raise InputError("give exactly one of a grammar, a number of nonterminals, or trees")
        if treebank is not None:
            return grammar_off(treebank, self.markov, self.lowercase)
        if self.nonterminals is None:
            return given_grammar(self.grammar)
        if not text.n_tokens:
            raise InputError("a grammar with nonterminals is learned from text; give a text")
        n_tags = self.nonterminals if self.preterminals is None else self.preterminals
        return full_grammar(text.vocabulary.words, self.nonterminals, n_tags)

    def _settings(self) -> Settings:
        pseudo = per_rule(self.rules_, self.pseudo, 0.0, "pseudo-counts")
        prior = per_rule(self.rules_, self.prior, 0.1, "a prior")
        if not np.all(np.asarray(prior) > 0.0):
            raise InputError("the Dirichlet prior must be positive; use for example 0.1")
        held_rules(self.rules_, self.fixed)
        return Settings({"rule": pseudo}, {"rule": prior}, sparse=self.sparse)

    def _held(self, model: Any) -> dict[str, Array]:
        return held_rules(self.rules_, self.fixed)

    def _begins(self, items: Any) -> str:
        if isinstance(self.start, str):
            return self.start
        if self.start is not None:
            return "given"
        return "random" if self.nonterminals is not None else "given"

    def _start(self, given: Given, seed: tuple[int, int]) -> Tables:
        """Rules without probabilities are alike at first; further restarts of them are random."""
        layout, begins = self._model.layout, self._begins(None)
        if isinstance(self.start, Mapping):
            return GrammarTables(Ragged(given.rules.rows, rule_probabilities(given.rules, self.start)))
        if begins == "given" and given.probabilities is not None:
            return GrammarTables(Ragged(given.rules.rows, given.probabilities))
        if begins == "uniform" or (begins == "given" and seed[1] == 0):
            return uniform_start(layout)
        return random_start(layout, seed)

    def _remarks(self) -> tuple[str, ...]:
        without = np.flatnonzero(np.diff(self.rules_.rows) == 0)
        names = ", ".join(self.rules_.symbols[s] for s in without[:5]) + (" …" if len(without) > 5 else "")
        return (f"no rule for {names}; if it is a word, put it in quotes",) if len(without) else ()


def _is_markov(markov: Any) -> bool:
    if not isinstance(markov, tuple | list) or len(markov) != 2:
        return False
    v, h = markov
    return isinstance(v, int) and v >= 1 and (h is None or (isinstance(h, int) and h >= 0))
