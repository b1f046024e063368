"""Every reader and the model loader, on arbitrary bytes and on valid files with mistakes: a value or an InputError."""

from __future__ import annotations

import pytest
from fuzz_growth import LONGER, OPENING, SHORT, contents, too_much
from fuzz_targets import CUT, PIECES, Target, edited, targets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TARGETS = targets()
NAMES = list(TARGETS)
EXAMPLES = 50  # per target; `make fuzz` tries many more

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


FOUND = {  # by fuzzing, or by hand before it; each was a traceback or a hang
    "uci with more names than words": ("uci", b"1\n1\n1\n1 1 1\n" + CUT + b"a\nb\n"),
    "uci with a size of 5000 digits": ("uci", b"9" * 5000 + b"\n1\n0\n"),
    "uci with a size beyond 64 bits": ("uci", b"9" * 20 + b"\n1\n0\n"),
    "uci with a size behind a unit separator": ("uci", b"\x1f1\n1\n1\n1 1 1\n"),
    "ldac with a superscript": ("ldac", "1 ²:1\n".encode()),
    "ldac with a word beyond 64 bits": ("ldac", b"1 99999999999999999999:1\n"),
    "svmlight with a word beyond 64 bits": ("svmlight", b"1 99999999999999999999:1\n"),
    "links of 5000 digits": ("links", b"9" * 5000 + b"-0\n"),
    "links of pair a billion": ("links", b"999999999 1 1\n"),
    "parameters with an integer of 5000 digits": ("parameters", b"[" + b"9" * 5000 + b"]"),
    "parameters with half a surrogate pair": ("parameters", b'{"states": ["\\ud800"], "initial": {}}'),
    "tmx of an unknown encoding": ("tmx", b'<?xml version="1.0" encoding="x-no"?><tmx/>'),
    "tmx with text in very deep tags": ("tmx", b"<a>x" * 20_000),
    "tmx with very many short lines": ("tmx", b"<tu><tuv><seg>" + b"a\n" * 300_000 + b"</seg></tuv><tuv/></tu>"),
    "a criterion of 5000 digits": ("criterion", b"em:" + b"9" * 5000),
    "a criterion of two lines": ("criterion", b"h\n\0t,00\t"),
    "a topic behind separators": ("seed-words", b"0\x1c\x1c\x1c\t O"),
    "k-means whose numbers are garbage": ("model-arrays", b"\x04" + bytes.fromhex("0000e03f00000071") * 40),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found(name: str) -> None:
    target, content = FOUND[name]
    TARGETS[target].run(content)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_are_valid(name: str) -> None:
    """Or the mistakes would be made in files that are refused anyway."""
    assert TARGETS[name].run(TARGETS[name].seeds[0]) is not None


@pytest.mark.parametrize("power,says", [(1, ""), (2, "16 times as long for 4 times as much")])
def test_what_grows_too_fast_is_noticed(power: int, says: str) -> None:
    """By a clock that a reader of so many steps drives."""
    spent = [0.0]

    def read(content: bytes) -> None:
        spent[0] += len(content) ** power * 1e-4

    assert too_much(read, lambda size: b"a" * size, lambda: spent[0]) == says


def test_growing_inputs_are_of_both_sizes() -> None:
    made = [make for seed in TARGETS["bif"].seeds for _, make in contents(seed, OPENING)]
    assert len(made) > 2 * len(OPENING)
    assert all(LONGER * SHORT <= len(make(LONGER * SHORT)) < LONGER * SHORT + 1000 for make in made)
