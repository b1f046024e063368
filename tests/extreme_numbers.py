"""Command lines with a number left open, for test_extreme_numbers.py: an @ is where it goes."""

from __future__ import annotations

import json
import random
from pathlib import Path

EXTREME = ("5e-324", "1e-308", "1e-300", "1e-100", "1e-12", "0", "-1", "1e9", "1e100", "1e308", "nan", "inf", "-inf")

WORDS = ("al", "be", "ce", "de", "el", "fo", "ga", "hu")

TAG, TOPICS, CLUSTER = "tag text --states 2", "topics text --topics 2", "cluster text --clusters 2"
NET = "net 'h -> a, b' rows.csv --values h=2"
DECIPHER = "decipher cipher --lm chars.arpa --blanks letter --restarts 1"
IBM1 = "align text other --model ibm1"

# (the command, what is open in it)
OPEN: tuple[tuple[str, tuple[str, ...]], ...] = (
    (f"{TAG} --criterion em:2", ("--pseudo=@", "--tolerance=@", "--sparse=@,1", "--sparse=1,@")),
    (f"{TAG} --features words --criterion em:2", ("--variance=@", "--pseudo=@")),
    (f"{TAG} --model crf-autoencoder --criterion autoencode:2", ("--variance=@", "--pseudo=@")),
    (f"{TAG}", tuple(f"--criterion '{stage}'" for stage in (
        "em(pseudo=@):2", "vb(prior=@):2", "mre(rate=@):2", "mre(rule=adaptive,rate=@):2", "direct(pseudo=@):2",
        "gibbs(prior=@):4", "gibbs(prior=@,chains=2):4", "gibbs(prior=@,chains=2,sampler=collapsed):4",
        "annealed(start=@):3", "annealed(stop=@):3", "annealed(vb,start=@):3", "annealed(vb,stop=@):3",
        "annealed(gibbs,start=@):4", "stepwise(decay=@):2", "constrained(strength=@):2",
    ))),
    *((f"{TAG} --criterion {stage}", ("--prior=@",)) for stage in ("vb:2", "gibbs:4", "'gibbs(chains=2):4'")),
    (f"{TAG} --model crf-autoencoder --start random",
     ("--criterion 'autoencode(rate=@):2'", "--criterion 'autoencode(pseudo=@):2'")),
    ("classes text --classes 2", ("--morphology=@", "--tolerance=@")),
    (f"{TOPICS} --criterion em:2",
     ("--pseudo=@", "--tolerance=@", "--max-share=@", "--held-out=@", "--sparse=@,1", "--sparse=1,@")),
    *((f"{TOPICS} --criterion {stage}", ("--prior=@",)) for stage in ("vb:3", "gibbs:4", "'gibbs(chains=2):4'")),
    (f"{TOPICS} --features words --criterion em:2", ("--variance=@",)),
    (f"{TOPICS}", tuple(f"--criterion '{stage}'" for stage in (
        "em(pseudo=@):2", "vb(prior=@):2", "mre(rate=@):2", "direct(pseudo=@):2", "gibbs(prior=@):4",
        "annealed(start=@):3", "annealed(stop=@):3", "stepwise(decay=@):2",
    ))),
    ("topics text --apply topics.model", ("--query al --tfidf=@",)),
    (f"{CLUSTER} --criterion em:2",
     ("--pseudo=@", "--tolerance=@", "--max-share=@", "--document-length=@", "--sparse=@,1", "--sparse=1,@")),
    (f"{CLUSTER} --labels labels --criterion em:2", ("--unlabelled-weight=@", "--pseudo=@")),
    *((f"{CLUSTER} --criterion {stage}", ("--prior=@",)) for stage in ("vb:2", "gibbs:4")),
    (f"{CLUSTER} --features words --criterion em:2", ("--variance=@",)),
    (f"{CLUSTER} --method kmeans", ("--tolerance=@",)),
    ("grammar G.cfg text --criterion em:2", ("--pseudo=@", "--tolerance=@", "--sparse=@,1")),
    *((f"grammar G.cfg text --criterion {stage}", ("--prior=@",)) for stage in ("vb:2", "gibbs:4")),
    (f"{IBM1} --criterion em:2", (
        "--pseudo=@", "--tolerance=@", "--null=@", "--sparse=@,1", "--sparse=1,@", "--threshold=@",
        "--lexicon l --lexicon-min=@", "--stems 2 --stem-strength=@", "--prior-model align.model --prior-strength=@",
    )),
    (f"{IBM1} --criterion vb:2", ("--alpha=@",)),
    (f"{IBM1} --features pairs --criterion em:1", ("--variance=@",)),
    ("align text other --model hmm --criterion em:2", ("--null=@", "--pseudo=@")),
    ("align text other --model ibm2 --criterion em:2", ("--tension=@", "--null=@")),
    ("align text other", ("--null=@", "--stem-strength=@", "--alpha=@", "--pseudo=@",
                          "--prior-model both.model --prior-strength=@")),
    (f"{NET} --criterion em:2", ("--pseudo=@", "--tolerance=@", "--sparse=@,1", "--sparse=1,@")),
    *((f"{NET} --criterion {stage}", ("--prior=@",)) for stage in ("vb:2", "gibbs:4")),
    (f"{DECIPHER} --criterion em:2", ("--tolerance=@", "--pseudo=@", "--power=@")),
    (f"{DECIPHER} --criterion vb:2", ("--prior=@",)),
    ("fast-align -i both -I 1", ("-T @", "-a @", "-q @", "-t @")),
    ("eflomal -i both -1 1 -2 1 -3 1 -f links.f --overwrite", ("--null-prior=@", "-l @")),
    ("glossary align.model text other", ("--min-share=@",)),
    ("translate align.model text --lm m.arpa", ("--lm-weight=@", "--word-bonus=@")),
    ("rank align.model both --lm m.arpa", ("--lm-weight=@", "--word-bonus=@")),
    ("generate -n 3", ("--vocabulary=@",)),
    ("explain hmm P.json dog", ("--pseudo=@",)),
    ("explain mixture text", ("--pseudo=@",)),
    ("explain plsa text", ("--pseudo=@",)),
)  # fmt: skip


