"""softcount symmetrize: two directions' links, of any tool, made one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from softcount.cli.options import IN, option
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine.streams import put_lines

METHOD = "Method. Choices: intersection, union, grow-diag, grow-diag-final, grow-diag-final-and."


@watched
def symmetrize(
    forward: Annotated[
        str, typer.Argument(help="Links i-j (source word, target word) from source→target alignment; - for stdin.")
    ],
    reverse: Annotated[
        str, typer.Argument(help="Links i-j (source word, target word) from target→source alignment; - for stdin.")
    ],
    method: Annotated[str, option("Combination", METHOD)] = "grow-diag-final-and",
    order: Annotated[
        str, option("Combination", "Order of the growing steps. Choices: symal (Moses), atools (fast_align).")
    ] = "symal",
    turned: Annotated[bool, option(IN, "Read REVERSE as j-i, target word first.", "--turned")] = False,
) -> None:
    """Symmetrize two files of word alignments, one per direction, from any tool.

    Example: **softcount symmetrize forward.links reverse.links --method grow-diag-final-and > links.txt**

    After fast_align: **softcount symmetrize fwd.align rev.align --method intersection --order atools**
    """
    from softcount.links.pharaoh import read_links
    from softcount.links.symmetrize import symmetrized
    from softcount.text.source import check_stdin, name_of

    check_stdin(forward_links=forward, reverse_links=reverse)
    one, other = read_links(forward), read_links(reverse)
    if len(one) != len(other):
        short, long = (forward, reverse) if len(one) < len(other) else (reverse, forward)
        missing = abs(len(one) - len(other))
        raise InputError(
            f"{name_of(short)}: {missing} lines fewer than {name_of(long)}; give links of the same sentence pairs"
        )
    pairs = ((_all(f), {(j, i) for i, j in _all(r)} if turned else _all(r)) for f, r in zip(one, other, strict=True))
    lines = [" ".join(f"{i}-{j}" for i, j in links) + "\n" for links in symmetrized(pairs, method, order)]
    put_lines(lines)


def _all(pair: Any) -> set[tuple[int, int]]:
    return set(pair.sure | pair.possible)
