"""The part of softcount demo about grammars: rules whose probabilities are learned from sentences alone."""

from __future__ import annotations

from typing import Any

from softcount.cli.demo_pages import Shown

TRUTH = """
S -> NP VP
VP -> V NP [0.55] | VP PP [0.25] | V [0.2]
NP -> 'she' [0.2] | Det N [0.65] | NP PP [0.15]
PP -> P NP
Det -> 'the' [0.6] | 'a' [0.4]
N -> 'dog' [0.3] | 'garden' [0.3] | 'telescope' [0.2] | 'friend' [0.2]
V -> 'saw' [0.5] | 'slept' [0.2] | 'found' [0.3]
P -> 'with' [0.5] | 'in' [0.5]
"""
SENTENCE = "she saw the dog with a telescope"


def demo_grammar(console: Any, seed: int, n_sentences: int = 400) -> Shown:
    """Sentences of a known grammar; another with the same rules, all alike at first, learns from them."""
    from softcount.estimators.grammar import Grammar

    truth = Grammar(TRUTH).fit()
    sentences = [words for tree in truth.sample(n_sentences, seed) if len(words := tree.words()) <= 20]
    rules = "\n".join(truth.rules_.texts())
    learned = Grammar(rules, criterion="em:40", n_jobs=-1, random_state=seed).fit(sentences)
    console.print(
        f"\n[bold]A grammar[/]: {truth.rules_.n_rules} rules, all equally probable at first, and {len(sentences)} "
        "generated sentences without trees (softcount grammar). The probabilities found by EM, with the true ones "
        "in brackets\n"
    )
    pairs = zip(learned.rules_.texts(), learned.parameters_.rule.values, truth.parameters_.rule.values, strict=True)
    for rule, found, real in (row for row in pairs if row[0].startswith(("VP", "NP"))):
        console.print(f"  {rule:<14} {found:.2f}  ({real:.2f})", markup=False, highlight=False)
    console.print(f"\n  {SENTENCE}: {learned.n_parses([SENTENCE])[0]} trees; the most probable one is")
    console.print(f"  {learned.parse([SENTENCE])[0]}", markup=False, soft_wrap=True)
    return Shown("grammar", learned, ([SENTENCE.split(), *sentences[:19]],))
