"""The part of softcount demo about networks: who was late, what the weather was, and traffic that nobody wrote down."""

from __future__ import annotations

from typing import Any

from softcount.cli.demo_pages import Shown

TABLES: dict[str, Any] = {
    "weather": {"": {"sunny": 0.7, "rainy": 0.3}},
    "traffic": {
        "sunny": {"normal": 0.7, "bad": 0.2, "terrible": 0.1},
        "rainy": {"normal": 0.2, "bad": 0.3, "terrible": 0.5},
    },
    "late": {"normal": {"yes": 0.1, "no": 0.9}, "bad": {"yes": 0.4, "no": 0.6}, "terrible": {"yes": 0.8, "no": 0.2}},
}
ARCS, DAYS, KNOWN = "weather -> traffic -> late", 3000, 10  # of one day in ten somebody wrote the traffic down


def demo_network(console: Any, seed: int) -> Shown:
    from rich import box
    from rich.table import Table

    from softcount.estimators.network import Network
    from softcount.report.network import picture

    truth = Network(ARCS, start=TABLES).as_given()
    days = truth.sample(DAYS, random_state=seed)
    seen = [value if day % KNOWN == 0 else None for day, value in enumerate(days["traffic"])]
    console.print(
        f"\n[bold]A network[/]: {DAYS:,} days, of which the weather is known, whether somebody was late, and of one in "
        f"{KNOWN} the traffic.\n"
    )
    console.print("\n".join(picture(truth._structure)), highlight=False)
    net = Network(ARCS, random_state=seed, criterion="em:200").fit({**days, "traffic": seen})
    table = Table(box=box.SIMPLE_HEAD, title="Its tables by EM, beside the truth", title_justify="left")
    for column in ("question", "learned", "true"):
        table.add_column(column, justify="left" if column == "question" else "right", no_wrap=True)
    for question, value in (
        ("late | weather=rainy", "yes"), ("late | traffic=terrible", "yes"), ("traffic | weather=rainy", "terrible"),
        ("traffic | late=yes, weather=sunny", "terrible"), ("weather | late=yes", "rainy"),
    ):  # fmt: skip
        wanted, _, given = question.partition(" | ")
        asked = f"P({wanted}={value} | {given})"
        table.add_row(asked, *(f"{model.query(question)[value]:.3f}" for model in (net, truth)))
    console.print(table)
    return Shown("network", net, ())
