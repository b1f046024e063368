"""Moves and merges modules, and renames what they define, by two tables: modules.tsv and names.tsv.

    python tests/moving/move.py [--only PREFIX …] [--check]        (needs `pip install libcst`)

modules.tsv: ``old module<TAB>new module``, without ``softcount.``. Several old modules with one new one are merged in
the order of the table: docstrings and bodies follow one another, imports are joined. names.tsv: ``old module:name<TAB>
new name`` for what a module defines, in the module and wherever it is imported. Imports, dotted names and paths are
rewritten in the source, tests, benches, pages and settings. Names that would collide stop the run before anything is
written. Rows that are already done are passed over, so the tables stay as the record of what was called how.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import libcst as cst
from libcst.metadata import GlobalScope, MetadataWrapper, ScopeProvider

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCE = ROOT / "src" / "softcount"
TEXTS = ("*.py", "*.md", "*.toml", "*.tsv", "*.yml", "*.rst", "*.cfg", "Makefile", "*.json")
HISTORY = ("tests/compat/0.2", "tests/moving", "docs/data", "CHANGELOG.md")  # says what was called how then


def read_table(path: Path) -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return [(row[0], row[1]) for row in rows]


def path_of(module: str) -> Path:
    return SOURCE / (module.replace(".", "/") + ".py")


def dotted(node: cst.BaseExpression | None) -> str:
    return "" if node is None else cst.parse_module("").code_for_node(node)


class Renamer(cst.CSTTransformer):
    """Names of a module's global scope, wherever in the module they are meant."""

    METADATA_DEPENDENCIES = (ScopeProvider,)

    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        new = self.names.get(original.value)
        if new is None:
            return updated
        scope = self.get_metadata(ScopeProvider, original, None)
        while scope is not None and not isinstance(scope, GlobalScope):
            if original.value in {a.name for a in scope.assignments} and scope._getitem_from_self_or_parent is not None:
                owns = [a for a in scope[original.value] if a.scope is scope]
                if owns:
                    return updated
            scope = scope.parent
        return updated.with_changes(value=new) if scope is not None else updated

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        return updated.with_changes(attr=original.attr)

    def leave_Arg(self, original: cst.Arg, updated: cst.Arg) -> cst.Arg:
        return updated.with_changes(keyword=original.keyword)

    def leave_ImportFrom(self, original: cst.ImportFrom, updated: cst.ImportFrom) -> cst.BaseSmallStatement:
        return original  # what another module defines is renamed by rename_imports

    def leave_Import(self, original: cst.Import, updated: cst.Import) -> cst.BaseSmallStatement:
        return original


def rename(text: str, names: dict[str, str]) -> str:
    if not names or not re.search(rf"\b({'|'.join(map(re.escape, names))})\b", text):
        return text
    return MetadataWrapper(cst.parse_module(text)).visit(Renamer(names)).code


def defined(text: str) -> set[str]:
    """Names that a module defines at its top, without those that it imports."""
    import ast

    found: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        elif isinstance(node, ast.If | ast.Try | ast.For | ast.With):
            found |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
            found |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found


