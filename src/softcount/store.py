"""Models on disk: named arrays and JSON, in one Arrow IPC file. Nothing in it is ever executed.

The file appears whole or not at all. Every model is stored in this one container.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.version import VERSION

FORMAT = 1


def save(path: str | Path, kind: str, arrays: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """`arrays`: NumPy arrays of numbers, or lists of strings; `about`: what JSON can hold."""
    import pyarrow as pa

    shapes = {name: list(array.shape) for name, array in arrays.items() if isinstance(array, np.ndarray)}
    head = {"format": FORMAT, "kind": kind, "softcount": VERSION, "shapes": shapes, "about": dict(about)}
    columns = {name: _column(pa, array) for name, array in arrays.items()}
    table = pa.table(columns).replace_schema_metadata({"softcount": json.dumps(head, ensure_ascii=False)})

    def write(temporary: Path) -> None:
        with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)

    write_whole(Path(path), write)


def load(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arrays, about) of a model of this kind."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as source:
            table = pa.ipc.open_file(source).read_all()
        head = json.loads((table.schema.metadata or {})[b"softcount"])
        if head["kind"] != kind:
            raise InputError(f"{path}: a model of kind {head['kind']!r}; {kind!r} is needed here")
        if head["format"] != FORMAT:
            raise InputError(f"{path}: written by softcount {head['softcount']} in another format; train it again")
        return {name: _array(table[name], head["shapes"].get(name)) for name in table.column_names}, head["about"]
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path}: a folder, not a file; name the model's file") from None
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not a model of softcount, or damaged; train and save it again") from None


def _column(pa: Any, array: Any) -> Any:
    """One list in one row, so that arrays of any length stand side by side."""
    flat = pa.array(array.ravel() if isinstance(array, np.ndarray) else list(array))
    if not isinstance(array, np.ndarray):
        flat = flat.cast(pa.large_string())
    return pa.LargeListArray.from_arrays(pa.array([0, len(flat)], pa.int64()), flat)


def _array(column: Any, shape: list[int] | None) -> Any:
    flat = column.combine_chunks().flatten()
    return flat.to_pylist() if shape is None else np.array(flat.to_numpy(zero_copy_only=False)).reshape(shape)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """`write(temporary)`, then rename: a crash leaves the old file or the new one, never half of one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
