"""Examples that come with softcount: small ones that EM is taught with, and texts to try the commands on.

EXAMPLES["can-i-can"].files["P.json"], .commands, .told
"""

from __future__ import annotations

from importlib.resources import files as package_files
from typing import NamedTuple


class Example(NamedTuple):
    told: str  # what there is to see, in a sentence or two
    files: dict[str, str]
    commands: tuple[str, ...]  # run in the folder that has the files


def read_texts(*names: str) -> dict[str, str]:
    """Files of the folder `texts`, which were written for softcount (texts/README.md)."""
    folder = package_files("softcount") / "texts"
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


CAN = """{"states": ["V", "N"],
 "initial": {"V": 0.6, "N": 0.4},
 "transition": {"V": {"V": 0.6, "N": 0.4}, "N": {"V": 0.9, "N": 0.1}},
 "emission": {"V": {"can": 0.5, "I": 0.5}, "N": {"can": 0.5, "I": 0.5}}}
"""
ENGLISH = "He is living in Bangkok\nHe likes Bangkok\nHe likes living in Bangkok\n"
THAI = "เขา อาศัย อยู่ใน กรุงเทพฯ\nเขา ชอบ กรุงเทพฯ\nเขา ชอบ อาศัย อยู่ใน กรุงเทพฯ\n"
ALIGN = (
    "softcount align three.en three.th --model ibm1 --criterion em:1 --direction forward --no-lowercase --lexicon t.tsv"
)
SIX = """Apple released iPod .
Apple released iPhone .
Apple released iPad .
Tom bought one iPod .
Tom bought one iPhone .
Tom bought one iPad .
"""
NEWS = """World_Cup Russia host
World_Cup boost Russia economy
Russia bid World_Cup
Russia economy growing oil
Russia economy recover continue
Russia oil dependence
"""
POINTS = """1.0 1.2
1.4 2.0
2.0 1.1
2.3 1.9
3.9 3.3
6.0 5.1
6.4 6.0
6.9 5.3
7.2 4.4
"""
DAY = """{"weather": {"": {"sunny": 0.95, "rainy": 0.05}},
 "traffic": {"sunny": {"normal": 0.7, "bad": 0.2, "terrible": 0.1}, "rainy": {"normal": 0.2, "bad": 0.3, "terrible": 0.5}},
 "late": {"normal": {"yes": 0.1, "no": 0.9}, "bad": {"yes": 0.4, "no": 0.6}, "terrible": {"yes": 0.8, "no": 0.2}}}
"""
DIARY = """{"weather@first": {"": {"sunny": 0.95, "rainy": 0.05}},
 "weather": {"sunny": {"sunny": 0.9, "rainy": 0.1}, "rainy": {"sunny": 0.4, "rainy": 0.6}},
 "traffic": {"sunny": {"normal": 0.7, "bad": 0.2, "terrible": 0.1}, "rainy": {"normal": 0.2, "bad": 0.3, "terrible": 0.5}},
 "late": {"normal": {"yes": 0.1, "no": 0.9}, "bad": {"yes": 0.4, "no": 0.6}, "terrible": {"yes": 0.8, "no": 0.2}}}
"""
GRAMMAR = """S -> NP VP
VP -> V NP [0.7] | VP PP [0.3]
NP -> 'she' [0.3] | Det N [0.5] | NP PP [0.2]
PP -> P NP
Det -> 'the' [0.6] | 'a' [0.4]
N -> 'dog' [0.5] | 'telescope' [0.5]
V -> 'saw'
P -> 'with'
"""

