"""What the loop asks of a model."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Protocol, runtime_checkable

from softcount.numbers.ragged import Array
from softcount.numbers.rounds import Round
from softcount.numbers.tables import Expectation, Tables


class Model(Protocol):
    """One file a model. Only the model knows the shape of what is hidden."""

    @property
    def layout(self) -> Tables:
        """Per table its TableLayout."""

    @property
    def exact(self) -> bool:
        """Whether counts are ∂ log Z / ∂η. Where they are not, nothing promises that an objective never falls."""

    @property
    def shard_cost(self) -> int:
        """What a shard should cost: small enough to share out, large enough that private counts are cheap to add."""

    def costs(self, items: Any) -> Array:
        """What each item costs to work on; shards are balanced by it."""

    def pack(self, items: Any) -> Any:
        """Items as a shard, in the order that the kernels like."""

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


@runtime_checkable
class InRounds(Protocol):
    """A model whose counts are too big to copy per shard: its E-step sums over parts of one shard, several times.

    Where an engine's workers have memory of their own, each has shards instead, as of any other model, and sends the
    counts that are not zero. Of an item it draws as many random numbers as the item has size.
    """

    def parts(self, shard: Any) -> Sequence[Any]: ...

    def rounds(self, weights: Any, mode: int, uniforms: Array | None) -> Generator[Round, Any, Expectation]:
        """Yields each round, is sent its sum, and returns what `expect` of the shard would."""


@runtime_checkable
class Constrainable(Protocol):
    """A model that counts something of its nodes that may be wished to be little (`criteria/constrained.py`)."""

    @property
    def bound(self) -> float:
        """What it should be at most."""

    @property
    def constraint(self) -> str:
        """Its name."""

    def nodes(self, shard: Any) -> tuple[tuple[int, int], Array | None]:
        """The shape of the multipliers of this shard, and the names of their rows: rows of one name share a budget,
        −1 is nobody's. None: every one has its own."""

    def wished(self, weights: Any, shard: Any, multipliers: Array) -> tuple[Expectation, Array]:
        """`expect` with potentials −⟨λ, f⟩ on what is counted, and E[f], in the multipliers' shape."""
