"""Model stages by name: ``ibm1:5,ibm2:5`` is five steps of Model 1, whose translations Model 2 starts from.

    stages = stage {"," stage}       stage = model [ "(" criterion ")" ] [ ":" steps ]       ibm1(em:5,mre:5),ibm2:5

A stage without brackets trains under the common criterion. Steps after the model replace those of its criterion. A CRF
autoencoder trains by autoencode alone, from what a stage before it has found, Model 1 where none is named.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from softcount.criteria.spec import MOST_DIGITS, Stage, parse, split
from softcount.errors import InputError

ALIGNMENTS = {"ibm1": "uniform", "ibm2": "diagonal", "ibm2-free": "free", "hmm": "jumps", "crf": "encoder"}
TOGETHER = ("ibm1", "ibm2", "ibm2-free", "hmm")  # models that both directions can train together
CRF, AUTOENCODE = "crf", "autoencode"
SYMMETRY = "symmetry"  # a constraint (criteria/constrained.py)
BEFORE = "ibm1(em:5)"  # the stage that a CRF autoencoder starts from, and directions that are to link alike
ENCODE = "autoencode:15"  # how it is trained, where nothing else is said


class ModelStage(NamedTuple):
    model: str
    criteria: list[Stage]

    @property
    def symmetric(self) -> bool:
        """Whether both directions are to link alike: they are then trained side by side."""
        return any(stage.options.get("of") == SYMMETRY for stage in self.criteria)

    @property
    def text(self) -> str:
        return f"{self.model}({','.join(stage.text for stage in self.criteria)})"


def parse_models(text: str, criterion: str) -> list[ModelStage]:
    stages = [_stage(part, criterion) for part in split(text)]
    if not stages:
        raise InputError("the model is empty; write for example ibm2 or ibm1:5,ibm2:5")
    return [_stage(BEFORE, criterion), *stages] if stages[0].model == CRF or stages[0].symmetric else stages


def check_encodes(text: str, criterion: str) -> None:
    """A criterion that was asked for, and that no stage would train by, is not passed over."""
    other = next((stage.name for stage in parse(criterion) if stage.name != AUTOENCODE), None)
    if other is not None and all(part.startswith(CRF) for part in split(text)):
        start = f"to initialize it with {other}, write ibm1({criterion}),{text}"
        raise InputError(f"criterion {criterion!r}: crf trains with {AUTOENCODE} only; {start}")


def _stage(text: str, criterion: str) -> ModelStage:
    match = re.fullmatch(r"([a-z0-9-]+)\s*(?:\((.*)\)\s*)?(?::\s*(\d+))?", text)
    if not match:
        raise InputError(f"model {text[:80]!r}: invalid; write name, name:iterations or name(criterion):iterations")
    name, own, steps = match.groups()
    if name not in ALIGNMENTS:
        raise InputError(f"model {name!r}: unknown; use {', '.join(ALIGNMENTS)}")
    criteria = parse(own or _usual(name, criterion))
    other = next((one for one in criteria if one.name != AUTOENCODE), None)
    if name == CRF and other is not None:
        raise InputError(f"model {text!r}: crf trains with {AUTOENCODE} only, not with {other.name}; write crf:15")
    if steps is not None:
        if len(steps) > MOST_DIGITS:
            raise InputError(f"model {text[:40]!r}: too many iterations; use at most {'9' * MOST_DIGITS}")
        criteria = [_with_steps(stage, int(steps)) for stage in criteria]
    return ModelStage(name, criteria)


def _usual(name: str, criterion: str) -> str:
    """The common criterion, where it is one for this model."""
    encodes = all(stage.name == AUTOENCODE for stage in parse(criterion))
    if encodes == (name == CRF):
        return criterion
    return ENCODE if name == CRF else "em:5"


def _with_steps(stage: Stage, steps: int) -> Stage:
    return stage._replace(steps=steps, text=f"{re.sub(r':[0-9]+$', '', stage.text)}:{steps}")
