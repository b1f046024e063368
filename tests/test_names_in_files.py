"""Every string of every kind of file, replaced by a command, a path and a module: nothing of it happens."""

from __future__ import annotations

import copy
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cases import answers
from command import run
from forgery import put_together, taken_apart
from test_damaged_models import APPLY, MAKERS, OTHER, ROWS, TEXT
from watching import amiss, watched

import softcount
from softcount.disk import parts
from softcount.report.tables import tables
from softcount.text import preparation, shard_manifest, source

FEW = 90  # of the strings, of which a usual run replaces one in so many, always another one
READING = ("tokenize", "normalize", "text_column", "id_column", "source_language", "target_language", "only")
LETTERS = ["a b c", "b c a", "c a"] * 3


def language_model() -> Any:
    return softcount.LanguageModel(2, characters=True).fit(LETTERS)


MODELS: dict[str, Callable[[], Any]] = MAKERS | {
    "crf": lambda: softcount.CRFAutoencoder(2, reconstruct=2, criterion="autoencode:1", random_state=0).fit(TEXT),
    "language model": language_model,
    "decipher": lambda: softcount.Decipher(language_model(), criterion="em:1", restarts=1, random_state=0).fit(LETTERS),
}
DATA: dict[str, tuple[Any, ...]] = {
    "aligner": (TEXT, OTHER), "kmeans": ([[0.0], [1.0]],), "gaussian": ([[0.0], [1.0], [3.0]],), "network": (ROWS,),
}  # fmt: skip
COMMANDS = APPLY | {
    "crf": "tag text --apply model", "language model": "lm text --apply model",
    "decipher": "decipher text --apply model",
}  # fmt: skip
MORE = {
    "hmm": "report model text", "aligner": "glossary model text text --terms", "plsa": "score topics model text",
    "language model": "lm --apply model --sample 2",
}  # fmt: skip


class Outside:
    """A place outside, and what a file may say to get there."""

    def __init__(self, folder: Path, modules: Path) -> None:
        self.folder = folder
        self.file, self.trace = folder / "outside.tsv", folder / "trace"
        self.file.write_text("a\tb\n")
        (modules / "outside_module.py").write_text(f"open({str(self.trace)!r}, 'w').close()\nTag = Registered = None\n")
        self.said = (
            f"pipe:touch {self.trace}", str(self.file), "outside_module", "outside_module:Tag", f"file://{self.file}",
            "ray://127.0.0.1:9", "../" * 9 + str(self.file)[1:],
        )  # fmt: skip

    def seen(self, use: Callable[[], None]) -> list[tuple[str, str]]:
        with watched() as events:
            use()
        found = amiss(events, self.folder)
        assert not self.trace.exists() and "outside_module" not in sys.modules, found
        return found


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    monkeypatch.chdir(tmp_path)
    modules = tmp_path_factory.mktemp("modules")
    monkeypatch.syspath_prepend(modules)
    found = Outside(tmp_path_factory.mktemp("outside"), modules)
    Path("text").write_text("a b\nb c a\n")
    return found


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there are strings, or nothing, in place of which there could be one."""
    if node is None or isinstance(node, str):
        yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def changed(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    found = copy.deepcopy(node)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return found


def replaced(about: Any, said: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for path in places(about):
        for text in said:
            yield f"{'.'.join(map(str, path))} = {text}", changed(about, path, text)


def forged(content: bytes, said: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """A file of our own with every string of it replaced, its checksums right."""
    found = taken_apart(content)
    for where, about in replaced(found.about, said):
        yield where, put_together(found.metadata, about, found.arrays)
    for where, metadata in replaced({k: v for k, v in found.metadata.items() if k != "checksum"}, said):
        yield where, put_together(found.metadata | metadata, found.about, found.arrays)


def check_all(cases: Iterator[tuple[str, Any]], write: Callable[[Any], None], use: Callable[[], None],
              outside: Outside, stride: int, name: str) -> None:  # fmt: skip
    use()  # what is compiled and imported by a clean file, is so afterwards
    assert not outside.seen(use), "a file that nobody has touched"
    wrong, every = {}, list(cases)
    for where, content in every[len(name) * 7 % min(stride, len(every)) :: stride]:
        write(content)
        found = outside.seen(use)
        if found:
            wrong[where] = found
    assert not wrong, wrong


def quietly(*calls: Callable[[], Any]) -> None:
    """What is refused, and in which words, other tests say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            with suppress(Exception):
                call()


def use_model(kind: str) -> None:
    data = DATA.get(kind, (TEXT,))

    def asked() -> None:
        model = softcount.load("model")
        quietly(lambda: answers(model, data), lambda: dict(tables(model)), lambda: repr(model), lambda: model.save("x"))

    lines = ["info model", "show model", "show model text", COMMANDS.get(kind, "info model --json"), MORE.get(kind, "")]
    quietly(asked, lambda: softcount.load("model").fit(*data), *(lambda line=line: run(line) for line in lines if line))


def saved(kind: str) -> bytes:
    model = MODELS[kind]()
    model.reading_ = {**dict.fromkeys(READING), **model.reading_}
    model.save("model")
    return Path("model").read_bytes()


def check_model(kind: str, outside: Outside, stride: int) -> None:
    content = saved(kind)
    check_all(forged(content, outside.said), Path("model").write_bytes, lambda: use_model(kind), outside, stride, kind)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", MODELS)