EXAMPLES = {
    "can-i-can": Example(
        "Two states, V and N, and one sentence: P(can I can) = 0.125, its lattice, expected counts, and EM from there.",
        {"P.json": CAN, "can.txt": "can I can\n"},
        (
            'softcount explain hmm P.json "can I can"',
            'softcount explain hmm P.json "can I can" --page can.html',
            "softcount tag can.txt --start P.json --criterion em:1 --parameters after.json",
            "softcount tag can.txt --start P.json --criterion em:20 --tolerance 0 --trace steps.tsv --parameters learned.json",
        ),
    ),
    "pseudo-counts": Example(
        "Expected counts 1.1 and 3.5: probabilities .24 and .76; with a pseudo-count of 0.5 .29 and .71, of 1 .32 and .68.",
        {"counts.csv": "outcome,count\nfirst,1.1\nsecond,3.5\n"},
        (
            "softcount net outcome counts.csv --weight count --criterion em:1",
            "softcount net outcome counts.csv --weight count --criterion em:1 --pseudo 0.5",
            "softcount net outcome counts.csv --weight count --criterion em:1 --pseudo 1",
        ),
    ),
    "six-documents": Example(
        "Three documents about Apple, three about Tom: two classes are found, a third has no effect (-51.5277 either "
        "way), and from a uniform start the classes stay identical.",
        {"six.txt": SIX},
        (
            "softcount explain mixture six.txt --clusters 2",
            "softcount explain mixture six.txt --clusters 2 --page six.html",
            "softcount cluster six.txt --clusters 2 --start random --restarts 20 --criterion em:200 --pseudo 0 --seed 0",
            "softcount cluster six.txt --clusters 3 --start random --restarts 20 --criterion em:200 --pseudo 0 --seed 0",
            "softcount cluster six.txt --clusters 2 --start uniform --criterion em:20 --pseudo 0",
        ),
    ),
    "thai": Example(
        "Three English sentences and their Thai translations: one step of Model 1 from a uniform start.",
        {"three.en": ENGLISH, "three.th": THAI},
        (
            "softcount explain ibm1 three.en three.th --steps 1",
            "softcount explain ibm1 three.en three.th --page thai.html",
            ALIGN,
        ),
    ),
    "thai-fixed": Example(
        "The same with t(กรุงเทพฯ | Bangkok) = 1 fixed: the fixed word determines the others.",
        {"three.en": ENGLISH, "three.th": THAI, "fixed.tsv": "Bangkok\tกรุงเทพฯ\tmust\n"},
        (
            "softcount explain ibm1 three.en three.th --dictionary fixed.tsv --steps 1",
            "softcount explain ibm1 three.en three.th --dictionary fixed.tsv --page fixed.html",
            f"{ALIGN} --dictionary fixed.tsv",
        ),
    ),
    "six-topics": Example(
        "Six news items in two topics, the World Cup and the economy: log-likelihood -36.7426 at best.",
        {"news.txt": NEWS},
        (
            "softcount explain plsa news.txt --topics 2",
            "softcount explain plsa news.txt --topics 2 --page news.html",
            "softcount topics news.txt --topics 2 --start random --restarts 20 --criterion em:300 --seed 0",
        ),
    ),
    "two-clusters": Example(
        "Points in two clusters and one between them: k-means gives it to one, soft EM shares it.",
        {"points.txt": POINTS},
        (
            "softcount explain kmeans points.txt --clusters 2",
            "softcount explain kmeans points.txt --clusters 2 --page points.html",
        ),
    ),
    "late": Example(
        "Weather, unobserved traffic, and lateness: P(late | rainy) = .54, P(late) = .2455.",
        {"T.json": DAY, "days.csv": "weather,late\nsunny,no\nrainy,yes\nsunny,yes\nsunny,no\n"},
        (
            'softcount net "weather -> traffic -> late" --start T.json --query "late | weather=rainy"',
            'softcount net "weather -> traffic -> late" --start T.json --query "traffic | late=yes, weather=sunny"',
            'softcount explain net "weather -> traffic -> late" T.json days.csv',
            'softcount explain net "weather -> traffic -> late" T.json days.csv --page late.html',
        ),
    ),
    "diary": Example(
        "The same network over time: late, late, on time; infer the weather.",
        {"D.json": DIARY, "diary.csv": "late\nyes\nyes\nno\n"},
        (
            'softcount explain net "weather@-1 -> weather -> traffic -> late" D.json diary.csv',
            'softcount explain net "weather@-1 -> weather -> traffic -> late" D.json diary.csv --page diary.html',
            'softcount net "weather@-1 -> weather -> traffic -> late" --start D.json --score diary.csv',
        ),
    ),
    "telescope": Example(
        "A grammar that gives a sentence two trees; EM re-estimates its rule probabilities.",
        {"G.cfg": GRAMMAR, "text.txt": "she saw the dog with a telescope\nshe saw a dog\n"},
        (
            "softcount grammar G.cfg text.txt --n-parses",
            'softcount explain grammar G.cfg "she saw the dog with a telescope" "she saw a dog"',
            'softcount explain grammar G.cfg "she saw the dog with a telescope" "she saw a dog" --page telescope.html',
            "softcount grammar G.cfg text.txt --criterion em:5",
        ),
    ),
    "everyday": Example(
        "600 sentences of everyday prose in English, German and Spanish, line by line translations of each other, with gold "
        "links for the first 60.",
        read_texts("everyday.en", "everyday.de", "everyday.es", "everyday.en-de.links", "everyday.en-es.links"),
        (
            "softcount align everyday.en everyday.de --tokenize --save en-de.model",
            "softcount align everyday.en everyday.de --apply en-de.model --show 1",
            "softcount glossary en-de.model",
        ),
    ),
    "articles": Example(
        "300 short newspaper articles on ten subjects, with their dates.",
        read_texts("articles.tsv"),
        (
            "softcount topics articles.tsv --text-column text --id-column id --tokenize --topics 10 --save articles.model",
            "softcount cluster articles.tsv --text-column text --id-column id --tokenize --clusters 10",
        ),
    ),
    "sentences": Example(
        "400 English sentences with universal part-of-speech tags, 126 of them with a phrase structure.",
        read_texts("sentences.conllu", "sentences.mrg"),
        (
            "softcount tag sentences.conllu --column none --states 12 --save tags.model",
            "softcount show tags.model sentences.conllu",
            "softcount grammar --trees sentences.mrg --save grammar.model",
        ),
    ),
    "commute": Example(
        "A diary of 120 working days: weather, sleep, transport, traffic, mood, and who was late.",
        read_texts("commute.csv"),
        (
            'softcount net "weather -> transport; transport, slept -> late -> mood" commute.csv --query "late | slept=badly"',
            'softcount net "weather -> transport; transport, slept -> late -> mood" commute.csv --query "late | slept=well"',
        ),
    ),
}
