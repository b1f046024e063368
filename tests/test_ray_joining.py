"""Joining a Ray cluster that does not let us in, or does not answer: one line says what to set, in bounded time."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ray_nodes import BARE, Nodes
from test_ray import folder, nodes  # noqa: F401  fixtures

from softcount import InputError
from softcount.engines import ray_joining
from softcount.engines.ray_cluster import own_environment

ALERT = b"\x15\x03\x03\x00\x02\x02\x28"  # TLS: the handshake has failed
SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"  # how a server without TLS begins, in HTTP/2
OPENSSL = """
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.crt -subj "/CN=our cluster"
openssl req -newkey rsa:2048 -nodes -keyout node.key -out node.csr -subj "/CN=node"
echo "subjectAltName=IP:127.0.0.1,DNS:localhost" > names
openssl x509 -req -in node.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out node.crt
"""
HEAD = f"""
import sys
from ray.cluster_utils import Cluster
cluster = Cluster(True, head_node_args={{"num_cpus": 1, **{BARE!r}}}, connect=False)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@contextmanager
def answering(answer: bytes | None) -> Iterator[str]:
    """The address of a server that says this to everybody, or nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = []

        def serve() -> None:
            while True:
                try:
                    stream, _ = server.accept()
                except OSError:
                    return
                held.append(stream)
                if answer is not None:
                    stream.recv(1)
                    stream.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        for stream in held:
            stream.close()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("RAY_USE_TLS", "RAY_TLS"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(ray_joining.LIMIT, "1")
    monkeypatch.setattr("ray._private.services.resolve_ip_for_localhost", lambda host: host)


def refusal(address: str) -> str:
    with pytest.raises(InputError) as refused:
        ray_joining.check(address)
    return str(refused.value).removeprefix(f"{address}: ")


def test_tls_on_one_side_alone_is_told_at_once(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_joining, "_asked", lambda *_: pytest.fail("it waited"))
    with answering(ALERT) as address:
        assert refusal(address).startswith("the cluster uses TLS; set RAY_USE_TLS=1 here as well, RAY_TLS_CA_CERT,")
    monkeypatch.setenv("RAY_USE_TLS", "1")
    with answering(SETTINGS) as address:
        assert refusal(address).startswith("RAY_USE_TLS is set here, but the cluster does not use TLS")


@pytest.mark.parametrize("tls", ["", "1"])
def test_who_says_nothing_has_a_limited_time(short: None, tls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USE_TLS", tls)
    with answering(None) as address:
        said = refusal(address)
    assert said.startswith("no answer from a Ray cluster within 1 seconds; check the address, that Ray runs there,")
    assert "RAY_USE_TLS" in said and ray_joining.LIMIT in said


@pytest.mark.parametrize("given", ["soon", "0", "-1", "inf", "nan"])
def test_a_limit_that_is_none(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ray_joining.LIMIT, given)
    with pytest.raises(InputError, match=f"^{ray_joining.LIMIT}={given}: invalid; give a number of seconds$"):
        ray_joining.check("10.0.0.5:6379")


def tagging(tmp_path: Path, address: str, settings: dict[str, str]) -> tuple[int, str, str]:
    """What the command says in a terminal."""
    (tmp_path / "text.txt").write_text("a b\nb a\n")
    line = f"tag text.txt --states 2 --start random --criterion em:1 -q --engine ray --address {address}"
    ran = subprocess.run(
        [sys.executable, "-m", "softcount", *line.split()], cwd=tmp_path, env={**os.environ, **settings},
        capture_output=True, text=True, timeout=500,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


def test_a_wrong_token_is_one_line(nodes: Nodes, tmp_path: Path) -> None:  # noqa: F811
    code, out, err = tagging(tmp_path, nodes.address, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64})
    says = "the cluster refused the token; set RAY_AUTH_TOKEN to the cluster's token, and RAY_AUTH_MODE=token"
    assert (code, out, err) == (2, "", f"softcount: {nodes.address}: {says}\n")


@pytest.mark.thorough
def test_a_cluster_with_certificates(tmp_path: Path) -> None:
    """Who has none is told to set them, and who has them is let in."""
    subprocess.run(["sh", "-ec", OPENSSL], cwd=tmp_path, check=True, capture_output=True)
    files = {"CA_CERT": "ca.crt", "SERVER_CERT": "node.crt", "SERVER_KEY": "node.key"}
    tls = {"RAY_USE_TLS": "1"} | {f"RAY_TLS_{name}": str(tmp_path / file) for name, file in files.items()}
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    own |= own_environment() | {"RAY_AUTH_TOKEN": "1" * 64}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([sys.executable, "-c", HEAD], env={**own, **tls}, **pipes) as head:
        address = head.stdout.readline().strip()
        code, out, err = tagging(tmp_path, address, own)
        says = f"softcount: {address}: the cluster uses TLS; set RAY_USE_TLS=1"
        assert (code, out, err[: len(says)]) == (2, "", says)
        code, out, err = tagging(tmp_path, address, {**own, **tls})
        assert code == 0 and len(out.splitlines()) == 2, err
        head.communicate()
