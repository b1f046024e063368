"""The synthetic language: one text per seed, tags that the dictionary allows, ambiguity that needs context."""

from __future__ import annotations

import doctest
from collections import Counter
from itertools import chain, islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softcount.synthetic
from softcount.errors import InputError
from softcount.synthetic import TAGS, Phrase, Sample, Word, dictionary, language, spoken, trees
from softcount.synthetic.grammar import START, grammar
from softcount.synthetic.lexicon import lexicon
from softcount.synthetic.morphology import invent, noun_forms, verb_forms


@pytest.fixture(scope="module")
def sample() -> Sample:
    return language(5000, seed=3)


def tokens(sample: Sample) -> Counter[tuple[str, str]]:
    return Counter(zip(chain(*sample.sentences), chain(*sample.tags), strict=True))


def depth(part: Phrase | Word) -> int:
    return 1 + max(depth(p) for p in part.parts) if isinstance(part, Phrase) else 0


def test_a_seed_is_a_text_for_ever() -> None:
    first = [" ".join(sentence) for sentence in language(4, seed=11).sentences]
    assert first == [
        "the friends like to love this tired baker .",
        "open these books !",
        "it loved him .",
        "three kind children watch their door and work in an old village .",
    ]
    assert doctest.testmod(softcount.synthetic).failed == 0


@settings(deadline=None)
@given(st.integers(0, 2**40), st.integers(0, 20), st.integers(0, 20))
def test_a_longer_text_begins_with_the_shorter_one(seed: int, n: int, more: int) -> None:
    short, long = language(n, seed), language(n + more, seed)
    assert short.sentences == long.sentences[:n]
    assert short.tags == long.tags[:n]


def test_seeds_differ() -> None:
    assert language(20, seed=0) != language(20, seed=1)


@pytest.mark.parametrize("vocabulary", [0.01, 0.5, 1.0, 7.5])
def test_dictionary_allows_every_tag_of_the_text(vocabulary: float) -> None:
    allowed = dictionary(vocabulary)
    said = tokens(language(1000, seed=1, vocabulary=vocabulary))
    assert all(tag in allowed[word] for word, tag in said)
    assert {tag for tags in allowed.values() for tag in tags} == set(TAGS)


def test_vocabulary_scales_the_words() -> None:
    sizes = [len(dictionary(vocabulary)) for vocabulary in (0.3, 1.0, 3.0, 30.0)]
    assert sizes == sorted(sizes)
    assert 250 <= sizes[1] <= 400
    assert sizes[3] > 20 * sizes[1]


@pytest.mark.parametrize("vocabulary", [1.0, 10.0])
def test_a_tagger_without_context_fails_often(vocabulary: float) -> None:
    allowed = dictionary(vocabulary)
    said = tokens(language(5000, vocabulary=vocabulary))
    most_frequent_tag: Counter[str] = Counter()
    for (word, _), count in said.items():
        most_frequent_tag[word] = max(most_frequent_tag[word], count)
    ambiguous = sum(count for (word, _), count in said.items() if len(allowed[word]) > 1)
    assert ambiguous / said.total() > 0.3
    assert most_frequent_tag.total() / said.total() < 0.93
    assert allowed["light"] == ("NOUN", "VERB", "ADJ")
    assert allowed["that"] == ("DET", "PRON", "CONJ")


def test_sentences_end_and_have_a_pleasant_length(sample: Sample) -> None:
    lengths = [len(sentence) for sentence in sample.sentences]
    assert lengths == [len(tags) for tags in sample.tags]
    assert 7 < sum(lengths) / len(lengths) < 12
    assert min(lengths) >= 2 and max(lengths) < 60
    assert all(sentence[-1] in ".?!" for sentence in sample.sentences)
    assert max(depth(tree) for tree in islice(trees(seed=3), 5000)) < 20


def test_frequencies_fall_like_zipf(sample: Sample) -> None:
    counts = [count for _, count in Counter(chain(*sample.sentences)).most_common()]
    assert counts[0] > 8 * counts[20] > 24 * counts[150] > 0


def test_verbs_agree_with_pronouns(sample: Sample) -> None:
    """A bigram that agreement forbids never occurs; its twin does."""
    bigrams = Counter(pair for sentence in sample.sentences for pair in pairwise(sentence))
    for right, wrong in [
        (("she", "is"), ("she", "are")),
        (("they", "were"), ("they", "was")),
        (("he", "has"), ("we", "has")),
    ]:
        assert bigrams[right] and not bigrams[wrong]
    assert bigrams["an", "old"] and not bigrams["a", "old"]


def test_trees_spell_the_text_and_keep_lemmas(sample: Sample) -> None:
    for tree, sentence in zip(islice(trees(seed=3), 200), sample.sentences, strict=False):
        assert tree.name == START
        assert [word.form for word in spoken(tree.words())] == sentence
    lemmas = {word.form: word.lemma for words in lexicon().values() for word in words if word.tag == "VERB"}
    assert (lemmas["walks"], lemmas["went"], lemmas["flown"]) == ("walk", "go", "fly")


def test_grammar_and_lexicon_fit() -> None:
    rules, words = grammar(), lexicon()
    asked = {symbol for weighted in rules.values() for _, right in weighted for symbol in right}
    assert not rules.keys() & words.keys()
    assert asked == (rules.keys() | words.keys()) - {START}


def test_features_share_a_weight_or_follow_the_left_side() -> None:
    rules = grammar("Clause : 8 Who# do# | 1 yes\nWho# : 2 they# | 1 all\nWho.s : 5 name")
    assert rules["Clause"] == [(5.0, ("Who.s", "do.s")), (3.0, ("Who.p", "do.p")), (1.0, ("yes",))]
    assert rules["Who.s"] == [(2.0, ("they.s",)), (1.0, ("all",)), (5.0, ("name",))]
    assert rules["Who.p"] == [(2.0, ("they.p",)), (1.0, ("all",))]


def test_forms() -> None:
    assert noun_forms("fly")["p"] == "flies"
    assert noun_forms("day")["p"] == "days"
    assert noun_forms("box")["p"] == "boxes"
    assert list(verb_forms("race").values()) == ["races", "race", "raced", "race", "racing", "raced"]
    assert list(verb_forms("see").values()) == ["sees", "see", "saw", "see", "seeing", "seen"]


def test_invented_lemmas_are_all_different() -> None:
    assert len({invent(number) for number in range(60_000)}) == 60_000


def test_no_sentences_are_an_empty_text() -> None:
    assert language(0) == Sample([], [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_sentences": -1}, "n_sentences is -1: it must be 0 or more"),
        ({"n_sentences": 1, "seed": -2}, "seed is -2: it must be 0 or more"),
        (
            {"n_sentences": 1, "vocabulary": 0},
            "vocabulary is 0: it must be positive, at most 10,000; 1 is the whole lexicon",
        ),
        (
            {"n_sentences": 1, "vocabulary": float("nan")},
            "vocabulary is nan: it must be positive, at most 10,000; 1 is the whole lexicon",
        ),
    ],
)
def test_bad_sizes_are_explained(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as error:
        language(**arguments)  # type: ignore[arg-type]
    assert str(error.value) == message
