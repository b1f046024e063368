"""Workers of a Ray cluster: shards lie in their machines' shared memory, weights are sent once, sums go along a tree.

    Σ_shards fn(shard, shared)          along the tree of engines/tree.py: blocks in workers, then blocks of blocks

So the bits depend on the number of shards alone: not on how many workers there are, nor on which of them were lost. A
lost worker's tasks run again elsewhere, and what it held is packed again from its part. One task has one core.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from softcount.engines import ray_worker
from softcount.engines.crossing import Sealed, common, seal, unseal
from softcount.engines.engine import Nested
from softcount.engines.ray_cluster import Cluster, check_installed
from softcount.engines.threads import cpu_count
from softcount.engines.tree import block, tree_sum
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.mapped import give_back_shared
from softcount.numbers.rounds import add_up

RETRIES = 20  # of a task whose worker was lost
BLOCKS = 4  # per worker, at least: who is done sooner takes the next
UNREAD = 4_000_000  # bytes of shared memory that may be ours as well
SHARED = "/plasma"  # in the names of Ray's shared memory
FAN = 8  # sums that are joined at a time; a power of two
WAY_OUT = (
    "start its machines with fewer CPUs (ray start --num-cpus), so that fewer shards are processed "
    "at a time, or use machines with more memory"
)


class Shard(NamedTuple):
    ref: Any
    node: str | None = None  # where it was packed, in a cluster of several machines


@cache
def _task(function: Callable[..., Any], node: str | None, results: int, told: bool) -> Any:
    """This function as a task, of a note and its results, on this machine while it is there.

    `told`: by workers of which each is told when it starts to keep what it finds (`ray_worker.KEEPING`).
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    how: dict[str, Any] = {"runtime_env": {"env_vars": ray_worker.KEEPING}} if told else {}
    remote = ray.remote(num_cpus=1, num_returns=1 + results, max_retries=RETRIES, **how)(function)
    if node is None:
        return remote
    return remote.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True))


