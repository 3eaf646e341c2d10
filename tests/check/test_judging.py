"""Measured once, judged as often as limits change."""

import io
import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop import check
from fieldloop.check import Case
from fieldloop.errors import UnknownName
from fieldloop.ingest import open_log
from fieldloop.loop.work.measure_part import Rules
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.finding import EpisodeReport, Finding, Measured, Measurement, Status
from fieldloop.model.note import NO_SUBJECT, Subject, note
from fieldloop.protocol import default_protocol, parse_protocol
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_finding
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.shared import find_shared_data
from fieldloop.testing.synthetic import get_healthy_protocol, make_healthy_case


@pytest.mark.parametrize("held", [None, note("check.generated_stamps")])
def test_what_earlier_versions_kept_in_one_reason_is_read_apart(held):
    lacks = note("check.not_a_sensor", stream="imu")
    now = (Measured("timing.longest_gap", (Measurement(Subject("imu"), 3.0, cannot_tell=held, unproven=lacks),)),)
    columns = check.convert_measurements_to_columns("e", now)
    assert check.read_measurements_from_columns(columns)["e"] == now
    older = note("check.only_a_protocol_fails_it", lacks, *((held,) if held else ()))
    before = {name: rows for name, rows in columns.items() if name != "unproven"}
    before["cannot_tell"] = [json.dumps(to_plain(older))]
    assert check.read_measurements_from_columns(before)["e"] == now


