"""The commands of test_bad_input.py, by what they do with the file that is called {bad}: read it, open it, write it."""

from __future__ import annotations

SMALL = "-q --criterion em:2"
# Commands that read a text file, as {bad}.
READERS = (
    f"tag {{bad}} --states 2 {SMALL}", f"tag text --tags {{bad}} {SMALL}", f"tag text --dictionary {{bad}} {SMALL}",
    f"tag text --states 2 --dev {{bad}} {SMALL}", f"tag text --states 2 --dev text --dev-tags {{bad}} {SMALL}",
    f"tag text --start {{bad}} {SMALL}", f"tag {{bad}} --format tagged {SMALL}", f"tag {{bad}} --format conllu {SMALL}",
    "tag {bad} --apply tag.model -q", "classes {bad} --classes 2 -q", "classes text --dictionary {bad} -q",
    "classes text --tags {bad} -q", "classes {bad} --apply classes.model -q",
    "align {bad} other -q", "align text {bad} -q", "align {bad} -q", "align text other --dictionary {bad}", "align text other --known-links {bad}",
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
    f"net 'h -> a, b' {{bad}} --values h=2 {SMALL}", "net 'a -> b' --start T.json --score {bad}",
    "net {bad} --apply net.model -q", "explain net 'a -> b' T.json {bad}",
    f"grammar {{bad}} text {SMALL}", f"grammar G.cfg {{bad}} {SMALL}", "grammar --trees {bad} -q",
    f"grammar G.cfg text --known {{bad}} {SMALL}", "grammar {bad} --apply grammar.model -q",
    "score trees {bad} trees", "score trees trees {bad}", "score tags tags tags --compare {bad}",
    "score clusters labels labels --compare {bad}", "score links links links --compare {bad}",
    "score trees trees trees --compare {bad}",
    "translate align.model {bad} --lm m.arpa -q", "translate align.model text --lm m.arpa --lexicon {bad} -q",
    "translate align.model text --lm m.arpa --tune {bad} -q", "rank align.model {bad} --lm m.arpa -q",
    "lm {bad} --order 2 -q", "lm {bad} --characters -q", "lm --apply m.arpa {bad} -q",
    f"decipher {{bad}} --lm chars.arpa --blanks letter --restarts 1 {SMALL}",
    "fast-align -i {bad}", "fast-align -i {bad} -dov --quiet", "eflomal -i {bad}", "eflomal -s {bad} -t other", "eflomal -s text -t {bad}",
    f"topics {{bad}} --text-column body {SMALL}", f"cluster {{bad}} --id-column id --clusters 2 {SMALL}",
    f"tag {{bad}} --text-column body --states 2 {SMALL}", f"classes {{bad}} --text-column body {SMALL}",
    "explain kmeans {bad}", "explain ibm1 text other --dictionary {bad}", "explain grammar {bad} 'the dog runs'",
    "shard {bad} --out new", "shard text {bad} --out new -q", "shard text --target {bad} --out new", "shard {bad} --kind documents --out new",
)  # fmt: skip
# Those that take a folder of texts as well as a file.
FOLDERS = ("topics {bad} --topics", "topics {bad} --apply", "cluster {bad} --c", "cluster {bad} --a", "score topics",
           "explain mixture", "explain plsa", "show topics.model", "shard {bad} --kind documents")  # fmt: skip
