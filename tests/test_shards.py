"""A folder of shards in place of text: what comes out is the same to the bit, and what is damaged is named."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import Ran, refused, run, snapshot
from copying import Copying

import softcount as sc
from softcount.loop import files
from softcount.machine import memory
from softcount.text import shard_input
from softcount.text.growing_vocabulary import Growing
from softcount.text.preparation import Preparation
from softcount.text.shard import cut, shards
from softcount.text.shard_file import read_block
from softcount.text.shard_writer import write_shards

BLOCK = 300  # words: small enough that everything spans several blocks


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences, their translations and classes of some; an empty line in the middle, and one at the end."""
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(3)
    words = np.array([f"{'W' if k % 5 == 0 else 'w'}{k}" for k in range(60)], dtype=object)
    lines, others = [], []
    for _ in range(250):
        row = rng.choice(words, size=rng.integers(1, 9), p=(1.0 / np.arange(1, 61)) / (1.0 / np.arange(1, 61)).sum())
        lines.append(" ".join(row))
        others.append(" ".join(w.lower().replace("w", "v") for w in rng.permutation(row)) + " ." * int(rng.integers(2)))
    lines[100] = others[100] = ""
    (folder / "a.txt").write_text("\n".join(lines[:150]) + "\n")
    (folder / "b.txt").write_text("\n".join(lines[150:]) + "\n\n")
    (folder / "text").write_text("\n".join(lines) + "\n\n")
    (folder / "other").write_text("\n".join(others) + "\n\n")
    (folder / "tagged").write_text("\n".join(" ".join(f"{w}/{w[-1]}" for w in line.split()) for line in lines) + "\n")
    write(folder / "sentences", "sentences", [folder / "text"])
    write(folder / "pairs", "pairs", [folder / "text"], [folder / "other"])
    write(folder / "documents", "documents", [folder / "text"])
    return folder


def write(
    out: Path | str, kind: str, paths: list[Path], targets: list[Path] | None = None, block: int = BLOCK, **how: Any
) -> dict[str, Any]:
    names = shard_input.Names((Growing(), Growing()) if targets else (Growing(),), Growing())
    settings = shard_input.How(**how)
    given = [str(path) for path in paths]
    if kind == "pairs":
        rows = shard_input.pairs(given, [str(path) for path in targets or []], settings, names)
    else:
        rows = getattr(shard_input, kind)(given, settings, names)
    source = [str(paths[0]), str(targets[0])] if targets else [str(paths[0])]
    return write_shards(str(out), kind, rows, names, settings.settings(), source, block=block, file_bytes=4000)


