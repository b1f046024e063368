"""What every run of the tests has in common, and which tests a usual run leaves to ``make thorough``.

Compiled kernels are kept between runs; hypothesis has no deadline, and in CI the same examples always. No test cuts the
power, so none waits until a disk has what it was given.

A usual run takes minutes, so it leaves out what shows the same again with more cases: a test that is marked `thorough`,
and of the cases of a test that is marked `sampled(n)` all but one in n. ``pytest --thorough too`` has all of them,
``--thorough only`` those that were left out, and a test that is named (``pytest tests/test_a.py::test_b``) has all its
cases.
"""

import os
from collections import defaultdict
from functools import cache
from hashlib import sha256
from secrets import token_hex
from zlib import crc32

import kernel_cache
import pytest

kernel_cache.use()

from hypothesis import settings  # noqa: E402

from softcount.engines import ray_cluster  # noqa: E402

for _profile, _examples in {"usual": 25, "thorough": 50}.items():
    settings.register_profile(_profile, deadline=None, max_examples=_examples, derandomize=bool(os.environ.get("CI")))

os.fsync = lambda handle: None


@cache
def _token() -> str:
    """Of every cluster of this run: its processes share one, and Ray remembers the first token that a process shows."""
    return sha256(os.environ.get("PYTEST_XDIST_TESTRUNUID", token_hex(32)).encode()).hexdigest()


ray_cluster.token = _token


def pytest_addoption(parser: pytest.Parser) -> None:
    usual = "too" if os.environ.get("SOFTCOUNT_THOROUGH") else "no"  # which asks Ray's tests for every case there is
    parser.addoption(
        "--thorough", choices=("no", "too", "only"), default=usual, help="tests that a usual run leaves out"
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("usual" if config.getoption("--thorough") == "no" else "thorough")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--thorough")
    if wanted == "too" or any("::" in argument for argument in config.args):
        return
    left_out = _left_out(items)
    kept, dropped = [], []
    for item in items:
        (kept if (item in left_out) == (wanted == "only") else dropped).append(item)
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept


def _left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """All that is thorough, and of each test that is sampled the cases that are not among the few."""
    left_out, cases = set(), defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("thorough"):
            left_out.add(item)
        elif item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for each in cases.values():
        (share,) = each[0].get_closest_marker("sampled").args
        for first in range(0, len(each), share):
            left_out.update(sorted(each[first : first + share], key=_lot)[1:])
    return left_out


def _lot(item: pytest.Item) -> int:
    """Drawn by name, so that it is the same in every run, and another place in every row of a grid of cases."""
    return crc32(item.nodeid.encode())
