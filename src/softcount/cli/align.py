"""softcount align: word links between two texts that say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from softcount.cli.console import check_writable, note_prepared, open_model, say_unknown, sparse_of
from softcount.cli.options import (
    HOW,
    IN,
    OUT,
    STAGES,
    WHAT,
    Normalize,
    PairFeatures,
    Rare,
    Sparse,
    Tokenize,
    Tolerance,
    Variance,
    option,
)
from softcount.cli.sampling import Sampled, about
from softcount.cli.training import Files
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.estimators.aligner import WordAligner
    from softcount.text.bitext import Bitext

SYMMETRIZE = (
    "Method that combines the two directions. Choices: intersection, union, grow-diag, "
    "grow-diag-final, grow-diag-final-and, product, mean (joint training only), or a single "
    "direction: forward, reverse. Default: mean after joint training, otherwise product."
)
LEXICON = ("source", "target", "p_target", "p_source")
PRESET = (
    "Preset. Choices: default (HMMs trained jointly), fast (fewer iterations, no fertility), best "
    "(ensemble of two models, slower)."
)


STEMS = (
    "Back off rare words to classes. Choices: prefix lengths (5,3), suffix-free, letters, FILE.tsv, "
    "none. Default: 5,3 with joint training and without --model, otherwise none."
)


@dataclass(kw_only=True)
class Align(Sampled):
    """Align the words of SOURCE and TARGET; print the links i-j of each sentence pair, counted from 0.

    Example: **softcount align text.en text.fr --save en-fr.model > links.txt**

    One file with both sides, and a score for each pair: **softcount align both.tsv --scores scores.tsv > links.txt**

    New text, with a saved model: **softcount align new.en new.fr --apply en-fr.model > new.links**

    Continue from a saved model's counts on new text: **softcount align new.en new.fr --prior-model en-fr.model**
    """

    source: Annotated[
        str,
        typer.Argument(
            help="Source text, or a file with both sides: source ||| target, TSV, TMX, XLIFF, shards; - for stdin."
        ),
    ]
    target: Annotated[str | None, typer.Argument(help="Translation of SOURCE, line by line; may be compressed.")] = None
    preset: Annotated[str, option(WHAT, PRESET)] = "default"
    model: Annotated[
        str | None,
        option(
            WHAT,
            "Model, or models in sequence with iterations: ibm1:3,hmm:3. Choices: ibm1, ibm2, ibm2-free, "
            "hmm, crf. Default: depends on --preset.",
        ),
    ] = None
    agreement: Annotated[
        bool | None,
        option(WHAT, "Train both directions jointly by agreement (not with crf).", "--agreement/--no-agreement"),
    ] = None
    fertility: Annotated[
        bool,
        option(
            WHAT, "Model fertilities, the number of links per word (joint training only).", "--fertility/--no-fertility"
        ),
    ] = True
    recount: Annotated[
        bool | None,
        option(
            WHAT,
            "Re-estimate each link from all others after training (joint training only). Default: yes "
            "with --preset best.",
            "--recount/--no-recount",
        ),
    ] = None
    stems: Annotated[str | None, option(WHAT, STEMS)] = None
    stem_strength: Annotated[
        str | None,
        option(WHAT, "Weight, in links, of the back-off distribution; `evidence` estimates it.", metavar="N"),
    ] = None
    spelling: Annotated[
        bool,
        option(
            WHAT,
            "Give a higher probability to translations with similar spelling (joint training only).",
            "--spelling/--no-spelling",
        ),
    ] = True
    direction: Annotated[
        str, option(WHAT, "Direction to train. Choices: both, forward (the source generates the target), reverse.")
    ] = "both"
    null: Annotated[
        str | None,
        option(
            WHAT,
            "Probability of the null word, or `learn`. Default: learn with joint training, 1/(length + 1) for ibm1, "
            "otherwise 0.2.",
        ),
    ] = None
    tension: Annotated[str, option(WHAT, "Diagonal tension of ibm2 (0 to 60), or `learn`.")] = "8"
    dictionary: Annotated[
        Path | None,
        option(WHAT, "Bilingual dictionary, one entry per line: source, tab, target, tab, must, prefer or never."),
    ] = None
    known_links: Annotated[
        Path | None, option(WHAT, "Gold links of some pairs, one line per pair (0-0 1-2); an empty line means unknown.")
    ] = None
    prior_model: Annotated[
        Path | None, option(WHAT, "Saved aligner whose counts are added to the counts of this text.")
    ] = None
    prior_strength: Annotated[
        float, option(WHAT, "Weight of a sentence pair of --prior-model, in sentence pairs of this text.", metavar="N")
    ] = 1.0
    min_count: Rare = 1
    criterion: Annotated[str | None, option(HOW, f"{STAGES} Default: em:3; with --model em:5 (hmm) or vb:4.")] = None  # type: ignore[assignment]
    tolerance: Tolerance = 0.0
    alpha: Annotated[float, option(HOW, "Dirichlet concentration for vb and gibbs.")] = 0.001
    prior_over: Annotated[
        str, option(HOW, "Support of the Dirichlet prior. Choices: vocabulary, cooccurring (words in the same pairs).")
    ] = "vocabulary"
    pseudo: Annotated[float, option(HOW, "Pseudo-count for em.", min=0)] = 0.0
    features: PairFeatures = None
    variance: Variance = 1.0
    sparse: Sparse = None
    lowercase: Annotated[
        bool, option(IN, "Ignore case: words that differ only in case are one word.", "--lowercase/--no-lowercase")
    ] = True
    characters: Annotated[bool, option(IN, "Align characters instead of words; a space becomes ▁.", "--characters")] = (
        False
    )
    source_language: Annotated[
        str | None, option(IN, "Source language in TMX or XLIFF (en, en-US), or source column in Parquet.")
    ] = None
    target_language: Annotated[
        str | None, option(IN, "Target language in TMX or XLIFF, or target column in Parquet.")
    ] = None
    only: Annotated[str, option(IN, "XLIFF units to read. Choices: any, translated, final.")] = "any"
    tokenize: Tokenize = None
    normalize: Normalize = None
    longest: Annotated[
        int | None, option(IN, "Skip pairs longer than N tokens on either side (an empty line is written).", min=1)
    ] = None
    decode: Annotated[
        str | None,
        option(OUT, "Decoding. Choices: posterior, viterbi, mre (maximizes P(f|a) P(a|f)). Default: posterior."),
    ] = None
    symmetrize: Annotated[str | None, option(OUT, SYMMETRIZE)] = None
    threshold: Annotated[
        float | None,
        option(OUT, "Posterior threshold of a link. Default: 0.35 for √(p·q) (product), 0.5 for (p+q)/2 (mean)."),
    ] = None
    probabilities: Annotated[bool, option(OUT, "Write links with probabilities (0-0:0.97).", "--probabilities")] = False
    scores: Annotated[
        Path | None, option(OUT, "Write the translation score of each pair, 0 to 1; 0 if a side is empty.")
    ] = None
    log_probabilities: Annotated[
        Path | None,
        option(OUT, "Write log P(target|source) and log P(source|target) of each pair; -inf if a side is empty."),
    ] = None
    lexicon: Annotated[
        Path | None, option(OUT, "Write the lexicon as TSV: source, target, P(target|source), P(source|target).")
    ] = None
    lexicon_min: Annotated[float, option(OUT, "Smallest probability in --lexicon; 0 writes all entries.", min=0)] = 0.01
    pairs: Annotated[
        Path | None, option(OUT, "Write the pairs as they were read, one per line: source, tab, target.")
    ] = None
    show: Annotated[int | None, option(OUT, "Print pair N as a grid instead of links.", min=1)] = None

    name: ClassVar[str] = "align"
    kinds: ClassVar[tuple[str, ...]] = ("word aligner",)
    doing: ClassVar[str] = "linking"

    def reads(self) -> dict[str, str | Path | None]:
        files = {"source": self.source, "target": self.target}
        stems = self.stems if self.stems and Path(self.stems).is_file() else None
        return {**files, "dictionary": self.dictionary, "known_links": self.known_links, "stems": stems}

    def writes(self) -> list[Path | None]:
        return [self.scores, self.log_probabilities, self.lexicon, self.pairs]

    def check(self) -> None:
        super().check()
        if self.features is not None:
            from softcount.estimators.featured import check_pair_features

            check_pair_features(self.features)
        check_writable(*self.writes(), self.trace, self.checkpoint, inputs=(self.prior_model,))  # --save may renew it
        if self.prior_model is None:
            self.note_unused("prior_strength", where="without --prior-model")

    def chosen(self) -> dict[str, Any]:
        given = {
            "decode": self.decode,
            "symmetrize": self.symmetrize,
            "threshold": self.threshold,
            "longest": self.longest,
        }
        return {name: value for name, value in given.items() if value is not None}

    def read(self, model: Any) -> Bitext:
        from softcount.text.bitext_reader import read_bitext
        from softcount.text.shard_folder import is_shards

        data: Bitext
        if self.target is None and is_shards(self.source):
            unread = ("source_language", "target_language", "only")
            data = self.from_folder(self.source, "pairs", model, *unread)
        else:
            data = read_bitext(self.source, self.target, prepare=self.prepare(model), **self.chosen_units())
            data = data.spelt() if (self.characters if model is None else model.characters) else data
        self.check_shown(data, self.longest or getattr(model, "longest", None))
        if model is None and self.known_links is not None:
            from softcount.links.known import linked
            from softcount.links.pharaoh import read_links
            from softcount.text.stored import in_memory

            data = in_memory(data, "--known-links", "omit it")
            data = linked(data, read_links(self.known_links, len(data)), str(self.known_links))
        if model is not None:
            model._check()
            self.note_unknown(model, data, "their links depend on positions only")
            self.note_long(model, data)
        return data

    def chosen_units(self) -> dict[str, Any]:
        """Which units and languages of a TMX or XLIFF file are read."""
        return {"source_language": self.source_language, "target_language": self.target_language, "only": self.only}

    def check_shown(self, data: Bitext, longest: int | None) -> None:
        if self.show is not None and self.show > len(data):
            raise InputError(f"--show {self.show}: the text has only {len(data)} pairs; use 1 to {len(data)}")
        if self.show is not None and longest and _shown(data, self.show).lengths.longest > longest:
            raise InputError(
                f"--show {self.show}: the pair has more than {longest} words on a side; choose another pair"
            )

    def note_unknown(self, model: WordAligner, data: Bitext, then: str) -> None:
        read = model._read(data, None)
        for name, side, known in zip(
            ("source", "target"), (read.source, read.target), model.vocabularies_, strict=True
        ):
            unknown = side.n_unknown + int(side.frequencies[len(known) :].sum())
            say_unknown(unknown, side.n_tokens, side.source, f"{name} words", then, self.quiet)

    def note_long(self, model: WordAligner, data: Bitext) -> None:
        from softcount.estimators.align_forecast import left_out, unusual

        for note in (left_out(data, model), unusual(data, model)):
            if note:
                self.say(f"note: {note}")

    def estimator(self, data: Bitext) -> WordAligner:
        from softcount.estimators.aligner import WordAligner
        from softcount.text.bilingual import once

        model = WordAligner(
            self.model, preset=self.preset, criterion=self.criterion, agreement=self.agreement,
            fertility=self.fertility, recount=self.recount, stems=_stems_once(self.stems), spelling=self.spelling,
            lowercase=self.lowercase, characters=self.characters, stem_strength=self.stem_strength,
            tolerance=self.tolerance, alpha=self.alpha, prior_over=self.prior_over, pseudo=self.pseudo,
            features=self.features, variance=self.variance, sparse=sparse_of(self.sparse),
            null=None if self.null is None else _number(self.null, "--null", "a probability below 1"),
            tension=_number(self.tension, "--tension", "a number from 0 to 60"), direction=self.direction,
            dictionary=once(self.dictionary), prior=self.prior(data), prior_strength=self.prior_strength,
            min_count=self.min_count, random_state=self.seed, **self.chosen(),
        )  # fmt: skip
        model._reading = {name: value for name, value in self.chosen_units().items() if value not in (None, "any")}
        model._reading |= self.prepared.settings()
        return model

    def prior(self, data: Bitext) -> WordAligner | None:
        if self.prior_model is None:
            return None
        model: WordAligner = open_model(self.prior_model, self.kinds, "align --prior-model")
        note_prepared(model, self.prepared, self.quiet)
        self.note_unknown(model, data, "they are learned from this text only")
        return model

    def fit(self, model: WordAligner, data: Bitext, on_step: Any = None, **watch: Any) -> None:
        from softcount.estimators.align_forecast import needed
        from softcount.estimators.ranged import foretold
        from softcount.links.known import n_linked

        planned, _ = model._checked(data)  # what is wrong is said before anything else is
        if self.known_links is not None:
            self.say(f"gold links given for {n_linked(data):,} of {len(data):,} pairs")
        self.note_long(model, data)
        if not self.quiet:
            self.say(needed(data.within(model.longest), model))
        self.foretold: Any = foretold(model, planned, data)
        for note in self.foretold:
            self.say(f"note: {note}")
        model.fit(data, on_step=lambda name, step: on_step(step._replace(stage=f"{name} {step.stage}")), **watch)

    def answer(self, model: WordAligner, data: Bitext) -> Bitext:
        """The text itself: links are found block by block, while they are printed."""
        from softcount.estimators.ranged import is_far, linking_note

        if self.lexicon is None:
            self.note_unused("lexicon_min", where="without --lexicon")
        for note in linking_note(model) if is_far(self.where) else ():
            self.say(f"note: {note}")
        return data

    def files(self, model: WordAligner, data: Bitext, answer: Bitext) -> Files:
        from softcount.report.tsv import tsv_lines

        yield self.lexicon, lambda path: _write(path, tsv_lines(LEXICON, model.lexicon(self.lexicon_min)))
        yield self.pairs, lambda path: _write(path, _pair_lines(answer))
        yield self.scores, lambda path: _write(path, _score_lines(model, answer))
        yield self.log_probabilities, lambda path: _write(path, _log_lines(model, answer))
        yield from super().files(model, data, answer)

    def report(self, model: WordAligner, data: Bitext, answer: Bitext) -> Iterator[str]:
        if self.apply is not None:
            yield from super().report(model, data, answer)
            return
        if not self.quiet:
            yield from (_ending(name, model.directions_[name], *sums) for name, sums in model._told(data).items())
        notes = [note for direction in model.directions_.values() for note in direction.trace.told()]
        yield from (f"note: {note}" for note in dict.fromkeys(notes) if note not in self.foretold)

    def named(self, data: Bitext) -> str:
        return " and ".join(dict.fromkeys([data.source.source, data.target.source]))

    def counted(self, data: Bitext) -> dict[str, float]:
        return {"pairs": len(data), "words": data.source.n_tokens + data.target.n_tokens}

    def done(self, model: WordAligner, data: Bitext) -> dict[str, Any]:
        return {**model._decoding(), **super().done(model, data)}

    def content(self, model: WordAligner, data: Bitext, answer: Bitext) -> dict[str, Any]:
        stopped = {name: direction.trace.stopped.text for name, direction in model.directions_.items()}
        chains = {name: about(side.chains) for name, side in model.directions_.items() if getattr(side, "chains", None)}
        links = {"links": model.align(answer, probabilities=self.probabilities), "stopped": stopped}
        return links | ({"chains": chains} if chains else {})

    def lines(self, model: WordAligner, data: Bitext, answer: Bitext) -> Iterator[str]:
        if self.show is None:
            yield from _links(model, answer, self.probabilities)
        else:
            from softcount.report.grid import print_grid

            print_grid(model, _shown(answer, self.show), 0)


def _ending(name: str, found: Any, log_likelihood: float, words: int) -> str:
    import math

    bits, per_word = -log_likelihood / math.log(2), math.exp(-log_likelihood / words)
    return f"{name}: perplexity {per_word:,.2f} per word, {bits:,.0f} bits in total; {found.trace.stopped.text}"


def _number(text: str, option: str, what: str) -> float | str:
    if text == "learn":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} {text!r}: invalid value; use {what}, or learn") from None


def _stems_once(given: str | None) -> Any:
    """Files by their names; classes from a pipe by their content."""
    paths = [] if given is None else [Path(part) for part in given.split(",") if part]
    if not any(path.exists() and not path.is_file() and not path.is_dir() for path in paths):
        return given
    from softcount.text.given_classes import read_classes

    return [read_classes(path) for path in paths]


def _links(aligner: WordAligner, data: Bitext, probabilities: bool, symmetrize: str | None = None) -> Iterator[str]:
    """The lines of a block of pairs at a time."""
    from softcount.links.lines import link_lines, probable_lines

    written = probable_lines if probabilities else link_lines
    yield from map(written, aligner.blocks(data, symmetrize))


def _score_lines(aligner: WordAligner, data: Bitext) -> Iterator[str]:
    yield "score\n"
    yield from (f"{score:.6g}\n" for score in aligner.pair_scores(data).tolist())


def _log_lines(aligner: WordAligner, data: Bitext) -> Iterator[str]:
    """In nats; nothing for a direction that was not trained."""
    yield "target given source\tsource given target\n"
    yield from ("\t".join(map(_p, pair)) + "\n" for pair in aligner.scores(data).tolist())


def _pair_lines(data: Bitext) -> Iterator[str]:
    """In step with the lines of links."""
    for _, block in data.blocks():
        for s in range(len(block)):
            yield " ".join(block.source.tokens(s)) + "\t" + " ".join(block.target.tokens(s)) + "\n"


def _shown(data: Any, number: int) -> Bitext:
    """The one pair that has this number, counted from 1."""
    if hasattr(data, "token_pairs"):
        found: Bitext = data.slice(number - 1, number)
        return found
    found = data.slice(number - 1, number, named=True).opened()
    return found


def _p(number: float) -> str:
    return "" if number != number else f"{number:.6g}"


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
