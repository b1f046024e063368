"""Every kind of bad or odd input: the rows of docs/input.md, and the commands that test_bad_input.py runs for each."""

from __future__ import annotations

import gzip
import json
from typing import NamedTuple

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
    "P.json": json.dumps(P, indent=1).encode() + b"\n",
    "docword.txt": b"3\n3\n3\n1 1 2\n1 3 1\n3 2 3\n",
    "text.ldac": b"2 0:2 2:1\n0\n1 1:3\n",
    "text.svmlight": b"spam 1:2 3:1 # a remark\nham 2:3\n",
}

SMALL = "-q --criterion em:2"
# Commands that read a text file, as {bad}.
READERS = (
    f"tag {{bad}} --states 2 {SMALL}", f"tag text --tags {{bad}} {SMALL}", f"tag text --dictionary {{bad}} {SMALL}",
    f"tag text --states 2 --dev {{bad}} {SMALL}", f"tag text --states 2 --dev text --dev-tags {{bad}} {SMALL}",
    f"tag text --start {{bad}} {SMALL}", f"tag {{bad}} --format tagged {SMALL}", f"tag {{bad}} --format conllu {SMALL}",
    "tag {bad} --apply tag.model -q",
    "align {bad} other -q", "align text {bad} -q", "align {bad} -q", "align text other --dictionary {bad}",
    "align {bad} other --apply align.model -q",
    f"topics {{bad}} --topics 2 {SMALL}", "topics {bad} --format uci", "topics {bad} --format ldac",
    "topics {bad} --format svmlight", "topics {bad} --apply topics.model", "topics text --seed-words {bad}",
    f"cluster {{bad}} --clusters 2 {SMALL}", "cluster {bad} --clusters 2 --method kmeans -q",
    "cluster text --labels {bad} -q", "cluster {bad} --apply cluster.model",
    "score tags {bad} tags", "score tags tags {bad}", "score clusters {bad} labels", "score clusters labels {bad}",
    "score links {bad} links", "score links links {bad}", "score links links links --source {bad}",
    "score links links links --target {bad}", "score topics topics.model {bad}",
    "explain hmm {bad} dog", "explain mixture {bad}", "explain plsa {bad}", "explain ibm1 {bad} other",
    "explain ibm1 text {bad}", "explain ibm1 {bad}", "generate --from {bad}",
    f"tag text --states 2 --names {{bad}} {SMALL}", "show tag.model {bad}", "show topics.model {bad}", "show align.model {bad}",
    "symmetrize {bad} links", "symmetrize links {bad}", "glossary align.model {bad} other", "glossary align.model text {bad}",
    "glossary align.model {bad}",
)  # fmt: skip
# Those that take a folder of texts as well as a file.
FOLDERS = ("topics {bad} --topics", "topics {bad} --apply", "cluster {bad} --c", "cluster {bad} --a", "score topics",
           "explain mixture", "explain plsa", "show topics.model")  # fmt: skip
NO_FOLDERS = tuple(command for command in READERS if not command.startswith(FOLDERS))
# Those that read a P.json, and all others.
PARAMETERS = ("explain hmm {bad} dog", "generate --from {bad}")
TEXTS = tuple(command for command in READERS if command not in PARAMETERS)
# Commands that open a model, as {bad}.
APPLIERS = (
    "tag text --apply {bad} -q", "align text other --apply {bad} -q", "align text other --prior-model {bad} -q",
    "topics text --apply {bad} -q",
    "cluster text --apply {bad} -q", "score topics {bad} text", "info {bad}", "info {bad} --json",
    "report {bad} --out page.html", "export {bad} --to tables", "show {bad}", "show {bad} --json", "show {bad} text", "glossary {bad}",
)  # fmt: skip
# Commands that write a file, as {bad}.
WRITERS = (
    f"tag text --states 2 {SMALL} --save {{bad}}", f"tag text --states 2 {SMALL} --parameters {{bad}}",
    f"tag text --states 2 {SMALL} --trace {{bad}}", f"tag text --states 2 {SMALL} --checkpoint {{bad}}",
    f"tag text --states 2 {SMALL} --report {{bad}}", "report tag.model -q --out {bad}",
    "align text other -q --save {bad}", "align text other -q --lexicon {bad}", "align text other -q --scores {bad}",
    "align text other -q --log-probabilities {bad}",
    f"topics text --topics 2 {SMALL} --save {{bad}}", f"topics text --topics 2 {SMALL} --checkpoint {{bad}}",
    f"cluster text --clusters 2 {SMALL} --save {{bad}}", "generate -n 2 --tags {bad}",
)  # fmt: skip
# Commands whose output must be the same for the odd file, in place of every @.
ODD = (
    f"tag @text --states 2 {SMALL}", f"tag @text --tags @tags {SMALL}", f"tag @text --dictionary @words.tsv {SMALL}",
    f"tag @text --states 2 --dev @text --dev-tags @tags {SMALL}", f"tag @text --start @tagged {SMALL}",
    f"tag @text --start @P.json {SMALL}", f"tag @tagged --format tagged {SMALL}", f"tag @text.conllu {SMALL}",
    "tag @text --apply tag.model -q", "align @text @other -q", "align @both -q", "align @both.tsv -q",
    "align @both.tmx -q", "align @both.xlf -q", "align @text @other --dictionary @pairs.tsv -q", "align @text @other --apply align.model -q",
    f"topics @text --topics 2 {SMALL}", f"topics @docword.txt --format uci --topics 2 {SMALL}",
    f"topics @text.ldac --topics 2 {SMALL}", f"topics @text.svmlight --topics 2 {SMALL}",
    f"topics @text --topics 2 --stop-words @stop {SMALL}", f"topics @text --topics 2 --seed-words @seeds {SMALL}",
    "topics @text --apply topics.model -q",
    f"cluster @text --clusters 2 {SMALL}", "cluster @text --clusters 2 --method kmeans -q",
    f"cluster @text --labels @labels {SMALL}", "cluster @text --apply cluster.model -q", "score tags @tags @tags",
    "score clusters @labels @labels", "score links @links @links --source @text --target @other",
    "score links @gold.wa @gold.wa", "score topics topics.model @text", "explain hmm @P.json dog",
    "explain mixture @text --json", "explain plsa @text --json", "explain ibm1 @text @other --json",
    "generate --from @P.json -q", f"tag @text --states 2 --names @names {SMALL}", "show tag.model @text", "show cluster.model @text", "show align.model @both",
    "symmetrize @links @links", "glossary align.model @text @other -q", "glossary align.model @both.tsv --terms -q",
)  # fmt: skip
LOST = "is read by this command, and would be lost; name another file to write"


