"""Parameters whose hidden values are all alike learn nothing: every model knows them, and how its rows are called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from softcount.loop.start import random_start, uniform_start
from softcount.models.crf import CRF, with_boundary
from softcount.models.gaussian import GaussianMixture
from softcount.models.hmm import HMM
from softcount.models.mixture import Mixture
from softcount.models.network_declared import declared
from softcount.models.plsa import PLSA
from softcount.models.plsa_folded import FoldedPLSA
from softcount.text.structure import structure


def network(K: int) -> Any:
    """A hidden h with two children that are seen, of which one has a parent that is seen as well."""
    values = {"h": [f"h{k}" for k in range(K)], "a": ["x", "y"], "b": ["u", "v", "w"]}
    return declared(structure("h -> a; h, a -> b"), values, observed=("a", "b"))


MODELS: dict[str, Any] = {
    "hmm": lambda K: HMM(K, 4, end=True),
    "crf": lambda K: CRF(K, with_boundary(sparse.identity(3)), np.array([0, 1, 2, -1, -1]), 3),
    "mixture": lambda K: Mixture(K, 4),
    "gaussian": lambda K: GaussianMixture(K, 2, "diagonal", np.zeros(2), np.ones(2)),
    "plsa": lambda K: PLSA(3, K, 4),
    "folded": lambda K: FoldedPLSA(K, 4, np.full(K, 1 / K), 0.1),
    "network": network,
}
EMITS = {"hmm": "emission", "mixture": "word", "gaussian": "component", "plsa": "word", "folded": "word"}


@pytest.mark.parametrize("name", MODELS)
def test_hidden_values_that_are_alike_are_tied(name: str) -> None:
    model = MODELS[name](3)
    start = uniform_start(model.layout)
    assert model.tied(start)
    assert not model.tied(random_start(model.layout, (0,)))
    assert not MODELS[name](1).tied(uniform_start(MODELS[name](1).layout)), "one value cannot be tied with others"
    if name in EMITS:
        moved = getattr(start, EMITS[name]).copy()
        moved[-1] *= np.linspace(0.9, 1.1, moved.shape[1])  # one row of those that emit
        assert not model.tied(start._replace(**{EMITS[name]: moved}))


@pytest.mark.parametrize("table", ["initial", "transition", "emission"])
def test_an_hmm_is_tied_only_if_all_its_tables_are(table: str) -> None:
    model = HMM(3, 4)
    start = uniform_start(model.layout)
    moved = getattr(start, table).copy()
    moved[-1] *= 1.1 if table == "initial" else np.linspace(0.9, 1.1, moved.shape[1])
    assert not model.tied(start._replace(**{table: moved}))


@pytest.mark.parametrize("table", ["h", "a", "b"])
def test_a_hidden_variable_is_tied_only_if_its_own_rows_and_its_childrens_are_alike(table: str) -> None:
    model = network(2)
    start = uniform_start(model.layout)
    values = [t.copy() for t in start]
    at = model.tables.index(table)
    if table == "h":
        values[at][:] = [0.5, 0.5]
        assert model.tied(type(start)(*values))
    values[at][0] *= 1.3 if table == "h" else np.linspace(0.7, 1.3, values[at].shape[-1])
    assert model.tied(type(start)(*values)) == (table == "h")  # a row of one table has nothing to be alike with


def test_rows_by_their_names() -> None:
    assert HMM(2, 3).row_name("initial", 0) == "the initial distribution"
    assert HMM(2, 3).row_name("emission", 1) == "state 1's emission"
    assert Mixture(2, 3).row_name("cluster", 0) == "the class distribution"
    assert Mixture(2, 3).row_name("word", 1) == "class 1"
    assert PLSA(3, 2, 4).row_name("topic", 0) == "document 1" and PLSA(3, 2, 4).row_name("word", 1) == "topic 1"
    assert MODELS["folded"](2).row_name("word", 1) == "topic 1"
    assert MODELS["crf"](2).row_name("initial", 0) == "the initial weights"
    assert MODELS["gaussian"](2).row_name("component", 1) == "cluster 1"
    assert network(2).row_name("h", 0) == "h" and network(2).row_name("b", 3) == "b given h=h1, a=y"
