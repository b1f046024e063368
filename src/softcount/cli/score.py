"""softcount score: how good are the labels?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from softcount.cli.console import check_writable, open_model, write_whole
from softcount.cli.help import GroupHelp, HelpLast
from softcount.cli.options import TextColumn, Tokenize
from softcount.cli.score_compare import (
    Other,
    Samples,
    Seed,
    compared_clusters,
    compared_links,
    compared_tags,
    compared_trees,
    print_compared,
)
from softcount.cli.score_compare import (
    as_json as comparison,
)
from softcount.cli.score_input import check_lines_in_step, check_links, check_tags_in_step, lengths_in, one_a_line
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put

HELP = (
    "Compare results with gold answers.\n\nExample: **softcount score tags gold.tags tags.txt --table**\n\n"
    "Links: **softcount score links gold.wa links.txt --json**\n\nTwo systems: **softcount score links "
    "gold.wa links.txt --compare other.links**\n"
)
app = typer.Typer(cls=GroupHelp, help=HELP, no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _group() -> None:
    pass


@app.command("tags", cls=HelpLast)
@watched
def tags(
    gold: Annotated[str, typer.Argument(help="Gold tags, one sentence per line, _ if unknown; or CoNLL-U (UPOS).")],
    predicted: Annotated[str, typer.Argument(help="Predicted tags, line by line; - for stdin.")],
    map_to: Annotated[
        Path | None, typer.Option("--map", help="Write the most common gold tag of each class, for tag --names.")
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Print the number of tokens per pair of gold and predicted tag.")
    ] = False,
    bars: Annotated[bool, typer.Option("--bars", help="Print the tag frequencies, compared with Zipf's law.")] = False,
    compare: Other = None,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare tags with gold tags: many-to-one and one-to-one accuracy, variation of information, V-measure.

    Example: **softcount score tags gold.tags predicted.tags --json**

    Cross-tabulate two runs: **softcount score tags first.tags second.tags --table --map names.tsv**

    Test the difference between two systems: **softcount score tags gold.tags one.tags --compare other.tags**
    """
    import hashlib

    from softcount.evaluate.clustering import accuracy, contingency, tag_scores
    from softcount.report.columns import show
    from softcount.report.label_table import MAP_HEADER, cross_table, distribution_lines, many_to_one_map, map_table
    from softcount.report.tsv import tsv_lines
    from softcount.signature import signature
    from softcount.text.reader import read_labels
    from softcount.text.source import check_stdin

    check_stdin(gold_tags=gold, predicted_tags=predicted, other_tags=compare)
    check_writable(map_to, inputs=(gold, predicted, compare))
    (gold_ids, gold_names), (ids, names) = read_labels(gold, column="upos"), read_labels(predicted)
    check_tags_in_step(gold, predicted, gold_ids.lengths.tolist(), ids.lengths.tolist())
    stage.begin("scoring")
    scored = (gold_ids.values >= 0) & (ids.values >= 0)
    if not scored.any():
        raise InputError(f"{gold}: no token has both a gold and a predicted tag; nothing to score")
    found = contingency(gold_ids.values[scored], ids.values[scored], len(gold_names), len(names))
    result = tag_scores(found)
    scores = {**result._asdict(), **accuracy(found, gold_names, names)}
    digest = hashlib.sha256(repr((sorted(gold_names), sorted(found.sum(axis=1).tolist()))).encode()).hexdigest()[:12]
    line = signature(
        "score tags", gold=f"{len(gold_names)} tags", predicted=f"{len(names)} tags", sentences=gold_ids.n_rows,
        tokens=result.tokens, vi="bits", gold_counts=f"sha256:{digest}",
    )  # fmt: skip
    both = (gold_ids, gold_names), (ids, names)
    compared = compared_tags(gold, *both, compare, samples, seed) if compare else None
    mapping = many_to_one_map(found, gold_names, names)
    if map_to is not None:
        write_whole(map_to, lambda path: _write(path, tsv_lines(MAP_HEADER, mapping)))
    if as_json:
        named = {"map": {row.name: row.gold for row in mapping}} if map_to or table else {}
        crossed = {"table": {"gold": gold_names, "predicted": names, "tokens": found.tolist()}} if table else {}
        against = comparison(compared, compare, samples)
        put(json.dumps({**scores, **named, **crossed, **against, "signature": line}, ensure_ascii=False))
        return
    for name, value in scores.items():
        put(f"{name:12} {value:,}" if isinstance(value, int) else f"{name:12} {value:.4f}")
    if table:
        show("\nTokens by gold tag (rows) and predicted tag (columns)", *cross_table(found, gold_names, names))
        show("Each class by its most common gold tag", *map_table(mapping), names=2)
    if bars:
        sides = {"gold": (gold_names, found.sum(axis=1)), "predicted": (names, found.sum(axis=0))}
        put("\n".join(distribution_lines(sides)))
    print_compared(compared, predicted, compare)
    put(line)


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


