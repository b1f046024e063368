"""Do the tests notice? One small mistake at a time in the code that counts and decides, and the tests that should see.

    python tests/mutants.py                             # a sample of every file; goes on where a run was cut
    python tests/mutants.py --sample 20 models/ibm      # more, of the files whose names begin so
    python tests/mutants.py --again                     # those that survived, once more, after tests were written
    python tests/mutants.py --again --only "u > total"  # of those with this in their name

What a mistake is says mutant_places.py; how it is tried mutant_tests.py. Every verdict is a line of
.cache/mutants/results.jsonl as soon as there is one, and holds as long as the file that it is about stays as it is. A
survivor is either a test that is missing, or changes nothing that anybody could see: those are listed with the reason
in mutants_explained.toml, and reported no more. `python bench/bench_mutants.py` makes the table of them all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutant_places import HOME, File

ROOT = Path(__file__).parent.parent
KEPT = ROOT / ".cache" / "mutants"
ROOMS = ("models/", "families/", "criteria/", "links/joining.py")
TWICE = ("families/", "links/")  # twice the sample, like all files with kernels: the code that counts and decides
# where the tests are that can notice, by the beginning of a file's name, the longest that fits; in one process and
# without the compiler, so not what starts commands, browsers or clusters
TESTS = {
    "models/agreement_places": "agreement_places",
    "models/agreement": "agreement abreast known_links",
    "models/both_ways": "constrained expect[jumps",
    "models/collapsed": "chains",
    "models/crf": "tied expect[crf crf features",
    "models/fertility": "agreement",
    "models/gaussian": "tied expect[gaussian documents_literal documents_criteria[gaussian",
    "models/grammar": "expect[grammar grammar cfg_trees",
    "models/hmm": "tied expect[hmm hmm_kernel potentials",
    "models/ibm": "draws expect[ibm ibm potentials diagonal",
    "models/jump_abreast": "abreast agreement",
    "models/jump": "expect[jumps jump_hmm",
    "models/linear": "expect[mixture expect[gaussian lanes documents_literal",
    "models/link_crf": "expect[link-crf link_crf",
    "models/mixture": "tied expect[mixture documents_literal",
    "models/network": "tied expect[network network",
    "models/ngram_channel": "expect[channel hmm_language decipher",
    "models/nonzero": "expect[plsa expect[mixture documents_literal",
    "models/plsa": "folded tied draws expect[plsa documents_literal item_rows[em",
    "models/scattered": "expect[plsa expect[mixture documents_literal",
    "models/word_": "word_classes",
    "families/backoff": "backoff left_out",
    "families/categorical": "families layout log_linear[categorical",
    "families/diagonal": "diagonal ibm",
    "families/direction": "direction",
    "families/dirichlet": "families layout posterior",
    "families/empty_word": "small_families",
    "families/full_gaussian": "full_gaussian",
    "families/gaussian": "documents_criteria[gaussian posterior[gaussian",
    "families/jumps": "jump_hmm agreement[of_a_kind agreement[kinds_of_their_own",
    "families/kept": "small_families",
    "families/left_out": "left_out",
    "families/log_linear": "log_linear",
    "families/point": "small_families",
    "families/positions": "jump_hmm link_crf",
    "families/sparse_rows": "sparse_rows",
    "families/spread": "ranges",
    "families/unseen": "backoff",
    "families/penalty": "small_families families",
    "families/weights": "small_families crf link_crf",
    "families/": "families layout posterior",
    "criteria/annealed": "criteria[anneal",
    "criteria/autoencode": "crf",
    "criteria/constrained": "constrained",
    "criteria/direct": "log_linear features",
    "criteria/gibbs": "criteria[gibbs posterior[gibbs",
    "criteria/hard": "criteria[hard",
    "criteria/mre": "criteria[mre reconstruction",
    "criteria/posterior": "posterior chains",
    "criteria/rates": "criteria[mre crf",
    "criteria/sampling": "chains sampling",
    "criteria/spec": "criteria layout",
    "criteria/stepwise": "criteria[stepwise",
    "criteria/vb": "criteria[vb posterior",
    "criteria/": "criteria[em criteria[vb",
    "links/joining": "joining align_decode",
}


# --- what is kept -----------------------------------------------------------------------------------------------------


def kept(files: Iterable[File]) -> dict[tuple[str, str], dict[str, Any]]:
    """The last verdict on every mistake of these files, as they are now."""
    digests = {file.name: file.digest for file in files}
    path = KEPT / "results.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = map(json.loads, lines)
    return {(one["file"], one["mistake"]): one for one in found if digests.get(one["file"]) == one["digest"]}


def keep(file: File, number: int, verdict: Any) -> None:
    place = file.places[number]
    one = {"file": file.name, "digest": file.digest, "mistake": place.name, "line": place.line, **verdict._asdict()}
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "results.jsonl").open("a", encoding="utf-8") as out:
        out.write(json.dumps(one, ensure_ascii=False) + "\n")


def explained() -> dict[str, dict[str, str]]:
    """{file: {mistake: why nothing depends on it}}"""
    return tomllib.loads((ROOT / "tests" / "mutants_explained.toml").read_text(encoding="utf-8"))


def names(*begin: str) -> list[str]:
    """Of the files whose names begin so, in that order."""
    every = sorted(str(path.relative_to(HOME)) for path in HOME.rglob("*.py") if path.name != "__init__.py")
    rooms = [name for name in every if name.startswith(ROOMS)]
    return list(dict.fromkeys(name for first in begin or ROOMS for name in rooms if name.startswith(first)))


def all_files(*begin: str) -> list[File]:
    return [File(name) for name in names(*begin)]


def can_notice(file: str) -> list[tuple[str, str]]:
    """(path, case) of the tests that can notice a mistake in this file: those of the path with that case, or all."""
    fitting = max((begin for begin in TESTS if file.startswith(begin)), key=len)
    words = [word.partition("[") for word in TESTS[fitting].split()]
    return [(f"tests/test_{name}.py", case) for name, _, case in words]


def _wanted(test: str, wanted: list[tuple[str, str]]) -> bool:
    return any(test.startswith(path) and case in test.lower() for path, case in wanted)


# --- the tests without a mistake --------------------------------------------------------------------------------------


def measured(tests: Any, wanted: list[tuple[str, str]]) -> dict[str, Any]:
    """What the tests of these files do without a mistake: measured anew where their own file has changed, or one of the
    library that they run."""
    from mutant_tests import measure

    path = KEPT / "tests.json"
    digests = {file.name: file.digest for file in tests.files}
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = {name: each for name, each in known.items() if each["stamp"] == _stamp(name, each, digests)}
    new = [name for name in tests.items if _wanted(name, wanted) and name not in now]
    for name, each in measure(tests, new):
        now[name] = {**each, "stamp": _stamp(name, each, digests)}
        if len(now) % 50 == 0 or name == new[-1]:
            _write(path, now)
    return {name: each for name, each in now.items() if _wanted(name, wanted) and name in tests.items}


def _stamp(test: str, found: dict[str, Any], digests: dict[str, str]) -> str:
    """Of a test's own file and the files that it runs, with which its results may change."""
    path = ROOT / test.split("::")[0]
    texts = [path.read_text(encoding="utf-8") if path.exists() else "", *(digests.get(f, "") for f in found["seen"])]
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value), encoding="utf-8")
    part.rename(path)


