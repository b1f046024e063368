"""The part of softcount demo about documents: topics beside the subjects of articles, and classes from a few labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from softcount.cli.demo_pages import Shown

TOPICS, WORDS = 10, 8
LABELLED = 5  # articles per subject
FEWEST, MOST = 2, 0.2  # documents with a word that is kept, and their share of all
FILE = f"articles.tsv --text-column text --tokenize --lowercase --min-count {FEWEST} --max-share {MOST}"


def demo_documents(console: Any, folder: Path, seed: int) -> list[Shown]:
    import numpy as np
    from rich import box
    from rich.table import Table

    from softcount.estimators.mixture import NaiveBayesMixture
    from softcount.estimators.plsa import PLSA
    from softcount.evaluate.clustering import cluster_scores, contingency
    from softcount.report.columns import Words

    data, subjects = _articles(folder)
    names = sorted(set(subjects))
    gold = np.array([names.index(subject) for subject in subjects])
    console.print(
        f"\n[bold]Articles on {len(names)} subjects[/]: {len(data)} of them, of {data.n_tokens / len(data):.0f} words "
        f"each: softcount topics {FILE} --topics {TOPICS}\n"
    )
    model = PLSA(TOPICS, random_state=seed, n_jobs=-1).fit(data)
    plain = PLSA(TOPICS, criterion="em:200", start="random", random_state=seed, n_jobs=-1).fit(data)
    main = [fitted.predict(data) for fitted in (model, plain)]
    table = Table(box=box.SIMPLE_HEAD, title="Topics by PLSA, beside the subjects", title_justify="left")
    for column, justify in (("topic", "right"), ("share", "right"), ("mostly about", "left")):
        table.add_column(column, justify=justify, no_wrap=True, min_width=len(column))  # type: ignore[arg-type]
    table.add_column("its top words")
    for h, words in model.top_words(WORDS).items():
        table.add_row(
            str(h), f"{model.prevalence_[h]:.0%}", _subject(subjects, main[0] == h), Words([w for w, _ in words])
        )
    console.print(table)
    nmi = [cluster_scores(contingency(gold, found, len(names), TOPICS))["nmi"] for found in main]
    console.print(
        f"The main topic of each article agrees with its subject by an NMI of {nmi[0]:.2f}; by plain EM from a random "
        f"start (em:200) {nmi[1]:.2f}.\n"
    )
    y = np.full(len(gold), -1)
    for k in range(len(names)):
        y[np.flatnonzero(gold == k)[:LABELLED]] = k
    rest = y < 0
    scores = []
    for weight in (0.0, None):
        mixture = NaiveBayesMixture(unlabelled_weight=weight, random_state=seed).fit(data, y)
        scores.append(float(np.mean(mixture.predict(data)[rest] == gold[rest])))
    console.print(
        f"{LABELLED} labelled articles per subject: of the other {rest.sum()} Naive Bayes classifies {scores[0]:.0%} "
        f"right from the labels alone, and {scores[1]:.0%} with EM on the unlabelled ones (softcount cluster --labels)."
    )
    return [Shown("topics", model, (data,), subjects), Shown("clusters", mixture, (data,), subjects)]


def _articles(folder: Path) -> tuple[Any, list[str]]:
    """The documents, and the subject of each."""
    import csv

    from softcount.text.document_reader import read_documents
    from softcount.text.documents import pruned

    with (folder / "articles.tsv").open(encoding="utf-8", newline="") as file:
        subjects = [row["subject"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    data = read_documents(folder / "articles.tsv", lowercase=True, text_column="text", tokenize="rules")
    return replace(pruned(data, FEWEST, MOST, ()), source="articles.tsv"), subjects


def _subject(subjects: list[str], chosen: Any) -> str:
    """The commonest subject of the chosen articles, and its share of them."""
    found = Counter(subject for subject, yes in zip(subjects, chosen, strict=True) if yes)
    if not found:
        return "–"
    (subject, n), total = found.most_common(1)[0], found.total()
    return f"{subject} {n}/{total}"
