"""Models with every byte changed in turn, and cut at every length: refused by name, by every face, never half used."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from command import refused, run

import softcount
from softcount.disk.store import Stored
from softcount.errors import InputError
from softcount.machine.magic import MARK

TEXT, OTHER = ["a b", "", "b c a", "a"], ["x y", "", "y z x", "x"]
MAKERS = {
    "hmm": lambda: softcount.HMM(2, criterion="em:1", random_state=0).fit(TEXT),
    "classes": lambda: softcount.WordClasses(2).fit(TEXT),
    "aligner": lambda: softcount.WordAligner("ibm2", criterion="em:1").fit(TEXT, OTHER),
    "plsa": lambda: softcount.PLSA(2, criterion="em:1", random_state=0).fit(TEXT),
    "mixture": lambda: softcount.NaiveBayesMixture(2, criterion="em:1", random_state=0).fit(TEXT),
    "grammar": lambda: softcount.Grammar("S -> S S | 'a' | 'b' | 'c'", criterion="em:1").fit(TEXT),
    "kmeans": lambda: softcount.KMeans(2, criterion="hard:1", random_state=0).fit([[0.0], [1.0]]),
    "gaussian": lambda: softcount.GaussianMixture(1, criterion="em:1", random_state=0).fit([[0.0], [1.0], [3.0]]),
    "network": lambda: softcount.Network("h -> a, b", values={"h": 2}, criterion="em:1", random_state=0).fit(ROWS),
}
ROWS = {"a": ["x", "y", None], "b": [1, 2, 1]}
WHOLE = MAKERS if os.environ.get("FUZZ_SECONDS") else ("hmm",)  # of the others, every eleventh byte
APPLY = {"hmm": "tag text --apply model", "classes": "classes text --apply model",
         "aligner": "align text text --apply model", "plsa": "topics text --apply model",
         "mixture": "cluster text --apply model", "grammar": "grammar text --apply model"}  # fmt: skip


@pytest.fixture(params=MAKERS)
def saved(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, bytes]:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a b\n")
    MAKERS[request.param]().save("model")
    softcount.load("model")
    return request.param, Path("model").read_bytes()


def rejected(content: bytes) -> str:
    Path("model").write_bytes(content)
    try:
        softcount.load("model")
    except InputError as error:
        message = str(error)
        assert message.startswith("model: ") and "; " in message and "\n" not in message
        return message
    raise AssertionError("a damaged model was loaded")


def test_every_byte(saved: tuple[str, bytes]) -> None:
    """One bit of it, which goes round with the place."""
    kind, content = saved
    for i in range(0, len(content), 1 if kind in WHOLE else 11):
        rejected(content[:i] + bytes([content[i] ^ 1 << i % 8]) + content[i + 1 :])


def test_every_length(saved: tuple[str, bytes]) -> None:
    kind, content = saved
    for n in range(0, len(content), 1 if kind in WHOLE else 11):
        assert ("is damaged" if n >= 8 + len(MARK) else "not a softcount model") in rejected(content[:n])
    rejected(content + b"\0")
    rejected(content + content)


def test_commands_refuse_them(saved: tuple[str, bytes]) -> None:
    kind, content = saved
    commands = ["info model", "export model --to tables"] + ([APPLY[kind]] if kind in APPLY else [])
    damaged = content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]
    for command in commands:
        for broken in (damaged, content[: len(content) // 2]):
            Path("model").write_bytes(broken)
            ran = run(command)
            refused(ran, "model: the ")
            assert "is damaged; copy it again, or train again" in ran.said[0]
    assert not Path("tables").exists()


def test_shuffled_pieces(saved: tuple[str, bytes]) -> None:
    """Whole runs of bytes exchanged, repeated or lost, as broken transfers do it."""
    kind, content = saved
    rng = random.Random(kind)
    for _ in range(100):
        a, b, c = sorted(rng.randrange(len(content) + 1) for _ in range(3))
        moved = content[:a] + content[b:c] + content[a:b] + content[c:]
        lost, twice = content[:a] + content[b:], content[:b] + content[a:b] + content[b:]
        changed = rng.choice([moved, lost, twice, content[:a] + bytes(b - a) + content[b:]])
        if changed != content:
            rejected(changed)


def test_a_large_model_is_checked_before_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a size, tables are checked not when the file is opened but when they are first touched."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("softcount.disk.store.AT_ONCE", 0)
    monkeypatch.setattr("softcount.estimators.saved.AT_ONCE", 0)
    MAKERS["hmm"]().save("model")
    content = Path("model").read_bytes()
    Path("model").write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    model = softcount.load("model")
    for use in (lambda: model.predict(["a b"]), lambda: model.emission_, lambda: Stored("model").verify()):
        with pytest.raises(InputError, match="is damaged"):
            use()
    refused(run("info model"), "model: the ")
