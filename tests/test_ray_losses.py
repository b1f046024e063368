"""Ray's processes are lost while a command trains: results are what they would be, or there is one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import SENTENCES
from command import heeding, run
from ray_nodes import MARK, Killer, processes, wait

from softcount.__main__ import LOST

TAG = "tag text.txt --states 3 --start random --seed 1 --criterion em:3,gibbs:40 --checkpoint run.ckpt"
# The line, where a process of this title is lost; which of them Ray notices first is not always the same.
LINES = (f"softcount: {LOST}\n", "softcount: Ray gave up at shard")
# A command that is watched by its parent, without Ray; what it does is the first word.
WATCHED = r"""
import os, signal, sys, time
from softcount.machine.streams import own_process, put
own_process()
from softcount.machine.guardian import stand_by
end = stand_by("lost", lambda pid: print("tidied", file=sys.stderr), "noise")
what = sys.argv[1]
signal.signal(signal.SIGTERM, lambda *_: (print("heard", file=sys.stderr), heard.append(1)))
heard = []
if what == "speaks":
    put("result")
    os.write(1, b"noise of a library\nwords of a library\nunfinished")
    print("message", file=sys.stderr)
elif what == "crashes":
    os.abort()
elif what == "goes":
    os.system("sleep 300 &")
    os._exit(1)
elif what == "waits":
    os.write(2, b"waiting\n")
    while not heard:
        time.sleep(0.05)
    time.sleep(1.0)
    sys.stdout.flush()
    end(40 + len(heard))
    os._exit(1)  # whatever it says now
sys.stdout.flush()
end(7)
os._exit(0)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "text.txt").write_text("\n".join(SENTENCES) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files whose name is short enough for Ray."""
    with tempfile.TemporaryDirectory(prefix="sc") as found:
        monkeypatch.setenv("TMPDIR", found)
        yield Path(found)


class Trained:
    """A command that has begun to train on a cluster of its own."""

    def __init__(self, folder: Path, steps: int = 40) -> None:
        self.mark = f"{folder.name}-{time.monotonic_ns()}"
        line = TAG.replace("gibbs:40", f"gibbs:{steps}") + " --engine ray --threads 1 -q"
        command = [sys.executable, "-m", "softcount", *line.split()]
        self.process = subprocess.Popen(
            [*command, "--checkpoint-every", "1"], env={**os.environ, MARK: self.mark}, preexec_fn=heeding,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        wait(lambda: (folder / "run.ckpt").exists() or self.process.poll() is not None)

    def lose(self, title: str) -> None:
        def victims() -> list[int]:
            return sorted(set(processes(title)) & set(processes(f"{MARK}={self.mark}", "environ")))

        wait(lambda: victims() or self.process.poll() is not None)
        os.kill(victims()[0], signal.SIGKILL)

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=200)
        wait(lambda: not processes(f"{MARK}={self.mark}", "environ"))
        return self.process.returncode, out, err


def test_lost_workers_leave_the_results_as_they_are(folder: Path, temporary: Path) -> None:
    trained = Trained(folder)
    with Killer("add", 3, trained.mark) as killer:
        wait(lambda: killer.killed == 3 or trained.process.poll() is not None)
    found = trained.ended()
    (folder / "run.ckpt").unlink()
    assert found == (0, run(TAG + " -q").out, "") and killer.killed
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("title", ["raylet/raylet", pytest.param("gcs_server", marks=pytest.mark.thorough)])
def test_what_ray_cannot_do_without_is_one_line(folder: Path, temporary: Path, title: str) -> None:
    trained = Trained(folder, steps=100_000)
    trained.lose(title)
    code, out, err = trained.ended()
    assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith(LINES), err
    assert list(temporary.iterdir()) == [] and (folder / "run.ckpt").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.thorough
def test_a_signal_to_the_command_alone_is_obeyed(folder: Path, temporary: Path, number: int, code: int) -> None:
    trained = Trained(folder, steps=100_000)
    os.kill(trained.process.pid, number)
    ended = trained.ended()
    assert ended[:2] == (code, "") and ended[2].count("\n") == 1
    assert list(temporary.iterdir()) == []


def test_a_cluster_that_cannot_start_leaves_nothing(
    folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = temporary / ("long" * 25)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    ran = run(f"{TAG} --engine ray")
    assert ran.code == 2 and len(ran.said) == 1 and "a Ray cluster cannot be started there" in ran.err
    assert list(long.iterdir()) == []


@pytest.mark.parametrize("token", ["0123\n4567", "0123\n", "\r\n", "t\u00f6ken"])
def test_a_token_of_several_lines_is_refused(
    folder: Path, temporary: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = "the token contains a space, a line break or an invalid character; set it again"
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setenv("RAY_AUTH_TOKEN", token)
    for where in ("", " --address 127.0.0.1:1"):
        ran = run(f"{TAG} --engine ray{where}")
        assert (ran.code, ran.said) == (2, [f"softcount: RAY_AUTH_TOKEN: {says}"])
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", "token")
    Path("token").write_text("01" + token + "23")
    assert run(f"{TAG} --engine ray").said == [f"softcount: token: {says}"]
    Path("token").unlink()
    assert run(f"{TAG} --engine ray").said[0].startswith("softcount: token: cannot be read")


def watched(what: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WATCHED, what], capture_output=True, text=True, timeout=60)


def test_a_watched_command_is_as_it_would_be_alone() -> None:
    found = watched("speaks")
    assert (found.returncode, found.stdout) == (7, "result\n")
    assert sorted(found.stderr.splitlines()) == ["message", "unfinished", "words of a library"]


@pytest.mark.parametrize("what", ["crashes", "goes"])
def test_who_ends_without_a_word_is_spoken_for(what: str) -> None:
    found = watched(what)  # which waits for whoever has its stderr, so for a process that was left behind
    assert (found.returncode, found.stdout, found.stderr) == (2, "", "tidied\nsoftcount: lost\n")


@pytest.mark.parametrize("send", [os.kill, os.killpg])
def test_a_signal_comes_once(send: object) -> None:
    """To the command alone, or to all processes of the terminal."""
    command = [sys.executable, "-c", WATCHED, "waits"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr.readline() == "waiting\n"
        send(process.pid, signal.SIGTERM)
        assert (process.wait(30), process.stderr.read()) == (41, "heard\n")
