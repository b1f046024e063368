"""Pictures by matplotlib, where it is installed (softcount[plot]): links, transitions and topics, on axes of your own.

    axes = sc.plot_alignment(aligner, "the house", "das haus", path="links.svg")

Each function returns the axes it has drawn on, and writes a file where `path` names one: .png, .svg, .pdf.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array

INK, LINK = "Blues", "#c1440e"


def plot_alignment(
    model: Any, source: Any, target: Any, *, gold: Any = None, axes: Any = None, path: str | Path | None = None
) -> Any:
    """Of one sentence pair P(link), the mean of the trained directions, with the links that `align` gives as dots.

    Parameters
    ----------
    model : WordAligner
        Trained.
    source, target : str or list of str
        One sentence and its translation.
    gold : list of (i, j), optional
        Right links, drawn as rings.
    axes : matplotlib axes, optional
        What to draw on; by default a new figure's.
    path : str or path, optional
        A file to write.

    Returns
    -------
    matplotlib axes
    """
    pair = (
        [source.split() if isinstance(source, str) else list(source)],
        [target.split() if isinstance(target, str) else list(target)],
    )
    if not pair[0][0] or not pair[1][0]:
        raise InputError("a sentence without words; give a pair with words on both sides")
    found = model.posteriors(*pair)[0]
    shares = [found[name][1:] if name == "forward" else found[name][1:].T for name in found]
    size = (1.2 + 0.45 * len(pair[1][0]), 1.2 + 0.35 * len(pair[0][0]))
    axes = _heat(np.mean(shares, axis=0), *(side[0] for side in pair), axes, size, "P(link)")
    for links, style in ((model.align(*pair)[0], {"c": LINK, "s": 28}), (gold or (), {"s": 130, "facecolors": "none"})):
        if len(links):
            edges = {"edgecolors": "black"} if "facecolors" in style else {}
            axes.scatter([j for _, j, *_ in links], [i for i, *_ in links], **style, **edges)
    return _written(axes, path)


def plot_transition(model: Any, *, axes: Any = None, path: str | Path | None = None) -> Any:
    """P(state | state before) of a hidden Markov model, rows before, columns after.

    Parameters
    ----------
    model : HMM
        Trained.
    axes : matplotlib axes, optional
        What to draw on; by default a new figure's.
    path : str or path, optional
        A file to write.

    Returns
    -------
    matplotlib axes
    """
    names, side = list(model.states_), 1.6 + 0.32 * len(model.states_)
    axes = _heat(model.transition_, names, names, axes, (side + 0.8, side), "P(after | before)")
    axes.set(xlabel="state", ylabel="state before")
    return _written(axes, path)


def plot_topics(
    model: Any, n: int = 8, *, words: Any = None, axes: Any = None, path: str | Path | None = None
) -> Array:
    """The most telling words of every topic or class, as bars of P(word | topic).

    Parameters
    ----------
    model : PLSA, NaiveBayesMixture or HMM
        Whatever has `top_words`.
    n : int, default 8
        How many words of each.
    words : list, vectoriser or pipeline, optional
        Names of the columns, where the input had none.
    axes : array of matplotlib axes, optional
        As many as there are topics; by default a new figure's.
    path : str or path, optional
        A file to write.

    Returns
    -------
    array of matplotlib axes
    """
    tops = model.top_words(n) if words is None else model.top_words(n, words=words)
    if axes is None:
        columns = min(4, len(tops))
        rows = -(-len(tops) // columns)
        size = (3.0 * columns, 0.5 + 0.24 * n * rows + 0.4 * rows)
        axes = _pyplot().subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")[1]
    panels = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(panels) < len(tops):
        raise InputError(f"{len(panels)} axes for {len(tops)} topics; give one for each")
    for panel, (name, listed) in zip(panels, tops.items(), strict=False):
        places = np.arange(len(listed))
        panel.barh(places, [share for _, share in listed], color="#4878a8")
        panel.set_yticks(places, [str(word) for word, _ in listed])
        panel.invert_yaxis()
        panel.set_title(str(name) if isinstance(name, str) else f"topic {name}", fontsize="medium")
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize="small")
    for panel in panels[len(tops) :]:
        panel.set_visible(False)
    _written(panels[0], path)
    return panels


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'softcount[plot]'") from None
    return plt


def _heat(table: Array, rows: list[str], columns: list[str], axes: Any, size: tuple[float, float], what: str) -> Any:
    if axes is None:
        axes = _pyplot().subplots(figsize=size, layout="constrained")[1]
    image = axes.imshow(table, cmap=INK, vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=90 if max(map(len, columns)) > 2 else 0)
    axes.set_yticks(range(len(rows)), rows)
    axes.figure.colorbar(image, ax=axes, label=what)
    return axes


def _written(axes: Any, path: str | Path | None) -> Any:
    if path is not None:
        axes.figure.savefig(path)
    return axes
