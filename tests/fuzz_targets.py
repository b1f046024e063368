"""What is fuzzed: every reader, the parser of criteria, models, their parts, checkpoints and folders of shards.

Each has valid files to start from. A target takes any bytes and returns, whether they have a value or are refused; any
exception but InputError is a defect, and so is a hang.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from command import run
from input_files import GOOD

import softcount
from softcount.criteria.spec import Settings, parse
from softcount.disk import parts, store
from softcount.errors import InputError
from softcount.estimators.network import Network
from softcount.language.arpa import read_arpa
from softcount.links.pharaoh import read_links
from softcount.machine.magic import MARK
from softcount.models.grammar import grammar
from softcount.models.hmm import HMM
from softcount.report.hmm_json import read_parameters
from softcount.text import shard_file, shard_manifest, source
from softcount.text.bif import read_bif
from softcount.text.bilingual import read_bilingual
from softcount.text.bitext_reader import read_bitext
from softcount.text.cfg import read_cfg
from softcount.text.class_names import read_names
from softcount.text.conllu_writer import conllu_lines
from softcount.text.dictionary import read_dictionary
from softcount.text.document_reader import read_documents
from softcount.text.documents import pruned
from softcount.text.given_classes import read_classes
from softcount.text.growing_vocabulary import Growing
from softcount.text.points import read_points
from softcount.text.preparation import Preparation, prepared
from softcount.text.reader import read, read_labels
from softcount.text.record_reader import read_columns, text_of, to_records
from softcount.text.seed_words import read_seed_words
from softcount.text.shard_input import How, Names, sentences
from softcount.text.shard_manifest import MANIFEST
from softcount.text.shard_writer import write_shards
from softcount.text.source import lines, read_text
from softcount.text.structure import structure
from softcount.text.tokenizer import tokenize
from softcount.text.trees import read_trees
from softcount.text.vocabulary import Vocabulary

FOLDER = Path(tempfile.mkdtemp(prefix="softcount-fuzz-"))
CUT = b"\n====\n"  # between the files of a target that reads two

# Pieces that some reader somewhere gives a meaning, or should not.
PIECES = [
    b"", b" ", b"\t", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"_", b"/",
    b":", b"-", b"?", b"0", b"-1", b"1", b"2", b"999999999", b"9" * 20, b"9" * 5000, b"1e999", b"nan", b"1e-400",
    b"|||", b"must", b"#", b"1-2", b"1.1", b"S", b"{", b"}", b"[", b"]", b'"', b",", b"(", b")", b"=", b"null",
    b"true", b"<tu>", b"</tuv>", b"<seg>", b"&a;", b"&lt;", b"<!--", b"]]>", b"<![CDATA[",
    b'<!DOCTYPE a [<!ENTITY b "c">]>', "é".encode(), "\u2028".encode(), "\u00a0".encode(), "٣".encode(),
    "²".encode(), b"\\ud800", CUT, b"em", b"stepwise", b"$array",
]  # fmt: skip


class Target(NamedTuple):
    run: Callable[[bytes], Any]
    given: list[bytes] | Callable[[], list[bytes]]  # models take long to make: when they are asked for, and once

    @property
    def seeds(self) -> list[bytes]:
        return self.given() if callable(self.given) else self.given


def edited(content: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """At each place, so many bytes replaced by others."""
    for place, length, piece in edits:
        place %= len(content) + 1
        content = content[:place] + piece + content[place + length :]
    return content


def tolerant(call: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """A refusal is an answer, if it is one line."""

    def run(content: bytes) -> Any:
        try:
            return call(content)
        except InputError as error:
            assert str(error) and "\n" not in str(error), repr(str(error))
            return None

    return run


def file(reader: Callable[[Path], Any], name: str = "file") -> Callable[[bytes], Any]:
    """A reader of one file, or of two with the cut between them: the second lies beside the first."""

    def call(content: bytes) -> Any:
        first, cut, second = content.partition(CUT)
        beside = FOLDER / name.replace("docword", "vocab").replace(".ldac", ".vocab")
        beside.unlink(missing_ok=True)
        if cut and beside.name != name:
            beside.write_bytes(second)
        (FOLDER / name).write_bytes(first)
        return reader(FOLDER / name)

    return call


def two(reader: Callable[[Path, Path], Any]) -> Callable[[bytes], Any]:
    def call(content: bytes) -> Any:
        first, _, second = content.partition(CUT)
        (FOLDER / "first").write_bytes(first)
        (FOLDER / "second").write_bytes(second)
        return reader(FOLDER / "first", FOLDER / "second")

    return call


def _documents(path: Path, **options: Any) -> Any:
    return pruned(read_documents(path, **options), 1, 1.0, ()).digest()


def _criterion(content: bytes) -> Any:
    layout = HMM(2, 3).layout
    return [stage.build(layout, Settings()) for stage in parse(content.decode("utf-8", "replace"))]


@contextmanager
def _right_checksums() -> Iterator[None]:
    with (
        mock.patch.object(store, "_checksum", lambda header: header[len(MARK) :][: len(store.NO_CHECKSUM)]),
        mock.patch.object(store, "crc32", lambda array: _Anything()),
    ):
        yield


def _model(path: Path) -> Any:
    """A file whose checksums are right: what a mistake or an enemy may write, not what a broken disk does."""
    with np.errstate(all="ignore"), _right_checksums():  # numbers that nobody trained may overflow
        model = softcount.load(path)
        uses: dict[str, Any] = {
            "HMM": lambda: model.predict(["a b", "c"]), "PLSA": lambda: model.transform(["a b", "c"]),
            "WordClasses": lambda: (model.predict(["a b", "Zz"]), model.words()),
            "WordAligner": lambda: model.align(["a b"], ["x y"]), "NaiveBayesMixture": lambda: model.predict(["a b"]),
            "Grammar": lambda: (model.parse(["a b", "c"]), model.n_parses(["a b"])),
            "Network": lambda: (model.predict({"a": ["x", None], "b": [1, 2]}), model.tables_),
            "KMeans": lambda: model.predict([[0.0]]), "GaussianMixture": lambda: model.predict([[0.0]]),
        }  # fmt: skip
        return uses[type(model).__name__]()


class _Anything(int):
    """A checksum that is equal to every other; a file can hold it."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


