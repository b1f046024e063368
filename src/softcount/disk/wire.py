"""What files call things: the one place where names of the source and names in files meet.

A class, a field or an attribute may be called otherwise tomorrow: then its line here changes on the left, and no file
does. What is not in these tables is not written, but for what other packages add, which they name themselves. A name
that a file has once had is read for ever: where it changes all the same, the old one goes to OLD.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

# class: name in files, and the names of its fields there, in their order
TYPES = {
    "softcount.numbers.ragged:Ragged": ("Ragged", "offsets values"),
    # tables of models
    "softcount.models.agreement:AgreementTables": ("AgreementTables", "translation forward reverse"),
    "softcount.models.agreement:SideTables": ("SideTables", "empty jump fertility log_likelihood places"),
    "softcount.models.both_ways:BothWaysTables": ("BothWaysTables", "forward reverse"),
    "softcount.models.crf:CRFTables": ("CRFTables", "initial transition here before after reconstruction"),
    "softcount.models.gaussian:GaussianMixture": (
        "GaussianMixture", "n_clusters n_features kind centre spread refills",
    ),
    "softcount.models.gaussian:GaussianTables": ("GaussianTables", "cluster component"),
    "softcount.models.grammar:GrammarTables": ("GrammarTables", "rule"),
    "softcount.models.hmm:HMMTables": ("HMMTables", "initial transition emission"),
    "softcount.models.ibm:IBMTables": ("IBMTables", "translation alignment"),
    "softcount.models.link_crf:LinkCRFTables": ("LinkCRFTables", "translation alignment pair"),
    "softcount.models.mixture:MixtureTables": ("MixtureTables", "cluster word"),
    "softcount.models.network:NetworkTables": ("NetworkTables", None),  # its variables name them
    "softcount.models.ngram_channel:ChannelTables": ("ChannelTables", "emission"),
    "softcount.models.plsa:PLSATables": ("PLSATables", "topic word"),
    "softcount.models.plsa_background:BackgroundTables": ("BackgroundTables", "topic word power"),
    # what else estimators learn
    "softcount.estimators.how_many:Tried": ("Tried", "size score used seconds"),
    "softcount.estimators.word_class_answers:Forms": ("Forms", "names shares types values backwards"),
    "softcount.language.ngram:Ngrams": ("Ngrams", "keys log_p log_backoff"),
    "softcount.text.cfg:Rules": ("Rules", "symbols words start rows rhs"),
    # the record of training
    "softcount.loop.trace:Ending": ("Ending", "kind text"),
    "softcount.loop.trace:Note": ("Note", "text about"),
    "softcount.loop.trace:Step": ("Step", "restart stage step objective change parts seconds notes"),
    # checkpoints
    "softcount.loop.resume:Finished": (
        "Finished", "parameters log_weights steps stopped restarts chosen posterior weights",
    ),
    "softcount.loop.resume:Position": (
        "Position", "restart stage step state previous best best_state since stopped",
    ),
    "softcount.loop.resume:Restart": ("Restart", "objective score steps stopped"),
    "softcount.loop.resume:Saved": ("Saved", "position steps kept records best"),
    "softcount.estimators.word_exchange:Saved": ("Saved", "classes steps stage"),
    # states of criteria
    "softcount.criteria.annealed:AnnealedState": ("AnnealedState", "inner step"),
    "softcount.criteria.autoencode:AutoencodeState": (
        "AutoencodeState", "parameters rates signs both encoder reconstruction objective",
    ),
    "softcount.criteria.constrained:ConstrainedState": ("ConstrainedState", "inner multipliers rate objective"),
    "softcount.criteria.gibbs:GibbsState": ("GibbsState", "log_weights mean step"),
    "softcount.criteria.mre:MREState": ("MREState", "parameters rates signs"),
    "softcount.criteria.stepwise:StepwiseState": ("StepwiseState", "inner statistics updates step"),
}  # fmt: skip

# attribute of an estimator: name in files
ATTRIBUTES = {
    "_bodies": "bodies",
    "_centre": "centre",
    "_log_weights": "log_weights",
    "_of": "model",
    "_seen": "seen",
    "_tables": "tables",
    "attributed_": "attributed_",
    "background_weight_": "background_weight_",
    "blanks_": "blanks_",
    "classes_": "classes_",
    "confidence_": "confidence_",
    "count_": "count_",
    "decoded_": "decoded_",
    "discounts_": "discounts_",
    "document_frequency_": "document_frequency_",
    "feature_names_": "feature_names_",
    "feature_names_in_": "feature_names_in_",
    "feature_values_": "feature_values_",
    "feature_weights_": "feature_weights_",
    "features_": "features_",
    "forms_": "forms_",
    "idf_": "idf_",
    "inertia_": "inertia_",
    "labels_": "labels_",
    "language_": "language_",
    "lengths_": "lengths_",
    "letters_": "letters_",
    "made_": "made_",
    "n_features_in_": "n_features_in_",
    "n_iter_": "n_iter_",
    "objective_": "objective_",
    "observed_": "observed_",
    "orders_": "orders_",
    "parameters_": "parameters_",
    "posterior_": "posterior_",
    "prevalence_": "prevalence_",
    "rank_offset_": "rank_offset_",
    "restart_": "restart_",
    "restarts_": "restarts_",
    "rules_": "rules_",
    "shares_": "shares_",
    "stands_for_": "stands_for_",
    "states_": "states_",
    "structure_": "structure_",
    "ties_": "ties_",
    "top_": "top_",
    "tried_": "tried_",
    "unlabelled_weight_": "unlabelled_weight_",
    "values_": "values_",
    "vocabularies_": "vocabularies_",
    "vocabulary_": "vocabulary_",
    "word_class_": "word_class_",
}
# what files of format 1 call them: what they are called now
OLD = {
    "_bodies": "bodies",
    "_centre": "centre",
    "_log_weights": "log_weights",
    "_of": "model",
    "_seen": "seen",
    "_tables": "tables",
}
OURS = "softcount."


class Wire(NamedTuple):
    """What files call a class, and its fields."""

    name: str
    fields: tuple[str, ...]


@cache
def wire(kind: Any) -> Wire:
    """TypeError where files have no name for it."""
    for base in kind.__mro__:
        for place, (name, fields) in TYPES.items():
            if _is_at(base, place):
                return Wire(name, kind._fields if fields is None else tuple(fields.split()))
    if kind.__module__.startswith(OURS) or not hasattr(kind, "_fields"):
        raise TypeError(f"no place for a {kind.__name__} in a model file")
    return Wire(kind.__name__, kind._fields)


def _is_at(kind: type, place: str) -> bool:
    """Whether the class is the one that is there, whatever it calls itself; nothing is imported to find out."""
    module, _, name = place.partition(":")
    return getattr(sys.modules.get(module), name, None) is kind


def readable(*kinds: type) -> dict[str, type]:
    """By their names in files."""
    return {wire(kind).name: kind for kind in kinds}


def attribute_name(attribute: str) -> str:
    """What files call it; what another package has learned they call as it does."""
    return ATTRIBUTES.get(attribute, attribute)


def renamed(learned: Mapping[str, Any]) -> dict[str, Any]:
    """What a file has learned, by the names of today."""
    return {OLD.get(name, name): value for name, value in learned.items()}
