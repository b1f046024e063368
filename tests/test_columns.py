"""Tables of numbers: nothing is cut, whatever the width."""

import pytest

from softcount.report.columns import lines

HEADER = ["word", *(f"class {k}" for k in range(7))]
CELLS = [[f"{(i + 1) * (k + 1) / 1234567:.6g}" for k in range(7)] for i in range(3)]
ROWS = [[word, *cells] for word, cells in zip(["a", "naïve", "猫"], CELLS, strict=True)]


@pytest.mark.parametrize("width", [None, *range(24, 110), 200])
def test_no_number_is_cut_and_lines_fit(width):
    found = list(lines("Title", HEADER, ROWS, 1, (), width))
    words = "\n".join(found).split()
    assert all(cell in words for row in ROWS for cell in row) and "…" not in "".join(found)
    assert all(line == line.rstrip() for line in found)
    if width is not None:
        assert max(map(len, found)) <= width
    blocks = sum("word" in line for line in found)
    assert blocks == 1 if width is None or width > 100 else blocks > 1


def test_columns_stand_under_one_another_and_breaks_are_kept():
    found = list(lines("Title", ["", "x"], [["猫", "1"], ["ab", "22"], ["c", "3"]], 1, (1,), None))
    assert found == ["Title", "", "        x", " ─────────", "  猫    1", "", "  ab   22", "  c     3", ""]
