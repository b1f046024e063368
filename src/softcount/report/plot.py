"""Pictures by matplotlib: an alignment's posteriors, a transition matrix, the words of topics, sizes that were tried.

Each takes `axes` to draw into, or makes its own, and returns them; ``axes.figure.savefig("picture.svg")`` keeps it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.errors import InputError


def plot_alignment(model: Any, source: Any, target: Any, axes: Any = None) -> Any:
    """Plot the link posteriors of one sentence pair as a heat map.

    Read more in the :doc:`guide to plots </how-to/plots>`.

    >>> from softcount import WordAligner, plot_alignment
    >>> aligner = WordAligner().fit(["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"])
    >>> plot_alignment(aligner, "the house", "das haus").figure.savefig("links.svg")

    Parameters
    ----------
    model : WordAligner
        Trained.
    source, target : str or list of str
        The two sentences.
    axes : matplotlib axes, optional
        Where to draw; new axes where they are not given.

    Returns
    -------
    matplotlib axes
    """
    from softcount.report.grid import joint

    words = [list(side.split() if isinstance(side, str) else side) for side in (source, target)]
    axes = _axes(axes, (1.5 + 0.45 * len(words[1]), 1.0 + 0.4 * len(words[0])))
    axes.imshow(joint(model.posteriors([words[0]], [words[1]])[0]), cmap="Blues", vmin=0.0, vmax=1.0)
    for i, j in model.align([words[0]], [words[1]])[0]:
        axes.plot([j], [i], marker="s", markersize=13, fillstyle="none", color="#d55e00", markeredgewidth=2)
    axes.set_xticks(range(len(words[1])), words[1], rotation=60, ha="right")
    axes.set_yticks(range(len(words[0])), words[0])
    axes.set(xlabel="target", ylabel="source")
    return axes


def plot_transition(model: Any, axes: Any = None) -> Any:
    """Plot the transition matrix of a hidden Markov model: rows are previous states, columns next states.

    Read more in the :doc:`guide to plots </how-to/plots>`.

    Parameters
    ----------
    model : HMM
        Trained.
    axes : matplotlib axes, optional
        Where to draw; new axes where they are not given.

    Returns
    -------
    matplotlib axes
    """
    _needs(model, "hmm", "plot_transition")
    model._needs_bigrams("a picture of transitions")
    matrix = np.asarray(model.parameters_.transition)
    names = [str(state) for state in model.states_]
    axes = _axes(axes, (2.0 + 0.22 * len(names), 1.5 + 0.22 * len(names)))
    axes.figure.colorbar(axes.imshow(matrix, cmap="Blues", vmin=0.0), ax=axes, label="probability")
    columns = [*names, *(["end"] if matrix.shape[1] > len(names) else [])]
    axes.set_xticks(range(len(columns)), columns, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="state after", ylabel="state before")
    return axes


def plot_topics(model: Any, n_words: int = 8, axes: Any = None) -> Any:
    """Plot the top words of each topic by P(word | topic), one panel per topic, most prevalent first.

    Read more in the :doc:`guide to plots </how-to/plots>`.

    Parameters
    ----------
    model : PLSA
        Trained.
    n_words : int, default 8
        How many words of each topic.
    axes : array of matplotlib axes, optional
        Where to draw, at least one a topic; new axes where they are not given.

    Returns
    -------
    array of matplotlib axes
    """
    _needs(model, "plsa", "plot_topics")
    order = np.argsort(-np.asarray(model.prevalence_), kind="stable").tolist()
    tops, words = model.top_words(n_words), {str(name): v for v, name in enumerate(model._names(None))}
    if axes is None:
        rows = -(-len(order) // 4)
        wide = min(4, len(order))
        axes = _pyplot().subplots(
            rows, wide, figsize=(2.8 * wide, 0.6 + 2.1 * rows), squeeze=False, layout="constrained"
        )
        axes = axes[1].ravel()
    if len(np.ravel(axes)) < len(order):
        raise InputError(f"plot_topics: {len(np.ravel(axes))} axes for {len(order)} topics; give one per topic")
    for panel, h in zip(np.ravel(axes), order, strict=False):
        names = [str(word) for word, _ in tops[h]][::-1]
        panel.barh(names, [float(model.word_[h][words[name]]) for name in names], color="#0072b2")
        panel.set_title(f"topic {h}, {model.prevalence_[h]:.0%}", fontsize="medium")
        panel.set_xlabel("P(word | topic)", fontsize="small")
        panel.spines[["top", "right"]].set_visible(False)
    for panel in np.ravel(axes)[len(order) :]:
        panel.set_visible(False)
    return axes


def plot_tried(model: Any, axes: Any = None) -> Any:
    """Plot the score of every size tried, if the size is "auto"; the chosen one is filled.

    Read more in the :doc:`guide to plots </how-to/plots>`.

    Parameters
    ----------
    model : HMM, NaiveBayesMixture or PLSA
        Trained with the size "auto".
    axes : matplotlib axes, optional
        Where to draw; new axes where they are not given.

    Returns
    -------
    matplotlib axes
    """
    tried = getattr(model, "tried_", None)
    if not tried:
        raise InputError('plot_tried needs a size that was chosen ("auto"); this model was given its size')
    best = {one.size: one.score for one in sorted(tried, key=lambda one: one.score)}
    sizes, axes = sorted(best), _axes(axes, (5.0, 3.2))
    axes.plot(sizes, [best[size] for size in sizes], marker="o", fillstyle="none", color="#0072b2")
    axes.plot([model._size], [best.get(model._size, np.nan)], marker="o", color="#0072b2")
    axes.set(xlabel=model._size_name, ylabel=f"score ({model.choose})")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _needs(model: Any, kind: str, name: str) -> None:
    if model.kind != kind:
        raise InputError(f"{name} draws a model of kind {kind!r}, not {model.kind!r}")


def _axes(axes: Any, size: tuple[float, float]) -> Any:
    return _pyplot().subplots(figsize=size, layout="constrained")[1] if axes is None else axes


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'softcount[plot]'") from None
    return plt
