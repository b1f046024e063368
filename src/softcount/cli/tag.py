"""softcount tag: induce or apply part-of-speech tags with a hidden Markov model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import (
    Checkpoint,
    Every,
    Progress,
    Save,
    check_threads,
    check_writable,
    lower_cased,
    note_unused,
    open_model,
    say,
    say_unknown,
    write_whole,
)  # fmt: skip
from softcount.cli.summary import or_null, report_applied, report_training
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.hmm import HMM

STARTS = ("random", "uniform")  # any other start is a file
TRAINING = (
    "states", "criterion", "dictionary", "start", "fix", "pseudo", "prior", "end", "restarts", "dev", "dev_tags",
    "tolerance", "min_count", "seed", "checkpoint", "checkpoint_every",
)  # fmt: skip


def tag(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="One sentence a line, blanks between tokens; .gz too; - for stdin.")],
    states: Annotated[int | None, typer.Option(min=1, help="Number of hidden states (tags).")] = None,
    criterion: Annotated[
        str, typer.Option(help="Stages: em, vb, mre, gibbs, hard, annealed(…), stepwise(…).")
    ] = "em:100",
    dictionary: Annotated[
        Path | None, typer.Option(help="The tags a word may have, one word a line: word, tab, TAG TAG …")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="random, uniform, P.json, or a labelled file to count; if not given, known tags, else random."
        ),
    ] = None,
    fix: Annotated[str, typer.Option(help="Tables to leave alone: initial,transition,emission.")] = "",
    pseudo: Annotated[str, typer.Option(help="Pseudo-count of EM: a number, or emission=0.1,transition=1.")] = "0",
    prior: Annotated[str, typer.Option(help="Dirichlet prior of VB and Gibbs, likewise.")] = "0.001",
    end: Annotated[bool, typer.Option("--end", help="Model the end of the sentence.")] = False,
    restarts: Annotated[int, typer.Option(min=1, help="Best of so many random starts.")] = 1,
    dev: Annotated[
        str | None, typer.Option(help="Choose the restart by this text (by its tags, if it has any).")
    ] = None,
    dev_tags: Annotated[str | None, typer.Option(help="Tags of the --dev text, line by line.")] = None,
    tolerance: Annotated[float, typer.Option(min=0, help="Stop a stage at this relative change.")] = 1e-6,
    decode: Annotated[
        str | None,
        typer.Option(help="viterbi, the best sentence of tags (default); posterior, the best tag of each word; mre."),
    ] = None,
    format: Annotated[str, typer.Option(help="plain, tagged (word/TAG), conllu, or auto.")] = "auto",
    tags: Annotated[str | None, typer.Option(help="Known tags, line by line; _ where a tag is not known.")] = None,
    column: Annotated[str, typer.Option(help="The CoNLL-U column with known tags: upos or xpos.")] = "upos",
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words become `<unk>`.")] = 1,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the text first.")] = False,
    threads: Annotated[int, typer.Option(help="Worker threads; -1: all cores. The result is the same.")] = -1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same tags.")] = 0,
    save: Save = None,
    apply: Annotated[Path | None, typer.Option(help="Tag with this model instead of training.")] = None,
    checkpoint: Checkpoint = None,
    checkpoint_every: Every = None,
    parameters: Annotated[Path | None, typer.Option(help="Write the learned parameters as JSON.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Write every step's objective and parts as TSV.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines of tags.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Tag text without labels: one line of tags for each line of TEXT.

    Example: **softcount tag text.txt --states 45 --criterion em:100,mre:50 > tags.txt**
    """
    from softcount.estimators.hmm import HMM
    from softcount.text.reader import read
    from softcount.text.source import check_stdin

    begin = None if start in STARTS else start
    check_writable(save, checkpoint, parameters, trace, inputs=(text, dictionary, begin, dev, dev_tags, tags))
    check_writable(parameters, trace, inputs=(apply,))  # a model may be saved again where it came from
    check_stdin(text=text, tags=tags, dictionary=dictionary, start=begin, dev_text=dev, dev_tags=dev_tags)
    check_threads(threads)
    chosen: dict[str, Any] = {"n_jobs": threads} | ({} if decode is None else {"decode": decode})
    if apply is not None:
        model = open_model(apply, ("hmm",), "tag --apply", **chosen)
        data = read(text, format=format, tags=tags, column=column, lowercase=lower_cased(model, lowercase))
        unknown = int((model.vocabulary_.encode(data.vocabulary.strings(data.sentences.values)) < 0).sum())
        say_unknown(unknown, data.n_tokens, data.source, "words", "any state may emit them", quiet)
        note_unused(context, TRAINING, "with --apply", quiet)
        strange = sorted(set(data.tagset) - set(model.states_))
        if strange:
            names = ", ".join(strange[:5]) + (" …" if len(strange) > 5 else "")
            say(f"note: the model has no tag {names}; words that have it are tagged as if they had none", quiet)
        _finish(model, data, apply, save, parameters, trace, as_json, quiet)
        return
    labelled = format != "plain"
    model = HMM(
        states, criterion=criterion, start=_start(start, lowercase),
        fixed=tuple(t for t in fix.replace(" ", "").split(",") if t),
        pseudo=_per_table(pseudo, "--pseudo"), prior=_per_table(prior, "--prior"), end=end,
        dictionary=dictionary, restarts=restarts, tolerance=tolerance, min_count=min_count,
        random_state=seed, **chosen,
    )  # fmt: skip
    model._reading = {"lowercase": True} if lowercase else {}
    data = read(text, format=format, tags=tags, column=column, lowercase=lowercase)
    held_out = None
    if dev is not None:
        held_out = read(
            dev, format=format if labelled and not dev_tags else "plain", tags=dev_tags, lowercase=lowercase
        )
    if dev is None:
        note_unused(context, ["dev_tags"], "without --dev", quiet)
    progress = Progress(quiet, restarts)
    try:
        model.fit(data, dev=held_out, on_step=progress, checkpoint=checkpoint, checkpoint_every=checkpoint_every)
    finally:
        progress.close()
    _finish(model, data, None, save, parameters, trace, as_json, quiet)


