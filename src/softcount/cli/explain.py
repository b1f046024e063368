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


@app.command("mixture")
def mixture(
    docs: Annotated[str, typer.Argument(help="A handful of documents, one a line; - for stdin.")],
    clusters: Annotated[int, typer.Option(min=1, help="How many classes.")] = 2,
    steps: Annotated[int, typer.Option(min=1, max=1000, help="Steps of EM.")] = 3,
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of every word in every class.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the random start.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """A Naive Bayes mixture step by step: responsibilities, expected counts, parameters, bound.

    Example: **softcount explain mixture six.txt --clusters 2**
    """
    from softcount.report.documents import explain_mixture
    from softcount.text.document_reader import read_documents

    _show(explain_mixture(read_documents(docs), clusters, steps, pseudo, seed), "class", as_json)


@app.command("plsa")
def plsa(
    docs: Annotated[str, typer.Argument(help="A handful of documents, one a line; - for stdin.")],
    topics: Annotated[int, typer.Option(min=1, help="How many topics.")] = 2,
    steps: Annotated[int, typer.Option(min=1, max=1000, help="Steps of EM.")] = 3,
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of every entry.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the random start.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """PLSA step by step: responsibilities, expected counts, parameters, bound.

    Example: **softcount explain plsa six.txt --topics 2**
    """
    from softcount.report.documents import explain_plsa
    from softcount.text.document_reader import read_documents

    _show(explain_plsa(read_documents(docs), topics, steps, pseudo, seed), "topic", as_json)


def _show(result: dict[str, Any], hidden: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for number, step in enumerate(result["steps"], 1):
        console.print(f"Step {number}: log-likelihood {step['log_likelihood']:.6f}, bound {step['bound']:.6f}")
        first = "cluster" if hidden == "class" else "topic"
        console.print(_grid("Parameters", step["parameters"], first, hidden, result["words"]))
        console.print(_responsibilities(step["responsibilities"], hidden))
        console.print(_grid("Expected counts", step["counts"], first, hidden, result["words"]))


def _grid(title: str, tables: dict[str, Any], first: str, hidden: str, words: list[str]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    numbers = range(len(tables["word"]))
    table.add_column("")
    for k in numbers:
        table.add_column(f"{hidden} {k}", justify="right")
    rows = [("", tables["cluster"])] if first == "cluster" else [
        (f"document {d}", row) for d, row in enumerate(tables["topic"], 1)
    ]  # fmt: skip
    for name, row in rows:
        table.add_row(name or "all", *(f"{x:.6g}" for x in row))
    table.add_section()
    for word in words:
        table.add_row(word, *(f"{tables['word'][k][word]:.6g}" for k in numbers))
    return table


def _responsibilities(rows: list[Any], hidden: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title="Responsibilities", title_justify="left")
    table.add_column("")
    shares = [row["share"] if isinstance(row, dict) else row for row in rows]
    for k in range(len(shares[0])):
        table.add_column(f"{hidden} {k}", justify="right")
    for number, (row, share) in enumerate(zip(rows, shares, strict=True), 1):
        name = f"document {row['document']}, {row['word']}" if isinstance(row, dict) else f"document {number}"
        table.add_row(name, *(f"{x:.6g}" for x in share))
    return table


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
