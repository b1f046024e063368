"""Stems of words, of every kind: what they are, that they nest, and what models make of them, saved or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import softcount
from softcount import InputError, WordAligner
from softcount.estimators.agreed_tables import from_body, to_body
from softcount.text.given_classes import read_classes
from softcount.text.letter_classes import LETTERS, lead_words, led_by
from softcount.text.stems import check_classes, class_numbers, learn_classes, numbered, parse_stems
from softcount.text.word_endings import LEAST, LONGEST, cut_words

ROOTS = ["walk", "talk", "jump", "play", "look", "turn", "help", "paint"]
FORMS = [root + ending for root in ROOTS for ending in ("", "s", "ed", "ing")]
OTHERS = ["the", "of", "1999", "1998", ",", "moon", "a", "x" * 40]
WORDS = FORMS + OTHERS


# --- words without their endings ----------------------------------------------------------------------------------


def test_endings_are_found_in_words_alone():
    cuts = dict(zip(WORDS, cut_words(WORDS).tolist(), strict=True))
    assert all(cuts[root + ending] == len(root) for root in ROOTS for ending in ("", "s", "ed", "ing"))
    assert all(cuts[word] == len(word) for word in ("the", "of", "1999", "1998", ",", "a"))


@given(st.lists(st.text("abcdefgé1-", min_size=1, max_size=9), unique=True, max_size=30))
def test_cuts_are_within_words(words):
    cuts = cut_words(words)
    assert len(cuts) == len(words)
    for word, cut in zip(words, cuts.tolist(), strict=True):
        assert max(min(LEAST, len(word)), len(word) - LONGEST) <= cut <= len(word)
        assert cut == len(word) or (word[cut:].isalpha() and word[0].isalpha())


def brute_cuts(words, steps):
    """The same mean field with dictionaries, a cut at a time."""
    letters = len(set("".join(words))) + 1
    cuts = {}
    for w in words:
        first = max(min(LEAST, len(w)), len(w) - LONGEST)
        while not w[first:].isalpha() and first < len(w):
            first += 1
        cuts[w] = range(first if w[0].isalpha() else len(w), len(w) + 1)
    share = {(w, c): 1 / len(cuts[w]) for w in words for c in cuts[w]}
    for _ in range(steps):
        weight = {}
        for w, c in share:
            stem = sum(p for (v, d), p in share.items() if v[:d] == w[:c] and v != w)
            ending = sum(p for (v, d), p in share.items() if v[d:] == w[c:] and v != w)
            stem += 0.1 * (0.9 / letters) ** c
            ending += 0.5 * (0.5 / letters) ** (len(w) - c)
            weight[w, c] = stem * ending
        share = {(w, c): weight[w, c] / sum(weight[w, d] for d in cuts[w]) for w, c in weight}
    return share


@given(st.lists(st.sampled_from(WORDS[:-1]), unique=True, min_size=1, max_size=12))
def test_cuts_are_the_likeliest_by_mean_field(words):
    share = brute_cuts(words, 10)
    for word, cut in zip(words, cut_words(words).tolist(), strict=True):
        assert share[word, cut] >= (1 - 1e-6) * max(p for (w, _), p in share.items() if w == word)


# --- pieces of letters --------------------------------------------------------------------------------------------


def dice(v, w):
    one, two = ({f"^{x}$"[k : k + 3] for k in range(len(x))} for x in (v, w))
    return 2 * len(one & two) / (len(one) + len(two))


def brute_leaders(words, frequencies, thresholds):
    """By the definition, with strings."""
    led, weights, rows = list(words), dict(zip(words, frequencies, strict=True)), []
    for threshold in thresholds:
        leaders, of = [], {}
        for w in sorted(set(led), key=lambda w: (-weights[w], words.index(w))):
            able = [v for v in leaders if min(len(v), len(w)) >= LETTERS and v[0].isalpha() and w[0].isalpha()]
            best = max(able, key=lambda v: (dice(v, w), -words.index(v)), default=None)
            of[w] = best if best is not None and dice(best, w) >= threshold else w
            leaders += [w] if of[w] == w else []
        led = [of[w] for w in led]
        weights = {v: sum(f for f, x in zip(frequencies, led, strict=True) if x == v) for v in words}
        rows.append(led)
    return list(zip(*rows, strict=True))


@given(st.lists(st.sampled_from(WORDS), unique=True, min_size=1, max_size=25), st.integers(0, 10**6))
def test_leaders_are_the_definition(words, seed):
    frequencies = np.random.default_rng(seed).integers(1, 6, len(words)).astype(float)
    found = lead_words(words, frequencies, (0.5, 0.35))
    expected = brute_leaders(words, frequencies.tolist(), (0.5, 0.35))
    assert [tuple(words[k] for k in row) for row in found.tolist()] == expected


def test_changes_at_the_front_are_seen_too():
    words = ["wandern", "gewandert", "wanderte", "haus"]
    assert lead_words(words, np.array([9.0, 3.0, 2.0, 5.0]), (0.35,))[:, 0].tolist() == [0, 0, 0, 3]
    assert led_by(["erwandert", "mond", "1999"], words, 0.35).tolist() == [1, -1, -1]


# --- classes that are given ---------------------------------------------------------------------------------------

GOOD = "walked\twalk\tmove\nwalks\twalk\tmove\nran\trun\tmove\n\nhouse\thouse\tthing\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("walks\n", 1, "no class; write word<TAB>class"),
        ("walks\twalk\n\nran\t\n", 3, "an empty column"),
        ("walks\twalk\tmove\nran\trun\n", 2, ": 1 classes, but previous lines have"),
        ("walks\twalk\nran\trun\nwalks\tgo\n", 3, "has other classes on line 1"),
        ("walks\twalk\tmove\nwalked\twalk\tgo\n", 2, "class 'walk' is in 'go' here and in 'move' on line 1"),
        ("word\tcount\nwalks\t3\n", 1, "no column name begins with class"),
        ("word\tclass\tcount\nwalks\n", 2, "no class"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text, line, what, tmp_path):
    path = tmp_path / "stems.tsv"
    path.write_text(text)
    with pytest.raises(InputError) as wrong:
        WordAligner(stems=str(path)).fit(["a b"], ["x y"])
    assert f"stems.tsv:{line}: " in str(wrong.value) and what in str(wrong.value) and "\n" not in str(wrong.value)


def test_files_with_and_without_a_header(tmp_path):
    path = tmp_path / "stems.tsv"
    path.write_text(GOOD)
    assert read_classes(path)["ran"] == ("run", "move") and len(read_classes(path)) == 4
    path.write_text("word\tclass\tcount\tconfidence\nwalks\t17\t3\t0.9\nwalked\t17\t2\t0.8\n")
    assert read_classes(path) == {"walks": ("17",), "walked": ("17",)}
    path.write_text("\n")
    with pytest.raises(InputError, match="no classes"):
        read_classes(path)


@pytest.mark.parametrize("given", ["sufix-free", "5,x", "no/such.tsv", ["a", "b", "c"], [3.5, {}]])
def test_what_is_no_kind_of_stems_is_refused(given):
    with pytest.raises(InputError, match="suffix-free, letters, a file of classes, or none"):
        WordAligner(stems=given).fit(["a b"], ["x y"])


def test_few_words_with_classes_are_noted(tmp_path):
    path = tmp_path / "stems.tsv"
    path.write_text("Walks\twalk\nwalked\twalk\n")
    model = WordAligner(stems=f"{path},{path}").fit(["walks home", "walked in"], ["geht heim", "ging hinein"])
    notes = [note for note in model.agreed_.trace.told() if "the others do not back off" in note]
    assert len(notes) == 1 and ": classes for 0 of 4 target words" in notes[0]  # half of the source words have some
    with pytest.raises(InputError, match="give word → class, or word →"):
        WordAligner(stems={}).fit(["a"], ["b"])


# --- of any kind --------------------------------------------------------------------------------------------------

LEMMAS = {root + ending: (root, root[0]) for root in ROOTS for ending in ("", "s", "ed", "ing")}
KINDS = ["5,3", "suffix-free", "letters", LEMMAS]


def classes_of(kind, words):
    stems = parse_stems(kind)
    learned = learn_classes(stems, (words, words), (np.ones(len(words)), np.ones(len(words))), True)
    return stems, learned and learned[0]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_classes_nest_and_further_words_change_none(kind):
    stems, classes = classes_of(kind, WORDS[:-2])
    found = class_numbers(classes, stems.lengths, WORDS[:-2])
    assert len(found) == 2
    assert len(found[0]) == len(WORDS) - 2 and len(found[1]) == found[0].max() + 1
    more = class_numbers(classes, stems.lengths, [*WORDS[:-2], "walking1", "walker", "moon", "月", "painters"])
    for before, after in zip(found, more, strict=True):
        np.testing.assert_array_equal(after[: len(before)], before)
    if kind != "5,3":
        assert len({found[0][WORDS.index(root + ending)] for root in ROOTS[:1] for ending in ("", "s", "ed")}) == 1


def test_new_words_have_the_classes_of_their_likes():
    stems, classes = classes_of("suffix-free", WORDS)
    fine = class_numbers(classes, stems.lengths, [*WORDS, "mooning", "turnings"])[0]
    assert fine[-2] == fine[WORDS.index("moon")] and fine[-1] == len(set(fine)) - 1  # -ings was never an ending
    stems, classes = classes_of("letters", WORDS)
    fine = class_numbers(classes, stems.lengths, [*WORDS, "painters"])[0]
    assert fine[-1] == fine[WORDS.index("paint")]
    stems, classes = classes_of({**LEMMAS, "walker": ("walk", "w"), "runner": ("run", "r")}, WORDS)
    fine = class_numbers(classes, stems.lengths, [*WORDS, "walker", "runner"])[0]
    assert classes.beyond == ("walker",)  # of a class that no word has nothing is known
    assert fine[-2] == fine[WORDS.index("walks")] and fine[-1] == fine.max()


def test_numbers_are_in_the_order_of_meeting():
    one, two = numbered([("b", "x"), ("a", "x"), ("b", "x"), ("c", "y")])
    np.testing.assert_array_equal(one, [0, 1, 0, 2])
    np.testing.assert_array_equal(two, [0, 0, 1])


SOURCE = ["the man walks", "the man walked home", "they talked", "she talks", "a man is walking", "turn home", ""] * 4
TARGET = ["der mann geht", "der mann ging heim", "sie redeten", "sie redet", "ein mann geht", "kehrt heim", "?"] * 4
MINE = {"walks": "walk", "walked": "walk", "walking": "walk", "redet": "red", "redeten": "red"}


@pytest.mark.parametrize("stems", [*KINDS[:3], MINE], ids=str)
@pytest.mark.parametrize(
    "more",
    [{}, {"model": "ibm1:2,ibm2:1", "agreement": True}, {"preset": "best"}, {"stem_strength": "evidence"}],
    ids=str,
)
def test_saved_models_link_as_trained_ones(stems, more, tmp_path):
    model = WordAligner(stems=stems, **more).fit(SOURCE, TARGET)
    model.save(tmp_path / "stems.model")
    again = softcount.load(tmp_path / "stems.model")
    assert again.align(SOURCE, TARGET, probabilities=True) == model.align(SOURCE, TARGET, probabilities=True)
    new = ["a man talking walked", "the walker turns"], ["ein mann redete und ging", "der geher kehrt"]
    assert again.align(*new, probabilities=True) == model.align(*new, probabilities=True)
    assert "stems" in again.signature_ and again.signature_ == model.signature_


def test_a_file_of_classes_is_needed_for_training_alone(tmp_path):
    path, saved = tmp_path / "mine.tsv", tmp_path / "stems.model"
    path.write_text("".join(f"{word}\t{name}\n" for word, name in MINE.items()))
    model = WordAligner(stems=path).fit(SOURCE, TARGET)
    same = WordAligner(stems=MINE).fit(SOURCE, TARGET)
    assert model.align(SOURCE, TARGET, probabilities=True) == same.align(SOURCE, TARGET, probabilities=True)
    model.save(saved)
    path.unlink()
    assert softcount.load(saved).align(SOURCE, TARGET) == model.align(SOURCE, TARGET)
    with pytest.raises(InputError, match="and paths in a model are not opened"):
        softcount.load(saved).fit(SOURCE, TARGET)


@pytest.mark.parametrize("kind", ["suffix-free", "letters", MINE], ids=str)
def test_classes_of_a_file_that_cannot_be_meant_are_refused(kind):
    agreed = WordAligner(stems=kind).fit(SOURCE, TARGET).agreed_
    body, words = to_body(agreed), agreed.words
    from_body(body, agreed.trace, words)
    good = agreed.how.classes[0]
    changes = [
        {"kind": "prefixes"},
        {"table": good.table[1:]},
        {"table": good.table + 1000},
        {"table": good.table - 1000},
    ]
    changes += [{"table": good.table.astype(float)}, {"beyond": ("more",)}]
    for change in changes:
        wrong = good._replace(**change)
        with pytest.raises(ValueError):
            check_classes(wrong, words[0])
        how = {**body["how"], "classes": (wrong._asdict(), agreed.how.classes[1]._asdict())}
        with pytest.raises(ValueError):
            from_body({**body, "how": how}, agreed.trace, words)


def test_old_files_of_one_direction_lean_on_nothing(tmp_path):
    """Stems were a setting without effect there, (5, 3) where nobody said anything."""
    model = WordAligner("ibm1", agreement=False, criterion="vb:2").fit(SOURCE, TARGET)
    model.stems = (5, 3)
    model.save(tmp_path / "old.model")
    assert softcount.load(tmp_path / "old.model").stems is None


# --- text without stems -------------------------------------------------------------------------------------------


def signs(seed, n_words=400, n_pairs=300):
    """A bitext in words of one or two characters, of 3,000 that there are on each side, word by word but shuffled."""
    rng = np.random.default_rng(seed)
    letters = [rng.permutation([chr(first + k) for k in range(3000)]) for first in (0x4E00, 0x3400)]
    words = [["".join(rng.choice(side, 1 + rng.integers(2))) for _ in range(n_words)] for side in letters]
    shares = 1 / np.arange(1, n_words + 1)
    sentences, links = [], []
    for _ in range(n_pairs):
        ids = rng.choice(n_words, 3 + rng.integers(9), p=shares / shares.sum())
        order = np.argsort(np.arange(len(ids)) + 2 * rng.random(len(ids)))
        sentences.append([" ".join(words[0][k] for k in ids), " ".join(words[1][k] for k in ids[order])])
        links.append({(int(i), j) for j, i in enumerate(order)})
    return *zip(*sentences, strict=True), links


def error(model, source, target, gold):
    found = [set(links) for links in model.align(source, target)]
    right = sum(len(a & b) for a, b in zip(found, gold, strict=True))
    return 1 - 2 * right / (sum(map(len, found)) + sum(map(len, gold)))


@pytest.mark.parametrize("stems", ["5,3", "suffix-free", "letters"])
@pytest.mark.parametrize("more", [{}, {"model": "ibm1:3,hmm:3", "criterion": "em:3", "agreement": False}], ids=str)
def test_words_of_one_or_two_characters_lose_nothing(stems, more):
    """There no class has two words, so that all levels are one, and leaning on it changes no row."""
    source, target, gold = signs(1)
    plain = WordAligner(stems="none", **more).fit(source, target)
    leaning = WordAligner(stems=stems, **more).fit(source, target)
    assert abs(error(leaning, source, target, gold) - error(plain, source, target, gold)) < 0.002


@pytest.mark.parametrize("model", [None, "ibm1:1"])
def test_a_file_may_have_any_number_of_levels(model, tmp_path):
    path = tmp_path / "stems.tsv"
    lines = (
        f"{word}\t" + "\t".join(f"{word[: max(1, 9 - k)]}{k}" for k in range(9)) + "\n" for word in ("walks", "walked")
    )
    path.write_text("".join(lines))
    settings = {} if model is None else {"model": model, "agreement": False}
    aligner = WordAligner(stems=f"{path},{path}", criterion="em:1", random_state=0, **settings)
    links = aligner.fit(["walks home", "walked in"], ["walked in", "walks home"]).align(["walks home"], ["walks in"])
    assert len(links) == 1
