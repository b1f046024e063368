"""softcount net: a declared Bayesian network, learned from rows with hidden and missing cells, or asked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from softcount.cli.console import per_table, sparse_of
from softcount.cli.net_output import Found, asked_lines, delimited, scored, texts, with_keys
from softcount.cli.options import HOW, IN, OUT, WHAT, WHERE, Criterion, Restarts, Sparse, option
from softcount.cli.training import Files, Training
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put
from softcount.signature import in_form

PREDICTIONS = (".csv", ".tsv", ".parquet")


@dataclass(kw_only=True)
class Net(Training):
    """Learn a Bayesian network from data with missing values and hidden variables.

    Example: **softcount net "weather -> traffic -> late" days.csv --values traffic=3 --parameters T.json**

    Over time: **softcount net "weather@-1 -> weather -> late" diary.csv --sequence person --values weather=2**

    Learn the arcs too: **softcount net auto days.csv --values h=2 --restarts 5 --dot arcs.dot**

    Query without data: **softcount net "weather -> traffic -> late" --start T.json --query "late | weather=rainy"**
    """

    spec: Annotated[
        str, typer.Argument(help='Arcs ("rain, sprinkler -> wet; wet@-1 -> wet"), a BIF file, or auto.', metavar="SPEC")
    ]
    data: Annotated[
        str | None, typer.Argument(help="CSV, TSV or Parquet, or - for stdin; empty cells count as missing.")
    ] = None
    search: Annotated[bool, option(WHAT, "Learn the arcs too, starting from SPEC; implied by auto.", "--structure")] = (
        False
    )
    values: Annotated[
        list[str] | None,
        option(
            WHAT,
            "Hidden variable with its number of values (traffic=3) or their names "
            "(traffic=normal,bad,terrible). Repeatable.",
            "--values",
        ),
    ] = None
    tie: Annotated[list[str] | None, option(WHAT, "Variables with a shared table: a,b. Repeatable.")] = None
    fix: Annotated[str, option(WHAT, "Variables with fixed tables: weather,late.")] = ""
    criterion: Criterion = "em:100"
    start: Annotated[
        str, option(HOW, "Initial tables. Choices: random, uniform, or T.json with some or all tables.")
    ] = "random"
    pseudo: Annotated[str, option(HOW, "Pseudo-count for em: a number, or late=0.1,traffic=1.")] = "0"
    prior: Annotated[str, option(HOW, "Dirichlet concentration for vb and gibbs: a number, or late=0.1,traffic=1.")] = (
        "0.1"
    )
    sparse: Sparse = None
    restarts: Restarts = 1
    sequence: Annotated[str | None, option(IN, "Column with the name of the row's sequence.")] = None
    weight: Annotated[str | None, option(IN, "Column with the number of times a row was observed.")] = None
    force: Annotated[
        bool, option(WHERE, "Compute even if expected to exceed a minute or the free memory.", "--force")
    ] = False
    query: Annotated[
        str | None, option(OUT, 'Print conditional probabilities: "late | weather=rainy, traffic=normal".')
    ] = None
    score: Annotated[str | None, option(OUT, "Print the log-likelihood of each row (or sequence) of this file.")] = None
    predict: Annotated[
        Path | None, option(OUT, "Write the rows with missing cells filled in: .csv, .tsv or .parquet.")
    ] = None
    parameters: Annotated[Path | None, option(OUT, "Write the tables as JSON, which --start reads.")] = None
    bif: Annotated[Path | None, option(OUT, "Write the network in BIF format.")] = None
    dot: Annotated[Path | None, option(OUT, "Write the arcs in Graphviz format.")] = None

    name: ClassVar[str] = "net"
    kinds: ClassVar[tuple[str, ...]] = ("network",)
    applied: ClassVar[tuple[str, ...]] = ("data",)

    def run(self) -> None:
        stage.quiet = self.quiet
        asks = self.query is not None or self.score is not None or any((self.parameters, self.bif, self.dot))
        if self.apply is not None and self.data is None and (os.path.isfile(self.spec) or not asks):
            self.spec, self.data = "", self.spec  # a saved network knows its arcs: what is given are rows
        if self.data is not None:
            return super().run()
        self.check()
        return self.ask()

    def reads(self) -> dict[str, str | Path | None]:
        start = self.start if self.start.endswith((".json", ".json.gz")) else None
        return {
            "network": self.spec if _is_bif(self.spec) else None,
            "data": self.data,
            "start": start,
            "rows_to_score": self.score,
        }

    def writes(self) -> list[Path | None]:
        return [self.predict, self.parameters, self.bif, self.dot]

    def check(self) -> None:
        super().check()
        if self.predict and self.predict.suffix not in PREDICTIONS:
            raise InputError(f"{self.predict}: unknown file type; use a name that ends in {', '.join(PREDICTIONS)}")
        if self.query is not None and self.score is not None:
            raise InputError("--query and --score cannot be combined; use one of them")

    def read(self, model: Any) -> Any:
        from softcount.text.record_reader import read_columns

        assert self.data is not None
        columns = read_columns(self.data)
        if model is None:
            return columns
        if self.spec:
            self.note_other(model)
        return columns

    def note_other(self, model: Any) -> None:
        from softcount.text.structure import structure

        if not _is_bif(self.spec) and structure(self.spec).text() != model.structure_:
            self.say(f"note: SPEC is ignored; the saved network is {model.structure_}")

    def estimator(self, data: Any) -> Any:
        from softcount.estimators.network import Network

        return Network(
            self.spec, search=self.search, values=_values(self.values),
            start=self.start, tie=[_names(group) for group in self.tie or ()],
            fixed=_names(self.fix), pseudo=per_table(self.pseudo, "--pseudo"),
            prior=per_table(self.prior, "--prior"), sparse=sparse_of(self.sparse), criterion=self.criterion,
            sequence=self.sequence,
            weight=self.weight, restarts=self.restarts, tolerance=self.tolerance, random_state=self.seed,
            force=self.force,
        )  # fmt: skip

    def chosen(self) -> dict[str, Any]:
        given = {name: value for name in ("sequence", "weight") if (value := getattr(self, name)) is not None}
        return {**given, "force": self.force}

    def answer(self, model: Any, data: Any) -> Found:
        self.note_columns(model, data)
        wanted = self.predict is not None or (self.apply is not None and self.query is None and self.score is None)
        predicted = model.predict(data) if wanted else None
        return self.asked(model)._replace(log_likelihood=model.score(data), predicted=predicted)

    def asked(self, model: Any) -> Found:
        if self.query is not None:
            found = model.query(self.query)
            wanted = self.query.partition("|")[0].strip()
            return Found(query=texts(found if "," in wanted else {wanted: found}))
        return Found(scores=None if self.score is None else model.score_samples(self.score).tolist())

    def note_columns(self, model: Any, data: Any) -> None:
        used = {*model.values_, model.sequence, model.weight}
        spare = [name for name in data.columns if name not in used]
        if spare:
            more = " …" if len(spare) > 6 else ""
            self.say(f"note: {data.source}: columns not in the network are ignored: {', '.join(spare[:6])}{more}")
        if not model._structure.over_time:
            self.note_unused("sequence", where="in a network without arcs from the previous row")
        elif model.sequence is None:
            self.say(f"note: all {data.n_rows:,} rows are one sequence; use --sequence COLUMN if there are several")

    def files(self, model: Any, data: Any, answer: Found) -> Files:
        yield self.predict, lambda path: self.write_rows(path, answer.predicted, data)
        yield from self.own_files(model)
        yield from super().files(model, data, answer)

    def own_files(self, model: Any) -> Files:
        def tables(path: Path) -> None:
            path.write_text(json.dumps(model.to_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

        yield self.parameters, tables
        yield self.bif, lambda path: model.to_bif(path)
        yield self.dot, lambda path: path.write_text(model.to_dot(), encoding="utf-8")

    def write_rows(self, path: Path, rows: dict[str, list[Any]] | None, data: Any) -> None:
        assert rows is not None and self.predict is not None
        table = with_keys(rows, data, (self.sequence, self.weight))
        if self.predict.suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table(table), path)
        else:
            mark = "\t" if self.predict.suffix == ".tsv" else ","
            path.write_text("".join(delimited(table, mark)), encoding="utf-8")

    def counted(self, data: Any) -> dict[str, float]:
        return {"rows": data.n_rows}

    def done(self, model: Any, data: Any) -> dict[str, Any]:
        return {"rows": data.n_rows}

    def applied_signature(self, model: Any, data: Any) -> str:
        return super().applied_signature(model, model._read(data))

    def named(self, data: Any) -> str:
        return str(data.source)

    def details(self, model: Any, data: Any) -> Iterator[str]:
        from softcount.report.network import MOST, picture

        if len(model.values_) <= MOST:
            yield from picture(model._structure, [name for name, column in data.columns.items() if column.values])
        yield from super().details(model, data)

    def content(self, model: Any, data: Any, answer: Found) -> dict[str, Any]:
        if answer.query is not None:
            return dict(answer.query)
        if answer.scores is not None:
            return scored(answer.scores)
        content = {"log_likelihood": answer.log_likelihood, "rows": data.n_rows, "tables": model.to_json()}
        return content if answer.predicted is None else {**content, "predicted": answer.predicted}

    def lines(self, model: Any, data: Any, answer: Found) -> Iterator[str]:
        from softcount.report.network import entries

        if answer.query is not None or answer.scores is not None:
            yield from asked_lines(answer)
        elif self.apply is None:
            yield from entries(model.to_json())
        elif self.predict is None and answer.predicted is not None:
            yield from delimited(with_keys(answer.predicted, data, (self.sequence, self.weight)), ",")

    def ask(self) -> None:
        """Without data: what the start, a BIF file or a saved model says."""
        if self.query is None and self.score is None and not any(self.writes()) and self.save is None:
            raise InputError(
                "no rows to learn from; give DATA (only --query, --score, --parameters, --bif and --dot "
                "work without, with --start)"
            )
        if self.predict is not None:
            raise InputError("--predict needs rows to fill in; give DATA")
        if self.apply is not None:
            from softcount.cli.console import open_model

            model = open_model(self.apply, self.kinds, "net --apply", **self.chosen())
            self.note_unused(*self.training_options(), where="with --apply")
        else:
            model = self.estimator(None).as_given()
            unused = (
                "criterion",
                "restarts",
                "tolerance",
                "seed",
                "checkpoint",
                "checkpoint_every",
                "pseudo",
                "prior",
                "sparse",
                "fix",
            )
            self.note_unused(*unused, where="without DATA")
        model = self.placed(model)
        from softcount.cli.console import write_whole

        answer = self.asked(model)
        if self.save is not None:
            model.save(self.save, parts=self.parts)
        for path, write in self.own_files(model):
            if path is not None:
                write_whole(path, write)
        self.say(in_form(model.signature_, self.signature_form))
        if answer.query is not None:  # the answer alone, as the question named it
            self.print_alone(answer.query, answer)
        elif answer.scores is not None:
            self.print_alone(scored(answer.scores), answer)

    def print_alone(self, content: dict[str, Any], answer: Found) -> None:
        if self.as_json:
            put(json.dumps(content, ensure_ascii=False))
        else:
            for line in asked_lines(answer):
                put(line, end="")

    def print(self, content: dict[str, Any], lines: Iterator[str], signed: str) -> None:
        if self.as_json and self.query is not None:
            put(json.dumps(content, ensure_ascii=False))
        else:
            super().print(content, lines, signed)


def _is_bif(spec: str) -> bool:
    return spec.lower().endswith((".bif", ".bif.gz"))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _values(given: list[str] | None) -> dict[str, Any] | None:
    from softcount.estimators.network_values import MOST_VALUES
    from softcount.text.source import quoted, whole

    found: dict[str, Any] = {}
    for text in given or ():
        name, mark, listed = text.partition("=")
        if not mark or not listed.strip():
            raise InputError(f"--values {quoted(text)}: invalid value; write name=number or name=value,value")
        names = _names(listed)
        found[name.strip()] = names
        if len(names) == 1 and names[0].isdecimal():
            n = whole(names[0])
            found[name.strip()] = MOST_VALUES + 1 if n is None else n
    return found or None
