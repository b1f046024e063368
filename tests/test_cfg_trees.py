"""Grammars and trees as text, and bracket scores by hand."""

from __future__ import annotations

import numpy as np
import pytest

from softcount import Grammar, InputError
from softcount.estimators.grammar_rules import _lowered
from softcount.evaluate.trees import TreeCounts, count_brackets, total, tree_scores
from softcount.report.page.grammar import drawing
from softcount.text.cfg import parse_cfg, write_cfg
from softcount.text.treebank import COMMON, UNKNOWN, read_as, read_off, restored
from softcount.text.trees import Tree, parse_tree, parse_trees


def test_new_words_are_read_as_rare_ones_although_every_rare_word_looked_common() -> None:
    """With so many rare words of one look there is no rule for UNKNOWN itself."""
    nouns = [f"{letter}ub" for letter in "bcdfghjklmnpr"[: COMMON + 1]]
    trees = [f"(S (D the) (N {noun}))" for noun in nouns]
    grammar = Grammar(criterion="em:0").fit(trees=trees)
    assert UNKNOWN not in grammar.rules_.words
    assert [str(tree) for tree in grammar.parse(["the sub", "sub the"])] == ["(S (D the) (N sub))", "None"]
    assert read_as("sub", {"sub": 3, "<unk>": 1}) == 3 and read_as("sub", {"the": 0, "<unk>": 1}) == 1
    assert read_as("sub", {"the": 0}) == -1


def test_a_grammar_in_nltks_form() -> None:
    text = """
    # a remark
    %start S
    NP -> Det N | "you" [0.25]   # another
    S -> NP VP | S CC S [0.3]
    N -> 'dog' | "don't" \\
         | 'cat'
    Det -> 'the'
    VP -> "only" only
    only -> "only"
    CC -> 'and'
    """
    rules, p = parse_cfg(text)
    assert rules.symbols[rules.start] == "S" and rules.texts()[:2] == ["S -> NP VP", "S -> S CC S"]
    lines = dict(zip(rules.texts(), p.tolist(), strict=True))
    assert lines["S -> NP VP"] == pytest.approx(0.7) and lines["S -> S CC S"] == pytest.approx(0.3)
    assert lines["NP -> Det N"] == pytest.approx(0.75) and lines['N -> "don\'t"'] == pytest.approx(1 / 3)
    assert lines['VP -> "only" only'] == 1.0 and "only" in rules.symbols and "only" in rules.words
    assert rules.emits().tolist() == ["only" in t or '"' in t for t in rules.texts()]
    again, q = parse_cfg(write_cfg(rules, p))
    assert again.texts() == rules.texts() and np.allclose(p, q, rtol=1e-15)
    assert parse_cfg("S -> 'a' | 'b'")[1] is None


def test_a_rule_that_is_there_twice_is_one_rule() -> None:
    rules, p = parse_cfg("S -> 'a' [0.25] | 'b' [0.5] | 'a' [0.25]")
    assert rules.texts() == ['S -> "a"', 'S -> "b"'] and p.tolist() == [0.5, 0.5]


def test_names_that_a_grammar_file_cannot_hold_are_spelt() -> None:
    rules, _ = parse_cfg("S -> A 'x'\nA -> 'y'")
    odd = rules._replace(symbols=("''", "#|"))
    text = write_cfg(odd, np.ones(2))
    assert text == '%start <27><27>\n<27><27> -> <23><7c> "x" [1.0]\n<23><7c> -> "y" [1.0]\n'
    assert parse_cfg(text)[0].rhs.values.tolist() == rules.rhs.values.tolist()
    with pytest.raises(InputError, match="both kinds of quotes"):
        write_cfg(rules._replace(words=("\"'", "y")), np.ones(2))


def test_trees_of_one_line_and_of_several() -> None:
    tree = parse_tree("(S (NP (DT the) (NN dog)) (VP barks) .)")
    assert tree.words() == ["the", "dog", "barks", "."] and str(tree) == "(S (NP (DT the) (NN dog)) (VP barks) .)"
    assert tree.spans() == [(0, 4, "S"), (0, 2, "NP"), (0, 1, "DT"), (1, 2, "NN"), (2, 3, "VP")]
    assert parse_trees(["(S a)", "", "(S b)"])[1] is None
    penn = ["( (S (NP a)", "   (VP b)) )", "", "( (S c) )"]
    assert [str(found) for found in parse_trees(penn)] == ["(S (NP a) (VP b))", "(S c)"]
    assert str(Tree("X", ("(", "a)"))) == "(X -LRB- a-RRB-)"
    with pytest.raises(InputError, match="<tree>: brackets are nested more than 500 deep"):
        parse_tree("(S " * 600 + "a" + ")" * 600)


