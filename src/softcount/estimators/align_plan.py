"""What a word aligner's settings come to: which stages, trained together or apart, and how links are made of them.

A setting changes what it names; the rest stays the preset's. Where something cannot stay, `Plan.lost` says what.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from softcount.criteria.spec import parse, split
from softcount.errors import InputError
from softcount.estimators.agreed import How
from softcount.estimators.align_stage import (
    AUTOENCODE,
    CRF,
    ENCODE,
    SYMMETRY,
    TOGETHER,
    ModelStage,
    check_encodes,
    parse_models,
)
from softcount.links.joining import RULES, THRESHOLDS
from softcount.text.stems import Stems, parse_stems

PRESETS = {"default": ("ibm1:3,hmm:3", "em"), "fast": ("ibm1:2,hmm:1", "em"), "best": ("ibm1:3,hmm:3", "em")}
FREE = "ibm2-free"
SECOND = ((4,), "ibm1:1,hmm:3")  # the other model of "best": one that errs elsewhere
FEATURED = "ibm1:5,hmm:5"  # with rows of features, which learn slowly: after three steps AER on Hansards is 27, not 22
NAMED = "em:5"  # of a named HMM, or of named models that are trained together, whose stages do not say how long
NAMED_APART = "vb:4"  # of other named models
STEPWISE = ("em", "vb", "hard")  # criteria whose steps do as much as those of the presets
NULL = 0.2  # of directions that are trained apart
STEMS = (5, 3)  # letters, of the presets and of agreement
BACKS_OFF = ("em", "mre")  # criteria, under whatever goes around them, whose rows may back off to stems


class Plan(NamedTuple):
    stages: list[ModelStage]
    together: bool
    how: How  # where together
    null: float | str  # where apart
    rule: str  # of two directions
    threshold: float
    stems: Stems  # what rows lean on, together or apart
    own_null: bool = False  # whether Model 1's null word has the given probability, in place of 1 / (l + 1)
    lost: str = ""  # what of the preset could not be kept, and why

    @property
    def symmetric(self) -> bool:
        """Whether both directions are trained side by side in the last stage."""
        return self.stages[-1].symmetric

    @property
    def alone(self) -> Plan:
        """The stages in which each direction is trained alone."""
        return self._replace(stages=self.stages[:-1]) if self.symmetric else self

    @property
    def encodes(self) -> bool:
        """Whether a stage is a CRF autoencoder."""
        return any(stage.model == CRF for stage in self.stages)


def plan(settings: Any) -> Plan:
    """`settings` are the aligner's."""
    if settings.preset not in PRESETS:
        raise InputError(f"preset={settings.preset!r}: unknown; use {', '.join(PRESETS)}")
    model, criterion = _named(settings)
    stages = parse_models(model, criterion)
    _check_symmetry(settings, stages)
    together = _together(settings, stages)
    rule = settings.symmetrize or ("mean" if together else "product")
    if rule not in RULES:
        raise InputError(f"symmetrize={rule!r}: unknown; use {', '.join(RULES)}")
    threshold = THRESHOLDS.get(rule, 0.5) if settings.threshold is None else settings.threshold
    null = NULL if settings.null is None else settings.null
    learned = "learn" if settings.null is None else settings.null
    fertility = bool(settings.fertility) and settings.preset != "fast"
    stems = stems_of(settings, stages, together)
    how = How(stems.lengths, bool(settings.spelling), fertility, learned)
    how = how._replace(strength=strength_of(settings.stem_strength), tension=settings.tension)
    if settings.preset == "best" and together:
        how = how._replace(second=(SECOND[0] if stems else (), SECOND[1]))
    how = how._replace(recount=_recounts(settings, together))
    own = settings.null is not None and not together and _has_no_null(stages, settings.null)
    return Plan(stages, together, how, null, rule, threshold, stems, own, _lost(settings, together, stems))


def _has_no_null(stages: Sequence[ModelStage], null: float | str) -> bool:
    """Whether no stage has the null word's probability as a parameter; then Model 1 gets the given one."""
    names = {stage.model for stage in stages}
    if names <= {FREE} and null != "learn":
        raise InputError(f"null: {FREE} learns the null word's probability by position; use ibm2 or hmm, or omit null")
    return names <= {"ibm1", FREE}


def _recounts(settings: Any, together: bool) -> bool:
    if settings.recount and not together:
        raise InputError("recount (--recount) requires joint training; omit it, or use agreement (--agreement)")
    return together and (settings.preset == "best" if settings.recount is None else bool(settings.recount))


def stems_of(settings: Any, stages: Sequence[ModelStage], together: bool) -> Stems:
    """Default: prefixes, with agreement and for the presets' stages, where rows may lean; characters have none."""
    if settings.characters:
        return Stems()
    if settings.stems is None:
        apart = settings.model is None and may_lean(settings, stages)
        return Stems(lengths=STEMS) if together or apart else Stems()
    return parse_stems(settings.stems)


