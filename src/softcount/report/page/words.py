"""Word tags on the page: classes with their words, sentences in colour, how often each class is used, who follows whom.

Serves the HMM and word classes alike: all that is asked is a name for every token.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.report.overview import EXPECTED, TOKENS, Group, overview
from softcount.report.page.element import Html, bar, el, joined, table
from softcount.report.page.frame import Section
from softcount.report.page.heat import heat

if TYPE_CHECKING:
    from softcount.text.corpus import Corpus

SENTENCES = 60
LONGEST = 60  # words of a sentence that is shown
TYPICAL, SAID = 12, 2  # words of a class: those that are listed, those that stand behind its name
WIDEST = 60  # states of which a matrix can still be read
# Labels of which evenness says something, and the share of the greatest entropy that is too much: shares from 4 % to
# 16.7 % can have 0.97; of the demo's language, 12 states, the true tags have 0.89.
FEW, FLAT = 5, 0.98
TELLS_APART = {
    "hmm": "another number of them, or the default start and criterion,",
    "word classes": "another number of them",
}


def sections(model: Any, data: Corpus | None, gold: Sequence[Sequence[str | None]] | None = None) -> Iterator[Section]:
    tags = None if data is None else [[str(tag) for tag in row] for row in model.predict(data)]
    names = [str(name) for name in (model.classes_ if model.kind == "word classes" else model.states_)]
    groups = _groups(model, names, tags)
    unknown = data is None and model.kind == "hmm" and not hasattr(model, "decoded_")
    unit = EXPECTED if unknown else TOKENS
    what = "classes" if model.kind == "word classes" else "states"
    usual = model.kind == "hmm" and model.criterion is None and model.start in (None, "auto")
    yield Section("classes", what.capitalize(), _classes(groups, what, model.kind, unit, usual))
    told = {group.name: " ".join([group.name, *group.words[:SAID]]) for group in groups}
    if model.kind == "hmm" and len(names) <= WIDEST and len(model.transition_) == len(names):
        yield Section("transition", "Transitions between states", _transition(model, names, told))
    if data is not None and tags is not None:
        yield Section(
            "sentences",
            "Sentences",
            _sentences(names, data, tags, gold, "class" if model.kind == "word classes" else "tag"),
        )
        if gold is not None:
            yield Section("confusion", "Comparison with gold tags", _confusion(told, tags, gold))


def _groups(model: Any, names: Sequence[str], tags: Sequence[Sequence[str]] | None) -> list[Group]:
    """Largest first, by the tokens of a text; without one, by those of the training data, or the expected tokens."""
    found = Counter(tag for row in tags or () for tag in row)
    sizes = None if tags is None else np.array([found[name] for name in names])
    seen = overview(model, TYPICAL, sizes)
    groups = seen.groups if seen is not None else _by_top_words(model, names, sizes)
    return sorted(groups, key=lambda group: -group.share)


def _by_top_words(model: Any, names: Sequence[str], sizes: Array | None) -> list[Group]:
    """Of a model that does not say how large its states are."""
    tops = model.top_words(TYPICAL)
    known = np.zeros(len(names), dtype=np.int64) if sizes is None else sizes
    shares = known / max(known.sum(), 1)
    words = [[word for word, _ in tops[k]] for k in range(len(names))]
    return [Group(name, int(known[k]), float(shares[k]), words[k], [], words[k]) for k, name in enumerate(names)]


def _classes(groups: Sequence[Group], what: str, kind: str, unit: str, usual: bool) -> Html:
    greatest = max((group.share for group in groups), default=0.0)
    rows = [(g.name, f"{g.size:,}", f"{g.share:.1%}", bar(g.share, greatest), " ".join(g.words)) for g in groups]
    of = "expected per state" if unit == EXPECTED else "per class"
    told = f"Number of tokens {of}, and top words."
    head = ("class" if kind == "word classes" else "state", unit, "share", "", "top words")
    hints = [el("p", hint) for hint in advice([group.share for group in groups], what, kind, usual)] if greatest else []
    return joined([el("p", told, cls="hint"), table(head, rows, "By size", numbers=(1, 2)), *hints])


def advice(shares: Sequence[float], what: str, kind: str = "hmm", usual: bool = False) -> Iterator[str]:
    """What sizes suggest to try: labels of text are far from equally frequent, and none should be without words.

    Of a run with the default start and criterion, `usual`, equal sizes suggest nothing.
    """
    used = [share for share in shares if share > 0]
    if len(used) < len(shares):
        yield f"{len(shares) - len(used)} of {len(shares)} {what} are empty; use fewer {what}, or another start."
    if len(used) >= FEW and not usual:
        evenness = -sum(p * math.log(p) for p in used) / math.log(len(used))
        if evenness > FLAT:
            yield (
                f"The {what} have almost equal sizes (entropy {evenness:.0%} of the maximum), unlike "
                f"the word classes of languages; {TELLS_APART.get(kind, 'another start')} may "
                "separate them better."
            )


def _transition(model: Any, names: Sequence[str], told_by: dict[str, str]) -> Html:
    matrix = np.asarray(model.parameters_.transition)
    columns = [*names, *(["end"] if matrix.shape[1] > len(names) else [])]
    told = "Rows: previous state; columns: next state; numbers: probabilities of at least 1 %, in %."
    return heat([told_by[name] for name in names], columns, matrix, "Transition probabilities", told)


def _sentences(names: Sequence[str], data: Any, tags: Sequence[Sequence[str]], gold: Any, called: str) -> Html:
    hues = {name: int(360 * k / len(names)) for k, name in enumerate(names)}
    fit = [s for s, row in enumerate(tags) if 0 < len(row) <= LONGEST]
    chosen = [fit[k] for k in np.linspace(0, len(fit) - 1, min(SENTENCES, len(fit))).round().astype(int)]
    mapped = _most_common(tags, gold) if gold is not None else {}
    shown = [_sentence(s, data, tags, gold, hues, mapped) for s in chosen]
    told = f"Each word with its {called} below."
    if gold is not None:
        told += f" For errors, the gold tag follows the {called}."
    return joined([el("p", told, cls="hint"), _search(called), *shown])


def _search(called: str) -> Html:
    box = Html('<input type="search" data-search="sentences" autocomplete="off" spellcheck="false">')
    found = el("p", "", cls="found", role="status", id="sentences-found")
    return joined([el("label", f"Search sentences by word or {called} ", box), found])


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


def _confusion(told_by: dict[str, str], tags: Any, gold: Any) -> Html:
    """Learned tags down, gold tags across, both by size: of each learned tag, the shares of the gold tags it meets."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in told_by}
    for row, truths in zip(tags, gold, strict=True):
        for tag, truth in zip(row, truths, strict=True):
            if truth is not None:
                counts[tag][truth] += 1
    met = {name: found for name, found in sorted(counts.items(), key=lambda item: -item[1].total()) if found}
    total, right = sum(found.total() for found in met.values()), sum(max(found.values()) for found in met.values())
    told = f"Many-to-one accuracy {right / max(total, 1):.3f}: each learned tag is mapped to its most common gold tag."
    rows = [f"{told_by[name]} ({found.total():,})" for name, found in met.items()]
    columns = [truth for truth, _ in sum(met.values(), Counter[str]()).most_common()]
    shares = np.array([[found[truth] / found.total() for truth in columns] for found in met.values()])
    how = "Rows: learned tags; columns: gold tags; numbers: percentages of the row, if at least 1 %."
    return joined([el("p", told), heat(rows, columns, shares, "Learned tags and gold tags", how)])
