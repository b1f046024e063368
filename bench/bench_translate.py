"""Hansards, 300 sentences held out of the training text: translations both ways, by each aligner and a trigram model.

Beside them: the source as it is, and of every word its likeliest translation. The two weights are tuned once a way, by
`Translator.tune` on 100 other held-out sentences and the default aligner, from a word reward of 2; the last rows leave
something out. BLEU and chrF by sacrebleu, on the words as they are; sentences a second of one thread, by CPU time.

    python bench/bench_translate.py [--pairs 103551] [--models ibm1 ibm2 hmm default]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from corpora import folder, shell_line
from measured import Measured

HELD_OUT, TUNED_ON = 300, 100
MODELS: dict[str, dict[str, Any]] = {
    "ibm1": {"model": "ibm1:5", "criterion": "em"},
    "ibm2": {"model": "ibm1:3,ibm2:3", "criterion": "em"},
    "hmm": {"model": "ibm1:3,hmm:2", "criterion": "em", "agreement": False},
    "default": {},
}
COLUMNS = {"way": "", "how": "", "BLEU": ".1f", "chrF": ".1f", "words": ".2f", "sentences/s": ".0f"}


def split(n: int) -> tuple[dict[str, list[list[str]]], list[str]] | None:
    """Of both languages (training, tuning, test), the held-out lines spread over the text."""
    path = folder("hansards-en-fr")
    if path is None:
        return None
    texts = {
        name: (path / f"train.{end}").read_text().split("\n")[:-1][:n] for name, end in (("en", "src"), ("fr", "tgt"))
    }
    chosen = np.linspace(0, len(texts["en"]) - 1, HELD_OUT + TUNED_ON).astype(int)
    tuned = set(chosen[:: (HELD_OUT + TUNED_ON) // TUNED_ON].tolist())
    test = [s for s in chosen.tolist() if s not in tuned]
    out = set(chosen.tolist())
    parts = {
        name: [
            [t for s, t in enumerate(lines) if s not in out],
            [lines[s] for s in sorted(tuned)],
            [lines[s] for s in test],
        ]
        for name, lines in texts.items()
    }
    return parts, ["en", "fr"]


def measured(table: Measured, way: str, how: str, lines: list[str], wanted: list[str], seconds: float | None) -> None:
    import sacrebleu

    bleu = sacrebleu.corpus_bleu(lines, [wanted], tokenize="none", force=True).score
    chrf = sacrebleu.corpus_chrf(lines, [wanted]).score
    words = sum(map(len, map(str.split, lines))) / sum(map(len, map(str.split, wanted)))
    table.add(way, how, bleu, chrf, words, len(lines) / seconds if seconds else None)


def likeliest(aligner: Any, reverse: bool, lines: list[str]) -> list[str]:
    """Of every word the translation with the largest probability, where it has one."""
    best: dict[str, tuple[float, str]] = {}
    for source, target, forward, backward in aligner.lexicon():
        x, y, p = (target, source, backward) if reverse else (source, target, forward)
        best[x] = max(best.get(x, (0.0, x)), (p, y))
    return [" ".join(best.get(word, (0.0, word))[1] for word in line.split()) for line in lines]


def translated(table: Measured, way: str, how: str, translator: Any, lines: list[str], wanted: list[str]) -> None:
    translator.nbest(lines[:1])  # compiled, and opened
    began = time.process_time()
    found = translator.translate(lines)
    measured(table, way, how, found, wanted, time.process_time() - began)


def main() -> None:
    from softcount import LanguageModel, Translator, WordAligner

    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    options = parser.parse_args()
    print(shell_line())
    found = split(options.pairs)
    if found is None:
        return
    parts, names = found
    table = Measured("translate", COLUMNS, keys=2)
    lms = {name: LanguageModel(3).fit(parts[name][0]) for name in names}
    weights: dict[str, dict[str, float]] = {}
    for model in ["default", *(name for name in options.models if name != "default")]:
        aligner = WordAligner(n_jobs=1, **MODELS[model]).fit(parts["en"][0], parts["fr"][0])
        for x, y in (("en", "fr"), ("fr", "en")):
            way, reverse, test, wanted = f"{x}→{y}", x == "fr", parts[x][2], parts[y][2]
            asked = Translator(aligner, lms[y], reverse=reverse, **weights.get(way, {"word_bonus": 2.0}))
            if model == "default":
                asked.tune(parts[x][1], parts[y][1])
                weights[way] = {"lm_weight": asked.lm_weight, "word_bonus": asked.word_bonus}
                print(way, weights[way], f"BLEU {asked.bleu_:.1f} of what was tuned on", flush=True)
                measured(table, way, "the source", test, wanted, None)
                measured(table, way, "each word's likeliest", likeliest(aligner, reverse, test), wanted, None)
            translated(table, way, model, asked, test, wanted)
            if model == "default":
                bare = {**asked.get_params(), "lm_weight": 0.0, "word_bonus": 0.0, "inserts": 0}
                translated(table, way, "default, no language model", Translator(**bare), test, wanted)
                translated(
                    table,
                    way,
                    "default, no reordering",
                    Translator(**{**asked.get_params(), "window": 0}),
                    test,
                    wanted,
                )


if __name__ == "__main__":
    main()
