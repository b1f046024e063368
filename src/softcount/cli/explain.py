"""softcount explain: every number of one E-step and one M-step, for checking by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from softcount.cli.help import HelpLast

HELP = """Show every number of a small computation.

Example: **softcount explain hmm P.json "can I can"**

Model 1 by hand: **softcount explain ibm1 three.en three.th --steps 1**
"""
app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _group() -> None:
    pass


@app.command("hmm", cls=HelpLast)
def hmm(
    parameters: Annotated[str, typer.Argument(help="P.json: states, initial, transition, emission.")],
    sentence: Annotated[str, typer.Argument(help="One sentence, in quotes.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One object: probability, alpha, beta, posterior, counts, updated.")
    ] = False,
) -> None:
    """The lattice of one sentence: forward and backward probabilities, posteriors, expected counts, one EM step.

    Example: **softcount explain hmm P.json "can I can"**

    For a program: **softcount explain hmm P.json "can I can" --json > numbers.json**
    """
    from softcount.report.hmm_json import read_parameters
    from softcount.report.lattice import lattice

    result = lattice(read_parameters(parameters), sentence)
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        _print(result)


@app.command("mixture", cls=HelpLast)
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

    Two steps, smoothed: **softcount explain mixture six.txt --clusters 2 --steps 2 --pseudo 0.1**
    """
    from softcount.report.documents import explain_mixture
    from softcount.text.document_reader import read_documents

    _show(explain_mixture(read_documents(docs), clusters, steps, pseudo, seed), "class", as_json)


@app.command("plsa", cls=HelpLast)
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

    Two steps, from another start: **softcount explain plsa six.txt --topics 2 --steps 2 --seed 1**
    """
    from softcount.report.documents import explain_plsa
    from softcount.text.document_reader import read_documents

    _show(explain_plsa(read_documents(docs), topics, steps, pseudo, seed), "topic", as_json)


def _show(result: dict[str, Any], hidden: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for number, step in enumerate(result["steps"], 1):
        print(f"Step {number}: log-likelihood {step['log_likelihood']:.6f}, bound {step['bound']:.6f}\n")
        _show_tables("Parameters", step["parameters"], hidden, result["words"])
        _show_responsibilities(step["responsibilities"], hidden)
        _show_tables("Expected counts", step["counts"], hidden, result["words"])


def _show_tables(title: str, tables: dict[str, Any], hidden: str, words: list[str]) -> None:
    from softcount.report.columns import show

    rows = [["all", *_shown(tables["cluster"])]] if "cluster" in tables else [
        [f"document {d}", *_shown(row)] for d, row in enumerate(tables["topic"], 1)
    ]  # fmt: skip
    before = len(rows)
    rows += [[word, *_shown([row[word] for row in tables["word"]])] for word in words]
    show(title, ["", *(f"{hidden} {k}" for k in range(len(tables["word"])))], rows, breaks=(before,))


def _show_responsibilities(rows: list[Any], hidden: str) -> None:
    from softcount.report.columns import show

    shares = [row["share"] if isinstance(row, dict) else row for row in rows]
    names = [
        f"document {row['document']}, {row['word']}" if isinstance(row, dict) else f"document {number}"
        for number, row in enumerate(rows, 1)
    ]
    lines = [[name, *_shown(share)] for name, share in zip(names, shares, strict=True)]
    show("Responsibilities", ["", *(f"{hidden} {k}" for k in range(len(shares[0])))], lines)


def _shown(numbers: Iterable[float]) -> list[str]:
    return [f"{x:.6g}" for x in numbers]


@app.command("ibm1", cls=HelpLast)
def ibm1(
    source: Annotated[str, typer.Argument(help="A handful of sentences, or a file with both sides; - for stdin.")],
    target: Annotated[str | None, typer.Argument(help="Their translations, line by line.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="How many iterations of EM.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="One object with every number of every iteration.")] = False,
) -> None:
    """Model 1 by hand: posteriors, expected counts, parameters and perplexity, iteration by iteration.

    Example: **softcount explain ibm1 three.en three.th --steps 1**

    Of one file with both sides: **softcount explain ibm1 three.tsv --steps 3 --json**
    """
    from softcount.report.model1 import model1, print_model1
    from softcount.text.bitext_reader import read_bitext

    result = model1(read_bitext(source, target), steps)
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        print_model1(result)


@app.command("net", cls=HelpLast)
def net(
    spec: Annotated[str, typer.Argument(help='Arcs, "weather -> traffic -> late", or a BIF file.')],
    start: Annotated[str, typer.Argument(help="T.json: every table.")],
    data: Annotated[str, typer.Argument(help="A handful of rows, CSV or TSV; an empty cell is missing.")],
    sequence: Annotated[str | None, typer.Option(help="The column that names the sequence of a row.")] = None,
    weight: Annotated[str | None, typer.Option(help="The column that says how often a row was seen.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One object: log_likelihood, per_item, rows, tables, counts, updated.")
    ] = False,
) -> None:
    """A network by hand: probabilities of rows and of their missing cells, expected counts, one EM step.

    Example: **softcount explain net "weather -> traffic -> late" T.json days.csv**

    Over time: **softcount explain net "weather@-1 -> weather -> traffic -> late" T.json diary.csv**
    """
    from softcount.estimators.network import Network
    from softcount.report.network import explain_net, print_net
    from softcount.text.record_reader import read_columns

    model, rows = Network(spec, start=start, sequence=sequence, weight=weight), read_columns(data)
    result = explain_net(model, rows)
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        print_net(result, model._structure, list(rows.columns))


def _print(result: dict[str, Any]) -> None:
    from softcount.report.columns import show

    states = result["states"]
    print(f"P(sentence) = {result['probability']:.10g}\n")
    rows = [
        ["" if i else alpha["word"], s, *_shown((alpha["before"][s], alpha["after"][s], beta[s], posterior[s]))]
        for alpha, beta, posterior in zip(result["alpha"], result["beta"], result["posterior"], strict=True)
        for i, s in enumerate(states)
    ]
    header = ["word", "state", "α before", "α after", "β", "posterior"]
    show("The lattice", header, rows, names=2, breaks=range(0, len(rows), len(states)))
    for title, key in (("Expected counts", "counts"), ("Parameters after one EM step", "updated")):
        _show_hmm(title, result[key], states, list(dict.fromkeys(result["sentence"])))


def _show_hmm(title: str, content: dict[str, Any], states: list[str], sentence: list[str]) -> None:
    """The emissions of the sentence's words alone: the others have no count here."""
    from softcount.report.columns import show

    ends = "end" in content
    header = ["state", "start", *(f"→ {s}" for s in states), *(["→ end"] if ends else [])]
    rows = []
    for s in states:
        numbers = [content["initial"][s], *(content["transition"][s][t] for t in states)]
        numbers += [content["end"][s]] if ends else []
        rows.append([s, *_shown(numbers), *_shown(content["emission"][s].get(w, 0.0) for w in sentence)])
    show(title, [*header, *(f"emits {word}" for word in sentence)], rows)
