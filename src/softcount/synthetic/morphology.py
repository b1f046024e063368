"""Forms of a word from its lemma, the exceptions, and new lemmas for as large a vocabulary as one likes."""

from __future__ import annotations

VOWELS = "aeiou"
ONSETS = ("b", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "dr", "gr", "st")
CODAS = ("n", "l", "r", "m", "nd", "rt", "lk")

IRREGULAR_PLURALS = {"child": "children", "fish": "fish"}
# present -s, past, -ing, participle
IRREGULAR_VERBS = {
    "go": "goes went going gone",
    "run": "runs ran running run",
    "fly": "flies flew flying flown",
    "sleep": "sleeps slept sleeping slept",
    "stand": "stands stood standing stood",
    "see": "sees saw seeing seen",
    "have": "has had having had",
    "light": "lights lit lighting lit",
    "plan": "plans planned planning planned",
    "leave": "leaves left leaving left",
    "know": "knows knew knowing known",
    "say": "says said saying said",
    "think": "thinks thought thinking thought",
    "give": "gives gave giving given",
    "show": "shows showed showing shown",
    "fall": "falls fell falling fallen",
    "rise": "rises rose rising risen",
    "ring": "rings rang ringing rung",
    "feel": "feels felt feeling felt",
}


def noun_forms(lemma: str) -> dict[str, str]:
    return {"s": lemma, "p": IRREGULAR_PLURALS.get(lemma) or _with_s(lemma)}


def verb_forms(lemma: str) -> dict[str, str]:
    """Present with a singular and a plural subject, past, plain, -ing form, participle."""
    forms = IRREGULAR_VERBS.get(lemma) or f"{_with_s(lemma)} {_with_ed(lemma)} {_with_ing(lemma)} {_with_ed(lemma)}"
    present, past, ing, done = forms.split()
    return {"s": present, "p": lemma, "past": past, "base": lemma, "ing": ing, "done": done}


def invent(number: int) -> str:
    """A new lemma: consonant-vowel syllables are the digits, so different numbers give different lemmas."""
    syllables = len(ONSETS) * len(VOWELS)
    rest, coda = divmod(number, len(CODAS))
    rest += syllables  # two syllables at least, and a first digit that is not zero
    lemma = CODAS[coda]
    while rest:
        rest, digit = divmod(rest, syllables)
        lemma = ONSETS[digit // len(VOWELS)] + VOWELS[digit % len(VOWELS)] + lemma
    return lemma


def _with_s(lemma: str) -> str:
    if lemma.endswith(("s", "x", "ch", "sh")):
        return lemma + "es"
    return lemma[:-1] + "ies" if _ends_in_single_y(lemma) else lemma + "s"


def _with_ed(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    return lemma[:-1] + "ied" if _ends_in_single_y(lemma) else lemma + "ed"


def _with_ing(lemma: str) -> str:
    return (lemma[:-1] if lemma.endswith("e") else lemma) + "ing"


def _ends_in_single_y(lemma: str) -> bool:
    return lemma.endswith("y") and lemma[-2] not in VOWELS
