"""Lines of links against those joined word by word."""

from itertools import pairwise

import numpy as np
import pytest

from softcount.links.joining import Links
from softcount.links.lines import link_lines, probable_lines

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("longest", [1, 10, 11, 100, 101, 12_345])
def test_lines_are_those_of_a_join(longest):
    rng = np.random.default_rng(longest)
    offsets = np.cumsum([0, 0, *rng.integers(0, 4, size=6), 0])
    i, j = (rng.integers(0, longest, size=offsets[-1]).astype(np.int32) for _ in range(2))
    i[-1:], links = longest - 1, Links(offsets, i, j, rng.random(len(i)))
    shown = [f"{one}-{two}" for one, two in zip(i, j, strict=True)]
    assert link_lines(links) == "".join(" ".join(shown[a:b]) + "\n" for a, b in pairwise(offsets))
    more = [f"{name}:{p:.2g}" for name, p in zip(shown, links.probability, strict=True)]
    assert probable_lines(links) == "".join(" ".join(more[a:b]) + "\n" for a, b in pairwise(offsets))


def test_no_pairs_no_lines():
    none = np.zeros(0, np.int32)
    assert link_lines(Links(np.zeros(1, np.int64), none, none, np.zeros(0))) == ""
