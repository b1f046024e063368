"""fast_align's flags: the same links as the command that is said to do the same."""

from pathlib import Path

import pytest
from command import run


@pytest.mark.parametrize("flags", ["", "-d -o -v", "-dovr", "-d -T 2 -I 3 -N", "-v -a 0.1 -p 0.2", "-q 0.3 -I 2"])
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
    assert ("--prior-over cooccurring" in named) == ("v" in flags), "fast_align's prior has the entries of its table"


def test_p_is_a_number_or_a_file(tmp_path, monkeypatch):
    """Fast_align's -p was the empty word's probability, and is now the file of probabilities; -q is the other."""
    monkeypatch.chdir(tmp_path)
    Path("x").write_text("the cat ||| le chat\na dog ||| un chien\nthe dog ||| le chien\n")
    assert run("fast-align -i x -p 0.3").said[0] == run("fast-align -i x -q 0.3").said[0]
    ran = run("fast-align -i x -d -v -p lexicon.tsv -b 9 -t 0.1")
    assert ran.code == 0 and "--lexicon lexicon.tsv" in " ".join(ran.said)
    assert "note: --beam_threshold, --thread_buffer_size have no effect here" in ran.said
    assert Path("lexicon.tsv").read_text().startswith("source\ttarget\tp_target\tp_source\n")