class Refused(NamedTuple):
    """Exit code 2, this line on stderr (`says` of all commands, or of each its own), nothing on stdout, no file."""

    name: str
    what: str
    says: str | tuple[str, ...]
    commands: tuple[str, ...]
    files: dict[str, bytes] = {}


class Works(NamedTuple):
    """Exit code 0. With `like`, the output is that of the command with the good files; else it has these lines."""

    name: str
    what: str
    then: str
    commands: tuple[str, ...] = ODD
    files: dict[str, bytes] = {}
    lines: int | None = None


def each(row: str, what: str, *cases: tuple[str, str], **files: bytes) -> Refused:
    """A row whose commands say different things."""
    return Refused(row, what, tuple(says for _, says in cases), tuple(command for command, _ in cases), files)


BYTES = [
    Refused("encoding", "a byte that is not UTF-8",
            "bad:2: byte 3 of the line (0xef) is not UTF-8; convert the file, for example with iconv -f LATIN1 -t UTF-8",
            READERS, {"bad": b"fine\nna\xefve\nfine\n"}),
    Refused("utf-16", "UTF-16, known by its byte-order mark",
            "bad: UTF-16, not UTF-8; convert the file: iconv -f UTF-16 -t UTF-8",
            READERS, {"bad": "fine\nnaïve\n".encode("utf-16")}),
    Refused("nul", "a NUL byte", "bad:3: NUL byte, which no text has; convert it with iconv if it is UTF-16",
            READERS, {"bad": b"fine\nfine\na\0b\n"}),
    Refused("model-not-text", "a softcount model, or a checkpoint, in place of text",
            "tag.model: a softcount model or checkpoint, not text; give text, or the model to --apply",
            tuple(command.format(bad="tag.model") for command in TEXTS)),
    Refused("model-not-json", "a softcount model in place of P.json",
            "tag.model: a softcount model or checkpoint, not text; softcount tag TEXT --apply tag.model --parameters P.json "
            "writes its parameters",
            tuple(command.format(bad="tag.model") for command in PARAMETERS)),
    Refused("gzip-unnamed", "a packed file whose name does not say so",
            "bad: a gzip file; name it ….gz, or unpack it first: gzip -dc", READERS, {"bad": gzip.compress(b"a b\n")}),
    Refused("gzip-cut", "a packed file that is cut off, or damaged",
            "bad.gz: not a complete gzip file; pack it again, or rename it if it is not packed",
            READERS, {"bad.gz": gzip.compress(b"a b c\n" * 999)[:-9]}),
    Refused("gzip-bomb", "a packed file that unpacks to more than 64 MiB and 100 times its size",
            "bad.gz: unpacks to more than 100 times its size; unpack it first, if it is text",
            READERS[:1] + READERS[9:10] + READERS[14:15], {"bad.gz": gzip.compress(b"a b\n" * (1 << 25), 1)}),
    Refused("empty", "an empty file", "bad: empty file; give at least one ", TEXTS, {"bad": b""}),
    each("empty-json", "an empty file in place of P.json",
         ("explain hmm bad dog",
          "bad:1: not a JSON parameter file (Expecting value); give one that softcount tag --parameters wrote"),
         ("generate --from bad",
          "bad:1: not a JSON parameter file (Expecting value); give one that softcount tag --parameters wrote"),
         bad=b""),
    each("blank", "a file of blank lines only, where there must be words",
         ("tag bad --states 2", "bad: no tokens to train on; give at least one word"),
         ("tag bad --states 2 --format tagged", "bad: no tokens to train on; give at least one word"),
         ("tag bad --states 2 --format conllu", "bad: no tokens to train on; give at least one word"),
         ("tag text --states 2 --dev bad", "bad: no tokens to choose by; give at least one word"),
         ("tag text --tags bad", "text:1: 3 tokens, but 0 tags in bad:1; give every token one tag, _ where it is not known"),
         ("tag text --dictionary bad", "bad: empty file; give at least one line word<TAB>TAG TAG …"),
         ("tag text --start bad", "bad: no tags to count; write word/TAG, or name a P.json file, random or uniform"),
         ("align bad", "bad: no words, only blanks; give at least one pair"),
         ("align bad other", "bad, other: no pair with words on both sides; give at least one"),
         ("align text bad", "text, bad: no pair with words on both sides; give at least one"),
         ("align text other --dictionary bad",
          "bad: empty file; give at least one line source<TAB>target<TAB>must|prefer|never"),
         ("topics bad", "bad: no words, only blanks; give at least one word"),
         ("topics bad --apply topics.model", "bad: no words, only blanks; give at least one word"),
         ("topics text --seed-words bad", "bad: empty file; give at least one line number<TAB>word word …"),
         ("topics bad --format uci", "bad: no documents, only blank lines; give at least one line"),
         ("topics bad --format ldac", "bad: no documents, only blank lines; give at least one line"),
         ("topics bad --format svmlight", "bad: no documents, only blank lines; give at least one line"),
         ("cluster bad --clusters 2", "bad: no words, only blanks; give at least one word"),
         ("cluster bad --clusters 2 --method kmeans", "bad: no words, only blanks; give at least one word"),
         ("cluster text --labels bad", "bad: every line is empty; give at least one label, or leave --labels away"),
         ("score tags bad tags", "tags:1: 3 tags, but 0 in bad; give one tag per token"),
         ("score clusters bad labels", "bad: no document has both a gold class and a cluster; nothing to score"),
         ("score links bad links", "bad: no links at all; nothing to score"),
         ("score topics topics.model bad", "bad: no words, only blanks; give at least one word"),
         ("explain mixture bad", "bad: no words, only blanks; give at least one word"),
         ("explain plsa bad", "bad: no words, only blanks; give at least one word"),
         ("explain ibm1 text bad", "bad: no words; give at least one"),
         bad=b"\n  \n\n \t\n"),
]  # fmt: skip

