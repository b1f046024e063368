"""softcount tag --model crf-autoencoder: the same command with another model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softcount.cli.options import number
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.cli.tag import Tag

HMM, CRF = "hmm", "crf-autoencoder"
MODELS = (HMM, CRF)
OF_HMM = ("choose", "dictionary", "end", "fix", "prior", "dev", "dev_tags", "tags", "parameters", "sparse")
OF_CRF = ("reconstruct",)


def check_model(name: str) -> None:
    if name not in MODELS:
        raise InputError(f"--model {name!r}: unknown; use {', '.join(MODELS)}")


def crf_autoencoder(tag: Tag) -> Any:
    """The estimator that these options ask for."""
    from softcount.cli.console import per_table
    from softcount.estimators.crf_autoencoder import CRFAutoencoder
    from softcount.text.source import whole

    tag.note_unused(*OF_HMM, where=f"with --model {CRF}")
    states = number(tag.states)
    if not isinstance(states, int):
        raise InputError(f"the number of states is missing; give --states N (--model {CRF} has no auto)")
    chosen: dict[str, Any] = {} if tag.criterion is None else {"criterion": tag.criterion}
    chosen |= {} if tag.start is None else {"start": tag.start}
    chosen |= {} if tag.features is None else {"features": tag.features}
    classes = whole(tag.reconstruct)
    made = tag.reconstruct if classes is None else classes
    return CRFAutoencoder(
        states, reconstruct=made, variance=tag.variance, pseudo=per_table(tag.pseudo, "--pseudo"),
        restarts=tag.restarts, tolerance=tag.tolerance, min_count=tag.min_count, lowercase=tag.lowercase,
        random_state=tag.seed, **chosen, **tag.chosen(),
    )  # fmt: skip
