"""softcount symmetrize against Moses' symal and fast_align's atools, each spelt out as it works."""

from pathlib import Path

import pytest
from command import refused, run
from hypothesis import given
from hypothesis import strategies as st
from test_joining import naive

from softcount.links.symmetrize import METHODS, symmetrized

pytestmark = pytest.mark.kernels

POINTS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=9)
AROUND = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]


def atools(method, a, b):
    """On a grid of marks, as the tool has it."""
    size = 6
    grid = [[(i, j) in a and (i, j) in b for j in range(size)] for i in range(size)]

    def free(i, j):
        return not any(grid[i]), not any(grid[k][j] for k in range(size))

    def beside(i, j):
        return any(0 <= i + x < size and 0 <= j + y < size and grid[i + x][j + y] for x, y in AROUND)

    if method in ("intersection", "union"):
        return a & b if method == "intersection" else a | b
    more = True
    while more:
        more = False
        for i in range(size):
            for j in range(size):
                if ((i, j) in a or (i, j) in b) and not grid[i][j] and any(free(i, j)) and beside(i, j):
                    grid[i][j] = more = True
    for side in () if method == "grow-diag" else (a, b):
        for i in range(size):
            for j in range(size):
                wanted = all(free(i, j)) if method == "grow-diag-final-and" else any(free(i, j))
                if (i, j) in side and not grid[i][j] and wanted:
                    grid[i][j] = True
    return {(i, j) for i in range(size) for j in range(size) if grid[i][j]}


@pytest.mark.parametrize("method", METHODS)
@given(POINTS, POINTS, st.integers(1, 10**8))
def test_links_of_any_form_are_joined_as_symal_joins_them(method, forward, reverse, far):
    turned = [{(j, i) for i, j in points} for points in (forward, reverse)]
    wanted = {(i, j) for j, i in naive(method, *turned)}
    assert next(symmetrized([(set(forward), set(reverse))], method)) == sorted(wanted)
    # words far behind do not change what is joined before them, nor cost room
    beyond = {(far + 6, far + 6)}
    found = next(symmetrized([(forward | beyond, reverse | beyond)], method))
    assert set(found) == wanted | beyond


@pytest.mark.parametrize("method", METHODS)
@given(POINTS, POINTS)
def test_or_as_atools_joins_them(method, forward, reverse):
    assert next(symmetrized([(set(forward), set(reverse))], method, "atools")) == sorted(
        atools(method, forward, reverse)
    )


def test_the_two_tools_differ_on_some_pairs():
    """Otherwise the option would be idle: found by search over small grids."""
    forward, reverse = {(2, 1)}, {(1, 0), (2, 0), (2, 1)}
    found = {order: next(symmetrized([(forward, reverse)], "grow-diag", order)) for order in ("symal", "atools")}
    assert found["symal"] != found["atools"]


def test_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("f").write_text("0-0 1-1 2-1\n\n0-0\n")
    Path("r").write_text("0-0 1-1 1-2\n\n1-1\n")
    assert run("symmetrize f r --method intersection").out == "0-0 1-1\n\n\n"
    assert run("symmetrize f r --method union").out == "0-0 1-1 1-2 2-1\n\n0-0 1-1\n"
    Path("t").write_text("0-0 1-1 2-1\n\n1-1\n")
    assert run("symmetrize f t --method union --turned").out == run("symmetrize f r --method union").out
    assert run("symmetrize f -", b"0-0 1-1 1-2\n\n1-1\n").out == run("symmetrize f r").out
    refused(run("symmetrize f r --method most"), f"method='most': unknown; use {', '.join(METHODS)}")
    refused(run("symmetrize f r --order giza"), "order='giza': unknown; use symal or atools")
    Path("s").write_text("0-0\n")
    refused(run("symmetrize f s"), "s: 2 lines fewer than f; give links of the same sentence pairs")