@pytest.fixture(params=[True, False], ids=["kept", "packed again"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether there is room for what is packed."""
    monkeypatch.setattr(files, "available", lambda: float("inf") if request.param else 0.0)
    return bool(request.param)


# --- what is written --------------------------------------------------------------------------------------------------


def test_what_is_read_again_is_what_text_gives(texts: Path) -> None:
    corpus, pairs, documents = (
        sc.read(texts / "text"),
        sc.read_bitext(texts / "text", texts / "other"),
        sc.read_documents(texts / "text"),
    )
    stored = sc.Shards(texts / "sentences"), sc.Shards(texts / "pairs"), sc.Shards(texts / "documents")
    assert len(stored[0].folder.blocks) > 3 and len(stored[0].folder.manifest["shards"]) > 1
    for there, here in zip(stored, (corpus, pairs, documents), strict=True):
        assert len(there) == len(here) and there.digest() == here.digest()
        assert there.loaded().digest() == here.digest()
        assert sum(len(block) for _, block in there.blocks()) == len(here)
    assert stored[0].vocabulary == corpus.vocabulary
    assert np.array_equal(stored[0].length_counts, corpus.length_counts)
    assert np.array_equal(stored[0].loaded().sentences.values, corpus.sentences.values)
    assert stored[0].tokens(7) == corpus.tokens(7)
    assert np.array_equal(stored[1].lengths.pairs, pairs.lengths.pairs)
    assert np.array_equal(stored[1].lengths.counts, pairs.lengths.counts)
    assert np.array_equal(stored[2].document_frequencies, documents.document_frequencies)
    assert np.array_equal(stored[2].totals(), documents.totals())


def test_several_files_are_one_text_and_blocks_do_not_matter(texts: Path, tmp_path: Path) -> None:
    one = write(tmp_path / "one", "sentences", [texts / "a.txt", texts / "b.txt"], block=50)
    assert one["digest"] == sc.Shards(texts / "sentences").digest() and len(one["shards"]) > 1


def test_tagged_text_and_preparation(texts: Path, tmp_path: Path) -> None:
    write(tmp_path / "tagged", "sentences", [texts / "tagged"], format="tagged", lowercase=True)
    here, there = sc.read(texts / "tagged", format="tagged", lowercase=True), sc.Shards(tmp_path / "tagged")
    assert there.tagset == here.tagset and there.digest() == here.digest() and there.loaded().digest() == here.digest()
    assert there.folder.reading == {"lowercase": True}
    (tmp_path / "raw").write_text("Well, yes.\nNo!\n")
    write(tmp_path / "cut", "sentences", [tmp_path / "raw"], prepare=Preparation("rules", "NFC"))
    assert sc.read(tmp_path / "cut").tokens(0) == ["Well", ",", "yes", "."]


def test_words_read_in_another_way(texts: Path) -> None:
    here, there = sc.read(texts / "text"), sc.Shards(texts / "sentences")
    known = sc.read(texts / "other").vocabulary
    for settings in ({"min_count": 4}, {"vocabulary": known}, {"lowercase": True}, {"lowercase": True, "min_count": 3}):
        one, other = sc.corpus(here, **settings), sc.corpus(there, **settings)
        again = other.loaded()
        assert one.vocabulary == other.vocabulary and one.n_unknown == other.n_unknown
        strings = [text.vocabulary.strings(text.sentences.values).to_pylist() for text in (one, again)]
        assert strings[0] == strings[1]
        assert np.array_equal(again.frequencies, other.frequencies)


def test_a_folder_is_cut_where_a_text_is(texts: Path) -> None:
    here, there = sc.read_bitext(texts / "text", texts / "other"), sc.Shards(texts / "pairs")
    for target in (1, 7, 100, 2000, 10**9):
        assert cut(there, lambda pairs: pairs.token_pairs, target) == shards(here.token_pairs, target)
        turned = here.reverse().token_pairs
        assert cut(there.reverse(), lambda pairs: pairs.token_pairs, target) == shards(turned, target)
    short = there.within(5)
    assert np.array_equal(short.source.frequencies, here.within(5).source.frequencies)
    assert short.lengths.token_pairs == here.within(5).token_pairs.sum()


def test_folders_elsewhere(texts: Path, tmp_path: Path) -> None:
    """By a URI, as on S3: no memory map, and no renaming."""
    place = f"file://{tmp_path}/away"
    write(place, "sentences", [texts / "text"])
    assert sc.Shards(place).loaded().digest() == sc.read(texts / "text").digest()
    assert run(f"info {place}").out.splitlines()[-1].startswith("  intact")
    refused(run(f"shard {texts}/text --out {place}"), f"{place}: is not empty; give another place, or empty it first")
    (tmp_path / "away" / "manifest.json").unlink()
    refused(
        run(f"tag {place} --states 2"),
        f"{place}: not a folder of shards, or an unfinished one (no manifest); "
        "write the folder again with softcount shard",
    )


# --- what is trained --------------------------------------------------------------------------------------------------


def same(one: Any, other: Any) -> None:
    for a, b in zip(one, other, strict=True):
        a, b = getattr(a, "values", a), getattr(b, "values", b)
        assert np.array_equal(a, b)


def test_hmm(texts: Path, kept: bool) -> None:
    for settings in ({"start": "random"}, {"min_count": 3, "start": "random", "criterion": "vb:2"}, {}):
        given: dict[str, Any] = {"criterion": "em:2", "random_state": 1, **settings}
        here, there = sc.HMM(3, **given).fit(sc.read(texts / "text")), sc.HMM(3, **given).fit(texts / "sentences")
        same(here.parameters_, there.parameters_)
        assert here.signature_ == there.signature_ and np.array_equal(here.lengths_, there.lengths_)
        assert here.predict(sc.read(texts / "other")) == there.predict(sc.read(texts / "other"))
        assert here.predict(sc.read(texts / "text")) == there.predict(sc.Shards(texts / "sentences"))
        assert here.score(sc.read(texts / "text")) == there.score(texts / "sentences")


def test_hmm_with_known_tags(texts: Path, tmp_path: Path) -> None:
    write(tmp_path / "tagged", "sentences", [texts / "tagged"], format="tagged")
    text = sc.read(texts / "tagged", format="tagged")
    here, there = (sc.HMM(criterion="em:2", start="known").fit(data) for data in (text, tmp_path / "tagged"))
    for a, b in zip(here.parameters_, there.parameters_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    assert here.states_ == there.states_ and here.history_.remarks == there.history_.remarks


def test_what_crosses_an_engine_is_where_rows_are(texts: Path, kept: bool) -> None:
    """On an engine that pickles all that crosses it: parts are small, have no words, and are opened there."""
    folder = sc.Shards(texts / "sentences")
    part = pickle.dumps(folder.slice(10, 200))
    assert len(part) < 1500 and b"w17" not in part and b"w17" in pickle.dumps(folder.loaded())
    engines: tuple[Any, Any] = "threads", Copying(False)
    models = [sc.HMM(2, criterion="em:2", start="random", random_state=1, engine=engine) for engine in engines]
    same(*(model.fit(folder).parameters_ for model in models))
    pairs = sc.Shards(texts / "pairs")
    aligners = [sc.WordAligner("ibm1", criterion="em:1", engine=engine) for engine in engines]
    one, other = (aligner.fit(pairs) for aligner in aligners)
    assert list(one.lexicon()) == list(other.lexicon()) and one.align(pairs) == other.align(pairs)


def test_mini_batches_are_drawn_of_pieces(texts: Path) -> None:
    model = sc.HMM(2, criterion="stepwise(em):3", start="random", random_state=0).fit(texts / "sentences")
    assert np.isfinite(model.objective_) and np.allclose(model.emission_.sum(axis=1), 1.0)


def test_documents(texts: Path, kept: bool) -> None:
    here, there = sc.read_documents(texts / "text"), texts / "documents"
    for start in ("random", "kmeans"):
        given: dict[str, Any] = {"criterion": "em:2", "start": start, "random_state": 1, "min_df": 2}
        one, other = (sc.NaiveBayesMixture(3, **given).fit(data) for data in (here, there))
        same(one.parameters_, other.parameters_)
        assert np.array_equal(one.labels_, other.labels_)
        assert np.array_equal(one.predict(here), other.predict(there))
        one, other = (sc.PLSA(3, **given).fit(data) for data in (here, there))
        same(one.parameters_, other.parameters_)
        np.testing.assert_array_equal(one.prevalence_, other.prevalence_)
        np.testing.assert_array_equal(one.transform(here), other.transform(there))
        assert np.array_equal(one.predict(here), other.predict(there))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"model": "hmm", "agreement": False, "criterion": "em:2"},
        {"model": "ibm2", "criterion": "vb:2"},
        {"longest": 6},
    ],
    ids=["together", "hmm apart", "ibm2", "longest"],
)
def test_aligner(texts: Path, kept: bool, settings: dict[str, Any]) -> None:
    pairs, folder = sc.read_bitext(texts / "text", texts / "other"), sc.Shards(texts / "pairs")
    here, there = sc.WordAligner(**settings).fit(pairs), sc.WordAligner(**settings).fit(folder)
    for name in here.directions_:
        one, other = (list(model.lexicon()) for model in (here, there))
        assert [row[:2] for row in one] == [row[:2] for row in other]
        np.testing.assert_allclose([r[2:] for r in one], [r[2:] for r in other], rtol=1e-12, atol=1e-300)
        assert name in there.directions_
    assert here.align(pairs) == there.align(pairs) == there.align(folder) == here.align(texts / "pairs")
    assert here._told(pairs).keys() == there._told(folder).keys()
    for told in here._told(pairs):
        assert here._told(pairs)[told] == pytest.approx(there._told(folder)[told], rel=1e-12)


@pytest.mark.filterwarnings("ignore:too little text")
def test_other_estimators_load_a_folder(texts: Path) -> None:
    text = sc.read(texts / "text")
    one, other = (sc.LanguageModel(2).fit(data) for data in (text, texts / "sentences"))
    assert one.fluency(text) == other.fluency(text)
    classes = [
        sc.WordClasses(3, criterion="exchange:1").fit(data).predict(data) for data in (text, texts / "sentences")
    ]
    assert classes[0] == classes[1]


def test_what_needs_all_of_the_text_says_so(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from softcount.text import stored

    monkeypatch.setattr(stored, "available", lambda: 10.0)
    with pytest.raises(sc.InputError, match=r"the start from word classes needs the whole text.*--start random"):
        sc.HMM(2).fit(texts / "sentences")
    with pytest.raises(sc.InputError, match=r"the start from k-means .* use another start: --start random"):
        sc.NaiveBayesMixture(2).fit(texts / "documents")
    sc.HMM(2, start="random", criterion="em:1").fit(texts / "sentences")
    with pytest.raises(sc.InputError, match="each counts once"):
        sc.HMM(2, start="random").fit(texts / "sentences", sample_weight=np.arange(251.0))


# --- the commands -----------------------------------------------------------------------------------------------------


def said(ran: Ran) -> str:
    assert ran.code == 0, ran.err
    return ran.out


def test_commands_take_folders(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(texts)
    for text, folder, line in (
        ("text", "sentences", "tag {} --states 2 --start random --criterion em:2 -q"),
        ("text", "sentences", "tag {} --states 2 --start random --criterion em:2 -q --output tsv"),
        ("text other", "pairs", "align {} --model ibm1 --criterion em:2 -q"),
        ("text other", "pairs", "align {} --model ibm1 --criterion em:2 -q --show 3"),
        ("text", "documents", "topics {} --topics 2 --start random --criterion em:2 -q --min-count 2"),
        ("text", "documents", "cluster {} --clusters 2 --start random --criterion em:2 -q"),
        ("text", "sentences", "classes {} --classes 2 -q"),
        ("text", "sentences", "lm {} --order 2 -q"),
    ):
        assert said(run(line.format(text))) == said(run(line.format(folder))), line
    for text, folder, line in (
        ("text", "sentences", "tag {} --states 2 --start random --criterion em:2 -q --save {}/t.model"),
        ("text other", "pairs", "align {} --criterion em:2 -q --save {}/a.model"),
        ("text", "documents", "topics {} --topics 2 --criterion em:2 --start random -q --save {}/p.model"),
        ("text", "documents", "cluster {} --clusters 2 --criterion em:2 --start random -q --save {}/c.model"),
    ):
        said(run(line.format(folder, tmp_path)))
        name, saved = line.split()[0], line.format("", tmp_path).split()[-1]
        one, other = (run(f"{name} {data} --apply {saved} --threads 2") for data in (text, folder))
        assert said(one) == said(other) and one.err.splitlines()[-1] == other.err.splitlines()[-1]


def test_shard_and_info(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(texts)
    out = tmp_path / "out"
    found = json.loads(said(run(f"shard a.txt b.txt --out {out} --json")))
    assert (found["sentences"], found["shards"], found["kind"]) == (251, 1, "sentences")
    assert found["digest"] == "sha256:" + sc.read("text").digest()
    assert json.loads(said(run(f"info {out} --json"))) == found
    both = json.loads(said(run(f"shard text --target other --out {tmp_path}/pairs --json")))
    assert both["digest"] == "sha256:" + sc.read_bitext("text", "other").digest()
    Path(tmp_path / "both").write_text("a b ||| c d\n\nx ||| y\n")
    assert json.loads(said(run(f"shard {tmp_path}/both --kind pairs --out {tmp_path}/p --json")))["pairs"] == 3
    for name, text in {"N/1": "a b b", "N/2": "c", "M/3": "a"}.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text)
    said(run(f"shard {tmp_path}/docs --kind documents --out {tmp_path}/d"))
    data = sc.read_documents(tmp_path / "d")
    assert data.digest() == sc.read_documents(tmp_path / "docs").digest()
    assert data.names == sc.read_documents(tmp_path / "docs").names and data.classes == ("M", "N")
    said(run(f"shard text --out {tmp_path}/low --lowercase"))
    said(run(f"tag {tmp_path}/low --states 2 --start random --criterion em:1 -q --save {tmp_path}/low.model"))
    assert sc.load(tmp_path / "low.model").lowercase
    refused(
        run(f"tag {out} --states 2 --tokenize rules"),
        f"{out}: its text was not prepared by --tokenize rules; write the shards again with "
        "softcount shard --tokenize rules",
    )


# --- what is wrong ----------------------------------------------------------------------------------------------------


def test_damage_is_named(texts: Path, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    written = write(folder, "sentences", [texts / "text"])
    tag = f"tag {folder} --states 2 --start random --criterion em:1 -q"
    name = written["shards"][1]["file"]
    shard, again = folder / name, "write the folder again with softcount shard"
    whole = shard.read_bytes()
    batch = read_block(str(folder), sc.Shards(folder).folder.blocks[len(written["shards"][0]["blocks"])])
    place = whole.index(batch["words"].values.tobytes())
    shard.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    refused(run(tag), f"{shard}: block 1 is damaged or changed: its digest differs; {again}")
    refused(run(f"info {folder}"), f"{shard}: damaged or changed: its digest differs; {again}")
    shard.write_bytes(whole[:-20])
    refused(run(tag), f"{shard}: {len(whole) - 20:,} bytes instead of {len(whole):,}; {again}")
    shard.unlink()
    refused(run(tag), f"{shard}: no such file, though the manifest lists it; {again}")
    shard.write_bytes(whole)
    assert run(tag).code == 0
    words = folder / "words.arrow"
    words.write_bytes(words.read_bytes()[:-1] + b"x")
    refused(run(tag), f"{words}: damaged or changed: its digest differs; {again}")
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"rows": 251', '"rows": 250'))
    refused(run(tag), f"{manifest}: damaged or changed: its digest differs; {again}")
    refused(
        run(f"align {texts}/sentences"),
        f"{texts}/sentences: holds sentences, not sentence pairs; write it again with softcount shard --kind pairs",
    )


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_writer_leaves_nothing_that_looks_whole(tmp_path: Path, end: int) -> None:
    """Killed in the middle of its text, which comes by a pipe; what it left is gone after the next."""
    out = tmp_path / "out"
    line = [sys.executable, "-m", "softcount", "shard", "-", "--out", str(out)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as writer:
        assert writer.stdin
        for _ in range(3):
            writer.stdin.write(b"a b c\n" * 300_000)
        writer.stdin.flush()
        assert writer.poll() is None and any(tmp_path.iterdir())
        writer.send_signal(end)
    assert not out.exists()
    left = list(tmp_path.iterdir())
    assert not left if end == signal.SIGTERM else all(path.name.endswith(".softcount-part") for path in left)
    (tmp_path / "text").write_text("a b\n")
    assert run(f"shard {tmp_path}/text --out {out} -q").code == 0
    assert sorted(os.listdir(tmp_path)) == ["out", "text"]


def test_no_folder_where_the_text_is_bad(tmp_path: Path) -> None:
    before = tmp_path / "text"
    before.write_bytes(b"a b\n" * 5 + b"c \xff\n")
    held = snapshot(tmp_path)
    refused(
        run(f"shard {before} --out {tmp_path}/out"),
        f"{before}:6: byte 3 of the line (0xff) is not UTF-8; convert the file, for example with "
        "iconv -f LATIN1 -t UTF-8",
    )
    assert snapshot(tmp_path) == held


# --- memory -----------------------------------------------------------------------------------------------------------


def test_no_more_is_open_than_is_worked_on(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing may be kept, at most one part per worker is open at a time."""
    from softcount.models import hmm as model
    from softcount.text import stored

    monkeypatch.setattr(files, "available", lambda: 0.0)
    monkeypatch.setattr(model, "SHARD_TOKENS", 100)
    opened: list[int] = []
    plain = stored.Part.opened

    def counting(part: Any) -> Any:
        opened.append(len(part))
        return plain(part)

    monkeypatch.setattr(stored.Part, "opened", counting)
    sc.HMM(2, start="random", criterion="em:2", tolerance=0.0).fit(texts / "sentences")
    n_words = sc.Shards(texts / "sentences").n_tokens
    assert len(opened) > 2 * n_words // 100 and max(opened) < 251 / 3


def test_limits_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    room = memory.available()
    assert 0 < room < float("inf")
    used = memory._kilobytes("/proc/self/status", "VmSize")
    assert used
    monkeypatch.setattr(resource, "getrlimit", lambda which: (int(used + 5e7), int(used + 5e7)))
    assert memory.available() < 6e7