PLACES = [
    Refused("missing", "a file that is not there", "bad: no such file; check the path", READERS),
    Refused("no-permission", "a file that may not be read",
            "bad: no permission to read it; change the permissions, or read another file", READERS, {"bad": b"a b\n"}),
    Refused("folder", "a folder in place of a file", "bad: a folder, not a file; give a file inside it", NO_FOLDERS),
    each("folder-without-texts", "a folder of documents without documents",
         *((f"{command}", "bad: no text files in sub-folders; make one folder per class, or give a file")
           for command in ("topics bad", "cluster bad --clusters 2", "explain plsa bad"))),
    each("not-a-folder", "a file in place of a folder of documents",
         ("topics text --format folder",
          "text: not a folder; give one with a sub-folder per class, or another --format")),
    each("stdin-twice", "`-` for two files",
         ("align - -", "<stdin>: both the source and the target; give a file for one of them"),
         ("tag - --tags - --states 2", "<stdin>: both the text and the tags; give a file for one of them"),
         ("cluster - --labels -", "<stdin>: both the documents and the labels; give a file for one of them"),
         ("cluster text --labels - --stop-words -",
          "<stdin>: both the labels and the stop words; give a file for one of them"),
         ("topics - --stop-words -", "<stdin>: both the documents and the stop words; give a file for one of them"),
         ("score tags - -", "<stdin>: both the gold tags and the predicted tags; give a file for one of them"),
         ("score clusters - -", "<stdin>: both the gold classes and the clusters; give a file for one of them"),
         ("score links - -", "<stdin>: both the gold links and the predicted links; give a file for one of them"),
         ("score links links - --source -",
          "<stdin>: both the predicted links and the source; give a file for one of them")),
    Refused("output-no-permission", "a result in a folder that may not be written to",
            "shut/out: cannot be written (Permission denied); check the permissions", WRITERS),
    Refused("output-read-only", "a result in place of a file that may not be written to",
            "shut: cannot be written (Permission denied); check the permissions", WRITERS, {"shut": b"old"}),
    Refused("output-no-folder", "a result in a folder that is not there",
            "none/out: there is no folder 'none'; make it first", WRITERS),
    Refused("output-is-folder", "a result in place of a folder", "bad: is a folder; name a file", WRITERS),
    each("output-twice", "one file for two results",
         (f"tag text --states 2 {SMALL} --save out --trace out", "out: is named for two results; name two files")),
    each("output-is-input", "a result in place of a file that is read",
         *((command, f"{name}: {LOST}") for command, name in (
             (f"tag text --states 2 {SMALL} --save text", "text"), (f"tag text --tags tags {SMALL} --parameters tags", "tags"),
             (f"tag text --dictionary words.tsv {SMALL} --trace ./words.tsv", "words.tsv"),
             (f"tag text --start tagged {SMALL} --save tagged", "tagged"),
             (f"tag text --states 2 --dev other --dev-tags tags {SMALL} --save tags", "tags"),
             ("tag text --apply tag.model -q --parameters tag.model", "tag.model"),
             ("align text other -q --lexicon text", "text"), ("align text other -q --scores other", "other"),
             ("align text other --dictionary pairs.tsv -q --save pairs.tsv", "pairs.tsv"),
             ("align text other --apply align.model -q --lexicon align.model", "align.model"),
             (f"topics text --topics 2 {SMALL} --save text", "text"), ("topics text --stop-words stop --save stop", "stop"),
             ("topics text --seed-words seeds --save seeds", "seeds"),
             (f"cluster text --clusters 2 {SMALL} --checkpoint text", "text"),
             (f"cluster text --labels labels {SMALL} --save labels", "labels"),
             ("generate --from P.json --tags P.json", "P.json")))),
    each("output-rows", "document rows in a file of unknown kind",
         (f"topics text --topics 2 {SMALL} --rows out.csv",
          "out.csv: rows are written as .tsv, .npy, .parquet; name the file so")),
    each("export-to-file", "tables exported to a file", ("export tag.model --to text", "text: is a file; name a folder")),
]  # fmt: skip

