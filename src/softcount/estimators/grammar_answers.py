"""What a grammar answers once it is trained or read: trees, how many there are, scores, new sentences, its rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from softcount.disk.sound import check, check_rows, check_whole
from softcount.engines import Engine
from softcount.errors import InputError, impossible_means
from softcount.estimators.base import LoopEstimator
from softcount.estimators.grammar_tree import built, drawn
from softcount.estimators.light_estimator import check_is_fitted
from softcount.loop.estep import Answers
from softcount.loop.weighted import checked_weights
from softcount.machine.memory import check_room
from softcount.models.grammar import GrammarTables
from softcount.models.grammar import grammar as compiled
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged, concatenate
from softcount.numbers.tables import Tables
from softcount.text.bracketed import Bracketed, known_brackets
from softcount.text.cfg import Rules, write_cfg
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.treebank import read_as, restored
from softcount.text.trees import Tree

BEST = {"viterbi": MAX, "brackets": SUM}
SHOWN = 8  # numbers of sentences in a note


class TrainedGrammar(LoopEstimator):
    """The half of softcount.Grammar that uses what was learned."""

    best: str
    markov: Any
    rules_: Rules
    top_: str  # the start symbol of a grammar read off trees, which its trees do not show

    def parse(self, X: Any, best: str | None = None) -> list[Tree | None]:
        """Find the best tree of every sentence.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.
        best : str, optional
            "viterbi" or "brackets", in place of the setting of that name.

        Returns
        -------
        list of Tree or None
            None of a sentence that the grammar does not have, or that is empty.
        """
        rule = best or self.best
        if rule not in BEST:
            raise InputError(f"best={rule!r}: unknown; use {', '.join(BEST)}")
        text = self._read(X)
        lenient = self._model._replace(lenient=True)
        with self._engine() as engine:
            answers = Answers(lenient, self._items(text), engine)
            nodes = concatenate([part for _, part in answers.labels(_logs(self.parameters_), BEST[rule])])
        trees = (built(row, self.rules_.symbols, text.tokens(i)) for i, row in enumerate(nodes.rows()))
        return [tree if tree is None else self._shown(tree) for tree in trees]

    def n_parses(self, X: Any) -> list[int]:
        """Count the trees that every sentence has by the rules, whatever their probabilities: exactly.

        >>> from softcount import Grammar
        >>> grammar = Grammar("S -> S S | 'a'").fit()
        >>> grammar.n_parses(["a a", "a a a", "a a a a"])
        [1, 2, 5]

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        list of int
        """
        text = self._read(X)
        return self._model.n_parses(self._encoded(text))

    def log_likelihood(self, X: Any) -> Array:
        """Find log P of each sentence, in nats.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        array
            −inf of a sentence that the grammar does not have, 0 of an empty one.
        """
        text = self._read(X)
        with self._engine() as engine:
            return Answers(self._model, self._items(text), engine).log_norms(_logs(self.parameters_))

    def score(self, X: Any, y: Any = None) -> float:
        """Find log P(X), in nats, of all sentences together, with what is known of their trees.

        Parameters
        ----------
        X : sentences
            As `fit` takes them.
        y : list, optional
            What is known of their trees, as `fit` takes it.

        Returns
        -------
        float
        """
        with self._posed(X, y) as (answers, logs):
            return answers.log_norm(logs)

    def perplexity(self, X: Any) -> float:
        """Find exp(−log P(X) / words).

        Parameters
        ----------
        X : sentences
            As `fit` takes them.

        Returns
        -------
        float
            Infinite where the grammar does not have a sentence.
        """
        text = self._read(X)
        if not text.n_tokens:
            raise InputError("perplexity of a text without words is not defined")
        return float(np.exp(-self.log_likelihood(text).sum() / text.n_tokens))

    def sample(self, n_trees: int = 1, random_state: int | None = None) -> list[Tree]:
        """Draw new trees, whose `words()` are sentences.

        Parameters
        ----------
        n_trees : int, default 1
            How many.
        random_state : int, optional
            The seed.

        Returns
        -------
        list of Tree
        """
        check_is_fitted(self, "rules_")
        check_room(500.0 * n_trees, f"{n_trees:,} trees", "ask for fewer")
        rng = np.random.default_rng(random_state)
        return [self._shown(drawn(self.rules_, self.parameters_.rule.values, rng)) for _ in range(n_trees)]

    def to_pcfg(self) -> str:
        """Give the grammar with its probabilities, as text that NLTK and `Grammar` read.

        Returns
        -------
        str
        """
        check_is_fitted(self, "rules_")
        return write_cfg(self.rules_, self.parameters_.rule.values)

    # --- within -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        text = self._read(X)
        with self._engine() as engine, naming(text):
            yield Answers(self._model, self._items(text, y), engine), _logs(self.parameters_)

    def _read(self, X: Any) -> Corpus:
        check_is_fitted(self, "rules_")
        found: Corpus = in_memory(corpus(X, lowercase=self.lowercase), "a grammar", "give a part of it")
        return found

    def _items(self, text: Corpus, y: Any = None) -> Bracketed:
        brackets = None if y is None else known_brackets(y, text, self.rules_.symbols)
        return Bracketed(self._encoded(text), brackets)

    def _encoded(self, text: Corpus) -> Ragged:
        """In the grammar's words."""
        place = {word: w for w, word in enumerate(self.rules_.words)}
        ids = np.array([*(read_as(word, place) for word in text.vocabulary.words), -1], dtype=np.int32)
        return text.sentences.with_values(ids[text.sentences.values])  # −1, unknown, is the last

    def _inside(self, items: Bracketed, text: Corpus, start: Tables, engine: Engine) -> tuple[Array, tuple[str, ...]]:
        """The sentences that have a tree, and a remark on those that have none."""
        has = Answers(self._model, items, engine).log_norms(_logs(start)) > -np.inf
        if not (has & (items.sizes > 0)).any():
            raise InputError(f"{text.source}: no sentence can be parsed with this grammar; {self._missing(text)}")
        if has.all():
            return np.arange(len(items)), ()
        return np.flatnonzero(has), (f"{outside(np.flatnonzero(~has), len(items))}; training skips them",)

    def _missing(self, text: Corpus) -> str:
        """What is wrong with a text of which nothing is in the language."""
        unknown = [word for word in text.vocabulary.words if word not in set(self.rules_.words)]
        return (
            f"the word {unknown[0]!r}, for example, is not in the grammar" if unknown else "add rules for its sentences"
        )

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Bracketed, Array | None]:
        text = self._read(X)
        weights = checked_weights(sample_weight, len(text), "sentences")
        items = self._items(text, y)
        with self._engine() as engine:
            rows, remarks = self._inside(items, text, self.parameters_, engine)
        self.history_.remarks += remarks
        return self._model, items.take(rows), None if weights is None else weights[rows]

    def _shown(self, tree: Tree) -> Tree:
        return restored(tree, self.top_) if self.top_ or self.markov else tree

    def _sizes(self) -> dict[str, int]:
        return {"symbols": len(self.rules_.symbols), "rules": self.rules_.n_rules, "words": len(self.rules_.words)}

    def _settle(self) -> None:
        super()._settle()
        symbols, words, start, rows, rhs = self.rules_
        check("parameters", self.parameters_, GrammarTables)
        check_rows("rule", self.parameters_.rule, len(rhs.offsets) - 1)
        check_whole("rows", rows, len(symbols) + 1, np.inf)
        sound = rows.dtype == np.int64 and rows[0] == 0 and rows[-1] == rhs.n_rows and (np.diff(rows) >= 0).all()
        sound = sound and rhs.values.dtype == np.int32 and (rhs.lengths > 0).all() and rhs.n_rows > 0
        if not sound or not np.array_equal(self.parameters_.rule.offsets, rows):
            raise ValueError("rules that are no rules")
        if not -len(words) <= rhs.values.min() <= rhs.values.max() < len(symbols) or not 0 <= start < len(symbols):
            raise ValueError("rules of symbols that there are not")
        if len(set(symbols)) != len(symbols) or len(set(words)) != len(words):
            raise ValueError("two symbols of one name")
        self._model = compiled(self.rules_)


def outside(numbers: Array, n: int) -> str:
    """``3 of 49 sentences have no tree: 3, 4, 12``."""
    shown = ", ".join(str(i + 1) for i in numbers[:SHOWN]) + (" …" if len(numbers) > SHOWN else "")
    return f"{len(numbers):,} of {n:,} sentences cannot be parsed with this grammar: {shown}"


def _logs(parameters: GrammarTables) -> GrammarTables:
    with np.errstate(divide="ignore"):
        return GrammarTables(parameters.rule.with_values(np.log(parameters.rule.values)))


def naming(text: Corpus, rows: Array | None = None) -> AbstractContextManager[None]:
    """Turns an impossible item into a message about the user's text, of which `rows` are asked about."""

    def message(item: int) -> str:
        i = item if rows is None else int(rows[item])
        wrong = f"the sentence {' '.join(text.tokens(i)[:8])!r} has no parse with these probabilities"
        return f"{text.source}:{i + 1}: {wrong}; allow its rules, or add pseudo-counts"

    return impossible_means(message)
