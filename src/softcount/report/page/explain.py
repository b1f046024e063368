"""EM on a page that computes: a few sentences, pairs, documents, points, rows or trees, and every number of every step.

The page holds the data and the start; its scripts (in scripts/) do the E-steps, the M-steps of every criterion, the
bound, the sum over all structures, the likelihood's landscape and Gibbs sampling, in the reader's browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from softcount.report.page.element import Html, el, joined
from softcount.report.page.frame import Section, page

SCRIPTS = (
    "special", "tables", "family", "hmm", "ibm1", "documents", "net", "grammar", "criteria", "bound", "paths",
    "landscape", "draw", "view_estep", "view_structure", "view_counts", "view_more", "app", "controls",
)  # fmt: skip

# Of each kind: the title, what it is, and what its E-step shows.
KINDS = {
    "hmm": ("Hidden Markov model", "Each word is emitted by a hidden state; each state follows from the one before.",
            "The lattice"),
    "ibm1": ("IBM Model 1", "Each target word translates one source word, or the empty word NULL.",
             "Alignment posteriors"),
    "mixture": ("Naive Bayes mixture", "Each document has one hidden class, which draws all of its words.",
                "Responsibilities"),
    "plsa": ("PLSA", "Each word of a document is drawn from one of the document's topics.", "Responsibilities"),
    "kmeans": ("k-means, soft and hard", "Each point lies around one of the means, with variance one.",
               "Responsibilities"),
    "net": ("Bayesian network", "Each variable is drawn from a table, given the values of its parents.",
            "What is missing"),
    "grammar": ("Context-free grammar", "Each symbol is rewritten by one of its rules, until only words are left.",
                "The chart and the trees"),
}  # fmt: skip

PARTS = (
    ("parameters", "Counts and parameters",
     "Type another number to see everything change; the rest of its row shares what is left."),
    ("bound", "L, F, Q and KL", ""),
    ("beside", "The same counts under EM and under variational Bayes", ""),
    ("mre", "Maximum reconstruction",
     "It encodes the data by P(z | x), decodes by P(x | z), and makes the data likely again."),
    ("paths", "The sum over all hidden structures",
     "P(x) = Σ P(x, z), written out, beside the dynamic programme, which shares its factors."),
    ("landscape", "The likelihood as two parameters vary", ""),
    ("gibbs", "Gibbs sampling beside the exact posterior", ""),
)  # fmt: skip


def explain_page(data: dict[str, Any], more: Sequence[Section] = ()) -> str:
    """`data`: `kind`, what is seen, `parameters` to start from, `pseudo` by table, `prior`; `more` goes before all."""
    title, story, estep = KINDS[data["kind"]]
    told = f"{story} Step with the buttons or the arrow keys; whatever you change is computed here, in the page."
    sections = [
        *more,
        Section("given", "Data and settings", _view()),
        Section("estep", f"E-step: {estep[0].lower()}{estep[1:]}", _view()),
        *(Section(key, name, joined([*_hint(hint), _view()])) for key, name, hint in PARTS),
    ]
    scripts = [f"scripts/{name}.js" for name in SCRIPTS]
    return page(title, told, sections, scripts, before=_steps(), more={"explain": data})


def _hint(words: str) -> list[Html]:
    return [el("p", words, cls="hint")] if words else []


def _view() -> Html:
    return el("div", el("noscript", "This page computes in the browser; allow it to run scripts."), cls="view")


def _steps() -> Html:
    """Where the buttons stand, and two places that are read aloud when they change."""
    where = el("output", "", id="where", role="status")
    bar = el("div", el("div", "", id="steps"), where, cls="toolbar", role="group", aria_label="Steps")
    return joined([bar, el("p", "", id="said", role="status", cls="found")])
