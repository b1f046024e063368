"""What a file says is never run, opened or imported: commands, paths and names in models and folders of shards."""

from __future__ import annotations

import json
import pickle
import warnings
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from command import refused, run
from forgery import put_together, taken_apart

import softcount
from softcount import InputError
from softcount.disk.store import Stored
from softcount.text.claim import Claim, claimed
from softcount.text.preparation import Preparation, prepared, tokenized
from softcount.text.shard_manifest import sealed

COMMAND = "pipe:sh -c 'touch X; cat'"
AGAIN = (
    f"its text was tokenized by {COMMAND!r}, and commands in a model are not run; give --tokenize "
    "again (Python: tokenize=): pipe:COMMAND, if you trust it, rules, sacremoses, jieba, mecab, spacy or none"
)
TRAINED = {
    "tag": "tag text --states 2 --criterion em:1",
    "classes": "classes text --classes 2 --criterion exchange:1",
    "align": "align text other --model ibm1 --criterion em:1",
    "topics": "topics text --topics 2 --criterion em:1",
    "cluster": "cluster text --clusters 2 --criterion em:1",
    "lm": "lm text --order 2",
    "letters": "lm text --order 2 --characters",
    "decipher": "decipher text --lm letters --restarts 1 --criterion em:1",
}
APPLIED = {
    "tag text --apply tag": "tag",
    "classes text --apply classes": "classes",
    "align text other --apply align": "align",
    "topics text --apply topics": "topics",
    "cluster text --apply cluster": "cluster",
    "lm text --apply lm": "lm",
    "lm text --apply lm --report page.html": "lm",
    "decipher text --apply decipher": "decipher",
    "show tag text": "tag",
    "show classes text": "classes",
    "show topics text": "topics",
    "show align text other": "align",
    "report tag text": "tag",
    "report align text other": "align",
    "report lm text": "lm",
    "report topics text": "topics",
    "glossary align text other": "align",
    "translate align text --lm lm": "align",
    "translate align text --lm lm --tune text --tune-target other": "align",
    "rank align text other --lm lm": "align",
    "score topics topics text": "topics",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of every command, whose `reading` was forged to name a command."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.chdir(folder)
        Path("text").write_text("a b c\nb a\nc a b\na c\n" * 6)
        Path("other").write_text("x y z\ny x\nz x y\nx z\n" * 6)
        for name, line in TRAINED.items():
            assert run(f"{line} -q --save {name}").code == 0
            if name != "letters":
                forge(name, tokenize=COMMAND)
    return folder


def forge(name: str, **reading: Any) -> None:
    parts = taken_apart(Path(name).read_bytes())
    parts.about["body"]["reading"] = {**parts.about["body"].get("reading", {}), **reading}
    Path(name).write_bytes(put_together(*parts))


@pytest.fixture
def here(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in models.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", APPLIED)
def test_no_command_of_a_model_is_run(here: Path, line: str) -> None:
    before = sorted(path.name for path in here.iterdir())
    refused(run(line), f"{APPLIED[line]}: {AGAIN}")
    assert sorted(path.name for path in here.iterdir()) == before
    ran = run(f"{line} --tokenize pipe:cat")
    assert ran.code == 0 and not Path("X").exists(), ran
    said = f"note: the text is tokenized by 'pipe:cat', the model's training text by {COMMAND!r}; words may be split"
    assert any(one.startswith(said) for one in ran.said), ran.said


NAMED = [
    "pipe:touch X",
    "pipe:",
    "/bin/touch X",
    "http://a/b",
    "os:system",
    "canary",
    "x" * 500,
    "a\x1b[31m\nb",
    "spacy:canary",
]


@pytest.mark.parametrize("named", NAMED)
def test_no_name_but_those_of_tokenizers(here: Path, named: str) -> None:
    forge("tag", tokenize=named)
    ran = run("tag text --apply tag")
    shown = repr(named if len(named) <= 60 else named[:60] + "…")
    refused(ran, f"tag: its text was tokenized by {shown}, and commands in a model are not run; ")
    assert not Path("X").exists() and ran.said[0].isprintable()
    forge("tag", tokenize="rules", normalize=named)
    refused(
        run("tag text --apply tag"), f"tag: names no Unicode form ({shown}); give --normalize: NFC, NFD, NFKC, NFKD"
    )


def test_info_shows_what_a_file_says(here: Path) -> None:
    forge("tag", tokenize="pipe:a\x1b[31m\nb")
    ran = run("info tag")
    assert ran.code == 0 and "tokenize=pipe:a\\x1b[31m\\nb" in ran.out
    assert all(line.isprintable() for line in ran.out.splitlines())
    assert json.loads(run("info tag --json").out)["reading"]["tokenize"] == "pipe:a\x1b[31m\nb"
    assert run("shard text --out folder -q").code == 0
    manifest("folder", reading={"tokenize": "pipe:\x1b[31m"})
    assert "tokenize=pipe:\\x1b[31m\n" in run("info folder").out


def test_another_tokenizer_is_said(here: Path) -> None:
    note, end = (
        "note: the text is tokenized by {}, the model's training text by {}",
        "; words may be split differently",
    )
    for before, asked, now in (
        ("rules", "pipe:cat", "'pipe:cat'"),
        ("rules", "none", "spaces only"),
        (None, "rules", "rules"),
    ):
        forge("tag", tokenize=before)
        ran = run(f"tag text --apply tag --tokenize {asked}")
        assert ran.code == 0 and note.format(now, before or "spaces only") + end in ran.said
    forge("tag", tokenize="rules", normalize="NFC")
    ran = run("tag text --apply tag")
    assert ran.code == 0 and not any("note: the text" in one for one in ran.said)
    ran = run("tag text --apply tag --normalize none")
    assert "note: the text is normalized to no form, the model's training text to NFC" in ran.said


# --- folders of shards ------------------------------------------------------------------------------------------------


def manifest(folder: str, **changed: Any) -> None:
    path = Path(folder, "manifest.json")
    found = json.loads(path.read_text())
    del found["sha256"], found["softcount shards"]
    path.write_bytes(sealed(found | changed))


def test_no_command_of_a_folder_is_run_or_handed_on(here: Path) -> None:
    assert run("shard text --out folder -q").code == 0
    manifest("folder", reading={"tokenize": COMMAND})
    train = "tag folder --states 2 --criterion em:1 --start random"
    assert run(f"{train} -q --save m").code == 0
    refused(run("tag text --apply m"), f"m: {AGAIN}")
    refused(run(f"{train} -q --dev text"), f"folder/manifest.json: {AGAIN}")
    assert run("tag folder --apply m -q").code == 0, "its text is tokenized already"
    assert not Path("X").exists()
    manifest("folder", reading={"tokenize": "pipe:cat"})
    assert run(f"{train} -q --dev text --tokenize pipe:cat").code == 0, "as a person says as well"
    refused(
        run("tag folder --apply m -q"),
        f"folder: its text was not prepared by --tokenize {COMMAND!r} like the model's; write the shards again with "
        "softcount shard, or add --tokenize 'pipe:cat' to apply the model anyway",
    )
    ran = run("tag folder --apply m --tokenize pipe:cat")
    assert ran.code == 0 and any(one.startswith("note: the text is tokenized by 'pipe:cat'") for one in ran.said)


FILES = [
    "../text",
    "/etc/passwd",
    "folder/../../text",
    "http://a/shard-00000.arrow",
    "shard-٠٠٠٠٠.arrow",
    "",
    "words.arrow/x",
    7,
]


@pytest.mark.parametrize("name", FILES)
def test_a_folder_names_files_of_its_own(here: Path, name: Any) -> None:
    assert run("shard text --out folder -q").code == 0
    before = json.loads(Path("folder/manifest.json").read_text())
    for what in ("shards", "sides"):
        manifest("folder", **{what: [{**before[what][0], "file": name}]})
        for line in ("info folder", "tag folder --states 2 --criterion em:1 --start random"):
            ran = run(line)
            assert ran.code == 2 and ran.out == "" and len(ran.said) == 1, ran
            assert ran.said[0].startswith(f"softcount: folder/manifest.json: invalid value {what!r}")
        manifest("folder", **{what: before[what]})
    assert run("info folder").code == 0


# --- Python -----------------------------------------------------------------------------------------------------------


def test_claims_stay_claims(tmp_path: Path) -> None:
    claim = claimed(" a,b ", tmp_path / "m", "features")
    for made in (pickle.loads(pickle.dumps(claim)), deepcopy(claim), *claim.split(","), claim.strip()):
        assert type(made) is Claim and (made.file, made.name) == (str(tmp_path / "m"), "features")
    assert claim == " a,b " and type(str(claim)) is str and claim.strip() == "a,b"
    assert [type(one) for one in claimed(["x", 7], "m", "n")] == [Claim, int]
    assert type(claimed({"t": "x"}, "m", "n")["t"]) is Claim


def test_no_call_runs_what_a_file_says(here: Path) -> None:
    model = softcount.load("tag")
    assert model.reading_["tokenize"] == COMMAND
    again = pickle.loads(pickle.dumps(model))
    for call in (
        lambda: softcount.read("text", prepare=Preparation(model.reading_["tokenize"])),
        lambda: softcount.read("text", tokenize=again.reading_["tokenize"]),
        lambda: softcount.read_documents("text", tokenize=model.reading_["tokenize"]),
        lambda: softcount.read_bitext("text", "other", tokenize=model.reading_["tokenize"]),
        lambda: prepared(b"a b", Preparation(deepcopy(model).reading_["tokenize"])),
        lambda: tokenized(["a b"], model.reading_["tokenize"]),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == f"tag: {AGAIN}"
    assert not Path("X").exists()
    assert softcount.read("text", tokenize="pipe:sed s/a/A/").vocabulary.words[0] == "A"
    model.save("again")
    assert Stored("again").body["reading"]["tokenize"] == COMMAND, "a description is kept"


TEXT, OTHER = ["a b c", "b a", "c a b"] * 4, ["x y z", "y x", "z x y"] * 4
PATHS: dict[str, tuple[Any, tuple[Any, ...], dict[str, str]]] = {
    "hmm": (
        lambda **s: softcount.HMM(2, criterion="em:1", random_state=0, **s), (TEXT,),
        {"dictionary": "dictionary.tsv", "features": "identity,features.tsv", "start": "P.json"},
    ),
    "classes": (
        lambda **s: softcount.WordClasses(2, criterion="exchange:1", **s), (TEXT,), {"dictionary": "dictionary.tsv"},
    ),
    "aligner": (
        lambda **s: softcount.WordAligner(criterion="em:1", **s), (TEXT, OTHER),
        {"dictionary": "bilingual.tsv", "stems": "stems.tsv,stems.tsv", "prior": "prior"},
    ),
    "grammar": (
        lambda **s: softcount.Grammar(criterion="em:1", random_state=0, **s), (TEXT,), {"grammar": "rules.cfg"},
    ),
    "network": (
        lambda **s: softcount.Network(**{"structure": "a -> b", **s}, criterion="em:1", random_state=0),
        ({"a": ["x", "y"], "b": ["u", "v"]},), {"structure": "net.bif", "start": "T.json"},
    ),
    "mixture": (
        lambda **s: softcount.NaiveBayesMixture(2, criterion="em:1", random_state=0, **s), (TEXT,),
        {"features": "features.tsv"},
    ),
}  # fmt: skip
CASES = [(kind, name) for kind, (_, _, paths) in PATHS.items() for name in paths]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that settings name."""
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        Path("dictionary.tsv").write_text("a\tA\nb\tB\n")
        Path("features.tsv").write_text("a\tone\nb\ttwo\nc\tone\n")
        Path("bilingual.tsv").write_text("a\tx\tprefer\n")
        Path("stems.tsv").write_text("a\t1\nb\t1\nx\t1\ny\t1\nz\t1\n")
        Path("rules.cfg").write_text("S -> S S | 'a' | 'b' | 'c'\n")
        softcount.WordAligner(criterion="em:1").fit(TEXT, OTHER).save("prior")
        network = softcount.Network("a -> b", criterion="em:1", random_state=0).fit(PATHS["network"][1][0])
        Path("T.json").write_text(json.dumps(network.to_json()))
        Path("net.bif").write_text(network.to_bif())
        hmm = softcount.HMM(2, criterion="em:1", random_state=0).fit(TEXT)
        Path("P.json").write_text(json.dumps(hmm.to_json()))
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_paths_are_given_again(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    """What is loaded opens no path that its file names, and says so where it would need one."""
    monkeypatch.chdir(written)
    make, data, paths = PATHS[kind]
    saved = tmp_path / "m"
    make(**{name: paths[name]}).fit(*data).save(saved)
    loaded = softcount.load(saved)
    assert getattr(loaded, name) == paths[name]
    with pytest.raises(InputError) as caught:
        loaded.fit(*data)
    shown = repr(paths[name].split(",")[-1])
    assert str(caught.value) == (
        f"{saved}: its setting {name} is the path {shown}, and paths in a model are not opened; "
        f"give the path again ({name}=PATH)"
    )
    again = softcount.load(saved, **{name: paths[name]}).fit(*data)
    assert again.signature_ == loaded.signature_


def test_where_sums_are_computed_is_not_in_a_file(here: Path) -> None:
    parts = taken_apart(Path("tag").read_bytes())
    for engine in ("ray", "ray://127.0.0.1:1", "canary"):
        parts.about["body"]["settings"]["engine"] = engine
        Path("m").write_bytes(put_together(*parts))
        assert softcount.load("m").engine == "threads"
    assert softcount.load("m", engine="ray").engine == "ray"
