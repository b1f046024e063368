"""What the loop asks of a model."""

from __future__ import annotations

from typing import Any, Protocol

from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Tables


class Model(Protocol):
    """One file a model. Only the model knows the shape of what is hidden."""

    @property
    def layout(self) -> Tables:
        """Per table its TableLayout."""

    def pack(self, items: Any) -> Any:
        """A shard in the order that the kernels like."""

    def n_uniforms(self, shard: Any) -> int:
        """How many random numbers SAMPLE needs for this shard."""

    def weigh(self, log_weights: Tables) -> Any:
        """Log-weights in the form that the kernels like; once per E-step, then shared by all shards."""

    def expect(
        self, weights: Any, shard: Any, mode: int, uniforms: Array | None = None, labels: bool = False
    ) -> tuple[Expectation, Any]:
        """counts = ∂ log Z / ∂η, log Z, and the labels when asked."""

    def posteriors(self, weights: Any, shard: Any) -> Any:
        """P(hidden | item), in the order of the items."""

    def tied(self, parameters: Tables) -> bool:
        """Whether the hidden values are all alike, so that no criterion can tell them apart."""

    def row_name(self, table: str, row: int) -> str:
        """What a row of a table is called when the trace speaks of it."""
