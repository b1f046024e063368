"""Word tags on the page: classes with their words, sentences in colour, how often each class is used, who follows whom.

Serves the HMM and word classes alike: all that is asked is a name for every token.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.report.overview import overview
from softcount.report.page.element import Html, bar, el, joined, table
from softcount.report.page.frame import Section
from softcount.report.page.heat import heat

if TYPE_CHECKING:
    from softcount.text.corpus import Corpus

SENTENCES = 60
LONGEST = 60  # words of a sentence that is shown
TYPICAL = 12  # words of a class
WIDEST = 60  # states of which a matrix can still be read
# Labels of which evenness says something, and the share of the greatest entropy that is too much: of the demo's
# language, 12 states, the true tags have 0.89, the default 0.83, and EM from a random start, which is flat, 0.97.
FEW, FLAT = 5, 0.95


def sections(model: Any, data: Corpus | None, gold: Sequence[Sequence[str | None]] | None = None) -> Iterator[Section]:
    tags = None if data is None else [[str(tag) for tag in row] for row in model.predict(data)]
    names = [str(name) for name in (model.states_ if model.kind == "hmm" else model.classes_)]
    yield Section("classes", "States" if model.kind == "hmm" else "Classes", _classes(model, names, tags))
    if model.kind == "hmm" and len(names) <= WIDEST and len(model.transition_) == len(names):
        yield Section("transition", "Which state follows which", _transition(model, names))
    if data is not None and tags is not None:
        yield Section("sentences", "Sentences", _sentences(names, data, tags, gold))
        if gold is not None:
            yield Section("confusion", "Against gold", _confusion(names, tags, gold))


def _classes(model: Any, names: Sequence[str], tags: Sequence[Sequence[str]] | None) -> Html:
    """Largest first; of a text, how much of it each has, and otherwise what the model expects."""
    found = Counter(tag for row in tags or () for tag in row)
    seen = overview(model, TYPICAL, None if tags is None else np.array([found[name] for name in names]))
    assert seen is not None
    groups = sorted(seen.groups, key=lambda group: -group.share)
    greatest = max((group.share for group in groups), default=0.0)
    rows = [(g.name, f"{g.size:,}", f"{g.share:.1%}", bar(g.share, greatest), " ".join(g.words)) for g in groups]
    told = "How many words of the text each has, and the words that are most typical of it."
    head = ("name", "words", "share", "", "typical words")
    hints = [
        el("p", hint)
        for hint in advice([group.share for group in groups], "states" if model.kind == "hmm" else "classes")
    ]
    return joined([el("p", told, cls="hint"), table(head, rows, "By size", numbers=(1, 2)), *hints])


def advice(shares: Sequence[float], what: str) -> Iterator[str]:
    """What sizes suggest to try: labels of text are far from equally frequent, and none should be without words."""
    used = [share for share in shares if share > 0]
    if len(used) < len(shares):
        yield f"{len(shares) - len(used)} of {len(shares)} {what} have no word; fewer {what}, or another start, may do."
    if len(used) >= FEW:
        evenness = -sum(p * math.log(p) for p in used) / math.log(len(used))
        if evenness > FLAT:
            yield (
                f"The {what} are almost equally large (entropy {evenness:.0%} of the greatest), which word classes of "
                "languages are not: a sparse prior, vb(prior=0.1), or more steps may tell them apart."
            )


def _transition(model: Any, names: Sequence[str]) -> Html:
    matrix = np.asarray(model.parameters_.transition)
    columns = [*names, *(["end"] if matrix.shape[1] > len(names) else [])]
    told = "Rows: the state before; columns: the state after; numbers: per cent, where at least one."
    return heat(names, columns, matrix, "Transition probabilities", told)


def _sentences(names: Sequence[str], data: Any, tags: Sequence[Sequence[str]], gold: Any) -> Html:
    hues = {name: int(360 * k / len(names)) for k, name in enumerate(names)}
    fit = [s for s, row in enumerate(tags) if 0 < len(row) <= LONGEST]
    chosen = [fit[k] for k in np.linspace(0, len(fit) - 1, min(SENTENCES, len(fit))).round().astype(int)]
    mapped = _most_common(tags, gold) if gold is not None else {}
    shown = [_sentence(s, data, tags, gold, hues, mapped) for s in chosen]
    told = "Under each word its tag."
    if gold is not None:
        told += " Where gold says otherwise than most words of that tag, gold's tag stands behind it."
    return joined([el("p", told, cls="hint"), _search(), *shown])


def _search() -> Html:
    box = Html('<input type="search" data-search="sentences" autocomplete="off" spellcheck="false">')
    found = el("p", "", cls="found", role="status", id="sentences-found")
    return joined([el("label", "Find sentences with a word or a tag ", box), found])


def _sentence(s: int, data: Any, tags: Any, gold: Any, hues: dict[str, int], mapped: dict[str, str]) -> Html:
    words = []
    for t, (word, tag) in enumerate(zip(data.tokens(s), tags[s], strict=True)):
        truth = gold[s][t] if gold is not None else None
        off = truth is not None and mapped.get(tag) != truth
        under = f"{tag}, gold {truth}" if off else tag
        hue = f"--hue:{hues.get(tag, 0)}"
        words.append(el("li", word, el("small", under), style=hue, cls="off" if off else None))
    return el("article", el("ul", *words, cls="tagged"), cls="sentence", data_row=True)


def _most_common(tags: Any, gold: Any) -> dict[str, str]:
    counts: dict[str, Counter[str]] = {}
    for row, truths in zip(tags, gold, strict=True):
        for tag, truth in zip(row, truths, strict=True):
            if truth is not None:
                counts.setdefault(tag, Counter())[truth] += 1
    return {tag: min(found, key=lambda truth: (-found[truth], truth)) for tag, found in counts.items()}


def _confusion(names: Sequence[str], tags: Any, gold: Any) -> Html:
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for row, truths in zip(tags, gold, strict=True):
        for tag, truth in zip(row, truths, strict=True):
            if truth is not None:
                counts[tag][truth] += 1
    total = sum(found.total() for found in counts.values())
    right = sum(max(found.values(), default=0) for found in counts.values())
    rows = [
        (name, f"{found.total():,}", _shares(found))
        for name, found in sorted(counts.items(), key=lambda item: -item[1].total())
        if found
    ]
    told = (
        f"Many-to-one accuracy {right / max(total, 1):.3f}: each learned tag read as the gold tag it most often meets."
    )
    head = ("learned", "tokens", "gold tags")
    return joined([el("p", told), table(head, rows, "What each learned tag is in gold", numbers=(1,))])


def _shares(found: Counter[str]) -> str:
    return ", ".join(f"{truth} {n / found.total():.0%}" for truth, n in found.most_common(4))