FORMS = [
    each("lines-unequal", "two files that must be in step and have unequal numbers of lines",
         ("tag text --tags bad", "bad: 1 lines, 3 fewer than text; give both the same lines"),
         (f"tag text --states 2 --dev text --dev-tags bad {SMALL}",
          "bad: 1 lines, 3 fewer than text; give both the same lines"),
         ("align text bad", "bad: 1 lines, 3 fewer than text; give both the same lines"),
         ("align bad other", "bad: 1 lines, 3 fewer than other; give both the same lines"),
         ("align bad other --apply align.model", "bad: 1 lines, 3 fewer than other; give both the same lines"),
         ("explain ibm1 text bad", "bad: 1 lines, 3 fewer than text; give both the same lines"),
         ("cluster text --labels bad", "bad: 1 lines for 4 documents; give one label a line, empty if none"),
         ("score tags tags bad", "bad: 3 lines fewer than tags; the two must be in step, line by line"),
         ("score clusters labels bad", "bad: 1 lines, but 4 in labels; give one label a line in both"),
         ("score links links bad1", "bad1: 3 lines fewer than links; the two must be in step, line by line"),
         bad=b"D N V\n", bad1=b"0-0\n"),
    each("tokens-unequal", "lines in step with unequal numbers of tokens",
         ("tag text --tags bad",
          "text:3: 5 tokens, but 4 tags in bad:3; give every token one tag, _ where it is not known"),
         ("score tags tags bad", "bad:3: 4 tags, but 5 in tags; give one tag per token"),
         bad=b"D N V\n\nD N V D\nN V\n"),
    each("tagged-no-word", "`word/TAG` without a word",
         ("tag bad --format tagged", "bad:2: no word before the slash of '/N'; write word/TAG, // for the word /"),
         (f"tag text --start bad {SMALL}",
          "bad:2: no word before the slash of '/N'; write word/TAG, // for the word /"),
         bad=b"a/D\n/N\n"),
    Refused("tsv-fields", "TSV or `|||` with too few or too many fields",
            ("bad.tsv:2: 0 times <TAB>; write source <TAB> target", "bad.tsv:2: 0 times <TAB>; write source <TAB> target",
             "three.tsv:1: 2 times <TAB>; write source <TAB> target", "bars:2: 0 times |||; write source ||| target",
             "bars3:1: 2 times |||; write source ||| target"),
            ("align bad.tsv", "explain ibm1 bad.tsv", "align three.tsv", "align bars", "align bars3"),
            {"bad.tsv": b"a\tb\nc\n", "three.tsv": b"a\tb\tc\n", "bars": b"a ||| b\nc\n", "bars3": b"a|||b|||c\n"}),
    each("no-second-side", "one file with one side only",
         ("align text", "text: no second file, and its lines are not source ||| target nor source<TAB>target; name both")),
    Refused("conllu-fields", "CoNLL-U with missing fields",
            ("bad.conllu:1: 4 columns; CoNLL-U has 10, separated by tabs",
             "no.conllu:2: 'x' is no word number; write 1, 2, …, 1-2 or 1.1 in the first column",
             "word.conllu:1: the word is empty; write it in the second column"),
            ("tag bad.conllu", "tag no.conllu", "tag word.conllu"),
            {"bad.conllu": b"1\tthe\t_\tD\n", "word.conllu": b"1\t\t_\tD\t_\t_\t_\t_\t_\t_\n",
             "no.conllu": b"# one\nx\tdog\t_\tN\t_\t_\t_\t_\t_\t_\n"}),
    Refused("tmx-fields", "TMX without translations, without units, or that is no XML",
            ("bad.tmx: two languages are needed, and it has only <1>; give a file with both",
             "no.tmx: no <tu>, <trans-unit> or <segment> in it; give at least one",
             "cut.tmx:3: not well-formed XML (unclosed token); correct it, or export it again",
             "text.tmx:1: not well-formed XML (syntax error); correct it, or export it again"),
            ("align bad.tmx", "align no.tmx", "align cut.tmx", "explain ibm1 text.tmx"),
            {"bad.tmx": XML + b"<tmx><body>\n<tu><tuv><seg>a</seg></tuv></tu></body></tmx>",
             "no.tmx": XML + b"<tmx/>", "cut.tmx": TMX[:80], "text.tmx": b"hello\n"}),
    Refused("tmx-languages", "TMX with more than two languages, or without the one that is asked for",
            ("bad.tmx: 3 languages (de 1, en 1, fr 1); choose with --source-language and --target-language",
             "bad.tmx: no text in 'it'; it has fr",
             "bad.tmx: source and target are both en; choose two languages"),
            ("align bad.tmx", "align bad.tmx --source-language it --target-language fr",
             "align bad.tmx --source-language en --target-language en"),
            {"bad.tmx": XML + b"<tmx><body><tu>" + b"".join(
                b'<tuv xml:lang="%s"><seg>a</seg></tuv>' % name for name in (b"en", b"fr", b"de")) + b"</tu></body></tmx>"}),
    Refused("xliff-untranslated", "XLIFF without a translation, or without one that is as far as asked for",
            ("bad.xlf: two languages are needed, and it has only en; give a file with both",
             "bad.xlf: no <tu>, <trans-unit> or <segment> that is final in it; give at least one"),
            ("align bad.xlf", "align bad.xlf --only final"),
            {"bad.xlf": XLIFF.replace(b"<target>c d</target>", b"")}),
    Refused("tmx-entity", "TMX with an entity: of another file, or that nothing declares",
            ("file.tmx:2: an entity, and entities are not resolved; write what it stands for",
             "parameter.tmx:2: an entity, and entities are not resolved; write what it stands for",
             "dtd.tmx:3: an entity, and entities are not resolved; write what it stands for"),
            ("align file.tmx", "align parameter.tmx", "align dtd.tmx"),
            {"file.tmx": XML + b'<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n' + TMX[22:],
             "parameter.tmx": XML + b'<!DOCTYPE tmx [<!ENTITY % x SYSTEM "text"> %x;]>\n' + TMX[22:],
             "dtd.tmx": XML + b'<!DOCTYPE tmx SYSTEM "no.dtd">\n' + TMX[22:].replace(b"a b", b"a &b; c").replace(
                 b"<body>\n", b"<body>")}),
    Refused("tmx-bomb", "TMX whose entities grow (a billion laughs)",
            "bad.tmx:2: an entity, and entities are not resolved; write what it stands for", ("align bad.tmx",),
            {"bad.tmx": XML + b'<!DOCTYPE tmx [<!ENTITY a "ha">' + LAUGHS + b"]>" + TMX[22:].replace(b"a b", b"&j;")}),
    Refused("dictionary-form", "a tag dictionary with a missing tab, word or tag, or with a word twice",
            ("tab.tsv:1: no tab; write word<TAB>TAG TAG …", "word.tsv:1: no word before the tab; write word<TAB>TAG TAG …",
             "tag.tsv:1: no tags for 'dog'; name its tags, or leave the word away to allow all",
             "twice.tsv:2: the word 'dog' is already on line 1; write all its tags on one line"),
            tuple(f"tag text --dictionary {name}.tsv" for name in ("tab", "word", "tag", "twice")),
            {"tab.tsv": b"dog N\n", "word.tsv": b"\tN\n", "tag.tsv": b"dog\t\n", "twice.tsv": b"dog\tN\ndog\tV\n"}),
    Refused("dictionary-forbids", "a dictionary that forbids every tag that a word could have",
            ("text:1: 'runs' has the tag V, but bad.tsv allows D, N; correct one of the two",
             "tag 'X' is not one of the start's states; correct it, or leave the start away"),
            ("tag text --dictionary bad.tsv --tags tags", "tag text --dictionary x.tsv --start P.json"),
            {"bad.tsv": b"runs\tD N\n", "x.tsv": b"dog\tX\n"}),
    Refused("bilingual-form", "a bilingual dictionary with missing or unknown fields, or that contradicts itself",
            ("two.tsv:1: 2 columns; write source<TAB>target<TAB>must, prefer or never",
             "kind.tsv:1: no kind 'maybe'; write must, prefer or never",
             "both.d:2: 'dog' 'Hund' is both must and never; keep one of the two"),
            tuple(f"align text other --dictionary {name}" for name in ("two.tsv", "kind.tsv", "both.d")),
            {"two.tsv": b"dog\tHund\n", "kind.tsv": b"dog\tHund\tmaybe\n",
             "both.d": b"dog\tHund\tmust\ndog\tHund\tnever\n"}),
    Refused("prior-model-unfit", "a prior that was trained in another way, or of no weight",
            ("prior: was trained with both directions together; train this one so as well (agreement)",
             "prior: was trained in lower case; train this one so as well (lowercase)",
             "prior_strength is 0.0: give a positive number; 1 counts a pair as one"),
            ("align text other --preset fast --prior-model align.model",
             "align text other --no-lowercase --prior-model align.model",
             "align text other --prior-model align.model --prior-strength 0")),
    Refused("conllu-and-tags", "CoNLL-U, whatever its name, beside a file of tags",
            "bad: conllu text has its own tags; leave the tag file away", ("tag bad --tags tags",), {"bad": CONLLU}),
    Refused("engine", "an engine that there is not", "no engine 'x'; use threads",
            ("tag text --states 2 --engine x", "align text other --engine x", "topics text --engine x",
             "cluster text --clusters 2 --engine x", "tag text --apply tag.model --engine x")),
    Refused("all-too-long", "pairs that are all longer than asked for",
            "text, other: no pair with words on both sides within 1; give at least one", ("align text other --longest 1",)),
    Refused("show-too-long", "a grid of a pair that is left out as too long",
            "--show 3: the pair has more than 3 words on a side; show another",
            ("align text other --longest 3 --show 3", "align text other --apply align.model --longest 3 --show 3")),
    Refused("explain-two-lines", "two lines in place of a sentence",
            "the sentence has more than one line; give one sentence at a time", ("explain hmm P.json 'dog runs\ndog'",)),
    each("bilingual-forbids", "a bilingual dictionary that leaves a word without a source",
         ("align text other --null 0 --dictionary bad -q",
          "other:1: the pair has probability zero under the dictionary; allow one of its translations, or give the "
          "empty word a probability (--null)"),
         bad=b"the\tder\tnever\ndog\tder\tnever\nruns\tder\tnever\n"),
    Refused("links-form", "a link that is none",
            ("bad:2: 'x' is no link; write i-j, or i?j where it is only possible",
             "bad:2: 'x' is no link; write i-j, or i?j where it is only possible",
             "long:1: '1111111111111111111111111111111111111111…' is no link; write i-j, or i?j where it is only possible",
             "bad.wa:2: '1 x S' is no link; write pair i j S or pair i j P",
             "zero.wa:1: a 0 in '1 0 1 S'; this form counts pairs and words from 1",
             "pair.wa:1: pair 99999999 is beyond 10,000,000; number the pairs from 1"),
            ("score links bad links", "score links links bad", "score links long links", "score links bad.wa links",
             "score links zero.wa links", "score links pair.wa links"),
            {"bad": b"0-0\nx\n\n\n", "bad.wa": b"1 1 1 S\n1 x S\n", "zero.wa": b"1 0 1 S\n", "pair.wa": b"99999999 1 1\n",
             "long": b"1" * MEGABYTE + b"-0\n\n\n\n"}),
    Refused("links-outside", "gold links outside the sentence, or counted from 1",
            ("bad:1: word 9, but the target sentence has 3 words, counted from 0; give the right text",
             "bad:1: word 9, but the target sentence has 3 words, counted from 0; give the right text",
             "one:1: word 3, but the source sentence has 3 words, counted from 0; the links look 1-based: count words "
             "from 0",
             "links:4: the source text has only 3 lines; give the same lines"),
            ("score links bad links --target other", "score links links bad --target other",
             "score links one links --source text", "score links links links --source short"),
            {"bad": b"0-0 1-9\n\n\n\n", "one": b"3-1\n\n1-1\n\n", "short": b"a b c\n\na b c\n"}),
    Refused("counts-not-numbers", "counts that are NaN, negative, infinite or no numbers",
            ("docword.nan.txt:4: 'nan' is not a number; write a whole number that is not negative",
             "docword.minus.txt:4: '-1' is not a number; write a whole number that is not negative",
             "nan.ldac:1: count 'nan'; write a number from 0 to 2^53", "minus.ldac:1: count '-2'; write a number from 0 to 2^53",
             "inf.svmlight:1: count 'inf'; write a number from 0 to 2^53",
             "huge.svmlight:1: count '1e300'; write a number from 0 to 2^53",
             "word.ldac:1: '²:1' is not word:count; write numbers on both sides"),
            ("topics docword.nan.txt", "cluster docword.minus.txt --clusters 1", "topics nan.ldac",
             "cluster minus.ldac --clusters 1", "topics inf.svmlight", "cluster huge.svmlight --clusters 1",
             "topics word.ldac"),
            {"docword.nan.txt": b"1\n1\n1\n1 1 nan\n", "docword.minus.txt": b"1\n1\n1\n1 1 -1\n", "nan.ldac": b"1 0:nan\n",
             "minus.ldac": b"1 0:-2\n", "inf.svmlight": b"a 1:inf\n", "huge.svmlight": b"a 1:1e300\n",
             "word.ldac": "1 ²:1\n".encode()}),
    Refused("counts-form", "tables of counts with missing fields or wrong numbers",
            ("docword.a.txt:4: 2 numbers; write document, word and count",
             "docword.b.txt:4: word 3 is not between 1 and 2; correct it",
             "docword.c.txt: 1 counts, but line 3 says 2; the file is cut, or joined",
             "docword.d.txt: 2 lines; UCI bag-of-words begins with three sizes, one a line",
             "a.ldac:1: '0' is not word:count; write numbers on both sides",
             "b.ldac:1: says '2' words but has 1; correct the first number",
             "vocab.e.txt: 1 words, but the counts use 2; give one word a line",
             "vocab.f.txt: a word is listed twice; list every word once"),
            ("topics docword.a.txt", "topics docword.b.txt", "topics docword.c.txt", "topics docword.d.txt",
             "topics a.ldac", "topics b.ldac", "topics docword.e.txt", "topics docword.f.txt"),
            {"docword.a.txt": b"1\n1\n1\n1 1\n", "docword.b.txt": b"1\n2\n1\n1 3 1\n", "docword.c.txt": b"1\n1\n2\n1 1 1\n",
             "docword.d.txt": b"1\n1\n", "a.ldac": b"1 0\n", "b.ldac": b"2 0:1\n",
             "docword.e.txt": b"1\n2\n1\n1 1 1\n", "vocab.e.txt": b"a\n", "docword.f.txt": b"1\n2\n1\n1 1 1\n",
             "vocab.f.txt": b"a\na\n"}),
    Refused("counts-numbering", "a number of documents that would need a table of terabytes",
            "docword.a.txt: 1,000,000,000,000 documents in a file of 1 counts; number them without gaps",
            ("topics docword.a.txt", "cluster docword.a.txt --clusters 1"),
            {"docword.a.txt": b"1000000000000\n1\n1\n1 1 1\n"}),
    Refused("no-documents", "a table without documents, or in which all are empty",
            "docword.a.txt: no words; every document is empty",
            ("topics docword.a.txt", "cluster docword.a.txt --clusters 1"), {"docword.a.txt": b"0\n0\n0\n"}),
    each("seed-words-form", "seed words that are not what they should be",
         ("topics text --seed-words a", "a:2: no tab; write number<TAB>word word …"),
         ("topics text --seed-words b", "b:1: 'dog' is no topic; write its number, counted from 0"),
         ("topics text --topics 3 --seed-words c", "c:1: topic 3, but topics are 0 to 2; correct it"),
         ("topics text --seed-words d", "d:1: no words for topic 0; name some, or leave the line away"),
         ("topics text --seed-words e", "e:3: 'zebra' is not among the documents' words; correct it, or do not leave it out"),
         a=b"0\tdog\n1 cat\n", b=b"dog\tcat\n", c=b"3\tdog\n", d=b"0\t \n", e=b"0\tdog\n\n1\tcat zebra\n"),
    Refused("parameters-form", "parameters (P.json) that are not what they should be",
            ("bad.json: initial sums to 1.2, not to 1", "bad.json: initial sums to 1.2, not to 1",
             "nan.json: initial: 'V' must be a probability, not NaN", "cut.json:1: not a JSON parameter file (Expecting "
             "property name enclosed in double quotes); give one that softcount tag --parameters wrote",
             "deep.json: not a JSON parameter file (too deep, or a number too long); give one that softcount tag "
             "--parameters wrote", "word.json: \"emission\" lists 'a b', which no text has as a word; words have no blanks",
             "half.json: \"emission\" lists '\\ud800', which no text has as a word; words have no blanks"),
            ("explain hmm bad.json dog", "tag text --start bad.json", "explain hmm nan.json dog", "generate --from cut.json",
             "tag text --start deep.json", "generate --from word.json", "generate --from half.json"),
            {"bad.json": json.dumps({**P, "initial": {"V": 0.6, "N": 0.6}}).encode(), "cut.json": b"{",
             "nan.json": json.dumps({**P, "initial": {"V": float("nan"), "N": 1}}).encode(), "deep.json": b"[" * 100_000,
             "word.json": json.dumps({**P, "emission": {"V": {"a b": 1}, "N": {"b": 1}}}).encode(),
             "half.json": json.dumps({**P, "emission": {"V": {"\ud800": 1}, "N": {"b": 1}}}).encode()}),
    Refused("criterion", "a criterion that is none",
            ("no criterion 'magic'; use em, vb, mre, gibbs, hard, annealed, stepwise",
             "no criterion 'EM'; use em, vb, mre, gibbs, hard, annealed, stepwise",
             "criterion 'em,100': write em:100, not em,100",
             "criterion 'em:x': steps are a number, not 'x'; write for example em:100",
             "criterion 'annealed(em,start=0)': start must be more than zero",
             "criterion 'vb(prior=nan)': prior must be a finite number that is not negative, not 'nan'",
             "criterion 'em:1000000000000' has too many steps; give at most 999999999"),
            ("tag text --states 2 --criterion magic", "tag text --states 2 --criterion EM",
             "topics text --criterion em,100", "align text other --criterion em:x",
             "topics text --criterion 'annealed(em,start=0)'", "cluster text --clusters 2 --criterion 'vb(prior=nan)'",
             "tag text --states 2 --criterion em:1000000000000")),
]  # fmt: skip

