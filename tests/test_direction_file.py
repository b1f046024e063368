"""A direction in a file: what is the prior to the bit takes no room, and everything comes back as it was."""

import numpy as np
import pytest

import softcount
from softcount.estimators.direction_file import from_body, to_body

SOURCE = ["the house is big", "the book is small", "a book", "the small house", "a big old tree"] * 3
TARGET = ["das haus ist gross", "das buch ist klein", "ein buch", "das kleine haus", "ein grosser alter baum"] * 3


@pytest.mark.parametrize("criterion", ["vb:4", "em:4"])
def test_the_tables_come_back_to_the_bit(criterion):
    never = [("house", "das", "never"), ("book", "buch", "must")]
    model = softcount.WordAligner("ibm1:2,ibm2", criterion=criterion, dictionary=never).fit(SOURCE, TARGET)
    sizes = [len(v) for v in model.vocabularies_]
    for name, found in model.directions_.items():
        body = to_body(found)
        n = len(found.model.entries.values)
        back = from_body(body, found.trace, *(sizes if name == "forward" else sizes[::-1]))
        for table in ("parameters", "log_weights"):
            before, after = getattr(found, table).translation.values, getattr(back, table).translation.values
            np.testing.assert_array_equal(before, after)
        assert len(body["translation"]) < n and ("log_weights" in body) == (criterion == "vb:4")
        old = {k: v for k, v in body.items() if k not in ("differs", "least")}
        old |= {"translation": found.parameters.translation.values, "log_weights": found.log_weights.translation.values}
        again = from_body(old, found.trace, *(sizes if name == "forward" else sizes[::-1]))
        np.testing.assert_array_equal(again.log_weights.translation.values, found.log_weights.translation.values)
        for wrong in ({"differs": body["differs"][1:]}, {"least": body["least"][1:]}, {"translation": np.zeros(1)}):
            with pytest.raises(ValueError, match=r"table|entries"):
                from_body({**body, **wrong}, found.trace, *(sizes if name == "forward" else sizes[::-1]))


@pytest.mark.parametrize("criterion", ["vb:4", "em:4"])
def test_some_rows_at_a_time_are_what_all_at_once_are(criterion, monkeypatch):
    found = softcount.WordAligner("ibm1:2", criterion=criterion).fit(SOURCE, TARGET).directions_["forward"]
    whole = to_body(found)
    monkeypatch.setattr("softcount.estimators.direction_file.AT_ONCE", 8)
    monkeypatch.setattr("softcount.machine.mapped.SMALL", 0)
    parts = to_body(found)
    assert parts.keys() == whole.keys() and isinstance(parts["differs"].base, np.memmap)
    for name in ("translation", "differs", "least", "log_weights"):
        np.testing.assert_array_equal(parts.get(name, 0), whole.get(name, 0), err_msg=name)
