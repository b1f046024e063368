"""Under a limit on memory every command works or says in one line what it needs; none hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds processes to a limit on addresses")

MB = 1 << 20
FIT = """
import softcount as sc
try:
    sc.HMM(2, random_state=0).fit([["a", "b"], ["b", "a"]])
except sc.InputError as error:
    raise SystemExit(f"softcount: {error}")
"""
COMMANDS = {
    "version": ["--version"],
    "help": ["--help"],
    "info": ["info", "saved.model"],
    "tag": ["tag", "text.txt", "--states", "2", "--quiet"],
    "align": ["align", "text.txt", "text.txt", "--quiet"],
    "topics": ["topics", "text.txt", "--topics", "2", "--quiet"],
    "cluster": ["cluster", "text.txt", "--clusters", "2", "--quiet"],
    "net": ["net", "a -> b", "rows.csv", "--quiet"],
    "lm": ["lm", "text.txt"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("limits")
    (place / "text.txt").write_text("the dog barks\nthe cat sleeps\na dog sleeps\n")
    (place / "rows.csv").write_text("a,b\n1,2\n2,1\n")
    command = [sys.executable, "-m", "softcount", *COMMANDS["tag"], "--save", "saved.model"]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    return place


def limited(arguments: list[str], megabytes: int, folder: Path) -> tuple[int, list[str]]:
    """(exit code, lines of messages) of a process that may have so many MB; it is ended after 60 CPU seconds."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    usual = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=usual,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line for line in done.stderr.splitlines() if "compiling" not in line]


def check(name: str, megabytes: int, folder: Path) -> int:
    code, lines = limited(["-m", "softcount", *COMMANDS[name]], megabytes, folder)
    assert code in (0, 2), (name, megabytes, lines)
    if code == 2:
        assert len(lines) == 1 and lines[0].startswith("softcount: the memory limit (ulimit -v, ulimit -d) leaves ")
    return code


@pytest.mark.parametrize(
    ("name", "megabytes", "code"), [("tag", 500, 2), ("align", 650, 2), ("tag", 1500, 0), ("version", 100, 0)]
)
def test_a_limit_that_is_too_low_is_said_and_one_that_is_enough_is_not(
    name: str, megabytes: int, code: int, folder: Path
) -> None:
    assert check(name, megabytes, folder) == code


@pytest.mark.parametrize(("megabytes", "code"), [(500, 1), (1200, 0)])
def test_an_estimator_says_so_before_its_libraries_are_loaded(megabytes: int, code: int, folder: Path) -> None:
    found, lines = limited(["-c", FIT], megabytes, folder)
    assert found == code, lines
    if code:
        assert len(lines) == 1 and "; raise the limit, for example: ulimit -v unlimited" in lines[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "megabytes", [100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1250, 1500, 2000, 3000, 4000]
)
@pytest.mark.parametrize("name", COMMANDS)
def test_at_no_limit_a_command_hangs_or_fails_in_another_way(name: str, megabytes: int, folder: Path) -> None:
    code = check(name, megabytes, folder)
    if megabytes >= 1000:
        assert code == 0