SIZES = [
    each("too-many", "more states, topics, clusters or sentences than fit into the machine",
         ("tag text --states 99999999999", "99,999,999,999 states need "), ("topics text --topics 999999999999", "999,999,999,999 topics need "),
         ("cluster text --clusters 999", "text: 4 documents, but 999 clusters; ask for fewer"),
         ("cluster text --clusters 5 --method kmeans", "text: 4 documents, but 5 clusters; ask for fewer"),
         ("tag text --dictionary bad", "100,000 states need "), ("generate -n 1000000000000", "1,000,000,000,000 sentences need "),
         ("generate --from P.json --length 10000000000000", "10 sentences need "),
         ("generate --vocabulary 1e300", "vocabulary is 1e+300: it must be positive, at most 10,000; 1 is the whole lexicon"),
         bad=b"a\t" + b" ".join(b"T%d" % i for i in range(100_000)) + b"\n"),
    each("too-much-to-explain", "more than a person can read of `explain`",
         ("explain ibm1 bad bad", "bad:1: more than 100 words, the most that can be shown; shorten it"),
         ("explain mixture many", "many: 61 documents and 1 words; explain shows at most 60 of each"),
         ("explain ibm1 many many", "many: 61 pairs; 20 is the most that can be shown: take fewer"),
         bad=b"a b " * 999 + b"\n", many=b"a\n" * 61),
]  # fmt: skip

