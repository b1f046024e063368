"""Maximum reconstruction estimation on word alignment: the shape of Tables 5 and 6 of Cheng, Liu and Xu (AAAI 2017).

Models 1 and 2 (free alignment table, started from Model 1), EM and MRE, five iterations each, both directions, on
Hansards; the translation rows of a few words under both; and what of MRE's step it is that hurts the free table: from
the same parameters of EM, MRE on one table with the other held fixed, fewer steps, other rules, and the decision rule
that goes with the objective. The HMM over positions, and the default, of which MRE is not defined: its steps as MRE's
growth transform would have them, counts under translations squared.

    python bench/bench_mre_align.py                          # Models 1 and 2 on Hansards
    python bench/bench_mre_align.py hmm agreement --sets Hansards es it nl
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gold_sets import SETS, error_rate, gold_sets
from measured import Measured

ROWS = {
    "Model 1, EM 5": {"model": "ibm1", "criterion": "em:5"},
    "Model 1, EM 10": {"model": "ibm1", "criterion": "em:10"},
    "Model 1, EM 5 + MRE 5, row-scaled": {"model": "ibm1", "criterion": "em:5,mre:5"},
    "Model 1, EM 5 + MRE 5, growth": {"model": "ibm1", "criterion": "em:5,mre(rule=growth):5"},
    "Model 1, EM 5 + MRE 5, adaptive": {"model": "ibm1", "criterion": "em:5,mre(rule=adaptive):5"},
    "Model 1, EM 5 + MRE 20, adaptive": {"model": "ibm1", "criterion": "em:5,mre(rule=adaptive):20"},
    "Model 1, MRE 5 from uniform": {"model": "ibm1", "criterion": "mre:5"},
    "Model 2 free, EM 5": {"model": "ibm1(em:5),ibm2-free(em:5)"},
    "Model 2 free, MRE 5": {"model": "ibm1(em:5,mre:5),ibm2-free(mre:5)"},
    "Model 2 free, EM 5 + MRE 5": {"model": "ibm1(em:5),ibm2-free(em:5,mre:5)"},
    "Model 2 diagonal, EM 5": {"model": "ibm1(em:5),ibm2(em:5)", "null": 0.08, "tension": "learn"},
    "Model 2 diagonal, EM 5 + MRE 5": {"model": "ibm1(em:5),ibm2(em:5,mre:5)", "null": 0.08, "tension": "learn"},
    "Model 1, VB 5, for comparison": {"model": "ibm1", "criterion": "vb:4"},
}
HMM = {  # after five steps of Model 1 and five of the HMM, by EM: criterion, tables held fixed, power when deciding
    "EM 5": ("", (), 1.0),
    "EM 10": ("em:5", (), 1.0),
    "EM 5 + MRE 1": ("mre:1", (), 1.0),
    "EM 5 + MRE 5": ("mre:5", (), 1.0),
    "EM 5 + MRE 5, growth": ("mre(rule=growth):5", (), 1.0),
    "EM 5, posteriors under P(f|a) P(a|f)": ("", (), 2.0),
    "EM 5 + MRE 5, posteriors so": ("mre:5", (), 2.0),
}
WORDS = ("house", "not", "minister", "appointment")


FREE = {"model": "ibm1(em:5),ibm2-free(em:5)"}
ONWARDS = {  # after FREE: criterion, tables held fixed, power of the translations when deciding
    "and no more": ("", (), 1.0),
    "EM 5": ("em:5", (), 1.0),
    "MRE 5": ("mre:5", (), 1.0),
    "MRE 1": ("mre:1", (), 1.0),
    "MRE 2": ("mre:2", (), 1.0),
    "MRE 5, rate 0.3": ("mre(rate=0.3):5", (), 1.0),
    "MRE 5, growth": ("mre(rule=growth):5", (), 1.0),
    "MRE 5, adaptive": ("mre(rule=adaptive):5", (), 1.0),
    "MRE 5, alignment fixed": ("mre:5", ("alignment",), 1.0),
    "MRE 5, translation fixed": ("mre:5", ("translation",), 1.0),
    "no more, decided by P(f|a) P(a|f)": ("", (), 2.0),
    "MRE 5, decided by P(f|a) P(a|f)": ("mre:5", (), 2.0),
}


COLUMNS = {"forward": ".1f", "reverse": ".1f", "intersection": ".1f", "product": ".1f"}
TABLES = {
    "models": Measured("mre-models", {"text": "", "trained": "", **COLUMNS}, keys=2),
    "model2": Measured("mre-model2", {"text": "", "Model 2 free, EM 5, then": "", **COLUMNS}, keys=2),
    "rows": Measured("mre-rows", {"text": "", "word": "", "EM 10": "", "EM 5 + MRE 5": ""}, keys=2),
    "hmm": Measured("mre-hmm", {"text": "", "HMM": "", **COLUMNS, "AER": ""}, keys=2),
    "agreement": Measured(
        "mre-agreement",
        {
            "text": "",
            "trained": "",
            **dict.fromkeys(("as it is", "decided by mre", "last step squared", "both"), ".2f"),
        },
        keys=2,
    ),
}


def four_rates(model: Any, test: Any, gold: Any) -> list[float]:
    """AER of both directions, of their intersection, and of the product."""
    both, found = dict(model.directions_), []
    for names, rule in ((("forward",), None), (("reverse",), None), (both, "intersection"), (both, "product")):
        model.directions_ = {name: both[name] for name in names}
        found.append(error_rate(model.align(test, symmetrize=rule), gold))
    return found


def gone_on(direction: Any, items: Any, criterion: str, fixed: tuple[str, ...], power: float) -> Any:
    """One direction trained further, its translations raised to a power for deciding."""
    from softcount.criteria.spec import parse
    from softcount.engines import Threads
    from softcount.loop.train import fit

    if criterion:
        with Threads(2) as engine:
            found = fit(direction.model, items, parse(criterion), lambda _: direction.parameters, engine, fixed=fixed)
        direction = direction._replace(parameters=found.parameters, log_weights=found.log_weights)
    translation = direction.log_weights.translation
    sharp = translation.with_values(power * translation.values)
    return direction._replace(log_weights=direction.log_weights._replace(translation=sharp))


def hmm(text: str, data: Any, test: Any, gold: Any) -> None:
    from softcount import WordAligner

    def keep(title: str, model: Any) -> None:
        rates = four_rates(model, test, gold)
        TABLES["hmm"].add(text, title, *rates, " / ".join(f"{rate:.1f}" for rate in rates))

    settings = {"lowercase": False, "agreement": False, "null": 0.15}
    model = WordAligner("ibm1(em:5),hmm(em:5)", n_jobs=2, **settings).fit(data)
    start = dict(model.directions_)
    for title, onwards in HMM.items():
        for name, direction in start.items():
            model.directions_[name] = gone_on(direction, data if name == "forward" else data.reverse(), *onwards)
        keep(title, model)
    model.directions_ = start
    keep("EM 5, decided by Viterbi", model.set_params(decode="viterbi"))
    keep("VB 5, for comparison", WordAligner("ibm1(em:5),hmm(vb:4)", n_jobs=2, **settings).fit(data))


@contextmanager
def squared(steps: tuple[int, ...]) -> Iterator[None]:
    """The E-steps of these numbers, of all that a training takes, see translations squared."""
    from softcount.models.agreement import Agreement

    kept, taken = Agreement.weigh, iter(range(1000))

    def weigh(self: Any, log_weights: Any) -> Any:
        found = kept(self, log_weights)
        return found._replace(rates=found.rates**2) if next(taken) in steps else found

    Agreement.weigh = weigh
    try:
        yield
    finally:
        Agreement.weigh = kept


def agreement(text: str, data: Any, test: Any, gold: Any) -> None:
    """Six E-steps, 0 to 5; the last ones are those of fertilities."""
    from softcount import WordAligner

    parts = {"default": {}, "without fertilities": {"fertility": False}, "without stems": {"stems": "none"}}
    for title, settings in parts.items():
        rates = []
        for steps in ((), (5,)):
            with squared(steps):
                model = WordAligner(n_jobs=2, **settings).fit(data)
            rates += [error_rate(model.set_params(decode=decode).align(test), gold) for decode in ("posterior", "mre")]
        TABLES["agreement"].add(text, title, *rates)


def models(text: str, data: Any, test: Any, gold: Any) -> None:
    from softcount import WordAligner

    kept: dict[str, Any] = {}
    for title, settings in ROWS.items():
        model = WordAligner(n_jobs=2, lowercase=False, **settings).fit(data)
        if title in ("Model 1, EM 10", "Model 1, EM 5 + MRE 5, row-scaled"):
            kept[title] = model.lexicon_
        TABLES["models"].add(text, title, *four_rates(model, test, gold))
    for word in WORDS:
        rows = (lexicon.get(word, [])[:4] for lexicon in kept.values())
        TABLES["rows"].add(
            text, word, *(", ".join(f"{f} {p:.3f}".replace("0.", ".") for f, p, _ in row) for row in rows)
        )
    model = WordAligner(n_jobs=2, lowercase=False, **FREE).fit(data)
    start = dict(model.directions_)
    for title, onwards in ONWARDS.items():
        for name, direction in start.items():
            model.directions_[name] = gone_on(direction, data if name == "forward" else data.reverse(), *onwards)
        TABLES["model2"].add(text, title, *four_rates(model, test, gold))


def main() -> None:
    from softcount import bitext

    parts = {"models": models, "hmm": hmm, "agreement": agreement}
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", default=["models"], help="of models, hmm, agreement")
    parser.add_argument("--sets", nargs="+", default=["Hansards"], choices=SETS)
    chosen = parser.parse_args()
    for found in gold_sets(*chosen.sets):
        data = bitext(found.source, found.target)
        for part in chosen.parts:
            parts[part](found.name, data, data.slice(0, len(found.gold)), found.gold)


if __name__ == "__main__":
    main()
