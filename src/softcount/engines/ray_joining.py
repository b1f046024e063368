"""Whether the Ray cluster at an address lets us in, asked before it is joined.

    10.0.0.5:6379: the cluster refused the token; set RAY_AUTH_TOKEN to the cluster's, and RAY_AUTH_MODE=token

Ray itself tries again and again, some of it for ever, and says so in many lines. So a process of its own asks, which is
ended when it has had its time; a slow cluster may be given more. That the one side speaks TLS and the other does not
never mends by waiting, so that is looked at first.
"""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import time
from typing import Any, cast

from softcount.errors import InputError

LIMIT, SECONDS = "SOFTCOUNT_JOIN_SECONDS", 120.0
TLS = "RAY_USE_TLS"
HANDSHAKE = 5.0  # seconds
CERTIFICATES = "RAY_TLS_CA_CERT, RAY_TLS_SERVER_CERT and RAY_TLS_SERVER_KEY"
WELCOME, REFUSED, GONE = "welcome", "refused", "gone"
ASK = """
import sys
sys.path[:] = sys.argv[2:]
from softcount.engines.ray_joining import ask
print(ask(sys.argv[1]))
"""


def check(address: str) -> None:
    """Raises an InputError that says why the cluster cannot be joined; what Ray alone can tell, it is left to tell."""
    from ray._private.services import canonicalize_bootstrap_address

    seconds = limit()
    try:
        where = None if "://" in address else canonicalize_bootstrap_address(address)
    except Exception:  # it is no address, or none was found: Ray has words for that
        return
    if where is None:
        return
    _check_tls(address, where, min(HANDSHAKE, seconds))
    said = _asked(where, seconds)
    if said == REFUSED:
        raise InputError(
            f"{address}: the cluster refused the token; set RAY_AUTH_TOKEN to the cluster's token, "
            "and RAY_AUTH_MODE=token"
        )
    if said == GONE:
        raise InputError(
            f"{address}: no answer from a Ray cluster within {seconds:g} seconds; check the address, "
            f"that Ray runs there, the firewall, and that {TLS} and the certificates are the same on "
            f"both sides ({LIMIT} sets the time limit)"
        )


def limit() -> float:
    """Seconds that a cluster has to answer."""
    given = os.environ.get(LIMIT, "")
    try:
        seconds = float(given or SECONDS)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < float("inf"):
        raise InputError(f"{LIMIT}={given}: invalid; give a number of seconds")
    return seconds


def ask(where: str) -> str:
    """In a process of its own: whether there is a cluster that lets us in. It asks until it has an answer."""
    from ray import _raylet
    from ray.exceptions import AuthenticationError

    while True:
        try:
            cast(Any, _raylet).GcsClient(address=where).internal_kv_keys(b"")
            return WELCOME
        except AuthenticationError:
            return REFUSED
        except Exception:
            time.sleep(0.5)


def _asked(where: str, seconds: float) -> str:
    command, nothing = [sys.executable, "-c", ASK, where, *sys.path], subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing, text=True) as process:
        try:
            return process.communicate(timeout=seconds)[0].strip()
        except subprocess.TimeoutExpired:
            return GONE
        finally:
            process.kill()


def _check_tls(address: str, where: str, seconds: float) -> None:
    here, there = os.environ.get(TLS, "0").lower() in ("1", "true"), _speaks_tls(where, seconds)
    if there and not here:
        raise InputError(f"{address}: the cluster uses TLS; set {TLS}=1 here as well, {CERTIFICATES}")
    if here and there is False:
        raise InputError(
            f"{address}: {TLS} is set here, but the cluster does not use TLS; unset it, or enable TLS on the cluster"
        )


def _speaks_tls(where: str, seconds: float) -> bool | None:
    """None: nobody answers, or not in a way that says so. Whose certificate it is, is Ray's to check."""
    host, _, port = where.rpartition(":")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection((host.strip("[]"), int(port)), seconds) as stream, context.wrap_socket(stream):
            return True
    except ssl.SSLError as error:
        if "ALERT" in (error.reason or ""):  # an answer in TLS: it wants a certificate of ours
            return True
        return False if error.reason == "WRONG_VERSION_NUMBER" else None
    except (OSError, ValueError):
        return None
