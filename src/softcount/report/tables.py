"""Everything that a model has learned as named columns: words and states by their names, sparse tables as triples."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from softcount.numbers.ragged import Array
from softcount.numbers.tables import values
from softcount.text.word_form import FEATURES

RARE_NAME = "<rare>"  # of the values of a feature that hardly any word has
NULL, START, END = "<null>", "<start>", "<end>"  # what the empty word, and a sentence's bounds are called

# What may not be in a file's name on one system or another, what would hide the file, and names of Windows' devices.
_NOT_IN_NAMES = re.compile(
    r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*%\u2028\u2029\ud800-\udfff]|\A[. ]|\A[a-z](?=(?:on|rn|ux|ul|om\d|pt\d)(?:\.|\Z))',
    re.IGNORECASE,
)
LONGEST_NAME = 120  # bytes of a file's name that come from a table's


class Named(NamedTuple):
    """A column of names, stored once each."""

    names: Sequence[str]
    ids: Array


Column = Array | Named
Table = dict[str, Column]


def tables(model: Any) -> Iterator[tuple[str, Table]]:
    """(name, columns) of every table of a trained estimator, the trace last."""
    yield from KINDS.get(model.kind, _numbered)(model)
    yield from _posterior(model)
    for name, trace in model._traces().items():
        if trace:
            yield _called("trace", name), _trace(trace)


def n_rows(table: Table) -> int:
    first = next(iter(table.values()))
    return len(first.ids if isinstance(first, Named) else first)


def file_names(names: Sequence[str]) -> list[str]:
    """For each table a file's name without its ending. Tables are called by names of the data: none leads elsewhere.

    What no file's name can have is written as in addresses (`a/b`: `a%2Fb`). A name that is too long ends in a digest,
    and one that is there already, in capitals or not, in a number.
    """
    found: dict[str, str] = {}
    for name in names:
        whole = safe = _NOT_IN_NAMES.sub(_in_hexadecimal, name) or "%"
        if len(whole.encode()) > LONGEST_NAME:
            start = whole.encode()[: LONGEST_NAME - 17].decode(errors="ignore")
            whole = safe = f"{start}~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        number = 1
        while safe.casefold() in found:
            number += 1
            safe = f"{whole}~{number}"
        found[safe.casefold()] = safe
    return list(found.values())


def _in_hexadecimal(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))


def _called(table: str, part: str) -> str:
    return f"{table}_{part}" if part else table


def _strings(values: Sequence[Any]) -> Array:
    return np.array([str(value) for value in values], dtype=object)


def apart(name: str, *ours: str) -> str:
    """A name of the data that is also one of ours gets a backslash; so does what looks like that, to stay another."""
    return "\\" + name if name.lstrip("\\") in ours else name


def _dense(first: str, rows: Sequence[Any], names: Sequence[Any], table: Array, *ours: str) -> Table:
    """`table` [rows, names], a column for each name, and for those columns of ours that come behind them."""
    columns = [*(apart(str(name), first, *ours) for name in names), *ours]
    return {first: _strings(rows), **{name: table[:, k] for k, name in enumerate(columns)}}


def _numbered(model: Any) -> Iterator[tuple[str, Table]]:
    """Of an estimator of which nothing more is known than its tables: rows and columns by their numbers."""
    for name, table in model.parameters_._asdict().items():
        rows = np.atleast_2d(table)
        yield name, _dense("row", range(len(rows)), range(rows.shape[1]), rows)


def _hmm(model: Any) -> Iterator[tuple[str, Table]]:
    states = model.states_
    yield "initial", {"state": _strings(states), "probability": model.initial_}
    ends = () if model.end_ is None else (END,)
    square = len(model.transition_) == len(states)
    onward = model.parameters_.transition if square else model.language_
    before = states if square else _histories(states, len(onward))
    yield "transition", _dense("state", before, states, onward, *ends)
    yield "emission", _dense("word", model.vocabulary_.words, states, model.emission_.T)


def _histories(states: Sequence[str], n: int) -> list[str]:
    """The names of all histories of one length, of n in all."""
    names, found = [*states, START], [""]
    while len(found) < n:
        found = [f"{before} {name}".lstrip() for before in found for name in names]
    return found


def _decipher(model: Any) -> Iterator[tuple[str, Table]]:
    yield "emission", _dense("cipher", model.vocabulary_.words, model.letters_, model.emission_.T)
    histories = _histories(model.letters_, len(model.language_))
    yield "language", _dense("before", histories, model.letters_, model.language_, END)


def _language_model(model: Any) -> Iterator[tuple[str, Table]]:
    words = np.array(model.vocabulary_.words, dtype=object)
    grams = words
    for n, ngrams in enumerate(model.orders_, 1):
        if n > 1:
            context, word = np.divmod(ngrams.keys, len(words))
            grams = grams[context] + " " + words[word]
        left = {"backoff": np.exp(ngrams.log_backoff)} if len(ngrams.log_backoff) else {}
        yield f"order_{n}", {"ngram": grams, "probability": np.exp(ngrams.log_p), **left}


def _word_classes(model: Any) -> Iterator[tuple[str, Table]]:
    names, forms = _strings(model.classes_), model.forms_
    columns = {"count": model.count_, "confidence": model.confidence_}
    yield "word", {"word": _strings(model.vocabulary_.words), "class": names[model.word_class_], **columns}
    features = [feature for feature, values in zip(FEATURES, forms.names, strict=True) for _ in values]
    values = [value or RARE_NAME for values in forms.names for value in values]
    classes = {apart(name, "feature", "value"): forms.values[:, k] for k, name in enumerate(model.classes_)}
    yield "form", {"feature": _strings(features), "value": _strings(values), **classes}


def _plsa(model: Any) -> Iterator[tuple[str, Table]]:
    topics = [f"topic {h}" for h in range(len(model.word_))]
    yield "prevalence", {"topic": _strings(topics), "probability": model.prevalence_}
    yield "word", _dense("word", model._names(None), topics, model.word_.T)
    yield "topic", _dense("document", range(1, len(model.topic_) + 1), topics, model.topic_)


def _mixture(model: Any) -> Iterator[tuple[str, Table]]:
    classes = model.classes_.tolist()
    yield "cluster", {"class": _strings(classes), "probability": model.cluster_}
    yield "word", _dense("word", model._names(None), classes, model.word_.T)
    yield "label", _labels("document", "class", _strings(classes), model.labels_)


def _gaussian(model: Any) -> Iterator[tuple[str, Table]]:
    clusters = [f"cluster {k}" for k in range(model.n_clusters)]
    numbered: Sequence[Any] = getattr(model, "feature_names_in_", range(model.n_features_in_))
    features = numbered if model.vocabulary_ is None else model.vocabulary_.words
    yield "cluster", {"cluster": _strings(clusters), "probability": model.weights_}
    yield "mean", _dense("feature", features, clusters, model.means_.T)
    spread = model.variances_.T
    yield "variance", _dense("feature", features if len(spread) > 1 else ["all"], clusters, spread)
    if model.idf_ is not None:
        yield "idf", {"word": _strings(features), "idf": model.idf_}
    yield "label", _labels("row", "cluster", _strings(clusters), model.labels_)


def _labels(rows: str, what: str, names: Array, labels: Array) -> Table:
    return {rows: np.arange(1, len(labels) + 1), what: names[labels]}


def _aligner(model: Any) -> Iterator[tuple[str, Table]]:
    for name, direction in model.directions_.items():
        given, made = model.vocabularies_ if name == "forward" else model.vocabularies_[::-1]
        rows = direction.model.entries
        before, after = ([apart(word, NULL) for word in vocabulary.words] for vocabulary in (given, made))
        sides = ("source", "target") if name == "forward" else ("target", "source")
        yield (
            _called("translation", name),
            {
                sides[0]: Named([NULL, *before], np.repeat(np.arange(rows.n_rows), rows.lengths)),
                sides[1]: Named(after, rows.values),
                "probability": direction.parameters.translation.values,
            }
            | ({} if getattr(direction, "strengths", None) is None else {"lambda": direction.posterior.values}),
        )
        if direction.model.alignment in ("diagonal", "free", "jumps"):
            yield _called("alignment", name), _alignment(direction, sides)


def _alignment(direction: Any, sides: tuple[str, str]) -> Table:
    model, table = direction.model, direction.parameters.alignment
    if model.alignment == "diagonal":
        weights = direction.log_weights.alignment
        return {"parameter": _strings(["null", "tension"]), "value": np.array([np.exp(weights[0]), weights[2]])}
    if model.alignment == "jumps":
        return _places(np.exp(direction.log_weights.alignment), model.positions)
    cells = [(l, m, j, i) for l, m in model.classes.tolist() if l for j in range(1, m + 1) for i in range(l + 1)]
    names = (f"{sides[0]}_length", f"{sides[1]}_length", f"{sides[1]}_position", f"{sides[0]}_position")
    columns = np.array(cells, dtype=np.int64).reshape(-1, 4).T
    return {**dict(zip(names, columns, strict=True)), "probability": np.exp(table.values)}


def _places(vector: Array, positions: Any) -> Table:
    """A row for the empty word, each first and last place, and each jump."""
    begin, end, jump, _ = positions.parts(vector)
    kinds = ["null", *["begin"] * len(begin), *["end"] * len(end), *["jump"] * len(jump)]
    away = np.arange(positions.reach + 1)
    distance = np.concatenate([[0], away, away, np.arange(-positions.reach, positions.reach + 1)])
    return {
        "parameter": _strings(kinds),
        "positions": distance,
        "value": np.concatenate([vector[:1], begin, end, jump]),
    }


def _network(model: Any) -> Iterator[tuple[str, Table]]:
    """A row for each entry: the parents' values, the variable's own, and the probability."""
    from itertools import product

    from softcount.models.network_declared import axes, givens

    for number, (name, table) in enumerate(model._tables.items()):
        own = name.removesuffix("@first")
        parents = [apart(parent, own, "probability") for parent in givens(model._model, number)]
        columns = zip(*product(*axes(model._model, number)), strict=True)
        named = {column: _strings(values) for column, values in zip([*parents, own], columns, strict=True)}
        yield name, {**named, "probability": np.ravel(table)}


def _grammar(model: Any) -> Iterator[tuple[str, Table]]:
    rules = model.rules_
    sides = [text.split(" -> ", 1)[1] for text in rules.texts()]
    shown: Table = {"symbol": Named(rules.symbols, rules.lhs()), "right_side": _strings(sides)}
    yield "rule", {**shown, "probability": model.parameters_.rule.values}


def _posterior(model: Any) -> Iterator[tuple[str, Table]]:
    """After variational Bayes λ, in the form of what it is the posterior of."""
    known = {name: table for name, table in (getattr(model, "posterior_", None) or {}).items() if table is not None}
    if not known or model.kind == "word aligner":
        return
    stand_in = STAND_INS.get(model.kind)
    if stand_in is None:
        for name, table in known.items():
            rows = np.atleast_2d(values(table))
            yield _called("posterior", name), _dense("row", range(len(rows)), range(rows.shape[1]), rows)
        return
    for name, columns in KINDS[model.kind](_InPlace(model, stand_in(known))):
        if name in known:
            yield _called("posterior", name), {_renamed(column): cells for column, cells in columns.items()}


def _renamed(column: str) -> str:
    return "lambda" if column == "probability" else column


class _InPlace:
    """A model with other tables in the place of its own."""

    def __init__(self, model: Any, others: dict[str, Any]) -> None:
        self._model_itself, self._others = model, others

    def __getattr__(self, name: str) -> Any:
        return self._others[name] if name in self._others else getattr(self._model_itself, name)


def _trace(trace: Any) -> Table:
    rows = trace.table()
    names = list(dict.fromkeys(key for row in rows for key in row))
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(values: list[Any]) -> Array:
    if any(isinstance(value, str) for value in values):
        return _strings(values)
    whole = all(isinstance(value, int) for value in values)
    return np.array(values) if whole else np.array([np.nan if value is None else value for value in values], float)


# By kind, which attributes hold the tables that are shown.
STAND_INS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "hmm": lambda known: {
        "initial_": known["initial"], "emission_": known["emission"], "parameters_": SimpleNamespace(**known)
    },
    "plsa": lambda known: {"word_": known["word"], "topic_": known["topic"]},
    "naive bayes mixture": lambda known: {"cluster_": known["cluster"], "word_": known["word"]},
    "network": lambda known: {"_tables": known},
    "grammar": lambda known: {"parameters_": SimpleNamespace(**known)},
}  # fmt: skip
KINDS: dict[str, Callable[[Any], Iterator[tuple[str, Table]]]] = {
    "hmm": _hmm,
    "decipher": _decipher,
    "language model": _language_model,
    "word classes": _word_classes,
    "plsa": _plsa,
    "naive bayes mixture": _mixture,
    "k-means": _gaussian,
    "gaussian mixture": _gaussian,
    "word aligner": _aligner,
    "network": _network,
    "grammar": _grammar,
}
