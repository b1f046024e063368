"""Ray: what is computed on a cluster is what threads compute, whatever fails, and nobody else gets in."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import GRID, MODELS
from test_engine import many_shards  # noqa: F401

from softcount.disk.state import flatten
from softcount.engines import Threads
from softcount.engines.ray import Ray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Ray]:
    """One for all tests here: two workers."""
    with Ray(2) as engine:
        yield engine


def learned(model: Any) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    flatten({name: getattr(model, name) for name in model._learned if hasattr(model, name)}, arrays)
    return arrays


@pytest.mark.parametrize(("name", "criterion"), GRID)
@pytest.mark.usefixtures("many_shards")
def test_parameters_are_those_of_threads(cluster: Ray, name: str, criterion: str) -> None:
    found = []
    for engine in (Threads(1), cluster):
        model, data = MODELS[name](criterion)
        if hasattr(model, "restarts"):  # of two that are equally good rounding would choose
            model.set_params(restarts=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(learned(model.set_params(engine=engine).fit(*data)))
    assert found[0].keys() == found[1].keys()
    for key, near in found[0].items():
        np.testing.assert_allclose(found[1][key], near, rtol=1e-12, atol=1e-300, err_msg=key)
