"""What every estimator can do with a file: save, load, and go on from a checkpoint.

A loaded estimator has its settings at once; what was learned is checked, mapped into memory and put in place when it
is first asked for, so that a large model opens in no time (a small one is unpacked on loading).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from softcount.disk.checkpoint import Checkpoint
from softcount.disk.state import PLAIN, flatten
from softcount.disk.store import AT_ONCE, MALFORMED, Stored, save
from softcount.errors import InputError
from softcount.loop.trace import RECORDS, Ending, Step, Trace
from softcount.loop.train import Restart
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables, values
from softcount.version import VERSION

FILES = ("dictionary", "start")  # settings that may name a file
# Settings that training does not depend on: a checkpoint is good for any of them.
AFTERWARDS = ("engine", "n_jobs", "random_state", "decode", "symmetrize", "threshold", "fold_pseudo")


class SavedEstimator:
    """Subclasses name their kind, the attributes that hold what was learned, and the types of tables in them."""

    kind: ClassVar[str]
    _learned: ClassVar[tuple[str, ...]]
    _types: ClassVar[tuple[Any, ...]]

    signature_: str
    data_: dict[str, Any]  # what it was trained on: source, digest and sizes
    trained_: str  # when
    seed_: int
    history_: Any
    reading_: dict[str, Any]  # how its text was read, where not as by default: lowercase, min_count, …
    # What the command line says of that before `fit`. New text must be read alike.
    _reading: Mapping[str, Any] = MappingProxyType({})

    # --- for subclasses to say ------------------------------------------------------------------------------------

    def _sizes(self) -> dict[str, int]:
        """What there is of what, in plain words."""
        raise NotImplementedError

    def _settle(self) -> None:
        """After loading: check that the tables fit together, and derive the rest."""
        raise NotImplementedError

    def _traces(self) -> dict[str, Trace]:
        return {"": self.history_}

    def _remember(self, seed: int, source: str, digest: str, **sizes: Any) -> None:
        self.seed_, self.reading_ = seed, dict(self._reading)
        self.data_ = {"source": source, "digest": "sha256:" + digest, **sizes}
        self.trained_ = datetime.now(UTC).isoformat(timespec="seconds")

    def _check_fitted(self, attribute: str) -> None:
        if not hasattr(self, attribute):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"this {type(self).__name__} is not trained yet; call fit first")

    # --- on disk --------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """One file with everything: tables, vocabulary, settings, trace, signature. No pickle."""
        self._check_fitted("signature_")
        learned = {name: getattr(self, name) for name in self._learned if hasattr(self, name)}
        traces = {
            name: {"steps": list(trace), "stopped": trace.stopped, "remarks": list(trace.remarks)}
            for name, trace in self._traces().items()
        }
        about = {"signature": self.signature_, "data": self.data_, "trained": self.trained_, "seed": self.seed_}
        about |= {"sizes": self._sizes(), "reading": self.reading_}
        save(path, self.kind, {**about, "settings": self._settings_on_disk(), "traces": traces, "learned": learned})

    def _settings_on_disk(self) -> dict[str, Any]:
        """Those that a file can hold; objects such as a Corpus to start from are behind the digest of the signature."""
        settings = {}
        for name, value in self.get_params(deep=False).items():
            value = str(value) if isinstance(value, Path) else value
            try:
                flatten(value, {})
            except TypeError:
                continue
            if not hasattr(value, "_fields"):
                settings[name] = value
        return settings

    @classmethod
    def load(cls, path: str | Path, **settings: Any) -> Self:
        """The saved estimator; `settings` replace those it was saved with."""
        from softcount.estimators.kinds import load_one_of

        found: Self = load_one_of(path, (cls.kind,), f"{cls.__name__}.load", **settings)
        return found

    @classmethod
    def _opened(cls, stored: Stored, settings: Mapping[str, Any]) -> Self:
        try:
            model = cls(**{**stored.restore(stored.body["settings"], {}), **settings})
            model.reading_ = _reading(stored.body.get("reading", {}))  # which older files do not have
        except MALFORMED as error:
            raise error if isinstance(error, InputError) else stored.inconsistent(error) from None
        model._stored = stored
        if stored.size <= AT_ONCE:
            model._unpack()
        return model

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there: with a file behind us, that is what was learned."""
        if name.startswith("__") or "_stored" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._unpack()
        return getattr(self, name)

    def __getstate__(self) -> Any:
        if "_stored" in self.__dict__:
            self._unpack()
        return super().__getstate__()

    def _unpack(self) -> None:
        stored: Stored = self.__dict__.pop("_stored")
        types = {kind.__name__: kind for kind in (*self._types, *RECORDS, Restart)}
        try:
            body = stored.restore(stored.body, types)
            self.__dict__.update(body["learned"])
            self.signature_, self.data_, self.trained_ = body["signature"], body["data"], body["trained"]
            self.seed_ = body["seed"]
            self._take_traces({name: _trace(trace) for name, trace in body["traces"].items()})
            self._settle()
        except MALFORMED as error:
            self._stored = stored  # so that the next touch says the same
            raise error if isinstance(error, InputError) else stored.inconsistent(error) from None

    def _take_traces(self, traces: dict[str, Trace]) -> None:
        self.history_ = traces[""]

    # --- checkpoints ----------------------------------------------------------------------------------------------

    def _checkpoint(self, path: Any, every: int | None) -> Checkpoint | None:
        return None if path is None else Checkpoint(path, every)

    def _about(self, seed: int, digest: str, **more: Any) -> dict[str, Any]:
        """What a checkpoint of this run is of, item by item."""
        settings = {k: described(k, v) for k, v in self.get_params(deep=False).items() if k not in AFTERWARDS}
        run = {"kind": self.kind, **settings, **more, "seed": seed, "data": "sha256:" + digest[:16]}
        return {**run, "softcount": VERSION}


