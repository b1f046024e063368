"""What is made of an option's value, and by whom."""

import subprocess
import sys

import pytest
import typer

from softcount.cli.help import HelpLast

app = typer.Typer()
said: list[object] = []


@app.command(cls=HelpLast)
def tell(text: str, n: int = 3, share: float | None = None, few: bool = False) -> None:
    said.append((text, n, share, few))


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["a"], ("a", 3, None, False)),
        (["7", "--n", "7", "--share", "1", "--few"], ("7", 7, 1.0, True)),
    ],
)
def test_values_are_of_the_types_that_are_declared(words, wanted):
    app(words, standalone_mode=False)
    assert said[-1] == wanted
    assert [type(value) for value in said[-1]] == [type(value) for value in wanted]


def test_text_and_defaults_need_nobody_to_make_something_of_them():
    code = "import sys; sys.argv = ['softcount', 'examples', '--help']; from softcount.__main__ import main\n"
    code += "try: main()\nexcept SystemExit: print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")
