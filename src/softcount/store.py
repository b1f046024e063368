"""Models on disk: named arrays and JSON metadata in one Arrow file, written whole or not at all, never pickled."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.ragged import Array

MAGIC = "softcount model 1"


def save(path: str | Path, kind: str, arrays: Mapping[str, Array], metadata: Mapping[str, Any]) -> None:
    """One column per array, flattened; shapes and types are in the file's metadata."""
    import pyarrow as pa  # in the functions, because commands that store nothing should start at once

    shapes = {name: [list(array.shape), str(array.dtype)] for name, array in arrays.items()}
    header = {"format": MAGIC, "kind": kind, "arrays": shapes, "metadata": dict(metadata)}
    fields = [pa.field(name, pa.large_list(pa.from_numpy_dtype(array.dtype))) for name, array in arrays.items()]
    columns = [_one_row(array) for array in arrays.values()]
    schema = pa.schema(fields, metadata={"softcount": json.dumps(header, ensure_ascii=False)})

    def write(temporary: Path) -> None:
        with pa.OSFile(str(temporary), "wb") as stream, pa.ipc.new_file(stream, schema) as writer:
            writer.write_batch(pa.record_batch(columns, schema=schema))

    write_whole(Path(path), write)


def load(path: str | Path) -> tuple[str, dict[str, Array], dict[str, Any]]:
    """(kind, arrays, metadata)."""
    import pyarrow as pa

    try:
        with pa.OSFile(str(path), "rb") as stream:
            table = pa.ipc.open_file(stream).read_all()
        header = json.loads(table.schema.metadata[b"softcount"])
        if header["format"] != MAGIC:
            raise KeyError("format")
        arrays = {
            name: _values(table[name]).astype(dtype, copy=False).reshape(shape)
            for name, (shape, dtype) in header["arrays"].items()
        }
    except OSError as error:
        reason = error.strerror or "not a model file"
        raise InputError(f"{path}: cannot be read ({reason}); give a model that softcount --save wrote") from None
    except (pa.ArrowException, KeyError, TypeError, ValueError):
        raise InputError(f"{path}: not a softcount model; give one that softcount --save wrote") from None
    return header["kind"], arrays, header["metadata"]


def _one_row(array: Array) -> Any:
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(array).ravel())
    return pa.LargeListArray.from_arrays(pa.array([0, len(flat)], pa.int64()), flat)


def _values(column: Any) -> Array:
    return np.asarray(column.combine_chunks().flatten().to_numpy(zero_copy_only=False))


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
