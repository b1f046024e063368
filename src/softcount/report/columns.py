"""Tables of numbers as text: no number is ever cut; what is wider than the terminal goes on below."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

from softcount.machine.streams import columns, is_screen, put

MARGIN, GAP = 2, 3


def show(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1, breaks: Container[int] = ()
) -> None:
    """Print to stdout; the first `names` columns say what a row is, and blank lines follow the rows in `breaks`."""
    width = columns() if is_screen() else None
    put("\n".join(lines(title, header, rows, names, breaks, width)))


def lines(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    names: int,
    breaks: Container[int],
    width: int | None,
) -> Iterator[str]:
    widths = [max(map(cell_len, column)) for column in zip(header, *rows, strict=True)]
    yield title
    for block in _blocks(widths, names, width):
        yield ""
        yield _line(header, block, widths, names)
        yield " " + "─" * (sum(widths[c] for c in block) + GAP * (len(block) - 1) + 2 * MARGIN - 2)
        for number, row in enumerate(rows, 1):
            yield _line(row, block, widths, names)
            if number in breaks and number < len(rows):
                yield ""
    yield ""


def whole_words(words: Sequence[str], width: int | None) -> str:
    """As many of them as fit, none of them cut."""
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if width is not None and cell_len(longer) > width:
            break
        line = longer
    return line


class Words:
    """A cell of a rich table: as many whole words as its column has room for."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        shortest = max(map(cell_len, self.words), default=0)
        return Measurement(shortest, cell_len(" ".join(self.words))).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield Text(whole_words(self.words, options.max_width), no_wrap=True, overflow="ellipsis")


def _blocks(widths: Sequence[int], names: int, width: int | None) -> Iterator[list[int]]:
    """The columns that stand side by side; those that name the rows begin every block."""
    first = list(range(names))
    begun = MARGIN + sum(widths[:names]) + GAP * (names - 1)
    block, used = list(first), begun
    for c in range(names, len(widths)):
        if width is not None and len(block) > names and used + GAP + widths[c] + 1 > width:
            yield block
            block, used = list(first), begun
        block.append(c)
        used += GAP + widths[c]
    yield block


def _line(row: Sequence[str], block: Sequence[int], widths: Sequence[int], names: int) -> str:
    cells = []
    for c in block:
        blanks = " " * (widths[c] - cell_len(row[c]))
        cells.append(row[c] + blanks if c < names else blanks + row[c])
    return (" " * MARGIN + (" " * GAP).join(cells)).rstrip()


def six_digits(numbers: Iterable[float]) -> list[str]:
    """As tables of explanations show them."""
    return [f"{x:.6g}" for x in numbers]
