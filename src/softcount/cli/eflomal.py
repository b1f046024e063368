"""softcount eflomal: eflomal-align's flags, where they have a meaning here, so that a script changes one word.

| eflomal | here |
|---|---|
| -i FILE, or -s FILE -t FILE | source ||| target, or two files |
| -f, -r FILE | the links of one direction: what the target's words choose, and the source's |
| -F, -R FILE | of each pair −log P(target|source), or its reverse, per word: lower is better |
| -m 1, 2, 3 | Model 1; with an HMM; with fertilities (default); both directions are trained together |
| --source-prefix, --target-prefix | --stems, on both sides |
| --null-prior | the empty word, which is learned if this is not given |
| --overwrite | without it a file that is there is left alone |
| -l, -1, -2, -3, --n-samplers, suffixes, -M, --debug | of sampling, or not known here: a note says so |
| -p | refused: --prior-model of softcount align reads models, not counts of samples |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.align import _links, _write
from softcount.cli.fast_align import AsOther
from softcount.cli.options import IN, OUT, WHAT, option
from softcount.cli.training import Files
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.aligner import WordAligner
    from softcount.text.bitext import Bitext

SAMPLING = (
    "length",
    "steps1",
    "steps2",
    "steps3",
    "samplers",
    "source_suffix",
    "target_suffix",
    "score_model",
    "debug",
)
MODELS: dict[int, dict[str, Any]] = {
    1: {"model": "ibm1", "agreement": True, "fertility": False},
    2: {"fertility": False},
    3: {},
}
NONE = "No effect: the training does not sample."


@dataclass(kw_only=True)
class _Eflomal(AsOther):
    """Links and costs go to the files that were named; joined links to stdout where none was."""

    links: dict[str, Path | None]
    costs: dict[str, Path | None]

    def writes(self) -> list[Path | None]:
        return [*self.links.values(), *self.costs.values()]

    def files(self, model: WordAligner, data: Bitext, answer: Bitext) -> Files:
        for direction, place in self.links.items():
            yield place, lambda path, rule=direction: _write(path, _links(model, answer, False, rule))  # type: ignore[misc]
        for direction, place in self.costs.items():
            yield place, lambda path, side=direction: _write(path, _costs(model, answer, side))  # type: ignore[misc]

    def prints(self) -> bool:
        return not any(self.links.values())

    def lines(self, model: WordAligner, data: Bitext, answer: Bitext) -> Iterator[str]:
        return super().lines(model, data, answer) if self.prints() else iter(())


def eflomal(
    context: typer.Context,
    file: Annotated[
        str | None, option(IN, "Sentence pairs: source ||| target, TSV, TMX, XLIFF.", "--input", "-i")
    ] = None,
    source: Annotated[str | None, option(IN, "Source text.", "--source", "-s")] = None,
    target: Annotated[str | None, option(IN, "Target text.", "--target", "-t")] = None,
    priors: Annotated[
        str | None, option(IN, "Not supported; use softcount align --prior-model.", "--priors", "-p")
    ] = None,
    forward_links: Annotated[
        Path | None, option(OUT, "Write the forward links (source→target).", "--forward-links", "-f")
    ] = None,
    reverse_links: Annotated[
        Path | None, option(OUT, "Write the reverse links (target→source).", "--reverse-links", "-r")
    ] = None,
    forward_scores: Annotated[
        Path | None,
        option(OUT, "Write the score of each pair: -log P(target|source) per target word.", "--forward-scores", "-F"),
    ] = None,
    reverse_scores: Annotated[
        Path | None,
        option(OUT, "Write the score of each pair: -log P(source|target) per source word.", "--reverse-scores", "-R"),
    ] = None,
    overwrite: Annotated[bool, option(OUT, "Replace existing output files.", "--overwrite")] = False,
    verbose: Annotated[
        bool, option(OUT, "Print all messages, not only the equivalent commands.", "--verbose", "-v")
    ] = False,
    model: Annotated[
        int,
        option(WHAT, "Model. Choices: 1 (IBM 1), 2 (HMM), 3 (HMM with fertilities).", "--model", "-m", min=1, max=3),
    ] = 3,
    source_prefix: Annotated[
        int,
        option(
            WHAT,
            "Back off rare words to their prefixes of N letters; the larger of --source-prefix and "
            "--target-prefix applies.",
            min=0,
        ),
    ] = 0,
    target_prefix: Annotated[
        int,
        option(
            WHAT,
            "Back off rare words to their prefixes of N letters; the larger of --source-prefix and "
            "--target-prefix applies.",
            min=0,
        ),
    ] = 0,
    null_prior: Annotated[float | None, option(WHAT, "Probability of the null word.", min=0, max=1)] = None,
    source_suffix: Annotated[int, option(WHAT, "No effect: rare words back off to prefixes.", min=0)] = 0,
    target_suffix: Annotated[int, option(WHAT, "No effect.", min=0)] = 0,
    length: Annotated[float, option(WHAT, NONE, "--length", "-l", min=0)] = 1.0,
    steps1: Annotated[int | None, option(WHAT, NONE, "--ibm1-iters", "-1", min=0)] = None,
    steps2: Annotated[int | None, option(WHAT, NONE, "--hmm-iters", "-2", min=0)] = None,
    steps3: Annotated[int | None, option(WHAT, NONE, "--fert-iters", "-3", min=0)] = None,
    samplers: Annotated[int, option(WHAT, NONE, "--n-samplers", min=1)] = 3,
    score_model: Annotated[
        int, option(WHAT, "No effect: scores come from the model.", "--score-model", "-M", min=0)
    ] = 0,
    debug: Annotated[bool, option(OUT, "No effect.", "--debug")] = False,
) -> None:
    """Align words with the options of eflomal; print the equivalent `softcount` commands to stderr.

    Example: **softcount eflomal -s text.en -t text.fr -f forward.links -r reverse.links**

    Symmetrized links to stdout: **softcount eflomal -i text.en-fr --source-prefix 4 > links.txt**
    """
    if priors is not None:
        remedy = "save a model with softcount align --save and use it with softcount align --prior-model"
        raise InputError(f"{priors}: eflomal's priors cannot be read; {remedy}")
    texts = _texts(file, source, target)
    links = {"forward": forward_links, "reverse": reverse_links}
    costs = {"forward": forward_scores, "reverse": reverse_scores}
    for path in (*links.values(), *costs.values()):
        if path is not None and path.exists() and not overwrite:
            raise InputError(f"{path}: already exists; add --overwrite, or give another name")
    settings = dict(MODELS[model])
    if source_prefix or target_prefix:
        settings["stems"] = str(max(source_prefix, target_prefix))
    if null_prior is not None:
        settings["null"] = str(null_prior)
    _Eflomal(
        context=context, criterion=None, source=texts[0], target=texts[1], **settings, links=links, costs=costs,
        quiet=not verbose, same=list(_same(texts, settings, links, costs)), unused=SAMPLING,
    ).run()  # fmt: skip


def _texts(file: str | None, source: str | None, target: str | None) -> tuple[str, str | None]:
    if file is not None and source is None and target is None:
        return file, None
    if file is None and source is not None and target is not None:
        return source, target
    raise InputError("the text is missing; give -i FILE, or -s SOURCE and -t TARGET")


def _same(texts: tuple[str, str | None], settings: dict[str, Any], links: Any, costs: Any) -> Iterator[str]:
    """The command that writes each of the files, or what is printed."""
    options = [_option(name, value) for name, value in settings.items()]
    common = " ".join(["softcount align", *filter(None, texts), *options])
    for direction, path in links.items():
        if path is not None:
            yield f"{common} --symmetrize {direction} > {path}"
    if any(costs.values()):
        yield f"{common} --log-probabilities FILE"
    if not any(links.values()):
        yield common


def _option(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"--{'' if value else 'no-'}{name}"
    return f"--{name} {value}"


def _costs(model: WordAligner, data: Bitext, direction: str) -> Iterator[str]:
    """−log P per word, in nats."""
    import numpy as np

    made = data.target if direction == "forward" else data.source
    logs = model.scores(data)[:, int(direction == "reverse")]
    return (f"{cost:.6g}\n" for cost in (-logs / np.maximum(made.sentences.lengths, 1)).tolist())
