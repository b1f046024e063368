"""Criteria by name: ``em:100,mre:50`` is a hundred steps of EM, then fifty of MRE.

    stages   = stage {"," stage}
    stage    = name [ "(" argument {"," argument} ")" ] [ ":" steps ]
    argument = key "=" value | stage without steps            stepwise(vb, batches=50):10

To add a criterion: one file beside this one, one line in BASES or WRAPPERS, and its state, if it has one, in STATES.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, cast

from softcount.criteria.annealed import AnnealedState, annealed
from softcount.criteria.autoencode import RATE, AutoencodeState, autoencode
from softcount.criteria.constrained import ConstrainedState, constrained
from softcount.criteria.criterion import Criterion
from softcount.criteria.direct import direct
from softcount.criteria.em import em
from softcount.criteria.gibbs import GibbsState, gibbs
from softcount.criteria.hard import hard
from softcount.criteria.mre import DEFAULT_RATES, RULES, MREState, mre
from softcount.criteria.sampling import CHAINS, SAMPLERS, SWEEPS, Sampling
from softcount.criteria.stepwise import StepwiseState, stepwise
from softcount.criteria.vb import vb
from softcount.errors import InputError
from softcount.families.categorical import Categorical
from softcount.families.layout import by_table, chosen, named, per_table
from softcount.families.penalty import Pseudo, Sparsity
from softcount.families.spread import SpreadRows
from softcount.numbers.limits import check_size
from softcount.numbers.tables import Tables


class Settings(NamedTuple):
    """What a stage's options fall back to, and what every criterion of a run shares."""

    pseudo: Any = 0.0
    prior: Any = 0.1
    seed: tuple[int, ...] = (0,)
    extra: Mapping[str, Any] = {}  # by table: what is added to every pseudo-count and prior
    sparse: Any = None  # (α, β) of sparse rows, for all categorical tables or by table


STATES = (
    GibbsState,
    AnnealedState,
    MREState,
    StepwiseState,
    ConstrainedState,
    AutoencodeState,
)  # what criteria carry beside tables

FREE = (Categorical, SpreadRows)  # families whose rows may be sparse, in one table or in ranges
# What asks nothing of entries but by functions of their families.
BY_FAMILIES = ("em", "vb", "hard", "annealed", "stepwise", "constrained", "mre")

# Options that zero gives no meaning.
POSITIVE = ("prior", "rate", "start", "stop", "over", "batches", "iterations", "ascents", "chains", "thin")

MOST_DIGITS = 9  # of a number of steps
MOST_LETTERS = 10_000  # of a criterion


class Kind(NamedTuple):
    build: Callable[..., Criterion]
    steps: int  # when the stage names none
    options: dict[str, type]
    around: tuple[str, ...] = ()  # the criteria that it may wrap


def _added(layout: Tables, tables: Tables, settings: Settings) -> Tables:
    """`extra` on top of what the run or a stage names."""
    extra = chosen(layout, settings.extra, None)
    return by_table(layout, lambda _, table, more: table if more is None else table + more, tables, extra)


def _pseudo(layout: Tables, stage: Stage, settings: Settings) -> Tables:
    found = _added(layout, per_table(layout, stage.options.get("pseudo", settings.pseudo)), settings)
    return by_table(layout, lambda _, amount, wish: Pseudo(amount, wish), found, sparsity(layout, settings.sparse))


def sparsity(layout: Tables, sparse: Any) -> Tables:
    """The wish for sparse rows of every table, or None."""
    if not isinstance(sparse, Mapping):
        wish = None if sparse is None else _wish(sparse)
        return by_table(layout, lambda spec: wish if isinstance(spec.family, FREE) else None)
    wishes = chosen(layout, {table: _wish(pair) for table, pair in sparse.items()}, None)
    for name, spec, wish in named(layout, wishes):
        if wish is not None and not isinstance(spec.family, FREE):
            raise InputError(f"sparse: {name!r} has no free probability rows; omit it")
    return wishes


def _wish(pair: Any) -> Sparsity:
    try:
        wish = Sparsity(*(float(number) for number in pair))
    except (TypeError, ValueError):
        raise InputError(f"sparse: {pair!r} is not a pair of alpha and beta; write for example (1, 0.05)") from None
    if not (0 <= wish.alpha <= 1e9 and 1e-9 <= wish.beta <= 1e9):
        raise InputError(
            f"sparse: alpha is {wish.alpha:g} and beta is {wish.beta:g}; both must be positive and below 1e9"
        )
    return wish


def prior_of(layout: Tables, stage: Stage, settings: Settings) -> Tables:
    if settings.sparse is not None:
        instead = f"{stage.name} requires a Dirichlet prior of at least 1; omit sparse, or use em, hard or mre"
        raise InputError(f"criterion {stage.text!r}: the sparsity penalty needs point estimates; {instead}")
    prior = per_table(layout, stage.options.get("prior", settings.prior), 0.1)
    # Numbers are the user's; a prior per entry is a model's own, and may hold zeros where entries are fixed.
    if not all(alpha > 0 for _, _, alpha in named(layout, prior) if isinstance(alpha, int | float)):
        raise InputError(f"criterion {stage.text!r}: the Dirichlet prior must be positive; use for example 0.1")
    return _added(layout, prior, settings)


