"""The part of softcount demo about documents: topics, clusters, and classes from a few labels, beside the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softcount.cli.demo_pages import Shown

if TYPE_CHECKING:
    from softcount.synthetic.topics import Topical

THEME = 0.25  # of a topic's probability on one theme's keywords: documents have 0.4 on theirs, common words none


def demo_documents(console: Any, seed: int) -> list[Shown]:
    import numpy as np
    from rich import box
    from rich.table import Table

    from softcount.estimators.mixture import NaiveBayesMixture
    from softcount.estimators.plsa import PLSA
    from softcount.evaluate.clustering import cluster_scores, contingency
    from softcount.report.columns import Words
    from softcount.synthetic.topics import topical

    text = topical(300, n_topics=5, length=20, share=0.4, seed=seed)
    console.print(
        "\n[bold]Documents with known topics[/]: 300 documents, each about one of 5 topics. Of the 20 words or so of a "
        "document 8 are its topic's, and 12 are common words, the same for all topics.\n"
    )
    model = PLSA(6, random_state=seed, n_jobs=-1).fit(text.documents)
    plain = PLSA(6, criterion="em:200", start="random", random_state=seed, n_jobs=-1).fit(text.documents)
    gold = np.array(text.topics)
    table = Table(box=box.SIMPLE_HEAD, title="Topics by PLSA, beside the truth", title_justify="left")
    for column, justify in (("topic", "right"), ("share", "right"), ("mostly about", "left")):
        table.add_column(column, justify=justify, no_wrap=True, min_width=len(column))  # type: ignore[arg-type]
    table.add_column("the words that tell most of it")
    themes = themes_of(model, text)
    for h, words in model.top_words(8).items():
        table.add_row(str(h), f"{model.prevalence_[h]:.0%}", themes[h], Words([w for w, _ in words]))
    console.print(table)
    found = [cluster_scores(contingency(gold, m.predict(text.documents), 5, 6))["nmi"] for m in (model, plain)]
    new = topical(100, n_topics=5, length=20, share=0.4, seed=seed + 1).documents
    console.print(
        f"Each document's main topic agrees with the truth by an NMI of {found[0]:.2f} by default, and of "
        f"{found[1]:.2f} by plain EM from a random start (em:200); perplexity of 100 new documents "
        f"{model.perplexity(new):.1f} and {plain.perplexity(new):.1f}.\n"
    )
    y = np.full(len(gold), -1)
    for k in range(len(text.names)):
        y[np.flatnonzero(gold == k)[:1]] = k
    rest = [d for d in range(len(gold)) if y[d] < 0]
    scores = []
    for weight in (0.0, 1.0):
        found = NaiveBayesMixture(unlabelled_weight=weight, random_state=seed).fit(text.documents, y)
        scores.append(np.mean(found.predict(text.documents)[rest] == gold[rest]))
    console.print(
        f"One labelled document per class: the other 295 are classified {scores[0]:.0%} right by Naive Bayes from the "
        f"labels alone, {scores[1]:.0%} with EM on the unlabelled ones."
    )
    names = [text.names[k] for k in text.topics]
    return [Shown("topics", model, (text.documents,), names), Shown("clusters", found, (text.documents,), names)]


def themes_of(model: Any, text: Topical) -> list[str]:
    """The true topic that each found topic is about, by the keywords that it emits."""
    ids = [model.vocabulary_.find(words) for words in text.keywords]
    on_keywords = [[float(row[found[found >= 0]].sum()) for found in ids] for row in model.word_]
    best = [max(zip(shares, text.names, strict=True)) for shares in on_keywords]
    return [name if share >= THEME else "– (common words)" for share, name in best]