@cache
def _models() -> list[bytes]:
    from test_damaged_models import MAKERS

    found = []
    for make in MAKERS.values():
        make().save(FOLDER / "model")
        found.append((FOLDER / "model").read_bytes())
    return found


@cache
def _cut_model() -> tuple[Path, list[bytes]]:
    """A model in two parts, and what its first file and its parts hold."""
    folder = FOLDER / "parts"
    folder.mkdir()
    with mock.patch.object(parts, "SMALL", 8):
        softcount.HMM(2, criterion="em:1", random_state=0).fit(["a b", "c a b"]).save(folder / "model", parts=2)
    return folder / "model", [path.read_bytes() for path in sorted(folder.glob("model*"))]


def _with_part(content: bytes) -> Any:
    """The first byte says which of the files of a model in parts has this content; checksums are right."""
    path, files = _cut_model()
    places = sorted(path.parent.glob("model*"))
    number = content[0] % len(files) if content else 0
    places[number].write_bytes(_forged(content[1:]))
    try:
        return _model(path)
    finally:
        places[number].write_bytes(files[number])


def _parts() -> list[bytes]:
    return [bytes([number]) + content for number, content in enumerate(_cut_model()[1])]


CHECKPOINTED = ["em:3", "vb:3", "mre:3", "stepwise(em,batches=2):3", "gibbs:3"]


def _resumed(content: bytes) -> Any:
    """The first byte says of which criterion the checkpoint is; checksums are right."""
    criterion = CHECKPOINTED[content[0] % len(CHECKPOINTED) if content else 0]
    place = FOLDER / "checkpoint"
    place.write_bytes(_forged(content[1:]))
    with np.errstate(all="ignore"), _right_checksums():
        return _to_checkpoint(criterion).fit(["a b", "c a b"], checkpoint=place, checkpoint_every=1000)


def _to_checkpoint(criterion: str) -> Any:
    return softcount.HMM(2, criterion=criterion, start="random", tolerance=0.0, random_state=0)


@cache
def _checkpoints() -> list[bytes]:
    """Each after its first step."""
    found = []
    for number, criterion in enumerate(CHECKPOINTED):
        place = FOLDER / f"checkpoint-{number}"
        with suppress(_Enough):
            _to_checkpoint(criterion).fit(["a b", "c a b"], checkpoint=place, checkpoint_every=1, on_step=_after_two())
        found.append(bytes([number]) + place.read_bytes())
    return found


