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
    """Solve a substitution cipher with a character language model.

    Example: **softcount decipher cipher.txt --lm letters.lm --key key.tsv > plain.txt**

    Train the language model first: **softcount lm text.txt --characters --order 3 --lowercase --save letters.lm**

    More of the same cipher: **softcount decipher more.txt --apply cipher.model > more.plain**
    """

    cipher: Annotated[
        str, typer.Argument(help="Ciphertext, line by line, or - for stdin; every character is a symbol.")
    ]
    lm: Annotated[Path | None, option(WHAT, "Character language model: a saved model or an ARPA file.")] = None
    order: Annotated[
        int | None, option(WHAT, "Order of the n-grams, up to 4. Default: the order of the language model.", min=2)
    ] = None
    blanks: Annotated[
        str,
        option(
            WHAT,
            "Interpretation of spaces in the ciphertext. Choices: auto (known if there are any), known "
            "(spaces are spaces), unknown (to be found), letter (enciphered like a letter).",
        ),
    ] = "auto"
    letters: Annotated[
        str | None,
        option(WHAT, "Alphabet of the plaintext without the space. Default: all letters of the language model."),
    ] = None
    criterion: Criterion = "em:60"
    restarts: Annotated[
        int,
        option(HOW, "Number of random keys tried with bigrams; training continues with the three most likely.", min=1),
    ] = 20
    pseudo: Annotated[float, option(HOW, "Pseudo-count for em.", min=0)] = 0.0
    prior: Annotated[float, option(HOW, "Dirichlet concentration for vb and gibbs.", min=0)] = 0.1
    tolerance: Tolerance = 1e-5
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    normalize: Normalize = None
    power: Annotated[float | None, option(OUT, "Exponent of the channel model in decoding. Default: 3.", min=0)] = None
    key: Annotated[
        Path | None, option(OUT, "Write the key as TSV: cipher symbol, plaintext letter, probability, count.")
    ] = None

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
            say_unknown(unknown, known.n_tokens, known.source, "letters", "they may stand for any letter", self.quiet)
        return data

    def estimator(self, data: Any) -> Any:
        from softcount.cli.lm import opened
        from softcount.estimators.decipher import Decipher

        if self.lm is None:
            raise InputError(
                "the language model is missing; give --lm (softcount lm --characters trains one), or --apply MODEL"
            )
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
