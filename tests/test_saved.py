"""Every estimator under every criterion: the same bits before and after the disk, on one thread and on two."""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
from cases import DOCUMENTS, GRID, MODELS, POINTS, SENTENCES, answers, bits
from sklearn.base import clone
from test_store import forged

import softcount
from softcount import InputError
from softcount.criteria.criterion import Progress
from softcount.criteria.spec import Settings
from softcount.disk import store
from softcount.estimators import saved
from softcount.models import gaussian, hmm, ibm, mixture, plsa


@pytest.fixture(autouse=True)
def many_shards(monkeypatch):
    """So that there is something to share out among threads."""
    monkeypatch.setattr(hmm, "SHARD_TOKENS", 20)
    monkeypatch.setattr(ibm, "PART", 100)
    for module in (mixture, plsa, gaussian):
        monkeypatch.setattr(module, "shard_cost", lambda n: 60)


@cache
def trained(name, criterion):
    """Once for the tests that only read it."""
    model, data = MODELS[name](criterion)
    return model.fit(*data), data


NOT_KEPT: dict[str, dict[str, None]] = {"decipher": {"lm": None}}  # settings that no file holds


@pytest.mark.sampled(10)
@pytest.mark.filterwarnings("ignore:the classes collapse")
@pytest.mark.parametrize(("name", "criterion"), GRID)
def test_twice_on_two_threads_and_after_the_disk(tmp_path, name, criterion):
    model, data = trained(name, criterion)
    expected, said = bits(model), answers(model, data)
    assert bits(clone(model).set_params(n_jobs=2).fit(*data)) == expected
    model.save(tmp_path / "m")
    for n_jobs in (1, 2):
        loaded = softcount.load(tmp_path / "m", n_jobs=n_jobs)
        assert type(loaded) is type(model) and bits(loaded) == expected
        assert answers(loaded, data) == said
    loaded.set_params(n_jobs=model.n_jobs)
    assert {**model.get_params(deep=False), **NOT_KEPT.get(name, {})} == loaded.get_params(deep=False)
    assert (loaded.data_, loaded.trained_, loaded.seed_) == (model.data_, model.trained_, model.seed_)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.sampled(10)
@pytest.mark.filterwarnings("ignore:the classes collapse")
@pytest.mark.parametrize(("name", "criterion"), GRID)
def test_pickled_and_copied_it_is_the_same(name, criterion):
    model, data = trained(name, criterion)
    expected, said = bits(model), answers(model, data)
    for turned in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert bits(turned) == expected and answers(turned, data) == said
        assert turned._settings_on_disk() == model._settings_on_disk() and turned._traces() == model._traces()


@pytest.mark.parametrize("setting", [Settings(), Progress(0.0)])
def test_what_crosses_the_loop_can_be_pickled(setting):
    assert pickle.loads(pickle.dumps(setting)) == copy.deepcopy(setting) == setting


@pytest.mark.parametrize("name", list(MODELS))
def test_a_large_model_is_unpacked_when_it_is_used(tmp_path, monkeypatch, name):
    model, data = MODELS[name]("em:2")
    model.fit(*data).save(tmp_path / "m")
    monkeypatch.setattr(store, "AT_ONCE", 0)
    monkeypatch.setattr(saved, "AT_ONCE", 0)
    loaded = softcount.load(tmp_path / "m")
    assert "_stored" in vars(loaded) and "signature_" not in vars(loaded)
    assert {**model.get_params(deep=False), **NOT_KEPT.get(name, {})} == loaded.get_params(deep=False)
    assert "_stored" in vars(loaded)
    assert loaded.signature_ == model.signature_ and "_stored" not in vars(loaded)
    assert not hasattr(loaded, "nothing_")
    for turned in (pickle.loads(pickle.dumps(softcount.load(tmp_path / "m"))), copy.copy(loaded)):
        assert answers(turned, data) == answers(model, data)
    content = bytearray((tmp_path / "m").read_bytes())
    content[-3] ^= 4
    (tmp_path / "m").write_bytes(content)
    bad = softcount.load(tmp_path / "m")
    for _ in range(2):
        with pytest.raises(InputError, match="is damaged"):
            answers(bad, data)


def test_another_kind_is_named(tmp_path):
    softcount.PLSA(2, criterion="em:2").fit(DOCUMENTS).save(tmp_path / "p")
    with pytest.raises(InputError, match=r"p: contains a PLSA topic model; HMM\.load needs a hidden Markov model"):
        softcount.HMM.load(tmp_path / "p")
    store.save(tmp_path / "x", "perpetuum mobile", {})
    with pytest.raises(InputError, match=r"contains something unknown \('perpetuum mobile'\); softcount\.load needs"):
        softcount.load(tmp_path / "x")