# --- the run ----------------------------------------------------------------------------------------------------------


def sampled(file: File, sample: int, seed: int) -> list[int]:
    twice = file.name.startswith(TWICE) or "@kernel" in file.source or "@within" in file.source
    order = list(range(len(file.places)))
    random.Random(f"{seed} {file.name}").shuffle(order)  # a greater sample goes on from a smaller one
    return sorted(order[: sample * (1 + twice)])


def run(tests: Any, files: list[File], given: Any) -> None:
    from mutant_tests import attempt

    reasons = explained()
    before = kept(files)
    for file in files:
        if not (numbers := chosen(file, given, before)):
            continue
        known = measured(tests, can_notice(file.name))
        noticed: Counter[str] = Counter(one["by"] for one in before.values() if one["file"] == file.name)
        for number in numbers:
            verdict = attempt(tests, file, number, known, noticed)
            keep(file, number, verdict)
            noticed[verdict.by] += 1
            place = file.places[number]
            if verdict.outcome != "noticed" and place.name not in reasons.get(file.name, {}):
                print(f"{verdict.outcome}  {file.name}:{place.line}  {place.name}", flush=True)
        print(f"{file.name} done", file=sys.stderr, flush=True)


def chosen(file: File, given: Any, before: dict[tuple[str, str], dict[str, Any]]) -> list[int]:
    """The mistakes to be tried now: those of the sample that were not, or those that survived, or all of a name."""
    last = [before.get((file.name, place.name)) for place in file.places]
    if given.only:
        return [k for k, place in enumerate(file.places) if given.only in place.name]
    if given.again:
        return [k for k, one in enumerate(last) if one and one["outcome"] != "noticed"]
    return [k for k in sampled(file, given.sample, given.seed) if not last[k]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help="beginnings of names within src/softcount; if none, all")
    parser.add_argument("--sample", type=int, default=4, help="mistakes per file; twice that where it counts")
    parser.add_argument("--examples", type=int, default=15, help="made for a test that says no number itself")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="those that survived, once more")
    parser.add_argument("--only", default="", help="those that have this in their name, sampled or not")
    given = parser.parse_args()
    os.chdir(ROOT)
    from mutant_tests import collected

    files = all_files(*given.files)
    paths = sorted({path for file in files for path, _ in can_notice(file.name)})
    collected(paths, all_files(), given.examples, lambda tests: run(tests, files, given))
    verdicts = Counter(one["outcome"] for one in kept(files).values())
    print(", ".join(f"{n} {outcome}" for outcome, n in verdicts.most_common()))


if __name__ == "__main__":
    main()
