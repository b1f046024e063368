"""Chains of Gibbs sampling on the command line: options that say how the criterion draws, and what it says of them.

`--criterion em:5,gibbs:200 --chains 4 --burn-in 50 --collapsed` is the criterion
`em:5,gibbs(chains=4,burn=50,sampler=collapsed):200`, which is what the signature shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from softcount.cli.options import HOW, option
from softcount.cli.summary import or_null
from softcount.cli.training import Training
from softcount.errors import InputError


@dataclass(kw_only=True)
class Sampled(Training):
    """A command whose models have chains."""

    chains: Annotated[int | None, option(HOW, "Number of chains to average (gibbs only).", min=1)] = None
    burn_in: Annotated[
        int | None, option(HOW, "Number of draws discarded per chain (gibbs only). Default: half of them.", min=0)
    ] = None
    thin: Annotated[
        int | None, option(HOW, "Thinning: keep every N-th draw after --burn-in (gibbs only). Default: 1.", min=1)
    ] = None
    collapsed: Annotated[
        bool, option(HOW, "Use collapsed Gibbs sampling, one hidden value at a time.", "--collapsed")
    ] = False

    def check(self) -> None:
        super().check()
        if self.apply is None:
            self.criterion = self.in_chains()

    def in_chains(self) -> str:
        """The criterion with what the options say of its last stage."""
        from softcount.criteria.sampling import CHAINS, SWEEPS
        from softcount.criteria.spec import parse

        given = {"--chains": self.chains, "--burn-in": self.burn_in, "--thin": self.thin}
        named = [name for name, value in given.items() if value is not None] + ["--collapsed"] * self.collapsed
        if not named:
            return self.criterion
        stages = parse(self.criterion) if self.criterion else []
        if not stages or stages[-1].innermost.name != "gibbs":
            what = f"not {stages[-1].text}" if stages else "which is not the default criterion"
            raise InputError(f"{named[0]} needs Gibbs sampling, {what}; add --criterion gibbs:{SWEEPS}")
        sampler = "collapsed" if self.collapsed else None
        options = {"chains": self.chains or CHAINS, "burn": self.burn_in, "thin": self.thin, "sampler": sampler}
        return ",".join([*(stage.text for stage in stages[:-1]), _with(stages[-1], options)])

    def of_chains(self, model: Any) -> dict[str, Any]:
        """For --json."""
        return {} if getattr(model, "chains_", None) is None else {"chains": about(model.chains_)}


def about(chains: Any) -> dict[str, Any]:
    n, draws = chains.log_joint.shape
    return {"chains": n, "draws": draws, "r_hat": or_null(chains.r_hat), "ess": or_null(chains.ess)}


def _with(stage: Any, options: Mapping[str, Any]) -> str:
    """The stage, Gibbs sampling or that annealed, with these options; None: as it is."""
    given = {name: value for name, value in options.items() if value is not None}
    inside = f"gibbs({_listed({**stage.innermost.options, **given})})"
    if stage.inner is not None:
        inside = f"{stage.name}({','.join(filter(None, (inside, _listed(stage.options))))})"
    return f"{inside}:{stage.steps}"


def _listed(options: Mapping[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in options.items())