def write_files(folder: Path) -> None:
    """Tiny inputs; what the other commands need is trained from them by LEARN."""
    rng = random.Random(2)
    rows = [[rng.choice(WORDS) for _ in range(rng.randint(2, 6))] for _ in range(14)]
    lines = [" ".join(row) for row in rows]
    files = {
        "text": lines,
        "other": [line.upper() for line in lines],
        "both": [f"{line} ||| {line.upper()}" for line in lines],
        "labels": [rng.choice(["x", "y", ""]) for _ in rows],
        "cipher": ["".join("".join(row) + " " for row in rows)],
        "rows.csv": ["a,b", *(f"{rng.choice('xy')},{rng.choice('xy')}" for _ in range(20))],
        "G.cfg": ["S -> A S [0.5]", "S -> A [0.5]", *(f"A -> '{word}' [0.125]" for word in WORDS)],
    }
    for name, content in files.items():
        (folder / name).write_text("\n".join(content) + "\n")
    states = {
        "states": ["V", "N"], "initial": {"V": 0.6, "N": 0.4}, "transition": {"V": {"V": 0.6, "N": 0.4}, "N": {"V": 1}},
        "emission": {"V": {"dog": 0.5, "runs": 0.5}, "N": {"dog": 1}},
    }  # fmt: skip
    (folder / "P.json").write_text(json.dumps(states))


LEARN = (
    "align text other --model ibm1 --criterion em:2 --save align.model -q", "align text other --save both.model -q",
    "lm other --order 2 --arpa m.arpa -q",
    "lm text --characters --order 3 --arpa chars.arpa -q",
    "topics text --topics 2 --criterion em:2 --save topics.model -q",
)  # fmt: skip
