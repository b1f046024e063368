"""The long run behind `make fuzz`: FUZZ_SECONDS for every target, guided by coverage where atheris is installed.

    python tests/fuzz.py [target …]

Prints how many inputs were tried for each; an input that does what it must not is left in .cache/fuzz. First, unless
FUZZ_GROWTH=0, every reader is given the same thing over and over, once and four times as long (`fuzz_growth.py`).
"""

from __future__ import annotations

import importlib.util
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
CRASHES = ROOT / ".cache" / "fuzz"
SECONDS = float(os.environ.get("FUZZ_SECONDS", "30"))
GROWTH = os.environ.get("FUZZ_GROWTH") != "0"
SLOW = 10  # seconds that one input may take
BINARY = ("model", "model-arrays", "model-forged")  # binary: nothing in them is repeated


def main() -> int:
    if sys.argv[1:2] == ["--growth"]:
        return growth(sys.argv[2])
    if sys.argv[1:2] == ["--one"]:
        guided(sys.argv[2]) if importlib.util.find_spec("atheris") else unguided(sys.argv[2])
        return 0
    from fuzz_targets import targets

    CRASHES.mkdir(parents=True, exist_ok=True)
    how = (
        "guided by coverage (atheris)"
        if importlib.util.find_spec("atheris")
        else "not guided: atheris is not installed"
    )
    print(f"{SECONDS:.0f} s a target, {how}", flush=True)
    total, failed = 0, []
    for name in sys.argv[1:] or targets():
        if GROWTH and subprocess.run([sys.executable, __file__, "--growth", name], check=False).returncode:
            failed.append(f"{name} grows")
        began = time.monotonic()
        done = subprocess.run([sys.executable, __file__, "--one", name], capture_output=True, text=True, check=False)
        tried = max([int(n) for n in re.findall(r"(?:Done |#)([0-9]+)", done.stderr)], default=0)
        total += tried
        verdict = "fine" if done.returncode == 0 else f"FAILED, exit code {done.returncode}"
        print(f"{name:16} {tried:12,} inputs in {time.monotonic() - began:6.0f} s   {verdict}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stderr[-3000:], flush=True)
    print(f"{'in all':16} {total:12,} inputs; failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def growth(name: str) -> int:
    from fuzz_growth import OPENING, grown
    from fuzz_targets import targets

    if name in BINARY:
        return 0
    target, wrong, began = targets()[name], 0, time.monotonic()
    for what, tried, how in grown(target.run, target.seeds, OPENING):
        wrong += bool(what)
        told = f"{what}: {how}" if what else f"{tried:12,} sizes  in {time.monotonic() - began:6.0f} s"
        print(f"{name:16} {told}", flush=True)
    return int(wrong > 0)


def guided(name: str) -> None:
    import tempfile

    import atheris

    # Instrumented kernels do not compile; and uncompiled ones notice where they reach beyond an array.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    with atheris.instrument_imports(include=["softcount"]):
        from fuzz_targets import PIECES, targets
    target = targets()[name]
    corpus = Path(tempfile.mkdtemp(prefix=f"softcount-corpus-{name}-"))
    for i, seed in enumerate(target.seeds):
        (corpus / f"seed{i}").write_bytes(seed)
    words = corpus.with_suffix(".dict")
    words.write_text("".join(_entry(piece) for piece in PIECES if 0 < len(piece) < 60))
    options = [f"-max_total_time={SECONDS:.0f}", f"-timeout={SLOW}", f"-dict={words}", "-max_len=6000"]
    options += [f"-artifact_prefix={CRASHES}/{name}-", "-rss_limit_mb=4000"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: target.run(bytes(data)))
    atheris.Fuzz()


def _entry(piece: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in piece) + '"\n'


def unguided(name: str) -> None:
    from fuzz_targets import PIECES, edited, targets

    target, rng = targets()[name], random.Random(int(os.environ.get("FUZZ_SEED", "0")))
    tried, until = 0, time.monotonic() + SECONDS
    while time.monotonic() < until:
        edits = [(rng.randrange(10_000), rng.randrange(9), _piece(rng, PIECES)) for _ in range(rng.randrange(1, 8))]
        content = edited(rng.choice(target.seeds), edits) if rng.random() < 0.9 else rng.randbytes(rng.randrange(200))
        began = time.monotonic()
        try:
            target.run(content)
            assert time.monotonic() - began < SLOW, "too slow"
        except BaseException:
            (CRASHES / f"{name}-{tried}").write_bytes(content)
            raise
        tried += 1
    print(f"Done {tried} runs", file=sys.stderr)


def _piece(rng: random.Random, pieces: list[bytes]) -> bytes:
    return rng.choice(pieces) if rng.random() < 0.7 else rng.randbytes(rng.randrange(4))


if __name__ == "__main__":
    sys.exit(main())