def through_parquet(columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return pq.read_table(file).to_pydict()


def plain(measured):
    """NaN is not equal to itself; text is."""
    return [str(one) for one in measured]


def test_measurements_survive_a_parquet_file():
    kept = {}
    for name in ("timing.longest_gap", "vision.undecodable"):
        measured = check.measure_episode(INJURIES[name].hurt(make_healthy_case()))
        kept[name] = measured
    tables = [pa.table(check.convert_measurements_to_columns(name, measured)) for name, measured in kept.items()]
    back = check.read_measurements_from_columns(through_parquet(pa.concat_tables(tables).to_pydict()))
    assert {name: plain(m) for name, m in back.items()} == {name: plain(m) for name, m in kept.items()}


SUBJECTS = st.builds(Subject, *[st.text()] * 6)
NUMBERS = st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
PLAIN = st.builds(lambda code, about, value: note(code, about=about, value=value), st.text(), SUBJECTS, NUMBERS)
NOTES = st.none() | st.builds(lambda fact, inner: note("a.b", fact, inner=inner, several=(inner, 1)), PLAIN, PLAIN)


@given(
    st.lists(
        st.builds(
            Measured,
            st.sampled_from(sorted(check.UNITS)),
            st.lists(st.builds(Measurement, SUBJECTS, st.floats(), NOTES, NOTES), max_size=3).map(tuple),
            st.text(),
            NOTES,
        ),
        unique_by=lambda m: m.check,
        max_size=4,
    )
)
def test_rows_and_back_is_the_same(measured):
    assert plain(
        check.read_measurements_from_columns(check.convert_measurements_to_columns("e", measured)).get("e", ())
    ) == plain(measured)


def test_a_new_limit_judges_again_without_the_log():
    measured = check.measure_episode(INJURIES["timing.longest_gap"].hurt(make_healthy_case()))
    kept = through_parquet(check.convert_measurements_to_columns("e", measured))
    looser = parse_protocol("[check.timing.longest_gap]\nmax = 9.0")

    def judged(protocol):
        found = check.judge_measurements(check.read_measurements_from_columns(kept)["e"], protocol, named=True)
        return {f.status for f in found if f.check == "timing.longest_gap" and f.subject == "force"}

    assert judged(default_protocol()) == {Status.FAILED}
    assert judged(looser) == {Status.PASSED}


def test_a_changed_parameter_asks_for_measuring_again():
    base = check.fingerprint_measuring_numbers(default_protocol())
    assert check.fingerprint_measuring_numbers(parse_protocol("[check.timing.longest_gap]\nmax = 9.0")) == base
    changed = parse_protocol("[check.force.window]\nparameters = { contact_n = 2.0 }")
    assert check.fingerprint_measuring_numbers(changed) != base
    assert check.fingerprint_measuring_numbers(get_healthy_protocol()) != base  # other sensors are asked for


MADE_UP = note("check.generated_stamps")


def status(value, cannot_tell=None):
    measured = Measured("timing.stream_offset", (Measurement(Subject("a", "b"), value, None, cannot_tell),))
    (finding,) = check.judge_measurements([measured], default_protocol(), named=True)
    return finding.status


def test_bad_evidence_fails_though_good_evidence_would_prove_nothing():
    assert status(3.0) is Status.PASSED
    assert status(7.0) is Status.FAILED
    assert status(3.0, MADE_UP) is Status.CANNOT_TELL
    assert status(7.0, MADE_UP) is Status.FAILED
    assert status(math.nan, MADE_UP) is Status.CANNOT_TELL
    assert status(math.nan) is Status.ERRORED


def test_a_check_without_a_limit_is_refused():
    with pytest.raises(UnknownName, match=r"timing\.longest_gab"):
        check.judge_measurements([Measured("timing.longest_gab")], default_protocol(), named=True)


def test_having_nothing_to_look_at_counts_where_the_protocol_requires_such_a_stream():
    (free,) = check.judge_measurements(
        [Measured("vision.undecodable", reason=note("check.no_camera"))], default_protocol(), named=True
    )
    (bound,) = check.judge_measurements(
        [Measured("vision.undecodable", reason=note("check.no_camera"))], get_healthy_protocol(), named=True
    )
    assert not free.counts
    assert bound.counts


@pytest.mark.parametrize(
    ("name", "true"),
    [
        ("lerobot-v20-gr1", {"timing.camera_clock"}),  # its table begins 50 ms after its video
        ("lerobot-v21-g1", {"vision.repeated_frames"}),  # a third of its frames repeat the one before, while it moves
    ],
)
def test_public_episodes_fail_what_is_wrong_with_them_and_nothing_else(name, true):
    folder = find_shared_data(name)
    if folder is None:
        pytest.skip(f"the shared data set {name} is not on this machine (FIELDLOOP_SHARED)")
    for recording in open_log(folder).recordings:
        findings = check.judge_measurements(check.measure_episode(Case(recording)), default_protocol(), named=True)
        assert {f.check for f in findings if f.status in (Status.FAILED, Status.ERRORED)} == true
        passed = {f.check for f in findings if f.status is Status.PASSED}
        assert {
            "integrity.not_finite",
            "motion.teleport",
            "vision.frozen_frames",
            "motion.action_follows_state",
        } <= passed
        unclear = {f.check for f in findings if f.status is Status.CANNOT_TELL}
        assert {"timing.longest_gap", "timing.stream_offset", "adherence.pre_roll"} <= unclear
        break  # one of each is enough here


def test_a_log_in_which_nothing_senses_does_not_pass():
    from fieldloop.model.episode import Episode, Recording
    from fieldloop.model.stream import ClockKind, Stream, StreamKind

    chatter = Stream("chatter", StreamKind.OTHER, "", {ClockKind.LOG: np.arange(50)})
    recording = Recording(Episode("id", "talk", "mcap"), {"chatter": chatter})
    findings = check.judge_measurements(check.measure_episode(Case(recording)), default_protocol(), named=True)
    assert check.make_episode_report(recording.episode, findings).status is Status.CANNOT_TELL


def test_the_page_of_checks_lists_every_one():
    from fieldloop.check.document import write_checks_markdown

    page = write_checks_markdown(
        default_protocol(), dict.fromkeys(check.UNITS, "an example"), dict.fromkeys(check.UNITS, "advice")
    )
    for name in check.UNITS:
        assert f"`{name}`" in page


def test_words_are_no_reason_to_measure_again(monkeypatch):
    base = check.fingerprint_measuring_numbers(default_protocol())
    for words in ("_write_limit", "_write_value", "write_exact_number"):
        monkeypatch.setattr(f"fieldloop.protocol.statements.{words}", lambda _, name=words: f"put otherwise: {name}")
    assert check.fingerprint_measuring_numbers(default_protocol()) == base
    assert check.fingerprint_measuring_numbers(get_healthy_protocol()) != base


def test_a_corrected_check_or_imprint_makes_what_was_measured_outdated(monkeypatch):
    rules = Rules(default_protocol())
    before = rules.fingerprint
    now = check.CHECKS["timing.longest_gap"]
    corrected = replace(now, revision=now.revision + 1)
    with monkeypatch.context() as patched:
        patched.setitem(check.CHECKS, corrected.name, corrected)
        assert rules.fingerprint != before
    with monkeypatch.context() as patched:
        first, *others = check.IMPRINTERS
        patched.setattr(check, "IMPRINTERS", (replace(first, revision=first.revision + 1), *others))
        assert rules.fingerprint != before
    fewer = {name: one for name, one in check.BATCH_CHECKS.items() if name != "corpus.near_duplicates"}
    monkeypatch.setattr(check, "BATCH_CHECKS", fewer)
    assert rules.fingerprint == before, "questions about many are asked anew anyway"


OLDER_ROWS = {
    "episode": ["e", "e", "e"],
    "check": ["timing.stream_offset", "motion.idle_head", "vision.undecodable"],
    "subject": ["action ↔ joints", "", None],
    "value": [3.0, math.nan, math.nan],
    "place": ["at 1.00 s", "", ""],
    "cannot_tell": ["", "nothing moves in this recording.", ""],
    "error": ["", "", ""],
    "reason": ["", "", "The recording has no camera."],
}
"""A table as versions before facts wrote it."""


def test_a_table_of_an_earlier_version_is_read():
    offset, idle, undecodable = check.read_measurements_from_columns(through_parquet(OLDER_ROWS))["e"]
    (pair,) = offset.measurements
    assert pair.about == Subject("action", "joints")
    assert write_sentence(pair.place) == "at 1.00 s"
    assert write_sentence(idle.measurements[0].cannot_tell) == "nothing moves in this recording."
    assert write_sentence(undecodable.reason) == "The recording has no camera."
    findings = check.judge_measurements([offset, idle, undecodable], default_protocol(), named=True)
    assert [f.status for f in findings] == [Status.PASSED, Status.CANNOT_TELL, Status.NOT_APPLICABLE]


def test_a_finding_of_an_earlier_version_keeps_its_message():
    older = {
        "check": "timing.longest_gap", "subject": "joints", "status": "failed", "measured": 7.0, "minimum": None,
        "maximum": 1.0, "unit": "missing periods", "message": "joints: 7 missing periods, at most 1 allowed.",
    }  # fmt: skip
    read = from_plain(Finding, json.loads(json.dumps(older)))
    assert (read.subject, read.code) == ("joints", "timing.longest_gap.failed")
    assert write_finding(read) == older["message"]
    again = from_plain(Finding, to_plain(read))
    assert again == read


def test_a_finding_is_the_same_after_it_was_written():
    case = INJURIES["timing.longest_gap"].hurt(make_healthy_case())
    report = check.make_episode_report(
        case.episode, check.judge_measurements(check.measure_episode(case), case.protocol, named=True)
    )
    assert from_plain(EpisodeReport, json.loads(json.dumps(to_plain(report)))) == report


@pytest.mark.parametrize(
    ("finding", "written"),
    [
        (("batch.operators", 2.0, 3.0, None, "operators"), "2 operators demonstrated this task; at least 3 required."),
        (
            ("timing.longest_gap", 7.0, None, 1.0, "missing periods"),
            "7 periods in a row have no sample; at most 1 allowed.",
        ),
        (("force.window", 3.0, 5.0, 25.0, "N"), "The item was held with 3 N; 5 to 25 N required."),
        (("metadata.units", 1.0, None, 0.0, "streams"), "1 stream states no unit; at most 0 allowed."),
        (
            ("vision.covered", 0.07, None, 0.02, "share of frames"),
            "7 % of frames show no edges, as if the lens were covered; at most 2 % allowed.",
        ),
    ],
)
def test_a_message_states_the_value_and_what_the_limit_demands(finding, written):
    check_name, value, low, high, unit = finding
    made = Finding(check_name, NO_SUBJECT, Status.FAILED, value, low, high, unit)
    assert write_finding(made).startswith(f"{written} ")


def test_an_interval_and_a_place_stand_in_brackets():
    place = note("check.in_episodes", episodes=12)
    made = Finding("c.d", Subject("imu"), Status.CANNOT_TELL, 4.0, None, 5.0, "ms", place, low=3.0, high=6.0)
    assert write_finding(made).startswith(
        "imu: 4 ms (interval 3 to 6; in 12 episodes); at most 5 ms allowed. The interval contains"
    )


def test_a_finding_can_be_held_by_another_fact():
    made = Finding("timing.longest_gap", Subject("imu"), Status.FAILED, 7.0, None, 1.0, "missing periods")
    assert write_sentence(note("release.not_passed", check="c", status="failed", finding=made.fact)).endswith(
        write_finding(made)
    )


def test_the_advice_of_a_check_from_outside_is_kept():
    made = Finding("house.rule", NO_SUBJECT, Status.FAILED, 7.0, None, 1.0, "s", advice="Ask the house.")
    assert write_finding(made) == "7 s; at most 1 s allowed. Ask the house."
