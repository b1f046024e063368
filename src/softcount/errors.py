"""The one kind of error that is the user's to mend: one line that says where, what, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

MOST_LISTED, LONGEST_LISTED = 10, 80  # names in a message, and characters of each


class InputError(ValueError):
    """Bad input. ``str()`` is the whole message, one line; command lines print it and exit with 2.

    Read more in the :doc:`guide to troubleshooting </how-to/troubleshooting>`.
    """


class ImpossibleItem(ValueError):
    """An item of a shard has probability zero; `item` counts within the shard."""

    def __init__(self, item: int) -> None:
        super().__init__(f"item {item} has probability zero")
        self.item = item

    def __reduce__(self) -> tuple[type[ImpossibleItem], tuple[int]]:
        return ImpossibleItem, (self.item,)


@contextmanager
def impossible_means(message: Callable[[int], str]) -> Iterator[None]:
    """An item of probability zero becomes a message about the user's data, given its number."""
    try:
        yield
    except ImpossibleItem as impossible:
        raise InputError(message(impossible.item)) from None


def list_some(names: Collection[object]) -> str:
    """Names as a message lists them: the first ten, long ones cut, and how many more there are."""
    shown = map(str, islice(names, MOST_LISTED))
    text = ", ".join(name if len(name) <= LONGEST_LISTED else name[:LONGEST_LISTED] + "…" for name in shown)
    return f"{text} and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else text


def count_nouns(n: float, plural: str) -> str:
    """``1 sentence``, ``1,200 sentences``."""
    if n != 1:
        return f"{n:,.10g} {plural}"
    if plural.endswith("ies"):
        return f"1 {plural.removesuffix('ies')}y"
    return f"1 {plural.removesuffix('es' if plural.endswith('sses') else 's')}"


def list_counts(counts: Mapping[str, float]) -> str:
    """``1 sentence, 1,200 words`` of ``{"sentences": 1, "words": 1200}``."""
    return ", ".join(count_nouns(n, plural) for plural, n in counts.items())


def similar_name(name: str, names: Iterable[str]) -> str | None:
    """The one of these names that is most like a misspelt one, if any is; upper and lower case are the same here."""
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in names}
    found = get_close_matches(name.casefold(), folded, 1, 0.7)
    return folded[found[0]] if found else None
