"""What every check obeys, present and future."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import BATCH_CHECKS, CHECKS, UNITS, Batch, Case
from fieldloop.check.case import PICTURES
from fieldloop.check.measuring import measure_with
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.unit import COUNTED, is_share
from fieldloop.protocol import default_protocol, require_agreement
from fieldloop.say.findings import get_check_advice, write_finding
from fieldloop.say.numbers import format_without_unit
from fieldloop.say.sentences import list_room_codes
from fieldloop.testing.batches import make_healthy_batch
from fieldloop.testing.injuries import BATCH_INJURIES, INJURIES
from fieldloop.testing.synthetic import get_healthy_protocol, make_healthy_case, make_healthy_recording, replace_streams

ALL = {**CHECKS, **BATCH_CHECKS}


@pytest.fixture(scope="module")
def healthy_findings():
    return check.judge_measurements(
        (*check.measure_episode(make_healthy_case()), *check.measure_batch(make_healthy_batch())),
        get_healthy_protocol(),
        named=True,
    )


@functools.cache
def findings_of_injury(name):
    healthy = INJURIES[name].healthy()
    hurt = INJURIES[name].hurt(healthy)
    return check.judge_measurements(
        check.measure_episode(hurt, pixels=shows_otherwise(healthy, hurt)), hurt.protocol, named=True
    )


def shows_otherwise(healthy, hurt):
    """Was a camera touched, or what it is held against? Decoding pictures that nobody changed tells nothing new."""
    before, after = ({s.name: s for s in case.find_streams(*PICTURES)} for case in (healthy, hurt))
    return healthy.protocol != hurt.protocol or any(after.get(name) is not stream for name, stream in before.items())


def of_its_own(name):
    """Findings of a check whose healthy case is not the usual one; None where it is."""
    injury = {**INJURIES, **BATCH_INJURIES}[name]
    if injury.healthy in (make_healthy_case, make_healthy_batch):
        return None
    subject = injury.healthy()
    return check.judge_measurements(measure_with([ALL[name]], subject), subject.protocol, named=True)


def failed(findings):
    return {finding.check for finding in findings if finding.status is Status.FAILED}


def passed(findings):
    return {finding.check for finding in findings if finding.status is Status.PASSED}


def test_code_and_protocol_agree():
    require_agreement(UNITS, default_protocol())
    require_agreement(UNITS, get_healthy_protocol())


@pytest.mark.parametrize("name", ALL)
def test_asks_a_question_and_has_advice(name):
    assert ALL[name].asks.endswith("?")
    assert ALL[name].asks[0].isupper()
    assert get_check_advice(name).endswith(".")


@pytest.mark.parametrize("name", ALL)
def test_healthy_passes(name, healthy_findings):
    usual = [finding for finding in healthy_findings if finding.check == name]
    answers = of_its_own(name) or usual
    assert answers
    assert [finding for finding in answers if finding.status is not Status.PASSED] == []
    assert not [finding for finding in usual if finding.counts], "what the usual case cannot show stands in no way"


def test_every_check_has_an_injury():
    assert INJURIES.keys() == CHECKS.keys()
    assert BATCH_INJURIES.keys() == BATCH_CHECKS.keys()


@pytest.mark.parametrize("name", CHECKS)
def test_its_injury_fails_it_and_what_else_is_declared(name):
    injury, findings = INJURIES[name], findings_of_injury(name)
    assert failed(findings) == {name, *injury.also}
    assert not [finding for finding in findings if finding.status is Status.ERRORED]
    assert all(reason for reason in injury.also.values())


@pytest.mark.parametrize("name", BATCH_CHECKS)
def test_a_batch_injury_fails_it_and_what_else_is_declared(name):
    injury = BATCH_INJURIES[name]
    hurt = injury.hurt(injury.healthy())
    findings = check.judge_measurements(check.measure_batch(hurt), hurt.protocol, named=True)
    assert failed(findings) == {name, *injury.also}


@pytest.mark.parametrize("name", CHECKS)
def test_its_message_says_value_limit_and_what_to_do(name):
    finding = next(f for f in findings_of_injury(name) if f.check == name and f.status is Status.FAILED)
    written = write_finding(finding)
    assert written.startswith(f"{finding.subject}: " if finding.about else "")
    if not CHECKS[name].place_says_it:
        assert format_without_unit(finding.measured, finding.unit) in written
        in_the_clause = is_share(finding.unit) or finding.unit in COUNTED or finding.unit.startswith("×")
        assert in_the_clause or finding.unit in written
        assert ("required" if finding.minimum is not None else "allowed") in written
    assert written.endswith(get_check_advice(name))


@pytest.mark.parametrize("name", ALL)
def test_its_advice_is_written(name):
    assert get_check_advice(name), f"say/en/advice.toml lacks advice.{name}"


def test_no_advice_is_left_over():
    assert {f"advice.{name}" for name in ALL} == set(list_room_codes("advice"))


EMPTY = Recording(Episode("id", "empty", "synthetic"), {})
SILENT = replace_streams(
    make_healthy_recording(),
    {
        name: replace(
            stream,
            clocks={kind: times[:0] for kind, times in stream.clocks.items()},
            values=None if stream.values is None else stream.values[:0],
            pictures=None,
        )
        for name, stream in make_healthy_recording().streams.items()
    },
)


@pytest.mark.parametrize("recording", [EMPTY, SILENT], ids=["no streams", "empty streams"])
@pytest.mark.parametrize("calibrations", [None, ()], ids=["no workspace", "none known"])
def test_an_empty_recording_does_not_pass(recording, calibrations):
    findings = check.judge_measurements(
        check.measure_episode(Case(recording, get_healthy_protocol(), calibrations)), get_healthy_protocol(), named=True
    )
    assert passed(findings) == set()
    assert check.make_episode_report(recording.episode, findings).status is not Status.PASSED


def test_an_empty_batch_does_not_pass():
    assert passed(check.judge_measurements(check.measure_batch(Batch(())), default_protocol(), named=True)) == set()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_never_passes(name, value):
    measured = Measured(name, (Measurement(Subject("s"), 0.5), Measurement(Subject("t"), value)))
    answers = {f.subject: f.status for f in check.judge_measurements([measured], get_healthy_protocol(), named=True)}
    assert answers["t"] is Status.ERRORED


LOOKS_AT_VALUES = [n for n in CHECKS if n.split(".")[0] in ("motion", "force")] + [
    "integrity.not_finite", "integrity.frozen", "adherence.duration", "adherence.pre_roll", "adherence.post_roll",
]  # fmt: skip


@pytest.mark.parametrize("name", LOOKS_AT_VALUES)
def test_values_that_are_nan_throughout_never_pass(name):
    made = make_healthy_recording()
    spoilt = {
        n: replace(s, values=np.full_like(s.values, np.nan)) for n, s in made.streams.items() if s.values is not None
    }
    case = make_healthy_case(recording=replace_streams(made, spoilt))
    assert name not in passed(check.judge_measurements(check.measure_episode(case), case.protocol, named=True))


@pytest.mark.parametrize("name", ALL)
def test_a_check_that_breaks_is_errored_and_counts(name):
    finding, *_ = check.judge_measurements([Measured(name, error="KeyError: 'x'")], get_healthy_protocol(), named=True)
    assert finding.status is Status.ERRORED
    assert finding.counts


@pytest.mark.parametrize("name", ALL)
def test_nothing_to_look_at_is_not_applicable(name):
    finding, *_ = check.judge_measurements(
        [Measured(name, reason=note("check.no_streams"))], get_healthy_protocol(), named=True
    )
    assert finding.status is Status.NOT_APPLICABLE
