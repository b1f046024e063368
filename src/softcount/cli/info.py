"""softcount info: what a model or checkpoint is, in plain words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.watched import watched
from softcount.errors import count_nouns
from softcount.loop.trace import READ_OFF, RECORDS, Note, count_iterations, gathered
from softcount.machine import stage
from softcount.machine.streams import put
from softcount.signature import in_form

if TYPE_CHECKING:
    from softcount.disk.store import Stored

MOST = 1 << 53  # items, seconds: what numbers of JSON count exactly
INTACT = "  intact: all checksums, word numbers, counts and lengths are correct"


@watched
def info(
    model: Annotated[str, typer.Argument(help="Saved model, checkpoint, or folder of shards.", metavar="MODEL")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Describe a saved model (settings, training data, results) and verify its checksums.

    A folder of shards is verified completely: checksums, word numbers, counts and lengths.

    Example: **softcount info en-fr.model**

    As JSON: **softcount info en-fr.model --json**
    """
    from softcount.disk.checkpoint import KIND
    from softcount.disk.store import MALFORMED, Stored
    from softcount.text.shard_folder import is_shards
    from softcount.text.source import printable

    if is_shards(model):
        _print_folder(model, as_json)
        return
    stage.begin(f"checking {model}")
    stored = Stored(model)
    stored.verify()
    try:
        found = _checkpoint(stored) if stored.kind == KIND else _model(stored)
        lines = list(_model_lines(found) if "trained" in found else _checkpoint_lines(found))
    except MALFORMED as error:
        raise stored.refusal(error) from None
    if as_json:
        notes = {"notes": [str(note) for note in found["notes"]]} if "notes" in found else {}
        put(json.dumps(found | notes, ensure_ascii=False))
        return
    put(f"{model}: {found['holds']}, {readable_bytes(found['bytes'])}, intact")
    width = max(len(name) for name, _ in lines)
    put("\n".join(printable(f"  {name:<{width}}  {text}") for name, text in lines))


def _print_folder(root: str, as_json: bool) -> None:
    from softcount.cli.shard import summary, summary_lines
    from softcount.text.shard_check import check_files
    from softcount.text.shard_folder import Folder
    from softcount.text.source import printable

    folder = Folder(root)
    check_files(folder)
    found = summary(root, folder.manifest)
    put(
        json.dumps(found, ensure_ascii=False) if as_json else "\n".join((*map(printable, summary_lines(found)), INTACT))
    )


def _model(stored: Stored) -> dict[str, Any]:
    from softcount.disk.sound import check
    from softcount.disk.wire import readable, renamed
    from softcount.estimators.model_file import Body
    from softcount.registry import title

    body = stored.restore(
        {name: part for name, part in stored.body.items() if name != "learned"},
        readable(*RECORDS),
    )
    check("the description", {**body, "learned": {}}, Body)
    _check_counts(stored, body)
    learned = renamed(stored.body["learned"])
    chosen = learned.get("restart_", 0)
    notes = [Note(remark) for trace in body["traces"].values() for remark in trace["remarks"]]
    notes += [note for trace in body["traces"].values() for step in trace["steps"] for note in step.notes]
    return {
        "holds": title(stored.kind),
        "kind": stored.kind,
        "bytes": stored.n_bytes,
        "data": body["data"],
        "trained": body["trained"],
        "softcount": stored.version,
        "seed": body["seed"],
        "sizes": body["sizes"],
        "results": {name or "training": _result(trace, chosen) for name, trace in body["traces"].items()},
        "notes": list(dict.fromkeys(notes)),
        "reading": body.get("reading", {}),
        "settings": {k: "an array" if hasattr(v, "shape") else v for k, v in body["settings"].items()},
        "signature": body["signature"],
        "short_signature": in_form(body["signature"], "short"),
        "posterior": _posterior(learned),
    }


