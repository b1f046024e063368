"""Word classes: J by its definition, over all class maps of tiny texts; moves, passes, what is known, odd texts."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_store import forged
from threadpoolctl import threadpool_limits

import softcount
from softcount import InputError, WordClasses
from softcount.estimators import word_exchange
from softcount.estimators.class_start import expected_tables, lent
from softcount.estimators.weighted_kmeans import nearest_wards
from softcount.estimators.weighted_ward import weighted_ward
from softcount.estimators.word_vectors import told_by
from softcount.models.hmm import HMMTables
from softcount.models.word_classes import NOBODY, word_types
from softcount.models.word_classes import WordClasses as Model
from softcount.models.word_classes_kernel import Weights
from softcount.models.word_frames import WordFrames
from softcount.numbers.ragged import from_rows
from softcount.text.word_form import word_form, word_forms

WORDS = ["dogs", "Cats", "42", "-", "runs"]
TEXT = [
    "the dog sees the cat .", "the cat hears a dog .", "", "A bird sings .", "the bird sees 3 cats , 24 dogs .",
    "dogs hear birds .", "NASA sees the dogs .", "He sings well-known songs .", "he hears him .", "The cat sings .",
]  # fmt: skip


def naive(sentences, words, classes, weights):
    """J of neighbours, term by term."""
    pairs, tokens = Counter(), Counter()
    for sentence in sentences:
        if sentence:
            run = ["edge", *(classes[w] for w in sentence), "edge"]
            pairs.update(itertools.pairwise(run))
            tokens.update(classes[w] for w in sentence)
    J = sum(n * math.log(n) for n in pairs.values()) - 2 * sum(n * math.log(n) for n in tokens.values())
    return J + naive_forms(words, classes, weights)


def naive_framed(sentences, words, classes, model, seen):
    """J of frames, which are those of the class map `seen`."""
    frames, before, after = [], Counter(), Counter()
    for sentence in sentences:
        run = ["edge", *(seen[w] for w in sentence), "edge"]
        for i, w in enumerate(sentence):
            frames.append(((run[i], run[i + 2]), w))
            before[run[i]] += 1
            after[run[i + 2]] += 1
    J, a = 0.0, model.concentration
    for k in set(classes):
        mine = Counter(frame for frame, w in frames if classes[w] == k)
        for (left, right), n in mine.items():
            pseudo = a * before[left] * after[right] / len(frames) ** 2
            J += math.lgamma(n + pseudo) - math.lgamma(pseudo)
        J -= math.lgamma(sum(mine.values()) + a) - math.lgamma(a)
    return J + naive_forms(words, classes, model.weights)


def naive_forms(words, classes, weights, shares=None):
    """The part of J that λ weighs; `shares[t][v]` are the shares of values among the words, unless they are given."""
    morphology, a = 0.0, weights.concentration
    features = list(zip(*words, strict=True))
    shares = shares or [{v: n / len(words) for v, n in Counter(column).items()} for column in features]
    for k in set(classes):
        members = [w for w, c in enumerate(classes) if c == k]
        morphology += weights.crowding * math.lgamma(len(members) + 1)
        for column, p in zip(features, shares, strict=True):
            for v, m in Counter(column[w] for w in members).items():
                morphology += math.lgamma(m + a * p[v]) - math.lgamma(a * p[v])
            morphology -= math.lgamma(len(members) + a) - math.lgamma(a)
    return weights.morphology * morphology


def values(forms):
    """The features of every word, as names; a value of one word is nobody's in particular."""
    return [tuple(forms.names[t][v] for t, v in enumerate(row)) for row in forms.values]


@st.composite
def tiny(draw):
    n_words, K = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    sentences = draw(st.lists(st.lists(st.integers(0, n_words - 1), max_size=6), min_size=1, max_size=4))
    sentences = [*sentences, list(range(n_words))]
    weights = Weights(draw(st.sampled_from([0.0, 0.5, 2.0])), draw(st.sampled_from([0.0, 4.0])), 1.5)
    forms = word_forms(WORDS[:n_words])
    allowed = NOBODY
    if draw(st.booleans()):
        rows = st.lists(st.booleans(), min_size=K, max_size=K).filter(any)
        allowed = np.array(draw(st.lists(rows, min_size=n_words, max_size=n_words)))
    text = word_types(from_rows(sentences, np.int32), forms, allowed)
    return sentences, forms, text, Model(K, weights)


