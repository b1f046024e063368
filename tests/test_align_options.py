"""A setting of the aligner changes what it names: the default's HMM stays under every other one."""

import re

import numpy as np
import pytest
from command import run

from softcount import WordAligner
from softcount.errors import InputError
from softcount.estimators.align_plan import PRESETS, plan

SOURCE = ["the house", "the book", "a book", "the small house", "a small book"] * 4
TARGET = ["das haus", "das buch", "ein buch", "das kleine haus", "ein kleines buch"] * 4


def stages(**settings):
    return [stage.text for stage in plan(WordAligner(**settings)).stages]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "settings",
    [{"direction": "forward"}, {"direction": "reverse"}, {"agreement": False}, {"sparse": (1, 0.05)},
     {"recount": False}, {"null": 0.1}, {"stems": ()}, {"fertility": False}],
    ids=str,
)  # fmt: skip
def test_the_stages_are_the_preset_s(preset, settings):
    assert stages(preset=preset, **settings) == stages(preset=preset)


def test_a_criterion_is_that_of_every_stage():
    assert stages(criterion="em:3") == stages() == ["ibm1(em:3)", "hmm(em:3)"]
    assert stages(criterion="vb:4") == ["ibm1(vb:4)", "hmm(vb:4)"]
    assert stages(criterion="em:5,mre:5") == ["ibm1(em:5,mre:5)", "hmm(em:5,mre:5)"]
    assert stages(criterion="vb") == ["ibm1(vb:3)", "hmm(vb:3)"]  # steps of the preset
    assert stages(criterion="hard", preset="fast") == ["ibm1(hard:2)", "hmm(hard:1)"]
    assert stages(criterion="mre") == ["ibm1(mre:50)", "hmm(mre:50)"]  # whose steps are smaller
    assert stages(criterion="gibbs") == ["ibm1(gibbs:200)", "hmm(gibbs:200)"]


def test_rows_of_features_take_five_steps_of_the_same_stages():
    assert stages(features="pairs") == stages(features="pairs", preset="fast") == ["ibm1(em:5)", "hmm(em:5)"]
    assert stages(features="pairs", criterion="em:3") == stages()
    assert plan(WordAligner(features="pairs")).lost.endswith("no back-off and five iterations per stage")


def test_a_named_model_is_that_model():
    assert stages(model="ibm2") == stages(model="ibm2", agreement=False) == ["ibm2(vb:4)"]
    assert stages(model="hmm") == stages(model="hmm", direction="forward") == ["hmm(em:5)"]
    assert (
        not plan(WordAligner("hmm", agreement=False)).stems and not plan(WordAligner("hmm", direction="forward")).lost
    )


def test_the_default_under_its_own_criterion_is_the_default():
    default, same = WordAligner().fit(SOURCE, TARGET), WordAligner(criterion="em:3").fit(SOURCE, TARGET)
    assert default.signature_ == same.signature_
    assert default.align(SOURCE, TARGET, probabilities=True) == same.align(SOURCE, TARGET, probabilities=True)


def test_one_direction_is_that_of_both_trained_apart():
    """The other direction has no say in it."""
    apart = WordAligner(agreement=False).fit(SOURCE, TARGET)
    for name in ("forward", "reverse"):
        alone = WordAligner(direction=name).fit(SOURCE, TARGET)
        assert alone.directions_.keys() == {name} and alone.directions_[name].model.alignment == "jumps"
        tables = (m.directions_[name].parameters for m in (alone, apart))
        for one, two in zip(*tables, strict=True):
            np.testing.assert_array_equal(getattr(one, "values", one), getattr(two, "values", two))