def test_settings_that_no_file_holds_are_left_out(tmp_path):
    start = softcount.corpus(["the/x dog/y".replace("/x", "").replace("/y", "")], labels=[["D", "N"]])
    model = softcount.HMM(start=start, criterion="em:1").fit(SENTENCES)
    model.save(tmp_path / "m")
    loaded = softcount.load(tmp_path / "m")
    assert loaded.start is None and loaded.predict(SENTENCES) == model.predict(SENTENCES)
    centres = softcount.KMeans(2, start=POINTS[:2]).fit(POINTS)
    centres.save(tmp_path / "k")
    np.testing.assert_array_equal(softcount.load(tmp_path / "k").start, POINTS[:2])


def test_text_clusters_read_new_text_by_the_words_of_the_old(tmp_path):
    model = softcount.KMeans(3, random_state=0).fit(DOCUMENTS)
    model.save(tmp_path / "k")
    loaded = softcount.load(tmp_path / "k")
    new = [*DOCUMENTS[:5], "words that nobody knows", ""]
    assert loaded.predict(new).tolist() == model.predict(new).tolist()
    assert loaded.predict(DOCUMENTS).tolist() == model.labels_.tolist()


def number(name):
    def change(header, about):
        about["body"]["learned"][name] = 7

    return change


def integers(name):
    def change(header, about):
        other = min(key for key, spec in header.items() if spec.get("dtype") in ("I32", "U8"))
        about["body"]["learned"][name] = {"$array": other}

    return change


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("hmm", ["parameters_", "states_", "vocabulary_"]),
        ("mixture", ["parameters_", "_log_weights", "classes_", "n_features_in_"]),
        ("plsa", ["parameters_", "prevalence_", "n_features_in_"]),
        ("kmeans", ["parameters_", "_log_weights", "_centre", "_of"]),
        ("gaussian", ["parameters_", "_of"]),
        ("ibm2-free", ["_bodies", "vocabularies_"]),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(tmp_path, model, names):
    model, data = MODELS[model]("em:1")
    model.fit(*data)
    for name in names:
        for change in (number(name), integers(name)):
            model.save(tmp_path / "m")
            forged(tmp_path / "m", change)
            with pytest.raises(InputError, match="do not fit together"):
                softcount.load(tmp_path / "m")


def test_translations_beyond_the_words_are_refused(tmp_path):
    model, data = MODELS["ibm1-ibm2"]("em:1")
    model.fit(*data)
    model.directions_["forward"].model.entries.values[3] = 10_000
    model.save(tmp_path / "m")
    with pytest.raises(InputError, match="not among the words"):
        softcount.load(tmp_path / "m")


def test_clusters_of_a_table_without_words_take_such_tables_and_nothing_else(tmp_path):
    from softcount.text.documents import from_matrix

    counts = np.random.default_rng(0).poisson(1.0, (20, 9)).astype(float)
    model = softcount.KMeans(3, random_state=0).fit(from_matrix(counts))
    model.save(tmp_path / "k")
    loaded = softcount.load(tmp_path / "k")
    assert loaded.predict(from_matrix(counts)).tolist() == model.labels_.tolist()
    with pytest.raises(InputError, match="8 columns, but the model has 9"):
        loaded.predict(from_matrix(counts[:, :8]))
    with pytest.raises(InputError, match="without words"):
        loaded.predict(DOCUMENTS)


def test_files_from_before_models_knew_how_their_text_was_read(tmp_path):
    model, data = MODELS["hmm"]("em:2")
    model._reading = {"lowercase": True}
    model.fit(*data).save(tmp_path / "m")
    assert softcount.load(tmp_path / "m").reading_ == {"lowercase": True}
    forged(tmp_path / "m", lambda header, about: about["body"].update(reading={"lowercase": [1]}))
    with pytest.raises(InputError, match="do not fit together"):
        softcount.load(tmp_path / "m")
    forged(tmp_path / "m", lambda header, about: about["body"].pop("reading"))
    assert softcount.load(tmp_path / "m").reading_ == {}
    assert softcount.load(tmp_path / "m").predict(data[0]) == model.predict(data[0])


def test_a_refit_forgets_how_other_text_was_read(tmp_path):
    model, data = MODELS["hmm"]("em:2")
    model._reading = {"lowercase": True}
    model.fit(*data).save(tmp_path / "m")
    again = softcount.load(tmp_path / "m").fit(*data)
    assert again.reading_ == {} and "lowercase" not in again.signature_


def test_files_from_before_plsa_knew_which_words_it_saw(tmp_path):
    model = softcount.PLSA(2, random_state=0).fit(DOCUMENTS)
    model.save(tmp_path / "m")
    forged(tmp_path / "m", lambda header, about: about["body"]["learned"].pop("seen"))
    assert softcount.load(tmp_path / "m").perplexity(DOCUMENTS) == model.perplexity(DOCUMENTS)
