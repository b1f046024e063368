"""Small models of every kind, the text they are trained on, and what they are asked: by public names alone.

`make.py` trains them with the version whose files are kept here, and the tests ask today's version the same.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

import softcount as sc

SENTENCES = [
    "the dog runs",
    "",
    "a dog sees the cat",
    "cats run",
    "the cat sees a dog",
    "dogs run and a cat sleeps",
] * 3
NEW = ["a cat runs", "", "the dogs see a cat"]
TAGS = {"the": ["D"], "a": ["D"], "dog": ["N"], "cat": ["N"], "runs": ["V"], "run": ["V", "N"]}
RULES = """
S -> NP VP | S C S
NP -> D N | N
VP -> V | V NP
D -> 'the' | 'a'
N -> 'dog' | 'cat' | 'dogs' | 'cats'
V -> 'runs' | 'run' | 'sees' | 'sleeps'
C -> 'and'
"""
TREES = [
    "(S (NP (D the) (N dog)) (VP (V runs)))",
    "(S (NP (D a) (N dog)) (VP (V sees) (NP (D the) (N cat))))",
    "(S (NP (N cats)) (VP (V run)))",
] * 2
SOURCE = [
    "the house", "the small house", "a house", "the book", "a small book", "the red book", "a red house",
    "I see the house", "I read a book", "I see a small red house",
] * 2  # fmt: skip
TARGET = [
    "la maison", "la petite maison", "une maison", "le livre", "un petit livre", "le livre rouge",
    "une maison rouge", "je vois la maison", "je lis un livre", "je vois une petite maison rouge",
] * 2  # fmt: skip
NEW_PAIRS = (["a red book", "the small red house"], ["un livre rouge", "la petite maison rouge"])
SUBJECTS = ("space moon star orbit rocket", "goal team ball match coach", "bread milk cheese salt flour")
CIPHER = ["xyyx zxy", "yxw", "", "x wxy zxw"]
LETTERS = ["abba cab", "bad cab", "a dab", "cad bac"]


def documents(n: int, seed: int) -> list[str]:
    """Each of one subject for the most part."""
    dice = Random(seed)
    return [
        " ".join(dice.choice(SUBJECTS[(n if dice.random() < 0.8 else n + 1) % 3].split()) for _ in range(8))
        for n in range(n)
    ]


def points(n: int, seed: int) -> np.ndarray:
    """Of two clouds."""
    dice = Random(seed)
    return np.array([[round(dice.gauss(4 * (k % 2), 1 - 0.5 * (k % 2)), 3) for _ in range(3)] for k in range(n)])


def rows(n: int, seed: int) -> dict[str, list[Any]]:
    """Days of several people, some cells missing."""
    dice = Random(seed)
    left, right = ([dice.randrange(3) for _ in range(n)] for _ in range(2))
    return {
        "who": [k // 4 for k in range(n)],
        "left": [None if k % 7 == 0 else v for k, v in enumerate(left)],
        "right": [None if k % 5 == 0 else v for k, v in enumerate(right)],
    }


class Instance(NamedTuple):
    """An estimator that is not trained, what it is trained on, and what it is then asked about."""

    model: Any
    data: tuple[Any, ...]
    new: tuple[Any, ...]
    fit: Mapping[str, Any] = {}

    def trained(self, **more: Any) -> Any:
        return self.model.fit(*self.data, **self.fit, **more)


DOCUMENTS, POINTS, ROWS = documents(18, 3), points(24, 1), rows(24, 5)
NEW_DOCUMENTS, NEW_POINTS, NEW_ROWS = documents(4, 4), points(4, 2), rows(8, 6)


def _letters() -> Any:
    return sc.LanguageModel(3, characters=True).fit(LETTERS)


def _hmm(*states: Any, **settings: Any) -> Instance:
    return Instance(sc.HMM(*states, **{"random_state": 1, **settings}), (SENTENCES,), (NEW,))


def _classes(**settings: Any) -> Instance:
    return Instance(sc.WordClasses(3, **settings), (SENTENCES,), (NEW,))


def _crf(**settings: Any) -> Instance:
    return Instance(sc.CRFAutoencoder(2, random_state=1, **settings), (SENTENCES,), (NEW,))


def _plsa(topics: Any = 3, **settings: Any) -> Instance:
    return Instance(sc.PLSA(topics, **{"random_state": 1, **settings}), (DOCUMENTS,), (NEW_DOCUMENTS,))


def _mixture(clusters: Any = 3, *labels: Any, **settings: Any) -> Instance:
    model = sc.NaiveBayesMixture(clusters, **{"random_state": 1, **settings})
    return Instance(model, (DOCUMENTS, *labels), (NEW_DOCUMENTS,))


def _kmeans(**settings: Any) -> Instance:
    return Instance(sc.KMeans(2, random_state=1, **settings), (POINTS,), (NEW_POINTS,))


def _gaussian(**settings: Any) -> Instance:
    return Instance(sc.GaussianMixture(2, random_state=1, **settings), (POINTS,), (NEW_POINTS,))


def _grammar(*rules: Any, **settings: Any) -> Instance:
    return Instance(sc.Grammar(*rules, random_state=1, **settings), (SENTENCES,), (["the dog sees a cat", "cats run"],))


def _network(structure: str, **settings: Any) -> Instance:
    return Instance(sc.Network(structure, random_state=1, **settings), (ROWS,), (NEW_ROWS,))


def _aligner(*model: Any, **settings: Any) -> Instance:
    return Instance(sc.WordAligner(*model, **settings), (SOURCE, TARGET), NEW_PAIRS)


def _lm(*order: Any, **settings: Any) -> Instance:
    return Instance(sc.LanguageModel(*order, **settings), (SENTENCES,), (NEW,))


def _decipher(**settings: Any) -> Instance:
    settings = {"restarts": 2, "random_state": 1, "criterion": "em:6", **settings}
    return Instance(sc.Decipher(_letters(), **settings), (CIPHER,), (CIPHER[:2],))


IN_TIME = {"values": {"mood": 2}, "tie": [("left", "right")], "sequence": "who"}

# Whatever gives files tables of other kinds.
MODELS: dict[str, Callable[[], Instance]] = {
    "hmm": lambda: _hmm(3),
    "hmm-em": lambda: _hmm(3, criterion="em:4", start="random", restarts=2),
    "hmm-vb": lambda: _hmm(2, criterion="vb:4", end=True),
    "hmm-gibbs": lambda: _hmm(2, criterion="gibbs:6"),
    "hmm-dictionary": lambda: _hmm(dictionary=TAGS, criterion="em:4"),
    "hmm-features": lambda: _hmm(2, features="words", criterion="em:2"),
    "hmm-sparse": lambda: _hmm(2, sparse=(1, 0.05), criterion="em:3"),
    "hmm-auto": lambda: _hmm("auto", criterion="em:5"),
    "hmm-language": lambda: _hmm(transition=sc.LanguageModel(2).fit(["D N V", "D N V D N", "N V"]), criterion="em:4"),
    "hmm-unknown": lambda: _hmm(2, min_count=4, lowercase=True, decode="posterior", criterion="em:3"),
    "classes": _classes,
    "classes-dictionary": lambda: _classes(dictionary=TAGS, lowercase=True),
    "crf": lambda: _crf(criterion="autoencode:3"),
    "crf-words": lambda: _crf(criterion="autoencode:3", reconstruct="words", start="random"),
    "plsa": _plsa,
    "plsa-vb": lambda: _plsa(criterion="vb:4", dtype="float64", start="random"),
    "plsa-held-out": lambda: _plsa(criterion="em:6", held_out=0.3, restarts=2),
    "plsa-seeds": lambda: _plsa(criterion="em:4", seed_words={0: ["moon", "star"]}, min_df=2, stop_words=["salt"]),
    "plsa-features": lambda: _plsa(criterion="em:2", features="words"),
    "plsa-auto": lambda: _plsa("auto", criterion="em:3"),
    "mixture": _mixture,
    "mixture-labels": lambda: _mixture(3, ["space", "sport", "food", *[""] * 15], criterion="em:4"),
    "mixture-vb": lambda: _mixture(criterion="vb:4", start="random"),
    "mixture-features": lambda: _mixture(criterion="em:2", features="words"),
    "mixture-auto": lambda: _mixture("auto", criterion="em:3"),
    "kmeans": _kmeans,
    "kmeans-text": lambda: Instance(
        sc.KMeans(3, metric="cosine", random_state=1), (DOCUMENTS,), (NEW_DOCUMENTS,)
    ),
    "gaussian": _gaussian,
    "gaussian-full": lambda: _gaussian(covariance="full", criterion="em:4"),
    "gaussian-spherical": lambda: _gaussian(covariance="spherical", criterion="em:4"),
    "gaussian-vb": lambda: _gaussian(criterion="vb:4"),
    "grammar": lambda: _grammar(RULES, criterion="em:4"),
    "grammar-full": lambda: _grammar(nonterminals=2, criterion="em:3", restarts=2),
    "grammar-trees": lambda: Instance(
        sc.Grammar(markov=(2, 1), random_state=1), (), (["the dog runs", "cats run"],), {"trees": TREES}
    ),
    "network": lambda: _network("mood@-1 -> mood -> left, right", criterion="em:4", **IN_TIME),
    "network-vb": lambda: _network("mood -> left, right", values={"mood": 2}, criterion="vb:4"),
    "network-search": lambda: _network("auto"),
    "decipher": _decipher,
    "lm": _lm,
    "lm-letters": lambda: Instance(sc.LanguageModel(3, characters=True), (LETTERS,), (["abba dab"],)),
    "lm-unknown": lambda: _lm(2, min_count=4, lowercase=True),
    "aligner": _aligner,
    "aligner-best": lambda: _aligner(preset="best"),
    "aligner-ibm1": lambda: _aligner("ibm1", criterion="em:3"),
    "aligner-ibm2": lambda: _aligner("ibm1,ibm2", null="learn", tension="learn", agreement=False, criterion="em:2"),
    "aligner-ibm2-free": lambda: _aligner("ibm2-free", direction="reverse", criterion="vb:3"),
    "aligner-ibm2-together": lambda: _aligner("ibm1:2,ibm2:3", agreement=True),
    "aligner-jumps": lambda: _aligner("ibm1:2,hmm:2", agreement=False, null="learn"),
    "aligner-stems": lambda: _aligner("ibm1:2,hmm:2", agreement=False, stems="4,3", stem_strength="evidence"),
    "aligner-stems-together": lambda: _aligner("ibm1:2,hmm:2", agreement=True, stems="4,3", symmetrize="intersection"),
    "aligner-features": lambda: _aligner("ibm1:2,hmm:2", agreement=False, features="pairs", criterion="em:2"),
    "aligner-crf": lambda: _aligner("crf:3"),
    "aligner-dictionary": lambda: _aligner("ibm1:2,ibm2", dictionary=[("house", "maison", "must")]),
    "aligner-prior": lambda: _aligner("ibm1:3", agreement=False, prior=_aligner("ibm1:2", agreement=False).trained()),
    "aligner-letters": lambda: _aligner("ibm1:2", characters=True, lowercase=False)._replace(new=(["red"], ["un"])),
}  # fmt: skip

# Saved in so many parts beside the first file.
PARTS = {"aligner-jumps": 3, "plsa-vb": 2}

# One criterion a line: of each base and each wrapper, over the models whose states differ.
INTERRUPTED: dict[str, tuple[Callable[[], Instance], int]] = {
    "em": (lambda: _hmm(2, criterion="em:6", start="random", restarts=2), 8),
    "em-converges": (lambda: _hmm(2, criterion="em:3,em:40", start="random", tolerance=1e-3), 5),
    "vb": (lambda: _hmm(2, criterion="vb:6", start="random"), 3),
    "mre": (lambda: _hmm(2, criterion="em:2,mre:5"), 4),
    "mre-growth": (lambda: _hmm(2, criterion="em:2,mre(rule=growth):5"), 4),
    "mre-adaptive": (lambda: _hmm(2, criterion="em:2,mre(rule=adaptive):5"), 4),
    "direct": (lambda: _hmm(2, criterion="direct(iterations=2):5"), 3),
    "gibbs": (lambda: _hmm(2, criterion="gibbs:8"), 6),
    "gibbs-burning": (lambda: _hmm(2, criterion="gibbs(burn=5):8"), 3),
    "autoencode": (lambda: _crf(criterion="autoencode:6"), 3),
    "hard": (lambda: _hmm(2, criterion="hard:6", start="random"), 2),
    "hard-vb": (lambda: _hmm(2, criterion="hard(vb):6", start="random"), 2),
    "annealed": (lambda: _hmm(2, criterion="annealed:6", start="random"), 3),
    "annealed-gibbs": (lambda: _hmm(2, criterion="annealed(gibbs):8"), 4),
    "stepwise": (lambda: _hmm(2, criterion="stepwise(em(pseudo=0.1),batches=3):5"), 3),
    "stepwise-vb": (lambda: _hmm(2, criterion="stepwise(vb,batches=3):5"), 3),
    "constrained": (lambda: _hmm(2, criterion="constrained(em,least=2):6"), 3),
    "features": (lambda: _hmm(2, criterion="em:5", features="words"), 3),
    "plsa": (lambda: _plsa(criterion="em:6"), 3),
    "plsa-held-out": (lambda: _plsa(criterion="em:12", held_out=0.3, restarts=2), 4),
    "mixture": (lambda: _mixture(criterion="stepwise(vb,batches=3):5", start="random"), 3),
    "kmeans": (lambda: Instance(sc.KMeans(3, start="random", restarts=3, random_state=1), (POINTS,), (NEW_POINTS,)), 3),
    "gaussian": (lambda: _gaussian(criterion="vb:6", covariance="full", tolerance=0.0), 1),
    "grammar": (lambda: _grammar(nonterminals=2, criterion="em:5", restarts=2), 7),
    "network": (lambda: _network("mood@-1 -> mood -> left, right", criterion="em:6", **IN_TIME), 3),
    "decipher": (_decipher, 8),
    "aligner": (lambda: _aligner("ibm1:2,hmm:4"), 4),
    "aligner-apart": (lambda: _aligner("ibm1:2,hmm:3", agreement=False), 7),
    "aligner-ibm2": (lambda: _aligner("ibm1:2,ibm2", agreement=False, criterion="vb:3"), 4),
    "aligner-mre": (lambda: _aligner("ibm1", agreement=False, criterion="em:2,mre:4"), 4),
    "aligner-evidence": (lambda: _aligner("ibm1:2,hmm:3", agreement=True, stem_strength="evidence"), 3),
    "aligner-constrained": (lambda: _aligner("hmm", agreement=False, criterion="em:2,constrained(em):3"), 4),
    "aligner-alike": (lambda: _aligner("ibm1:2,hmm(constrained(em,of=symmetry)):3", agreement=False), 4),
    "aligner-crf": (lambda: _aligner("crf:5"), 3),
}  # fmt: skip


class Enough(Exception):
    """Training is broken off."""


def broken_off(instance: Instance, path: Path, steps: int) -> None:
    """Trained until so many steps are in the file, and the next one is interrupted."""
    left = iter(range(steps))

    def on_step(*step: Any) -> None:
        if next(left, None) is None:
            raise Enough

    try:
        instance.trained(checkpoint=path, checkpoint_every=1, on_step=on_step)
    except Enough:
        return
    raise AssertionError(f"{path.name}: trained to its end in {steps} steps")


# --- what a model answers ---------------------------------------------------------------------------------------------

# Those that take new data, and those that take none.
ASKED = (
    "predict", "predict_proba", "transform", "score", "score_samples", "reconstruction_score", "perplexity",
    "align", "posteriors", "scores", "pair_scores", "parse", "log_likelihood", "n_parses", "log_probabilities", "key",
    "class_of", "similar",
)  # fmt: skip
TOLD = ("to_json", "to_pcfg", "top_words", "top_features", "lexicon_", "objective_", "n_iter_")
REFUSED = "InputError"  # in place of an answer


def answers(model: Any, new: tuple[Any, ...]) -> dict[str, Any]:
    """What a trained model says of new data and of itself, in JSON's terms."""
    found = {name: _answer(model, name) for name in TOLD if hasattr(model, name)}
    found |= {name: _answer(model, name, *_of(model, name, new)) for name in ASKED if hasattr(model, name)}
    if isinstance(found.get("lexicon_"), dict):  # a file does not keep what has become impossible
        found["lexicon_"] = {word: [row for row in rows if any(row[1:])] for word, rows in found["lexicon_"].items()}
    return found | {"history": history(model), "tables": tables(model)}


