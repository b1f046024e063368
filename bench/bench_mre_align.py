"""Maximum reconstruction estimation on word alignment: the shape of Tables 5 and 6 of Cheng, Liu and Xu (AAAI 2017).

Models 1 and 2 (free alignment table, started from Model 1), EM and MRE, five iterations each, both directions, on
Hansards; then the translation rows of a few words under both.   python bench/bench_mre_align.py [folder]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HANSARDS = Path(os.environ.get("SOFTCOUNT_DATA", "/work/shared/data")) / "hansards-en-fr"
ROWS = {
    "Model 1, EM 5": {"model": "ibm1", "criterion": "em:5"},
    "Model 1, EM 10": {"model": "ibm1", "criterion": "em:10"},
    "Model 1, EM 5 + MRE 5 (row-scaled)": {"model": "ibm1", "criterion": "em:5,mre:5"},
    "Model 1, EM 5 + MRE 5 (growth)": {"model": "ibm1", "criterion": "em:5,mre(rule=growth):5"},
    "Model 1, EM 5 + MRE 5 (adaptive)": {"model": "ibm1", "criterion": "em:5,mre(rule=adaptive):5"},
    "Model 1, EM 5 + MRE 20 (adaptive)": {"model": "ibm1", "criterion": "em:5,mre(rule=adaptive):20"},
    "Model 1, MRE 5 from uniform": {"model": "ibm1", "criterion": "mre:5"},
    "Model 2 free, EM 5": {"model": "ibm1(em:5),ibm2-free(em:5)"},
    "Model 2 free, MRE 5": {"model": "ibm1(em:5,mre:5),ibm2-free(mre:5)"},
    "Model 2 free, EM 5 + MRE 5": {"model": "ibm1(em:5),ibm2-free(em:5,mre:5)"},
    "Model 2 diagonal, EM 5": {"model": "ibm1(em:5),ibm2(em:5)", "null": 0.08, "tension": "learn"},
    "Model 2 diagonal, EM 5 + MRE 5": {"model": "ibm1(em:5),ibm2(em:5,mre:5)", "null": 0.08, "tension": "learn"},
    "Model 1, VB 5, for comparison": {"model": "ibm1", "criterion": "vb:4"},
}
WORDS = ("house", "not", "minister", "appointment")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HANSARDS
    if not (folder / "gold.wa").exists():
        print(f"{folder}: not there; nothing to measure")
        return
    from softcount import WordAligner, bitext
    from softcount.evaluate.links import count_links, link_scores, total
    from softcount.text.links import read_links

    gold = read_links(folder / "gold.wa")
    sides = []
    for side in ("src", "tgt"):
        parts = ((folder / f"{part}.{side}").read_text(encoding="utf-8").split("\n")[:-1] for part in ("test", "train"))
        sides.append([line for part in parts for line in part])
    data = bitext(*sides)
    test, kept = data.slice(0, len(gold)), {}
    print(f"{'':40}{'forward':>9}{'reverse':>9}{'intersection':>14}{'product':>9}", flush=True)
    for title, settings in ROWS.items():
        model = WordAligner(**settings).fit(data)
        both, cells = dict(model.directions_), []
        for names, rule in ((("forward",), None), (("reverse",), None), (both, "intersection"), (both, "product")):
            model.directions_ = {name: both[name] for name in names}
            links = model.align(test, symmetrize=rule)
            cells.append(100 * link_scores(total(map(lambda a, g: count_links(a, *g), links, gold))).aer)
        print(f"{title:40}{cells[0]:9.1f}{cells[1]:9.1f}{cells[2]:14.1f}{cells[3]:9.1f}", flush=True)
        if title in ("Model 1, EM 5", "Model 1, EM 5 + MRE 5 (row-scaled)"):
            model.directions_ = {"forward": both["forward"]}
            kept[title] = {word: model.lexicon_.get(word, [])[:6] for word in WORDS}
    for word in WORDS:
        print(f"\nP(· | {word})")
        for title, rows in kept.items():
            print(f"  {title:36}" + "  ".join(f"{f} {p:.3f}" for f, p, _ in rows[word]))


if __name__ == "__main__":
    main()