NO_FOLDERS = tuple(command for command in READERS if not command.startswith(FOLDERS))
# Those that read a P.json, and all others.
PARAMETERS = ("explain hmm {bad} dog", "generate --from {bad}")
TEXTS = tuple(command for command in READERS if command not in PARAMETERS)
# Commands that open a model, as {bad}.
APPLIERS = (
    "tag text --apply {bad} -q", "classes text --apply {bad} -q", "align text other --apply {bad} -q",
    "align text other --prior-model {bad} -q", "topics text --apply {bad} -q",
    "cluster text --apply {bad} -q", "score topics {bad} text", "info {bad}", "info {bad} --json",
    "report {bad} --out page.html", "export {bad} --to tables", "show {bad}", "show {bad} --json", "show {bad} text", "glossary {bad}",
    "net rows.csv --apply {bad} -q",
    "grammar text --apply {bad} -q",
    "decipher text --apply {bad} -q", "translate {bad} text --lm m.arpa -q", "rank {bad} both --lm m.arpa -q",
)  # fmt: skip
# Commands that write a file, as {bad}.
WRITERS = (
    f"tag text --states 2 {SMALL} --save {{bad}}", f"tag text --states 2 {SMALL} --parameters {{bad}}",
    f"tag text --states 2 {SMALL} --trace {{bad}}", f"tag text --states 2 {SMALL} --checkpoint {{bad}}",
    "classes text -q --save {bad}", "classes text -q --trace {bad}", "classes text -q --checkpoint {bad}",
    f"topics text --topics 2 {SMALL} --main-topics {{bad}}",
    f"tag text --states 2 {SMALL} --report {{bad}}", "report tag.model -q --out {bad}",
    "align text other -q --save {bad}", "align text other -q --lexicon {bad}", "align text other -q --scores {bad}",
    "align text other -q --log-probabilities {bad}", "align text other -q --pairs {bad}",
    "eflomal -i both -f {bad} --overwrite", "eflomal -i both -R {bad} --overwrite", f"topics text {SMALL} --main-topics {{bad}}",
    f"topics text --topics 2 {SMALL} --save {{bad}}", f"topics text --topics 2 {SMALL} --checkpoint {{bad}}",
    f"cluster text --clusters 2 {SMALL} --save {{bad}}", "generate -n 2 --tags {bad}",
    f"net 'h -> a, b' rows.csv --values h=2 {SMALL} --save {{bad}}", f"net 'a -> b' rows.csv {SMALL} --parameters {{bad}}",
    f"decipher text --lm chars.arpa --restarts 1 {SMALL} --key {{bad}}",
    "net net.bif -q --dot {bad}", "lm text -q --save {bad}", "lm text -q --arpa {bad}",
    f"grammar G.cfg text {SMALL} --save {{bad}}", f"grammar G.cfg text {SMALL} --parameters {{bad}}",
    "explain hmm P.json dog --page {bad}", "explain kmeans points --page {bad}",
)  # fmt: skip
# Commands whose output must be the same for the odd file, in place of every @.
ODD = (
    f"tag @text --states 2 {SMALL}", f"tag @text --tags @tags {SMALL}", f"tag @text --dictionary @words.tsv {SMALL}",
    f"tag @text --states 2 --dev @text --dev-tags @tags {SMALL}", f"tag @text --start @tagged {SMALL}",
    f"tag @text --start @P.json {SMALL}", f"tag @tagged --format tagged {SMALL}", f"tag @text.conllu {SMALL}",
    "tag @text --apply tag.model -q", "classes @text --classes 3 -q", "classes @tagged --format tagged -q",
    "classes @text --dictionary @words.tsv --tags @tags -q", "classes @text --apply classes.model -q --output tags",
    "align @text @other -q", "align @both -q", "align @both.tsv -q",
    "fast-align -i @both -dov --quiet", "eflomal -i @both", "eflomal -s @text -t @other",
    f"topics @docs.csv --text-column body --topics 2 {SMALL}", f"cluster @docs.csv --text-column body --id-column id --clusters 2 {SMALL}",
    f"tag @docs.csv --text-column body --states 2 {SMALL}", "classes @docs.csv --text-column body --classes 2 -q",
    "align @both.tmx -q", "align @both.xlf -q", "align @text @other --dictionary @pairs.tsv -q", "align @text @other --known-links @links -q", "align @text @other --apply align.model -q",
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
    f"grammar @G.cfg @text {SMALL}", f"grammar @G.cfg @text --known @trees {SMALL}", "grammar @G.cfg @text --n-parses -q",
    "grammar @text --trees @trees --markov 1,1 -q", "grammar @text --apply grammar.model -q", "score trees @trees @trees",
    f"decipher @text --lm @chars.arpa --restarts 1 {SMALL}", "decipher @text --apply decipher.model -q",
    "translate align.model @text --lm @m.arpa -q", "translate align.model text --lm m.arpa --lexicon @pairs.tsv -q",
    "rank align.model @both --lm @m.arpa -q", "rank align.model @text @other --lm @m.arpa -q",
    "lm @text --order 2 -q", "lm @text --characters -q", "lm --apply @m.arpa @text -q --json",
    "symmetrize @links @links", "glossary align.model @text @other -q", "glossary align.model @both.tsv --terms -q",
    f"net 'h -> a, b' @rows.csv --values h=2 {SMALL}", "net 'a -> b' --start @T.json --score @rows.csv",
    "net @rows.csv --apply net.model -q", "net @net.bif --query a -q", "explain net 'a -> b' @T.json @rows.csv",
    "explain kmeans @points --json", "explain ibm1 @text @other --dictionary @fixed.tsv --json",
)  # fmt: skip
LOST = "is an input of this command and would be overwritten; give another output file"
