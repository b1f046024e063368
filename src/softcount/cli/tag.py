"""softcount tag: induce or apply part-of-speech tags with a hidden Markov model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from softcount.cli.console import columns, lower_cased, per_table, say_unknown, sparse_of
from softcount.cli.labelled import check_labelled, column_beside, column_of_tags, labelled_text
from softcount.cli.options import (
    HOW,
    IN,
    OUT,
    STAGES,
    WHAT,
    Choose,
    Features,
    Labelled,
    LabelledTags,
    Lowercase,
    Normalize,
    Rare,
    Restarts,
    Sparse,
    TextColumn,
    Tokenize,
    Variance,
    number,
    option,
    size_option,
)
from softcount.cli.sampling import Sampled
from softcount.cli.summary import or_null
from softcount.cli.tag_crf import CRF, HMM, OF_CRF, check_model, crf_autoencoder
from softcount.cli.tag_output import check_output, renamed, tag_lines
from softcount.cli.training import Files
from softcount.errors import InputError


@dataclass(kw_only=True)
class Tag(Sampled):
    """Tag words without training labels; print one line of tags per line of TEXT.

    Example: **softcount tag text.txt --states 45 --save tagger.model > tags.txt**

    Use the spelling of words: **softcount tag text.txt --states 45 --features words > tags.txt**

    With labelled sentences: **softcount tag text.txt --labelled fifty.conllu > tags.txt**

    With a dictionary: **softcount tag text.txt --dictionary words.tsv --save tagger.model > tags.txt**

    Gibbs sampling: **softcount tag text.txt --states 10 --criterion gibbs:400 --chains 4 --collapsed --prior 0.1**

    New text, with a saved model: **softcount tag new.txt --apply tagger.model > new.tags**
    """

    text: Annotated[
        str,
        typer.Argument(
            help="Text (plain or compressed) with one sentence per line and spaces between tokens, or a folder "
            "of shards, or - for stdin.",
        ),
    ]
    states: Annotated[str | None, size_option("Number of hidden states (tags), or `auto`.")] = None
    choose: Choose = "evidence"
    model: Annotated[str, option(WHAT, "Model. Choices: hmm, crf-autoencoder (uses word features).")] = "hmm"
    reconstruct: Annotated[
        str, option(WHAT, "Target of the CRF autoencoder: a number of word classes, or `words`.")
    ] = "100"
    dictionary: Annotated[
        Path | None, option(WHAT, "Allowed tags of words, one word per line: word, tab, TAG TAG …")
    ] = None
    labelled: Labelled = None
    labelled_tags: LabelledTags = None
    features: Features = None
    end: Annotated[bool, option(WHAT, "Model the end of the sentence.", "--end")] = False
    fix: Annotated[str, option(WHAT, "Tables to keep fixed: initial, transition, emission.")] = ""
    min_count: Rare = 1
    criterion: Annotated[
        str | None, option(HOW, f"{STAGES} Default: vb:1, or mre:1 with --features and --start classes.")
    ] = None  # type: ignore[assignment]
    start: Annotated[
        str | None,
        option(
            HOW,
            "Initial parameters. Choices: classes, known, random, uniform, P.json, or a labelled file. "
            "Default: classes.",
        ),
    ] = None
    pseudo: Annotated[str, option(HOW, "Pseudo-count for em: a number, or emission=0.1,transition=1.")] = "0"
    prior: Annotated[
        str, option(HOW, "Dirichlet concentration for vb and gibbs: a number, or emission=0.1,transition=1.")
    ] = "0.001"
    variance: Variance = 1.0
    sparse: Sparse = None
    restarts: Restarts = 1
    dev: Annotated[
        str | None,
        option(HOW, "Validation text for choosing the restart, by accuracy if it is tagged, otherwise by likelihood."),
    ] = None
    dev_tags: Annotated[str | None, option(HOW, "Tags of the --dev text, line by line.")] = None
    format: Annotated[str, option(IN, "Input format. Choices: auto, plain, tagged (word/TAG), conllu.")] = "auto"
    tags: Annotated[str | None, option(IN, "Known tags of TEXT, line by line; _ if unknown.")] = None
    column: Annotated[str, option(IN, "CoNLL-U column with known tags. Choices: upos, xpos, none.")] = "upos"
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    normalize: Normalize = None
    text_column: TextColumn = None
    decode: Annotated[
        str | None,
        option(
            OUT, "Decoding. Choices: viterbi (best tag sequence), posterior (best tag per word), mre. Default: viterbi."
        ),
    ] = None
    output: Annotated[
        str, option(OUT, "Output format. Choices: lines (tags only), conllu, tsv, tagged (word/TAG).")
    ] = "lines"
    output_column: Annotated[
        str | None,
        option(
            OUT,
            "CoNLL-U column for the tags. Choices: upos, xpos, misc. Default: the column read, otherwise xpos.",
        ),
    ] = None
    names: Annotated[str | None, option(OUT, "Names of tags, as score tags --map writes them: class, tab, name.")] = (
        None
    )
    show: Annotated[bool, option(OUT, "Print the sentences with words colored by tag.", "--show")] = False
    parameters: Annotated[Path | None, option(OUT, "Write the learned parameters as JSON.")] = None

    name: ClassVar[str] = "tag"
    kinds: ClassVar[tuple[str, ...]] = ("hmm", "crf autoencoder")
    doing: ClassVar[str] = "tagging"

    def reads(self) -> dict[str, str | Path | None]:
        from softcount.estimators.hmm_start import STARTS

        start = None if self.start in STARTS else self.start
        return {
            "text": self.text, "tags": self.tags, "dictionary": self.dictionary, "start": start,
            "labelled_text": self.labelled, "labelled_tags": self.labelled_tags,
            "dev_text": self.dev, "dev_tags": self.dev_tags, "names": self.names,
        }  # fmt: skip

    def writes(self) -> list[Path | None]:
        return [self.parameters]

    def chosen(self) -> dict[str, Any]:
        return {} if self.decode is None else {"decode": self.decode}

    def read(self, model: Any) -> Any:
        from softcount.text.reader import read
        from softcount.text.shard_folder import is_shards

        if is_shards(self.text):
            return self.read_folder(model)
        lowercase = self.lowercase if model is None else lower_cased(model, self.lowercase)
        self.prepare(model)
        content = self.content_of_text(model)
        data = read(
            self.text, format=self.format, tags=self.tags, column=self.column, lowercase=lowercase, content=content,
            prepare=self.prepared,
        )  # fmt: skip
        if not self.is_conllu and self.labelled is None:
            self.note_unused("column", where="if the text is not CoNLL-U")
        if model is not None:
            self.note_unknown(model, data)
        return data

    def read_folder(self, model: Any) -> Any:
        from softcount.text.corpus import corpus
        from softcount.text.stored import in_memory

        if self.tags is not None:
            raise InputError(
                f"{self.text}: a folder of shards contains its tags; shard the tagged text, and omit --tags"
            )
        found = self.from_folder(self.text, "sentences", model, "format", "column", "text_column")
        data = corpus(found, lowercase=self.lowercase if model is None else lower_cased(model, self.lowercase))
        if (self.model if model is None else model.kind) in (CRF, "crf autoencoder"):
            data = in_memory(data, "a CRF autoencoder", "use --model hmm")
        if model is not None:
            self.note_unknown(model, data)
        return data

    def content_of_text(self, model: Any) -> bytes:
        """CoNLL-U that is to come back as it came has to be kept."""
        from softcount.text.reader import is_conllu, text_of_table
        from softcount.text.source import read_text

        column = columns(model, self.text, text_column=self.text_column).get("text_column")
        content = text_of_table(self.text, column, self.format)
        content = read_text(self.text) if content is None else content
        lines = self.format in ("plain", "tagged")
        self.is_conllu = not lines and (self.format == "conllu" or is_conllu(content))
        self.as_it_came: bytes | None = content if self.is_conllu and self.output == "conllu" else None
        return content

    def note_unknown(self, model: Any, data: Any) -> None:
        unknown = int(data.frequencies[model.vocabulary_.encode(data.vocabulary.words) < 0].sum()) + data.n_unknown
        say_unknown(unknown, data.n_tokens, data.source, "words", "they may have any tag", self.quiet)
        strange = sorted(set(data.tagset) - set(model.states_))
        if strange:
            names = ", ".join(strange[:5]) + (" …" if len(strange) > 5 else "")
            self.say(f"note: the model has no tag {names}; these tags in the input are ignored")

    def estimator(self, data: Any) -> Any:
        model = crf_autoencoder(self) if self.model == CRF else self.hmm()
        model._reading = self.prepared.settings() | columns(None, self.text, text_column=self.text_column)
        if self.model == HMM and (column := column_of_tags(self, data)) is not None:
            model._reading["column"] = column
        return model

    def hmm(self) -> Any:
        from softcount.estimators import hmm

        self.note_unused(*OF_CRF, where=f"without --model {CRF}")
        if self.states != "auto":
            self.note_unused("choose", where="without --states auto")
        return hmm.HMM(
            number(self.states), choose=self.choose, criterion=self.criterion,
            start=_start(self.start, self.column, self.lowercase),
            fixed=tuple(table for table in self.fix.replace(" ", "").split(",") if table),
            pseudo=per_table(self.pseudo, "--pseudo"), prior=per_table(self.prior, "--prior"), end=self.end,
            features=self.features, variance=self.variance, sparse=sparse_of(self.sparse),
            dictionary=self.dictionary, restarts=self.restarts, tolerance=self.tolerance, min_count=self.min_count,
            lowercase=self.lowercase, random_state=self.seed, **self.chosen(),
        )  # fmt: skip

    def fit(self, model: Any, data: Any, **watch: Any) -> None:
        if self.dev is None:
            self.note_unused("dev_tags", where="without --dev")
        if self.model == HMM:
            watch["dev"] = self.held_out()
            watch["labelled"] = labelled_text(self)
        model.fit(data, **watch)

    def held_out(self) -> Any:
        from softcount.text.reader import read
        from softcount.text.table_file import is_table

        if self.dev is None:
            return None
        format = "plain" if self.dev_tags else self.format
        prepare = None if self.dev_tags else self.prepared
        column = self.text_column if is_table(self.dev) else None
        return read(
            self.dev, format=format, tags=self.dev_tags, lowercase=self.lowercase, prepare=prepare, text_column=column
        )

    def answer(self, model: Any, data: Any) -> Any:
        if self.output != "conllu":
            self.note_unused("output_column", where="without --output conllu")
        found = self.averaged(model) or self.tagged(model, data)
        if self.apply is None and model.kind == "hmm" and isinstance(found, list):
            from softcount.report.overview import count_decoded

            model.decoded_ = count_decoded(model.states_, found)
        return found if self.given_names is None else renamed(found, self.given_names)

    def tagged(self, model: Any, data: Any) -> Iterable[list[Any]]:
        """As the model decodes; what is in files block by block."""
        return model.predict(data) if hasattr(data, "sentences") else chain.from_iterable(model.blocks(data))

    def averaged(self, model: Any) -> list[list[int | str]] | None:
        """The tags that chains have most often, where there are such and no other decoding is asked for."""
        if self.decode is not None or getattr(model, "chains_", None) is None:
            return None
        names = model._row_names()
        return [[names[k] for k in row] for row in model.chains_.labels]

    def signed(self, model: Any) -> str:
        return f"{model.signature_} tags=averaged" if self.averaged(model) else super().signed(model)

    def files(self, model: Any, data: Any, answer: Any) -> Files:
        if model.kind != "hmm":
            yield from super().files(model, data, answer)
            return

        def write(path: Path) -> None:
            path.write_text(json.dumps(model.to_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

        yield self.parameters, write
        yield from super().files(model, data, answer)

    def counted(self, data: Any) -> dict[str, float]:
        return {"sentences": len(data), "words": data.n_tokens}

    def done(self, model: Any, data: Any) -> dict[str, Any]:
        return {"decode": model.decode, **super().done(model, data)}

    def content(self, model: Any, data: Any, answer: Any) -> dict[str, Any]:
        return {
            "tags": list(answer),
            "objective": or_null(model.objective_),
            "steps": sum(restart.steps for restart in model.restarts_),
            "stopped": model.history_.stopped.text,
            "restarts": [_restart(restart) for restart in model.restarts_ if restart.steps],
            "notes": model.history_.notes,
            **self.of_chains(model),
        }

    def lines(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        if self.show:
            from softcount.cli.show_screen import print_tagged
            from softcount.text.stored import in_memory

            whole = in_memory(data, "--show", "give a part of it")
            print_tagged(model, whole, list(answer), self.given_names or {})
            return iter(())
        column = self.output_column or model.reading_.get("column", "xpos")
        return tag_lines(data, answer, self.output, column, self.as_it_came)

    def check(self) -> None:
        from softcount.text.class_names import read_names

        super().check()
        check_model(self.model)
        check_output(self.output, self.output_column or "xpos")
        check_labelled(self)
        if self.labelled is not None and self.model == CRF:
            raise InputError(f"--labelled needs --model hmm; a {CRF} does not learn from tags")
        self.as_it_came = None
        self.is_conllu = False
        self.given_names = None if self.names is None else read_names(self.names)


def _restart(restart: Any) -> dict[str, Any]:
    numbers = {"objective": or_null(restart.objective), "score": or_null(restart.score)}
    return {**restart._asdict(), **numbers, "stopped": restart.stopped.text}


def _start(start: str | None, column: str, lowercase: bool) -> Any:
    """auto, random, …, a parameter file by its name's end, or else a labelled text."""
    from softcount.estimators.hmm_start import STARTS, check_start
    from softcount.text.labelled import read_labelled

    if start is None or start in STARTS or start.endswith(".json"):
        return start
    check_start(start)
    return read_labelled(start, column=column_beside(column), lowercase=lowercase)
