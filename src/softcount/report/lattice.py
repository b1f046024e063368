"""Every number of one sentence's forward–backward pass, written out, unscaled, as on paper.

α_t(j) = Σ_i α_{t-1}(i) a_ij · b_j(x_t)      β_t(i) = Σ_j a_ij b_j(x_{t+1}) β_{t+1}(j)      γ_t = α_t β_t / P(x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.machine.streams import put
from softcount.models.hmm import HMMTables
from softcount.numbers.ragged import Array
from softcount.report.columns import show, six_digits
from softcount.report.hmm_json import NamedHMM, to_json

LONGEST = 500  # words; beyond, unscaled probabilities underflow and the table is unreadable anyway


def lattices(model: NamedHMM, sentences: Sequence[str], pseudo: float = 0.0) -> dict[str, Any]:
    """One sentence as `lattice` has it; of several the lattices, and one EM step from all of their counts together."""
    found = [lattice(model, sentence) for sentence in sentences]
    total = HMMTables(*(np.sum(parts, axis=0) for parts in zip(*(each.pop("tables") for each in found), strict=True)))
    smoothed = (np.where(old > 0, c + pseudo, c) for c, old in zip(total, model.tables, strict=True))
    updated = HMMTables(*(_normalized(c, old) for c, old in zip(smoothed, model.tables, strict=True)))
    step = {
        "counts": _without_states(to_json(model.states, model.words, total)),
        "updated": to_json(model.states, model.words, updated),
    }
    if len(found) == 1:
        return found[0] | step
    product = float(np.prod([each["probability"] for each in found]))
    return {"states": list(model.states), "probability": product, "sentences": found, **step}


def lattice(model: NamedHMM, sentence: str) -> dict[str, Any]:
    """Of one sentence, without the M-step; its counts are the value of "tables"."""
    if "\n" in sentence.strip():
        raise InputError("the sentence has more than one line; give one line per sentence")
    words = sentence.split()
    K = len(model.states)
    if not words:
        raise InputError("the sentence is empty; give at least one word")
    if len(words) > LONGEST:
        raise InputError(f"the sentence has {len(words)} words, but explain shows at most {LONGEST}; shorten it")
    unknown = [word for word in words if word not in model.words]
    if unknown:
        raise InputError(f"no state emits {unknown[0]!r}; add it to the emissions")
    initial, onward, emission = model.tables
    step, end = onward[:, :K], onward[:, K] if model.end else np.ones(K)
    emitted = emission[:, [model.words.index(word) for word in words]].T
    before, after, beta = _passes(initial, step, end, emitted)
    probability = float(after[-1] @ end)
    if not probability > 0.0:
        raise InputError("the sentence has probability zero under these parameters, or is too long to show unscaled")
    posterior = after * beta / probability
    counts = _counts(model, words, step, emitted, after, beta, posterior, probability)

    def named(vector: Array) -> dict[str, float]:
        return dict(zip(model.states, vector.tolist(), strict=True))

    return {
        "sentence": words,
        "states": list(model.states),
        "probability": probability,
        "alpha": [
            {"word": word, "before": named(b), "after": named(a)}
            for word, b, a in zip(words, before, after, strict=True)
        ],
        "beta_before": [named(row) for row in emitted * beta],  # with the word itself, as α before is without it
        "beta": [named(row) for row in beta],
        "posterior": [named(row) for row in posterior],
        "tables": counts,
    }


def _passes(initial: Array, step: Array, end: Array, emitted: Array) -> tuple[Array, Array, Array]:
    before, after, beta = np.empty_like(emitted), np.empty_like(emitted), np.empty_like(emitted)
    for t in range(len(emitted)):
        before[t] = initial if t == 0 else after[t - 1] @ step
        after[t] = before[t] * emitted[t]
    beta[-1] = end
    for t in range(len(emitted) - 2, -1, -1):
        beta[t] = step @ (emitted[t + 1] * beta[t + 1])
    return before, after, beta


def _counts(
    model: NamedHMM,
    words: list[str],
    step: Array,
    emitted: Array,
    after: Array,
    beta: Array,
    posterior: Array,
    p: float,
) -> HMMTables:
    transition = sum(
        (step * np.outer(after[t], emitted[t + 1] * beta[t + 1]) / p for t in range(len(words) - 1)),
        np.zeros_like(step),
    )
    if model.end:
        transition = np.column_stack([transition, posterior[-1]])
    emission = np.zeros((len(model.states), len(model.words)))
    for word, share in zip(words, posterior, strict=True):
        emission[:, model.words.index(word)] += share
    return HMMTables(posterior[0], transition, emission)


def _normalized(counts: Array, old: Array) -> Array:
    """c / Σ c; a row without counts keeps its old values."""
    totals = counts.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), old)


def _without_states(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key != "states"}


def print_lattices(result: dict[str, Any]) -> None:
    """What `lattices` found: of every sentence the lattice, then the counts of all of them and one step of EM."""
    sentences = result.get("sentences", [result])
    if len(sentences) > 1:
        put(f"P(all sentences) = {result['probability']:.10g}\n")
    for found in sentences:
        _print_lattice(found, result["states"])
    words = list(dict.fromkeys(word for found in sentences for word in found["sentence"]))
    for title, key in (("Expected counts", "counts"), ("Parameters after one EM step", "updated")):
        _show_hmm(title, result[key], result["states"], words)


def _print_lattice(result: dict[str, Any], states: list[str]) -> None:
    put(f"P(sentence) = {result['probability']:.10g}\n")
    whole, columns = result["probability"], (result[key] for key in ("alpha", "beta_before", "beta", "posterior"))
    rows = [["START", "", *six_digits((1.0, 1.0, whole, whole, 1.0))]]
    rows += [
        ["" if i else alpha["word"], s, *six_digits((alpha["before"][s], alpha["after"][s], *(row[s] for row in rest)))]
        for alpha, *rest in zip(*columns, strict=True)
        for i, s in enumerate(states)
    ]
    rows.append(["END", "", *six_digits((whole, whole, 1.0, 1.0, 1.0))])
    header = ["word", "state", "α before", "α after", "β before", "β after", "posterior"]
    show("Lattice, before and after each word is emitted", header, rows, names=2,
         breaks=range(1, len(rows), len(states)))  # fmt: skip


def _show_hmm(title: str, content: dict[str, Any], states: list[str], sentence: list[str]) -> None:
    """The emissions of the sentence's words alone: the others have no count here."""
    ends = "end" in content
    header = ["state", "start", *(f"→ {s}" for s in states), *(["→ end"] if ends else [])]
    rows = []
    for s in states:
        numbers = [content["initial"][s], *(content["transition"][s][t] for t in states)]
        numbers += [content["end"][s]] if ends else []
        rows.append([s, *six_digits(numbers), *six_digits(content["emission"][s].get(w, 0.0) for w in sentence)])
    show(title, [*header, *(f"emits {word}" for word in sentence)], rows)
