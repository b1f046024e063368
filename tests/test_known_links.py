"""Known links: as potentials, in what is learned of them, and in what comes out of the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command import run

from softcount import WordAligner, bitext
from softcount.errors import InputError
from softcount.links.known import linked, n_linked

SOURCE = ["the house", "the book", "a book", "the big house"]
TARGET = ["haus das", "buch das", "buch ein", "haus das grosse"]
CROSSED = [[(0, 1), (1, 0)], [(0, 1), (1, 0)], [(0, 1), (1, 0)], "0-1 1-2 2-0"]
MODELS = (
    {"model": "ibm1", "criterion": "em:3", "null": 0.1},
    {"model": "ibm2", "criterion": "vb:3", "tension": 1.0},
    {"model": "hmm", "criterion": "em:3", "agreement": False},
    {"model": "ibm1:2", "agreement": True},
    {},
    {"preset": "best"},
)


def brute(shape: tuple[int, int], sure: set, possible: set) -> np.ndarray:
    """[1 + l, m] whether a link may be, the empty word's first, from the definition; spelt out cell by cell."""
    l, m = shape
    written = sure | possible
    found = np.zeros((l + 1, m), bool)
    for j in range(m):
        found[0, j] = not any(place == j for _, place in sure)
        for i in range(l):
            free = not any(a == i or b == j for a, b in written)
            found[i + 1, j] = (i, j) in written or free
    return found


def test_potentials_are_what_the_links_allow() -> None:
    data = bitext(["a b c", "a b", "", "a"], ["x y", "x y z", "x", "y"])
    rows = ["0-0 2-0 1?1", "", "", [(0, 0)]]
    known = linked(data, rows)
    assert n_linked(known) == 2
    for potentials, turned in zip(known.wishes, (False, True), strict=True):
        assert potentials is not None
        assert potentials.lengths.tolist() == ([8, 0, 0, 2] if not turned else [9, 0, 0, 2])
        sure, possible = {(0, 0), (2, 0)}, {(1, 1)}
        if turned:
            sure, possible = {(j, i) for i, j in sure}, {(j, i) for i, j in possible}
        wanted = brute((2, 3) if turned else (3, 2), sure, possible)
        np.testing.assert_array_equal(np.exp(potentials.row(0)).reshape(wanted.shape), wanted)
        np.testing.assert_array_equal(np.exp(potentials.row(3)), [0, 1])


@pytest.mark.parametrize("settings", MODELS)
def test_known_links_are_learned_and_come_out(settings: dict) -> None:
    """The word order is crossed, which no start believes; the pair of which nothing is known follows the others."""
    known = [*CROSSED, None]
    data = linked(bitext([*SOURCE, "a house"], [*TARGET, "haus ein"]), known)
    model = WordAligner(lowercase=False, spelling=False, **settings).fit(data)
    found = model.align(data)
    assert found[:3] == [[(0, 1), (1, 0)]] * 3 and found[3] == [(0, 1), (1, 2), (2, 0)]
    assert found[4] == [(0, 1), (1, 0)]
    assert " known_links=4,sha256:" in model.signature_


def test_what_is_counted_where_all_is_known() -> None:
    data = linked(bitext(SOURCE, TARGET), CROSSED)
    apart = WordAligner("ibm1", criterion="em:1", null=0.1).fit(data)
    rows = {(e, f): p for e, f, p, _ in apart.lexicon()}
    assert rows["the", "das"] == rows["house", "haus"] == rows["book", "buch"] == pytest.approx(1.0)
    both = WordAligner("ibm1:1", agreement=True, stems=(), spelling=False).fit(data)
    agreed = both.agreed_
    counts = dict.fromkeys([("the", "das"), ("house", "haus"), ("book", "buch")], 0.0)
    for e, f, n in zip(
        np.repeat(np.arange(agreed.rows.n_rows), agreed.rows.lengths), agreed.rows.values,
        agreed.parameters.translation, strict=True,
    ):  # fmt: skip
        pair = agreed.words[0][e], agreed.words[1][f]
        if n > 0:
            counts[pair] = float(n)
    assert counts == pytest.approx(
        {("the", "das"): 3, ("house", "haus"): 2, ("book", "buch"): 2, ("a", "ein"): 1, ("big", "grosse"): 1}
    )


def test_unknown_links_change_nothing_and_weights_go_with_their_pairs() -> None:
    plain = WordAligner().fit(SOURCE, TARGET)
    nothing = WordAligner().fit(SOURCE, TARGET, links=[None, "", [], ()])
    np.testing.assert_array_equal(plain.agreed_.parameters.translation, nothing.agreed_.parameters.translation)
    links = [None, CROSSED[1], None, None]
    weighted = WordAligner("ibm1", criterion="em:2").fit(SOURCE, TARGET, [2, 1, 1, 1], links=links)
    again = WordAligner("ibm1", criterion="em:2").fit(
        [SOURCE[0], *SOURCE], [TARGET[0], *TARGET], links=[None, *links]
    )  # fmt: skip
    pairs = [row[:2] for row in weighted.lexicon()]
    assert pairs == [row[:2] for row in again.lexicon()]
    assert [row[2] for row in weighted.lexicon()] == pytest.approx([row[2] for row in again.lexicon()])


def test_links_that_cannot_be() -> None:
    for links, says in (
        ([None], "links: 1 lines for 4 pairs"),
        (["0-9", "", "", ""], "links:1: the link 0-9 is outside its sentences of 2 and 2 words"),
        ([None, 3, None, None], "pairs, a line such as 0-0 1-2, or None"),
        ([None, "x", None, None], "links:2: invalid link 'x'"),
    ):
        with pytest.raises(InputError, match=says):
            WordAligner().fit(SOURCE, TARGET, links=links)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_text("\n".join(SOURCE) + "\n")
    Path("t").write_text("\n".join(TARGET) + "\n")
    Path("links").write_text("0-1 1-0\n0-1\n\n0-1 1-2 2-0\n")
    ran = run("align s t --known-links links --save m")
    assert ran.code == 0 and ran.out == "0-1 1-0\n0-1 1-0\n0-1 1-0\n0-1 1-2 2-0\n"
    assert "gold links given for 3 of 4 pairs" in ran.err
    applied = run("align s t --known-links links --apply m")
    assert applied.code == 0 and "--known-links has no effect with --apply" in applied.err
    naacl = "".join(f"{pair} {i} {j} S\n" for pair, i, j in ((1, 1, 2), (1, 2, 1), (2, 1, 2), (4, 1, 2), (4, 2, 3)))
    Path("gold.wa").write_text(naacl)
    assert run("align s t --known-links gold.wa -q").out.startswith("0-1 1-0\n0-1 1-0\n")


def test_a_checkpoint_belongs_to_its_links(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    first = WordAligner().fit(SOURCE, TARGET, links=CROSSED, checkpoint=kept)
    again = WordAligner().fit(SOURCE, TARGET, links=CROSSED, checkpoint=kept)
    np.testing.assert_array_equal(first.agreed_.parameters.translation, again.agreed_.parameters.translation)
    with pytest.raises(InputError, match="kept"):
        WordAligner().fit(SOURCE, TARGET, links=[None, *CROSSED[1:]], checkpoint=kept)
