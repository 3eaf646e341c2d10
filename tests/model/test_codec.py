"""Every noun survives the trip to JSON and back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.model.audit import AuditAnswer
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.event import EVENTS
from fieldloop.model.finding import Finding, Measurement, Status, find_worst_status
from fieldloop.model.identity import Ids, compute_content_id, make_ulid
from fieldloop.model.note import Note, Subject
from fieldloop.model.policy import Outcome, Stage


@pytest.mark.parametrize("kind", EVENTS.values(), ids=EVENTS)
@settings(max_examples=10)
@given(data=st.data())
def test_every_event_survives_the_trip(kind, data):
    event = data.draw(st.builds(kind))
    assert from_plain(kind, json.loads(json.dumps(to_plain(event)))) == event


NAMES = st.text("abcdefgh_-0123456789", min_size=1, max_size=8)
st.register_type_strategy(Stratum, st.dictionaries(NAMES, NAMES, max_size=4).map(Stratum.of))
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
PLAIN = (
    st.text(max_size=5) | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
)
FACT = st.builds(Note, NAMES, st.dictionaries(NAMES, PLAIN, max_size=3).map(lambda d: tuple(d.items())))
st.register_type_strategy(
    Note,
    st.builds(
        Note,
        NAMES,
        st.dictionaries(NAMES, PLAIN | FACT | st.lists(PLAIN, max_size=2).map(tuple), max_size=3).map(
            lambda d: tuple(d.items())
        ),
        st.builds(Subject),
        st.lists(FACT, max_size=2).map(tuple),
    ),
)


def test_not_a_number_becomes_null_and_comes_back_as_one():
    plain = to_plain(Measurement(Subject("joints"), float("nan")))
    assert plain["value"] is None
    back = from_plain(Measurement, plain)
    assert back.value != back.value


def test_what_a_newer_version_added_is_ignored_and_what_is_missing_is_named():
    plain = to_plain(Outcome("o", "p", Stratum(), Stage.GATE, "s", "r", 1, succeeded=True, judged_by="x"))
    assert from_plain(Outcome, {**plain, "added_later": 1}).id == "o"
    with pytest.raises(BadInput, match="policy"):
        from_plain(Outcome, {k: v for k, v in plain.items() if k != "policy"})


def test_a_stratum_that_is_none_is_refused():
    with pytest.raises(BadInput, match="factor=level"):
        Stratum.parse("dim")


def test_ids_sort_by_time_and_do_not_repeat():
    ticks = iter(range(0, 10_000_000_000, 2_000_000))
    ids = Ids(lambda: next(ticks), lambda bits: 7 % (1 << bits))
    made = [ids.new("plan") for _ in range(50)]
    assert made == sorted(made)
    assert len(set(made)) == 50
    assert make_ulid(1, 0) != make_ulid(1, 1)


@given(st.lists(st.binary()), st.lists(st.binary()))
def test_different_parts_have_different_names(a, b):
    assert (compute_content_id(a) == compute_content_id(b)) == (a == b)


def finding(status, *, required=True):
    return Finding("c", Subject("s"), status, None, None, None, "", required=required)


@pytest.mark.parametrize(
    ("statuses", "rolled_up"),
    [
        ((), Status.CANNOT_TELL),
        ((Status.PASSED,), Status.PASSED),
        ((Status.PASSED, Status.FAILED), Status.FAILED),
        ((Status.PASSED, Status.ERRORED), Status.ERRORED),
        ((Status.PASSED, Status.NOT_APPLICABLE), Status.CANNOT_TELL),
        ((Status.ERRORED, Status.FAILED), Status.FAILED),
    ],
)
def test_only_passed_passes(statuses, rolled_up):
    assert find_worst_status(tuple(finding(s) for s in statuses)) is rolled_up


def test_what_the_protocol_does_not_require_does_not_count_unless_it_failed():
    assert find_worst_status((finding(Status.PASSED), finding(Status.NOT_APPLICABLE, required=False))) is Status.PASSED
    assert find_worst_status((finding(Status.NOT_APPLICABLE, required=False),)) is Status.CANNOT_TELL
    assert find_worst_status((finding(Status.PASSED), finding(Status.FAILED, required=False))) is Status.FAILED


@pytest.mark.parametrize(
    ("displayed", "streams"), [("action ↔ joints", ("action", "joints")), ("camera", ("camera",)), ("", ())]
)
def test_a_finding_of_an_earlier_version_keeps_its_streams(displayed, streams):
    answer = {"check": "timing.offset", "status": "failed", "measured": 9, "minimum": None, "maximum": 5, "unit": "ms"}
    finding = from_plain(Finding, {**answer, "subject": displayed, "message": "too late"})
    assert finding.about.streams == streams
    assert (finding.subject, finding.as_written) == (displayed, "too late")


def test_in_an_audit_of_an_earlier_version_every_item_was_required():
    now = to_plain(AuditAnswer(Note("audit.missing"), 0.5, required_score=0.75))
    assert from_plain(AuditAnswer, now).required_score == 0.75
    older = {name: value for name, value in now.items() if name != "required_score"}
    assert from_plain(AuditAnswer, older).required_score == 0.5
