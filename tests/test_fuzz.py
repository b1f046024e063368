"""Every reader and the model loader, on arbitrary bytes and on valid files with mistakes: a value or an InputError."""

from __future__ import annotations

import pytest
from fuzz_targets import PIECES, Target, edited, targets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TARGETS = targets()
NAMES = list(TARGETS)
EXAMPLES = 150  # per target; `make fuzz` tries many more

pieces = st.sampled_from(PIECES) | st.binary(max_size=4)
edits = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 9), pieces), min_size=1, max_size=6)


@pytest.mark.parametrize("name", NAMES)
def test_a_value_or_a_refusal(name: str) -> None:
    target: Target = TARGETS[name]

    @settings(max_examples=EXAMPLES, deadline=5000, suppress_health_check=list(HealthCheck), database=None)
    @given(st.binary(max_size=200) | st.builds(edited, st.sampled_from(target.seeds), edits))
    def run(content: bytes) -> None:
        target.run(content)

    run()


@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_valid(name: str) -> None:
    """Or the mistakes would be made in files that are refused anyway."""
    assert TARGETS[name].run(TARGETS[name].seeds[0]) is not None
