"""A model in parts: several processes save and read it at once, are killed meanwhile, or find no room."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softcount import InputError
from softcount.disk import parts
from softcount.disk.store import Stored, save
from softcount.machine.lock import alone_at

SMALL = 100
ACT = """
import random, sys, time
from pathlib import Path
import numpy as np
from softcount.disk import parts
from softcount.disk.store import Stored, save
parts.SMALL = 100
role, path, seed, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
dice, end = random.Random(seed), time.monotonic() + seconds
while time.monotonic() < end:
    if role == "write":
        k = dice.randrange(1000)
        save(path, "hmm", {"k": k, "a": np.full(1000, float(k)), "b": np.arange(100) + k}, dice.choice([1, 2, 3, 5]))
    elif Path(path).exists():
        stored = Stored(path)
        body = stored.restore(stored.body, {})
        assert (body["a"] == body["k"]).all() and (body["b"] == np.arange(100) + body["k"]).all()
"""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SMALL", SMALL)


def acting(role: str, path: Path, seed: int, seconds: float) -> Any:
    return subprocess.Popen(
        [sys.executable, "-c", ACT, role, str(path), str(seed), str(seconds)], stderr=subprocess.PIPE, text=True
    )


def body(k: int) -> dict[str, Any]:
    return {"k": k, "a": np.full(1000, float(k)), "b": np.arange(100) + k}


def read(path: Path) -> int:
    stored = Stored(path)
    found = stored.restore(stored.body, {})
    assert (found["a"] == found["k"]).all() and (found["b"] == np.arange(100) + found["k"]).all()
    return int(found["k"])


def names(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()}


def needed(path: Path) -> set[str]:
    """The files of the model that is there."""
    found = Stored(path).parts
    return {path.name} | (
        {parts.part_path(path, k, found.n, found.token).name for k in range(found.n)} if found else set()
    )


def test_all_who_save_and_read_at_once_succeed_and_one_model_is_left(tmp_path: Path) -> None:
    path = tmp_path / "m"
    running = [acting(role, path, seed, 1.5) for seed, role in enumerate(["write", "write", "write", "read"])]
    said = [process.communicate()[1] for process in running]
    assert not any(process.returncode for process in running), said
    assert 0 <= read(path) < 1000
    assert names(path) == needed(path)


@pytest.mark.thorough
def test_many_who_save_and_read_at_once(tmp_path: Path) -> None:
    for trial in range(12):
        path = tmp_path / f"m{trial}" / "m"
        path.parent.mkdir()
        running = [acting("write" if seed < 5 else "read", path, 10 * trial + seed, 1.5) for seed in range(8)]
        said = [process.communicate()[1] for process in running]
        assert not any(process.returncode for process in running), said
        assert names(path) == needed(path)


def test_what_killed_writers_leave_goes_when_the_model_is_saved_again(tmp_path: Path) -> None:
    path, dice, left = tmp_path / "m", random.Random(0), 0
    for trial in range(4):
        running = [acting("write", path, 10 * trial + seed, 60.0) for seed in range(2)]
        while not path.exists():
            time.sleep(0.01)
        for process in running:
            time.sleep(dice.uniform(0.1, 0.5))
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        read(path)
        left += len(names(path) - needed(path))
        for n in (3, 1)[trial % 2 :]:
            save(path, "hmm", body(trial), n)
            assert read(path) == trial and names(path) == needed(path)
    assert left


def test_a_model_of_fewer_files_leaves_none_of_the_others(tmp_path: Path) -> None:
    path = tmp_path / "m"
    for n in (3, 2, 1, 5, 1):
        save(path, "hmm", body(n), n)
        assert read(path) == n and names(path) == needed(path) and len(names(path)) == (n + 1 if n > 1 else 1)


def test_the_same_model_saved_again_keeps_its_parts(tmp_path: Path) -> None:
    path = tmp_path / "m"
    for n in (3, 3, 2):
        save(path, "hmm", body(1), n)
        assert read(path) == 1 and names(path) == needed(path)


def test_where_there_is_no_room_nothing_is_left_and_nothing_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, written = tmp_path / "m", parts.write_arrays

    def full(place: Path, *args: Any, **named: Any) -> None:
        if count.pop():
            raise OSError(errno.ENOSPC, "No space left on device")
        written(place, *args, **named)

    for k in range(6):  # the fifth part is the last, and then comes the first file
        count = [True, *[False] * k]
        with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
            patched.setattr(parts, "write_arrays", full)
            save(path, "hmm", body(1), 5)
        assert names(path) == set()
    save(path, "hmm", body(1), 3)
    before = names(path)
    for k, number, n in [(0, 1, 3), (2, 1, 3), (3, 1, 3), (1, 2, 5), (4, 2, 5), (5, 2, 5)]:  # the same, and another
        count = [True, *[False] * k]
        with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
            patched.setattr(parts, "write_arrays", full)
            save(path, "hmm", body(number), n)
        assert names(path) == before and read(path) == 1


def test_on_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("only root makes small disks")
    try:
        big = {"k": 1, "a": np.random.default_rng(0).random(50_000)}
        with pytest.raises(InputError, match=r"cannot be written .No space left on device"):
            save(disk / "m", "hmm", big, 5)
        assert names(disk / "m") == set()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_reader_that_loses_a_part_reads_the_model_that_is_there_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "m", parts.Parts.open
    save(path, "hmm", body(1), 3)
    waiting = [2, 3]

    def after(self: Any) -> None:
        if waiting:
            k = waiting.pop(0)
            save(path, "hmm", body(k), k)
        opened(self)

    monkeypatch.setattr(parts.Parts, "open", after)
    assert read(path) == 3 and not waiting


def test_a_reader_that_has_opened_a_model_has_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save(path, "hmm", body(1), 3)
    stored = Stored(path)
    save(path, "hmm", body(2), 2)
    assert stored.restore(stored.body, {})["k"] == 1 and (stored.restore(stored.body, {})["a"] == 1).all()
    assert read(path) == 2


def test_without_locks_a_writer_removes_what_it_replaced_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def nobody_waits(path: Path) -> Any:
        yield False

    monkeypatch.setattr(parts, "alone_at", nobody_waits)
    path = tmp_path / "m"
    save(path, "hmm", body(1), 3)
    other = tmp_path / "m.part-1-of-2.0123456789abcdef"  # another writer's, who is not done
    other.write_text("under way")
    for n in (2, 1, 3):
        save(path, "hmm", body(n), n)
        assert read(path) == n and names(path) == needed(path) | {other.name}


def test_behind_a_link_the_parts_are_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, path = tmp_path / "link", tmp_path / "there" / "m"
    link.symlink_to(path)
    path.write_text("before")
    save(link, "hmm", body(1), 2)
    assert read(link) == read(path) == 1 and names(path) == needed(path)
    assert {file.name for file in tmp_path.iterdir()} == {"link", "there"}


def test_the_lock_goes_with_who_held_it(tmp_path: Path) -> None:
    path = tmp_path / "m"
    with alone_at(path) as alone:
        assert alone and names(path) == {".m.softcount-lock"}
    assert names(path) == set()
    (tmp_path / ".m.softcount-lock").touch()  # of one who was killed
    save(path, "hmm", body(1))
    assert names(path) == {"m"}


def test_a_part_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save(path, "hmm", body(1), 2)
    part = next(tmp_path.glob("m.part-2-of-2.*"))
    part.unlink()
    os.mkfifo(part)
    with pytest.raises(InputError, match=r"m\.part-2-of-2\.\w+: cannot be read"):
        read(path)
    part.unlink()
    part.mkdir()
    with pytest.raises(InputError, match=r"m\.part-2-of-2\.\w+: cannot be read"):
        read(path)
