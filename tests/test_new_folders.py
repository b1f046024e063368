"""Commands that make a folder: where they fail, what they made is gone, and what was there is there still."""

from __future__ import annotations

import errno
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest
from command import run

import softcount
from softcount.machine import atomic
from softcount.machine.atomic import new_folders

FULL = OSError(errno.ENOSPC, "No space left on device")


def all_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def train(lines: list[str], path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        softcount.LanguageModel(order=2).fit(lines).save(path)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    train(["the dog runs", "the cat runs"], tmp_path / "m")
    (tmp_path / "t").write_text("a b\nc d a\n")
    return tmp_path / "m"


def full_after(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """The disk is full when n files have been written."""
    begun = atomic._begin
    left = [n]

    def begin(path: Path) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise FULL
        return begun(path)

    monkeypatch.setattr(atomic, "_begin", begin)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize(
    "command", ["export m --to a/b -q", "examples --out a/b", "examples can-i-can --out a", "export m --to there -q"]
)
def test_on_a_full_disk_nothing_new_is_left(
    model: Path, command: str, n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").mkdir()
    Path("there/mine").write_text("mine")
    before = all_in(tmp_path)
    full_after(monkeypatch, n)
    ran = run(command)
    assert ran.code == 2 and "No space left on device" in ran.said[-1], ran.err
    assert all_in(tmp_path) == before


def test_files_that_were_there_are_not_lost(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export m --to there -q").code == 0
    before = {name: (tmp_path / name).read_bytes() for name in all_in(tmp_path) if (tmp_path / name).is_file()}
    full_after(monkeypatch, 1)
    assert run("export m --to there -q").code == 2
    assert before == {name: (tmp_path / name).read_bytes() for name in all_in(tmp_path) if (tmp_path / name).is_file()}


@pytest.mark.parametrize("command", ["export m --to t/x -q", "examples --out t/x", "examples can-i-can --out t"])
def test_a_file_in_the_way_is_named(model: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = all_in(tmp_path)
    ran = run(command)
    assert ran.code == 2 and ran.said == ["softcount: t: is a file, not a folder; give another name"], ran.err
    assert all_in(tmp_path) == before


def test_a_folder_in_the_way_of_a_file_leaves_the_others_unmade(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export m --to seen -q").code == 0
    last = all_in(Path("seen"))[-1]
    shutil.rmtree("seen")
    Path("there", last).mkdir(parents=True)
    before = all_in(tmp_path)
    assert run("export m --to there -q").code == 2
    assert all_in(tmp_path) == before


def test_folders_that_fail_to_be_made_take_the_others_along(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(softcount.InputError, match="a file, not a folder"),
        new_folders(tmp_path / "a" / "b", tmp_path / "file" / "c"),
    ):
        pass
    assert all_in(tmp_path) == ["file"]


def test_what_others_put_into_a_new_folder_stays(tmp_path: Path) -> None:
    with pytest.raises(KeyError), new_folders(tmp_path / "a" / "b", files=[tmp_path / "a" / "b" / "mine"]):
        (tmp_path / "a" / "b" / "mine").write_text("")
        (tmp_path / "a" / "other").write_text("")
        raise KeyError
    assert all_in(tmp_path) == ["a", "a/other"]


@pytest.mark.parametrize("there", [False, True])
def test_shards_in_a_store_are_gone_if_they_are_not_whole(model: Path, tmp_path: Path, there: bool) -> None:
    out = tmp_path / "s"
    if there:
        out.mkdir()
    before = all_in(tmp_path)
    (tmp_path / "u").write_text("a b\n")
    ran = run(f"shard {tmp_path / 't'} --target {tmp_path / 'u'} --out file://{out} -q")  # one has fewer lines
    assert ran.code == 2 and len(ran.said) == 1, ran.err
    (tmp_path / "u").unlink()
    assert all_in(tmp_path) == before


def test_on_a_disk_that_is_full(model: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("only root makes small disks")
    try:
        lines = [f"w{k} v{k}" for k in range(3000)]
        (tmp_path / "long").write_text("\n".join(lines) + "\n")
        train(lines, model)
        for command in (
            f"export {model} --to {disk / 'x'} -q",
            f"examples --out {disk / 'y'}",
            f"shard {tmp_path / 'long'} --out {disk / 'z'} -q",
        ):
            ran = run(command)
            assert ran.code == 2 and "No space left on device" in ran.said[-1], ran.err
            assert all_in(disk) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)
