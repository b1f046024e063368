"""softcount decipher: the plain text of a cipher, from a language model of what it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from softcount.cli.console import lower_cased, say_unknown
from softcount.cli.options import HOW, OUT, WHAT, Criterion, Lowercase, Normalize, Tokenize, Tolerance, option
from softcount.cli.summary import or_null
from softcount.cli.training import Files, Training
from softcount.errors import InputError


@dataclass(kw_only=True)
class DecipherCommand(Training):
    """Decipher CIPHER: letters that stand for letters of a language that a language model knows.

    Example: **softcount decipher cipher.txt --lm letters.lm --key key.tsv > plain.txt**

    The language model: **softcount lm text.txt --characters --order 3 --lowercase --save letters.lm**

    More of the same cipher: **softcount decipher more.txt --apply cipher.model > more.plain**
    """

    cipher: Annotated[str, typer.Argument(help="The text, line by line; every character is a letter; - for stdin.")]
    lm: Annotated[Path | None, option(WHAT, "A language model of characters, or an ARPA file.")] = None
    order: Annotated[
        int | None, option(WHAT, "Letters of an n-gram: at most the model's, which is the default, up to 4.", min=2)
    ] = None
    blanks: Annotated[
        str,
        option(WHAT, "known, as they stand; unknown, to be found; letter, written as one; auto: known if any."),
    ] = "auto"
    letters: Annotated[
        str | None, option(WHAT, "The plain text's letters, beside the blank; otherwise all of the model's.")
    ] = None
    criterion: Criterion = "em:60"
    restarts: Annotated[int, option(HOW, "Random keys to try with bigrams; the likeliest three go on.", min=1)] = 20
    pseudo: Annotated[float, option(HOW, "Pseudo-count of EM.", min=0)] = 0.0
    prior: Annotated[float, option(HOW, "Dirichlet prior of VB and Gibbs.", min=0)] = 0.1
    tolerance: Tolerance = 1e-5
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    normalize: Normalize = None
    power: Annotated[
        float | None, option(OUT, "How much the key counts beside the language model; 3 if not given.", min=0)
    ] = None
    key: Annotated[Path | None, option(OUT, "Write the key: cipher letter, plain letter, probability, count.")] = None

    name: ClassVar[str] = "decipher"
    kinds: ClassVar[tuple[str, ...]] = ("decipher",)
    doing: ClassVar[str] = "deciphering"

    def reads(self) -> dict[str, str | Path | None]:
        return {"cipher": self.cipher, "lm": self.lm}

    def writes(self) -> list[Path | None]:
        return [self.key]

    def chosen(self) -> dict[str, Any]:
        return {} if self.power is None else {"power": self.power}

    def read(self, model: Any) -> Any:
        from softcount.text.reader import read_characters

        lowercase = self.lowercase if model is None else lower_cased(model, self.lowercase)
        data = read_characters(self.cipher, lowercase, self.prepare(model))
        if model is not None:
            known = model._read(data)
            unknown = int((known.sentences.values < 0).sum())
            say_unknown(unknown, known.n_tokens, known.source, "letters", "they may be any letter", self.quiet)
        return data

    def estimator(self, data: Any) -> Any:
        from softcount.cli.lm import opened
        from softcount.estimators.decipher import Decipher

        if self.lm is None:
            raise InputError("no language model; give --lm, which softcount lm --characters trains, or --apply MODEL")
        model = Decipher(
            opened(self.lm, "decipher --lm"), order=self.order, blanks=self.blanks, letters=self.letters,
            criterion=self.criterion, restarts=self.restarts, pseudo=self.pseudo, prior=self.prior,
            tolerance=self.tolerance, lowercase=self.lowercase, random_state=self.seed, **self.chosen(),
        )  # fmt: skip
        model._reading = self.prepared.settings()
        return model

    def answer(self, model: Any, data: Any) -> Any:
        found = model.predict(data)
        if self.apply is None:
            from softcount.report.overview import count_decoded

            model.decoded_ = count_decoded(model.letters_, found)
        return found

    def files(self, model: Any, data: Any, answer: Any) -> Files:
        from softcount.report.tsv import Number, tsv_lines

        def write(path: Path) -> None:
            rows = ((c, p, Number(f"{share:.6f}"), Number(f"{n:.2f}")) for c, p, share, n in model.key(data))
            path.write_text("".join(tsv_lines(["cipher", "plain", "probability", "count"], rows)), encoding="utf-8")

        yield self.key, write
        yield from super().files(model, data, answer)

    def counted(self, data: Any) -> dict[str, float]:
        return {"lines": len(data), "letters": data.n_tokens}

    def done(self, model: Any, data: Any) -> dict[str, Any]:
        return {"power": model.power, **super().done(model, data)}

    def content(self, model: Any, data: Any, answer: Any) -> dict[str, Any]:
        return {
            "plain": answer,
            "key": [entry._asdict() for entry in model.key(data)],
            "objective": or_null(model.objective_),
            "steps": sum(restart.steps for restart in model.restarts_),
            "stopped": model.history_.stopped.text,
            "notes": model.history_.notes,
        }

    def lines(self, model: Any, data: Any, answer: Any) -> Iterator[str]:
        return (line + "\n" for line in answer)
