"""The cluster that Ray's engine works on: the one at an address, the one this process is joined to, or one of our own.

Our own listens on the loopback interface alone, refuses whoever has not its token, has no dashboard, reports to nobody,
and ends with us: its processes are our children, and its files are in a temporary folder.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from string import ascii_lowercase
from typing import Any, cast

from softcount.engines.ray_joining import check
from softcount.engines.ray_worker import KEEPING
from softcount.errors import InputError

MISSING = "engine ray needs the package ray; install softcount[ray], or use the engine threads"
TOKENS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # 0: this machine's address is 127.0.0.1, as it is there by default
MANNERS = {
    "RAY_worker_niceness": "0",  # as threads are; by default Ray's workers give way to everything else
    "RAY_task_oom_retries": "3",  # then somebody should hear of it; by default Ray never gives up
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # nothing is said of accelerators that we do not use
    **KEEPING,
}
# How a result was made is remembered where it can be lost with its machine; we would be lost with this one.
# Nor does a GCS come back that is lost.
ALONE = {"RAY_max_lineage_bytes": "100000", "RAY_gcs_rpc_server_reconnect_timeout_s": "15"}
TRY = "set TMPDIR to a folder with a short name and enough space"
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}


def check_installed() -> None:
    from importlib.util import find_spec

    if "ray" not in sys.modules and find_spec("ray") is None:
        raise InputError(MISSING)


@cache
def token() -> str:
    """Of all clusters of this process; Ray remembers the first that it sees."""
    return secrets.token_hex(32)


class Cluster:
    """Joined until `leave`; what we started is stopped then, and nothing else."""

    def __init__(self, n_workers: int, address: str | None) -> None:
        check_installed()
        self.ours, self.joined, self.folder = False, False, ""
        with _signals_as_they_were():
            self._enter(n_workers, address)

    def _enter(self, n_workers: int, address: str | None) -> None:
        if "ray" in sys.modules and sys.modules["ray"].is_initialized():
            return
        check_token()
        if address is None:
            self._start(n_workers)
        else:
            self._join(address)

    def _start(self, n_workers: int) -> None:
        self.folder = _own_folder()
        self.ours = True
        try:
            with environment({**own_environment(), **ALONE}):
                import ray

                ray.init("local", num_cpus=n_workers, _temp_dir=self.folder, **QUIET)
        except (OSError, RuntimeError, ValueError) as error:
            self.leave()
            raise InputError(
                f"{self.folder}: a Ray cluster cannot be started there ({_first_line(error)}); {TRY}"
            ) from None
        except BaseException:
            self.leave()
            raise
        _be_silent(ray)
        found = ray.util.get_node_ip_address()
        if found not in ("127.0.0.1", "::1"):
            self.leave()
            raise InputError(
                f"Ray would listen at {found}, which other machines can reach; start a cluster of your "
                "own, and give its --address"
            )

    def _join(self, address: str) -> None:
        import ray
        from ray.exceptions import AuthenticationError

        self.joined = True
        try:
            with environment(MANNERS if _is_here(address) else {**MANNERS, LOOPBACK: "1"}):
                check(address)
                ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except InputError:
            raise
        except AuthenticationError:
            ray.shutdown()
            raise InputError(f"{address}: the cluster needs a token; set RAY_AUTH_TOKEN") from None
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            ray.shutdown()
            why = _first_line(error)
            raise InputError(f"{address}: cannot join a Ray cluster there ({why}); check the address") from None
        _be_silent(ray)

    def leave(self) -> None:
        import ray

        if self.ours or self.joined:
            ray.shutdown()
            _be_silent(ray, False)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def _own_folder() -> str:
    """A new one, which nobody else may enter. By its name `__main__` finds it; sockets allow no long one."""
    name = f"{tempfile.gettempdir()}{os.sep}softcount-ray-{os.getpid()}"
    for folder in (name, *(name + letter for letter in ascii_lowercase)):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
            return folder
    raise InputError(f"{name}: already exists, and so do {name}a to {name}z; remove them")


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")


def _be_silent(ray: Any, silent: bool = True) -> None:
    """What Ray says of workers that were lost, on stdout: their tasks run again, or an InputError tells of it."""
    ray._private.worker._worker_logs_enabled = not silent


def check_token() -> None:
    """A line break would end the header in which the token is sent, and with it the process."""
    where, given = TOKENS[0], os.environ.get(TOKENS[0], "")
    if not given:
        where = os.environ.get(TOKENS[1], "")
        given = _of_file(where) if where else ""
    if not all("!" <= letter <= "~" for letter in given):
        raise InputError(f"{where}: the token contains a space, a line break or an invalid character; set it again")


def _of_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}); {TOKENS[1]} names this file for the token"
        ) from None


def _is_here(address: str) -> bool:
    """On the loopback interface, which Ray would otherwise take for this machine's address elsewhere."""
    return address.rpartition(":")[0] in ("127.0.0.1", "localhost", "[::1]")


def own_environment() -> dict[str, str]:
    """Of a cluster that nobody else can reach or enter."""
    own = {"RAY_AUTH_MODE": "token", LOOPBACK: "0", "RAY_USAGE_STATS_ENABLED": "0"}
    if not any(os.environ.get(name) for name in TOKENS):
        own["RAY_AUTH_TOKEN"] = token()
    return {**own, **MANNERS}


@contextmanager
def environment(settings: dict[str, str]) -> Iterator[None]:
    """Within, Ray and the processes that it starts go by these settings, even if it was imported before."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    from ray import _raylet
    from ray._private import ray_constants

    if LOOPBACK in settings:
        ray_constants.ENABLE_RAY_CLUSTER = settings[LOOPBACK] != "0"
    cast(Any, _raylet).Config.initialize("")
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _signals_as_they_were() -> Iterator[None]:
    """Ray takes SIGTERM for itself."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
