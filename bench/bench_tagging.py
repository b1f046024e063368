"""EM, VB, hard EM and EM + MRE on real text, in the shape of Tables 1 to 3 of Cheng, Liu and Xu (AAAI 2017).

    python bench/bench_tagging.py --corpus wsj --states 10 20 30 40 45 --seeds 3

Table 1: by number of states. Table 2: by corpus size. Table 3: the top words of the state that holds most past-tense
verbs (VBD). Many-to-one accuracy and variation of information (nats, as in the paper), mean over seeds; VI alone
misleads, so the row "one class" is always there.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import defaultdict
from typing import Any

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount import HMM, Corpus, read
from softcount.evaluate import TagScores, score_tags
from softcount.report.hmm_json import NamedHMM

CORPORA = {"wsj": ("pos-wsj-sample-en", False), "brown": ("pos-brown-en", True)}
VERB = "VBD"
PLAIN = {"EM": "em:100", "VB": "vb:100", "hard EM": "hard:50"}


def load(name: str) -> Corpus | None:
    where, lowercase = CORPORA[name]
    path = folder(where)
    return None if path is None else read(path / "all.tok", tags=path / "all.tag", lowercase=lowercase)


def train(text: Corpus, states: int, seed: int, threads: int) -> dict[str, HMM]:
    """All methods from the same random start; MRE goes on from EM's parameters."""
    common: dict[str, Any] = {"tolerance": 0, "random_state": seed, "n_jobs": threads}
    models = {name: HMM(states, criterion=stages, start="random", **common).fit(text) for name, stages in PLAIN.items()}
    em = models["EM"]
    start = NamedHMM(em.states_, list(em.vocabulary_.words), em.parameters_, False)
    models["EM + MRE"] = HMM(criterion="mre:50", start=start, **common).fit(text)
    return models


def measure(model: HMM, text: Corpus, gold: Corpus) -> TagScores:
    predicted = np.concatenate([np.asarray(line, dtype=np.int64) for line in model.predict(text)])
    return score_tags(gold.labels.values, predicted)


def grid(
    kept: str, what: str, corpus: Corpus, cases: list[tuple[int, int, int]], seeds: int, threads: int
) -> dict[str, HMM]:
    """One row per case (name, states, sentences), one column per method; returns the last case's models of seed 0."""
    first: dict[str, HMM] = {}
    methods = [*PLAIN, "EM + MRE"]
    table = Measured(kept, {what: ",.0f", "seeds": ",.0f", **dict.fromkeys([*methods, "one class"], "")})
    for name, states, n_sentences in cases:
        gold = corpus.slice(0, n_sentences)
        text = Corpus(gold.sentences, gold.vocabulary, source=gold.source)
        found: dict[str, list[TagScores]] = defaultdict(list)
        began = time.process_time()
        for seed in range(seeds):
            models = train(text, states, seed, threads)
            first = models if seed == 0 else first
            for method, model in models.items():
                found[method].append(measure(model, text, gold))
        single = score_tags(gold.labels.values, np.zeros(gold.n_tokens, dtype=np.int64))
        cells = [_cell(found[method]) for method in methods] + [_cell([single])]
        table.add(name, seeds, *cells)
        print(f"{what} {name:,}: {time.process_time() - began:.0f} CPU s", file=sys.stderr)
    return first


def _cell(scores: list[TagScores]) -> str:
    accuracy = np.array([s.many_to_one for s in scores])
    vi = np.array([s.vi_bits for s in scores]) * math.log(2)
    spread = f" ±{accuracy.std():.3f}" if len(scores) > 1 else ""
    return f"{accuracy.mean():.3f}{spread} / {vi.mean():.2f}"


def verb_state(name: str, corpus: Corpus, models: dict[str, HMM]) -> None:
    table = Measured(f"tagging-{name}-verbs", {"": "", f"share {VERB}": ".0%", "top words": ""})
    text = Corpus(corpus.sentences, corpus.vocabulary, source=corpus.source)
    verb = corpus.tagset.index(VERB)
    for method, model in models.items():
        predicted = np.concatenate([np.asarray(line, dtype=np.int64) for line in model.predict(text)])
        state = int(np.bincount(predicted[corpus.labels.values == verb]).argmax())
        share = np.mean(corpus.labels.values[predicted == state] == verb)
        words = " ".join(word for word, _ in model.top_words(12)[state])
        table.add(method, share, words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=CORPORA, nargs="+", default=["wsj"])
    parser.add_argument("--states", type=int, nargs="+", default=[10, 20, 30, 40, 45, 50])
    parser.add_argument("--sizes", type=float, nargs="*", default=[0.1, 0.25, 0.5], help="shares of the corpus")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=-1)
    options = parser.parse_args()
    print(shell_line())
    for name in options.corpus:
        corpus = load(name)
        if corpus is None:
            continue
        print(f"\n{corpus!r}; cells: many-to-one (± s.d. over {options.seeds} seeds) / VI in nats\n\nTable 1, states\n")
        cases = [(k, k, len(corpus)) for k in options.states]
        models = grid(f"tagging-{name}", "states", corpus, cases, options.seeds, options.threads)
        most = options.states[-1]
        print(f"\nTable 3, the state with most {VERB} tokens, {most} states, seed 0")
        verb_state(name, corpus, models)
        if options.sizes:
            print(f"\nTable 2, sentences, {most} states\n")
            cases = [(n, most, n) for n in (round(len(corpus) * s) for s in options.sizes)]
            grid(f"tagging-{name}-by-size", "sentences", corpus, cases, options.seeds, options.threads)


if __name__ == "__main__":
    main()