def _mre(layout: Tables, stage: Stage, settings: Settings) -> Criterion:
    rule = stage.options.get("rule", "row-scaled")
    if rule not in RULES:
        raise InputError(f"criterion {stage.text!r}: unknown step rule {rule!r}; use {', '.join(RULES)}")
    return mre(layout, rule, stage.options.get("rate", DEFAULT_RATES[rule]), sparsity(layout, settings.sparse))


def _over(stage: Stage) -> int:
    """The power reaches `stop` after two thirds of the steps; the rest is for converging, or for draws that count."""
    return int(stage.options.get("over", max(2, stage.steps * 2 // 3)))


BASES: dict[str, Kind] = {
    "em": Kind(
        lambda layout, stage, s: em(layout, _pseudo(layout, stage, s)),
        100,
        {"pseudo": float},
    ),
    "vb": Kind(
        lambda layout, stage, s: vb(layout, prior_of(layout, stage, s)),
        100,
        {"prior": float},
    ),
    "mre": Kind(_mre, 50, {"rule": str, "rate": float}),
    "direct": Kind(
        lambda layout, stage, s: direct(layout, _pseudo(layout, stage, s), stage.options.get("iterations", 10)),
        20,
        {"pseudo": float, "iterations": int},
    ),
    "gibbs": Kind(
        lambda layout, stage, s: gibbs(
            layout,
            prior_of(layout, stage, s),
            s.seed,
            stage.options.get("burn", stage.steps // 2),
            stage.options.get("thin", 1),
        ),
        SWEEPS,
        {"prior": float, "burn": int, "thin": int, "chains": int, "sampler": str},
    ),
    "autoencode": Kind(
        lambda layout, stage, s: autoencode(layout, _pseudo(layout, stage, s), stage.options.get("rate", RATE)),
        40,
        {"pseudo": float, "rate": float},
    ),
}
WRAPPERS: dict[str, Kind] = {
    "hard": Kind(lambda layout, inner, stage, s: hard(inner), 50, {}, ("em", "vb")),
    "annealed": Kind(
        lambda layout, inner, stage, s: annealed(
            inner, stage.options.get("start", 0.1), stage.options.get("stop", 1.0), _over(stage)
        ),
        100,
        {"start": float, "stop": float, "over": int},
        ("em", "vb", "gibbs"),
    ),
    "stepwise": Kind(
        lambda layout, inner, stage, s: stepwise(layout, inner, stage.options.get("decay", 0.7), s.seed),
        20,
        {"decay": float, "batches": int},
        ("em", "vb", "hard"),
    ),
    "constrained": Kind(
        lambda layout, inner, stage, s: constrained(
            inner,
            stage.options.get("strength", 30.0),
            stage.options.get("least", 10),
            stage.options.get("ascents", 5),
            stage.options.get("of"),
        ),
        50,
        {"strength": float, "least": int, "ascents": int, "of": str},
        ("em", "vb", "annealed"),
    ),
}


class Stage(NamedTuple):
    name: str
    steps: int
    options: dict[str, Any]
    inner: Stage | None
    text: str  # as in a signature

    @property
    def n_batches(self) -> int:
        """How many mini-batches the data is cut into for this stage; 0: none."""
        if self.name == "stepwise":
            return int(self.options.get("batches", 50))
        return self.inner.n_batches if self.inner else 0

    @property
    def innermost(self) -> Stage:
        return self if self.inner is None else self.inner.innermost

    @property
    def sampling(self) -> Sampling | None:
        """Where it is several chains, how they are drawn."""
        given = self.innermost.options
        if self.innermost.name != "gibbs" or not {"chains", "sampler"} & given.keys():
            return None
        heat = (self.options.get("start", 0.1), self.options.get("stop", 1.0), _over(self)) if self.inner else ()
        burn, thin = given.get("burn", self.steps // 2), given.get("thin", 1)
        return Sampling(given.get("sampler", "blocked"), given.get("chains", CHAINS), self.steps, burn, thin, *heat)

    def build(self, layout: Tables, settings: Settings) -> Criterion:
        if self.inner is None:
            return BASES[self.name].build(layout, self, settings)
        return WRAPPERS[self.name].build(layout, self.inner.build(layout, settings), self, settings)


def by_families(stage: Stage) -> bool:
    """Whether tables may be in ranges (families/spread.py): the criterion asks families, not entries.

    `gibbs` draws all rows from one stream of random numbers, and `direct` follows a gradient of all entries at once.
    """
    return stage.name in BY_FAMILIES and (stage.inner is None or by_families(stage.inner))


def by_sums(stage: Stage) -> bool:
    """Whether it is EM, be it tempered or in mini-batches: all that it asks of data are sums over what is hidden."""
    return stage.name == "em" or (stage.name in ("annealed", "stepwise") and by_sums(cast(Stage, stage.inner)))


def parse(text: str) -> list[Stage]:
    if len(text) > MOST_LETTERS:
        raise InputError(f"the criterion has {len(text):,} characters; write at most {MOST_LETTERS:,}")
    parts = split(text)
    for before, part in pairwise(parts):
        if re.fullmatch("[0-9]+", part) and re.fullmatch(r"[a-z]+(\([^\n]*\))?", before):
            raise InputError(f"criterion {text!r}: write {before}:{part}, not {before},{part}")
    stages = [_stage(part) for part in parts]
    if not stages:
        raise InputError("the criterion is empty; write for example em:100")
    for stage in stages:
        _check_sampling(stage, stage is stages[-1])
    return stages


def _check_sampling(stage: Stage, last: bool) -> None:
    sampling = stage.sampling
    if sampling is None:
        return
    if sampling.sampler not in SAMPLERS:
        raise InputError(f"criterion {stage.text!r}: unknown sampler {sampling.sampler!r}; use {', '.join(SAMPLERS)}")
    if not last:
        raise InputError(
            f"criterion {stage.text!r}: chains are averaged at the end of training; make this the last stage"
        )
    if sampling.draws < 1:
        raise InputError(
            f"criterion {stage.text!r}: burn={sampling.burn} discards all {stage.steps} sweeps; use "
            "more sweeps or a smaller burn"
        )


def split(text: str) -> list[str]:
    """At commas outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _stage(text: str) -> Stage:
    match = re.fullmatch(r"([a-z]+)\s*(?:\((.*)\)\s*)?(?::\s*([0-9]+))?", text)
    if not match:
        raise _unreadable(text)
    name, arguments, steps = match.groups()
    if steps is not None and len(steps) > MOST_DIGITS:
        raise InputError(f"criterion {text[:40]!r}: too many iterations; use at most {'9' * MOST_DIGITS}")
    kind = BASES.get(name) or WRAPPERS.get(name)
    if kind is None:
        raise _unknown(name)
    inner, options = None, {}
    for argument in split(arguments or ""):
        if "=" in argument and not argument.endswith(")"):
            key, value = (side.strip() for side in argument.split("=", 1))
            options[key] = _option(text, kind, name, key, value)
        elif name in WRAPPERS and inner is None:
            _check_around(text, name, re.match("[a-z]*", argument).group())  # type: ignore[union-attr]
            inner = _stage(argument)
            if re.search(r":\s*[0-9]+$", argument):
                raise InputError(
                    f"criterion {text!r}: write the iterations after the parenthesis, {name}(…):{inner.steps}"
                )
        else:
            raise InputError(f"criterion {text!r}: {argument!r} is not key=value; write options as key=value")
    if name in WRAPPERS and inner is None:
        inner = _stage("em")
    n_steps = int(steps) if steps is not None else kind.steps
    stage = Stage(name, n_steps, options, inner, "")
    if inner is not None and inner.name == "gibbs":  # draws that are too soft do not count
        stage = stage._replace(inner=inner._replace(steps=n_steps, options={"burn": _over(stage), **inner.options}))
    return stage._replace(text=f"{re.sub(r'[ ]*:[ ]*[0-9]+$', '', text)}:{n_steps}")


def _check_around(text: str, name: str, inner: str) -> None:
    """Asked before what is inside is read: so brackets are never read deeper than criteria go around one another."""
    around = WRAPPERS[name].around
    if inner not in around and (inner in BASES or inner in WRAPPERS):
        raise InputError(f"criterion {text[:80]!r}: {name} wraps {', '.join(around)}, not {inner}")


def _unreadable(text: str) -> InputError:
    """What is most likely wrong with a stage that does not have the form of one."""
    name = re.match(r"[^\s(:=]*", text).group()  # type: ignore[union-attr]
    if name not in BASES and name not in WRAPPERS and re.fullmatch(r"\w+", name):
        return _unknown(name)
    steps = re.fullmatch(r"[a-z]+\s*(?:\(.*\)\s*)?:(.*)", text)
    if steps:
        return InputError(
            f"criterion {text!r}: the number of iterations must be a number, not {steps[1].strip()!r}; "
            "write for example em:100"
        )
    return InputError(f"criterion {text!r}: invalid; write name, name:iterations or name(option=value):iterations")


def _unknown(name: str) -> InputError:
    return InputError(f"criterion {name!r}: unknown; use {', '.join([*BASES, *WRAPPERS])}")


def _option(text: str, kind: Kind, name: str, key: str, value: str) -> Any:
    if key not in kind.options:
        known = ", ".join(kind.options) or "none"
        raise InputError(f"criterion {text!r}: {name} has no option {key!r}; it has {known}")
    try:
        result = kind.options[key](value)
    except ValueError:
        raise InputError(f"criterion {text!r}: {key} must be a number, not {value!r}") from None
    if not isinstance(result, str) and not (0 <= result < float("inf")):
        raise InputError(f"criterion {text!r}: {key} must be a finite number of at least 0, not {value!r}")
    if key in POSITIVE and result == 0:
        raise InputError(f"criterion {text!r}: {key} must be greater than 0")
    check_size(f"criterion {text!r}: {key}", result)
    return result