def _finish(
    model: HMM,
    data: Any,
    applied: Path | None,
    save: Path | None,
    parameters: Path | None,
    trace: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Files first, so that nothing is printed where one of them cannot be written."""
    predicted = model.predict(data)
    if save:
        model.save(save)
    if parameters:
        content = json.dumps(model.to_json(), ensure_ascii=False, indent=1)
        write_whole(parameters, lambda path: path.write_text(content + "\n", encoding="utf-8"))
    if trace:
        write_whole(trace, lambda path: path.write_text(_trace_tsv(model), encoding="utf-8"))
    if applied:
        report_applied(model, applied, data.source, quiet, sentences=len(data), words=data.n_tokens)
    else:
        report_training(model, quiet)
    if as_json:
        print(json.dumps({"tags": predicted, **summary(model)}, ensure_ascii=False))
    else:
        sys.stdout.write("".join(" ".join(map(str, line)) + "\n" for line in predicted))


def summary(model: HMM) -> dict[str, Any]:
    return {
        "objective": or_null(model.objective_),
        "steps": sum(r.steps for r in model.restarts_),
        "stopped": model.history_.stopped,
        "restarts": [
            {**r._asdict(), "objective": or_null(r.objective), "score": or_null(r.score)}
            for r in model.restarts_
            if r.steps
        ],
        "notes": model.history_.notes,
        "signature": model.signature_,
    }


def _start(start: str | None, lowercase: bool) -> Any:
    """random, uniform, a parameter file by its name's end, or else a labelled text."""
    if start is None or start in STARTS or start.endswith(".json"):
        return start
    from softcount.text.reader import read

    labelled = read(start, format="conllu" if ".conllu" in start else "tagged", lowercase=lowercase)
    if not labelled.tagset:
        raise InputError(f"{start}: no tags to count; write word/TAG, or name a P.json file, random or uniform")
    return labelled


def _per_table(text: str, option: str) -> Any:
    try:
        if "=" not in text:
            return _finite(text)
        return {name.strip(): _finite(value) for name, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise InputError(
            f"{option} {text!r}: give a number that is not negative, or table=number,table=number"
        ) from None


def _finite(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError
    return number


def _trace_tsv(model: HMM) -> str:
    rows = model.history_.table()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["\t".join(columns)]
    lines += ["\t".join("" if row.get(c) is None else str(row[c]) for c in columns) for row in rows]
    return "\n".join(lines) + "\n"