class Imports(cst.CSTVisitor):
    """Every ``from softcount.X import a as b``: (module, name, local name), anywhere in the file."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = dotted(node.module)
        if module.startswith("softcount") and not isinstance(node.names, cst.ImportStar):
            for one in node.names:
                name = dotted(one.name)
                self.found.append((module, name, dotted(one.asname.name) if one.asname else name))


class ImportNames(cst.CSTTransformer):
    """Renames what is imported; who imports it under a name of their own keeps that."""

    def __init__(self, names: dict[tuple[str, str], str]) -> None:
        super().__init__()
        self.names = names

    def leave_ImportFrom(self, original: cst.ImportFrom, updated: cst.ImportFrom) -> cst.ImportFrom:
        if isinstance(updated.names, cst.ImportStar):
            return updated
        module = dotted(updated.module)
        new = []
        for one in updated.names:
            name = self.names.get((module, dotted(one.name)))
            if name is not None:
                one = one.with_changes(name=cst.Name(name))
                if one.asname and dotted(one.asname.name) == name:
                    one = one.with_changes(asname=None)
            new.append(one)
        return updated.with_changes(names=new)


def rename_imports(text: str, names: dict[tuple[str, str], str], where: str) -> str:
    """`names`: (module, name) -> new name, by the modules' old places."""
    if not any(name in text for _, name in names):
        return text
    tree = cst.parse_module(text)
    imports = Imports()
    tree.visit(imports)
    local = {l: names[m, n] for m, n, l in imports.found if (m, n) in names and l == n}
    if any((m, n) in names for m, n, _ in imports.found):
        top = defined(text) | {l for m, n, l in imports.found if (m, n) not in names}
        for old, new in local.items():
            if new in top:
                raise SystemExit(f"{where}: {old} -> {new}, which it has already")
        # names that functions bind themselves are looked for as well
        text = rename(text, local)
        text = cst.parse_module(text).visit(ImportNames(names)).code
    return text


def is_import(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.SimpleStatementLine) and all(
        isinstance(one, cst.Import | cst.ImportFrom) for one in node.body
    )


def is_typing_block(node: cst.CSTNode) -> bool:
    return (
        isinstance(node, cst.If)
        and dotted(node.test) == "TYPE_CHECKING"
        and node.orelse is None
        and all(is_import(one) for one in node.body.body)
    )


class Within(cst.CSTTransformer):
    """Without imports of what is now in the same file; in functions, too."""

    def __init__(self, olds: set[str]) -> None:
        super().__init__()
        self.olds = olds
        self.aliases: dict[str, str] = {}

    def leave_SimpleStatementLine(self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine):
        keep = []
        for one in updated.body:
            if isinstance(one, cst.ImportFrom) and not isinstance(one.names, cst.ImportStar):
                whole = [n for n in one.names if f"{dotted(one.module)}.{dotted(n.name)}" in self.olds]
                if whole:
                    raise SystemExit(f"imports {[dotted(n.name) for n in whole]} whole, which it is merged with")
            if isinstance(one, cst.ImportFrom) and dotted(one.module) in self.olds:
                for name in one.names:
                    if name.asname and dotted(name.asname.name) != dotted(name.name):
                        self.aliases[dotted(name.asname.name)] = dotted(name.name)
            else:
                keep.append(one)
        if len(keep) == len(updated.body):
            return updated
        return updated.with_changes(body=keep) if keep else cst.RemoveFromParent()


def in_order(olds: list[str], texts: dict[str, str]) -> list[str]:
    """Who imports another at the top comes after it, otherwise as listed."""
    needs = {}
    for old in olds:
        tops = [node for node in cst.parse_module(texts[old]).body if is_import(node)]
        froms = [one for node in tops for one in node.body if isinstance(one, cst.ImportFrom)]
        needs[old] = {m for m in olds if m != old and any(dotted(f.module) == f"softcount.{m}" for f in froms)}
    done: list[str] = []
    while len(done) < len(olds):
        ready = [old for old in olds if old not in done and needs[old] <= set(done)]
        done.append((ready or [old for old in olds if old not in done])[0])
    return done


