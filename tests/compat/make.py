"""Makes what is kept of a version: its models, checkpoints, folders, pickles and answers, and all of its names.

    OLD/.venv/bin/python tests/compat/make.py tests/compat/0.2

With the Python of that version, once, in full or step by step (`… tests/compat/0.2 models checkpoints`); what later
versions are held to is never made again.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import pickle
import platform
import shlex
import shutil
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import commands
import instances

import softcount as sc


def written(path: Path, value: dict[str, Any]) -> None:
    """An entry a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = (f"{json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}" for key, part in value.items())
    path.write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")


def run(line: str, folder: Path) -> str:
    """What `softcount LINE` prints, in this process, because starting another takes longer than most commands."""
    from softcount.cli.main import main

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    code: Any = 0
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}),
        mock.patch.object(sys, "argv", ["softcount", *shlex.split(line)]), chdir(folder), redirect_stdout(out),
    ):  # fmt: skip
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
    if code:
        raise SystemExit(f"softcount {line}: left with {code}")
    out.flush()
    return out.buffer.getvalue().decode()


# --- files ------------------------------------------------------------------------------------------------------------


def models(out: Path) -> None:
    for name, make in instances.MODELS.items():
        instance = make()
        model = instance.trained()
        (out / "models").mkdir(parents=True, exist_ok=True)
        (out / "pickles").mkdir(exist_ok=True)
        model.save(out / "models" / f"{name}.model", parts=instances.PARTS.get(name, 1))
        written(out / "answers" / f"{name}.json", instances.answers(model, instance.new))
        if name in PICKLED:
            (out / "pickles" / f"{name}.pickle").write_bytes(pickle.dumps(model, 5))
    kinds = {sc.load(path).kind for path in (out / "models").glob("*.model")}
    missing = {one.kind for one in sc.registry.BUILT_IN} - kinds
    assert not missing, f"no model of {missing}"


# One of every class.
PICKLED = (
    "hmm", "classes", "crf", "plsa", "mixture", "kmeans", "gaussian", "grammar", "network", "decipher", "lm",
    "aligner", "aligner-jumps", "aligner-crf",
)  # fmt: skip


def data(out: Path) -> None:
    """Pickles of text as it is held in memory."""
    held = {
        "corpus": sc.corpus(instances.SENTENCES[:4]),
        "documents": sc.documents(instances.DOCUMENTS[:3]),
        "bitext": sc.bitext(instances.SOURCE[:3], instances.TARGET[:3]),
    }
    for name, value in held.items():
        (out / "pickles" / f"{name}.pickle").write_bytes(pickle.dumps(value, 5))


def checkpoints(out: Path) -> None:
    shutil.rmtree(out / "checkpoints", ignore_errors=True)
    (out / "checkpoints").mkdir(parents=True)
    tried = set()
    for name, (make, steps) in instances.INTERRUPTED.items():
        instance = make()
        instances.broken_off(instance, out / "checkpoints" / f"{name}.ckpt", steps)
        tried.add(str(instance.model.criterion))
        model = make()
        written(out / "finished" / f"{name}.json", instances.answers(model.trained(), model.new))
    from softcount.criteria.spec import BASES, WRAPPERS

    missing = {name for name in (*BASES, *WRAPPERS) if not any(name in text for text in tried)}
    assert not missing, f"no checkpoint of {missing}"


def read(out: Path) -> None:
    """Models that say how their text is read, and folders of shards."""
    answers = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        commands.write(folder)
        for name, (train, apply) in commands.READ.items():
            run(f"{train} --save {name}.model", folder)
            answers[name] = run(f"{apply} --apply {name}.model", folder)
            shutil.copy(folder / f"{name}.model", out / "models")
        run(f"{commands.PIPED} --save read-piped.model", folder)
        shutil.copy(folder / "read-piped.model", out / "models")
        for name, (shard, train) in commands.SHARDS.items():
            run(f"{shard} --out {name}", folder)
            answers[name] = run(train.format(name), folder)
            shutil.copytree(folder / name, out / "shards" / name, dirs_exist_ok=True)
        written(out / "read.json", answers)


