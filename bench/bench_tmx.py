"""A generated translation memory, read and aligned: 200,000 units in three languages, inline codes, UTF-16.

    python bench/bench_tmx.py [units]

Prints the size of the file and of the text in it, what reading alone takes (memory beyond that of a process that has
imported the reader, and CPU), and what `softcount align` takes from start to end: its peak beside what it announced,
and the progress that a terminal shows.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

BLOCK = 20_000  # units from one seed
HEAD = '<?xml version="1.0" encoding="utf-16"?>\n<tmx version="1.4"><header srclang="en" segtype="sentence"/><body>\n'
CODE = '<bpt i="1">&lt;b class="{c}"&gt;</bpt>{word}<ept i="1">&lt;/b&gt;</ept>'


def units(n: int) -> Iterator[str]:
    """English, an invented language, and a third that is English backwards; one unit in fifty has one side only."""
    from softcount.synthetic import bilingual

    for start in range(0, n, BLOCK):
        sample = bilingual(min(BLOCK, n - start), seed=start // BLOCK, vocabulary=30.0)
        for k, (source, target) in enumerate(zip(sample.source, sample.target, strict=True), start):
            third = [word[::-1] for word in source]
            sides = [("fr", target), ("en", source), ("de", third)] if k % 50 else [("en", source)]
            yield f'<tu tuid="{k}"><prop type="x">{k}</prop>' + "".join(_side(k, *side) for side in sides) + "</tu>\n"


def _side(k: int, language: str, words: list[str]) -> str:
    marked = CODE.format(c=k % 7, word=words[0]) if words else ""
    rest = f'<ph x="1">{{{k}}}</ph>' + " ".join(words[1:])
    return f'<tuv xml:lang="{language}"><seg>{marked} {rest}</seg></tuv>'


def write(path: Path, n: int) -> None:
    with path.open("w", encoding="utf-16") as file:
        file.write(HEAD)
        file.writelines(units(n))
        file.write("</body></tmx>\n")


def read_alone(path: Path) -> None:
    import warnings

    from softcount.text.language_pairs import read_pairs
    from softcount.text.source import read_chunks

    warnings.simplefilter("ignore")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sides = read_pairs(read_chunks(path), path.name, "en", "fr")
    used = resource.getrusage(resource.RUSAGE_SELF)
    text, n_pairs = sum(map(len, sides)) / 1e6, sides[0].count(b"\n")
    more, cpu = used.ru_maxrss / 1024 - before, used.ru_utime + used.ru_stime
    print(
        f"   reading: {n_pairs:,} pairs, {text:.1f} MB of text; {more:,.0f} MB more than before, {cpu:.1f} CPU s",
        flush=True,
    )


def align(path: Path) -> None:
    """With a terminal behind stderr, as a person has it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    words = f"align {path} --source-language en --target-language fr --pairs {path.with_suffix('.tsv')} --threads 1"
    command = [sys.executable, "-m", "softcount", *words.split()]
    said: list[bytes] = []
    with path.with_suffix(".links").open("wb") as links:
        running = subprocess.Popen(command, stdout=links, stderr=theirs)
    os.close(theirs)
    listener = threading.Thread(target=lambda: said.extend(_listen(ours)))
    listener.start()
    _, status, used = os.wait4(running.pid, 0)
    listener.join()
    text = b"".join(said).decode(errors="replace")
    n_links = path.with_suffix(".links").read_bytes().count(b"\n")
    n_pairs = path.with_suffix(".tsv").read_bytes().count(b"\n")
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(f"   align: exit {status}, {n_links:,} lines for {n_pairs:,} pairs; {cpu:.0f} CPU s, peak {peak:,.0f} MB")
    print("   announced: " + next(iter(re.findall(r"[^\r\n]*will need about[^\r\n]*", text)), "nothing"))
    shown = [" ".join(part.split()) for part in re.split(r"[\r\n]", text)]
    for word in ("reading", "objective"):
        parts = [part for part in shown if word in part and not part.startswith("softcount")]
        print(f"   shown {len(parts)} times: {(parts or ['nothing'])[len(parts) // 2]}", flush=True)


def _listen(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            heard = os.read(terminal, 1 << 16)
        except OSError:  # the other end is gone
            return
        if not heard:
            return
        yield heard


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        read_alone(Path(sys.argv[2]))
        return
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        for size in (max(n // 10, 1), n):
            path = Path(folder) / f"{size}.tmx"
            write(path, size)
            print(f"{size:,} units in three languages, UTF-16: {path.stat().st_size / 1e6:,.0f} MB", flush=True)
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)
            align(path)


if __name__ == "__main__":
    main()
