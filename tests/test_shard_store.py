"""A folder of shards in an object store: a server of moto's plays S3 on loopback, where SOFTCOUNT_MOTO names one.

    SOFTCOUNT_MOTO=/path/to/moto_server pytest tests/test_shard_store.py

moto is large and no part of the development extras: `pip install 'moto[server]>=5.2.5'`. One that happens to be on a
machine is not asked: pyarrow's uploads in parts end in an error under 5.2.1.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import PAIRS
from command import run

SERVER = os.environ.get("SOFTCOUNT_MOTO")
KEYS = {
    "AWS_ACCESS_KEY_ID": "known",
    "AWS_SECRET_ACCESS_KEY": "hidden",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}

pytestmark = pytest.mark.skipif(SERVER is None, reason="SOFTCOUNT_MOTO names no server that plays S3")


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    """The address of an empty bucket."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert SERVER is not None
    server = subprocess.Popen([SERVER, "-H", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        _make_bucket(f"http://127.0.0.1:{port}/bucket")
        yield f"s3://bucket/{{}}?endpoint_override=127.0.0.1:{port}&scheme=http"
    finally:
        server.kill()
        server.wait()


def _make_bucket(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(urllib.request.Request(url, method="PUT"))
            return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("moto does not answer")


def test_shards_in_a_store_train_as_those_on_a_disk(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    Path("s").write_text("".join(" ".join(line) + "\n" for line in PAIRS.source))
    Path("t").write_text("".join(" ".join(line) + "\n" for line in PAIRS.target))
    there = place.format("pairs")
    for out in (there, "here"):
        assert run(f"shard s --target t --out '{out}' -q").code == 0
    again = run(f"shard s --target t --out '{there}' -q")
    assert again.code == 2 and "is not empty" in again.err
    assert "intact" in run(f"info '{there}'").out
    near, far = (run(f"align '{text}' --model ibm1 --criterion em:2 -q") for text in ("here", there))
    assert near.code == far.code == 0 and near.out == far.out and near.out.strip()


def test_keys_in_an_address_are_not_repeated(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    address = place.format("nothing").replace("s3://", "s3://known:hidden@")
    ran = run(f"info '{address}'")
    assert ran.code == 2 and "s3://bucket/nothing" in ran.err and "hidden" not in ran.err, ran.err
