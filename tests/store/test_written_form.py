"""The short way for outcomes and episodes gives exactly what the codec would; any event survives the ledger."""

import dataclasses
import functools
import json
import math
import types
from collections.abc import Mapping
from enum import Enum
from typing import Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.event import EVENTS, EpisodeJudged, OutcomeRecorded, WorkspaceCreated
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Note, Subject
from fieldloop.model.policy import Outcome
from fieldloop.store import open_store
from fieldloop.store.episodes import decode_episode
from fieldloop.store.outcomes import decode_outcome, decode_outcome_event, encode_outcome_row, make_outcome_row
from fieldloop.store.projection import PROJECTIONS
from fieldloop.testing.samples import make_sample_noun

INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
LEVEL = st.text("abcé-0 ", min_size=1, max_size=5).map(str.strip).filter(bool)


@functools.cache
def any_of(kind):
    """A strategy for a noun from its fields alone."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Stratum:
        return st.dictionaries(LEVEL, LEVEL, max_size=3).map(Stratum.of)
    if kind is Note:  # it may hold further notes, so its fields alone would never end
        return st.builds(Note, LEVEL, st.just(()), any_of(Subject))
    if dataclasses.is_dataclass(kind):
        return st.builds(kind, **{name: any_of(hint) for name, hint in get_type_hints(kind).items()})
    if origin in (types.UnionType, Union):
        return st.none() | any_of(args[0])
    if origin is tuple:
        return (
            st.lists(any_of(args[0]), max_size=2).map(tuple) if args[-1] is Ellipsis else st.tuples(*map(any_of, args))
        )
    if origin in (dict, Mapping):
        return st.dictionaries(any_of(args[0]), any_of(args[1]), max_size=2)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    return {str: TEXT, int: INT64, float: st.floats(allow_nan=False, allow_infinity=False), bool: st.booleans()}[kind]


@given(any_of(Outcome))
def test_an_outcome_s_body_is_what_the_codec_writes(outcome):
    event = OutcomeRecorded(outcome)
    body = json.loads(encode_outcome_row(make_outcome_row(outcome, 5)))
    assert body == to_plain(event)
    assert decode_outcome_event(body) == from_plain(OutcomeRecorded, body) == event
    assert decode_outcome(make_outcome_row(outcome, 5)) == outcome


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_written_as_null(number, store):
    outcome = dataclasses.replace(make_sample_noun(Outcome), cycle_s=number)
    assert json.loads(encode_outcome_row(make_outcome_row(outcome)))["outcome"]["cycle_s"] is None
    store.append([OutcomeRecorded(outcome)], actor="a", at_ns=1)
    assert store.find(Outcome)[0].cycle_s is None
    assert store.read_tail()[0].event.outcome.cycle_s is None


def test_numbers_of_numpy_are_numbers(store):
    numbers = {
        "at_ns": np.int64(7),
        "succeeded": np.bool_(True),
        "cycle_s": np.float32(0.5),
        "interventions": np.int8(2),
    }
    outcome = dataclasses.replace(make_sample_noun(Outcome), **numbers)
    store.append([OutcomeRecorded(outcome), WorkspaceCreated("n", "1")], actor="a", at_ns=1)
    (found,) = store.find(Outcome, {"at_ns": np.int64(7)})
    assert (found.at_ns, found.succeeded, found.cycle_s, found.interventions) == (7, True, 0.5, 2)
    assert found == store.read_tail()[0].event.outcome


def test_an_older_outcome_without_newer_fields_is_read_the_general_way():
    raw = to_plain(OutcomeRecorded(make_sample_noun(Outcome)))
    del raw["outcome"]["interventions"]
    assert decode_outcome_event(raw) == from_plain(OutcomeRecorded, raw)
    with pytest.raises(BadInput, match="Outcome cannot be read"):
        decode_outcome_event({"outcome": {"id": "x"}})


@given(any_of(Episode))
def test_the_short_way_reads_an_episode_as_the_codec_does(episode):
    assert decode_episode(json.dumps(to_plain(episode))) == episode


def test_an_episode_of_another_version_is_read_the_general_way():
    raw = to_plain(make_sample_noun(Episode))
    assert decode_episode(json.dumps({**raw, "weather": "dry"})) == make_sample_noun(Episode)
    del raw["facts"]
    assert decode_episode(json.dumps(raw)) == dataclasses.replace(make_sample_noun(Episode), facts=())
    with pytest.raises(BadInput, match="Episode cannot be read"):
        decode_episode('{"id": "x"}')


def test_a_short_report_keeps_the_findings_that_count(store):
    every = [(status, required) for status in Status for required in (True, False)]
    findings = tuple(dataclasses.replace(make_sample_noun(Finding), status=s, required=r) for s, r in every)
    report = dataclasses.replace(make_sample_noun(EpisodeReport), findings=findings)
    store.append([EpisodeJudged("p", report)], actor="a", at_ns=1)
    kept = store.views.get_last_reports([report.episode])[report.episode].findings
    assert kept == tuple(finding for finding in findings if finding.counts)


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_any_event_survives_the_ledger_and_a_replay(data):
    store = open_store("sqlite://")
    events = [data.draw(any_of(kind), label=name) for name, kind in EVENTS.items()]
    store.append(events, actor="a", at_ns=1)
    assert [r.event for r in store.read_tail()] == events
    store.rebuild_tables()
    store.close()


def test_text_that_databases_refuse_is_kept_exactly(store):
    event = WorkspaceCreated("broken \udcff name \0", "1")
    store.append([event], actor="a", at_ns=1)
    assert store.read_tail()[0].event == event


def test_every_event_has_a_projection():
    assert set(PROJECTIONS) | {OutcomeRecorded} == set(EVENTS.values())
