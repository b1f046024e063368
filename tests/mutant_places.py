"""Where a small mistake can be made, what it is called, and the source that has it.

    if u > total:   becomes   if u >= total:

A mistake is a comparison that is off by one or turned round, another operator, a number one higher, `and` for `or`,
`min` for `max`, True for False, a sign or a `not` that is left out. It is called by its function and by its statement
before and after, so that its name outlives lines that shift. `instrumented` source notes in `__seen__` which of its
statements are run.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).parent.parent / "src" / "softcount"
OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.And: ast.Or,
    ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
UNDER = (ast.stmt, ast.ExceptHandler, ast.match_case)  # what stands under a statement, not in it


class Place(NamedTuple):
    """A node that can be mistaken: the number of its statement in the file, and what it is called with its mistake."""

    statement: int
    line: int
    name: str


class File:
    """A file of the library, and the mistakes that can be made in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = HOME / name
        self.source = self.path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.source)
        self.digest = hashlib.sha256(self.source.encode()).hexdigest()[:16]

    @cached_property
    def places(self) -> list[Place]:
        found: list[Place] = []
        said: dict[str, int] = {}
        for number, (function, statement) in enumerate(statements(self.tree)):
            alone = _alone(statement)
            for k, _ in enumerate(mistakable(alone)):
                wrong = copy.deepcopy(alone)
                line = _mistake(list(mistakable(wrong))[k])
                name = f"{function}: {_header(alone)}  ->  {_header(wrong)}"
                said[name] = said.get(name, 0) + 1
                again = f"  ({said[name]})" if said[name] > 1 else ""  # a statement that its function has twice
                found.append(Place(number, line, name + again))
        return found

    def instrumented(self, mistake: int | None = None) -> ast.Module:
        """The file that notes which statements are run, with this mistake or none."""
        tree = ast.parse(self.source)
        every = list(statements(tree))
        numbers = {id(one): number for number, (_, one) in enumerate(every) if any(mistakable(one))}
        if mistake is not None:
            number = self.places[mistake].statement
            _mistake(list(mistakable(every[number][1]))[mistake - self._first(number)])
        _mark(tree, numbers)
        return ast.fix_missing_locations(tree)

    def _first(self, statement: int) -> int:
        return next(k for k, place in enumerate(self.places) if place.statement == statement)


def statements(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """All statements within functions, with the function's name; what stands in a function within has its name."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, ast.stmt]]:
        for child in ast.iter_child_nodes(node):
            inside = function
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inside = f"{function}.{child.name}" if function else child.name
            elif isinstance(child, ast.stmt) and inside and not _of_class(node):
                yield inside, child
            yield from walk(child, inside)

    return walk(tree, "")


def _of_class(node: ast.AST) -> bool:
    """What stands in a class and not in its functions is declared, not computed."""
    return isinstance(node, ast.ClassDef)


def mistakable(statement: ast.stmt) -> Iterator[ast.AST]:
    """All nodes of this statement, but not of those under it, that can be mistaken: not what is annotated."""
    for node in _own(statement):
        if (
            (isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER)
            or (isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHER)
            or (isinstance(node, ast.Constant) and type(node.value) in (int, float, bool))
            or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not))
            or (isinstance(node, ast.Call) and _called(node.func) in NAMES)
        ):
            yield node


def _called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _own(node: ast.AST) -> Iterator[ast.AST]:
    if not _idle(node):
        yield node
    for name, value in ast.iter_fields(node):
        if name != "annotation" and not (isinstance(node, ast.UnaryOp) and isinstance(value, ast.Constant)):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not isinstance(child, UNDER) and not _strict(child):
                    yield from _own(child)


def _idle(node: ast.AST) -> bool:
    """A mistake that would tell nothing: types and dicts that are joined cannot be cut, which any test sees."""
    joined = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
    return joined and any(isinstance(each, ast.Dict) or _called(each)[:1].isupper() for each in (node.left, node.right))


def _strict(node: ast.AST) -> bool:
    """That rows are equally long is said for the reader's sake."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _mistake(node: ast.AST) -> int:
    """Made where it stands; its line."""
    if isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else _no_op(node)
    elif isinstance(node, ast.Call):
        name = NAMES[_called(node.func)]
        if isinstance(node.func, ast.Name):
            node.func.id = name
        else:
            node.func.attr = name  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
    else:
        node.op = OTHER[type(node.op)]()  # type: ignore[attr-defined]
    return node.lineno  # type: ignore[attr-defined, no-any-return]


def _no_op(node: ast.UnaryOp) -> ast.unaryop:
    """`not x` becomes `not not x`: whether x, as a truth value."""
    node.operand = ast.copy_location(ast.UnaryOp(ast.Not(), node.operand), node)
    return ast.Not()


def _alone(statement: ast.stmt) -> ast.stmt:
    """A statement without those under it."""
    found = copy.copy(statement)
    for field, value in ast.iter_fields(statement):
        if isinstance(value, list) and value and isinstance(value[0], UNDER):
            setattr(found, field, [ast.Pass()] if field == "body" else [])
    return found


def _header(statement: ast.stmt) -> str:
    return ast.unparse(statement).split("\n")[0]


def _mark(node: ast.AST, numbers: dict[int, int]) -> None:
    """`__seen__[number] = 1` before every statement that has a number."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            value[:] = [each for statement in value for each in _marked(statement, numbers)]
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                _mark(child, numbers)


def _marked(statement: ast.stmt, numbers: dict[int, int]) -> list[ast.stmt]:
    number = numbers.get(id(statement))
    if number is None:
        return [statement]
    mark = ast.parse(f"__seen__[{number}] = 1").body[0]
    for node in ast.walk(mark):
        if hasattr(node, "lineno"):
            ast.copy_location(node, statement)
    return [mark, statement]