class _Enough(Exception):
    pass


def _after_two() -> Callable[[Any], None]:
    steps: list[Any] = []

    def on_step(step: Any) -> None:
        steps.append(step)
        if len(steps) == 2:
            raise _Enough

    return on_step


@cache
def _shard_folders() -> list[Path]:
    """One of each kind."""
    found = []
    for kind, text in {"sentences": "a/X b/Y\nc/X\n", "documents": "a b a\nc\n", "pairs": "a b\nc\n"}.items():
        place = FOLDER / f"shards-of-{kind}"
        (FOLDER / f"{kind}.txt").write_text(text)
        more = {"sentences": "--format tagged", "documents": "", "pairs": f"--target {FOLDER}/pairs.txt"}[kind]
        assert run(f"shard {FOLDER}/{kind}.txt --kind {kind} {more} --out {place} -q").code == 0
        found.append(place)
    return found


def _folder_with(name: Callable[[Path], str], content: bytes) -> Any:
    """The first byte says which folder has this content in the named file; digests are right."""
    folders = _shard_folders()
    folder = folders[content[0] % len(folders) if content else 0]
    out = FOLDER / "forged"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(folder, out)
    (out / name(folder)).write_bytes(content[1:])
    if name(folder) != MANIFEST:
        manifest = json.loads((out / MANIFEST).read_bytes())
        manifest["shards"][0]["bytes"] = len(content[1:])
        (out / MANIFEST).write_text(json.dumps(manifest))
    with (
        mock.patch.object(shard_manifest, "_seal", lambda body: _Anything()),
        mock.patch.object(shard_file, "digest_of", lambda columns: _Anything()),
        mock.patch.object(shard_file, "_checked", set()),
    ):
        return softcount.Shards(out).loaded().digest()


def _in_folders(name: Callable[[Path], str]) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        folders = enumerate(_shard_folders())
        return [bytes([number]) + (folder / name(folder)).read_bytes() for number, folder in folders]

    return seeds


def _manifest_of(folder: Path) -> str:
    return MANIFEST


def _first_shard(folder: Path) -> str:
    return min(path.name for path in folder.glob("shard-*.arrow"))


END_OF_HEADER = re.compile(rb'"data_offsets":\[[0-9, ]*\]\}\} {0,7}')  # blanks fill up to eight bytes


def _forged(content: bytes) -> bytes:
    """With the header's length put right, so that edits that insert or delete do not all end there."""
    found = END_OF_HEADER.search(content, 8)
    end = found.end() if found else len(content)
    return (end - 8).to_bytes(8, "little") + content[8:] if len(content) > 8 else content


def _base(model: bytes) -> int:
    return 8 + int.from_bytes(model[:8], "little")


def _arrays() -> list[bytes]:
    return [bytes([i]) + model[_base(model) :] for i, model in enumerate(_models())]


def _with_arrays(content: bytes) -> bytes:
    """A model whose header is good and whose arrays are these; the first byte says which model."""
    model = _models()[content[0] % len(_models()) if content else 0]
    size = len(model) - _base(model)
    return model[: _base(model)] + content[1 : size + 1].ljust(size, b"\0")


def _binary(write: Callable[[Any, Any], None]) -> bytes:
    """A table of texts, names and numbers in a form that is no text."""
    sink = pa.BufferOutputStream()
    write(pa.table({"id": ["=1", "b"], "body": ["the dog", ""], "n": [1, 2], "t": [["a"], ["b", "c"]]}), sink)
    return bytes(sink.getvalue())


def _stream(table: Any, sink: Any) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def _whole(table: Any, sink: Any) -> None:
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _table(path: Path) -> Any:
    found = read_documents(path, text_column="body", id_column="id")
    return found.names, found.digest(), read(path, text_column="body").digest()


def _folder(content: bytes) -> Any:
    folder = FOLDER / "documents"
    (folder / "class").mkdir(parents=True, exist_ok=True)
    for k, part in enumerate(content.split(CUT)[:2]):
        (folder / "class" / f"{k}").write_bytes(part)
    found = read_documents(folder, lowercase=True)
    return found.names, found.classes, found.digest()


