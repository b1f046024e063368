"""The default tagger beside plain EM, on text of the built-in generated language and on English.

    python bench/bench_generated.py --seeds 3

The generated language is a hidden Markov process in all but its long-distance agreement: words are drawn independently
given their tags, so that EM's model is nearly the true one. In English it is not.
"""

from __future__ import annotations

import argparse
from importlib.resources import files

import numpy as np
from corpora import shell_line
from measured import Measured

from softcount import HMM, read
from softcount.evaluate import score_tags
from softcount.synthetic import language

SENTENCES, STATES = 3_000, (12, 18)
TAGGERS = {"default": {}, "em:100 from a random start": {"criterion": "em:100", "start": "random"}}
Tagged = tuple[list[list[str]], list[list[str]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print(shell_line(), flush=True)
    form = {"text": "", "states": "", "tagger": "", "many-to-one": ".3f", "one-to-one": ".3f", "VI, bits": ".3f"}
    table = Measured("generated-language", form | {"V-measure": ".3f"}, keys=3)
    for name, make in {"generated": generated, "English (`softcount examples sentences`)": english}.items():
        for states in STATES:
            for tagger, settings in TAGGERS.items():
                found = []
                for seed in range(options.seeds):
                    words, tags = make(seed)
                    model = HMM(states, n_jobs=1, random_state=seed, **settings).fit(words)
                    score = score_tags(tags, model.predict(words))
                    found.append((score.many_to_one, score.one_to_one, score.vi_bits, score.v_measure))
                table.add(name, states, tagger, *np.mean(found, axis=0))


def generated(seed: int) -> Tagged:
    sample = language(SENTENCES, seed=seed, vocabulary=10.0)
    return sample.sentences, sample.tags


def english(seed: int) -> Tagged:
    content = (files("softcount") / "texts" / "sentences.conllu").read_bytes()
    data = read("sentences.conllu", "conllu", content=content)
    return [data.tokens(s) for s in range(len(data))], [data.tags(s) for s in range(len(data))]


if __name__ == "__main__":
    main()
