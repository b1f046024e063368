"""The small files and objects that the pages' examples are about, generated, under the names that the pages use."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from softcount.synthetic import bilingual, dictionary, language
from softcount.synthetic.topics import topical

SIZE = 60  # sentences, pairs, documents
P = {
    "states": ["V", "N"],
    "initial": {"V": 0.6, "N": 0.4},
    "transition": {"V": {"V": 0.6, "N": 0.4}, "N": {"V": 0.9, "N": 0.1}},
    "emission": {"V": {"can": 0.5, "I": 0.5}, "N": {"can": 0.5, "I": 0.5}},
}
T = {
    "weather": {"": {"sunny": 0.7, "rainy": 0.3}},
    "traffic": {
        "sunny": {"normal": 0.7, "bad": 0.2, "terrible": 0.1},
        "rainy": {"normal": 0.2, "bad": 0.4, "terrible": 0.4},
    },
    "late": {
        "normal": {"yes": 0.1, "no": 0.9},
        "bad": {"yes": 0.45, "no": 0.55},
        "terrible": {"yes": 0.85, "no": 0.15},
    },
}
BIF = """network unknown {{ }}
{variables}
probability ( HYPOVOLEMIA ) {{ table 0.2, 0.8; }}
{tables}
"""
SIX = ["cat fish cat milk", "fish milk fish cat", "milk cat milk fish", "goal team ball goal", "ball goal team ball",
       "team ball goal team"]  # fmt: skip


OTHER_LETTERS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm")


def write(folder: Path) -> None:
    """All of the files."""
    text, new, other = (language(SIZE, seed=seed) for seed in (1, 2, 3))
    pairs, fresh = bilingual(SIZE, seed=1), bilingual(SIZE // 3, seed=2)
    docs, held_out = topical(SIZE, seed=1), topical(SIZE // 3, seed=2)
    asked = [
        ["space", "shuttle"] * (topic == 0) + words for words, topic in zip(docs.documents, docs.topics, strict=True)
    ]
    files = {
        "text.txt": text.sentences, "gold.tags": text.tags, "one.tags": text.tags, "other.tags": text.tags,
        "some.tags": [tags if n < 20 else ["_"] * len(tags) for n, tags in enumerate(text.tags)],
        "new.txt": new.sentences, "more.txt": other.sentences,
        "text.en": pairs.source, "text.fr": pairs.target, "a.en": pairs.source, "a.fr": pairs.target,
        "new.en": fresh.source, "new.fr": fresh.target, "docs.txt": asked, "held-out.txt": held_out.documents,
        "new-docs.txt": held_out.documents, "stop.txt": [[w] for w in docs.documents[0][:2]],
        "three.en": [["the", "house"], ["the", "book"], ["a", "book"]],
        "three.th": [["บ้าน", "นั้น"], ["หนังสือ", "นั้น"], ["หนังสือ"]],
    }  # fmt: skip
    for name, lines in files.items():
        _lines(folder / name, (" ".join(line) for line in lines))
    both = [f"{' '.join(e)} ||| {' '.join(f)}" for e, f in zip(pairs.source, pairs.target, strict=True)]
    links = [" ".join(f"{i}-{j}" for i, j in sorted(each)) for each in pairs.links]
    words = [f"{word}\t{' '.join(tags)}" for word, tags in dictionary().items()]
    labels = [str(label) for label in docs.topics]
    seen = sorted({word for sentence in text.sentences for word in sentence})
    lists = {
        "both.txt": both, "text.en-fr": both, "gold.wa": links, "links.txt": links, "forward.links": links,
        "reverse.links": links, "words.tsv": words, "gold.labels": labels,
        "some.labels": [label if i % 3 else "" for i, label in enumerate(labels)], "six.txt": SIX,
        "extra.tsv": [f"{word}\tletters={len(word)} first={word[0]}" for word in seen],
        "cipher.txt": [" ".join(words).translate(OTHER_LETTERS) for words in new.sentences[:12]],
        "seeds.tsv": [f"0\t{docs.documents[0][0]}", f"1\t{docs.documents[1][0]}"],
        "docs.csv": ["id,body,date", *(f"d{i},{' '.join(words)},2024" for i, words in enumerate(asked))],
        "days.csv": ["weather,late", *(f"{w},{late}" for w, late in _days(80))],
        "diary.csv": ["weather,late", *(f"{w},{late}" for w, late in _days(40))],
        "G.cfg": ["S -> W | W S", "W -> " + " | ".join(f"'{word}'" for word in seen)],
    }  # fmt: skip
    for name, rows in lists.items():
        _lines(folder / name, rows)
    trees = [_bracketed(sentence, tags) for sentence, tags in zip(text.sentences, text.tags, strict=True)]
    for name in ("treebank.mrg", "gold.mrg"):
        _lines(folder / name, trees)
    for name, tables in (("P.json", P), ("T.json", T)):
        (folder / name).write_text(json.dumps(tables), encoding="utf-8")
    table = {"en": [" ".join(e) for e in pairs.source], "fr": [" ".join(f) for f in pairs.target]}
    pq.write_table(pa.table(table), folder / "pairs.parquet")
    (folder / "memory.tmx").write_text(_tmx(both), encoding="utf-8")
    (folder / "alarm.bif").write_text(_bif(), encoding="utf-8")


def names() -> dict[str, Any]:
    """What the Python examples call by a name that they do not give."""
    import numpy as np

    text, docs, pairs = language(SIZE, seed=1), topical(SIZE, seed=1), bilingual(SIZE, seed=1)
    texts = [" ".join(words) for words in docs.documents]
    rng = np.random.default_rng(0)
    return {
        "sentences": text.sentences, "held_out": language(10, seed=2).sentences, "tags": text.tags,
        "english": pairs.source, "french": pairs.target, "more_english": pairs.source, "more_french": pairs.target,
        "texts": texts, "points": rng.normal(size=(60, 2)) + rng.integers(0, 3, (60, 1)) * 5.0,
    }  # fmt: skip


def _lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def _days(n: int) -> list[tuple[str, str]]:
    """Rainy days make late."""
    return [
        ("rainy" if day % 3 == 0 else "sunny", "yes" if day % 6 == 0 or day % 10 == 1 else "no") for day in range(n)
    ]


def _bracketed(words: list[str], tags: list[str]) -> str:
    """Right-branching, the tags as they are."""
    tree = f"({tags[-1]} {words[-1]})"
    for word, tag in zip(words[-2::-1], tags[-2::-1], strict=True):
        tree = f"(X ({tag} {word}) {tree})"
    return f"(S {tree})"


def _tmx(both: list[str]) -> str:
    sides = (line.split(" ||| ") for line in both)
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{e}</seg></tuv><tuv xml:lang="fr"><seg>{f}</seg></tuv></tu>' for e, f in sides
    )
    return f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>\n'


def _bif() -> str:
    values = {"HYPOVOLEMIA": "TRUE, FALSE", "CVP": "LOW, HIGH", "BP": "LOW, HIGH"}
    variables = "\n".join(
        f"variable {name} {{ type discrete [ 2 ] {{ {listed} }}; }}" for name, listed in values.items()
    )
    tables = "\n".join(
        f"probability ( {name} | HYPOVOLEMIA ) {{ (TRUE) 0.3, 0.7; (FALSE) 0.8, 0.2; }}" for name in ("CVP", "BP")
    )
    return BIF.format(variables=variables, tables=tables)