GOLD = "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (DT a) (NN cat)) (PRT (RP up)))) (. .))"
FOUND = "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)) (ADVP (NN up))) (. .))"


def test_bracket_scores_by_hand() -> None:
    """Gold: S, NP 0-2, VP 2-6, NP 3-6, NP 3-5, PRT 5-6; found: S, NP 0-2, VP 2-6, NP 3-5, ADVP 5-6. The stop is out."""
    counts = count_brackets(parse_tree(GOLD), parse_tree(FOUND))
    assert counts == TreeCounts(5, 5, 6, 3, 3, 4, 5, 6, 0, 1, 1)
    none = count_brackets(parse_tree(GOLD), None)
    assert none == TreeCounts(gold=6, spans_gold=4, tags=6, sentences=1)
    scores = tree_scores(total([counts, none, count_brackets(parse_tree(GOLD), parse_tree(GOLD))]))
    assert (
        scores.precision == 1.0 and scores.recall == pytest.approx(11 / 18) and scores.coverage == pytest.approx(2 / 3)
    )
    assert scores.unlabelled_recall == pytest.approx(7 / 12) and scores.exact == pytest.approx(1 / 3)
    assert scores.tag_accuracy == pytest.approx(11 / 18) and scores.f1 == pytest.approx(22 / 29)


def test_the_start_symbols_bracket_and_tags_do_not_count() -> None:
    with_top = count_brackets(parse_tree("(TOP (S (A a) (B b)))"), parse_tree("(S (X a) (B b))"))
    assert with_top[:3] == (1, 1, 1) and with_top.tags_right == 1
    twice = count_brackets(parse_tree("(NP (NP (A a) (B b)))"), parse_tree("(NP (A a) (B b))"))
    assert twice[:3] == (1, 1, 2)


@pytest.mark.parametrize(
    "side", ["[" * 60_000, "[0.5" * 20_000, "[ " * 30_000, "[" + " " * 60_000 + "x", "'a' " + "[" * 60_000]
)
def test_brackets_that_nothing_closes_are_refused_at_once(side: str) -> None:
    with pytest.raises(InputError, match=r"<grammar>:1: cannot read '\['; quote words"):
        parse_cfg("S -> 'b' [0.5] | " + side)


def test_blanks_within_brackets() -> None:
    assert parse_cfg("S -> 'a' [  0.25 ] | 'b' [ 0.75]")[1].tolist() == [0.25, 0.75]
    with pytest.raises(InputError, match="<grammar>:1: '' is not a probability"):
        parse_cfg("S -> 'a' [  ]")


def test_very_many_continued_lines() -> None:
    rules, _ = parse_cfg("S -> 'a' \\\n" + "| 'b' \\\n" * 50_000 + "| 'c'")
    assert rules.n_rules == 3


def test_trees_as_deep_as_a_grammar_builds_them() -> None:
    """Deeper than Python calls functions."""
    n = 3_000
    tree = Tree("T", ("The", "end"))
    for _ in range(n):
        tree = Tree("A", (tree,))
    assert str(tree) == "(A " * n + "(T The end)" + ")" * n
    assert tree.words() == ["The", "end"] and tree.spans() == [(0, 2, "A")] * n + [(0, 2, "T")]
    assert count_brackets(tree, tree)[:3] == (n + 1,) * 3
    assert str(_lowered(tree)) == str(tree).replace("The", "the") and str(restored(tree, "A")) == str(tree)[3:-1]
    assert str(drawing(tree)).count("<line") == n + 2
    assert read_off([tree], (2, 1)).counts.tolist() == [1.0, 1.0, 1.0, n - 2.0, 1.0]


def test_a_long_side_that_was_cut_is_whole_again() -> None:
    n = 2_000
    tree = Tree("@NP/A", ("a", "a"))
    for _ in range(n):
        tree = Tree("@NP/A", ("a", tree))
    assert restored(Tree("NP", (tree,)), "") == Tree("NP", ("a",) * (n + 2))