def _tokenized(content: bytes) -> Any:
    """Nothing but blanks is lost, nothing but blanks is added."""
    line = content.decode("utf-8", "replace")
    found = tokenize(line)
    assert "".join(found.split()) == "".join(line.split())
    return found


def _prepared(content: bytes) -> Any:
    text = content.decode("utf-8", "replace").encode()
    found = prepared(text, Preparation("rules", "NFKC"))
    assert found.count(b"\n") == text.count(b"\n")
    return found


def _rows(path: Path) -> Any:
    columns = read_columns(path)
    known = [{text_of(v): k for k, v in enumerate(column.values)} for column in columns.columns.values()]
    return to_records(columns, list(columns.columns), known, True).digest()


def _conllu_written(content: bytes) -> Any:
    """What is written over is read back with the same words, and with the tags that were written."""
    (FOLDER / "file.conllu").write_bytes(content)
    data = read(FOLDER / "file.conllu", "conllu", column="none")
    tags = [[str(t % 3) for t in range(len(data.tokens(s)))] for s in range(len(data))]
    text = read_text(FOLDER / "file.conllu")
    (FOLDER / "out.conllu").write_text("".join(conllu_lines(text, tags, "xpos")), encoding="utf-8", newline="")
    again = read(FOLDER / "out.conllu", "conllu", column="xpos")
    assert [again.tokens(s) for s in range(len(again))] == [data.tokens(s) for s in range(len(data))]
    assert [again.tags(s) for s in range(len(again))] == tags
    return again


def _sharded(path: Path) -> Any:
    """Read in small pieces and written as shards, a text is the same as read at once, or is refused alike."""
    whole, written = _answer(lambda: read(path, "plain").digest()), _answer(lambda: _written(path))
    assert whole == written or "no words" in written, (whole, written)
    return written


def _written(path: Path) -> str:
    out, names = FOLDER / "shards", Names((Growing(),), Growing())
    shutil.rmtree(out, ignore_errors=True)
    with mock.patch.object(source, "PIECE", 5):
        rows = sentences([str(path)], How(format="plain"), names)
        digest: str = write_shards(str(out), "sentences", rows, names, {}, [str(path)], block=3)["digest"]
    assert softcount.Shards(out).loaded().digest() == digest
    return digest


def _answer(call: Callable[[], str]) -> str:
    try:
        return call()
    except InputError as error:
        return str(error)


def _declared(content: bytes) -> Any:
    found = structure(content.decode("utf-8", "replace"))
    assert structure(found.text()) == found
    return found


G = GOOD
SPECS = [b"em:100,mre:50", b"stepwise(vb, batches=50):10", b"annealed(em,start=0.1,stop=1,over=9)", b"hard(vb):3",
         b"gibbs(prior=0.1):20", b"mre(rule=adaptive,rate=0.1)", b"vb(prior=1e-300)"]  # fmt: skip


