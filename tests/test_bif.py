"""BIF as people and programs write it: what is read, what is refused, and files that are long."""

from __future__ import annotations

from pathlib import Path

import pytest

from softcount import InputError
from softcount.text.bif import BIF, read_bif
from softcount.text.structure import MOST_PARENTS, structure

YES_NO = "variable {} {{ type discrete [ 2 ] {{ yes, no }}; }}\n"
HALF = "probability ( {} ) {{ table 0.5, 0.5; }}\n"


def bif(folder: Path, text: str) -> BIF:
    (folder / "net.bif").write_text(text)
    return read_bif(folder / "net.bif")


def test_comments(tmp_path: Path) -> None:
    text = '/* /* one */ network n { // "two" /*\n} /**/ {} // three */\n{} /* four */'
    text = text.replace("{}", YES_NO.format("a"), 1).replace("{}", HALF.format("a"))
    assert bif(tmp_path, text).values == {"a": ("yes", "no")}
    odd = "network n { }\nvariable a { type discrete [ 3 ] { y, /*, n*/ /*/ }; }\nprobability ( a ) { table 1, 0, 0; }"
    with pytest.raises(InputError, match="declares 3 values"):
        bif(tmp_path, odd)
    odd = odd.replace("n*/", "").replace("/*/", "/*n")
    assert bif(tmp_path, odd).values == {"a": ("y", "/*", "/*n")}  # nothing ends, so none begins


@pytest.mark.parametrize(
    "end,wrong", [("", r"net.bif:2: expected network, variable or probability, found '/\*'"), ("*/", "give a BIF file")]
)
def test_very_many_comments_that_do_not_end(tmp_path: Path, end: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        bif(tmp_path, "network n { }\n" + "/* " * 60_000 + end)


def test_a_table_with_very_many_rows(tmp_path: Path) -> None:
    values = [f"v{k}" for k in range(20_000)]
    rows = "".join(f"({value}) 0.25, 0.75;\n" for value in reversed(values))
    first = f"variable a {{ type discrete [ {len(values)} ] {{ {', '.join(values)} }}; }}\n"
    found = bif(tmp_path, f"{first}{YES_NO.format('b')}probability ( a ) {{ default {'0.00005 ' * 20_000}; }}\n"
                          f"probability ( b | a ) {{ {rows} }}")  # fmt: skip
    assert found.tables["b"].shape == (20_000, 2) and (found.tables["b"] == [0.25, 0.75]).all()


def test_a_long_chain_is_put_in_order(tmp_path: Path) -> None:
    """Its children before their parents, which were looked for in all of what is placed, for each, again and again."""
    n = 3_000
    blocks = [f"probability ( x{k} | x{k + 1} ) {{ default 0.5, 0.5; }}\n" for k in range(n - 1)]
    found = bif(
        tmp_path, "".join(YES_NO.format(f"x{k}") for k in range(n)) + "".join(blocks) + HALF.format(f"x{n - 1}")
    )
    assert found.structure.in_order() == [f"x{k}" for k in reversed(range(n))]


@pytest.mark.parametrize("n", [MOST_PARENTS, MOST_PARENTS + 1, 1_200])
@pytest.mark.parametrize("values", ["[ 1 ] { yes }", "[ 2 ] { yes, no }"])
def test_a_variable_with_very_many_parents(tmp_path: Path, n: int, values: str) -> None:
    names = [f"p{k}" for k in range(n)]
    text = "".join(f"variable {name} {{ type discrete {values}; }}\n" for name in names) + YES_NO.format("a")
    text += f"probability ( a | {', '.join(names)} ) {{ default 0.25, 0.75; }}\n"
    text += "".join(
        f"probability ( {name} ) {{ default {'1' if ',' not in values else '0.5, 0.5'}; }}\n" for name in names
    )
    if n > MOST_PARENTS:
        with pytest.raises(InputError, match="parents, but a table can have at most"):
            bif(tmp_path, text)
    elif "," in values:
        with pytest.raises(InputError, match=r"the probabilities of 'a' need more than 1,000,000 GB, but"):
            bif(tmp_path, text)
    else:
        assert bif(tmp_path, text).tables["a"].ravel().tolist() == [0.25, 0.75]


def test_a_declaration_with_very_many_parents() -> None:
    names = [f"p{k}" for k in range(MOST_PARENTS)]
    assert len(structure(f"{', '.join(names)} -> a").of("a")) == MOST_PARENTS
    with pytest.raises(InputError, match="parents, but a table can have at most"):
        structure(f"{', '.join(names)}, last -> a")


@pytest.mark.parametrize(
    "n,shown",
    [(3, "x0 -> x1 -> x2 -> x0"), (5_000, "x0 -> x1 -> x2 -> x3 -> x4 -> x5 -> x6 -> x7 -> x8 -> … -> x0")],
)
def test_a_way_round_is_named_by_ten_of_it(n: int, shown: str) -> None:
    with pytest.raises(InputError, match=f"^the arcs form a cycle: {shown}; remove one$"):
        structure(" -> ".join(f"x{k % n}" for k in range(n + 1)))


def test_ten_values_are_named(tmp_path: Path) -> None:
    twenty = f"variable a {{ type discrete [ 21 ] {{ {' '.join(map(str, range(20)))} }}; }}"
    with pytest.raises(InputError, match="'a' declares 21 values but lists 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more"):
        bif(tmp_path, twenty)