MODELS = [
    each("model-missing", "a model that is not there",
         *((command.format(bad="bad"), "bad: cannot be read (No such file or directory); give a file that softcount --save "
            "wrote") for command in APPLIERS)),
    Refused("model-no-permission", "a model that may not be read",
            "bad: cannot be read (Permission denied); give a file that softcount --save wrote", APPLIERS, {"bad": b"x"}),
    Refused("model-folder", "a folder in place of a model",
            "bad: cannot be read (Is a directory); give a file that softcount --save wrote", APPLIERS),
    Refused("model-text", "a text in place of a model",
            "bad: not a softcount model; give a file that softcount --save wrote", APPLIERS, {"bad": b"some text\n" * 20}),
    Refused("model-empty", "an empty file in place of a model",
            "bad: not a softcount model; give a file that softcount --save wrote", APPLIERS, {"bad": b""}),
    Refused("model-kind", "a model of another kind",
            ("topics.model: holds a PLSA topic model; `softcount tag --apply` needs a hidden Markov model",
             "tag.model: holds a hidden Markov model; `softcount align --apply` needs a word aligner",
             "tag.model: holds a hidden Markov model; `softcount align --prior-model` needs a word aligner",
             "align.model: holds a word aligner; `softcount topics --apply` needs a PLSA topic model",
             "tag.model: holds a hidden Markov model; `softcount cluster --apply` needs a Naive Bayes mixture or k-means "
             "clusters",
             "cluster.model: holds a Naive Bayes mixture; `softcount score topics` needs a PLSA topic model"),
            ("tag text --apply topics.model", "align text other --apply tag.model",
             "align text other --prior-model tag.model", "topics text --apply align.model",
             "cluster text --apply tag.model", "score topics cluster.model text")),
    Refused("model-language", "a model of another language: it knows no word of the text",
            ("other: the model knows none of its 10 words; give a model of this language",
             "other: the model knows none of its 10 source words; give a model of this language",
             "other: the model knows none of its 10 source words; give a model of this language",
             "other: the model knows none of its 10 words; give a model of this language",
             "other: the model knows none of its 10 words; give a model of this language",
             "other: the model knows none of its 10 words; give a model of this language",
             "other: the model knows none of its 10 words; give a model of this language",
             "other: the start lists none of its words; give parameters of this language"),
            ("tag other --apply tag.model", "align other text --apply align.model",
             "align other text --prior-model align.model", "topics other --apply topics.model",
             "cluster other --apply cluster.model", "cluster other --apply kmeans.model", "score topics topics.model other",
             "tag other --start P.json")),
    Refused("model-query", "a query without a known word",
            ("--query 'zebra': none of its words is in text; use other words",
             "no word of the query is known to the model; use other words"),
            ("topics text --query zebra", "topics text --apply topics.model --query zebra")),
]  # fmt: skip

