"""Texts of a few words are linked by default as anybody would link them: tables of positions must not outweigh them."""

import pytest

import softcount

ENGLISH = ["He is living in Bangkok", "He likes Bangkok", "He likes living in Bangkok"]
THAI = ["เขา อาศัย อยู่ใน กรุงเทพฯ", "เขา ชอบ กรุงเทพฯ", "เขา ชอบ อาศัย อยู่ใน กรุงเทพฯ"]
TEXTS = {
    "words": (["one", "two"], ["ein", "zwei"], [[(0, 0)], [(0, 0)]]),
    "words and nothing": (["one", "two", "", "x"], ["ein", "zwei", "y", ""], [[(0, 0)], [(0, 0)], [], []]),
    "one word": (["one"], ["ein"], [[(0, 0)]]),
    "one word again and again": (["one"] * 5, ["ein"] * 5, [[(0, 0)]] * 5),
    "one pair": (["the green house"], ["das grüne Haus"], [[(0, 0), (1, 1), (2, 2)]]),
    "identical words": (["a b", "b c", "c a"], ["a b", "b c", "c a"], [[(0, 0), (1, 1)]] * 3),
    "one word for three": (["one"], ["x y z"], [[(0, 0), (0, 1), (0, 2)]]),
    "three words for one": (["x y z"], ["one"], [[(0, 0), (1, 0), (2, 0)]]),
}  # fmt: skip


@pytest.mark.parametrize("preset", ["default", "fast", "best"])
@pytest.mark.parametrize("name", TEXTS)
def test_links_of_a_tiny_text(name, preset):
    source, target, links = TEXTS[name]
    assert softcount.WordAligner(preset=preset).fit(source, target).align(source, target) == links


def test_the_published_example():
    """Three pairs of three to five words in two scripts; `is` has no word of its own."""
    links = softcount.WordAligner().fit(ENGLISH, THAI).align(ENGLISH, THAI)
    assert links[1:] == [[(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]]
    assert set(links[0]) >= {(0, 0), (2, 1), (3, 2), (4, 3)}


def test_nothing_is_lost_where_there_is_nothing_to_choose():
    """Of one position and one word there is one distribution, and a likelihood of it is of probability one."""
    found = softcount.WordAligner().fit(["one"], ["ein"]).perplexity(["one"], ["ein"])
    assert found == {"forward": pytest.approx(1.0, abs=1e-4), "reverse": pytest.approx(1.0, abs=1e-4)}