def described(name: str, setting: Any) -> Any:
    """Short things as they are, long ones by their digest; a file by its content."""
    if name in FILES and isinstance(setting, str | Path) and Path(setting).is_file():
        return f"{setting} (sha256:{hashlib.sha256(Path(setting).read_bytes()).hexdigest()[:16]})"
    if type(setting) in PLAIN:
        return setting
    if hasattr(setting, "digest"):
        return "sha256:" + setting.digest()[:16]
    arrays: dict[str, Array] = {}
    text = json.dumps(flatten(setting, arrays), ensure_ascii=False)
    if not arrays and len(text) <= 60:
        return text
    sha = hashlib.sha256(text.encode())
    for array in arrays.values():
        sha.update(np.ascontiguousarray(array).data)
    return "sha256:" + sha.hexdigest()[:16]


def _reading(body: Mapping[str, Any]) -> dict[str, Any]:
    if not all(type(value) in PLAIN for value in body.values()):
        raise ValueError("no way of reading")
    return dict(body)


def _trace(body: Mapping[str, Any]) -> Trace:
    trace = Trace(body["steps"])
    if not all(isinstance(step, Step) for step in trace):
        raise ValueError("a trace of other things than steps")
    trace.stopped, trace.remarks = body["stopped"], tuple(body["remarks"])
    if not isinstance(trace.stopped, Ending):
        raise ValueError("a trace without an ending")
    return trace


def check_table(name: str, table: Any, *shape: int) -> None:
    """Kernels trust shapes and types, so whoever reads a file must not."""
    found = values(table) if not isinstance(table, np.ndarray) else table
    if not isinstance(found, np.ndarray) or found.dtype.kind != "f" or found.shape != shape:
        raise ValueError(f"{name} is not a table of {' × '.join(map(str, shape))} numbers")


def check_tables(tables: Tables, kind: type, **shapes: tuple[int, ...]) -> None:
    if not isinstance(tables, kind):
        raise ValueError(f"no {kind.__name__}")
    for name, shape in shapes.items():
        check_table(name, tables._asdict()[name], *shape)  # type: ignore[attr-defined]
