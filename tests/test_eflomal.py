"""eflomal's flags: the same links as the commands that are said to do the same."""

from pathlib import Path

import pytest
from command import refused, run

PAIRS = "tea ||| du thé vert\na dog ||| un chien\n\nthe dog ||| le chien\ntea ||| du thé\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("both").write_text(PAIRS)
    for side, name in enumerate("st"):
        rows = [[*line.split(" ||| "), "", ""][side] for line in PAIRS.splitlines()]
        Path(name).write_text("".join(f"{row}\n" for row in rows))


@pytest.mark.parametrize("flags", ["-m 1", "-m 2 --null-prior 0.1", "--source-prefix 2"])
def test_files_are_what_the_named_commands_print(flags):
    ran = run(f"eflomal -s s -t t {flags} -f fwd -r rev -F costs -R back")
    assert ran.code == 0 and ran.out == "", ran.err
    for line in ran.said[:2]:
        command, _, file = line.removeprefix("softcount ").partition(" > ")
        assert run(f"{command} -q").out == Path(file).read_text()
    assert run(ran.said[2].removeprefix("softcount ").replace("FILE", "logs") + " -q").code == 0
    forward, reverse, log = (Path(name).read_text().splitlines() for name in ("costs", "back", "logs"))
    sizes = [(len(a.split()), len(b.split())) for a, b in zip(*map(_lines, "st"), strict=True)]
    for cost, back, row, (n, m) in zip(forward, reverse, log[1:], sizes, strict=True):
        target, source = map(float, row.split("\t"))
        if m:
            assert float(cost) == pytest.approx(-target / m, rel=1e-4)
            assert float(back) == pytest.approx(-source / n, rel=1e-4)
        else:
            assert cost == back == "inf"


def _lines(name):
    return Path(name).read_text().splitlines()


def test_the_directions_are_those_that_are_named():
    """Every target word has at most one link forward, every source word at most one in reverse."""
    assert run("eflomal -i both -f fwd -r rev -m 1").code == 0
    assert len(_lines("fwd")[0].split()) > len(_lines("rev")[0].split()), "du thé vert: three words for one"
    for name, side in (("fwd", 1), ("rev", 0)):
        for line in _lines(name):
            words = [link.split("-")[side] for link in line.split()]
            assert len(words) == len(set(words))
    assert len(_lines("fwd")) == 5 and _lines("fwd")[2] == ""


def test_without_files_the_joined_links_are_printed():
    ran = run("eflomal -i both -v")
    assert ran.out == run("align both -q").out and ran.said[0] == "softcount align both"
    noted = run("eflomal -i both -1 5 -2 3 -l 2 --n-samplers 2 --source-suffix 3").said[-1]
    assert noted == "note: --source-suffix, --length, --ibm1-iters, --hmm-iters, --n-samplers have no effect here"


def test_what_is_refused():
    which = "the text is missing; give -i FILE, or -s SOURCE and -t TARGET"
    for line in ("eflomal", "eflomal -s s", "eflomal -i both -s s -t t"):
        refused(run(line), which)
    Path("fwd").write_text("kept")
    refused(run("eflomal -i both -f fwd"), "fwd: already exists; add --overwrite, or give another name")
    assert Path("fwd").read_text() == "kept"
    assert run("eflomal -i both -f fwd --overwrite").code == 0 and Path("fwd").read_text() != "kept"
    refused(run("eflomal -i both -f both --overwrite"),
            "both: is an input of this command and would be overwritten; give another output file")  # fmt: skip
    assert run("eflomal -i both -p priors").said[0].startswith("softcount: priors: eflomal's priors cannot be read; ")