def merge(olds: list[str], texts: dict[str, str], target: str) -> str:
    """One module of several: docstrings in the order of the table, bodies so that each has what it builds on."""
    modules = {f"softcount.{old}" for old in olds}
    docs, plain, typing, bodies = [], [], [], []
    said: dict[str, str] = {}
    for old in in_order(olds, texts):
        within = Within(modules)
        text = cst.parse_module(texts[old]).visit(within).code
        text = rename(text, within.aliases)
        tree = cst.parse_module(text)
        body = list(tree.body)
        first = body[0] if body else None
        if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
            value = first.body[0].value
            if isinstance(value, cst.SimpleString):
                said[old] = value.evaluated_value.strip("\n")
                body = body[1:]
        code = tree.code_for_node
        rest = []
        for node in body:
            if is_import(node):
                node = node.with_changes(leading_lines=[x for x in node.leading_lines if x.comment])
                plain.append(code(node))
            elif is_typing_block(node):
                typing += [code(one).strip() for one in node.body.body]
            else:
                rest.append(node)
        bodies.append("".join(code(node) for node in rest).strip("\n"))
    own = defaultdict(list)
    for old in olds:
        for name in defined(texts[old]):
            own[name].append(old)
    clash = {name: where for name, where in own.items() if len(where) > 1}
    if clash:
        raise SystemExit(f"{target}: " + "; ".join(f"{name} in {', '.join(w)}" for name, w in sorted(clash.items())))
    imported: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for old in olds:
        imports = Imports()
        cst.parse_module(texts[old]).visit(imports)
        for module, name, local in imports.found:
            if module not in modules:
                imported[local].add((module, name))
    for local, origins in imported.items():
        if local in own or len(origins) > 1:
            raise SystemExit(f"{target}: {local} is {sorted(origins)} and defined in {own.get(local)}")
    plain_set = list(dict.fromkeys(line.strip("\n") for line in plain))
    future = [x for x in plain_set if x.startswith("from __future__")]
    others = [x for x in plain_set if not x.startswith("from __future__")]
    typing = [x for x in dict.fromkeys(typing) if x not in set(others)]
    docs = [said[old] for old in olds if old in said]
    short = len(docs) == 1 and "\n" not in docs[0]
    parts = ['"""' + "\n\n".join(docs) + ('"""' if short else '\n"""')] if docs else []
    parts += ["\n".join(future)] if future else []
    parts += ["\n".join(others)] if others else []
    if typing:
        parts += ["if TYPE_CHECKING:\n" + "\n".join("    " + line for x in typing for line in x.splitlines())]
    return "\n\n".join(parts) + "\n\n" + "\n\n\n".join(body for body in bodies if body) + "\n"


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", *TEXTS], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [f for f in files if f.exists() and not any(f.relative_to(ROOT).as_posix().startswith(h) for h in HISTORY)]