@app.command("clusters", cls=HelpLast)
@watched
def clusters(
    gold: Annotated[str, typer.Argument(help="Gold classes, one per line; an empty line is not scored.")],
    predicted: Annotated[str, typer.Argument(help="Clusters, line by line; - for stdin.")],
    compare: Other = None,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare clusters with gold classes: NMI, adjusted Rand index, variation of information, purity, V-measure.

    Example: **softcount score clusters gold.labels clusters.txt --json**

    In a pipe: **softcount cluster docs.txt --clusters 20 | softcount score clusters gold.labels -**

    Test the difference between two systems: **softcount score clusters gold.labels one.txt --compare other.txt**
    """
    from softcount.evaluate.clustering import accuracy, cluster_scores, contingency
    from softcount.signature import signature
    from softcount.text.source import check_stdin

    check_stdin(gold_classes=gold, clusters=predicted, other_clusters=compare)
    (gold_ids, gold_names), (ids, names) = one_a_line(gold), one_a_line(predicted)
    if len(gold_ids) != len(ids):
        raise InputError(
            f"{predicted}: {len(ids)} lines, but {len(gold_ids)} in {gold}; give one label per line in both"
        )
    scored = (gold_ids >= 0) & (ids >= 0)
    if not scored.any():
        raise InputError(f"{gold}: no document has both a gold class and a cluster; nothing to score")
    table = contingency(gold_ids[scored], ids[scored], len(gold_names), len(names))
    result = {**cluster_scores(table), **accuracy(table, gold_names, names)}
    line = signature("score clusters", gold=f"{len(gold_names)} classes", predicted=f"{len(names)} clusters",
                     documents=int(scored.sum()), vi="bits", nmi="arithmetic mean")  # fmt: skip
    both = (gold_ids, gold_names), (ids, names)
    compared = compared_clusters(gold, *both, compare, samples, seed) if compare else None
    if as_json:
        against = comparison(compared, compare, samples)
        put(json.dumps({**result, **against, "signature": line}, ensure_ascii=False))
        return
    for name, value in result.items():
        put(f"{name:12} {value:.4f}")
    print_compared(compared, predicted, compare)
    put(line)


@app.command("topics", cls=HelpLast)
@watched
def topics(
    model: Annotated[str, typer.Argument(help="Model written by softcount topics --save.")],
    docs: Annotated[str, typer.Argument(help="Held-out documents; - for stdin.")],
    top: Annotated[int, typer.Option(min=2, help="Number of top words per topic for coherence.")] = 10,
    format: Annotated[
        str, typer.Option(help="Input format. Choices: auto, lines, uci, ldac, svmlight, folder.")
    ] = "auto",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Convert the text to lower case.")] = False,
    tokenize: Tokenize = None,
    text_column: TextColumn = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the split of each document into observed and held-out tokens.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Evaluate topics on held-out documents: perplexity by document completion, coherence (NPMI, C_V) and diversity.

    Example: **softcount score topics topics.model held-out.txt --json**

    With five words per topic: **softcount score topics topics.model held-out.txt --top 5**
    """
    from softcount.cli.documents import coherence_in
    from softcount.evaluate.topics import WINDOW
    from softcount.signature import signature

    plsa = open_model(Path(model), ("plsa",), "score topics")
    data, found = coherence_in(plsa, docs, top, format, lowercase, tokenize, text_column)
    result = {
        "perplexity": plsa.perplexity(data, seed), "npmi": float(found.npmi.mean()),
        "c_v": None if found.c_v is None else float(found.c_v.mean()), "diversity": found.diversity,
    }  # fmt: skip
    line = signature("score topics", perplexity="document completion, half of the tokens", c_v=f"windows of {WINDOW}",
                     top=top, seed=seed, documents=len(data), data="sha256:" + data.digest()[:12])  # fmt: skip
    if as_json:
        per_topic = {"npmi_per_topic": found.npmi.tolist()}
        per_topic |= {} if found.c_v is None else {"c_v_per_topic": found.c_v.tolist()}
        put(json.dumps({**result, **per_topic, "signature": line, "model": plsa.signature_}, ensure_ascii=False))
        return
    for name, value in result.items():
        if value is not None:
            put(f"{name:12} {value:.4f}")
    put(line)


@app.command("links", cls=HelpLast)
@watched
def links(
    gold: Annotated[
        str, typer.Argument(help="Gold links: Pharaoh format (i-j sure, i?j possible, from 0) or NAACL .wa (from 1).")
    ],
    predicted: Annotated[str, typer.Argument(help="Predicted links, line by line; - for stdin.")],
    source: Annotated[
        str | None, typer.Option(help="Source text, to check that links are within its sentences.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Target text, to check that links are within its sentences.")
    ] = None,
    compare: Other = None,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare word links with gold links: alignment error rate, precision, recall and F1.

    Example: **softcount score links gold.wa links.txt --source text.en --target text.fr**

    As JSON: **softcount score links gold.links links.txt --json**

    Test the difference between two systems: **softcount score links gold.wa links.txt --compare other.links**
    """
    from softcount.evaluate.links import count_links, link_scores, total
    from softcount.links.pharaoh import read_links
    from softcount.signature import signature
    from softcount.text.source import check_stdin

    check_stdin(gold_links=gold, predicted_links=predicted, source=source, target=target, other_links=compare)
    found = read_links(predicted)
    truth = read_links(gold, len(found))
    check_lines_in_step(gold, predicted, len(truth), len(found))
    if not any(pair.sure or pair.possible for pair in truth):
        raise InputError(f"{gold}: no links; nothing to score")
    lengths = lengths_in(source), lengths_in(target)
    check_links(gold, truth, predicted, found, *lengths)
    stage.begin("counting links")
    pairs = stage.counted(zip(truth, found, strict=True), len(truth))
    counts = total(count_links(p.sure | p.possible, g.sure, g.possible) for g, p in pairs)
    result = {**link_scores(counts)._asdict(), "pairs": len(truth), **counts._asdict()}
    line = signature("score links", pairs=len(truth), sure=counts.sure, possible=counts.possible)
    compared = compared_links(gold, truth, found, compare, lengths, samples, seed) if compare else None
    if as_json:
        put(json.dumps({**result, **comparison(compared, compare, samples), "signature": line}))
        return
    for name, value in result.items():
        put(f"{name:14} {value:,}" if isinstance(value, int) else f"{name:14} {value:.4f}")
    print_compared(compared, predicted, compare)
    put(line)


@app.command("trees", cls=HelpLast)
@watched
def trees(
    gold: Annotated[str, typer.Argument(help="Gold trees in bracket notation, one per line.")],
    predicted: Annotated[
        str, typer.Argument(help="Predicted trees, line by line, or - for stdin; an empty line means no parse.")
    ],
    compare: Other = None,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare parse trees with gold trees: labelled and unlabelled bracket F1 (EVALB), tag accuracy, exact matches.

    Example: **softcount score trees gold.mrg predicted.mrg --json**

    In a pipe: **softcount grammar G.cfg text.txt | softcount score trees gold.mrg -**

    Test the difference between two systems: **softcount score trees gold.mrg one.mrg --compare other.mrg**
    """
    from softcount.evaluate.trees import count_brackets, total, tree_scores
    from softcount.signature import signature
    from softcount.text.source import check_stdin
    from softcount.text.trees import read_trees

    check_stdin(gold_trees=gold, predicted_trees=predicted, other_trees=compare)
    truth, found = read_trees(gold), read_trees(predicted)
    check_lines_in_step(gold, predicted, len(truth), len(found), "trees")
    stage.begin("counting brackets")
    pairs = enumerate(stage.counted(zip(truth, found, strict=True), len(truth)), 1)
    counts = total(count_brackets(g, p, f"{predicted}:{line}") for line, (g, p) in pairs if g is not None)
    result = {**tree_scores(counts)._asdict(), "sentences": counts.sentences}
    line = signature("score trees", sentences=counts.sentences, brackets=counts.gold, punctuation="left out",
                     unlabelled="without the whole sentence and single words")  # fmt: skip
    compared = compared_trees(gold, truth, found, compare, samples, seed) if compare else None
    if as_json:
        against = comparison(compared, compare, samples)
        put(json.dumps({**result, "counts": counts._asdict(), **against, "signature": line}))
        return
    for name, value in result.items():
        put(f"{name:20} {value:,}" if isinstance(value, int) else f"{name:20} {value:.4f}")
    print_compared(compared, predicted, compare)
    put(line)
