"""What every estimator can do with a file: save, load, and go on from a checkpoint.

A loaded estimator has its settings at once; what was learned is read, checked and put in place when it
is first asked for, so that a large model opens in no time (a small one is unpacked on loading).
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from softcount.disk.checkpoint import Checkpoint
from softcount.disk.sound import annotated, check, check_whole, hints_of
from softcount.disk.state import PLAIN, flatten
from softcount.disk.store import AT_ONCE, MALFORMED, Room, Stored, save
from softcount.disk.wire import attribute_name, readable, renamed
from softcount.engines import ELSEWHERE
from softcount.errors import InputError
from softcount.estimators.docstring import SHARED, WATCHED, extended
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.model_file import OPEN, Body, Reading, saved_trace, trace_of
from softcount.loop.resume import Restart
from softcount.loop.trace import RECORDS, Trace
from softcount.machine.mapped import in_file
from softcount.numbers.ragged import Array
from softcount.signature import of_any_version
from softcount.text.claim import Claim, claimed, has_names, is_there
from softcount.text.digest import content_digest
from softcount.version import TRAINS_AS

FILES = ("dictionary", "start", "prior", "stems")  # settings that may name a file
# Settings that training does not depend on: a checkpoint is good for any of them. Features count by what they say of
# the words at hand, which whoever trains adds.
AFTERWARDS = ("engine", "n_jobs", "random_state", "features")
HERE = "engine"  # where sums are computed is for whoever computes them: a file starts no cluster


class SavedEstimator:
    """Subclasses name their kind, the attributes that hold what was learned, and the types of tables in them.

    What a file holds of an attribute or a setting must be of the type that its annotation says.
    """

    kind: ClassVar[str]
    _learned: ClassVar[tuple[str, ...]]
    _optional: ClassVar[tuple[str, ...]] = ()  # those that not every model has
    _types: ClassVar[tuple[Any, ...]]
    _unkept: ClassVar[tuple[str, ...]] = ()  # settings that no file holds: other models, of which it has what it needs
    _afterwards: ClassVar[tuple[str, ...]] = ()  # settings of its own that training does not depend on

    signature_: str
    data_: dict[str, Any]  # what it was trained on: source, digest and sizes
    trained_: str  # when
    seed_: int
    history_: Any
    lowercase: bool = False  # a setting of all that take text: new text is read like the training text
    reading_: dict[str, Any]  # how its text was read, where not as by default: lowercase, min_count, …
    # What else the command line says of that before `fit`: which words it left out. The vocabulary has the others.
    _reading: Mapping[str, Any] = MappingProxyType({})

    _described: ClassVar[tuple[tuple[str, str], ...]] = SHARED

    def __init_subclass__(cls, **settings: Any) -> None:
        """Docstrings that list attributes, and parameters of `fit`, go on with those that all such estimators have."""
        super().__init_subclass__(**settings)
        cls.__doc__ = extended(cls.__dict__.get("__doc__"), "Attributes", cls._described)
        fit = cls.__dict__.get("fit")
        if "checkpoint_every" in getattr(getattr(fit, "__code__", None), "co_varnames", ()):
            fit.__doc__ = extended(fit.__doc__, "Parameters", WATCHED)

    # --- for subclasses to say ------------------------------------------------------------------------------------

    def _sizes(self) -> dict[str, int]:
        """What there is of what, in plain words."""
        raise NotImplementedError

    def _settle(self) -> None:
        """After loading: check that the tables fit together, and derive the rest."""
        raise NotImplementedError

    def _check(self) -> None:
        """Settings that have no meaning are refused."""

    def _traces(self) -> dict[str, Trace]:
        return {"": self.history_}

    def _remember(self, seed: int, source: str, digest: str, **sizes: Any) -> None:
        self.seed_, self.reading_ = seed, self._read_as()
        self.data_ = {"source": source, "digest": "sha256:" + digest, **sizes}
        self.trained_ = datetime.now(UTC).isoformat(timespec="seconds")

    def _read_as(self) -> dict[str, Any]:
        return ({"lowercase": True} if self.lowercase else {}) | dict(self._reading)

    def _check_fitted(self, attribute: str) -> None:
        check_is_fitted(self, attribute)

    # --- on disk --------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, parts: int = 1) -> None:
        """Write everything to one file: tables, vocabulary, settings, trace and signature. Nothing is pickled.

        >>> from softcount import LanguageModel, load
        >>> LanguageModel(order=2).fit(["the dog runs", "the cat runs"]).save("lm.softcount")
        >>> load("lm.softcount").order
        2

        Parameters
        ----------
        path : str or path
            The file, which appears whole or not at all.
        parts : int, default 1
            How many files large tables are cut into, beside the first; 1 cuts nothing.
        """
        self._check_fitted("signature_")
        learned = {attribute_name(name): getattr(self, name) for name in self._learned if hasattr(self, name)}
        traces = {name: saved_trace(trace) for name, trace in self._traces().items()}
        about = {"signature": self.signature_, "data": self.data_, "trained": self.trained_, "seed": self.seed_}
        about |= {"sizes": self._sizes(), "reading": self.reading_}
        body = {**about, "settings": self._settings_on_disk(), "traces": traces, "learned": learned}
        save(path, self.kind, body, parts)

    def _settings_on_disk(self) -> dict[str, Any]:
        """Those that a file can hold; objects such as a Corpus to start from are behind the digest of the signature."""
        settings = {}
        for name, value in self.get_params(deep=False).items():
            if name in self._unkept:
                continue
            value = str(value) if isinstance(value, Path) else value
            try:
                flatten(value, {})
            except TypeError:
                continue
            if not hasattr(value, "_fields"):
                settings[name] = value
        return settings

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What a notebook shows: once it is trained, what it has learned."""
        shown = {"text/plain": repr(self)}
        if hasattr(self, "signature_"):
            from softcount.report.page.compact import compact

            shown["text/html"] = compact(self)
        return shown

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")

    def report(
        self, path: str | Path, X: Any = None, y: Any = None, *, gold: Any = None, coherence: bool = False
    ) -> None:
        """Write a page that shows what was learned, and what the model makes of a text; it opens in any browser.

        >>> from softcount import LanguageModel
        >>> LanguageModel(order=2).fit(["the dog runs", "the cat runs"]).report("lm.html")

        Parameters
        ----------
        path : str or path
            The page to write.
        X : sentences, documents, points or rows, optional
            What the model is shown at work on; of an aligner, the source sentences.
        y : sentences, optional
            Of an aligner, the target sentences.
        gold : list, optional
            The right answers to lay beside it: tags of every sentence, or links of every pair (see `read_links`); of
            documents a class or a time of each, by which topics or clusters are shown.
        coherence : bool, default False
            Whether NPMI and C_V of every topic's words, counted in X, are shown as well.
        """
        from softcount.machine.atomic import write_whole
        from softcount.report.page.model import coherence_of, items_of, write_page

        self._check_fitted("signature_")
        items = None if X is None else items_of(self, X, y)
        scores = coherence_of(self, X) if coherence else None
        write_whole(Path(path), lambda place: write_page(place, self, items, gold, scores))

    @classmethod
    def load(cls, path: str | Path, **settings: Any) -> Self:
        """Read a saved estimator; its tables are read and checked when they are first asked for.

        Parameters
        ----------
        path : str or path
            The file that `save` wrote.
        **settings
            Settings that replace those it was saved with, such as ``n_jobs=2``.

        Returns
        -------
        estimator
        """
        from softcount.registry import load_one_of

        found: Self = load_one_of(path, (cls.kind,), f"{cls.__name__}.load", **settings)
        return found

    @classmethod
    def _opened(cls, stored: Stored, settings: Mapping[str, Any]) -> Self:
        known = inspect.signature(cls).parameters
        for name in settings:
            if name not in known:
                raise InputError(f"{stored.path}: {cls.__name__} has no setting {name!r}; it has {', '.join(known)}")
        try:
            kept, reading = stored.restore(stored.body["settings"], {}), stored.body.get("reading", {})
            check("settings", kept, dict[str, Any])
            check("reading", reading, Reading)
            if not has_names(reading):
                raise ValueError("reading has something else in the place of a name")
            said = {"lowercase": True} if reading.get("lowercase") else {}  # in older files it is no setting yet
            model = cls(**{**said, **_as_claims(kept, known, stored.path)})
            model._check_settings()
        except MALFORMED as error:
            raise stored.refusal(error) from None
        model.reading_ = {name: claimed(value, stored.path, name) for name, value in reading.items()}
        for name, value in settings.items():
            setattr(model, name, value)
        model._stored = stored
        if stored.n_bytes <= AT_ONCE:
            model._unpack()
        return model

    def _check_settings(self) -> None:
        hints = hints_of(type(self).__init__)
        for name, value in self.get_params(deep=False).items():
            check(name, value, OPEN.get(name, hints.get(name, Any)))
        self._check()

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

    def __setstate__(self, state: Any) -> None:
        """A pickle of an older version lacks the parameters that came later: they are as by default."""
        known = inspect.signature(type(self).__init__).parameters.items()
        self.__dict__.update({name: p.default for name, p in known if p.default is not p.empty} | state)

    def _unpack(self) -> None:
        stored: Stored = self.__dict__.pop("_stored")
        types = readable(*self._types, *RECORDS, Restart)
        try:
            body = stored.restore(stored.body, types, self._room())
            check("the model", body, Body)
            self._take_learned(body["learned"])
            self.signature_, self.data_, self.trained_ = body["signature"], body["data"], body["trained"]
            self.seed_ = body["seed"]
            datetime.fromisoformat(self.trained_)
            check("data", [self.data_.get(name) for name in ("source", "digest")], list[str])
            counts = [n for name, n in self.data_.items() if name not in ("source", "digest", "tokens")]
            check("data", counts, list[float])  # an aligner's tokens are those of both sides, in a text
            if not all(0 <= n < 2**63 for n in counts):
                raise ValueError("data has counts that cannot be")
            check_whole("seed", np.array([self.seed_]), 1, np.inf)
            self._take_traces({name: trace_of(trace) for name, trace in body["traces"].items()})
            self._settle()
            if self._sizes() != body["sizes"]:
                raise ValueError("other sizes than it says")
        except MALFORMED as error:
            self._stored = stored  # so that the next touch says the same
            raise stored.refusal(error) from None

    def _room(self) -> Room:
        """Where large tables are read to: memory, or files where an engine elsewhere is to have them."""
        engine: Any = getattr(self, "engine", None)
        return in_file if engine in ELSEWHERE or not getattr(engine, "near", True) else np.empty

    def _take_learned(self, learned: Mapping[str, Any]) -> None:
        """Nothing but what there should be, and all of it: an attribute may be in the way of a method."""
        hints, attributes = annotated(type(self)), {attribute_name(name): name for name in self._learned}
        found = {attributes.get(name, ""): value for name, value in renamed(learned).items()}
        if len(found) < len(learned) or not set(self._learned) - set(self._optional) <= found.keys() <= set(
            self._learned
        ):
            raise ValueError("something is missing, or too much")
        for name, value in found.items():
            check(name, value, hints.get(name, Any))
        self.__dict__.update(found)

    def _take_traces(self, traces: dict[str, Trace]) -> None:
        self.history_ = traces[""]

    # --- checkpoints ----------------------------------------------------------------------------------------------

    def _checkpoint(self, path: Any, every: int | None) -> Checkpoint | None:
        return None if path is None else Checkpoint(path, every)

    def _about(self, seed: int, digest: str, **more: Any) -> dict[str, Any]:
        """What a checkpoint of this run is of, item by item."""
        settings = {
            k: described(k, v)
            for k, v in self.get_params(deep=False).items()
            if k not in (*AFTERWARDS, *self._afterwards)
        }
        run = {"kind": self.kind, **settings, **more, "seed": seed, "data": "sha256:" + digest[:16]}
        return {**run, "softcount": TRAINS_AS}


