"""The container: what goes in comes out, what is not right is refused, and a crash leaves what was there."""

import errno
import json
import os
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from command import ordinary_user

from softcount import InputError
from softcount.disk import store
from softcount.disk.state import flatten, restore
from softcount.disk.store import Stored, save
from softcount.machine.atomic import write_whole
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import Log
from softcount.text.vocabulary import Vocabulary


class Pair(NamedTuple):
    one: object
    two: object


BODY = {
    "tables": Pair(np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0, dtype=np.float32).reshape(2, 3))),
    "sparse": Ragged(np.array([0, 2, 2, 3]), np.array([7, 8, 9], dtype=np.int32)),
    "words": Vocabulary(["ä", "b", "<unk>"], "<unk>"),
    "log": Log(np.array([0.5, 0.5])),
    "names": np.array(["x", "ยาว"]),
    "flags": np.array([True, False]),
    "empty": np.empty((0, 3)),
    "odd": np.array([-np.inf, np.nan, 5e-324, -0.0]),
    "scalar": np.array(2.5),
    "numbers": [1, -2.5, float("inf"), None, True, "text", (1, 2)],
    "by number": {0: ["a"], 1: []},
}


def same(one, two):
    assert type(one) is type(two)
    if isinstance(one, np.ndarray):
        assert one.dtype == two.dtype and one.flags.f_contiguous == two.flags.f_contiguous
        assert one.shape == two.shape and one.tobytes() == two.tobytes()
    elif isinstance(one, Log):
        same(one.weights, two.weights)
    elif isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            same(one[key], two[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            same(a, b)
    else:
        assert one == two


def written(path, body=BODY):
    save(path, "test", body)
    return Stored(path)


def test_what_goes_in_comes_out(tmp_path):
    stored = written(tmp_path / "m")
    assert stored.kind == "test"
    same(stored.restore(stored.body, {"Pair": Pair}), BODY)


def test_it_is_a_safetensors_file(tmp_path):
    """By its specification: a length, JSON from "{" on with strings as metadata, arrays end to end from its end on."""
    written(tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    length = int.from_bytes(content[:8], "little")
    assert content[8:9] == b"{" and length % 8 == 0
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    assert all(type(value) is str for value in header.pop("__metadata__").values())
    places = sorted(spec["data_offsets"] for spec in header.values())
    assert [a for a, _ in places] == [0, *(b for _, b in places[:-1])] and places[-1][1] == len(data)
    start, stop = header["tables.one"]["data_offsets"]
    assert header["tables.one"]["dtype"] == "F64" and header["tables.one"]["shape"] == [2, 3]
    np.testing.assert_array_equal(np.frombuffer(data[start:stop], "<f8").reshape(2, 3), BODY["tables"].one)


def test_arrays_are_aligned_and_may_be_changed_without_touching_the_file(tmp_path):
    stored = written(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    table = stored.restore(stored.body, {"Pair": Pair})["tables"].one
    assert table.flags.aligned and table.flags.writeable
    table[:] = -1.0
    assert (tmp_path / "m").read_bytes() == before


def test_every_flipped_bit_is_refused(tmp_path):
    written(tmp_path / "m")
    content, path = (tmp_path / "m").read_bytes(), tmp_path / "bad"
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        with pytest.raises(InputError) as caught:
            Stored(path)
        assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_every_length_is_refused(tmp_path):
    written(tmp_path / "m")
    content, path = (tmp_path / "m").read_bytes(), tmp_path / "bad"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(InputError):
            Stored(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(InputError, match="damaged"):
        Stored(path)


def test_a_large_file_is_checked_when_it_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "AT_ONCE", 0)
    written(tmp_path / "m")
    content = bytearray((tmp_path / "m").read_bytes())
    content[-1] ^= 1
    (tmp_path / "bad").write_bytes(content)
    stored = Stored(tmp_path / "bad")
    with pytest.raises(InputError, match=r"the table .* is damaged"):
        stored.restore(stored.body, {"Pair": Pair})


def overwrite(path):
    content = path.read_bytes()
    path.write_bytes(content[:-48] + bytes(48))


def truncate(path):
    os.truncate(path, 600)


def replace(path):
    written(path.with_name("new"), {"tables": Pair(1, 2)})
    path.with_name("new").replace(path)


@pytest.mark.parametrize("change", [overwrite, truncate, replace])
@pytest.mark.parametrize("size", [0, store.AT_ONCE], ids=["large", "small"])
def test_a_file_that_changes_after_it_was_read_changes_nothing(tmp_path, monkeypatch, change, size):
    monkeypatch.setattr(store, "AT_ONCE", size)
    stored = written(tmp_path / "m")
    table = stored.restore(stored.body, {"Pair": Pair})
    change(tmp_path / "m")
    same(table, BODY)


@pytest.mark.parametrize("change", [overwrite, truncate, replace])
def test_a_file_that_changes_before_it_is_read_is_refused(tmp_path, monkeypatch, change):
    """Unless it was replaced as we replace: what is open stays what it was."""
    monkeypatch.setattr(store, "AT_ONCE", 0)
    body = BODY | {"bytes": np.ones(20_000, np.uint8)}  # the last, and more than is read ahead
    written(tmp_path / "m", body)
    os.utime(tmp_path / "m", ns=(1, 1))
    stored = Stored(tmp_path / "m")
    change(tmp_path / "m")
    if change is replace:
        same(stored.restore(stored.body, {"Pair": Pair}), body)
    else:
        with pytest.raises(InputError, match=r"m: changed after it was opened; load it again"):
            stored.restore(stored.body, {"Pair": Pair})


def test_a_pipe_in_place_of_a_model_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "m")
    with pytest.raises(InputError, match=r"m: cannot be read \(not a regular file\)"):
        Stored(tmp_path / "m")


def test_a_newer_format_names_the_version_that_reads_it(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FORMAT", 3)
    monkeypatch.setattr(store, "VERSION", "9.8.7")
    written(tmp_path / "m")
    monkeypatch.undo()
    with pytest.raises(InputError, match=r"written by softcount 9\.8\.7 in format 3.*install softcount 9\.8\.7"):
        Stored(tmp_path / "m")


def forged(path, change):
    """A file with right checksums whose header was changed: what an attacker would write."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    about = json.loads(header["__metadata__"]["about"])
    change(header, about)
    header["__metadata__"] |= {"about": json.dumps(about), "checksum": "0" * 64}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    text = text.replace(store.NO_CHECKSUM, store._checksum(text), 1)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])


def rename(header, about):
    about["body"]["tables"] = {"$system": ["true"]}


def longer(header, about):
    header["tables.one"]["shape"] = [2, 4]


def overlapping(header, about):
    header["tables.one"]["data_offsets"] = [8, 56]


def negative(header, about):
    header["tables.one"]["shape"] = [-2, -3]


def huge(header, about):
    header["tables.one"]["shape"] = [2**62, 2**62]


def odd(header, about):
    header["tables.one"]["dtype"] = "OBJECT"


def missing(header, about):
    about["body"]["sparse"] = {"$array": "nowhere"}


def unordered(header, about):
    about["body"]["sparse"] = {"$Ragged": [{"$array": "sparse.values"}, {"$array": "sparse.values"}]}


def deep(header, about):
    node = {"$array": "sparse.values"}
    for _ in range(900):
        node = [node]
    about["body"]["sparse"] = node


@pytest.mark.parametrize("change", [rename, longer, overlapping, negative, huge, odd, missing, unordered])
def test_a_forged_file_is_refused(tmp_path, change):
    written(tmp_path / "m")
    forged(tmp_path / "m", change)
    with pytest.raises(InputError):
        stored = Stored(tmp_path / "m")
        stored.restore(stored.body, {"Pair": Pair})


def test_deep_nesting_is_no_stack_overflow(tmp_path):
    written(tmp_path / "m")
    forged(tmp_path / "m", deep)
    stored = Stored(tmp_path / "m")
    try:
        stored.restore(stored.body, {"Pair": Pair})
    except InputError as error:
        assert "do not fit" in str(error)


def test_strings_with_wild_offsets_or_bytes_are_refused():
    arrays = {}
    node = flatten(np.array(["ab", "c"], dtype=object), arrays, "w")
    assert restore(node, arrays.get, {}).tolist() == ["ab", "c"]
    for offsets in ([0, 2, 99], [0, 3, 2], [1, 2, 3], [0, -1, 3]):
        with pytest.raises(ValueError):
            restore(node, (arrays | {"w.offsets": np.array(offsets)}).get, {})
    with pytest.raises(ValueError):
        restore(node, (arrays | {"w.bytes": np.array([255, 254, 253], dtype=np.uint8)}).get, {})


def test_what_no_file_can_hold_is_refused_when_saving(tmp_path):
    for value in (object(), np.array([1j]), {1, 2}, np.complex64(1.0)):
        with pytest.raises(TypeError):
            save(tmp_path / "m", "test", {"x": value})
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path):
    for name, content in (("text", b"the dog runs\n"), ("empty", b""), ("arrow", b"ARROW1\0\0" * 40)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="not a softcount model"):
            Stored(tmp_path / name)
    with pytest.raises(InputError, match="No such file"):
        Stored(tmp_path / "nowhere")
    with pytest.raises(InputError, match="Is a directory"):
        Stored(tmp_path)


# --- writing whole ----------------------------------------------------------------------------------------------------


def test_a_crash_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "m"
    path.write_text("old")

    def crash(temporary):
        temporary.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, crash)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_one_line_and_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m"
    written(path)
    before = path.read_bytes()

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device") as caught:
        written(path, {"x": np.zeros(3)})
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_file_that_may_not_grow_is_one_line_and_leaves_the_old_file(tmp_path):
    code = (
        "import resource, sys, numpy as np; from softcount.disk.store import save; from softcount import InputError\n"
        "save(sys.argv[1], 'test', {'x': np.zeros(3)})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "try: save(sys.argv[1], 'test', {'x': np.zeros(100_000)})\n"
        "except InputError as error: print(error)\n"
    )
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "m"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert "File too large" in done.stdout and done.stdout.count("\n") == 1 and not done.stderr
    assert Stored(tmp_path / "m").restore({"$array": "x"}, {}).shape == (3,)
    assert len(list(tmp_path.iterdir())) == 1


NOT_OURS = (".m.backup.part", ".m.12345678.part", ".mm.12345678.softcount-part", ".m.1234.softcount-part", "m.part")


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    for name in ("dead1234", "alive_12"):
        (tmp_path / f".m.{name}.softcount-part").write_text("half")
    with (tmp_path / ".m.alive_12.softcount-part").open() as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        written(tmp_path / "m")
        assert sorted(file.name for file in tmp_path.iterdir()) == [".m.alive_12.softcount-part", "m"]


def test_what_is_not_ours_is_left_alone(tmp_path):
    """Files of other programs and names, pipes (which must not be waited for), links and folders."""
    for name in NOT_OURS:
        (tmp_path / name).write_text("somebody's")
    os.mkfifo(tmp_path / ".m.pipe1234.softcount-part")
    (tmp_path / ".m.link1234.softcount-part").symlink_to(".m.backup.part")
    (tmp_path / ".m.fold1234.softcount-part").mkdir()
    before = {file.name for file in tmp_path.iterdir()}
    written(tmp_path / "m")
    assert {file.name for file in tmp_path.iterdir()} == before | {"m"}


@pytest.mark.parametrize("name", ["m*", "[m]", "?", "m\n", "ü" * 120, "m\udcff"])
def test_any_name_will_do(tmp_path, name):
    """A name is no pattern, may be as long as the system allows, and need not be text."""
    (tmp_path / ".mine.dead1234.softcount-part").write_text("half")
    written(tmp_path / name)
    (tmp_path / ("." + name[:100] + ".dead1234.softcount-part")).write_text("half")
    written(tmp_path / name)
    assert Stored(tmp_path / name).kind == "test"
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {".mine.dead1234.softcount-part", name}


def test_four_writers_of_one_file_do_not_disturb_one_another(tmp_path):
    """Locks belong to open files, not to processes, so threads race as processes do."""

    def save_often(number):
        for i in range(60):
            save(tmp_path / "m", "test", {"x": np.full(10, 100 * number + i)})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save_often, range(4)))
    assert Stored(tmp_path / "m").kind == "test" and len(list(tmp_path.iterdir())) == 1


def test_a_writer_whose_file_is_swept_before_it_is_locked_begins_again(tmp_path, monkeypatch):
    make, names = tempfile.mkstemp, []

    def swept(**options):
        handle, name = make(**options)
        names.append(name)
        if len(names) == 1:
            os.unlink(name)
        return handle, name

    monkeypatch.setattr(tempfile, "mkstemp", swept)
    written(tmp_path / "m")
    assert len(names) == 2 and [file.name for file in tmp_path.iterdir()] == ["m"]


def test_a_folder_that_cannot_be_listed_can_be_written_to(tmp_path):
    (tmp_path / "drop").mkdir(mode=0o300)
    with ordinary_user():
        written(tmp_path / "drop" / "m")
    assert Stored(tmp_path / "drop" / "m").kind == "test"
