"""softcount explain: every number of one E-step and one M-step, for checking by hand."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

app = typer.Typer(help="Show every number of a small computation.", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _group() -> None:
    pass


@app.command("hmm")
def hmm(
    parameters: Annotated[str, typer.Argument(help="P.json: states, initial, transition, emission.")],
    sentence: Annotated[str, typer.Argument(help="One sentence, in quotes.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One object: probability, alpha, beta, posterior, counts, updated.")
    ] = False,
) -> None:
    """The lattice of one sentence: forward and backward probabilities, posteriors, expected counts, one EM step.

    Example: **softcount explain hmm P.json "can I can"**
    """
    from softcount.models.hmm_json import read_parameters
    from softcount.report.lattice import lattice

    result = lattice(read_parameters(parameters), sentence)
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        _print(result)


@app.command("ibm1")
def ibm1(
    source: Annotated[str, typer.Argument(help="A handful of sentences, or a file with both sides; - for stdin.")],
    target: Annotated[str | None, typer.Argument(help="Their translations, line by line.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="How many iterations of EM.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="One object with every number of every iteration.")] = False,
) -> None:
    """Model 1 by hand: posteriors, expected counts, parameters and perplexity, iteration by iteration.

    Example: **softcount explain ibm1 three.en three.th --steps 1**
    """
    from softcount.report.model1 import model1, print_model1
    from softcount.text.bitext_reader import read_bitext

    result = model1(read_bitext(source, target), steps)
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        print_model1(result)


def _print(result: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    states = result["states"]
    console.print(f"P(sentence) = {result['probability']:.10g}\n")
    table = Table(box=box.SIMPLE_HEAD, title="The lattice", title_justify="left")
    for name in ("word", "state", "α before", "α after", "β", "posterior"):
        table.add_column(name, justify="left" if name in ("word", "state") else "right", no_wrap=True)
    for alpha, beta, posterior in zip(result["alpha"], result["beta"], result["posterior"], strict=True):
        for i, s in enumerate(states):
            cells = (alpha["before"][s], alpha["after"][s], beta[s], posterior[s])
            last = i == len(states) - 1
            table.add_row("" if i else alpha["word"], s, *(f"{cell:.6g}" for cell in cells), end_section=last)
    console.print(table)
    for title, key in (("Expected counts", "counts"), ("Parameters after one EM step", "updated")):
        console.print(_tables(title, result[key], states))


def _tables(title: str, content: dict[str, Any], states: list[str]) -> Any:
    from rich import box
    from rich.table import Table

    words = list(dict.fromkeys(w for row in content["emission"].values() for w in row))
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    for name in ["state", "start", *(f"→ {s}" for s in states), *(["→ end"] if "end" in content else [])]:
        table.add_column(name, justify="left" if name == "state" else "right")
    for word in words:
        table.add_column(f"emits {word}", justify="right")
    for s in states:
        numbers = [content["initial"][s], *(content["transition"][s][t] for t in states)]
        numbers += [content["end"][s]] if "end" in content else []
        numbers += [content["emission"][s].get(w, 0.0) for w in words]
        table.add_row(s, *(f"{x:.6g}" for x in numbers))
    return table
