"""The words of the synthetic language: ``class of words -> its words, the frequent ones first``.

A class is what a rule of the grammar asks for: ``noun.person.p`` a plural noun for people, ``use.past`` the past of a
verb that takes a thing. One form may stand in classes of several tags; that is the language's ambiguity:

    the light [ADJ] can [NOUN] that [PRON] she saw [VERB] can [AUX] light [VERB] that [DET] saw [NOUN] .
"""

from __future__ import annotations

from itertools import count
from math import ceil
from typing import NamedTuple

from softcount.synthetic.morphology import invent, noun_forms, verb_forms

TAGS = ("NOUN", "VERB", "AUX", "ADJ", "ADV", "DET", "PRON", "ADP", "CONJ", "NUM", "PART", "PUNCT")

NOUNS = {
    "person": "child sailor cook guard farmer queen judge baker guest friend painter",
    "animal": "dog fish bird horse fly duck",
    "thing": "boat light can lamp plant door letter watch ring saw box book stand painting sweet",
    "place": "house garden harbour river market park well village home field fair square hill",
    "idea": "dream song plan answer story hope walk secret call play promise race visit work show look love",
    "time": "night morning day winter fall evening second",
}
VERBS = {
    "go": "walk go run sail fly race",
    "stay": "work sleep play fish rest cook",
    "use": "see open light like watch paint clean plant ring",
    "own": "have love like",
    "tour": "leave see watch like guard visit",
    "meet": "see love know call guard visit judge watch answer",
    "learn": "know love like dream",
    "say": "say think know hope dream promise",
    "give": "give show",
    "want": "want hope love like plan promise",
    "happen": "fall stand open rise rest ring",
    "seem": "look feel",
}
ADJECTIVES = {
    "person": "old young kind tired happy calm fair just well hungry",
    "animal": "wild young old fast hungry slow",
    "thing": "old little light green cold clean open painted warm left wooden square fallen second",
    "place": "old little quiet dark cold green open warm still left clear",
    "idea": "old sweet secret strange little hard clear long",
    "time": "cold long warm dark late early still",
}
ADVERBS = {
    "manner": "well slowly before again fast together late early hard today",
    "often": "often never still always soon just",
    "opening": "today soon then now",
    "very": "very so too",
    "homeward": "home in down around there away past inside on outside",
}
# Strides through the invented lemmas: every third verb and every fifth adjective has the form of a noun, if there are
# that many nouns, so that a large vocabulary is ambiguous too.
OPEN = (("NOUN", 1, NOUNS), ("VERB", 3, VERBS), ("ADJ", 5, ADJECTIVES), ("ADV", 1, ADVERBS))
# One tag each; the same form may come back under another class.
CLOSED = {
    "det.s": ("DET", "the a her this his that our their some every another no"),
    "det.p": ("DET", "the her his some our these their those many all no"),
    "few.s": ("DET", "a no another this"),
    "few.p": ("DET", "some no many these"),
    "name": ("NOUN", "anna tom will rose may"),
    "subject.s": ("PRON", "she he it"),
    "subject.p": ("PRON", "they we you"),
    "first": ("PRON", "i"),
    "someone": ("PRON", "him her them me us you"),
    "something": ("PRON", "it that them this one some his these all another many"),
    "there": ("PRON", "there"),
    "who": ("PRON", "who that"),
    "that": ("PRON", "that which"),
    "asker": ("PRON", "who"),
    "what": ("PRON", "what"),
    "which": ("DET", "which what"),
    "how": ("ADV", "where why when how"),
    "please": ("ADV", "please"),
    "modal": ("AUX", "can will must may might could should"),
    "did": ("AUX", "did"),
    "where": ("ADP", "in near at behind by outside inside around"),
    "path": ("ADP", "to from into through past around down"),
    "at": ("ADP", "in before after on by"),
    "of": ("ADP", "of"),
    "by": ("ADP", "by"),
    "to.person": ("ADP", "to for"),
    "with": ("ADP", "with without for"),
    "like": ("ADP", "like"),
    "to": ("PART", "to"),
    "not": ("PART", "not"),
    "and": ("CONJ", "and or"),
    "join": ("CONJ", "and but so for or"),
    "because": ("CONJ", "when because while before after if"),
    "claim": ("CONJ", "that"),
    "number": ("NUM", "two three four five"),
    "one": ("NUM", "one"),
    "comma": ("PUNCT", ","),
    "stop": ("PUNCT", "."),
    "shout": ("PUNCT", "!"),
    "ask": ("PUNCT", "?"),
}
AUXILIARIES = {
    "be": {"s": "is was", "p": "are were", "base": "be"},
    "have": {"s": "has had", "p": "have had"},
    "do": {"s": "does", "p": "do", "base": "do"},
}


class Word(NamedTuple):
    form: str
    tag: str
    lemma: str  # (lemma, tag) is the meaning: what a translation keeps and what a topic prefers


Lexicon = dict[str, list[Word]]


def lexicon(vocabulary: float = 1.0) -> Lexicon:
    """``vocabulary`` scales nouns, verbs, adjectives, adverbs: below 1 the rare ones go, above 1 invented ones come."""
    table = _closed_classes()
    for tag, stride, classes in OPEN:
        numbers = count(0, stride)
        for name, listed in classes.items():
            lemmas = listed.split()
            size = max(1, ceil(vocabulary * len(lemmas)))
            new = [invent(next(numbers)) for _ in range(size - len(lemmas))]
            _add_class(table, tag, name, lemmas[:size] + [f"{lemma}ly" if tag == "ADV" else lemma for lemma in new])
    return table


def _add_class(table: Lexicon, tag: str, name: str, lemmas: list[str]) -> None:
    if tag in ("ADJ", "ADV"):
        table[f"{tag.lower()}.{name}"] = [Word(lemma, tag, lemma) for lemma in lemmas]
        return
    inflect, prefix = (noun_forms, "noun.") if tag == "NOUN" else (verb_forms, "")
    for lemma in lemmas:
        for feature, form in inflect(lemma).items():
            table.setdefault(f"{prefix}{name}.{feature}", []).append(Word(form, tag, lemma))


def _closed_classes() -> Lexicon:
    table = {name: [Word(form, tag, form) for form in forms.split()] for name, (tag, forms) in CLOSED.items()}
    for lemma, features in AUXILIARIES.items():
        for feature, forms in features.items():
            table[f"{lemma}.{feature}"] = [Word(form, "AUX", lemma) for form in forms.split()]
    return table
