"""softcount explain: every number of one E-step and one M-step, for checking by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from softcount.cli.console import check_writable, open_parameters, say, write_whole
from softcount.cli.help import GroupHelp, HelpLast
from softcount.cli.options import TextColumn
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine.streams import put

LARGEST = 5_000_000  # bytes of an input
HELP = (
    'Show every number in a small computation.\n\nExample: **softcount explain hmm P.json "can I can"**\n\n'
    "IBM Model 1 by hand: **softcount explain ibm1 three.en three.th --steps 1**\n"
)
app = typer.Typer(cls=GroupHelp, help=HELP, no_args_is_help=True, rich_markup_mode="markdown")
Page = Annotated[Path | None, typer.Option(help="Also write an interactive page that computes step by step.")]


@app.callback()
def _group() -> None:
    pass


def _checked(page: Path | None, *inputs: str | None, read: Callable[[], Any]) -> Any:
    """What is read, once it is known that the page has a place and that the inputs are small."""
    check_writable(page, inputs=inputs)
    for path in (path for path in inputs if path is not None and Path(path).is_file()):
        if (size := Path(path).stat().st_size) > LARGEST:
            raise InputError(
                f"{path}: {size:,} bytes; explain shows every number, so give a file of at most {LARGEST:,}"
            )
    return read()


def _write(page: Path | None, data: Callable[[], dict[str, Any]], more: Callable[[], list[Any]] = list) -> None:
    if page is None:
        return
    from softcount.report.page.explain import explain_page

    content = explain_page(data(), more()).encode("utf-8", "replace")
    write_whole(page, lambda path: path.write_bytes(content))
    say(f"wrote {page}")


def _answer(result: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    if as_json:
        put(json.dumps(result, ensure_ascii=False))
    else:
        show(result)


@app.command("hmm", cls=HelpLast)
@watched
def hmm(
    parameters: Annotated[
        str, typer.Argument(help="Parameters as JSON (states, initial, transition, emission), or a saved HMM.")
    ],
    sentences: Annotated[list[str], typer.Argument(help="One or more sentences, each in quotes.", metavar="SENTENCE…")],
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of every entry with nonzero probability.")] = 0.0,
    page: Page = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print one JSON object: probability, alpha, beta, posterior, counts, updated."),
    ] = False,
) -> None:
    """Show the lattice of a sentence: forward and backward probabilities, posteriors, expected counts, one EM step.

    Example: **softcount explain hmm P.json "can I can"**

    As an interactive page: **softcount explain hmm P.json "can I can" "I can" --page lattice.html**
    """
    from softcount.report.lattice import lattices, print_lattices
    from softcount.report.page.explain_data import hmm_data

    model = _checked(page, parameters, read=lambda: open_parameters(Path(parameters), "explain hmm"))
    result = lattices(model, sentences, pseudo)
    _write(page, lambda: hmm_data(model, sentences, pseudo))
    _answer(result, as_json, print_lattices)


@app.command("mixture", cls=HelpLast)
@watched
def mixture(
    docs: Annotated[str, typer.Argument(help="A few documents, one per line; - for stdin.")],
    clusters: Annotated[int, typer.Option(min=1, help="Number of classes.")] = 2,
    steps: Annotated[int, typer.Option(min=1, max=1000, help="Number of EM iterations.")] = 3,
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of every word in every class.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random start.")] = 0,
    text_column: TextColumn = None,
    page: Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show EM for a Naive Bayes mixture step by step: responsibilities, expected counts, parameters, bound.

    Example: **softcount explain mixture six.txt --clusters 2**

    Two iterations, with smoothing: **softcount explain mixture six.txt --clusters 2 --steps 2 --pseudo 0.1**
    """
    from softcount.report.documents import explain_mixture, mixture_start, print_documents
    from softcount.report.page.explain_data import documents_data
    from softcount.text.document_reader import read_documents

    data = _checked(page, docs, read=lambda: read_documents(docs, text_column=text_column))
    result = explain_mixture(data, clusters, steps, pseudo, seed)
    start = mixture_start(data, clusters, seed)
    _write(page, lambda: documents_data("mixture", data, start, {"word": pseudo}))
    _answer(result, as_json, lambda found: print_documents(found, "class"))


