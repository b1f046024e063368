"""k-means written out, soft beside hard: points around means, all variances one, all clusters equally likely.

soft: share[n, k] ∝ exp(−½ |x_n − μ_k|²)      hard: all of it to the nearest mean      μ_k = Σ share · x / Σ share
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.machine.streams import put
from softcount.numbers.ragged import Array

MOST = 60  # points; beyond, nobody checks by hand


def start_means(points: Array, n_clusters: int, seed: int, name: str) -> Array:
    """Points of the data, no place twice."""
    places = np.unique(points, axis=0)
    if len(points) > MOST:
        raise InputError(f"{name}: {len(points)} points, but explain shows at most {MOST}; use fewer")
    if len(places) < n_clusters:
        raise InputError(
            f"{name}: {len(places)} different points are fewer than {n_clusters} clusters; use fewer clusters"
        )
    return np.asarray(places[np.sort(np.random.default_rng(seed).permutation(len(places))[:n_clusters])])


def explain_kmeans(points: Array, means: Array, steps: int) -> dict[str, Any]:
    """Both from the same means: what each sees, and where its means go."""
    shown, soft, hard = list[dict[str, Any]](), means, means
    for _ in range(steps):
        step: dict[str, Any] = {"soft_means": soft.tolist(), "hard_means": hard.tolist()}
        scores = -0.5 * _squared(points, soft)
        norms = np.logaddexp.reduce(scores, axis=1)
        shares = np.exp(scores - norms[:, None])
        nearest = _squared(points, hard).argmin(axis=1)
        constant = np.log(len(means)) + 0.5 * points.shape[1] * np.log(2 * np.pi)
        shown.append(
            step
            | {
                "responsibilities": shares.tolist(),
                "nearest": nearest.tolist(),
                "log_likelihood": float(norms.sum() - len(points) * constant),
                "inertia": float(_squared(points, hard).min(axis=1).sum()),
            }
        )
        soft, hard = _moved(points, shares, soft), _moved(points, np.eye(len(means))[nearest], hard)
    return {"model": "kmeans", "points": points.tolist(), "steps": shown}


def print_kmeans(result: dict[str, Any]) -> None:
    from softcount.report.columns import show

    for number, step in enumerate(result["steps"], 1):
        put(f"Step {number}: soft log-likelihood {step['log_likelihood']:.6f}, hard inertia {step['inertia']:.6f}\n")
        K = len(step["soft_means"])
        means = [[f"cluster {k}", _said(step["soft_means"][k]), _said(step["hard_means"][k])] for k in range(K)]
        show("Means", ["", "soft", "hard"], means)
        rows = [
            [_said(point), *(f"{p:.6g}" for p in shares), f"{nearest}"]
            for point, shares, nearest in zip(result["points"], step["responsibilities"], step["nearest"], strict=True)
        ]
        show("Responsibilities", ["point", *(f"cluster {k}" for k in range(K)), "hard"], rows)


def _said(numbers: list[float]) -> str:
    return " ".join(f"{x:.6g}" for x in numbers)


def _squared(points: Array, means: Array) -> Array:
    return np.asarray(((points[:, None] - means) ** 2).sum(axis=2))


def _moved(points: Array, shares: Array, old: Array) -> Array:
    """A cluster without points stays."""
    totals = shares.sum(axis=0)[:, None]
    return np.where(totals > 0, shares.T @ points / np.where(totals > 0, totals, 1.0), old)
