"""Parameters that cannot be meant: refused by name, with what each takes; and text as people have it in tables."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from test_docstrings import FITTED, POINTS, TEXT

import softcount as sc
from softcount import HMM, PLSA, GaussianMixture, InputError, KMeans, NaiveBayesMixture, WordAligner
from softcount.estimators.parameters import in_words

DATA: dict[str, tuple[Any, ...]] = {
    "KMeans": (POINTS,), "GaussianMixture": (POINTS,), "WordAligner": (TEXT, TEXT), "Network": ({"a": list("xyx")},),
    "Grammar": (["a b"],),
}  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {
    "Network": {"structure": "m -> a", "values": {"m": 2}}, "Grammar": {"grammar": "S -> 'a' S | 'b'"},
    "HMM": {"n_states": 2},
}  # fmt: skip


def typed(name: str) -> list[tuple[str, Any]]:
    hints = get_type_hints(getattr(sc, name).__init__)
    return [(p, hints[p]) for p in inspect.signature(getattr(sc, name)).parameters if hints.get(p, Any) is not Any]


@pytest.mark.parametrize("name", FITTED)
def test_every_parameter_says_what_it_takes(name: str) -> None:
    for parameter, hint in typed(name):
        model = getattr(sc, name)(**{**NEEDED.get(name, {}), parameter: Ellipsis})
        with pytest.raises(InputError) as caught:
            model.fit(*DATA.get(name, (TEXT,)))
        assert str(caught.value) == f"{parameter}=Ellipsis: {name} takes {in_words(hint)} for {parameter}"
    assert len(typed(name)) == len(inspect.signature(getattr(sc, name)).parameters)  # none takes anything at all


def test_types_in_words() -> None:
    assert in_words(int | None) == "a whole number or None"
    assert in_words(int | float) == "a number" and in_words(bool) == "True or False"
    assert in_words(float | dict[str, float] | None) == "a number, a mapping or None"


RANGES: list[tuple[Any, str]] = [
    (HMM(0), "n_states is 0; it must be at least 1"),
    (HMM(2, tolerance=-1.0), "tolerance is -1.0; it must be at least 0"),
    (HMM(2, n_jobs=0), "n_jobs is 0; it must be at least 1, or -1 for all cores"),
    (HMM(2, restarts=0), "restarts is 0; it must be at least 1"),
    (HMM(2, decode="best"), "decode='best': unknown; use viterbi, posterior, mre"),
    (PLSA(2, min_df=1.5), "min_df is 1.5; it must be a number of documents, or a share from 0.0 to 1.0"),
    (PLSA(2, max_df=-1), "max_df is -1; it must be a number of documents, or a share from 0.0 to 1.0"),
    (PLSA(2, stop_words="german"), "stop_words='german': invalid; give a list of words, or 'english'"),
    (
        NaiveBayesMixture(2, min_df=100),
        "<memory>: no words remain; lower min_df, raise max_df, or use fewer stop_words",
    ),
]


@pytest.mark.parametrize(("model", "says"), RANGES, ids=[says for _, says in RANGES])
def test_ranges(model: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        model.fit(TEXT)
    assert str(caught.value) == says


def test_numbers_of_numpy_are_numbers() -> None:
    model = HMM(np.int64(2), tolerance=np.float32(0.001), end=np.bool_(False), restarts=np.int32(1)).fit(TEXT)
    assert len(model.states_) == 2 and clone(model).n_states == 2


# --- which words are counted ------------------------------------------------------------------------------------------

DOCS = ["The cat sat", "the dog sat", "a fish", "cat and dog and Fish", "the end"]


@pytest.mark.parametrize(
    "how",
    [{"min_df": 2}, {"max_df": 0.5}, {"min_df": 0.4, "max_df": 3}, {"stop_words": ["the", "a"]},
     {"stop_words": "english"}, {"min_df": 2, "stop_words": ["the"]}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("cls", [PLSA, NaiveBayesMixture, KMeans, GaussianMixture])
@pytest.mark.filterwarnings("ignore:the classes collapse")
def test_the_same_words_as_a_vectoriser_keeps(cls: Any, how: dict[str, Any]) -> None:
    vectoriser = CountVectorizer(token_pattern=r"\S+", **how).fit(DOCS)
    model = cls(2, lowercase=True, random_state=0, **how).fit(DOCS)
    assert sorted(model.vocabulary_.words) == sorted(vectoriser.get_feature_names_out())
    assert model.n_features_in_ == len(model.vocabulary_)
    answers = model.predict(["the zebra sat", ""])  # words that were left out are not there later either
    assert len(answers) == 2


def test_counts_are_not_pruned_but_text_is(tmp_path: Any) -> None:
    table = np.array([[1, 0, 2], [0, 1, 1]])
    assert PLSA(2, min_df=2, random_state=0).fit(table).n_features_in_ == 3
    model = PLSA(2, min_df=2, lowercase=True, stop_words=["the"], random_state=0).fit(DOCS)
    model.save(tmp_path / "m")
    again = sc.load(tmp_path / "m")
    assert again.min_df == 2 and list(again.stop_words) == ["the"] and again.reading_["min_df"] == 2
    assert np.array_equal(again.transform(DOCS), model.transform(DOCS))


def test_names_of_a_vectoriser_and_of_a_pipeline() -> None:
    counter = CountVectorizer(token_pattern=r"\S+")
    pipe = make_pipeline(counter, PLSA(2, random_state=0)).fit(DOCS)
    model = pipe[-1]
    by_names = model.top_words(3, words=counter.get_feature_names_out())
    assert model.top_words(3, words=counter) == model.top_words(3, words=pipe) == by_names
    assert isinstance(by_names[0][0][0], str)
    with pytest.raises(InputError, match=r"2 names for 8 columns"):
        model.top_words(3, words=["a", "b"])
    mixture = NaiveBayesMixture(2, random_state=0).fit(counter.transform(DOCS))
    assert mixture.top_words(2, words=make_pipeline(counter)).keys() == {0, 1}
    assert pipe.get_feature_names_out().tolist() == ["plsa0", "plsa1"]
    tfidf = make_pipeline(TfidfVectorizer(), KMeans(2, random_state=0)).fit(DOCS)
    assert tfidf.get_feature_names_out().tolist() == ["kmeans0", "kmeans1"]


# --- columns of data frames -------------------------------------------------------------------------------------------

COLUMNS: dict[str, Any] = {
    "pandas": pd.Series, "pandas strings": lambda rows: pd.Series(rows, dtype="string"), "polars": pl.Series,
    "pyarrow": pa.array, "generator": iter,
}  # fmt: skip
TAKERS: dict[str, Any] = {
    "HMM": lambda x: HMM(2, random_state=0).fit(x), "PLSA": lambda x: PLSA(2, random_state=0).fit(x),
    "NaiveBayesMixture": lambda x: NaiveBayesMixture(2, random_state=1, criterion="em:2").fit(x),
    "KMeans": lambda x: KMeans(2, random_state=0).fit(x), "WordClasses": lambda x: sc.WordClasses(2).fit(x),
    "Grammar": lambda x: sc.Grammar("S -> W S | W\nW -> 'a' | 'b' | 'c' | 'd'", random_state=0).fit(x),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.filterwarnings("ignore:the classes collapse")
def test_columns(name: str, column: str) -> None:
    make = COLUMNS[column]
    one, two = TAKERS[name](TEXT), TAKERS[name](make(TEXT))
    assert one.signature_ == two.signature_
    if column != "generator":
        with pytest.raises(InputError, match="row 3: None instead of a text; fill it with '' or remove the row"):
            TAKERS[name](make([*TEXT[:2], None, *TEXT[3:]]))


def test_columns_of_pairs() -> None:
    frame = pd.DataFrame({"en": ["the house", "a house"], "de": ["das haus", "ein haus"]})
    model = WordAligner().fit(frame["en"], frame["de"])
    assert model.signature_ == WordAligner().fit(frame["en"].tolist(), frame["de"].tolist()).signature_
    frame.loc[1, "de"] = None
    with pytest.raises(InputError, match="row 2: None instead of a text"):
        WordAligner().fit(frame["en"], frame["de"])


# --- what scikit-learn takes them for ---------------------------------------------------------------------------------


def test_kinds_of_estimators() -> None:
    assert is_clusterer(KMeans(2)) and is_classifier(NaiveBayesMixture(2))
    assert not is_classifier(PLSA(2)) and not is_classifier(HMM(2))


@pytest.mark.filterwarnings("ignore:the classes collapse")
def test_a_search_over_a_classifier_keeps_classes_in_every_fold() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.poisson(rates, (30, 4)) for rates in ([5, 1, 1, 1], [1, 1, 5, 5])])
    y = np.repeat(["x", "y"], 30)
    search = GridSearchCV(NaiveBayesMixture(), {"pseudo": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
