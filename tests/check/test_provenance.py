"""What a reader assumed is never evidence against the data."""

from dataclasses import replace

import pytest

from fieldloop.check.judging import judge_measurement
from fieldloop.check.measuring import measure_with
from fieldloop.check.registry import check
from fieldloop.model.finding import ASSUMED, Measurement, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.provenance import ASSUMPTION_NOTES, METADATA_NOTES, Provenance, StreamFact
from fieldloop.model.stream import ClockKind, Stream
from fieldloop.protocol import Limit, default_protocol
from fieldloop.testing.synthetic import make_healthy_case

LIMIT: Limit = default_protocol().limits["timing.longest_gap"]


def stream_with(**changes: object) -> Stream:
    """Return the healthy joints with some fields changed."""
    return replace(make_healthy_case().recording.streams["joints"], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("fact", StreamFact)
def test_a_note_marks_a_fact_as_assumed_or_read_from_metadata(fact: StreamFact) -> None:
    assert stream_with(nominal_hz=None, notes={}).get_provenance(fact) is Provenance.STORED
    assert stream_with(notes={ASSUMPTION_NOTES[fact]: "why"}).get_provenance(fact) is Provenance.ASSUMED
    assert stream_with(notes={METADATA_NOTES[fact]: "where"}).get_provenance(fact) is Provenance.METADATA


def test_generated_timestamps_are_assumed_and_a_declared_rate_comes_from_metadata() -> None:
    times = stream_with().times_ns
    generated = stream_with(clocks={ClockKind.SYNTHETIC: times}, nominal_hz=None)
    assert generated.get_provenance(StreamFact.CLOCK) is Provenance.ASSUMED
    assert generated.get_provenance(StreamFact.RATE) is Provenance.ASSUMED
    assert stream_with(nominal_hz=30.0).get_provenance(StreamFact.RATE) is Provenance.METADATA
    assert stream_with(unit="").get_provenance(StreamFact.UNIT) is Provenance.ASSUMED


@pytest.mark.parametrize(
    ("value", "open_", "expected"),
    [(99.0, False, Status.CANNOT_TELL), (0.0, False, Status.PASSED), (0.0, True, Status.CANNOT_TELL)],
)
def test_a_number_that_rests_on_an_assumption_never_fails(value: float, open_: bool, expected: Status) -> None:  # noqa: FBT001
    others = (note("check.generated_stamps"),) if open_ else ()
    reason = note(ASSUMED, *others, stream="joints", fact="meaning")
    assert judge_measurement(Measurement(Subject("joints"), value, cannot_tell=reason), LIMIT, named=True) is expected
    assert (
        judge_measurement(Measurement(Subject("joints"), 99.0, low=98.0, high=100.0), LIMIT, named=True)
        is Status.FAILED
    )
    with_interval = Measurement(Subject("joints"), 99.0, low=98.0, high=100.0, cannot_tell=reason)
    assert judge_measurement(with_interval, LIMIT, named=True) is Status.CANNOT_TELL


@pytest.mark.parametrize("assumed", [True, False])
def test_a_check_says_on_which_facts_it_rests(assumed: bool) -> None:  # noqa: FBT001
    @check("timing.longest_gap", unit="missing periods", rests_on=(StreamFact.MEANING,))
    def look(_: object) -> object:
        yield Measurement(Subject("imu"), 99.0)

    case = make_healthy_case()
    notes = {ASSUMPTION_NOTES[StreamFact.MEANING]: "by a word in its name"} if assumed else {}
    streams = {**case.recording.streams, "imu": replace(case.recording.streams["imu"], notes=notes)}
    case = replace(case, recording=replace(case.recording, streams=streams))
    (measured,) = measure_with([look], case)
    (one,) = measured.measurements
    assert judge_measurement(one, LIMIT, named=True) is (Status.CANNOT_TELL if assumed else Status.FAILED)
