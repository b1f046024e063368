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

# Of each kind: the title, what it is, what its E-step shows, and how to read that.
KINDS = {
    "hmm": ("Hidden Markov model", "Each word is emitted by a hidden state; each state follows from the one before.",
            "The lattice",
            "A box is a state at a word. α: how probable is everything so far, ending in this state; β: how probable "
            "is everything from here on; each before → after the word itself is emitted. γ = α · β / P(sentence) is "
            "the share of this state at this word; the wider a line, the more probable the transition."),
    "ibm1": ("IBM Model 1", "Each target word translates one source word, or the empty word NULL.",
             "Alignment posteriors",
             "A column for each target word: how probable is it that it translates this source word? That is "
             "t(target | source), divided by the sum over all source words of the pair."),
    "mixture": ("Naive Bayes mixture", "Each document has one hidden class, which draws all of its words.",
                "Responsibilities",
                "How probable is each class for this document: P(class) · Π P(word | class), divided by the sum over "
                "the classes. EM counts the document in all classes, by these shares; hard EM in the best one alone."),
    "plsa": ("PLSA", "Each word of a document is drawn from one of the document's topics.", "Responsibilities",
             "How probable is each topic for this word: P(topic | document) · P(word | topic), divided by the sum over "
             "the topics. EM counts the word in all topics, by these shares; hard EM in the best one alone."),
    "kmeans": ("k-means, soft and hard", "Each point lies around one of the means, with variance one.",
               "Responsibilities",
               "The share of a cluster falls with the distance to its mean as exp(−distance² / 2). EM moves a mean by "
               "all points, each by its share; hard EM, which is k-means, by those alone that are nearest to it."),
    "net": ("Bayesian network", "Each variable is drawn from a table, given the values of its parents.",
            "What is missing",
            "How probable is each value of each cell that nobody filled in, given all cells that are there?"),
    "grammar": ("Context-free grammar", "Each symbol is rewritten by one of its rules, until only words are left.",
                "The chart and the trees",
                "Inside: how probable is it that this symbol becomes these words? Outside: how probable is all the "
                "rest around it? Their product, divided by P(sentence), is the posterior."),
}  # fmt: skip
EM = (
    "What is hidden stands nowhere in the data, so EM guesses: the E-step works out how probable every hidden value is"
    " under the present parameters, and the M-step makes better parameters of these probabilities, as if they were"
    " counts. Whatever you change is computed here, in the page."
)

PARTS = (
    ("parameters", "Counts and parameters",
     "Each use of an entry counts by its probability; the M-step divides the counts of a row by their sum. "
     "Type another number to see everything change; the rest of its row shares what is left."),
    ("bound", "L, F, Q and KL",
     "L is the log-likelihood of what is seen. F = Q + H(q) is what both half-steps raise, a bound below L: Q is the "
     "expected log-probability of the seen and the hidden together, H the entropy of the guess q about the hidden, and "
     "KL = L − F how far q is from the posterior."),
    ("beside", "The same counts under EM and under variational Bayes",
     "EM takes one value for each parameter. Variational Bayes keeps a distribution over its values, with "
     "pseudo-counts λ, and what is rare gets less weight by it."),
    ("mre", "Maximum reconstruction",
     "EM makes the data likely. Maximum reconstruction wants what is hidden to tell what the data were: it encodes the "
     "data by P(z | x), decodes by P(x | z), and makes the data likely again after both. Q is its posterior of z."),
    ("paths", "The sum over all hidden structures",
     "P(x) = Σ P(x, z), written out, beside the dynamic programme, which shares its factors."),
    ("landscape", "The likelihood as two parameters vary",
     "How likely the data are while two parameters take all values, and where EM goes from several starts: it climbs, "
     "but which top it reaches depends on where it starts."),
    ("gibbs", "Gibbs sampling beside the exact posterior",
     "Gibbs sampling does not weigh all hidden structures: it draws one after the other. In the long run it draws each "
     "as often as it is probable."),
)  # fmt: skip


def explain_page(data: dict[str, Any], more: Sequence[Section] = ()) -> str:
    """`data`: `kind`, what is seen, `parameters` to start from, `pseudo` by table, `prior`; `more` goes before all."""
    title, story, estep, reading = KINDS[data["kind"]]
    sections = [
        *more,
        Section("given", "Data and settings", _view()),
        Section("estep", f"E-step: {estep[0].lower()}{estep[1:]}", _told_view(reading)),
        *(Section(key, name, _told_view(hint)) for key, name, hint in PARTS),
    ]
    scripts = [f"scripts/{name}.js" for name in SCRIPTS]
    return page(title, f"{story} {EM}", sections, scripts, before=_steps(), more={"explain": data})


def _told_view(words: str) -> Html:
    return joined([el("p", words, cls="hint"), _view()])


def _view() -> Html:
    return el("div", el("noscript", "This page computes in the browser; allow it to run scripts."), cls="view")


def _steps() -> Html:
    """Where the buttons stand, and two places that are read aloud when they change."""
    where = el("output", "", id="where", role="status")
    bar = el("div", el("div", "", id="steps"), where, cls="toolbar", role="group", aria_label="Steps")
    first = "Press ▶, or the right arrow key, for the next step of EM."
    return joined([bar, el("p", first, id="said", role="status", cls="found")])