def _as_claims(kept: Mapping[str, Any], known: Mapping[str, inspect.Parameter], path: Path) -> dict[str, Any]:
    """Settings that a file has, but for those that are as by default: what can be a path is the file's claim."""
    changed = {
        name: value
        for name, value in kept.items()
        if name != HERE and not (name in known and isinstance(value, str) and value == known[name].default)
    }
    return {name: claimed(value, path, name) for name, value in changed.items()}


def signed_start(begins: str, start: Any) -> str:
    """For signatures: what the start is, in a word; tables and texts that somebody gives by a digest beside it."""
    known = begins != "given" or start is None or isinstance(start, str | Path)
    return begins if known else f"given,{content_digest(described('start', start))}"


def described(name: str, setting: Any) -> Any:
    """Short things as they are, long ones by their digest; a file by its content."""
    if isinstance(setting, Claim):
        return str(setting)
    if name in FILES and isinstance(setting, str | Path) and is_there(setting) and Path(setting).is_file():
        return f"{setting} (sha256:{hashlib.sha256(Path(setting).read_bytes()).hexdigest()[:16]})"
    if type(setting) in PLAIN:
        return setting
    if hasattr(setting, "signature_"):  # a trained estimator
        signed = of_any_version(setting.signature_).encode(errors="surrogatepass")
        return "sha256:" + hashlib.sha256(signed).hexdigest()[:16]
    if hasattr(setting, "digest"):
        return "sha256:" + setting.digest()[:16]
    arrays: dict[str, Array] = {}
    text = json.dumps(flatten(setting, arrays), ensure_ascii=False)
    if not arrays and len(text) <= 60:
        return text
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for array in arrays.values():
        sha.update(np.ascontiguousarray(array).data)
    return "sha256:" + sha.hexdigest()[:16]
