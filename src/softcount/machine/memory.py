"""What fits into this machine: refused before it is asked for, because systems promise memory that they do not have."""

from __future__ import annotations

import os

from softcount.errors import InputError

MOST_NAMED = 1e15  # bytes; a larger need is not told in figures


def installed() -> float:
    """Bytes of memory; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def available() -> float:
    """Bytes that this process may still ask for: what is free, and what limits leave (ulimit -v and -d, cgroups)."""
    free = _kilobytes("/proc/meminfo", "MemAvailable") or installed()
    return max(0.0, min(free, left_of_limits(), _left_of_group()))


def left_of_limits() -> float:
    """Bytes that the limits of this process (ulimit -v and -d) leave; infinite where there are none."""
    return min(_left("RLIMIT_AS", "VmSize"), _left("RLIMIT_DATA", "VmData"))


def _left(limit: str, used: str) -> float:
    try:
        import resource
    except ImportError:  # not everywhere
        return float("inf")
    most = resource.getrlimit(getattr(resource, limit))[0]
    return float("inf") if most == resource.RLIM_INFINITY else most - (_kilobytes("/proc/self/status", used) or 0.0)


def _left_of_group() -> float:
    """Of the memory of this process's cgroup; what it has only read can be given back."""
    folder = "/sys/fs/cgroup"
    try:
        with open("/proc/self/cgroup", encoding="ascii") as file:
            folder += file.read().strip().rpartition("::")[2].rstrip("/")
        with open(f"{folder}/memory.max", encoding="ascii") as file:
            most = file.read().strip()
        with open(f"{folder}/memory.stat", encoding="ascii") as file:
            held = next(float(line.split()[1]) for line in file if line.startswith("anon "))
        return float("inf") if most == "max" else float(most) - held
    except (OSError, ValueError, StopIteration):
        return float("inf")


def _kilobytes(path: str, name: str) -> float | None:
    """A line such as ``VmSize:   123 kB`` of a file of /proc, in bytes."""
    try:
        with open(path, encoding="ascii") as file:
            return next((1024.0 * int(line.split()[1]) for line in file if line.startswith(f"{name}:")), None)
    except (OSError, ValueError):
        return None


def check_room(n_bytes: float, what: str, remedy: str) -> None:
    room = installed()
    if n_bytes > room:
        needed = f"{n_bytes / 1e9:,.0f}" if n_bytes < MOST_NAMED else f"more than {MOST_NAMED / 1e9:,.0f}"
        raise InputError(f"{what} need {needed} GB, but this machine has {room / 1e9:,.0f} GB; {remedy}")
