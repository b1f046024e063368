"""Interrupted after every step and resumed, every estimator under every criterion ends with the same bits."""

import os
import signal

import pytest
from cases import DOCUMENTS, GRID, MODELS, PAIRS, POINTS, SENTENCES, bits
from sklearn.base import clone
from test_store import forged

import softcount
import softcount.signature
from softcount import HMM, PLSA, GaussianMixture, InputError, KMeans, NaiveBayesMixture, WordAligner
from softcount.disk.store import Stored
from softcount.machine.signals import Stopped


class Enough(Exception):
    pass


class After:
    """Breaks off in the middle of the step after the n-th, whose state is on disk."""

    def __init__(self, n):
        self.n = n

    def __call__(self, *step):
        self.n -= 1
        if self.n < 0:
            raise Enough


def interrupted_at_every_step(model, data, path, **options):
    """A run that does one step at a time; returns the model and how often it was interrupted."""
    for times in range(1000):
        try:
            return clone(model).fit(*data, checkpoint=path, checkpoint_every=1, on_step=After(1), **options), times
        except Enough:
            assert Stored(path).kind == "checkpoint"
    raise AssertionError("no end")


@pytest.mark.sampled(10)
@pytest.mark.filterwarnings("ignore:the classes collapse")
@pytest.mark.parametrize(("name", "criterion"), GRID)
def test_resumed_after_every_step_is_the_same(tmp_path, name, criterion):
    model, data = MODELS[name](criterion)
    expected = bits(clone(model).fit(*data))
    assert bits(clone(model).fit(*data, checkpoint=tmp_path / "whole")) == expected
    resumed, times = interrupted_at_every_step(model, data, tmp_path / "c")
    steps = sum(len(trace) for trace in resumed._traces().values())
    assert times >= steps - 1 and bits(resumed) == expected
    # A finished run is there at once, and knows it by another number of threads too.
    again = clone(model).set_params(n_jobs=2).fit(*data, checkpoint=tmp_path / "c", on_step=After(0))
    assert bits(again) == expected


@pytest.mark.thorough
@pytest.mark.parametrize("every", [2, 3, 7])
def test_resumed_from_any_interval(tmp_path, every):
    model, data = MODELS["hmm"]("em:3,gibbs:3,stepwise(vb,batches=2):2")
    expected = bits(clone(model).fit(*data))
    for stop in range(1, 17):
        path = tmp_path / f"{every}-{stop}"
        with pytest.raises(Enough):
            clone(model).fit(*data, checkpoint=path, checkpoint_every=every, on_step=After(stop - 1))
        if path.exists():
            assert bits(clone(model).fit(*data, checkpoint=path)) == expected


@pytest.mark.parametrize(
    ("model", "data", "options"),
    [
        (PLSA(3, criterion="em:40", held_out=0.3, random_state=2), (DOCUMENTS,), {}),
        (HMM(2, criterion="em:30,vb:30", restarts=3, tolerance=1e-3, random_state=5), (SENTENCES,), {}),
        (HMM(2, criterion="em:3", restarts=2, random_state=5), (SENTENCES,), {"dev": ["the dog runs"]}),
        (
            HMM(dictionary={"dog": ["N"], "the": ["D"]}, fixed=("initial",), criterion="em:3,vb:2", random_state=0),
            (SENTENCES,),
            {},
        ),
        (NaiveBayesMixture(3, criterion="em:4,mre:2", random_state=0), (DOCUMENTS,), {}),
        (NaiveBayesMixture(2, criterion="em:4", random_state=0), (DOCUMENTS, ["a", "b", *[""] * 23]), {}),
        (KMeans(3, random_state=0), (DOCUMENTS,), {}),
        (GaussianMixture(2, covariance="spherical", criterion="annealed:6", random_state=0), (POINTS,), {}),
        (
            WordAligner("ibm1:2,ibm2", dictionary=[(PAIRS.source[0][0], PAIRS.target[0][0], "must")]),
            (PAIRS.source, PAIRS.target),
            {},
        ),
    ],
    ids=["monitor", "converges", "dev", "dictionary", "k-means start", "labels", "text", "spherical", "must"],
)
@pytest.mark.filterwarnings("ignore:the classes collapse")
def test_monitors_restarts_convergence_dictionaries_and_labels(tmp_path, model, data, options):
    expected = bits(clone(model).fit(*data, **options))
    resumed, times = interrupted_at_every_step(model, data, tmp_path / "c", **options)
    assert times and bits(resumed) == expected


@pytest.mark.parametrize("name", ["hmm", "plsa", "ibm1-ibm2"])
def test_without_a_seed_the_checkpoint_has_it(tmp_path, name):
    model, data = MODELS[name]("gibbs:4")
    model.set_params(random_state=None)
    with pytest.raises(Enough):
        clone(model).fit(*data, checkpoint=tmp_path / "c", checkpoint_every=1, on_step=After(2))
    finished = clone(model).fit(*data, checkpoint=tmp_path / "c")
    assert bits(clone(model).set_params(random_state=finished.seed_).fit(*data)) == bits(finished)


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def half(tmp_path):
    path = tmp_path / "run.ckpt"
    with pytest.raises(Enough):
        HMM(2, criterion="em:50", random_state=0).fit(
            SENTENCES, checkpoint=path, checkpoint_every=1, on_step=After(2)
        )  # fmt: skip
    return path


