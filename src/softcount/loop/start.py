"""Where training starts, and what it may not change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.families.layout import TableLayout, by_table, chosen, named
from softcount.families.spread import Spread
from softcount.numbers.tables import Tables, values

# Random rows lie between 1 and 1 + SPREAD times their smallest entry. Measured on the WSJ sample, 45 states, EM 100,
# mean many-to-one of two or three seeds: spread 0.1 0.34, 1 0.45, 10 0.51, 1000 0.49; rows drawn from Dirichlet(1)
# 0.44, from Dirichlet(0.3) 0.40. The final log-likelihood ranks them alike.
SPREAD = 10.0


def random_start(layout: Tables, seed: tuple[int, ...]) -> Tables:
    rng = np.random.default_rng(list(seed))
    return by_table(layout, lambda spec: spec.family.random(rng, SPREAD))


def uniform_start(layout: Tables) -> Tables:
    return by_table(layout, lambda spec: spec.family.uniform())


def given_start(layout: Tables, start: object) -> Tables:
    """Tables in order or by name, rows normalized; a table that is not named is uniform.

    Kernels trust shapes, so wrong ones are refused here.
    """
    if isinstance(start, Mapping):
        check_names(start, layout._fields)
        uniform = uniform_start(layout)._asdict()
        start = [start.get(name, uniform[name]) for name in layout._fields]
    given = list(start) if isinstance(start, Iterable) else []
    if len(given) != len(layout):
        raise InputError(f"start has {len(given)} tables; give {', '.join(layout._fields)}, or the name of a start")
    tables = []
    for name, spec, rows in zip(layout._fields, layout, given, strict=True):
        table = np.array(rows, dtype=np.float64, order="F")
        if table.shape != spec.family.size():
            raise InputError(f"start: the table {name!r} has shape {table.shape}; it must be {spec.family.size()}")
        if not (np.isfinite(table) & (table >= 0.0)).all() or not table.any(axis=-1).all():
            raise InputError(f"start: {name!r} has negative or missing values, or a row of zeros; correct it")
        tables.append(spec.family.normalize(table))
    return type(layout)(*tables)


def check_names(start: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse a start by tables of which one does not exist."""
    names = list(known)
    unknown = [name for name in start if name not in names]
    if unknown or not start:
        wrong = f"no table {unknown[0]!r}" if unknown else "an empty mapping"
        raise InputError(f"start: {wrong}; give tables by name: {', '.join(names)}")


def masked(layout: Tables, tables: Tables, allowed: Mapping[str, np.ndarray]) -> Tables:
    """The tables with what is not allowed set to zero, rows normalised again."""
    for name, mask in allowed.items():
        family = layout._asdict()[name].family
        table = family.normalize(np.where(mask, values(tables._asdict()[name]), 0.0), otherwise=family.uniform())
        tables = tables._replace(**{name: table})
    return tables


def constrain(layout: Tables, start: Tables, fixed: Iterable[str] | Mapping[str, np.ndarray | bool]) -> Tables:
    """The layout that holds the start's zeros, and the fixed tables or entries, where they are."""
    fixed = [fixed] if isinstance(fixed, str) else fixed
    wanted = dict(fixed) if isinstance(fixed, Mapping) else dict.fromkeys(fixed, True)
    known = [name for name, _ in named(layout)]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise InputError(f"cannot fix {unknown[0]!r}; the tables are {', '.join(known)}")

    masks = chosen(layout, wanted, False)
    for name, spec, table, mask in named(layout, start, masks):
        if not isinstance(mask, Spread):
            _check_mask(name, mask, np.shape(spec.family.impossible(table)))

    def holding(spec: TableLayout, table: Any, mask: Any) -> TableLayout:
        if isinstance(mask, Spread):  # then so is the table, and every range adds what is impossible in it
            return spec._replace(family=spec.family.hold(table, mask))  # type: ignore[arg-type]
        held = spec.family.impossible(table) | np.asarray(mask)
        return spec._replace(family=spec.family.hold(table, held))

    return by_table(layout, holding, start, masks)


def _check_mask(name: str, mask: Any, shape: tuple[int, ...]) -> None:
    try:
        found = np.asarray(mask)
        fits = found.dtype.kind in "biu" and np.broadcast_shapes(found.shape, shape) == shape
    except ValueError:  # of unequal rows, or of another shape
        fits = False
    if not fits:
        sizes = " x ".join(map(str, shape)) or "1"
        raise InputError(f"fixed {name!r}: invalid; give True for the whole table, or a Boolean array, {sizes}")
