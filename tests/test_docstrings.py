"""Docstrings in numpydoc's form, held to what they describe: every parameter in its order, every fitted attribute."""

from __future__ import annotations

import doctest
import inspect
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softcount as sc
from softcount.registry import BUILT_IN

TEXT = ["a b a c", "b b c", "a c", "c a b b a", "a d d", "d d b d"]
POINTS = np.random.default_rng(0).normal(size=(12, 2))
FITTED: dict[str, Any] = {
    "HMM": lambda: sc.HMM(2, end=True).fit(TEXT),
    "CRFAutoencoder": lambda: sc.CRFAutoencoder(2, criterion="autoencode:2").fit(TEXT),
    "WordClasses": lambda: sc.WordClasses(2).fit(TEXT),
    "PLSA": lambda: sc.PLSA(2, random_state=0).fit(TEXT),
    "NaiveBayesMixture": lambda: sc.NaiveBayesMixture(2, criterion="em:2").fit(TEXT),
    "KMeans": lambda: sc.KMeans(2).fit(POINTS),
    "GaussianMixture": lambda: sc.GaussianMixture(2, covariance="full", criterion="em:2").fit(POINTS),
    "Grammar": lambda: sc.Grammar("S -> 'a' S | 'b'").fit(["a b"]),
    "WordAligner": lambda: sc.WordAligner().fit(TEXT, TEXT),
    "Decipher": lambda: sc.Decipher(sc.LanguageModel(3, characters=True).fit(TEXT), restarts=1).fit(TEXT),
    "LanguageModel": lambda: sc.LanguageModel(2).fit(TEXT),
    "Network": lambda: sc.Network("m -> a", values={"m": 2}).fit({"a": list("xyx")}),
}
SOMETIMES = {"feature_names_in_", "covariances_", "tried_"}  # not of every model
# An example of these would need a folder, or a figure that says something.
WITHOUT = {
    "InputError",
    "Shards",
    "__version__",
    "evaluate",
    "synthetic",
    "plot_topics",
    "plot_transition",
    "plot_tried",
}
DOCS = Path(__file__).parent.parent / "docs"
GUIDE = r"Read more in the :doc:`[^<>`]+ <(/(?:how-to|background)/[a-z/-]+)>`\."
EXEMPLARY = sorted(set(sc.__all__) - WITHOUT)
MEASURES = [f"measure_{what}" for what in ("links", "tags", "clusters", "topics", "trees")]


def sections(text: str) -> dict[str, dict[str, str]]:
    """{section: {name: what is said of it}}"""
    found: dict[str, dict[str, str]] = {}
    lines = inspect.cleandoc(text).splitlines()
    name = item = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"} and len(below) == len(line):
            name, item = line, ""
            found[name] = {}
        elif name and line and not line.startswith(" ") and set(line) != {"-"}:
            item = line
            found[name][item] = ""
        elif name and item and line.strip():
            found[name][item] += line.strip() + " "
    return found


def names(section: dict[str, str]) -> list[str]:
    return [name for item in section for name in re.split(r"\s*,\s*", item.split(" : ")[0].replace("*", ""))]


@cache
def fitted(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FITTED[name]()


def test_every_estimator_is_here() -> None:
    assert set(FITTED) == {one.name for one in BUILT_IN}


@pytest.mark.parametrize("name", FITTED)
def test_every_parameter(name: str) -> None:
    cls = getattr(sc, name)
    found = sections(cls.__doc__)
    assert names(found["Parameters"]) == list(inspect.signature(cls).parameters)
    for item, said in found["Parameters"].items():
        assert " : " in item and said.endswith(". "), item
        parameter = inspect.signature(cls).parameters[item.split(" : ")[0]]
        usual = parameter.default
        if isinstance(usual, bool | int | float | str) and f"default {usual!r}".replace("'", '"') not in item:
            shown = re.search(r"default (\S+)$", item)
            assert shown and float(shown[1]) == usual, f"{item}: it is {usual!r}"
        elif usual is None:
            assert item.endswith("optional"), item


@pytest.mark.parametrize("name", FITTED)
def test_every_attribute(name: str) -> None:
    model = fitted(name)
    own = {key for key in vars(model) if key.endswith("_") and not key.startswith("_")}
    shown = {key for key in dir(type(model)) if key.endswith("_") and not key.startswith("_")}
    found = sections(type(model).__doc__)["Attributes"]
    assert set(names(found)) - SOMETIMES == (own | shown) - SOMETIMES
    assert all(" : " in item and said.endswith(". ") for item, said in found.items())
    assert len(names(found)) == len(set(names(found)))


@pytest.mark.parametrize("name", FITTED)
def test_every_method_says_what_it_does(name: str) -> None:
    cls = getattr(sc, name)
    ours = [m for m in dir(cls) if not m.startswith("_") and callable(getattr(cls, m)) and not hasattr(object, m)]
    for method in ours:
        function = getattr(cls, method)
        if function.__module__.startswith("softcount"):
            text = inspect.getdoc(function) or ""
            assert text.strip(), f"{name}.{method}"
            said = sections(text)
            if "Parameters" in said:
                known = [p for p in inspect.signature(function).parameters if p != "self"]
                assert names(said["Parameters"]) == known, f"{name}.{method}"


def examples(name: str) -> Iterator[doctest.DocTest]:
    """Those of a public class or function, and of its methods, each once."""
    shown = getattr(sc, name)
    methods = [getattr(shown, m) for m in dir(shown) if not m.startswith("_")] if inspect.isclass(shown) else []
    texts = dict.fromkeys(inspect.getdoc(one) or "" for one in (shown, *filter(callable, methods)))
    for text in texts:
        yield doctest.DocTestParser().get_doctest(text, {}, name, None, 0)


@pytest.mark.parametrize("name", sorted(set(sc.__all__) - {"__version__"}))
def test_every_public_docstring_links_into_the_guide(name: str) -> None:
    """Right after the summary, to a page that exists."""
    paragraphs = (inspect.getdoc(getattr(sc, name)) or "").split("\n\n")
    link = re.fullmatch(GUIDE, paragraphs[1]) if len(paragraphs) > 1 else None
    assert link, f"{name}: write a line such as: Read more in the :doc:`guide to topic models </how-to/topics>`."
    assert (DOCS / f"{link[1][1:]}.md").is_file(), f"{name}: docs{link[1]}.md does not exist"


@pytest.mark.parametrize("name", EXEMPLARY)
def test_an_example_comes_first(name: str) -> None:
    text = inspect.getdoc(getattr(sc, name)) or ""
    assert "\n\n>>> " in text.partition("\nParameters\n")[0]


@pytest.mark.parametrize("name", EXEMPLARY)
def test_every_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if name.startswith("plot"):
        pytest.importorskip("matplotlib").use("Agg")
    runner = doctest.DocTestRunner()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for example in examples(name):
            assert runner.run(example).failed == 0


@pytest.mark.parametrize("name", MEASURES)
def test_measures(name: str) -> None:
    function = getattr(sc.evaluate, name)
    assert names(sections(function.__doc__)["Parameters"]) == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", FITTED)
def test_numpydoc_reads_them(name: str) -> None:
    """Where it is installed: none of its complaints about sections, parameters and their order."""
    validate = pytest.importorskip("numpydoc.validate")
    found = validate.validate(f"softcount.{name}")
    wrong = {"GL06", "GL07", "PR01", "PR02", "PR03", "PR05", "PR07", "PR10", "SS01", "SS02", "SS05"}
    assert [error for error in found["errors"] if error[0] in wrong] == []