class ModuleImports(cst.CSTTransformer):
    """``from softcount.package import module``: the module where it is now, under the name that it had here."""

    def __init__(self, moved: dict[str, str]) -> None:
        super().__init__()
        self.moved = {f"softcount.{old}": f"softcount.{new}" for old, new in moved.items()}

    def leave_SimpleStatementLine(self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine):
        if len(updated.body) != 1 or not isinstance(node := updated.body[0], cst.ImportFrom):
            return updated
        if isinstance(node.names, cst.ImportStar):
            return updated
        package = dotted(node.module)
        mine = [one for one in node.names if f"{package}.{dotted(one.name)}" in self.moved]
        if not mine:
            return updated
        lines = []
        others = [one for one in node.names if one not in mine]
        if others:
            others[-1] = others[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            lines.append(updated.with_changes(body=[node.with_changes(names=others)]))
        for one in mine:
            home, _, name = self.moved[f"{package}.{dotted(one.name)}"].rpartition(".")
            local = dotted(one.asname.name) if one.asname else dotted(one.name)
            line = f"from {home} import {name}" + (f" as {local}" if local != name else "") + "\n"
            made = cst.parse_module(line).body[0]
            lines.append(made if lines else made.with_changes(leading_lines=updated.leading_lines))
        return cst.FlattenSentinel(lines)


def rewrite_places(text: str, moved: dict[str, str]) -> str:
    """Dotted names and paths of modules."""
    if not moved:
        return text
    moved = {old.removesuffix(".__init__"): new.removesuffix(".__init__") for old, new in moved.items()}
    olds = sorted(moved, key=len, reverse=True)
    names = "|".join(re.escape(old) for old in olds)
    text = re.sub(rf"\bsoftcount\.({names})(?![\w])", lambda m: "softcount." + moved[m[1]], text)
    paths = {old.replace(".", "/") + ".py": new.replace(".", "/") + ".py" for old, new in moved.items()}
    pattern = "|".join(re.escape(old) for old in sorted(paths, key=len, reverse=True))
    return re.sub(rf"(?<![\w.-])((?:src/)?(?:softcount/)?)({pattern})\b", lambda m: m[1] + paths[m[2]], text)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", action="append", default=[], help="New modules that begin so; others are left")
    options.add_argument("--check", action="store_true", help="Write nothing")
    given = options.parse_args()
    rows = [(old, new) for old, new in read_table(HERE / "modules.tsv") if path_of(old).exists()]
    if given.only:
        rows = [(old, new) for old, new in rows if any(new.startswith(only) for only in given.only)]
    groups: dict[str, list[str]] = defaultdict(list)
    for old, new in rows:
        groups[new].append(old)
    for new, olds in list(groups.items()):
        if path_of(new).exists() and new not in olds:
            taken = [n for n, os in groups.items() if new in os and n != new]
            if not taken:
                groups[new].insert(0, new)
    moving = {old for olds in groups.values() for old in olds}
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for place, new in read_table(HERE / "names.tsv"):
        module, _, name = place.partition(":")
        if module in moving:
            names[module][name] = new
    # names first, where things are
    texts = {path: path.read_text(encoding="utf-8") for path in tracked()}
    for module, mapping in names.items():
        path = path_of(module)
        there = defined(texts[path])
        mapping = {old: new for old, new in mapping.items() if old in there}
        for old, new in mapping.items():
            if new in there and new not in mapping:
                raise SystemExit(f"{module}: {old} -> {new}, which it has already")
        texts[path] = rename(texts[path], mapping)
    flat = {(f"softcount.{m}", old): new for m, mapping in names.items() for old, new in mapping.items()}
    if flat:
        for path in texts:
            if path.suffix == ".py":
                texts[path] = rename_imports(texts[path], flat, str(path.relative_to(ROOT)))
            else:
                continue
        for path, text in texts.items():  # module:name and module.name in strings
            for (module, old), new in flat.items():
                if module in text:
                    text = re.sub(rf"({re.escape(module)}[.:]){re.escape(old)}\b", rf"\g<1>{new}", text)
            texts[path] = text
    moved: dict[str, str] = {}
    made: dict[Path, str] = {}
    gone: list[Path] = []
    problems = []
    for new, olds in groups.items():
        moved |= {old: new for old in olds if old != new}
        if len(olds) == 1:
            made[path_of(new)] = texts.pop(path_of(olds[0]))
        else:
            try:
                made[path_of(new)] = merge(olds, {old: texts[path_of(old)] for old in olds}, new)
            except SystemExit as problem:
                problems.append(str(problem))
            for old in olds:
                texts.pop(path_of(old))
        gone += [path_of(old) for old in olds]
    if problems:
        raise SystemExit("\n".join(problems))
    if given.check:
        print(f"{len(moved)} modules would move; {len(groups)} places")
        return
    for new, olds in groups.items():
        target = path_of(new)
        target.parent.mkdir(parents=True, exist_ok=True)
        for at, old in enumerate(olds):
            if path_of(old) != target:
                first = at == 0 and not target.exists()
                words = ["mv", "-f", path_of(old), target] if first else ["rm", "-q", "-f", "--cached", path_of(old)]
                subprocess.run(["git", *map(str, words)], cwd=ROOT, check=True)
                path_of(old).unlink(missing_ok=True)
    for path, text in {**texts, **made}.items():
        if path.suffix == ".py" and "softcount" in text:
            text = cst.parse_module(text).visit(ModuleImports(moved)).code
        new = rewrite_places(text, moved)
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.write_text(new, encoding="utf-8")
    print(f"{len(moved)} modules moved into {len({*groups})}")


if __name__ == "__main__":
    sys.setrecursionlimit(20_000)
    main()