def may_lean(settings: Any, stages: Sequence[ModelStage]) -> bool:
    """Whether directions that are trained apart so can have rows that back off to stems."""
    criteria = [one.innermost.name for stage in stages for one in stage.criteria]
    return settings.features is None and settings.sparse is None and set(criteria) <= set(BACKS_OFF)


def _lost(settings: Any, together: bool, stems: Stems) -> str:
    """One line on what the presets have and these settings do not allow."""
    if together or settings.model is not None:
        return ""
    kept_out = {
        "no fertilities": settings.fertility and settings.preset != "fast",
        "no spelling prior": settings.spelling,
        "no back-off": settings.stems is None and not stems and not settings.characters,
        "no second model": settings.preset == "best",
        "five iterations per stage": settings.features is not None and settings.criterion is None,
    }
    without = [what for what, holds in kept_out.items() if holds]
    if not without:
        return ""
    how = "one direction is trained alone" if settings.direction != "both" else "directions are trained separately"
    return f"{_reason(settings)}: {how}, with {_join_words(without)}"


def _join_words(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _reason(settings: Any) -> str:
    """Why the default's stages are not trained together, in the user's terms."""
    if settings.direction != "both":
        return f"direction {settings.direction}"
    if settings.features is not None or settings.sparse is not None:
        return "features" if settings.features is not None else "sparse"
    return f"criterion {settings.criterion}" if settings.agreement is not False else "no agreement"


def _named(settings: Any) -> tuple[str, str]:
    model, criterion = settings.model, settings.criterion
    if model is not None and CRF in model:
        check_encodes(model, criterion or ENCODE)
        return model, criterion or NAMED
    if model is None:
        stages, usual = PRESETS[settings.preset]
        stages = stages if settings.features is None else FEATURED
        return (stages, usual) if criterion is None else (_under(stages, criterion), criterion)
    if criterion is None:
        rows = settings.features is not None or settings.sparse is not None
        return model, NAMED if "hmm" in model or settings.agreement or rows else NAMED_APART
    return model, criterion


def _under(stages: str, criterion: str) -> str:
    """A preset's stages, which keep their numbers of steps unless the criterion says how many, or needs others."""
    names = [stage.innermost.name for stage in parse(criterion)]
    if set(names) == {AUTOENCODE}:
        raise InputError(f"criterion {criterion!r}: {AUTOENCODE} trains crf only; use model crf")
    steps = any(re.search(r":\s*[0-9]+$", part) for part in split(criterion))
    return re.sub(":[0-9]+", "", stages) if steps or not set(names) <= set(STEPWISE) else stages


def _together(settings: Any, stages: Sequence[ModelStage]) -> bool:
    names = {stage.model for stage in stages}
    obstacle = None
    if settings.features is not None or settings.sparse is not None:
        obstacle = "features and sparsity need directions that are trained separately, without back-off"
    elif settings.direction != "both":
        obstacle = f"direction={settings.direction}: joint training needs both directions; use direction both"
    elif not names <= set(TOGETHER):
        obstacle = (
            f"model {settings.model}: joint training is available for {', '.join(TOGETHER[:-1])} and {TOGETHER[-1]}"
        )
    elif any(criterion.name != "em" for stage in stages for criterion in stage.criteria):
        obstacle = f"criterion {settings.criterion}: joint training uses em"
    if settings.agreement and obstacle:
        raise InputError(f"{obstacle}; omit one of them")
    wanted = settings.agreement if settings.agreement is not None else "hmm" in names
    return bool(wanted) and obstacle is None


def _check_symmetry(settings: Any, stages: Sequence[ModelStage]) -> None:
    wished = [stage for stage in stages if stage.symmetric]
    if not wished:
        return
    if settings.direction != "both":
        raise InputError(f"direction={settings.direction}: {SYMMETRY} needs both directions; omit one of them")
    if wished != [stages[-1]] or wished[0].model != "hmm":
        raise InputError(
            f"constrained(of={SYMMETRY}) needs hmm in the last stage; write for example ibm1:5,hmm(constrained(…)):5"
        )
    if settings.features is not None:
        raise InputError(f"features: {SYMMETRY} is not available with features; omit one of them")


def strength_of(given: Any) -> float | str | None:
    if given is None or given == "evidence":
        return given  # type: ignore[no-any-return]
    try:
        strength = float(given)
    except (TypeError, ValueError):
        strength = 0.0
    if not 0.0 < strength < float("inf"):
        raise InputError(f"stem strength {given!r}: must be a positive number, or evidence")
    return strength