# --- names ------------------------------------------------------------------------------------------------------------


def help_texts(out: Path, told: dict[str, Any]) -> None:
    (out / "help").mkdir(parents=True, exist_ok=True)
    for name in ["", *told]:
        text = run(f"{name} --help", out)
        (out / "help" / f"{name.replace(' ', '-') or 'softcount'}.txt").write_text(text, encoding="utf-8")


def options() -> dict[str, Any]:
    """Of every command its arguments and options, in their order: how they are written, and their defaults."""
    import typer.main

    from softcount.cli.main import app

    def told(name: str, command: Any) -> dict[str, Any]:
        if hasattr(command, "commands"):
            return {
                key: value
                for part in command.commands.values()
                for key, value in told(f"{name} {part.name}".strip(), part).items()
            }
        return {name: [parameter(one) for one in command.params]}

    def parameter(one: Any) -> dict[str, Any]:
        default = one.default() if callable(one.default) else one.default
        default = default if isinstance(default, str | int | float | bool | list | None) else str(default)
        return {
            "names": sorted([*one.opts, *one.secondary_opts]), "argument": one.param_type_name == "argument",
            "default": default, "required": one.required, "flag": bool(getattr(one, "is_flag", False)),
            "many": one.multiple or one.nargs != 1,
        }  # fmt: skip

    return told("", typer.main.get_command(app))


def json_keys() -> dict[str, list[str]]:
    """Of every command that prints JSON, the places of its values."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        commands.write(folder)
        for name, line in commands.MADE.items():
            run(f"{line} --save {name}", folder)
        for name, line in commands.JSON.items():
            found[name] = commands.places(run(line, folder))
    return found


def names() -> dict[str, Any]:
    """What Python programs may name: classes with their methods, functions, and how each is called."""
    homes = {"softcount": sc, "softcount.evaluate": sc.evaluate, "softcount.synthetic": sc.synthetic}
    found: dict[str, Any] = {}
    for home, module in homes.items():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                found[f"{home}.{name}"] = {"": signature(value), **methods(value)}
            elif callable(value):
                found[f"{home}.{name}"] = {"": signature(value)}
            else:
                found[f"{home}.{name}"] = {}
    return found


def methods(kind: type) -> dict[str, Any]:
    """Those of ours: a public name is one that does not begin with an underscore."""
    return {
        name: signature(getattr(kind, name)) if callable(getattr(kind, name, None)) else None
        for name in dir(kind)
        if not name.startswith("_")
        and any(name in vars(base) for base in kind.__mro__ if "softcount" in base.__module__)
    }


def signature(of: Any) -> list[list[str | None]] | None:
    """Name, kind and default of every parameter; None where it says nothing."""
    try:
        parameters = inspect.signature(of).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        [one.name, one.kind.name, None if one.default is one.empty else commands.default(one.default)]
        for one in parameters
    ]


def learned(out: Path) -> dict[str, list[str]]:
    """What trained models have under names that end with an underscore."""
    found: dict[str, list[str]] = {}
    for name in instances.MODELS:
        model = sc.load(out / "models" / f"{name}.model")
        dir(model.signature_)  # so that what is read late is there
        found[name] = [one for one in dir(model) if one.endswith("_") and one[0] != "_" and hasattr(model, one)]
    return found


def interface(out: Path) -> None:
    told = options()
    help_texts(out, told)
    written(out / "options.json", told)
    written(out / "names.json", names())
    written(out / "learned.json", learned(out))


def printed(out: Path) -> None:
    written(out / "json_keys.json", json_keys())


def about(out: Path) -> None:
    written(
        out / "made.json", {"softcount": sc.__version__, "python": platform.python_version(), **instances.machine()}
    )


STEPS = {step.__name__: step for step in (models, data, checkpoints, read, interface, printed, about)}


def main(out: Path, *steps: str) -> None:
    """All of it, or the steps that are named."""
    warnings.simplefilter("ignore")
    for step in steps or STEPS:
        print(step, flush=True)
        STEPS[step](out)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