def targets() -> dict[str, Target]:
    plain: dict[str, tuple[Callable[[bytes], Any], list[bytes] | Callable[[], list[bytes]]]] = {
        "lines": (file(lines), [G["text"]]),
        "gzip": (file(lines, "file.gz"), [gzip.compress(G["text"]), gzip.compress(G["text"]) * 2]),
        "plain": (file(lambda p: read(p, "plain", min_count=2, lowercase=True).digest()), [G["text"]]),
        "shards": (file(_sharded), [G["text"], b"a b\r\n\nc"]),
        "tagged": (file(lambda p: read(p, "tagged").digest()), [G["tagged"]]),
        "conllu": (file(lambda p: read(p, "conllu", column="xpos").digest()), [G["text.conllu"]]),
        "labels": (file(read_labels), [G["tags"]]),
        "tagset": (file(lambda p: read(p, "tagged", tagset=("D", "N", "V"))), [G["tagged"]]),
        "parallel": (two(lambda a, b: read(a, tags=b).digest()), [G["text"] + CUT + G["tags"]]),
        "dictionary": (file(read_dictionary), [G["words.tsv"]]),
        "seed-words": (
            file(lambda p: read_seed_words(p, 2, Vocabulary(["the", "dog", "cats"]), lowercase=True)),
            [G["seeds"]],
        ),
        "bilingual": (file(read_bilingual), [G["pairs.tsv"]]),
        "given-classes": (
            file(read_classes),
            [b"walks\twalk\tmove\nran\trun\tmove\n", b"word\tclass\tcount\nran\t3\t9\n"],
        ),
        "links": (file(read_links), [G["links"], G["gold.wa"]]),
        "bitext": (two(lambda a, b: read_bitext(a, b).digest()), [G["text"] + CUT + G["other"]]),
        "bitext-one-file": (file(lambda p: read_bitext(p).digest()), [G["both"], G["both.tsv"], G["both.tmx"]]),
        "tmx": (file(lambda p: read_bitext(p).digest(), "file.tmx"), [G["both.tmx"]]),
        "xliff": (file(lambda p: read_bitext(p).digest(), "file.xlf"), [G["both.xlf"]]),
        "xz": (file(lines, "file.xz"), [lzma.compress(G["text"])]),
        "bzip2": (file(lines, "file.bz2"), [bz2.compress(G["text"])]),
        "zstandard": (file(lines, "file.zst"), [pa.compress(G["text"], codec="zstd", asbytes=True)]),
        "names": (file(read_names), [G["names"]]),
        "csv": (file(_table, "file.csv"), [G["docs.csv"], b"id;body\n1;a b\n"]),
        "parquet": (file(_table, "file.parquet"), [_binary(pq.write_table)]),
        "arrow": (file(_table, "file.arrow"), [_binary(_stream), _binary(_whole)]),
        "rows-parquet": (file(_rows, "rows.parquet"), [_binary(pq.write_table)]),
        "bitext-arrow": (
            file(lambda p: read_bitext(p, source_language="body", target_language="t").digest(), "pairs.arrow"),
            [_binary(_whole)],
        ),
        "folder": (_folder, [G["text"] + CUT + G["other"]]),
        "tokenizer": (_tokenized, [b"Mr. O'Neill paid $3.50 (www.a.b/c) -- e.g. l'eau ...", "naïve, 5°".encode()]),
        "preparation": (_prepared, [b"Don't.\n\nA b, c\n"]),
        "conllu-writer": (_conllu_written, [G["text.conllu"]]),
        "points": (file(read_points), [G["points"]]),
        "documents": (file(_documents), [G["text"]]),
        "uci": (file(_documents, "docword.txt"), [G["docword.txt"], G["docword.txt"] + CUT + b"a\nb\nc\n"]),
        "ldac": (file(_documents, "file.ldac"), [G["text.ldac"], G["text.ldac"] + CUT + b"a\nb\nc\n"]),
        "svmlight": (file(_documents, "file.svmlight"), [G["text.svmlight"]]),
        "grammar": (
            file(lambda p: grammar(read_cfg(p)[0])),
            [G["G.cfg"], b"%start S\nS -> S S [0.3] | 'a' \\\n | A\nA -> S"],
        ),
        "trees": (file(lambda p: [str(tree) for tree in read_trees(p)]), [G["trees"], b"( (S (A a)\n (B b)) )\n"]),
        "parameters": (file(read_parameters), [G["P.json"], json.dumps({"end": {}}).encode()]),
        "criterion": (_criterion, SPECS),
        "rows": (file(_rows), [G["rows.csv"], b'a\tb\n"x ""y"\t1\n\t2\n']),
        "arpa": (file(read_arpa), [G["m.arpa"]]),
        "bif": (file(read_bif), [G["net.bif"]]),
        "network-tables": (file(lambda p: Network("a -> b", start=p).as_given()), [G["T.json"]]),
        "network": (_declared, [b"a, b -> c; d", b"a@-1 -> a -> b"]),
        "model": (file(softcount.load), _models),
        "model-arrays": (lambda content: file(_model)(_with_arrays(content)), _arrays),
        "model-forged": (lambda content: file(_model)(_forged(content)), _models),
        "model-parts": (_with_part, _parts),
        "checkpoint": (_resumed, _checkpoints),
        "manifest": (partial(_folder_with, _manifest_of), _in_folders(_manifest_of)),
        "shard": (partial(_folder_with, _first_shard), _in_folders(_first_shard)),
    }
    return {name: Target(tolerant(call), seeds) for name, (call, seeds) in plain.items()}
