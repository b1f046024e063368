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
from functools import cache
from pathlib import Path
from typing import Any

from mutant_places import HOME, File

ROOT = Path(__file__).parent.parent
KEPT = ROOT / ".cache" / "mutants"
ROOMS = ("models/", "families/", "criteria/", "links/joining.py")
TWICE = ("families/", "links/")  # twice the sample, like all files with kernels: the code that counts and decides
# Where the tests are that can notice, by the beginning of a file's name, the longest that fits: whole files, or those
# of their tests that have one of these words in their names. In one process and without the compiler, so not what
# starts commands, browsers or clusters.
TESTS = {
    "models/agreement_places": "agreement_places",
    "models/agreement": "agreement abreast",
    "models/both_ways": "constrained[directions|alone|link_alike",
    "models/collapsed": "chains[means|dictionary|hard|burn",
    "models/crf": "tied expect[crf crf[brute|small|em|plain",
    "models/fertility": "agreement",
    "models/gaussian": "tied expect[gaussian documents_literal documents_criteria[gaussian",
    "models/grammar": "expect[grammar grammar cfg_trees",
    "models/hmm": "tied draws[sentences expect[hmm hmm_kernel potentials[labels",
    "models/ibm": "draws expect[ibm ibm[flat|matrices|decoding|words|e_step|wishes|parts|noise|bits diagonal",
    "models/jump_abreast": "abreast agreement",
    "models/jump": "expect[jumps jump_hmm[long|held|distribution",
    "models/linear": "expect[mixture|gaussian documents_literal",
    "models/link_crf": "expect[link-crf link_crf[brute|never|association",
    "models/mixture": "tied expect[mixture documents_literal",
    "models/network": "network[gathered tied expect[network network[late|brute|complete|equal|wide|refused",
    "models/ngram_channel": "expect[channel hmm_language[likelihood|bigrams|trigrams decipher[table|blanks",
    "models/nonzero": "expect[plsa|mixture documents_literal",
    "models/plsa": "folded tied draws expect[plsa documents_literal potentials[folding|background",
    "models/recounted": "recounted[rates|brute|means|sums|kept",
    "models/scattered": "expect[plsa|mixture documents_literal",
    "models/word_": "word_classes",
    "families/backoff": "backoff left_out",
    "families/categorical": "families layout sparse_rows",
    "families/diagonal": "diagonal",
    "families/direction": "direction",
    "families/dirichlet": "families ibm[special|elbo",
    "families/empty_word": "small_families",
    "families/full_gaussian": "full_gaussian[square|scipy|evidence|feature|floor full_gaussian",
    "families/gaussian": "documents_criteria[gaussian full_gaussian[one_feature",
    "families/jumps": "jump_hmm[slope|distribution|imagined|held|tables agreement[of_a_kind|kinds_of_their_own",
    "families/gathered": "gathered_places gathered",
    "families/kept": "small_families",
    "families/leaning": "leaning[formula|pseudo|without|held",
    "families/left_out": "left_out",
    "families/log_linear": "log_linear[far|axes|equation|differences|maximum|alone|nothing|plain|ascent|most_of",
    "families/point": "small_families",
    "families/positions": "jump_hmm[sound|imagined|slope|held|family link_crf[brute",
    "families/penalty": "small_families families",
    "families/sparse_rows": "sparse_rows",
    "families/spread": "spread",
    "families/unseen": "backoff",
    "families/weights": "small_families",
    "families/": "families layout small_families",
    "criteria/annealed": "criteria[anneal",
    "criteria/autoencode": "crf[small|brute|em|plain",
    "criteria/constrained": "constrained",
    "criteria/direct": "log_linear[direct criteria[direct",
    "criteria/gibbs": "posterior[mean_over criteria[gibbs posterior[gibbs",
    "criteria/hard": "criteria[hard",
    "criteria/mre": "criteria[mre reconstruction",
    "criteria/posterior": "posterior[by_hand|gibbs",
    "criteria/rates": "criteria[rates crf[small",
    "criteria/sampling": "chains[burn|hard",
    "criteria/spec": "criteria[spec|settings|steps layout",
    "criteria/stepwise": "criteria[stepwise",
    "criteria/vb": "criteria[promise|[vb|elbo",
    "criteria/": "criteria[promise|[em|[vb|posterior",
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
    return [(f"tests/test_{name}.py", case) for name, _, cases in words for case in cases.split("|")]


def _wanted(test: str, wanted: list[tuple[str, str]]) -> bool:
    return any(test.startswith(path) and case in test.partition("::")[2].lower() for path, case in wanted)


# --- the tests without a mistake --------------------------------------------------------------------------------------


def measured(tests: Any, wanted: list[tuple[str, str]], seconds: float) -> dict[str, Any]:
    """What these tests do without a mistake: measured anew where their own file has changed, or one of the library that
    they run; as many of them as these seconds of the processor allow."""
    from mutant_tests import TOO_LONG, measure

    path = KEPT / "tests.json"
    digests = {file.name: file.digest for file in tests.files}
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = {name: each for name, each in known.items() if each["stamp"] == _stamp(name, each, digests)}
    now = {name: e for name, e in now.items() if e["wrong"] != TOO_LONG or e["seconds"] >= tests.longest}
    place = [path for path, _ in wanted]
    new = [name for name in tests.items if _wanted(name, wanted) and name not in now]
    new.sort(key=lambda name: place.index(name.partition("::")[0]))
    for name, each in measure(tests, new):
        now[name] = {**each, "stamp": _stamp(name, each, digests)}
        seconds -= each["seconds"]
        if seconds < 0.0:
            break
    _write(path, now)
    return {name: each for name, each in now.items() if _wanted(name, wanted) and name in tests.items}


@cache
def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).exists() else ""


def _stamp(test: str, found: dict[str, Any], digests: dict[str, str]) -> str:
    """Of a test's own file and the files that it runs, with which its results may change."""
    texts = [_text(test.split("::")[0]), *(digests.get(file, "") for file in found["seen"])]
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
        known = measured(tests, can_notice(file.name), 4 * given.patience)
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
    parser.add_argument("--patience", type=float, default=20.0, help="seconds of tests that a mistake is tried on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="those that survived, once more")
    parser.add_argument("--only", default="", help="those that have this in their name, sampled or not")
    given = parser.parse_args()
    os.chdir(ROOT)
    from mutant_tests import collected

    files = all_files(*given.files)
    paths = sorted({path for file in files for path, _ in can_notice(file.name)})
    collected(paths, lambda tests: run(tests, files, given), all_files(), given.examples, given.patience)
    verdicts = Counter(one["outcome"] for one in kept(files).values())
    print(", ".join(f"{n} {outcome}" for outcome, n in verdicts.most_common()))


if __name__ == "__main__":
    main()
