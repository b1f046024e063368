"""Whether a link that is said to be right with probability .9 is right nine times in ten: links of gold sets by bins.

Right is what the gold links call sure or possible. The map from the mean of both posteriors, and from how often the
rarer word of a link was seen, to a probability has three numbers; each set is shown with those of the product, and with
those that the other sets alone would choose.

    python bench/bench_calibration.py [--sets Hansards Europarl cs es it nl]
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import numpy as np
from corpora import shell_line
from gold_sets import SETS, GoldSet, gold_sets
from measured import Measured

BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


def judged(found: GoldSet) -> tuple[np.ndarray, np.ndarray]:
    """(the mean of both posteriors and how often the rarer word was seen, whether it is right) of every link."""
    from softcount import WordAligner

    model = WordAligner(n_jobs=1).fit(found.source, found.target)
    n = len(found.gold)
    links, right = [], []
    posteriors = model.posteriors(found.source[:n], found.target[:n])
    for s, (pair, (sure, possible)) in enumerate(zip(posteriors, found.gold, strict=True)):
        seen = [
            frequencies[vocabulary.find(line.lower().split())]
            for frequencies, vocabulary, line in zip(
                model.agreed_.frequencies, model.vocabularies_, (found.source[s], found.target[s]), strict=True
            )
        ]
        mean = (pair["forward"][1:] + pair["reverse"][1:].T) / 2
        for i, j in np.argwhere(mean > 0.5).tolist():
            links.append((mean[i, j], min(seen[0][i], seen[1][j])))
            right.append((i, j) in sure or (i, j) in possible)
    return np.array(links), np.array(right)


def fitted(links: np.ndarray, right: np.ndarray, weights: np.ndarray, seen: bool = True) -> tuple[float, ...]:
    """(a, b, c) of P = 1 / (1 + exp(−a − b · log(p / (1 − p)) − c · log n)) by likelihood; c is 0 where not `seen`."""
    from sklearn.linear_model import LogisticRegression

    columns = np.stack([logits(links[:, 0]), np.log(links[:, 1]) * seen], axis=1)
    found = LogisticRegression(C=1e6, max_iter=1000).fit(columns, right, sample_weight=weights * len(weights))
    return float(found.intercept_[0]), *found.coef_[0].tolist()


def logits(means: np.ndarray) -> np.ndarray:
    from softcount.links.calibration import CERTAIN

    clipped = np.minimum(means, CERTAIN)
    return np.log(clipped / (1 - clipped))


def mapped(links: np.ndarray, a: float, b: float, c: float) -> np.ndarray:
    return 1 / (1 + np.exp(-a - b * logits(links[:, 0]) - c * np.log(links[:, 1])))


def error(said: np.ndarray, right: np.ndarray) -> float:
    """The expected calibration error: |said − right| of each bin, by its links."""
    where = np.digitize(said, BINS[1:-1])
    bins = [where == k for k in range(len(BINS) - 1)]
    return float(sum(abs(said[b].mean() - right[b].mean()) * b.mean() for b in bins if b.any()))


def row(title: str, said: np.ndarray, right: np.ndarray) -> None:
    where, cells = np.digitize(said, BINS[1:-1]), []
    for k in range(len(BINS) - 1):
        here = where == k
        cells.append(f"{said[here].mean():.3f} {right[here].mean():.3f} {here.sum():6,}" if here.any() else " " * 18)
    print(f"{title:60}" + "  ".join(cells) + f"   error {error(said, right):.3f}", flush=True)


def of_others(found: dict[str, tuple[np.ndarray, np.ndarray]], name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Links, whether they are right, and their weights: every other set counts the same."""
    others = [pair for other, pair in found.items() if other != name]
    links, right = (np.concatenate(column) for column in zip(*others, strict=True))
    return links, right, np.concatenate([np.full(len(m), 1 / len(m)) for m, _ in others])


def main() -> None:
    from softcount.links.calibration import INTERCEPT, SEEN, SLOPE

    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    print(shell_line())
    found = {one.name: judged(one) for one in gold_sets(*parser.parse_args().sets)}
    print(f"{'said, right, links':60}" + "  ".join(f"{a:.2f} to {b:.2f}".ljust(18) for a, b in pairwise(BINS)))
    errors: dict[str, list[float]] = {}
    for name, (links, right) in found.items():
        said = {"the mean of both posteriors": links[:, 0], "the map": mapped(links, INTERCEPT, SLOPE, SEEN)}
        if len(found) > 1:
            others = of_others(found, name)
            said["a map of the mean alone, chosen on the other sets"] = mapped(links, *fitted(*others, seen=False))
            said["the map, chosen on the other sets"] = mapped(links, *fitted(*others))
        for title, probabilities in said.items():
            row(f"{name}, {title}", probabilities, right)
            errors.setdefault(f"error of {title}", []).append(error(probabilities, right))
    print("all together: a = {:.3f}, b = {:.3f}, c = {:.3f}".format(*fitted(*of_others(found, ""))))
    table = Measured("align-calibration", {"": "", **dict.fromkeys(found, ".3f")})
    for title, cells in errors.items():
        table.add(title, *cells)


if __name__ == "__main__":
    main()