def maps(text, model):
    V = len(text.tokens)
    free = text.allowed if len(text.allowed) else np.ones((V, model.n_classes), bool)
    return [np.array(c) for c in itertools.product(*(np.flatnonzero(row).tolist() for row in free))]


def moved_to(classes, w, k):
    other = classes.copy()
    other[w] = k
    return other


@pytest.mark.kernels
@given(tiny())
def test_objective_is_its_definition_on_all_class_maps(case):
    sentences, forms, text, model = case
    for classes in maps(text, model):
        expected = naive(sentences, values(forms), classes.tolist(), model.weights)
        assert model.objective(text, model.counts(text, classes)) == pytest.approx(expected, rel=1e-12, abs=1e-9)


@pytest.mark.kernels
@given(tiny())
def test_every_move_is_the_best_and_worth_what_it_says(case):
    sentences, forms, text, model = case

    def J(classes):
        return naive(sentences, values(forms), classes.tolist(), model.weights)

    allowed = maps(text, model)
    for classes in [c.copy() for c in allowed[:: max(1, len(allowed) // 12)]]:
        count = model.counts(text, classes)
        for w in range(len(classes)):
            choices = {k: J(moved_to(classes, w, k)) for k in {int(c[w]) for c in allowed}}
            before, old = J(classes), classes[w]
            moved, rise, sure = model.exchange(text, classes, count, order=np.array([w]))
            assert J(classes) - before == pytest.approx(rise, abs=1e-9)
            assert moved == (classes[w] != old) and (rise > 0.0) == bool(moved)
            alone = (np.delete(classes, w) != old).all()
            best = before if alone else max(choices.values())
            assert J(classes) == pytest.approx(best, abs=2e-6)
            share = 1.0 / sum(math.exp(value - J(classes)) for value in choices.values())
            assert sure[w] == pytest.approx(share, rel=1e-6)
            for kept, fresh in zip(count, model.counts(text, classes), strict=True):
                assert (kept == fresh).all()


@pytest.mark.kernels
@given(tiny())
def test_passes_end_where_no_move_helps_and_never_above_the_best_map(case):
    sentences, forms, text, model = case
    allowed = maps(text, model)
    everything = {tuple(c): naive(sentences, values(forms), c.tolist(), model.weights) for c in allowed}
    classes = allowed[0].copy()
    count = model.counts(text, classes)
    objectives = [everything[tuple(classes)]]
    while model.exchange(text, classes, count)[0]:
        objectives.append(everything[tuple(classes)])
        assert len(objectives) <= len(allowed)
    assert all(b > a for a, b in itertools.pairwise(objectives))
    near = [m for m in everything if (np.array(m) != classes).sum() <= 1 and set(m) >= set(classes.tolist())]
    best = max(everything[m] for m in near)
    assert best <= objectives[-1] + 2e-6 and objectives[-1] <= max(everything.values()) + 1e-9


@pytest.mark.kernels
@given(tiny(), st.integers(0, 10**6))
def test_frames_by_definition_and_every_move_among_them(case, which):
    sentences, forms, text, classes_of = case
    model = WordFrames(classes_of.n_classes, classes_of.weights, 2.5)
    everything = maps(text, model)
    seen = everything[which % len(everything)]
    frames = model.frames(from_rows(sentences, np.int32), seen)

    def J(classes):
        return naive_framed(sentences, values(forms), classes.tolist(), model, seen.tolist())

    for start in everything[:: max(1, len(everything) // 6)]:
        classes = start.copy()
        count = model.counts(frames, text, classes)
        for w in range(len(classes)):
            expected, before, old = J(classes), J(classes), classes[w]
            assert model.objective(frames, text, count) == pytest.approx(expected, rel=1e-12, abs=1e-9)
            choices = [J(moved_to(classes, w, k)) for k in {int(c[w]) for c in everything}]
            moved, rise, sure = model.exchange(frames, text, classes, count, order=np.array([w]))
            assert J(classes) - before == pytest.approx(rise, abs=1e-9)
            assert moved == (classes[w] != old) and (rise > 0.0) == bool(moved)
            alone = (np.delete(classes, w) != old).all()
            assert J(classes) == pytest.approx(before if alone else max(choices), abs=2e-6)
            assert sure[w] == pytest.approx(1.0 / sum(math.exp(c - J(classes)) for c in choices), rel=1e-6)
            for kept, fresh in zip(count, model.counts(frames, text, classes), strict=True):
                assert (kept == fresh).all()


@pytest.mark.kernels
def test_words_in_classes_of_their_own_may_be_found_from_any_start():
    """One global optimum that brute force knows, reached by exchange from every map."""
    sentences = [[0, 1], [0, 1], [0, 1], [2, 1], [2, 1]]
    text = word_types(from_rows(sentences, np.int32), word_forms(["ab", "xy", "ab2"]))
    model = Model(2, Weights(0.0, 0.0, 1.0))
    for classes in maps(text, model):
        count = model.counts(text, classes)
        while model.exchange(text, classes, count)[0]:
            pass
        assert classes[0] == classes[2] != classes[1]


@pytest.mark.kernels
def test_unseen_words_get_what_a_word_without_tokens_would():
    words = ["walked", "talked", "Paris", "London", "walking", "talking"]
    forms = word_forms(words)
    text = word_types(from_rows([[0, 2, 4], [1, 3, 5]], np.int32), forms)
    model, classes = Model(3, Weights(0.5, 4.0, 1.0)), np.array([0, 0, 1, 1, 2, 2])
    count = model.counts(text, classes)
    new = forms.values[[0]] + np.concatenate([[0], np.cumsum(forms.sizes)[:-1]])
    found = model.of_forms(new, text.shares, count.types, count.values)[0]
    rows = values(forms)
    shares = [{v: n / len(rows) for v, n in Counter(column).items()} for column in zip(*rows, strict=True)]
    logs = [naive_forms([*rows, rows[0]], [*classes.tolist(), k], model.weights, shares) for k in range(3)]
    expected = np.exp(np.array(logs) - max(logs))
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-9)


def test_forms_of_words():
    assert word_form("Wall-Street") == ("t", "et", "eet", "initial capital", "hyphen")
    assert word_form("the") == ("e", "he", "^the", "lower", "none")
    assert word_form("I") == ("^i", "^i", "^i", "one capital", "none")
    assert word_form("NASA")[3] == "all capitals" and word_form("iPhone")[3] == "lower"
    assert word_form("1,000") == ("#", "#", "#", "digits", "none")
    assert word_form("4th")[:4] == ("#", "#", "#", "some digit")
    assert word_form("--") == ("#", "#", "#", "no letter", "hyphen")
    assert word_form("Walking", backwards=True) == ("w", "aw", "law", "initial capital", "none")
    assert word_form("猫")[3] == word_form("")[3].replace("no letter", "lower")


# --- the estimator ----------------------------------------------------------------------------------------------------


def same(a, b):
    return all((getattr(a, name) == getattr(b, name)).all() for name in ("word_class_", "confidence_", "count_"))


def test_the_same_bits_twice_under_more_threads_and_after_the_disk(tmp_path):
    first = WordClasses(5, random_state=3).fit(TEXT)
    with threadpool_limits(2):
        assert same(first, WordClasses(5, random_state=3, n_jobs=3).fit(TEXT))
    first.save(tmp_path / "m")
    loaded = softcount.load(tmp_path / "m")
    assert same(first, loaded) and loaded.get_params() == first.get_params()
    assert loaded.predict(TEXT) == first.predict(TEXT) and loaded.words() == first.words() == first.words(TEXT)
    assert loaded.predict(["a Strange word"]) == first.predict(["a Strange word"])
    assert loaded.history_ == first.history_ and loaded.signature_ == first.signature_
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_the_objective_of_the_trace_never_falls():
    model = WordClasses(4, criterion="exchange:20", tolerance=0).fit(TEXT)
    objectives = [*model.history_.objectives, model.objective_]
    assert all(b >= a - 1e-9 * abs(a) for a, b in itertools.pairwise(objectives))
    assert model.history_.stopped.text == "converged: no word moves any more" and not model.history_[-1].parts["moved"]


def test_frames_rise_within_a_pass_and_are_left_out_where_they_do_not_fit(monkeypatch):
    model = WordClasses(4, criterion="exchange,frames:5").fit(TEXT)
    assert [step.stage for step in model.history_][-1] == "frames:5"
    assert all((step.parts["rise"] > 0) == (step.parts["moved"] > 0) for step in model.history_)
    monkeypatch.setattr(word_exchange, "MOST_CELLS", 10)
    plain = WordClasses(4, criterion="exchange,frames:5").fit(TEXT)
    assert plain.history_.remarks == ("4 classes are too many for context frames; only single neighbors are used",)
    assert same(plain, WordClasses(4, criterion="exchange").fit(TEXT))


def test_classes_are_numbered_by_frequency_at_the_start_and_words_listed_by_class():
    model = WordClasses(4, criterion="exchange:0").fit(TEXT)
    listed = model.words()
    tokens = Counter()
    for word in listed:
        tokens[word.label] += word.frequency
    assert sum(tokens.values()) == sum(len(line.split()) for line in TEXT)
    assert [word.label for word in listed] == sorted(word.label for word in listed)
    assert all(0.0 < word.confidence <= 1.0 for word in listed)
    assert {label: [w for w, _ in words] for label, words in model.top_words(2).items()} == {
        label: [word.word for word in listed if word.label == label][:2]
        for label in dict.fromkeys(w.label for w in listed)
    }


def test_a_capital_at_the_beginning_says_nothing():
    model = WordClasses(6).fit(TEXT)
    of = {word.word: word.label for word in model.words()}
    assert of["The"] == of["the"] and of["He"] == of["he"]
    assert model.predict(["The cat", "the cat"])[0] == model.predict(["the cat"])[0]
    assert model.predict(["Hear dogs"])[0][0] == of["hear"]  # not known with a capital
    kept = WordClasses(dictionary={"The": ["X"], "the": ["Y"]}).fit(TEXT)
    assert kept.predict(["The cat ."])[0][0] == "X" and kept.predict(["the cat ."])[0][0] == "Y"


@pytest.mark.parametrize(
    "text",
    [
        ["word"],
        ["word word word"],
        ["", "a", ""],
        ["1 2 3", "4"],
        ["NASA IBM", "USA"],
        [". , --", "!"],
        ["猫 が", "犬 が"],
    ],
)
@pytest.mark.parametrize("n_classes", [1, 2, 45])
def test_odd_texts(tmp_path, text, n_classes):
    model = WordClasses(n_classes).fit(text)
    found = model.predict(text)
    assert [len(row) for row in found] == [len(line.split()) for line in text]
    assert all(0 <= k < n_classes for row in found for k in row)
    assert all(0.0 < word.confidence <= 1.0 for word in model.words())
    assert math.isfinite(model.objective_)
    strange = model.predict(["Unseen 77 % x-Y", ""])
    assert all(0 <= k < n_classes for row in strange for k in row) and strange[1] == []
    model.save(tmp_path / "m")
    assert softcount.load(tmp_path / "m").predict(text) == found


def test_a_dictionary_restricts_and_tags_decide():
    given = {"dog": ["N"], "cat": ["N"], "sees": ["V", "N"], "the": ["D"], "nothing": ["Q"]}
    for seed in range(5):
        model = WordClasses(7, dictionary=given, random_state=seed).fit(TEXT)
        assert model.classes_ == ("N", "V", "D", "Q", "4", "5", "6")
        of = {word.word: word.label for word in model.words()}
        assert of["dog"] == of["cat"] == "N" and of["the"] == "D" and of["sees"] in "VN"
        assert all(word.confidence == 1.0 for word in model.words() if word.word in ("dog", "the"))
    tags = [[None] * len(line.split()) for line in TEXT]
    tags[0] = ["D", "N", "V", "D", "N", "."]
    model = WordClasses(dictionary=given, random_state=1).fit(TEXT, tags)
    of = {word.word: word.label for word in model.words()}
    assert of["sees"] == "V" and of["."] == "." and set(model.classes_) == {"N", "V", "D", "Q", "."}
    known = softcount.corpus(["the dog ."], labels=[["N", None, "no such"]])
    assert model.predict(known) == [["N", "N", "."]]


def test_words_beside_what_is_known_join_it():
    text = ["the dog sees the cat"] * 9 + ["the horse sees the cow", "a dog hears a cow", "a horse sees the dog"]
    model = WordClasses(dictionary={"dog": ["N"], "cat": ["N"], "the": ["D"], "sees": ["V"]}).fit(text)
    of = {word.word: word.label for word in model.words()}
    assert (of["horse"], of["cow"], of["a"], of["hears"]) == ("N", "N", "D", "V")


@pytest.mark.parametrize(
    ("settings", "text", "tags", "says"),
    [
        ({"n_classes": 0}, TEXT, None, "n_classes is 0; it must be at least 1"),
        (
            {"criterion": "em:5"},
            TEXT,
            None,
            "criterion 'em:5': not available for word classes; use exchange and frames",
        ),
        (
            {"criterion": "frames:-1"},
            TEXT,
            None,
            "criterion 'frames:-1': the number of passes must be a number, not '-1'",
        ),
        ({"criterion": "exchange:1,,"}, TEXT, None, "criterion '': not available for word classes"),
        ({"criterion": "exchange:9999999999"}, TEXT, None, "the number of passes must be a number, not"),
        ({"tolerance": -1.0}, TEXT, None, "it must be at least 0"),
        ({"engine": "moon"}, TEXT, None, ": unknown"),
        ({"morphology": float("nan")}, TEXT, None, "it must be at least 0"),
        ({}, ["", ""], None, "give at least one"),
        ({"n_classes": 1, "dictionary": {"a": ["X", "Y"]}}, TEXT, None, "1 classes, but 2 are named"),
        (
            {"dictionary": {"dog": ["N"]}},
            ["dog"],
            [["V"]],
            ": 'dog' has the tag 'V', which the dictionary does not allow",
        ),
        ({"n_classes": 10**7}, TEXT, None, "10,000,000 classes need"),
    ],
)
def test_bad_settings(settings, text, tags, says):
    with pytest.raises(InputError, match=says):
        WordClasses(**settings).fit(text, tags)


def test_not_trained_yet():
    with pytest.raises(Exception, match="not trained yet; call fit first"):
        WordClasses(3).predict(TEXT)


def test_corpora_with_unknown_words_and_unused_vocabularies():
    data = softcount.corpus(TEXT)
    part = data.slice(0, 2)  # whose vocabulary has more words than the text
    assert {w.word for w in WordClasses(3).fit(part).words()} == set(" ".join(TEXT[:2]).split())
    read = softcount.corpus(["the strange dog"], softcount.corpus(["the dog"]).vocabulary)
    model = WordClasses(2).fit(read)
    assert [w.word for w in sorted(model.words())] == ["<unk>", "dog", "the"] and len(model.predict(read)[0]) == 3


@pytest.mark.parametrize(
    "name", ["word_class_", "confidence_", "count_", "stands_for_", "forms_", "classes_", "vocabulary_"]
)
def test_tables_that_do_not_fit_together_are_refused(tmp_path, name):
    WordClasses(3).fit(TEXT).save(tmp_path / "m")
    forged(tmp_path / "m", lambda header, about: about["body"]["learned"].update({name: 5}))
    with pytest.raises(InputError, match="do not fit together"):
        softcount.load(tmp_path / "m")


def test_numbers_of_nothing_are_refused(tmp_path):
    for change in ("word_class_", "stands_for_"):
        model = WordClasses(3).fit(TEXT)
        getattr(model, change)[0] = 10_000
        model.save(tmp_path / "m")
        with pytest.raises(InputError, match="do not fit together"):
            softcount.load(tmp_path / "m")


# --- where the classes start ------------------------------------------------------------------------------------------


def joined_by_hand(points, weights, n_clusters):
    """Ward's clusters by what the definition costs."""
    clusters = [[i] for i in range(len(points))]

    def spread(members):
        mean = np.average(points[members], axis=0, weights=weights[members])
        return (weights[members] * ((points[members] - mean) ** 2).sum(axis=1)).sum()

    def cost(pair):
        a, b = (clusters[i] for i in pair)
        return spread(a + b) - spread(a) - spread(b)

    while len(clusters) > n_clusters:
        a, b = min(itertools.combinations(range(len(clusters)), 2), key=cost)
        clusters[a] += clusters.pop(b)
    return {frozenset(members) for members in clusters}


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 5))
def test_ward_joins_what_costs_least(seed, n, n_clusters):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(n, 3)), rng.uniform(0.1, 5.0, n)
    found = weighted_ward(points, weights, n_clusters)
    assert set(found) == set(range(min(n, n_clusters)))
    groups = {frozenset(np.flatnonzero(found == k).tolist()) for k in set(found)}
    assert groups == joined_by_hand(points, weights, n_clusters)


def test_ward_starts_where_it_is_allowed_to():
    points = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    allowed = np.ones((5, 3), bool)
    allowed[2] = [False, True, False]
    found = nearest_wards(points, np.ones(5), 3, allowed)
    assert found[2] == found[3] == 1 and found[0] == found[1] != found[4] and set(found) == {0, 1, 2}
    allowed[:] = [True, False, False]
    assert (nearest_wards(points, np.ones(5), 3, allowed) == 0).all(), "of two nothing is known"
    assert set(nearest_wards(points, np.ones(5), 45)) <= set(range(45)), "fewer points than clusters"


def test_what_the_others_of_a_group_tell():
    rng = np.random.default_rng(0)
    context, tokens, groups = rng.normal(size=(7, 3)), np.array([9, 4, 1, 1, 25, 2, 3]), np.array([0, 0, 0, 1, 1, 2, 0])
    unit = context / np.linalg.norm(context, axis=1, keepdims=True)
    unit -= np.average(unit, axis=0, weights=np.sqrt(tokens))
    left = whole = 0.0
    for v, n in enumerate(np.sqrt(tokens)):
        others = [u for u in range(7) if groups[u] == groups[v] and u != v]
        mean = sum((np.sqrt(tokens[u]) * unit[u] for u in others), np.zeros(3))
        mean = mean / (sum(np.sqrt(tokens[u]) for u in others) + 5.0)
        left, whole = left + n * ((unit[v] - mean) ** 2).sum(), whole + n * (unit[v] ** 2).sum()
    assert told_by(groups, context, tokens) == pytest.approx(1.0 - left / whole, rel=1e-12)


def test_words_that_begin_alike_are_looked_at_from_their_beginning():
    rng = np.random.default_rng(1)
    stems = ["".join(rng.choice(list("bcdfghklm"), 4)) for _ in range(60)]
    text = [f"the {a}ing saw a {b}ity {c}ed" for a, b, c in rng.choice(stems, (400, 3))]
    ends, begins = WordClasses(5).fit(text), WordClasses(5).fit([line[::-1] for line in text])
    assert not ends.forms_.backwards and begins.forms_.backwards
    assert len(set(ends.class_of(["zoing", "zuing"]))) == 1 != len(set(ends.class_of(["zoing", "zoed"])))
    assert len(set(begins.class_of(["gnioz", "gniuz"]))) == 1 != len(set(begins.class_of(["gnioz", "deoz"])))


def test_the_seed_is_for_the_start_by_chance_alone():
    assert same(WordClasses(4, random_state=0).fit(TEXT), WordClasses(4, random_state=7).fit(TEXT))
    drawn = [WordClasses(4, start="k-means++", random_state=seed).fit(TEXT) for seed in range(6)]
    assert same(drawn[0], WordClasses(4, start="k-means++", random_state=0).fit(TEXT))
    assert not all(same(drawn[0], other) for other in drawn)


class Enough(Exception):
    pass


def stop_after(n):
    def watch(step):
        nonlocal n
        n -= 1
        if not n:
            raise Enough

    return watch


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_a_checkpoint_goes_on_to_the_same_bits(tmp_path, after):
    model = WordClasses(4, criterion="exchange:2,frames:3", tolerance=0.0)
    whole = WordClasses(**model.get_params()).fit(TEXT)
    with contextlib.suppress(Enough):
        model.fit(TEXT, checkpoint=tmp_path / "c", checkpoint_every=1, on_step=stop_after(after))
    seen = []
    model.fit(TEXT, checkpoint=tmp_path / "c", checkpoint_every=1, on_step=seen.append)
    assert same(model, whole) and model.objective_ == whole.objective_
    assert [s[:5] for s in model.history_] == [s[:5] for s in whole.history_]
    assert len(seen) == len(whole.history_) - after + 1, "the pass that was disturbed is done again"
    assert model.history_.stopped == whole.history_.stopped
    again = WordClasses(**model.get_params()).fit(TEXT, checkpoint=tmp_path / "c", on_step=pytest.fail)
    assert same(again, whole)
    with pytest.raises(InputError, match="use another checkpoint file, or delete this one to start again"):
        model.set_params(morphology=0.7).fit(TEXT, checkpoint=tmp_path / "c")


# --- where a tagger starts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [False, True])
def test_expected_tables_are_expected_counts(end):
    data = softcount.corpus(["a b a", "", "b c"], labels=[[None, "X", None], [], [None, "Y"]])
    shares = np.random.default_rng(0).dirichlet([1.0, 1.0], 3)
    known = {(0, 1): [1.0, 0.0], (2, 1): [0.0, 1.0]}

    def q(i, j):
        return np.array(known.get((i, j), shares[data.sentences.row(i)[j]]))

    initial, onward, emission = np.zeros(2), np.zeros((2, 2 + end)), np.zeros((2, 3))
    for i in range(3):
        row = data.sentences.row(i)
        for j, v in enumerate(row):
            emission[:, v] += q(i, j)
            if j:
                onward[:, :2] += np.outer(q(i, j - 1), q(i, j))
        if len(row):
            initial += q(i, 0)
            if end:
                onward[:, 2] += q(i, len(row) - 1)
    rng = np.random.default_rng(1)
    spread = HMMTables(*(rng.dirichlet([1.0] * n, rows) for rows, n in (((), 2), (2, 2 + end), (2, 3))))
    tables = zip(expected_tables(data, shares, spread), (initial, onward, emission), spread, strict=True)
    for found, counts, share in tables:
        smoothed = counts + 0.1 * share
        np.testing.assert_allclose(found, smoothed / smoothed.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_told_words_lend_their_tags_by_class_ending_and_shape():
    words = ["walked", "talked", "Paris", "London", "Rome", "zz"]
    told = np.zeros((6, 2))
    told[0], told[2] = [3.0, 0.0], [0.0, 2.0]
    shares = lent(told, word_forms(words), np.array([0, 0, 1, 1, 1, 2]))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert shares[1, 0] > 0.8 and (shares[3:5, 1] > 0.8).all()
    assert shares[0, 0] > 0.8 and 0.1 < shares[5, 0] < 0.95


def test_the_hidden_markov_model_starts_with_the_classes():
    text = ["the dog sees the cat"] * 9 + ["the horse sees the cow", "a dog hears a cow", "a horse sees the dog"]
    for start in (None, "auto", "classes"):
        model = softcount.HMM(3, start=start, random_state=0).fit(text)
        assert "start=classes" in model.signature_ and "criterion=vb:1" in model.signature_
    found = WordClasses(3, random_state=0).fit(text)
    assert model.predict(text[:1]) == found.predict(text[:1])
    for start, usual in (("classes", "mre:1"), ("random", "vb:1"), (None, "mre:1")):
        model = softcount.HMM(3, start=start, features="words", random_state=0).fit(text)
        assert f"criterion={usual} " in model.signature_ and model.criterion is None
    named = softcount.HMM(dictionary={"dog": ["N"], "cat": ["N"], "the": ["D"], "sees": ["V"]}, random_state=0).fit(
        text
    )
    assert named.predict(["a horse hears the cow"]) == [["D", "N", "V", "D", "N"]]
    tags = [["D", "N", "V", "D", "N"], *[[None] * 5] * 11]
    assert softcount.HMM(random_state=0).fit(text, tags).predict(text[-1:]) == [["D", "N", "V", "D", "N"]]
    more = softcount.HMM(5, dictionary={"dog": ["N"], "the": ["D"]}, random_state=0).fit(text)
    assert more.states_ == ("N", "D", "2", "3", "4") and more.predict(["the dog"]) == [["D", "N"]]