# These have tests of their own; the test's name is in the table.
APART = [
    ("model-damaged", "a model with any byte changed, or cut at any length", "refused by name: «… is damaged; copy it "
     "again, or train again»", "test_damaged_models.py"),
    ("model-forged", "a model with right checksums whose content was altered: any leaf of its description, any array's "
     "type, shape or numbers", "refused by name: «… the tables do not fit together (…); train again», or «is damaged»",
     "test_forged_models.py"),
    ("checkpoint-forged", "a checkpoint altered in such a way", "refused by name: «… is not of this model; delete it to begin "
     "again», or as a model is", "test_forged_checkpoints.py"),
    ("model-changes", "a model that is overwritten or cut short while it is in use", "what was read stays as it was; before "
     "that: «… has changed since it was opened; load it again»", "test_store.py"),
    ("name-bytes", "file names that are no UTF-8", "are read and written; messages and `--json` show the byte 0xff as "
     "`\\udcff`", "test_cli_store.py"),
    ("pipe-closes", "a reader that goes away (`| head`)", "ends quietly, exit code 0", "test_pipe_closes"),
    ("disk-full", "no room for the result", "«softcount: No space left on device», or the file's name with it, exit "
     "code 2; what was there stays", "test_disk_full"),
    ("output-special", "a pipe, a device or a link in place of a result", "is written to as it is, never replaced",
     "test_output_special"),
    ("torture", "extreme numbers: priors of 1e-300, counts of 2^53, one word, dead states, …",
     "finite answers, or a refusal by name", "test_torture.py"),
]  # fmt: skip

