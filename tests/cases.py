"""Small instances of every estimator, and every bit of what one has learned: for tests of files and of resuming."""

import json
import warnings
from typing import Any

import numpy as np

import softcount
from softcount.disk.state import flatten
from softcount.synthetic import bilingual
from softcount.synthetic.topics import topical

CRITERIA = [
    "em:4", "em(pseudo=0.5):4", "hard:4", "vb:4", "hard(vb):3", "gibbs:4", "annealed:4", "annealed(vb):4",
    "stepwise(em(pseudo=0.1),batches=3):3", "stepwise(vb,batches=3):3", "em:2,mre:3", "em:2,mre(rule=growth):3",
    "em:2,mre(rule=adaptive):4", "direct(iterations=2):3",
]  # fmt: skip

SENTENCES = [
    "the dog runs",
    "",
    "a dog sees the cat",
    "cats run",
    "the cat sees a dog",
    "dogs run and a cat sleeps",
] * 4
RULES = """
S -> NP VP | S C S
NP -> D N | N
VP -> V | V NP
D -> 'the' | 'a'
N -> 'dog' | 'cat' | 'dogs' | 'cats'
V -> 'runs' | 'run' | 'sees' | 'sleeps'
C -> 'and'
"""
DOCUMENTS = [" ".join(words) for words in topical(25, seed=3).documents]
POINTS = np.concatenate([np.random.default_rng(1).normal(m, s, (20, 3)) for m, s in ((0, 1.0), (4, 0.5))])
PAIRS = bilingual(30, seed=2)
_DICE = np.random.default_rng(5).integers(0, 3, (2, 24)).tolist()
ROWS = {
    "who": [k // 4 for k in range(24)],
    "left": [None if k % 7 == 0 else v for k, v in enumerate(_DICE[0])],
    "right": [None if k % 5 == 0 else v for k, v in enumerate(_DICE[1])],
}


with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)  # so little text has no discounts of its own
    LETTERS = softcount.LanguageModel(3, characters=True).fit(["abba cab", "bad cab", "a dab", "cad bac"])
CIPHER = ["xyyx zxy", "yxw", "", "x wxy zxw"]


def _aligned(criterion: str, model: str, **more: Any) -> tuple[Any, tuple[Any, ...]]:
    return softcount.WordAligner(model, criterion=criterion, **more), (PAIRS.source, PAIRS.target)


MODELS: dict[str, Any] = {
    "hmm": lambda c, **m: (softcount.HMM(3, criterion=c, restarts=2, random_state=1, **m), (SENTENCES,)),
    "decipher": lambda c, **m: (softcount.Decipher(LETTERS, criterion=c, restarts=2, random_state=1, **m), (CIPHER,)),
    "grammar": lambda c, **m: (softcount.Grammar(RULES, criterion=c, random_state=1, **m), (SENTENCES,)),
    "full grammar": lambda c, **m: (
        softcount.Grammar(nonterminals=2, criterion=c, restarts=2, random_state=1, **m), (SENTENCES[:6],)
    ),
    "mixture": lambda c, **m: (
        softcount.NaiveBayesMixture(3, criterion=c, start="random", restarts=2, random_state=1, **m), (DOCUMENTS,)
    ),
    "plsa": lambda c, **m: (softcount.PLSA(3, criterion=c, restarts=2, random_state=1, **m), (DOCUMENTS,)),
    "kmeans": lambda c, **m: (softcount.KMeans(3, criterion=c, restarts=2, random_state=1, **m), (POINTS,)),
    "gaussian": lambda c, **m: (softcount.GaussianMixture(2, criterion=c, random_state=1, **m), (POINTS,)),
    "network": lambda c, **m: (
        softcount.Network(
            "mood@-1 -> mood -> left, right", values={"mood": 2}, tie=[("left", "right")], sequence="who",
            criterion=c, restarts=2, random_state=1, **m,
        ), (ROWS,),
    ),
    "ibm1-ibm2": lambda c, **m: _aligned(c, "ibm1,ibm2", null="learn", tension="learn", **m),
    "ibm2-free": lambda c, **m: _aligned(c, "ibm2-free", direction="reverse", **m),
    "jumps": lambda c, **m: _aligned(c, "ibm1:2,hmm", agreement=False, null="learn", **m),
}  # fmt: skip
GRID = [
    (name, criterion)
    for name in MODELS
    for criterion in CRITERIA
    if not (name in ("kmeans", "gaussian") and "mre" in criterion)
]
GRID += [("hmm", "constrained(em,least=2):4"), ("hmm", "constrained(vb,least=2):4")]  # no other has constraints


def bits(model: Any) -> tuple[str, dict[str, Any]]:
    """Everything that was learned, the clock apart."""
    arrays: dict[str, Any] = {}
    traces = {
        name: ([step._replace(seconds=0.0) for step in trace], trace.stopped, trace.remarks)
        for name, trace in model._traces().items()
    }
    learned = {name: getattr(model, name) for name in model._learned if hasattr(model, name)}
    text = json.dumps(flatten({"learned": learned, "traces": traces, "signature": model.signature_}, arrays))
    return text, {name: (a.dtype.str, a.shape, a.tobytes("K")) for name, a in arrays.items()}


def answers(model: Any, data: tuple[Any, ...]) -> list[Any]:
    """What a trained model says of its data, by every method that it has."""
    found: list[Any] = []
    methods = (
        "predict",
        "predict_proba",
        "transform",
        "score",
        "score_samples",
        "align",
        "scores",
        "posteriors",
        "parse",
    )
    for method in methods:
        if hasattr(model, method):
            found.append((method, _plain(getattr(model, method)(*data))))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return {key: _plain(part) for key, part in value.items()} if isinstance(value, dict) else value
