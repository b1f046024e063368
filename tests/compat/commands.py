"""Commands that print JSON, and commands that read a text in a way of their own: the lines, and the files they need."""

from __future__ import annotations

import json
from pathlib import Path

import instances as of

P = {
    "states": ["V", "N"],
    "initial": {"V": 0.6, "N": 0.4},
    "transition": {"V": {"V": 0.6, "N": 0.4}, "N": {"V": 0.9, "N": 0.1}},
    "emission": {"V": {"can": 0.5, "I": 0.5}, "N": {"can": 0.5, "I": 0.5}},
}
T = {
    "weather": {"": {"sunny": 0.7, "rainy": 0.3}},
    "late": {"sunny": {"yes": 0.1, "no": 0.9}, "rainy": {"yes": 0.45, "no": 0.55}},
}
CFG = """S -> NP VP
VP -> V NP [0.7] | VP PP [0.3]
NP -> 'she' [0.3] | Det N [0.5] | NP PP [0.2]
PP -> P NP
Det -> 'the' [0.6] | 'a' [0.4]
N -> 'dog' [0.5] | 'telescope' [0.5]
V -> 'saw'
P -> 'with'
"""
OTHER_TREE = "(S (NP (D a) (N dog)) (VP (VP (V sees)) (NP (D the) (N cat))))"
RAW = ["The dog runs, and a cat (which?) sleeps.", "Cats don't run; dogs do!", "A dog sees the cat."] * 4
TAGGED = ["the/D dog/N runs/V", "a/D cat/N sleeps/V", "cats/N run/V"] * 4


def write(folder: Path) -> None:
    """The files that the lines below name."""
    names = [f"d{n}" for n in range(len(of.DOCUMENTS))]
    files = {
        "text.txt": of.SENTENCES, "new.txt": of.NEW, "raw.txt": RAW, "tagged.txt": TAGGED, "cipher.txt": of.CIPHER,
        "letters.txt": of.LETTERS, "text.en": of.SOURCE, "text.fr": of.TARGET, "docs.txt": of.DOCUMENTS,
        "new-docs.txt": of.NEW_DOCUMENTS, "new.en": of.NEW_PAIRS[0], "new.fr": of.NEW_PAIRS[1],
        "points.txt": [" ".join(map(str, point)) for point in of.POINTS.tolist()],
        "gold.tags": ["D N V", "", "D N V D N", "N V"], "some.tags": ["1 2 3", "", "1 2 3 1 1", "2 2"],
        "gold.labels": ["a", "a", "b", "b"], "some.labels": ["1", "1", "1", "2"],
        "gold.links": ["0-0 1-1", "0-0 1-2 2-1"], "some.links": ["0-0 1-1", "0-0 2-1"],
        "gold.mrg": of.TREES, "some.mrg": [of.TREES[0], OTHER_TREE, *of.TREES[2:]],
        "days.csv": ["weather,late", "sunny,no", ",yes", "rainy,yes", "sunny,"],
        "docs.tsv": ["name\tbody", *(f"{name}\t{text}" for name, text in zip(names, of.DOCUMENTS, strict=True))],
        "seen.txt": ["she saw the dog with a telescope", "she saw a dog"], "new-raw.txt": ["A cat sees; the dog runs!"],
        "seen-trees.txt": ["the dog runs", "cats run"],
    }  # fmt: skip
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "P.json").write_text(json.dumps(P))
    (folder / "T.json").write_text(json.dumps(T))
    (folder / "G.cfg").write_text(CFG)


# What is made first, in this order, and read by the lines below.
MADE = {
    "letters.lm": "lm letters.txt --order 3 --characters",
    "text.lm": "lm text.txt --order 2",
    "french.lm": "lm text.fr --order 2",
    "tags.model": "tag text.txt --states 2 --criterion em:3 --seed 1",
    "classes.model": "classes text.txt --classes 3",
    "topics.model": "topics docs.txt --topics 3 --criterion em:3 --seed 1",
    "clusters.model": "cluster docs.txt --clusters 3 --criterion em:3 --seed 1",
    "links.model": "align text.en text.fr --model ibm1:2,hmm:2",
    "net.model": "net 'weather -> late' days.csv --criterion em:3 --seed 1",
    "key.model": "decipher cipher.txt --lm letters.lm --criterion em:3 --restarts 2 --seed 1",
    "trees.model": "grammar G.cfg seen.txt --criterion em:2 --seed 1",
}