def test_some_strings_of_a_model(outside: Outside, kind: str) -> None:
    check_model(kind, outside, FEW)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", MODELS)
def test_every_string_of_a_model(outside: Outside, kind: str) -> None:
    check_model(kind, outside, 1)


# --- parts, checkpoints, folders --------------------------------------------------------------------------------------


def check_parts(outside: Outside, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SMALL", 0)
    MODELS["hmm"]().save("model", parts=2)
    files = sorted(Path().glob("model*"))
    assert len(files) >= 3
    for path in files:
        content = path.read_bytes()
        cases = forged(content, outside.said)
        check_all(cases, path.write_bytes, lambda: use_model("hmm"), outside, stride, path.name[:12])
        path.write_bytes(content)


def check_checkpoint(outside: Outside, stride: int) -> None:
    model = lambda: softcount.HMM(2, criterion="em:2", start="random", random_state=0)  # noqa: E731
    model().fit(TEXT, checkpoint="run", checkpoint_every=1)
    content = Path("run").read_bytes()

    def use() -> None:
        quietly(lambda: run("info run"), lambda: model().fit(TEXT, checkpoint="run"), lambda: softcount.load("run"))

    def write(forgery: bytes) -> None:
        Path("run").write_bytes(forgery)

    check_all(forged(content, outside.said), write, use, outside, stride, "checkpoint")


def check_folder(outside: Outside, stride: int) -> None:
    MODELS["hmm"]().save("model")
    assert run("shard text --out folder --tokenize rules --normalize NFC -q").code == 0
    path = Path("folder", "manifest.json")
    manifest = {k: v for k, v in json.loads(path.read_text()).items() if k not in ("sha256", shard_manifest.NAME)}
    train = "tag folder --states 2 --criterion em:1 --start random --dev text -q --save trained"

    def use() -> None:
        Path("trained").unlink(missing_ok=True)
        lines = ("info folder", "tag folder --apply model", train, "tag text --apply trained", "info trained")
        quietly(lambda: softcount.Shards("folder").loaded(), *(lambda line=line: run(line) for line in lines))

    def write(forgery: Any) -> None:
        path.write_bytes(shard_manifest.sealed(forgery))

    check_all(replaced(manifest, outside.said), write, use, outside, stride, "folder")


@pytest.mark.filterwarnings("ignore")
def test_some_strings_of_parts_checkpoints_and_folders(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    check_parts(outside, FEW, monkeypatch)
    check_checkpoint(outside, FEW)
    check_folder(outside, 45)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_every_string_of_parts_checkpoints_and_folders(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    check_parts(outside, 1, monkeypatch)
    check_checkpoint(outside, 1)
    check_folder(outside, 1)


# --- texts that have a syntax for names -------------------------------------------------------------------------------


def test_xml_names_nothing(outside: Outside) -> None:
    body = '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>a</seg></tuv>' + (
        '<tuv xml:lang="fr"><seg>{}</seg></tuv></tu></body></tmx>'
    )
    heads = ['<?xml version="1.0" encoding="outside_module"?>', '<?xml-stylesheet href="outside_module"?>']
    for said in outside.said:
        heads += [f'<!DOCTYPE tmx SYSTEM "{said}">', f'<!DOCTYPE tmx PUBLIC "a" "{said}">']
        heads += [
            f'<!DOCTYPE tmx [<!ENTITY e SYSTEM "{said}">]>',
            f'<!DOCTYPE tmx [<!ENTITY % e SYSTEM "{said}"> %e;]>',
        ]
    use = lambda: quietly(lambda: softcount.read_bitext("x.tmx"))  # noqa: E731
    Path("x.tmx").write_text(body.format("b"))
    use()
    for head in heads:
        for seen in ("b", "&e;", f'<xi:include href="{outside.file}"/>'):
            Path("x.tmx").write_text(head + body.format(seen))
            assert not outside.seen(use), (head, seen)


# --- the watch itself -------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_the_watch_sees(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it is there for: a command that is run, a path that is opened or asked about, a module, a connection."""
    saved("hmm")
    found = taken_apart(Path("model").read_bytes())
    for path, text in ((("body", "reading", "tokenize"), f"pipe:cat {outside.file}"),
                       (("body", "settings", "dictionary"), str(outside.file))):  # fmt: skip
        Path("model").write_bytes(put_together(found.metadata, changed(found.about, path, text), found.arrays))
        assert not outside.seen(lambda: use_model("hmm"))
        with monkeypatch.context() as planted:
            planted.setattr(preparation, "check_tokenizer", lambda name: None)
            planted.setattr(source, "check_path", lambda path: None)
            assert outside.seen(lambda: use_model("hmm")), "the check is what it is that keeps it from happening"
    import ctypes
    import socket

    for doing, event in (
        (lambda: open(outside.file).close(), "open"),
        (lambda: Path(outside.file).exists(), "stat"),
        (lambda: ctypes.CDLL(str(outside.file)), "ctypes.dlopen"),
        (lambda: socket.create_connection(("127.0.0.1", 9), 1), "socket.connect"),
        (lambda: __import__("outside_modules"), "import"),
    ):
        assert event in [name for name, _ in outside.seen(lambda doing=doing: quietly(doing))]