LOST = {
    "direction='forward'": ({"direction": "forward"}, "direction forward: one direction is trained alone, with "
                            "no fertilities and no spelling prior"),
    "apart": ({"agreement": False}, "no agreement: directions are trained separately, with no fertilities "
              "and no spelling prior"),
    "vb": ({"criterion": "vb:2"}, "criterion vb:2: directions are trained separately, with no fertilities, "
           "no spelling prior and no back-off"),
    "sparse": ({"sparse": (1, 0.05), "spelling": False}, "sparse: directions are trained separately, with no "
               "fertilities and no back-off"),
    "best": ({"preset": "best", "agreement": False, "fertility": False},
             "no agreement: directions are trained separately, with no spelling prior and no second model"),
    "nothing": ({"agreement": False, "fertility": False, "spelling": False}, ""),
    "default": ({}, ""),
    "em": ({"criterion": "em:2"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_kept_is_said_in_one_line(name):
    settings, line = LOST[name]
    assert plan(WordAligner(**settings)).lost == line
    model = WordAligner(**settings).fit(SOURCE, TARGET)
    notes = [note for trace in model.history_.values() for note in trace.told() if ", with no " in note]
    assert set(notes) == ({line} if line else set())


def test_the_command_says_it_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in (("e", SOURCE), ("f", TARGET)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    ran = run("align e f --no-agreement")
    assert ran.code == 0 and ran.err.count("trained separately") == 1
    assert re.search(r"^note: no agreement: directions are trained separately, with no fert", ran.err, re.MULTILINE)
    assert "trained separately" not in run("align e f --model hmm --no-agreement").err
    assert "trained separately" not in run("align e f --criterion em:3").err


def test_a_criterion_of_another_model_is_refused():
    with pytest.raises(InputError, match=": autoencode trains crf only"):
        WordAligner(criterion="autoencode:3").fit(SOURCE, TARGET)


def test_files_of_directions_that_were_model_2_by_default(tmp_path):
    """Directions that were trained apart were Model 2 where no model was named; the signature has it."""
    old = WordAligner("ibm2", direction="forward", criterion="vb:2").fit(SOURCE, TARGET)
    old.set_params(model=None, criterion=None).save(tmp_path / "old.model")
    again = WordAligner.load(tmp_path / "old.model")
    assert again.model == "ibm2(vb:2)" and again.align(SOURCE, TARGET) == old.align(SOURCE, TARGET)
    new = WordAligner(direction="forward").fit(SOURCE, TARGET)
    new.save(tmp_path / "new.model")
    assert WordAligner.load(tmp_path / "new.model").model is None


# --- the null word's probability ------------------------------------------------------------------------------------


def model_1(null, steps):
    """The forward lexicon by the definition: P(a_j = 0) = p₀ and P(a_j = i) = (1 − p₀) / l."""
    pairs = [(e.split(), f.split()) for e, f in zip(SOURCE, TARGET, strict=True)]
    words = sorted({word for _, f in pairs for word in f})
    t = {(e, f): 1.0 / len(words) for es, fs in pairs for e in ["", *es] for f in fs}
    for _ in range(steps):
        counts = dict.fromkeys(t, 0.0)
        for es, fs in pairs:
            for f in fs:
                terms = {("", f, -1): null * t["", f]}
                terms |= {(e, f, i): (1 - null) / len(es) * t[e, f] for i, e in enumerate(es)}
                for (e, _, _), term in terms.items():
                    counts[e, f] += term / sum(terms.values())
        totals = {e: sum(c for (one, _), c in counts.items() if one == e) for e, _ in t}
        t = {(e, f): c / totals[e] if totals[e] else t[e, f] for (e, f), c in counts.items()}
    return t


@pytest.mark.parametrize("null", [0.0, 0.2, 0.9])
def test_model_1_with_a_null_word_of_a_given_probability(null, tmp_path):
    model = WordAligner("ibm1", criterion="em:3", direction="forward", null=null).fit(SOURCE, TARGET)
    expected = model_1(null, 3)
    for e, f, p, _ in model.lexicon():
        assert p == pytest.approx(expected[e, f], abs=1e-9)
    shares = model.posteriors(SOURCE[:1], TARGET[:1])[0]["forward"]
    es, fs = SOURCE[0].split(), TARGET[0].split()
    terms = np.array(
        [[null * expected["", f] for f in fs]] + [[(1 - null) / 2 * expected[e, f] for f in fs] for e in es]
    )
    np.testing.assert_allclose(shares, terms / terms.sum(axis=0), atol=1e-9)
    model.save(tmp_path / "m")
    assert WordAligner.load(tmp_path / "m").posteriors(SOURCE[:1], TARGET[:1])[0]["forward"] == pytest.approx(shares)
    assert f"null={null} " in model.signature_
    assert "null=" not in WordAligner("ibm1", criterion="em:1").fit(SOURCE, TARGET).signature_


@pytest.mark.parametrize(
    "settings",
    [{"model": "ibm2"}, {"model": "hmm"}, {"agreement": False}, {}, {"model": "ibm1", "agreement": True},
     {"model": "ibm1,ibm2-free"}],
    ids=str,
)  # fmt: skip
def test_the_null_word_s_probability_acts_on_every_model(settings):
    rng = np.random.default_rng(0)
    source, target = ([" ".join(rng.choice(list("abcdef"), size=4)) for _ in range(30)] for _ in range(2))
    found = [
        [p for *_, p, _ in WordAligner(null=null, fertility=False, **settings).fit(source, target).lexicon()]
        for null in (0.0, 0.2, 0.9)
    ]
    assert found[0] != found[1] != found[2]


def test_a_null_word_that_the_model_itself_learns():
    with pytest.raises(InputError, match="null: ibm2-free learns the null word's probability by position; use ibm2"):
        WordAligner("ibm2-free", null=0.2).fit(SOURCE, TARGET)