JSON = {
    **{f"train {line.split()[0]}": f"{line} --json" for line in MADE.values()},
    "apply tag": "tag new.txt --apply tags.model --json",
    "apply classes": "classes new.txt --apply classes.model --json",
    "apply topics": "topics new-docs.txt --apply topics.model --json",
    "apply cluster": "cluster new-docs.txt --apply clusters.model --json",
    "apply align": "align new.en new.fr --apply links.model --json",
    "apply net": "net days.csv --apply net.model --json",
    "query net": "net 'weather -> late' --start T.json --query 'late | weather=rainy' --json",
    "apply decipher": "decipher cipher.txt --apply key.model --json",
    "apply grammar": "grammar seen.txt --apply trees.model --json",
    "apply lm": "lm new.txt --apply text.lm --json",
    **{f"show {name}": f"show {name} --json" for name in MADE},
    **{f"info {name}": f"info {name} --json" for name in MADE},
    "shard": "shard text.txt --out shards --json",
    "info shards": "info shards --json",
    "glossary": "glossary links.model --output json",
    "glossary terms": "glossary links.model text.en text.fr --terms --output json",
    "translate": "translate links.model new.en --lm french.lm --json",
    "rank": "rank links.model new.en new.fr --lm french.lm --json",
    "score tags": "score tags gold.tags some.tags --json",
    "score clusters": "score clusters gold.labels some.labels --json",
    "score links": "score links gold.links some.links --json",
    "score trees": "score trees gold.mrg some.mrg --json",
    "score topics": "score topics topics.model new-docs.txt --json",
    "explain hmm": "explain hmm P.json 'can I can' --json",
    "explain mixture": "explain mixture new-docs.txt --steps 1 --json",
    "explain plsa": "explain plsa new-docs.txt --steps 1 --json",
    "explain kmeans": "explain kmeans points.txt --steps 1 --json",
    "explain ibm1": "explain ibm1 new.en new.fr --steps 1 --json",
    "explain net": "explain net 'weather -> late' T.json days.csv --json",
    "explain grammar": "explain grammar G.cfg 'she saw the dog with a telescope' --json",
}

# Models of raw text, which is read as the model says; and the text that they are applied to.
READ = {
    "read-tag": (
        "tag raw.txt --tokenize rules --normalize NFKC --states 2 --criterion em:3 --seed 1", "tag new-raw.txt",
    ),
    "read-classes": ("classes raw.txt --tokenize --classes 3", "classes new-raw.txt --output tags"),
    "read-topics": (
        "topics docs.tsv --text-column body --id-column name --min-count 2 --topics 2 --criterion em:3 --seed 1",
        "topics new-docs.txt",
    ),
    "read-cluster": (
        "cluster raw.txt --tokenize --lowercase --clusters 2 --criterion em:3 --seed 1", "cluster new-raw.txt",
    ),
    "read-align": ("align raw.txt raw.txt --tokenize --model ibm1:2", "align new-raw.txt new-raw.txt"),
    "read-lm": ("lm raw.txt --tokenize --lowercase --order 2", "lm new-raw.txt --scores"),
    "read-grammar": (
        "grammar --trees gold.mrg --markov 2,1", "grammar seen-trees.txt",
    ),
}  # fmt: skip
PIPED = "tag raw.txt --tokenize 'pipe:cat' --states 2 --criterion em:3 --seed 1"  # of which a file only tells

# Folders of every kind, what is trained on them, and what is then said of each item.
SHARDS = {
    "sentences": ("shard text.txt", "tag {} --states 2 --criterion em:3 --seed 1"),
    "tagged": ("shard tagged.txt --format tagged", "tag {} --states 3 --criterion em:3 --seed 1"),
    "read": ("shard raw.txt --tokenize --lowercase", "classes {} --classes 3"),
    "pairs": ("shard text.en --target text.fr", "align {} --model ibm1:2,hmm:2"),
    "documents": ("shard docs.txt --kind documents", "topics {} --topics 3 --criterion em:3 --seed 1"),
    "named": (
        "shard docs.tsv --kind documents --text-column body --id-column name --lowercase",
        "cluster {} --clusters 3 --criterion em:3 --seed 1",
    ),
}  # fmt: skip


def places(text: str) -> list[str]:
    """Of every value in these lines of JSON where it is: ``rows[].name``."""
    found: dict[str, None] = {}

    def walk(value: object, place: str) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                walk(part, f"{place}.{key}" if place else key)
        elif isinstance(value, list):
            for part in value:
                walk(part, f"{place}[]")
            found.setdefault(f"{place}[]")
        else:
            found.setdefault(place)

    for line in text.splitlines():
        walk(json.loads(line), "")
    return list(found)


def default(value: object) -> str:
    """As it is compared: other objects have addresses in what they print."""
    return (
        repr(value)
        if isinstance(value, str | int | float | bool | tuple | list | dict | None)
        else type(value).__name__
    )
