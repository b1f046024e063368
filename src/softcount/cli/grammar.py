"""softcount grammar: learn the probabilities of a grammar's rules, and parse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from softcount.cli.console import lower_cased, sparse_of
from softcount.cli.options import HOW, IN, OUT, WHAT, Criterion, Lowercase, Restarts, Sparse, option
from softcount.cli.summary import or_null
from softcount.cli.training import Files, Training
from softcount.errors import InputError

AUTO = "auto"


@dataclass(kw_only=True)
class GrammarCommand(Training):
    """Train a probabilistic context-free grammar on TEXT and print the best parse of each sentence.

    Example: **softcount grammar G.cfg text.txt --save grammar.model > trees.mrg**

    Read the grammar from a treebank: **softcount grammar --trees gold.mrg --markov 2,1 --save grammar.model**

    New text: **softcount grammar new.txt --apply grammar.model > new.mrg**
    """

    grammar: Annotated[
        str | None,
        typer.Argument(metavar="G", help='Rules in NLTK\'s format: S -> NP VP | "word" [0.3]; may be compressed.'),
    ] = None
    text: Annotated[
        str | None, typer.Argument(help="Text with one sentence per line and spaces between words, or - for stdin.")
    ] = None
    trees: Annotated[str | None, option(WHAT, "Treebank to read the grammar from, in bracket notation.")] = None
    markov: Annotated[
        str | None, option(WHAT, "Vertical and horizontal markovization v,h with --trees, such as 2,1.")
    ] = None
    nonterminals: Annotated[int | None, option(WHAT, "Number of nonterminals to induce without GRAMMAR.", min=1)] = None
    preterminals: Annotated[
        int | None, option(WHAT, "Number of preterminals to induce; 0 allows words in any rule.", min=0)
    ] = None
    fix: Annotated[str, option(WHAT, "Symbols with fixed rule probabilities: NP,Det.")] = ""
    criterion: Criterion = AUTO
    start: Annotated[str | None, option(HOW, "Initialization. Choices: given, uniform, random.")] = None
    pseudo: Annotated[float, option(HOW, "Pseudo-count for em.", min=0)] = 0.0
    prior: Annotated[float, option(HOW, "Dirichlet concentration for vb and gibbs.", min=0)] = 0.1
    sparse: Sparse = None
    restarts: Restarts = 1
    known: Annotated[str | None, option(IN, "Known trees of TEXT, line by line; an empty line means unknown.")] = None
    lowercase: Lowercase = False
    n_parses: Annotated[
        bool, option(OUT, "Print the number of parses of each sentence instead of a tree.", "--n-parses")
    ] = False
    best: Annotated[
        str | None,
        option(
            OUT,
            "Decoding. Choices: viterbi (most probable tree), brackets (maximum expected brackets). Default: viterbi.",
        ),
    ] = None
    sample: Annotated[int | None, option(OUT, "Print N trees sampled from the grammar instead of parses.", min=1)] = (
        None
    )
    parameters: Annotated[Path | None, option(OUT, "Write the rules with their probabilities.")] = None

    name: ClassVar[str] = "grammar"
    kinds: ClassVar[tuple[str, ...]] = ("grammar",)
    applied: ClassVar[tuple[str, ...]] = ("text",)

    def run(self) -> None:
        elsewhere = self.apply is not None or self.trees is not None or self.nonterminals is not None
        if elsewhere and self.text is None:
            self.grammar, self.text = None, self.grammar
        elif elsewhere and self.apply is not None:
            self.say(f"note: {self.grammar} is ignored; the grammar is the one in --apply")
            self.grammar = None
        if self.text is None and self.apply is not None and self.sample is None:
            raise InputError("no text to parse; give a file after the options, or - for stdin")
        if self.text is None and (self.n_parses or self.known):
            raise InputError("no text; give a file of sentences after the grammar, or - for stdin")
        super().run()

    def reads(self) -> dict[str, str | Path | None]:
        return {"grammar": self.grammar, "text": self.text, "trees": self.trees, "known_trees": self.known}

    def writes(self) -> list[Path | None]:
        return [self.parameters]

    def chosen(self) -> dict[str, Any]:
        return {} if self.best is None else {"best": self.best}

    def read(self, model: Any) -> Any:
        from softcount.text.corpus import corpus
        from softcount.text.reader import read

        if self.text is None:
            return corpus([[]])
        lowercase = self.lowercase if model is None else lower_cased(model, self.lowercase)
        return read(self.text, format="plain", lowercase=lowercase)

    def estimator(self, data: Any) -> Any:
        from softcount.estimators.grammar import Grammar
        from softcount.estimators.grammar_rules import given_grammar

        given = None if self.grammar is None else given_grammar(Path(self.grammar))
        trains = self.trees is None and (given is None or given.probabilities is None)
        return Grammar(
            given, nonterminals=self.nonterminals, preterminals=self.preterminals, markov=_markov(self.markov),
            criterion=self.stages("em:50" if trains else "em:0"), start=self.start,
            fixed=tuple(name.strip() for name in self.fix.split(",") if name.strip()), pseudo=self.pseudo,
            prior=self.prior, sparse=sparse_of(self.sparse), restarts=self.restarts, tolerance=self.tolerance,
            lowercase=self.lowercase,
            random_state=self.seed, **self.chosen(),
        )  # fmt: skip

    def stages(self, usual: str) -> str:
        """What was asked for; by default, grammars that have probabilities keep them."""
        if self.n_parses or self.criterion == AUTO:
            return "em:0" if self.n_parses else usual
        return self.criterion

    def fit(self, model: Any, data: Any, **watch: Any) -> None:
        from softcount.text.trees import read_trees

        known = None if self.known is None else read_trees(self.known)
        model.fit(None if self.text is None else data, known, trees=self.trees, **watch)

    def answer(self, model: Any, data: Any) -> Any:
        if self.sample is not None:
            return model.sample(self.sample, self.seed)
        if self.text is None:
            return []
        return model.n_parses(data) if self.n_parses else model.parse(data)

    def files(self, model: Any, data: Any, answer: Any) -> Files:
        yield self.parameters, lambda path: path.write_text(model.to_pcfg(), encoding="utf-8")
        yield from super().files(model, data, answer)

    def report(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        import numpy as np

        from softcount.estimators.grammar_answers import outside

        without = [i for i, one in enumerate(answer) if not one and len(data.sentences.row(i))] if self.text else []
        if without and self.sample is None and (self.apply is not None or not model.n_iter_):  # else training says it
            yield f"note: {outside(np.array(without), len(data))}"
        yield from super().report(model, data, answer)

    def counted(self, data: Any) -> dict[str, float]:
        return {"sentences": len(data), "words": data.n_tokens}

    def done(self, model: Any, data: Any) -> dict[str, Any]:
        return {"best": model.best, **super().done(model, data)}

    def content(self, model: Any, data: Any, answer: Any) -> dict[str, Any]:
        what = "n_parses" if self.n_parses and self.sample is None else "trees"
        return {
            what: answer if what == "n_parses" else [None if tree is None else str(tree) for tree in answer],
            "objective": or_null(model.objective_),
            "steps": sum(restart.steps for restart in model.restarts_),
            "stopped": model.history_.stopped.text,
            "notes": model.history_.notes,
        }

    def lines(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        return (("" if one is None else str(one)) + "\n" for one in answer)


def _markov(text: str | None) -> tuple[int, int | None] | None:
    """``v,h``; an h of ``all`` remembers everything."""
    if text is None:
        return None
    from softcount.text.source import quoted, whole

    parts = text.replace(" ", "").split(",")
    above, beside = (whole(part) for part in parts) if len(parts) == 2 else (None, None)
    if above and (beside is not None or parts[1] == "all"):
        return above, beside
    raise InputError(
        f"--markov {quoted(text)}: invalid value; write v,h with v at least 1 and h at least 0, such as 2,1"
    )