LEGAL = [
    Works("crlf", "lines that end in `\\r\\n`", "the same output as with `\\n`"),
    Works("bom", "a UTF-8 byte-order mark", "the same output as without it"),
    Works("no-newline", "a last line without its line end", "the same output as with it"),
    Works("gz", "a packed file (`.gz`)", "the same output as unpacked"),
    Works("blank-lines", "empty lines between others", "line n of the output is of line n of the text: no tags and no "
          "links for an empty line; an empty document has a cluster (of Naive Bayes the most probable one), and topics as "
          "they are prevalent",
          (f"tag bad --states 2 {SMALL}", "align bad bad -q", f"cluster bad --clusters 2 {SMALL}",
           "cluster bad --clusters 2 --method kmeans -q",
           "topics bad --apply topics.model -q", "tag bad --apply tag.model -q", "cluster bad --apply cluster.model -q"),
          {"bad": b"\n\nthe dog\n\t \n\ncats\n\n"}, 7),
    Works("long-line", "a line of a million tokens", "is a line like any other",
          ("tag bad --states 2 --criterion em:1 -q --threads 1", "align bad bad2 -q --direction forward --criterion vb:1",
           "topics bad --apply topics.model -q", f"cluster bad --clusters 1 {SMALL}", "score tags bad bad --json",
           "score clusters bad bad --json"),
          {"bad": b"the dog runs a " * 250_000 + b"\n", "bad2": b"x y\n"}, 1),
    Works("long-token", "a token of a megabyte", "is a token like any other; messages quote its first 40 letters",
          (f"tag bad --states 2 {SMALL}", f"tag bad --tags bad {SMALL}", f"tag bad --dictionary words.big {SMALL}",
           "align bad bad -q", f"cluster bad --clusters 2 {SMALL}", "cluster bad --clusters 2 --method kmeans -q",
           f"topics bad --topics 2 {SMALL}", "tag bad --apply tag.model -q", f"cluster bad --labels bad {SMALL}"),
          {"bad": b"x" * MEGABYTE + b" dog\ncat\n", "words.big": b"x" * MEGABYTE + b"\tN\ndog\tV\n"}, 2),
    Works("counts-gaps", "word numbers with gaps, however large, where no file names the words",
          "words are called by their numbers, and gaps cost nothing",
          ("topics docword.a.txt --topics 1 -q", "cluster docword.a.txt --clusters 1 -q", "topics a.ldac --topics 1 -q",
           "cluster a.ldac --clusters 1 -q", "cluster a.svmlight --clusters 1 -q"),
          {"docword.a.txt": b"1\n9000000000\n1\n1 5000000000 1\n\n", "a.ldac": b"1 5000000000:1\n",
           "a.svmlight": b"1 5000000000:1\n"}, 1),
    Works("many-states", "more states or topics than there are words", "trained as asked",
          (f"tag bad --states 30 {SMALL}", f"topics bad --topics 30 {SMALL}"), {"bad": b"a b\n"}, 1),
    Works("one-word", "a text of one word", "trained as asked",
          (f"tag bad --states 2 {SMALL}", "align bad bad -q", f"cluster bad --clusters 1 {SMALL}",
           f"topics bad --topics 1 {SMALL}", "cluster bad --clusters 1 --method kmeans -q"), {"bad": b"a\n"}, 1),
    Works("tmx-encoding", "TMX that declares its encoding, or begins with UTF-16's mark", "is read so; a DTD that it names is not opened",
          ("align bad.tmx -q",),
          {"bad.tmx": b'<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE tmx SYSTEM "no.dtd">' + TMX[22:]}, 1),
    Works("some-unknown", "a text with some words that the model does not know", "a note says how many",
          ("tag bad --apply tag.model", "align bad bad2 --apply align.model", "topics bad --apply topics.model",
           "cluster bad --apply cluster.model"), {"bad": b"the zebra\n", "bad2": b"der Hund\n"}, 1),
    Works("conllu-content", "CoNLL-U under another name", "is read as CoNLL-U, and a warning says so",
          (f"tag bad {SMALL}", "tag bad --apply tag.model -q"), {"bad": CONLLU}, 2),
    Works("too-long", "pairs with more words than `--longest`", "an empty line, the score -inf, and a note how many",
          ("align text other --longest 3 -q", "align text other --apply align.model --longest 3 -q"), {}, 4),
    Works("odd-name", "a file whose name has blanks, quotes or a line break", "messages stay one line",
          (f"tag 'a\nb \"c\"' --states 2 {SMALL}",), {'a\nb "c"': b"a b\n"}, 1),
]  # fmt: skip

REFUSED: list[Refused] = [*BYTES, *PLACES, *FORMS, *SIZES, *MODELS]
SECTIONS = {
    "Bytes": BYTES, "Places": PLACES, "Forms and numbers": FORMS, "Sizes": SIZES, "Models": MODELS,
}  # fmt: skip
