"""softcount.Grammar: context-free grammars whose rules get their probabilities from text, from trees, or from both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np

from softcount.criteria.spec import Settings, parse
from softcount.disk.sound import check, check_rows, check_whole
from softcount.engines import Engine
from softcount.errors import ImpossibleItem, InputError
from softcount.estimators.base import LoopEstimator
from softcount.estimators.grammar_rules import Given, full_grammar, given_grammar, held_rules, per_rule
from softcount.estimators.grammar_tree import built, drawn
from softcount.estimators.parameters import Fixed, PerTable, Seed, Sparse, Where
from softcount.estimators.saved import described
from softcount.estimators.settings import check_is_fitted
from softcount.loop.estep import Answers
from softcount.loop.start import random_start, uniform_start
from softcount.loop.trace import Step
from softcount.loop.weighted import checked_weights, digest_with
from softcount.models.grammar import GrammarTables
from softcount.models.grammar import grammar as compiled
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged, concatenate
from softcount.numbers.tables import Tables
from softcount.text.bracketed import Bracketed, known_brackets
from softcount.text.cfg import Rules, write_cfg
from softcount.text.corpus import Corpus, corpus
from softcount.text.stored import in_memory
from softcount.text.treebank import read_as, read_off, restored
from softcount.text.trees import Tree, parse_tree, parse_trees, read_trees

BEST = {"viterbi": MAX, "brackets": SUM}
STARTS = ("given", "random", "uniform")
SHOWN = 8  # numbers of sentences in a note


class Grammar(LoopEstimator):
    """Context-free grammar, trained on plain sentences, on sentences with brackets or trees, or read off trees.

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
    start : str, optional
        "given", the grammar's own probabilities, which is what None means where it has some; "uniform";
        "random".
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
    _learned = ("parameters_", "rules_", "top_", *LoopEstimator._FIT)
    _types = (GrammarTables, Rules)
    rules_: Rules
    top_: str  # the start symbol of a grammar read off trees, which its trees do not show

    def __init__(
        self,
        grammar: str | Path | tuple[Any, ...] | None = None,
        *,
        nonterminals: int | None = None,
        preterminals: int | None = None,
        markov: Sequence[int | None] | None = None,
        criterion: str = "em:50",
        start: str | None = None,
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
        """Train on sentences: token lists, text lines, or a Corpus. Without any, the grammar is taken as it is.

        y : what is known of their trees: a tree, brackets (start, end) or (start, end, label), or None, of each
        trees : trees to read the grammar off: a path, lines, or Tree objects
        checkpoint : a file for the state, every `checkpoint_every` steps; the same call again goes on from there
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
            with _naming(text, rows):
                self._train(
                    self._model, items if rows is None else items.take(rows), start, seed, engine, settings=settings,
                    digest=digest, on_step=on_step, checkpoint=kept, at_most=at_most,
                    weights=weights if weights is None or rows is None else weights[rows],
                    about={"y": None if y is None else described("y", [str(one) for one in y])},
                )  # fmt: skip
        self.history_.remarks += (*self._remarks(), *remarks)
        self.signature_ = self._sign(
            "grammar", seed, **self._sizes(), start=self._begins(items), markov=str(self.markov).replace(" ", ""),
            best=self.best, sentences=len(text), tokens=text.n_tokens, data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, text.source, digest, sentences=len(text), tokens=text.n_tokens)
        return self

    def _check(self) -> None:
        super()._check()
        if self.best not in BEST:
            raise InputError(f"no best tree {self.best!r}; use {', '.join(BEST)}")
        if self.start is not None and self.start not in STARTS:
            raise InputError(f"no start {self.start!r}; use {', '.join(STARTS)}")
        for name, least in (("nonterminals", 1), ("preterminals", 0)):
            number = getattr(self, name)
            if number is not None and number < least:
                raise InputError(f"{name} must be at least {least}, not {number}")
        if self.markov is not None and not _is_markov(self.markov):
            raise InputError(f"markov {self.markov!r}: give (v, h), v from 1 and h from 0 on, for example (2, 1)")

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
            raise InputError("give one of a grammar, a number of nonterminals, or trees to read a grammar off")
        if treebank is not None:
            lowered = [_lowered(tree) for tree in treebank] if self.lowercase else treebank
            found = read_off(lowered, cast(Any, self.markov))
            totals = np.add.reduceat(found.counts, found.rules.rows[:-1][np.diff(found.rules.rows) > 0])
            lengths = np.diff(found.rules.rows)
            return Given(found.rules, found.counts / np.repeat(totals, lengths[lengths > 0]), top=found.top)
        if self.nonterminals is None:
            return given_grammar(self.grammar)
        if not text.n_tokens:
            raise InputError("a grammar of nonterminals is learned from text; give some")
        n_tags = self.nonterminals if self.preterminals is None else self.preterminals
        return full_grammar(text.vocabulary.words, self.nonterminals, n_tags)

    def _settings(self) -> Settings:
        pseudo = per_rule(self.rules_, self.pseudo, 0.0, "pseudo-counts")
        prior = per_rule(self.rules_, self.prior, 0.1, "a prior")
        if not np.all(np.asarray(prior) > 0.0):
            raise InputError("a Dirichlet prior must be positive; use for example 0.1")
        held_rules(self.rules_, self.fixed)
        return Settings({"rule": pseudo}, {"rule": prior}, sparse=self.sparse)

    def _held(self, model: Any) -> dict[str, Array]:
        return held_rules(self.rules_, self.fixed)

    def _begins(self, items: Any) -> str:
        if self.start is not None:
            return str(self.start)
        return "random" if self.nonterminals is not None else "given"

    def _start(self, given: Given, seed: tuple[int, int]) -> Tables:
        """Rules without probabilities are alike at first; further restarts of them are random."""
        layout, begins = self._model.layout, self._begins(None)
        if begins == "given" and given.probabilities is not None:
            return GrammarTables(Ragged(given.rules.rows, given.probabilities))
        if begins == "uniform" or (begins == "given" and seed[1] == 0):
            return uniform_start(layout)
        return random_start(layout, seed)

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
            raise InputError(f"{text.source}: no sentence has a tree in this grammar; {self._missing(text)}")
        if has.all():
            return np.arange(len(items)), ()
        return np.flatnonzero(has), (f"{outside(np.flatnonzero(~has), len(items))}; training leaves them out",)

    def _missing(self, text: Corpus) -> str:
        """What is wrong with a text of which nothing is in the language."""
        unknown = [word for word in text.vocabulary.words if word not in set(self.rules_.words)]
        return f"it has no word {unknown[0]!r}, for example" if unknown else "give rules that allow its sentences"

    def _remarks(self) -> tuple[str, ...]:
        without = np.flatnonzero(np.diff(self.rules_.rows) == 0)
        names = ", ".join(self.rules_.symbols[s] for s in without[:5]) + (" …" if len(without) > 5 else "")
        return (f"no rule for {names}; if that is a word, put it in quotes",) if len(without) else ()

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Bracketed, Array | None]:
        text = self._read(X)
        weights = checked_weights(sample_weight, len(text), "sentences")
        items = self._items(text, y)
        with self._engine() as engine:
            rows, remarks = self._inside(items, text, self.parameters_, engine)
        self.history_.remarks += remarks
        return self._model, items.take(rows), None if weights is None else weights[rows]

    # --- using a trained model --------------------------------------------------------------------------------------

    def parse(self, X: Any, best: str | None = None) -> list[Tree | None]:
        """The best tree of every sentence; None of one that the grammar does not have, or that is empty."""
        rule = best or self.best
        if rule not in BEST:
            raise InputError(f"no best tree {rule!r}; use {', '.join(BEST)}")
        text = self._read(X)
        lenient = self._model._replace(lenient=True)
        with self._engine() as engine:
            answers = Answers(lenient, self._items(text), engine)
            nodes = concatenate([part for _, part in answers.labels(_logs(self.parameters_), BEST[rule])])
        trees = (built(row, self.rules_.symbols, text.tokens(i)) for i, row in enumerate(nodes.rows()))
        return [tree if tree is None else self._shown(tree) for tree in trees]

    def n_parses(self, X: Any) -> list[int]:
        """How many trees every sentence has by the rules, whatever their probabilities: exactly."""
        text = self._read(X)
        return self._model.n_parses(self._encoded(text))

    def log_likelihood(self, X: Any) -> Array:
        """log P(sentence) of each, in nats: −inf of one that the grammar does not have, 0 of an empty one."""
        text = self._read(X)
        with self._engine() as engine:
            return Answers(self._model, self._items(text), engine).log_norms(_logs(self.parameters_))

    def score(self, X: Any, y: Any = None) -> float:
        """log P(X), in nats, of all sentences together, with what is known of their trees."""
        with self._posed(X, y) as (answers, logs):
            return answers.log_norm(logs)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        text = self._read(X)
        with self._engine() as engine, _naming(text):
            yield Answers(self._model, self._items(text, y), engine), _logs(self.parameters_)

    def perplexity(self, X: Any) -> float:
        """exp(−log P(X) / words); infinite where the grammar does not have a sentence."""
        text = self._read(X)
        if not text.n_tokens:
            raise InputError("perplexity of a text without words is not defined")
        return float(np.exp(-self.log_likelihood(text).sum() / text.n_tokens))

    def sample(self, n_trees: int = 1, random_state: int | None = None) -> list[Tree]:
        """New trees; their `words()` are sentences."""
        check_is_fitted(self, "rules_")
        rng = np.random.default_rng(random_state)
        return [self._shown(drawn(self.rules_, self.parameters_.rule.values, rng)) for _ in range(n_trees)]

    def to_pcfg(self) -> str:
        """The grammar with its probabilities, as text that NLTK and `Grammar` read."""
        check_is_fitted(self, "rules_")
        return write_cfg(self.rules_, self.parameters_.rule.values)

    def _read(self, X: Any) -> Corpus:
        check_is_fitted(self, "rules_")
        found: Corpus = in_memory(corpus(X, lowercase=self.lowercase), "a grammar", "give a part of it")
        return found

    def _shown(self, tree: Tree) -> Tree:
        return restored(tree, self.top_) if self.top_ or self.markov else tree

    # --- within -----------------------------------------------------------------------------------------------------

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


def listed_trees(trees: Any) -> list[Tree]:
    """Of a path, of lines, or of trees; a treebank has no sentences without trees."""
    if isinstance(trees, str | Path):
        found = read_trees(trees)
    else:
        rows = list(trees)
        lines = [row for row in rows if isinstance(row, str)]
        found = parse_trees(lines) if lines and len(lines) == len(rows) else [_tree(row) for row in rows]
    kept = [tree for tree in found if tree is not None]
    if not kept:
        raise InputError("no trees to read a grammar off; give at least one")
    return kept


def _tree(row: Any) -> Tree | None:
    if row is None or isinstance(row, Tree):
        return row
    if isinstance(row, str):
        return parse_tree(row)
    raise InputError(f"a tree of type {type(row).__name__}; give its line, or a Tree")


def outside(numbers: Array, n: int) -> str:
    """``3 of 49 sentences have no tree: 3, 4, 12``."""
    shown = ", ".join(str(i + 1) for i in numbers[:SHOWN]) + (" …" if len(numbers) > SHOWN else "")
    return (
        f"{len(numbers):,} of {n:,} sentences ha{'s' if len(numbers) == 1 else 've'} no tree in this grammar: {shown}"
    )


def _lowered(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(c.lower() if isinstance(c, str) else _lowered(c) for c in tree.children))


def _is_markov(markov: Any) -> bool:
    if not isinstance(markov, tuple | list) or len(markov) != 2:
        return False
    v, h = markov
    return isinstance(v, int) and v >= 1 and (h is None or (isinstance(h, int) and h >= 0))


def _logs(parameters: GrammarTables) -> GrammarTables:
    with np.errstate(divide="ignore"):
        return GrammarTables(parameters.rule.with_values(np.log(parameters.rule.values)))


@contextmanager
def _naming(text: Corpus, rows: Array | None = None) -> Iterator[None]:
    """Turns an impossible item into a message about the user's text."""
    try:
        yield
    except ImpossibleItem as impossible:
        i = impossible.item if rows is None else int(rows[impossible.item])
        words = " ".join(text.tokens(i)[:8])
        raise InputError(
            f"{text.source}:{i + 1}: the sentence {words!r} has no tree under these probabilities; "
            "allow its rules, or add pseudo-counts"
        ) from None
