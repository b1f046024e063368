"""The part of softcount demo about networks: a diary with empty cells, and what it says of being late."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softcount.cli.demo_pages import Shown

ARCS = "weather, slept -> transport; transport, slept -> late; late, slept -> mood"
QUESTIONS = (
    ("transport | weather=sunny", "bicycle"), ("late | slept=well", "yes"), ("late | slept=badly", "yes"),
    ("late | slept=badly, transport=bus", "yes"), ("slept | late=yes", "badly"), ("mood | slept=badly", "bad"),
)  # fmt: skip


def demo_network(console: Any, folder: Path, seed: int) -> Shown:
    from rich import box
    from rich.table import Table

    from softcount.estimators.network import Network
    from softcount.report.network import picture
    from softcount.text.record_reader import read_columns

    days = read_columns(folder / "commute.csv")._replace(source="commute.csv")
    cells = {
        name: [None if code < 0 else column.values[code] for code in column.codes.tolist()]
        for name, column in days.columns.items()
    }
    net = Network(ARCS, random_state=seed, criterion="em:200").fit(days)
    missing = sum(value is None for name in net._structure.names for value in cells[name])
    console.print(
        f'\n[bold]A diary of {days.n_rows} days[/], {missing} of its cells empty: softcount net "{ARCS}" commute.csv\n'
    )
    console.print("\n".join(picture(net._structure)), highlight=False)
    table = Table(
        box=box.SIMPLE_HEAD, title="Answers of the network, and days of the diary that say so", title_justify="left"
    )
    for column in ("question", "network", "diary"):
        table.add_column(column, justify="left" if column == "question" else "right", no_wrap=True)
    for question, value in QUESTIONS:
        wanted, _, given = question.partition(" | ")
        known = dict(pair.strip().split("=") for pair in given.split(","))
        seen = [
            cells[wanted][day] for day in range(days.n_rows) if all(cells[name][day] == v for name, v in known.items())
        ]
        seen = [answer for answer in seen if answer is not None]
        diary = f"{seen.count(value)} of {len(seen)}"
        table.add_row(f"P({wanted}={value} | {given})", f"{net.query(question)[value]:.3f}", diary)
    console.print(table)
    return Shown("network", net, (days,))
