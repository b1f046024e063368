"""Do the tests notice? One small mistake at a time in the code that counts and decides, and the tests that should see.

    python tests/mutants.py --sample 5 --seed 1 models/ibm_kernel.py

A mistake is a comparison that is off by one or turned round, another operator, a number one higher, `and` for `or`. Of
every file a random sample is tried, each in a process of its own with a limit of time; kernels uncompiled. What
survives is printed: either nothing depends on it, or a test is missing. Without a mistake they must pass, which is
tried first.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import resource
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_SECONDS = 90  # of the processor; what takes longer than that hangs, and is noticed
TESTS = {
    "models/ibm": "tests/test_ibm.py tests/test_potentials.py tests/test_expect.py -k ibm -m kernels",
    "models/hmm": "tests/test_hmm_kernel.py tests/test_expect.py -k hmm -m kernels",
    "models/linear": "tests/test_expect.py -k mixture or gaussian",
    "models/mixture": "tests/test_expect.py -k mixture",
    "models/gaussian": "tests/test_expect.py -k gaussian",
    "models/plsa": "tests/test_expect.py -k plsa",
    "models/jump": "tests/test_jump_hmm.py",
    "models/link_crf": "tests/test_link_crf.py",
    "models/agreement": "tests/test_agreement.py",
    "models/both_ways": "tests/test_constrained.py -k direction or symmetr",
    "models/collapsed": "tests/test_chains.py",
    "models/crf": "tests/test_crf.py",
    "models/fertility": "tests/test_agreement.py",
    "models/jump_abreast": "tests/test_abreast.py tests/test_agreement.py",
    "models/ngram_channel": "tests/test_hmm_language.py",
    "models/network": "tests/test_network.py tests/test_expect.py -k network",
    "models/grammar": "tests/test_grammar.py tests/test_expect.py -k grammar",
    "models/word_": "tests/test_word_classes.py",
    "models/scattered": "tests/test_expect.py -k plsa or mixture",
    "families/diagonal": "tests/test_diagonal.py tests/test_ibm.py",
    "families/backoff": "tests/test_backoff.py",
    "families/dirichlet": "tests/test_families.py tests/test_layout.py tests/test_posterior.py",
    "families/full_gaussian": "tests/test_full_gaussian.py",
    "families/jumps": "tests/test_jump_hmm.py tests/test_agreement.py",
    "families/left_out": "tests/test_left_out.py",
    "families/log_linear": "tests/test_log_linear.py",
    "families/sparse_rows": "tests/test_sparse_rows.py",
    "families/spread": "tests/test_ranges.py",
    "families/": "tests/test_families.py tests/test_layout.py",
    "criteria/annealed": "tests/test_criteria.py -k anneal",
    "criteria/autoencode": "tests/test_crf.py",
    "criteria/constrained": "tests/test_constrained.py",
    "criteria/direct": "tests/test_log_linear.py -k direct",
    "criteria/gibbs": "tests/test_criteria.py -k gibbs",
    "criteria/hard": "tests/test_criteria.py -k hard",
    "criteria/mre": "tests/test_criteria.py tests/test_reconstruction.py -k mre or reconstruct",
    "criteria/posterior": "tests/test_posterior.py",
    "criteria/rates": "tests/test_criteria.py -k mre",
    "criteria/sampling": "tests/test_chains.py",
    "criteria/spec": "tests/test_criteria.py -k spec or parse or refus or stage",
    "criteria/stepwise": "tests/test_criteria.py -k stepwise",
    "criteria/": "tests/test_criteria.py",
    "links/joining": "tests/test_joining.py",
}
OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.And: ast.Or,
    ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """(node, field) of all that can be mistaken: in function bodies, what is computed and not what is annotated."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                for node in _computed(statement):
                    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
                        yield node, "ops"
                    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHER:
                        yield node, "op"
                    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
                        yield node, "value"


def _computed(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name != "annotation" and not isinstance(node, ast.FunctionDef):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _computed(child)


def mistaken(tree: ast.Module, number: int) -> tuple[str, str]:
    """The source with its mistake, and what was mistaken."""
    wrong = copy.deepcopy(tree)
    node, field = list(places(wrong))[number]
    before = ast.unparse(node)
    if field == "ops":
        node.ops[0] = OTHER[type(node.ops[0])]()  # type: ignore[attr-defined]
    elif field == "op":
        node.op = OTHER[type(node.op)]()  # type: ignore[attr-defined]
    else:
        node.value += 1  # type: ignore[attr-defined]
    return ast.unparse(wrong), f"{node.lineno}: {before}  ->  {ast.unparse(node)}"  # type: ignore[attr-defined]


def noticed(name: str, source: str) -> bool:
    """Whether the tests of this file fail with this source in its place."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        os._exit(_ran(name, source))
    return os.waitpid(child, 0)[1] != 0


def _ran(name: str, source: str) -> int:
    import numba
    import pytest

    numba.config.DISABLE_JIT = int("@kernel" in source)  # all else leaves the kernels as they are, compiled and kept
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    chosen = TESTS[max((prefix for prefix in TESTS if name.startswith(prefix)), key=len)]
    paths, _, rest = chosen.partition(" -k ")
    word, _, mark = rest.partition(" -m ")
    options = (["-k", word] if word else []) + (["-m", mark] if mark else [])
    try:
        _import("softcount." + name.removesuffix(".py").replace("/", "."), source)
    except Exception:  # a mistake that cannot even be imported
        return 1
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *paths.split(), *options]))


def _import(module: str, source: str) -> None:
    """This source in the module's place, for all that import it from now on."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    made = sys.modules[module] = module_from_spec(spec)
    exec(compile(source, spec.origin, "exec"), made.__dict__)
    parent, _, last = module.rpartition(".")
    setattr(sys.modules[parent], last, made)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", help="within src/softcount; all that TESTS has tests for, if none is given")
    parser.add_argument("--sample", type=int, default=3, help="mistakes per file")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.chdir(ROOT)
    for heavy in ("numba", "scipy.sparse", "scipy.special"):  # once, for all that fork from here
        import_module(heavy)

    home = ROOT / "src" / "softcount"
    known = sorted(str(p.relative_to(home)) for p in home.rglob("*.py"))
    files = given.files or [f for f in known if any(f.startswith(prefix) for prefix in TESTS)]
    tried = survived = possible = 0
    for name in files:
        tree = ast.parse((home / name).read_text())
        n = len(list(places(tree)))
        possible += n
        if noticed(name, ast.unparse(tree)):
            print(f"skipped   {name}: its tests fail, or take too long, without a mistake", flush=True)
            continue
        chosen = sorted(random.Random(f"{given.seed} {name}").sample(range(n), min(given.sample, n)))
        for number in chosen:
            source, what = mistaken(tree, number)
            tried += 1
            if not noticed(name, source):
                survived += 1
                print(f"survived  {name}:{what}", flush=True)
        print(f"{name}: {len(chosen)} of {n}", file=sys.stderr, flush=True)
    print(f"{tried} of {possible} mistakes tried, {tried - survived} noticed, {survived} survived")


if __name__ == "__main__":
    main()
