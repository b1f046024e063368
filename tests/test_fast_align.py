"""fast_align's flags: the same links as the command that is said to do the same."""

from pathlib import Path

import pytest
from command import run


@pytest.mark.parametrize("flags", ["", "-d -o -v", "-dovr", "-d -T 2 -I 3 -N", "-v -a 0.1 -p 0.2"])
def test_flags_are_those_of_the_command_that_is_named(tmp_path, monkeypatch, flags):
    monkeypatch.chdir(tmp_path)
    Path("x").write_text("the cat ||| le chat\na dog ||| un chien\nthe dog ||| le chien\nThe ||| Le\n")
    ran = run(f"fast-align -i x {flags}")
    assert ran.code == 0, ran.err
    named = ran.said[0]
    assert named.startswith("softcount align x --preset fast")
    assert run(named.removeprefix("softcount ") + " -q").out == ran.out
    assert len(ran.out.splitlines()) == 4
    assert ("--direction reverse" in named) == ("r" in flags)
