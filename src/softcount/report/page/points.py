"""Clusters of points: how large they are, where their centres lie, and the points in a plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.report.page.element import Html, bar, el, joined, minus, table, void
from softcount.report.page.frame import Section

FEATURES = 12  # of a centre that are shown
POINTS = 1000  # that are drawn
HUES = 8  # colours that can be told apart


def sections(model: Any, data: Any) -> Iterator[Section]:
    labels = np.asarray(model.labels_ if data is None else model.predict(data))
    sizes = np.bincount(labels, minlength=model.n_clusters)
    yield Section("clusters", "Clusters", _centres(model, sizes))
    if data is not None:
        yield Section(
            "points",
            "Points",
            _points(np.asarray(data, dtype=float), labels, np.asarray(model.means_), _features(model)),
        )


def _features(model: Any) -> list[str]:
    unnamed = [f"feature {n}" for n in range(model.n_features_in_)]
    return list(map(str, getattr(model, "feature_names_in_", unnamed)))


def _centres(model: Any, sizes: Array) -> Html:
    features = _features(model)[:FEATURES]
    rows = [
        (f"{k}", f"{sizes[k]:,}", f"{sizes[k] / sizes.sum():.1%}", bar(sizes[k], sizes.max()),
         *(minus(f"{value:.4g}") for value in model.means_[k][: len(features)]))
        for k in np.argsort(-sizes, kind="stable").tolist()
    ]  # fmt: skip
    head = ("cluster", "points", "share", "", *(f"mean {name}" for name in features))
    return table(head, rows, "By size", numbers=(1, 2, *range(4, 4 + len(features))))


def _ways(data: Array, names: list[str]) -> str:
    """What goes to the right and what upwards, from where to where, where these are features themselves."""
    if data.shape[1] > 2:
        return ""
    ends = [f"{minus(f'{column.min():.3g}')} to {minus(f'{column.max():.3g}')}" for column in data.T]
    ways = zip(("Horizontal axis", "vertical axis"), names, ends, strict=False)
    return " " + "; ".join(f"{way}: {name}, {end}" for way, name, end in ways) + "."


def _points(data: Array, labels: Array, means: Array, names: list[str]) -> Html:
    """Colours go round after eight; crosses are centres."""
    chosen = np.linspace(0, len(data) - 1, min(POINTS, len(data))).round().astype(int)
    centre = data.mean(axis=0)
    _, s, axes = np.linalg.svd(data - centre, full_matrices=False)
    plane = axes[:2] if data.shape[1] > 2 else np.eye(data.shape[1])
    at, crosses = _placed([(data[chosen] - centre) @ plane.T, (means - centre) @ plane.T])
    dots = [void("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, cls=f"dot hue{k % HUES}")
            for (x, y), k in zip(at, labels[chosen].tolist(), strict=True)]  # fmt: skip
    marks = [
        joined([void("path", d=f"M{x - 9:.1f},{y:.1f} h18 M{x:.1f},{y - 9:.1f} v18", cls=f"cross hue{k % HUES}"),
                el("text", k, x=f"{x + 7:.1f}", y=f"{y - 7:.1f}", cls="name")])
        for k, (x, y) in enumerate(crosses)
    ]  # fmt: skip
    kept = (s[:2] ** 2).sum() / max((s**2).sum(), 1e-300)
    told = "Crosses: centers, with the numbers of their clusters." + _ways(data, names)
    told += f" Two dimensions explain {kept:.0%} of the variance." if data.shape[1] > 2 else ""
    svg = el(
        "svg", *dots, *marks, viewBox="0 0 520 340", role="img", aria_label=f"{len(chosen)} points in their clusters"
    )
    return joined([el("p", told, cls="hint"), el("figure", svg, cls="scatter")])


def _placed(groups: list[Array]) -> list[Array]:
    """All in one frame; points of one number lie on a line."""
    wide = [group if group.shape[1] == 2 else np.column_stack([group, np.zeros(len(group))]) for group in groups]
    every = np.vstack(wide)
    low, span = every.min(axis=0), np.maximum(np.ptp(every, axis=0), 1e-12)
    shares = [(group - low) / span for group in wide]
    return [np.column_stack([20 + 480 * share[:, 0], 320 - 300 * share[:, 1]]) for share in shares]
