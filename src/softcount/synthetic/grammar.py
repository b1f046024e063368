"""The rules of the synthetic language: a probabilistic grammar with agreement, P(tree) = ∏ P(rule | its left side).

A line is ``Left : weight right side | weight right side …``. Capitals are phrases, small letters are classes of words.
Three signs stand for a feature, the same one at every place of a rule:

    #  number       s p                              so  Clause : Who# Deed#   is  Clause : Who.s Deed.s | Who.p Deed.p
    @  kind         person animal thing place idea time
    %  verb form    s p past base ing done

A sign that only the right side has is drawn (singular is the likelier number). Lines with the same left side add up.
"""

from __future__ import annotations

from collections.abc import Iterator

RULES = """
Sentence : 56 Clause stop | 9 Clause comma join Clause stop | 9 Clause because Clause stop | 9 Setting comma Clause stop
Sentence : 10 Question ask | 4 Command stop | 3 Command shout
Setting : 5 When | 3 because Clause | 2 adv.opening
When : 4 at det.s noun.time.s | 3 at det.s adj.time noun.time.s | 1 at adj.time noun.time.p

Clause : 60 Who# Deed# | 6 first Do.past | 2 first modal Do.base
Clause : 10 Group.animal# Roams# | 12 Group.thing# Happens# | 8 Group.person# Looks#
Clause : 9 Group@# be# State@ | 2 Group@# modal be.base State@
Clause : 5 Group.thing# be# use.done by Anyone | 4 there be# Find# Place

Who# : 40 subject# | 52 Group.person#
Who.s : 9 name
Who.p : 2 name and name
Find# : 2 few# noun.person# | 1 few# noun.animal# | 3 few# noun.thing# | 2 few# adj.thing noun.thing#
Anyone : 3 Group.person# | 2 someone | 1 name

Deed# : 38 Do# | 36 Do.past | 12 modal Do.base | 7 be# Do.ing | 6 have# Do.done
Deed# : 3 modal not Do.base | 3 do# not Do.base | 2 be# not Do.ing
Do% : 78 Act% | 12 Act% adv.manner | 9 adv.often Act% | 5 Act% When | 2 Act% and Act%
Act% : 9 go% Path | 4 go% adv.homeward | 8 stay% | 7 stay% Place | 14 use% Something | 5 own% Something
Act% : 5 tour% Group.place# | 9 meet% Someone | 5 learn% Group.idea# | 6 say% claim Clause | 2 say% Clause
Act% : 5 give% Group.thing# to.person Anyone | 5 want% to Do.base | 2 use% Group.thing# with Group.thing.s
Roams# : 5 Roam# | 4 Roam.past | 1 be# Roam.ing | 1 have# Roam.done | 1 modal Roam.base
Happens# : 5 Event# | 4 Event.past | 1 be# Event.ing | 1 have# Event.done | 1 modal Event.base
Looks# : 5 Look# | 4 Look.past | 0.3 be# Look.ing | 1 have# Look.done | 1 modal Look.base
Roam% : 5 go% Path | 2 stay% | 3 stay% Place | 2 meet% Someone | 1 go% adv.manner | 1 go% like Group.animal.s
Event% : 3 happen% | 3 happen% Place | 2 happen% adv.manner
Look% : 3 seem% adj.person | 1 seem% adv.very adj.person | 1 seem% like Group.person.s
State@ : 6 adj@ | 3 adv.very adj@ | 1 adj@ and adj@ | 1 not adj@

Something : 9 Group.thing# | 2 something
Someone : 6 Group.person# | 2 Group.animal# | 3 someone | 1 name
Place : 4 where Group.place.s | 1 where Group.place.p
Path : 4 path Group.place.s | 1 path Group.place.p

Group@# : 54 det# noun@# | 22 det# adj@ noun@# | 2 det# adj@ and adj@ noun@# | 5 det# noun@# Which@#
Group@.s : 2 one noun@.s
Group@.p : 6 number noun@.p | 2 number adj@ noun@.p | 5 noun@.p | 4 adj@ noun@.p
Which.person# : 4 who Deed# | 3 Place | 1 with Group.thing.s
Which.animal# : 3 that Roams# | 2 Place
Which.thing# : 2 that Happens# | 3 that Anybody use.past | 3 of Anyone | 3 Place
Which.place# : 3 of Group.person# | 2 that Anybody tour.past | 2 Place
Which.idea# : 3 of Group.person# | 3 that Anybody learn.past
Which.time# : 1 of Group.idea.s
Anybody : 1 Who.s | 1 Who.p | 1 first

Question : 4 do# Who# Do.base | 4 did Anybody Do.base | 4 modal Who# Do.base | 4 be# Who# Do.ing | 2 be# Group@# adj@
Question : 5 how do# Who# Do.base | 3 how did Anybody Do.base | 2 how be# Group@#
Question : 3 what do# Who# use.base | 2 what did Anybody use.base | 4 asker Deed.s
Question : 2 which noun.thing# did Anybody use.base
Command : 6 Do.base | 2 please Do.base | 3 do.base not Do.base
"""
FEATURES = {
    "#": {"s": 0.625, "p": 0.375},
    "@": {"person": 0.3, "animal": 0.15, "thing": 0.25, "place": 0.15, "idea": 0.1, "time": 0.05},
    "%": dict.fromkeys(("s", "p", "past", "base", "ing", "done"), 1.0),
}
START = "Sentence"

Symbols = tuple[str, ...]
Grammar = dict[str, list[tuple[float, Symbols]]]


def grammar(text: str = RULES) -> Grammar:
    """Left side -> weighted right sides, with every sign replaced by each of its features."""
    rules: Grammar = {}
    for line in text.split("\n"):
        left, _, alternatives = line.partition(" : ")
        for alternative in filter(None, alternatives.split(" | ")):
            weight, *right = alternative.split()
            for share, (name, *symbols) in _instances(left, (left, *right)):
                rules.setdefault(name, []).append((float(weight) * share, tuple(symbols)))
    return rules


def _instances(left: str, symbols: Symbols) -> Iterator[tuple[float, Symbols]]:
    """The rule once per combination of features, with the share of its weight that the drawn features leave it."""
    sign = next((sign for sign in FEATURES if any(sign in symbol for symbol in symbols)), None)
    if sign is None:
        yield 1.0, symbols
        return
    for feature, share in FEATURES[sign].items():
        replaced = tuple(symbol.replace(sign, f".{feature}") for symbol in symbols)
        for rest, instance in _instances(left, replaced):
            yield rest * (1.0 if sign in left else share), instance