class Ray(Nested):
    """``with Ray() as engine: HMM(45, engine=engine).fit(text)``; by default all cores of this machine.

    With an address, or where `ray.init` was called before, the workers are that cluster's.
    """

    name, near = "ray", False

    def __init__(self, n_workers: int = -1, address: str | None = None) -> None:
        check_installed()
        self.n_workers, self.address = cpu_count() if n_workers == -1 else n_workers, address
        if self.n_workers < 1:
            raise ValueError(f"n_workers is {n_workers}; it must be at least 1, or -1 for all cores")
        self.sent = self.received = 0  # bytes, of weights and of sums
        self.kept = 0  # bytes that workers found for one another
        self._cluster: Cluster | None = None
        self._told = False  # whether workers must be told to keep what they find
        self._seen = 0  # bytes of shared memory, written or read, since it was given back

    def _open(self) -> None:
        """The cluster is joined when there is something to place."""

    def _close(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster:
            cluster.leave()

    def __reduce__(self) -> tuple[Any, ...]:
        return Ray, (self.n_workers, self.address)

    # --- the protocol ------------------------------------------------------------------------------------------------

    def place(self, pack: Callable[[Any], Any], parts: Iterable[Any]) -> list[Shard]:
        parts, ray = parts if isinstance(parts, Sequence) else list(parts), self._joined()
        shared = common(parts[0], parts[1]) if len(parts) > 1 else []
        where = self._put(seal(shared)) if shared else None
        asked, nodes, found, notes = ray.put(seal(pack)), self._nodes(len(parts)), [], []
        for part, node in zip(parts, nodes, strict=True):
            note, ref = self._task(ray_worker.pack, node).remote(asked, self._put(seal(part, shared, where)))
            notes.append(note)
            found.append(Shard(ref, node))
        self._heard(notes, 1)
        return found

    def share(self, value: Any) -> Any:
        sealed = seal(value)
        self.sent += sealed.size
        return self._put(sealed)

    def map(self, fn: Callable[[Any, Any], Any], handles: Sequence[Shard], shared: Any) -> Iterator[Any]:
        ray = self._joined()
        asked, waiting = ray.put(seal(fn)), list[tuple[Any, Any]]()
        ahead = 2 * self.n_workers + 2
        for number in range(len(handles) + ahead):
            if number < len(handles):
                shard = handles[number]
                waiting.append(self._task(ray_worker.ask, shard.node).remote(asked, shared, shard.ref))
            if number >= ahead:
                note, ref = waiting.pop(0)
                self._hear(note, f"shard {number - ahead + 1} of {len(handles)}")
                yield self._own(ray.get(ref))

    def sum(self, fn: Callable[[Any, Any], Any], handles: Sequence[Shard], shared: Any) -> Any:
        ray = self._joined()
        asked, size, notes, sums = ray.put(seal(fn)), block(len(handles), BLOCKS * self.n_workers), [], []
        for start in range(0, len(handles), size):
            some = handles[start : start + size]
            note, ref = self._task(ray_worker.add, some[0].node).remote(asked, shared, *(one.ref for one in some))
            notes.append(note)
            sums.append(ref)
        if any(note.loose for note in self._heard(notes, size)):
            return add_up(term for sealed in self._received(sums) for term in unseal(sealed, own=True))
        while len(sums) > FAN:
            groups = (sums[k : k + FAN] for k in range(0, len(sums), FAN))
            sums = [self._task(ray_worker.join).remote(*group)[1] for group in groups]
        return tree_sum(ray_worker.terms(self._received(sums)))

    def keep(
        self, fn: Callable[[Sequence[Any], Any], tuple[Any, ...]], rows: Iterable[Sequence[Shard]], shared: Any,
        n: int = 1,
    ) -> list[list[Shard]]:  # fmt: skip
        asked, notes, columns = self._joined().put(seal(fn)), list[Any](), [list[Shard]() for _ in range(n)]
        for row in rows:
            node = row[0].node
            note, *found = self._task(ray_worker.keep, node, n).remote(asked, n, shared, *(one.ref for one in row))
            notes.append(note)
            for column, ref in zip(columns, found, strict=True):
                column.append(Shard(ref, node))
        self.kept += sum(note.size for note in self._heard(notes, 1))
        return columns

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _joined(self) -> Any:
        import ray

        if self._cluster is None:
            self._cluster = Cluster(self.n_workers, self.address)
            if not self._cluster.ours:
                self.n_workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
                self._check_workers(ray)
        return ray

    def _check_workers(self, ray: Any) -> None:
        """Functions go by their names: workers must have the same softcount."""
        here, there = ray_worker.about(), "none"
        with contextlib.suppress(ray.exceptions.RayError):
            there = ray.get(ray.remote(ray_worker.about).remote())
            self._told = not ray.get(ray.remote(ray_worker.keeps).remote())
        if there != here:
            self._close()
            raise InputError(
                f"the cluster's workers have softcount {there}, but this is softcount {here}; install the "
                "same version on both"
            )

    def _nodes(self, n: int) -> list[str | None]:
        """Where each of n parts goes: neighbours to the same machine, and to each machine by its cores."""
        alive = [node for node in self._joined().nodes() if node["Alive"] and node["Resources"].get("CPU")]
        if len(alive) < 2:
            return [None] * n
        slots = [node["NodeID"] for node in alive for _ in range(int(node["Resources"]["CPU"]))]
        return [slots[k * len(slots) // n] for k in range(n)]

    def _task(self, function: Callable[..., Any], node: str | None = None, results: int = 1) -> Any:
        return _task(function, node, results, self._told)

    def _put(self, sealed: Sealed) -> Any:
        found = self._joined().put(sealed)
        self._unread(sealed)
        return found

    def _own(self, sealed: Sealed) -> Any:
        """The value in our own memory."""
        value = unseal(sealed, own=True)
        self._unread(sealed)
        return value

    def _unread(self, sealed: Sealed) -> None:
        """What is shared would else count as memory of ours as well, all that was ever written or looked at."""
        self._seen += sealed.size
        if self._seen > UNREAD:
            give_back_shared(SHARED)
            self._seen = 0

    def _received(self, sums: list[Any]) -> Iterator[Sealed]:
        while sums:
            sealed = self._joined().get(sums.pop(0))
            self.received += sealed.size
            yield sealed
            self._unread(sealed)  # who asks for the next has copied this one, or added it

    def _heard(self, notes: list[Any], size: int) -> list[ray_worker.Note]:
        """All tasks are done; the first that failed, in the order of the shards, says why.

        The others are left to run: Ray ends a driver that cancels what is just being done.
        """
        n = len(notes)
        where = [f"shard {k + 1} of {n}" if size == 1 else f"shards {k * size + 1}–{(k + 1) * size}" for k in range(n)]
        return [self._hear(*both) for both in stage.counted(zip(notes, where, strict=True), n)]

    def _hear(self, note: Any, where: str) -> ray_worker.Note:
        from ray.exceptions import OutOfMemoryError, RayError, WorkerCrashedError

        try:
            heard: ray_worker.Note = self._joined().get(note)
        except OutOfMemoryError:
            raise InputError(f"a worker ran out of memory at {where}; {WAY_OUT}") from None
        except WorkerCrashedError:
            raise InputError(f"workers were lost at {where}, {RETRIES + 1} times; see Ray's logs") from None
        except RayError as error:
            raise InputError(f"Ray gave up at {where}: {str(error).strip().splitlines()[0]}") from None
        if heard.error is not None:
            raised: Exception = pickle.loads(heard.error)
            if isinstance(raised, MemoryError):
                raise InputError(f"a worker ran out of memory at {where}; {WAY_OUT}") from None
            raise raised
        return heard
