"""Sentences whose words have the colour of their class, with a legend; where there are no colours, word/class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

# Of the 256 colours of terminals: readable on black and on white, neighbours in the list far apart.
COLOURS = (33, 160, 34, 172, 129, 37, 198, 100, 62, 202, 29, 163, 136, 27, 124, 71, 208, 93, 31, 168, 64, 131, 75, 141)
FEW = (4, 1, 2, 5, 6, 3, 12, 9, 10, 13, 14, 11)  # where a terminal has sixteen
MARKS = ("", " underline", " bold", " italic")  # for what has a colour that another class has, too


def styles(names: Sequence[str], many: bool = True) -> dict[str, str]:
    colours = COLOURS if many else FEW
    return {
        name: f"color({colours[k % len(colours)]}){MARKS[k // len(colours) % len(MARKS)]}"
        for k, name in enumerate(names)
    }


def legend(words: Mapping[str, Sequence[str]], style: Mapping[str, str], width: int, n: int = 3) -> Iterator[Text]:
    """Each class in its colour with its first words, as many side by side as fit."""
    line = Text()
    for name, typical in words.items():
        entry = Text.assemble((f" {name} ", style[name] + " reverse"), (" " + " ".join(typical[:n]), style[name]))
        if len(line) and line.cell_len + entry.cell_len + 3 > width:
            yield line
            line = Text()
        line = line + Text("   ") + entry if len(line) else entry
    if len(line):
        yield line


def coloured(words: Sequence[str], classes: Sequence[str], style: Mapping[str, str]) -> Text:
    line = Text()
    for word, name in zip(words, classes, strict=True):
        line.append(word, style=style.get(name, "")).append(" ")
    line.rstrip()
    return line


def labelled(words: Sequence[str], classes: Sequence[str]) -> str:
    return " ".join(f"{word}/{name}" for word, name in zip(words, classes, strict=True))