def _check_counts(stored: Stored, body: dict[str, Any]) -> None:
    """ValueError where a number cannot be meant: a file has no more of anything than it has bits."""
    if not all(0 <= n <= 8 * stored.n_bytes for n in body["sizes"].values()):
        raise ValueError("sizes beyond the size of the file")
    numbers = [n for n in body["data"].values() if not isinstance(n, str)]
    numbers += [step.seconds for trace in body["traces"].values() for step in trace["steps"]]
    if not all(0 <= n < MOST for n in numbers):
        raise ValueError("impossible numbers of items or seconds")


def _posterior(learned: dict[str, Any]) -> list[str]:
    """The tables of which the file has λ."""
    found = learned.get("posterior_") or {}
    bodies = learned.get("bodies") or {}
    sides = [f"{side}.translation" for side, body in bodies.items() if isinstance(body, dict) and "strengths" in body]
    return [*(name for name, table in found.items() if table is not None), *sides]


def _result(trace: dict[str, Any], chosen: int) -> dict[str, Any]:
    """Of the restart that was chosen."""
    steps = [step for step in trace["steps"] if step.restart == chosen]
    objective = steps[-1].objective if steps else None
    return {
        "criterion": ",".join(dict.fromkeys(step.stage for step in steps)),
        "restarts": trace["steps"][-1].restart + 1 if steps else 1,
        "steps": len(steps),
        "seconds": sum(step.seconds for step in trace["steps"]),
        "stopped": trace["stopped"].text,
        "objective": objective if objective is None or math.isfinite(objective) else None,  # JSON has no NaN
    }


def _model_lines(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    data = dict(found["data"])
    source, digest = data.pop("source"), data.pop("digest")
    yield "trained on", f"{source}: {_counted(data)} ({digest[:23]})"
    when = found["trained"].replace("T", " ").replace("+00:00", " UTC")
    yield "trained at", f"{when}, by softcount {found['softcount']}, seed {found['seed']}"
    yield "holds", _counted(found["sizes"])
    for name, result in found["results"].items():
        yield name, _sentence(result)
    for line in gathered(found["notes"]):
        yield "note", line
    if found["reading"]:
        yield "text read", _pairs(found["reading"])
    yield "settings", _pairs(found["settings"])
    if found["posterior"]:
        yield "posterior", f"λ of {', '.join(found['posterior'])}; softcount export writes it"
    yield "signature", found["signature"]
    yield "short form", found["short_signature"]


def _sentence(result: dict[str, Any]) -> str:
    if not result["steps"]:
        read = result["stopped"] == READ_OFF
        return f"no iterations: {READ_OFF if read else 'the parameters are the initial ones'}"
    best = f"the best of {result['restarts']} restarts; " if result["restarts"] > 1 else ""
    objective = "" if result["objective"] is None else f"; objective {result['objective']:,.4f}"
    took = f"{count_iterations(result['steps'])}, {result['seconds']:.1f} s in total"
    return f"{result['criterion']}: {best}{took}; {result['stopped']}{objective}"


def _checkpoint(stored: Stored) -> dict[str, Any]:
    about, results, positions = (stored.body[name] for name in ("about", "results", "positions"))
    return {
        "holds": "a checkpoint",
        "kind": stored.kind,
        "bytes": stored.n_bytes,
        "about": about,
        "finished": list(results),
        "under_way": {key: {"steps": len(saved["$Saved"][1])} for key, saved in positions.items()},
    }


def _checkpoint_lines(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "of", _pairs(found["about"])
    if found["finished"]:
        yield "finished", "; ".join(found["finished"])
    for key, position in found["under_way"].items():
        yield "under way", f"{key}, {count_iterations(position['steps'])} done; run the same command again to resume"


def _counted(sizes: dict[str, Any]) -> str:
    return ", ".join(f"{n} {what}" if isinstance(n, str) else count_nouns(n, what) for what, n in sizes.items())


def _pairs(settings: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in settings.items() if value not in (None, ()))


def readable_bytes(size: float) -> str:
    if size < 1000:
        return f"{size} bytes"
    for unit in ("kB", "MB"):
        size /= 1000
        if size < 1000:
            return f"{size:.3g} {unit}"
    return f"{size / 1000:.3g} GB"