@pytest.mark.parametrize(
    ("settings", "lines", "message"),
    [
        ({"criterion": "em:100"}, SENTENCES, "run.ckpt: checkpoint of a run with criterion=em:50, not em:100"),
        ({"n_states": 3}, SENTENCES, "with n_states=2, not 3"),
        ({"random_state": 7}, SENTENCES, "with seed=0, not 7"),
        ({"pseudo": {"emission": 0.1}}, SENTENCES, r'with pseudo=0\.0, not {"emission": 0\.1}'),
        ({"n_states": 3, "restarts": 2}, SENTENCES, "with n_states=2, not 3; with restarts=1, not 2"),
        ({}, SENTENCES[1:], r"with data=sha256:\w{16}, not sha256:\w{16}"),
        ({"dictionary": {"dog": ["0"]}}, SENTENCES, r'with dictionary=None, not {"dog": \["0"\]}'),
    ],
)
def test_another_run_is_refused_by_its_difference(half, settings, lines, message):
    before = half.read_bytes()
    model = HMM(2, criterion="em:50", random_state=0).set_params(**settings)
    with pytest.raises(InputError, match=message):
        model.fit(lines, checkpoint=half)
    assert half.read_bytes() == before


def test_another_model_a_model_file_and_a_version_that_trains_otherwise_are_refused(half, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="with the model hmm, not plsa"):
        PLSA(2).fit(DOCUMENTS, checkpoint=half)
    HMM(2, criterion="em:1").fit(SENTENCES).save(tmp_path / "m")
    with pytest.raises(InputError, match="is a model, not a checkpoint, and is not overwritten"):
        HMM(2).fit(SENTENCES, checkpoint=tmp_path / "m")
    with pytest.raises(InputError, match="contains a checkpoint"):
        softcount.load(half)
    monkeypatch.setattr("softcount.estimators.saved.TRAINS_AS", "0.0.9")
    with pytest.raises(InputError, match=r"with softcount=.*, not 0\.0\.9"):
        HMM(2, criterion="em:50", random_state=0).fit(SENTENCES, checkpoint=half)


def test_a_model_that_a_run_is_given_may_be_of_any_version_that_trains_alike():
    now = softcount.signature.of_any_version("softcount 0.3.1.dev0 | lm | order=3")
    assert now == softcount.signature.of_any_version("softcount 0.2.0 | lm | order=3")
    assert now != softcount.signature.of_any_version("softcount 0.1.9 | lm | order=3")


def test_what_decodes_only_may_change(half):
    HMM(2, criterion="em:50", decode="posterior", n_jobs=2, random_state=0).fit(SENTENCES, checkpoint=half)


def test_the_file_of_a_dictionary_is_known_by_its_content(tmp_path):
    (tmp_path / "d.tsv").write_text("dog\tN\n")
    model = HMM(dictionary=tmp_path / "d.tsv", criterion="em:5", random_state=0)
    model.fit(SENTENCES, checkpoint=tmp_path / "c")
    (tmp_path / "d.tsv").write_text("dog\tN V\n")
    with pytest.raises(InputError, match=r"with dictionary=.*d\.tsv \(sha256"):
        model.fit(SENTENCES, checkpoint=tmp_path / "c")


def swapped(header, about):
    about["body"]["positions"]["fit"]["$Saved"][0]["$Position"][3]["$HMMTables"].reverse()


def number(header, about):
    about["body"]["positions"]["fit"] = 7


def done(header, about):
    tables = about["body"]["positions"].pop("fit")["$Saved"][0]["$Position"][3]["$HMMTables"]
    wrong = {"$HMMTables": tables[::-1]}
    about["body"]["results"]["fit"] = {"$Finished": [wrong, wrong, [], "", [], 0]}


@pytest.mark.parametrize("change", [swapped, number, done])
def test_forged_states_are_refused(half, change):
    forged(half, change)
    with pytest.raises(InputError, match="belongs to another model"):
        HMM(2, criterion="em:50", random_state=0).fit(SENTENCES, checkpoint=half)


def test_damaged_and_odd_intervals(half):
    with pytest.raises(InputError, match="at least 1"):
        HMM(2).fit(SENTENCES, checkpoint=half, checkpoint_every=0)
    content = bytearray(half.read_bytes())
    content[-1] ^= 1
    half.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        HMM(2, criterion="em:50", random_state=0).fit(SENTENCES, checkpoint=half)


# --- signals ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def heeding():
    """As from a terminal: shells let what they start in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeding")
@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_waits_for_the_step_and_the_checkpoint(tmp_path, signum, code):
    def interrupt(step):
        if step.step == 3:
            os.kill(os.getpid(), signum)

    model = HMM(2, criterion="em:9", tolerance=0.0, random_state=0)
    expected = bits(clone(model).fit(SENTENCES))
    before = signal.getsignal(signum)
    with pytest.raises(Stopped, match=r"stopped after iteration 3 of em:9; the state is in") as caught:
        model.fit(SENTENCES, checkpoint=tmp_path / "c", on_step=interrupt)
    assert caught.value.exit_code == code and signal.getsignal(signum) is before
    seen = []
    assert bits(model.fit(SENTENCES, checkpoint=tmp_path / "c", on_step=seen.append)) == expected
    assert [step.step for step in seen] == [4, 5, 6, 7, 8, 9]


@pytest.mark.usefixtures("heeding")
def test_the_second_signal_is_obeyed_at_once(tmp_path):
    def interrupt(step):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Stopped, match="stopped within an iteration"):
        HMM(2, random_state=0).fit(SENTENCES, checkpoint=tmp_path / "c", on_step=interrupt)
    assert not (tmp_path / "c").exists()
