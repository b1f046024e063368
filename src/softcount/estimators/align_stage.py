"""Model stages by name: ``ibm1:5,ibm2:5`` is five steps of Model 1, whose translations Model 2 starts from.

    stages = stage {"," stage}       stage = model [ "(" criterion ")" ] [ ":" steps ]       ibm1(em:5,mre:5),ibm2:5

A stage without brackets trains under the common criterion. Steps after the model replace those of its criterion.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from softcount.criteria.spec import Stage, parse, split
from softcount.errors import InputError

ALIGNMENTS = {"ibm1": "uniform", "ibm2": "diagonal", "ibm2-free": "free", "hmm": "jumps"}
TOGETHER = ("ibm1", "hmm")  # models that both directions can train together


class ModelStage(NamedTuple):
    model: str
    criteria: list[Stage]

    @property
    def text(self) -> str:
        return f"{self.model}({','.join(stage.text for stage in self.criteria)})"


def parse_models(text: str, criterion: str) -> list[ModelStage]:
    stages = [_stage(part, criterion) for part in split(text)]
    if not stages:
        raise InputError("an empty model; write for example ibm2 or ibm1:5,ibm2:5")
    return stages


def _stage(text: str, criterion: str) -> ModelStage:
    match = re.fullmatch(r"([a-z0-9-]+)\s*(?:\((.*)\))?\s*(?::\s*(\d+))?", text)
    if not match:
        raise InputError(f"model {text!r} is not of the form name, name:steps or name(criterion):steps")
    name, own, steps = match.groups()
    if name not in ALIGNMENTS:
        raise InputError(f"no model {name!r}; use {', '.join(ALIGNMENTS)}")
    criteria = parse(own or criterion)
    if steps is not None:
        criteria = [_with_steps(stage, int(steps)) for stage in criteria]
    return ModelStage(name, criteria)


def _with_steps(stage: Stage, steps: int) -> Stage:
    return stage._replace(steps=steps, text=f"{re.sub(r':[0-9]+$', '', stage.text)}:{steps}")
