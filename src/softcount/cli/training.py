"""What every command that trains does: check, train or apply, write files, report, print.

A command is a class with its own options as fields; it says what it reads, how its estimator is made, and what comes
out. The order, and all that concerns shared options, is here: see `Training.run`.
"""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, get_type_hints

import typer

from softcount.cli.console import (
    check_threads,
    check_writable,
    is_given,
    note_prepared,
    note_unused,
    open_model,
    preparation,
    say,
    write_whole,
)
from softcount.cli.options import (
    GROUPS,
    TRAINING,
    Address,
    Apply,
    Checkpoint,
    Criterion,
    Engine,
    Every,
    Json,
    Quiet,
    Report,
    Save,
    SavedParts,
    Seed,
    Shown,
    SignatureForm,
    Threads,
    Tolerance,
    Trace,
    Verbose,
)
from softcount.cli.progress import Progress, check_mode
from softcount.cli.summary import detailed_lines, in_two_lines, trace_tsv, training_lines
from softcount.errors import InputError, list_counts
from softcount.machine import stage
from softcount.machine.streams import check_results, is_screen, put, put_lines
from softcount.signature import check_form, in_form, signature

Files = Iterator[tuple[Path | None, Callable[[Path], Any]]]


@dataclass(kw_only=True)
class Training:
    """The options that all share, and what is done with them."""

    context: typer.Context
    criterion: Criterion
    tolerance: Tolerance = 1e-6
    seed: Seed = 0
    checkpoint: Checkpoint = None
    checkpoint_every: Every = None
    apply: Apply = None
    save: Save = None
    parts: SavedParts = 1
    trace: Trace = None
    page: Report = None
    as_json: Json = False
    quiet: Quiet = False
    verbose: Verbose = False
    signature_form: SignatureForm = "short"
    shown: Shown = "auto"
    threads: Threads = -1
    engine: Engine = "threads"
    address: Address = None

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]  # of models that it may apply
    doing: ClassVar[str] = "answering"  # what it does with a trained model, in a word
    applied: ClassVar[tuple[str, ...]] = ()  # those of its arguments that a saved model reads, where it is not all

    def run(self) -> None:
        self.check()
        shown = Progress(self.quiet, getattr(self, "restarts", 1), self.shown)
        with nullcontext() if isinstance(self.where, str) else self.where, shown as self.progress:
            with self.warnings_as_notes():
                model, data = self.trained() if self.apply is None else self.opened()
            stage.begin(self.doing)
            answer = self.answer(model, data)
            if self.save is not None:
                stage.begin(f"writing {self.save}")
                model.save(self.save, parts=self.parts)
            for path, write in self.files(model, data, answer):
                if path is not None:
                    stage.begin(f"writing {path}")
                    write_whole(path, write)
            stage.begin(self.doing)
            signed = self.signed(model) if self.apply is None else self.applied_signature(model, data)
            for line in (*self.summary(model, data, answer), in_form(signed, self.signature_form)):
                self.say(line)
            if is_screen():  # where results come out there is no room for another line
                self.progress.close()
            self.deliver(model, data, answer, signed)

    # --- for a command to say -----------------------------------------------------------------------------------------

    def reads(self) -> dict[str, str | Path | None]:
        """The files that it reads, by what they are (``stop_words``: the stop words)."""
        raise NotImplementedError

    def beside(self) -> list[str | Path]:
        """Files that are read because they are beside another."""
        return []

    def writes(self) -> list[Path | None]:
        """Its own results."""
        return []

    def read(self, model: Any) -> Any:
        """The data; to be trained on where there is no model yet."""
        raise NotImplementedError

    def estimator(self, data: Any) -> Any:
        raise NotImplementedError

    def fit(self, model: Any, data: Any, **watch: Any) -> None:
        model.fit(data, **watch)

    def answer(self, model: Any, data: Any) -> Any:
        """What is computed before anything is written."""

    def files(self, model: Any, data: Any, answer: Any) -> Files:
        yield self.trace, lambda path: path.write_text(trace_tsv(model._traces()), encoding="utf-8")
        yield self.page, lambda path: _write_page(path, model, data)

    def counted(self, data: Any) -> dict[str, float]:
        """How much of what there is, in plain words."""
        return {"documents": len(data), "words": data.n_tokens}

    def done(self, model: Any, data: Any) -> dict[str, Any]:
        """What was really done with a model that was applied, for the signature."""
        return {what: f"{n:.15g}" for what, n in self.counted(data).items()}

    def prints(self) -> bool:
        """Whether anything is for stdout."""
        return True

    def content(self, model: Any, data: Any, answer: Any) -> dict[str, Any]:
        """For --json."""
        raise NotImplementedError

    def lines(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        raise NotImplementedError

    # --- a folder of shards in place of text --------------------------------------------------------------------------

    def from_folder(self, path: str, kind: str, model: Any, *unread: str) -> Any:
        """Items of a folder, which has been read as it says; options that say otherwise are refused or noted."""
        from softcount.text.shards import shards_of

        found = shards_of(path, kind)
        was = found.folder.reading
        self.prepared = self._prepared_before(path, was, model)
        if model is None and was.get("lowercase"):
            self.lowercase = True
        self.note_unused(*unread, where="with a folder of shards, whose text is already prepared")
        return found

    def _prepared_before(self, path: str, was: Mapping[str, Any], model: Any) -> Any:
        """How the text of a folder was prepared; options, or a model, that say otherwise are refused."""
        from softcount.text.preparation import Preparation, asked_for

        given = asked_for(getattr(self, "tokenize", None), getattr(self, "normalize", None))
        found = Preparation(was.get("tokenize"), was.get("normalize"))
        if given and Preparation.of(given) != found:
            how = " ".join(f"--{name} {value}" for name, value in given.items())
            raise InputError(
                f"{path}: its text was not prepared by {how}; write the shards again with softcount shard {how}"
            )
        if model is None:
            return found if not given else Preparation.of(given)
        if not given and (usual := Preparation.of(model.reading_)) not in (found, (None, None)):
            raise InputError(
                f"{path}: its text was not prepared by {usual.options()} like the model's; write the "
                f"shards again with softcount shard, or add {found.options()} to apply the model "
                "anyway"
            )
        note_prepared(model, found, self.quiet)
        return found

    def prepare(self, model: Any) -> Any:
        """How raw text is prepared: as the options say, else as the model's training text was."""
        tokenize, normalize = getattr(self, "tokenize", None), getattr(self, "normalize", None)
        self.prepared = preparation(model, tokenize, normalize, self.quiet)
        return self.prepared

    # --- what is the same for all -------------------------------------------------------------------------------------

    def say(self, message: str) -> None:
        say(message, self.quiet)

    def check(self) -> None:
        """Before hours of work."""
        from softcount.engines import engine_of
        from softcount.text.source import check_stdin

        reads = self.reads()
        outputs = (*self.writes(), self.trace, self.page)
        check_writable(*outputs, self.save, self.checkpoint, inputs=(*reads.values(), *self.beside()))
        check_writable(*outputs, inputs=(self.apply,))  # a model may be saved again where it came from
        check_stdin(**reads)
        if self.prints():
            check_results()
        self.check_parts()
        check_threads(self.threads)
        check_mode(self.shown)
        check_form(self.signature_form)
        where = engine_of(self.engine, self.threads, self.address)
        self.where: Any = self.engine if where.near else where  # one cluster for all that the command does

    def check_parts(self) -> None:
        if self.parts == 1:
            return
        from softcount.disk.parts import check_parts

        check_parts(self.parts)
        if self.save is None:
            raise InputError("--parts is the number of files of --save; give --save as well")

    def opened(self) -> tuple[Any, Any]:
        assert self.apply is not None
        model = self.placed(open_model(self.apply, self.kinds, f"{self.name} --apply", **self.chosen()))
        data = self.read(model)
        note_unused(self.context, self.training_options(), "with --apply", self.quiet)
        return model, data

    def chosen(self) -> dict[str, Any]:
        """Settings that also a saved model takes, where they were given."""
        return {}

    def trained(self) -> tuple[Any, Any]:
        data = self.read(None)
        model = self.placed(self.estimator(data))
        stage.begin("preparing")
        kept = {"checkpoint": self.checkpoint, "checkpoint_every": self.checkpoint_every}
        self.fit(model, data, on_step=self.progress, **kept)
        return model, data

    def placed(self, model: Any) -> Any:
        """With the engine and the threads that were asked for."""
        return model.set_params(n_jobs=self.threads, engine=self.where)

    def training_options(self) -> list[str]:
        return [option.name for option in self.context.command.params if group_of(option) in TRAINING and option.name]

    def note_unused(self, *names: str, where: str) -> None:
        note_unused(self.context, names, where, self.quiet)

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for message in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, UserWarning)):
            self.say(f"warning: {message}")

    def summary(self, model: Any, data: Any, answer: Any) -> list[str]:
        """What stands before the signature: two lines at most, or all there is to say."""
        if not self.verbose:
            return in_two_lines(self.report(model, data, answer))
        details = [] if self.apply is not None else self.details(model, data)
        return [*details, *self.report(model, data, answer)]

    def details(self, model: Any, data: Any) -> Iterable[str]:
        """What only --verbose prints of training."""
        return detailed_lines(model)

    def report(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        if self.apply is None:
            yield from training_lines(model, is_given(self.context, "tolerance"))
        else:
            yield f"applied {self.apply} to {self.named(data)}: {list_counts(self.counted(data))}"

    def named(self, data: Any) -> str:
        return str(data.source)

    def signed(self, model: Any) -> str:
        """What was trained, and how what comes out was made of it."""
        return str(model.signature_)

    def applied_signature(self, model: Any, data: Any) -> str:
        """What was done now, and behind it what the model is."""
        now = signature(f"{self.name} --apply", **self.done(model, data), data="sha256:" + data.digest()[:12])
        return f"{now} | model: {model.signature_}"

    def deliver(self, model: Any, data: Any, answer: Any, signed: str) -> None:
        content = self.content(model, data, answer) if self.as_json else {}
        self.print(content, self.lines(model, data, answer), signed)

    def print(self, content: dict[str, Any], lines: Iterator[str], signed: str) -> None:
        if self.as_json:
            put(json.dumps({**content, "signature": signed}, ensure_ascii=False))
        else:
            put_lines(lines)


def read_for(kind: type[Training], context: typer.Context, model: Any, *files: str, **options: str | None) -> Any:
    """What the command reads of these files for a saved model, as it would with --apply and these options."""
    from softcount.text.stored import in_memory

    hints = get_type_hints(kind, include_extras=True)
    every = [f.name for f in fields(kind) if _place(hints[f.name]) < 0 and f.name != "context"]
    arguments = kind.applied or every
    if len(files) > len(arguments):
        raise InputError(f"{files[-1]}: `softcount {kind.name}` takes at most {len(arguments)} files; omit it")
    given: dict[str, Any] = {name: "" for name in every if name not in arguments}
    given |= dict(zip(arguments, files, strict=False))
    for name, value in options.items():
        if value is not None and name not in hints:
            option = "--" + name.replace("_", "-")
            raise InputError(f"`softcount {kind.name}` has no option {option}; omit it")
        given |= {} if value is None else {name: value}
    asked = kind(context=context, criterion="", **given)
    return in_memory(asked.read(model), "a page that shows the text", "give a part of it")


def command(kind: type[Training]) -> Callable[..., None]:
    """The function that the command line calls: an option for every field, its own before those it inherits."""

    def call(**given: Any) -> None:
        kind(**given).run()

    hints: Mapping[str, Any] = get_type_hints(kind, include_extras=True)
    own = list(inspect.get_annotations(kind))
    parameters = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in sorted(fields(kind), key=lambda f: (_place(hints[f.name]), f.name not in own))
    ]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__name__, call.__doc__ = kind.name, kind.__doc__
    return call


def _place(hint: Any) -> int:
    """Arguments first, then the groups in their order."""
    group = group_of(*getattr(hint, "__metadata__", (None,)))
    return GROUPS.index(group) if group in GROUPS else -1


def group_of(option: Any) -> str | None:
    return getattr(option, "rich_help_panel", None)


def _write_page(path: Any, model: Any, data: Any) -> None:
    from softcount.report.page.model import write_page  # here, because few runs ask for a page
    from softcount.text.stored import in_memory

    whole = in_memory(
        data, "a page that shows the text", "omit --report, and write a page of a part with softcount report"
    )
    write_page(path, model, whole)