@app.command("plsa", cls=HelpLast)
@watched
def plsa(
    docs: Annotated[str, typer.Argument(help="A few documents, one per line; - for stdin.")],
    topics: Annotated[int, typer.Option(min=1, help="Number of topics.")] = 2,
    steps: Annotated[int, typer.Option(min=1, max=1000, help="Number of EM iterations.")] = 3,
    pseudo: Annotated[float, typer.Option(min=0, help="Pseudo-count of every entry.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random start.")] = 0,
    text_column: TextColumn = None,
    page: Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show EM for PLSA step by step: responsibilities, expected counts, parameters, bound.

    Example: **softcount explain plsa six.txt --topics 2**

    Two iterations from another start: **softcount explain plsa six.txt --topics 2 --steps 2 --seed 1**
    """
    from softcount.report.documents import explain_plsa, plsa_start, print_documents
    from softcount.report.page.explain_data import documents_data
    from softcount.text.document_reader import read_documents

    data = _checked(page, docs, read=lambda: read_documents(docs, text_column=text_column))
    result = explain_plsa(data, topics, steps, pseudo, seed)
    start = plsa_start(data, topics, seed)
    _write(page, lambda: documents_data("plsa", data, start, {"topic": pseudo, "word": pseudo}))
    _answer(result, as_json, lambda found: print_documents(found, "topic"))


@app.command("kmeans", cls=HelpLast)
@watched
def kmeans(
    points: Annotated[str, typer.Argument(help="A few points, one per line, coordinates separated by spaces.")],
    clusters: Annotated[int, typer.Option(min=1, help="Number of means.")] = 2,
    steps: Annotated[int, typer.Option(min=1, max=1000, help="Number of soft and hard iterations.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Seed for choosing the initial means.")] = 0,
    page: Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show soft and hard k-means step by step: means, responsibilities and assignments.

    Example: **softcount explain kmeans points.txt --clusters 2**

    As JSON: **softcount explain kmeans points.txt --clusters 2 --json**
    """
    from softcount.report.kmeans import explain_kmeans, print_kmeans, start_means
    from softcount.report.page.explain_data import kmeans_data
    from softcount.text.points import read_points

    data = _checked(page, points, read=lambda: read_points(points))
    means = start_means(data, clusters, seed, points)
    result = explain_kmeans(data, means, steps)
    _write(page, lambda: kmeans_data(data, means))
    _answer(result, as_json, print_kmeans)


@app.command("ibm1", cls=HelpLast)
@watched
def ibm1(
    source: Annotated[str, typer.Argument(help="A few sentences, or a file with both sides; - for stdin.")],
    target: Annotated[str | None, typer.Argument(help="Translation of SOURCE, line by line.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="Number of EM iterations.")] = 3,
    dictionary: Annotated[
        str | None, typer.Option(help="Known translations, one per line: source, tab, target, tab, must.")
    ] = None,
    page: Page = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with every number of every iteration.")
    ] = False,
) -> None:
    """Show EM for IBM Model 1 step by step: posteriors, expected counts, parameters and perplexity.

    Example: **softcount explain ibm1 three.en three.th --steps 1**

    One file with both sides: **softcount explain ibm1 three.tsv --steps 3 --json**
    """
    from softcount.report.model1 import certain, model1, print_model1
    from softcount.report.page.explain_data import ibm1_data
    from softcount.text.bitext_reader import read_bitext

    data = _checked(page, source, target, dictionary, read=lambda: read_bitext(source, target))
    fixed = certain(dictionary) if dictionary is not None else []
    result = model1(data, steps, fixed)
    _write(page, lambda: ibm1_data([(e[1:], f) for e, f in result["pairs"]], fixed))
    _answer(result, as_json, print_model1)


@app.command("net", cls=HelpLast)
@watched
def net(
    spec: Annotated[str, typer.Argument(help='Arcs, "weather -> traffic -> late", or a BIF file.')],
    start: Annotated[str, typer.Argument(help="All tables of the network as JSON.")],
    data: Annotated[str, typer.Argument(help="A few CSV or TSV rows; empty cells count as missing.")],
    sequence: Annotated[str | None, typer.Option(help="Column with the name of the row's sequence.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column with the number of times a row was observed.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Compute even if expected to exceed a minute or the free memory.")
    ] = False,
    page: Page = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print one JSON object: log_likelihood, per_item, rows, tables, counts, updated."),
    ] = False,
) -> None:
    """Show one EM step of a Bayesian network: probabilities of rows and missing cells, expected counts.

    Example: **softcount explain net "weather -> traffic -> late" T.json days.csv**

    Over time: **softcount explain net "weather@-1 -> weather -> late" T.json diary.csv --page net.html**
    """
    from softcount.estimators.network import Network
    from softcount.report.network import explain_net, print_net
    from softcount.report.page.explain_structure import net_data
    from softcount.text.record_reader import read_columns

    settings: dict[str, Any] = {"structure": spec, "start": start, "sequence": sequence, "weight": weight}
    settings["force"] = force
    model, rows = Network(**settings), _checked(page, start, data, read=lambda: read_columns(data))
    result = explain_net(model, rows)
    _write(page, lambda: net_data(Network(**settings, criterion="em:0").fit(rows), rows), lambda: _arcs(model, rows))
    _answer(result, as_json, lambda found: print_net(found, model._structure, list(rows.columns)))


def _arcs(model: Any, rows: Any) -> list[Any]:
    from softcount.report.page.frame import Section
    from softcount.report.page.network import drawing

    return [Section("arcs", "Dependencies between variables", drawing(model._structure, rows.columns))]


@app.command("grammar", cls=HelpLast)
@watched
def grammar(
    rules: Annotated[str, typer.Argument(help="Rules with probabilities, in NLTK's format.")],
    sentences: Annotated[list[str], typer.Argument(help="One or more sentences, each in quotes.", metavar="SENTENCE…")],
    page: Page = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object: log_likelihood, sentences (trees, chart), rules.")
    ] = False,
) -> None:
    """Show one EM step of a grammar: inside and outside chart, all trees, expected counts of rules.

    Example: **softcount explain grammar G.cfg "she saw the dog with a telescope"**

    As an interactive page: **softcount explain grammar G.cfg "she saw a dog" --page trees.html**
    """
    from softcount.estimators.grammar import Grammar
    from softcount.report.chart import explain_grammar, print_grammar
    from softcount.report.page.explain_structure import grammar_data

    model = _checked(page, rules, read=lambda: Grammar(rules, criterion="em:0", random_state=0).fit(sentences))
    result = explain_grammar(model, sentences)
    _write(page, lambda: grammar_data(model, sentences))
    _answer(result, as_json, print_grammar)