def _answer(model: Any, name: str, *new: Any) -> Any:
    try:
        value = getattr(model, name)
        return plain(value(*new) if callable(value) else value)
    except sc.InputError:
        return REFUSED


def history(model: Any) -> Any:
    """The objective of every step."""
    traces = getattr(model, "history_", [])
    traces = traces if isinstance(traces, Mapping) else getattr(traces, "parts", {"": traces})  # a mapping in 0.2
    return {name: [[step.stage, step.step, step.objective] for step in trace] for name, trace in traces.items()}


def _of(model: Any, method: str, new: tuple[Any, ...]) -> tuple[Any, ...]:
    if method == "class_of":
        return (["dog", "cats", "whale"],)
    return (new[0][0],) if method == "similar" else new


def tables(model: Any) -> dict[str, Any]:
    """Of every table its shape, its sum, and the sum of its entries by their places: a few numbers that nothing of it
    may change without changing them."""
    found = {}
    for name, table in leaves(getattr(model, "parameters_", {})):
        flat = np.asarray(table, float).reshape(-1)
        found[name] = [list(np.shape(table)), float(flat.sum()), float(flat @ np.arange(1, 1 + len(flat)))]
    return found


def leaves(value: Any, name: str = "parameters") -> list[tuple[str, Any]]:
    """Arrays by name, however deep they are in tables, lists and mappings."""
    if hasattr(value, "offsets") and hasattr(value, "values"):
        return [(f"{name}.offsets", value.offsets), (f"{name}.values", value.values)]
    if hasattr(value, "_fields"):
        value = dict(zip(value._fields, value, strict=True))
    if isinstance(value, Mapping):
        return [leaf for key, part in value.items() for leaf in leaves(part, f"{name}.{key}")]
    if isinstance(value, list | tuple):
        return [leaf for key, part in enumerate(value) for leaf in leaves(part, f"{name}.{key}")]
    return [(name, value)]


def plain(value: Any) -> Any:
    """What JSON has: arrays as lists, records by their fields, and no clock."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "offsets") and hasattr(value, "values"):
        return {"offsets": plain(value.offsets), "values": plain(value.values)}
    if hasattr(value, "_fields"):
        return {key: plain(part) for key, part in value._asdict().items() if key != "seconds"}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set) or hasattr(value, "__next__"):
        return [plain(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"no place for a {type(value).__name__}")


def machine() -> dict[str, str]:
    """All that decides how numbers are rounded."""
    import llvmlite.binding
    import numba
    import scipy

    return {
        "processor": f"{platform.system()} {platform.machine()} {llvmlite.binding.get_host_cpu_name()}",
        "numpy": np.__version__, "scipy": scipy.__version__, "numba": numba.__version__,
    }  # fmt: skip
