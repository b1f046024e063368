"""The files of test_bad_input.py: one of each form that some command reads, all of them good."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

MEGABYTE = 1 << 20

P = {
    "states": ["V", "N"], "initial": {"V": 0.6, "N": 0.4}, "transition": {"V": {"V": 0.6, "N": 0.4}, "N": {"V": 1}},
    "emission": {"V": {"dog": 0.5, "runs": 0.5}, "N": {"dog": 1}},
}  # fmt: skip
XML = b'<?xml version="1.0"?>\n'
TMX = XML + b"<tmx><body>\n<tu><tuv><seg>a b</seg></tuv><tuv><seg>c d</seg></tuv></tu>\n</body></tmx>\n"
XLIFF = (
    XML
    + b'<xliff version="1.2"><file source-language="en" target-language="fr"><body>\n'
    + (b"<trans-unit><source>a b</source><target>c d</target></trans-unit>\n</body></file></xliff>\n")
)
CONLLU = b"# one\n1\tthe\t_\tD\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tN\t_\t_\t_\t_\t_\t_\n\n1\tcats\t_\tN\t_\t_\t_\t_\t_\t_\n\n"
LAUGHS = b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9))

# What is there, and good, for every command.
GOOD: dict[str, bytes] = {
    "text": b"the dog runs\n\na dog sees the cat\ncats run\n",
    "other": b"der Hund rennt\n\nein Hund sieht die Katze\nKatzen rennen\n",
    "tags": b"D N V\n\nD N V D N\nN V\n",
    "tagged": b"the/D dog/N\n\ncats/N run/V\n",
    "text.conllu": CONLLU,
    "words.tsv": b"dog\tN\n\nruns\tV\n",
    "pairs.tsv": b"dog\tHund\tprefer\n",
    "both": b"a b ||| c d\n\nx ||| y\n",
    "both.tsv": b"a b\tc d\n\nx\ty\n",
    "both.tmx": TMX,
    "both.xlf": XLIFF,
    "links": b"0-0 1-1\n\n0-0 2?2\n0-1\n",
    "gold.wa": b"1 1 1 S\n1 2 2 P\n3 1 1\n4 1 2\n",
    "names": b"0\tN\n\n1\tV\n",
    "labels": b"A\n\nB\nB\n",
    "stop": b"the\na\n",
    "seeds": b"0\tdog cats\n\n1\tthe\n",
    "points": b"1 2\n\n1.5 2.5\n-3 4e1\n",
    "fixed.tsv": b"dog\tHund\tmust\n",
    "P.json": json.dumps(P, indent=1).encode() + b"\n",
    "docword.txt": b"3\n3\n3\n1 1 2\n1 3 1\n3 2 3\n",
    "text.ldac": b"2 0:2 2:1\n0\n1 1:3\n",
    "text.svmlight": b"spam 1:2 3:1 # a remark\nham 2:3\n",
    "rows.csv": b"a,b\nx,1\ny,\n,2\nx,1\n",
    "docs.csv": b'id,body\n1,the dog runs\n2,"a ""dog"" sees the cat"\n=3,\n4,cats run\n',
    "T.json": b'{"a": {"": {"x": 0.4, "y": 0.6}}, "b": {"x": {"1": 0.9, "2": 0.1}, "y": {"1": 0.5, "2": 0.5}}}\n',
    "net.bif": b"network n { }\nvariable a { type discrete [ 2 ] { x, y }; }\nprobability ( a ) { table 0.4, 0.6; }\n",
    "G.cfg": b'S -> NP V | NP V NP\nNP -> D N | "cats"\nD -> "the" | "a"\nN -> "dog" | "cat"\nV -> "runs" | "run" | "sees"\n',
    "m.arpa": b"\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-0.5\t</s>\n-0.4\tdog\t-0.2\n\n"
    b"\\2-grams:\n-0.3\tdog </s>\n\n\\end\\\n",
    "chars.arpa": b"\\data\\\nngram 1=7\nngram 2=1\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.3\n-0.9\t</s>\n"
    b"-0.7\ta\t-0.2\n-0.7\te\n-0.8\tt\n-0.7\t\xe2\x96\x81\n\n\\2-grams:\n-0.3\ta \xe2\x96\x81\n\n\\end\\\n",
    "trees": b"(S (NP (D the) (N dog)) (V runs))\n\n(S (NP (D a) (N dog)) (V sees) (NP (D the) (N cat)))\n(S (NP cats) (V run))\n",
}


def _parquet() -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["a b", None], "n": [1, 2]}), file)
    return file.getvalue()


PARQUET = _parquet()
