"""Measured once, judged as often as limits change."""

import io
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
from fieldloop.loop.looking import Rules
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.protocol import default_protocol, parse_protocol
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.shared import shared_data
from fieldloop.testing.synthetic import healthy_case, protocol


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
        measured = check.measure(INJURIES[name].hurt(healthy_case()))
        kept[name] = measured
    tables = [pa.table(check.rows(name, measured)) for name, measured in kept.items()]
    back = check.from_rows(through_parquet(pa.concat_tables(tables).to_pydict()))
    assert {name: plain(m) for name, m in back.items()} == {name: plain(m) for name, m in kept.items()}


@given(
    st.lists(
        st.builds(
            Measured,
            st.sampled_from(sorted(check.UNITS)),
            st.lists(st.builds(Measurement, st.text(), st.floats(), st.text(), st.text()), max_size=3).map(tuple),
            st.text(),
            st.text(),
        ),
        unique_by=lambda m: m.check,
        max_size=4,
    )
)
def test_rows_and_back_is_the_same(measured):
    assert plain(check.from_rows(check.rows("e", measured)).get("e", ())) == plain(measured)


def test_a_new_limit_judges_again_without_the_log():
    measured = check.measure(INJURIES["timing.longest_gap"].hurt(healthy_case()))
    kept = through_parquet(check.rows("e", measured))
    looser = parse_protocol("[check.timing.longest_gap]\nmax = 9.0")

    def judged(protocol):
        found = check.judge(check.from_rows(kept)["e"], protocol)
        return {f.status for f in found if f.check == "timing.longest_gap" and f.subject == "force"}

    assert judged(default_protocol()) == {Status.FAILED}
    assert judged(looser) == {Status.PASSED}


def test_a_changed_parameter_asks_for_measuring_again():
    base = check.measuring_fingerprint(default_protocol())
    assert check.measuring_fingerprint(parse_protocol("[check.timing.longest_gap]\nmax = 9.0")) == base
    changed = parse_protocol("[check.force.window]\nparameters = { contact_n = 2.0 }")
    assert check.measuring_fingerprint(changed) != base
    assert check.measuring_fingerprint(protocol()) != base  # other sensors are asked for


def status(value, cannot_tell=""):
    measured = Measured("timing.stream_offset", (Measurement("a ↔ b", value, "", cannot_tell),))
    (finding,) = check.judge([measured], default_protocol())
    return finding.status


def test_bad_evidence_fails_though_good_evidence_would_prove_nothing():
    assert status(3.0) is Status.PASSED
    assert status(7.0) is Status.FAILED
    assert status(3.0, "made up") is Status.CANNOT_TELL
    assert status(7.0, "made up") is Status.FAILED
    assert status(math.nan, "made up") is Status.CANNOT_TELL
    assert status(math.nan) is Status.ERRORED


def test_a_check_without_a_limit_is_refused():
    with pytest.raises(UnknownName, match=r"timing\.longest_gab"):
        check.judge([Measured("timing.longest_gab")], default_protocol())


def test_having_nothing_to_look_at_counts_where_the_protocol_requires_such_a_stream():
    (free,) = check.judge([Measured("vision.undecodable", reason="no camera")], default_protocol())
    (bound,) = check.judge([Measured("vision.undecodable", reason="no camera")], protocol())
    assert not free.counts
    assert bound.counts


@pytest.mark.parametrize(
    ("name", "true"),
    [
        ("lerobot-v20-gr1", {"timing.camera_clock"}),  # its table begins 50 ms after its video
        ("lerobot-v21-g1", {"vision.repeated_frames"}),  # a third of its frames repeat the one before, while it moves
    ],
)
def test_public_episodes_are_told_what_is_wrong_with_them_and_nothing_else(name, true):
    folder = shared_data(name)
    if folder is None:
        pytest.skip(f"the shared data set {name} is not on this machine (FIELDLOOP_SHARED)")
    for recording in open_log(folder).recordings:
        findings = check.judge(check.measure(Case(recording)), default_protocol())
        assert {f.check for f in findings if f.status in (Status.FAILED, Status.ERRORED)} == true
        told = {f.check for f in findings if f.status is Status.PASSED}
        assert {
            "integrity.not_finite",
            "motion.teleport",
            "vision.frozen_frames",
            "motion.action_follows_state",
        } <= told
        untold = {f.check for f in findings if f.status is Status.CANNOT_TELL}
        assert {"timing.longest_gap", "timing.stream_offset", "adherence.pre_roll"} <= untold
        break  # one of each is enough here


def test_a_log_in_which_nothing_senses_is_no_pass():
    from fieldloop.model.episode import Episode, Recording
    from fieldloop.model.stream import ClockKind, Stream, StreamKind

    chatter = Stream("chatter", StreamKind.OTHER, "", {ClockKind.LOG: np.arange(50)})
    recording = Recording(Episode("id", "talk", "mcap"), {"chatter": chatter})
    findings = check.judge(check.measure(Case(recording)), default_protocol())
    assert check.report(recording.episode, findings).status is Status.CANNOT_TELL


def test_the_page_of_checks_lists_every_one():
    from fieldloop.check.document import markdown

    page = markdown(default_protocol(), dict.fromkeys(check.UNITS, "an example"))
    for name in check.UNITS:
        assert f"`{name}`" in page


def test_words_are_no_reason_to_measure_again(monkeypatch):
    base = check.measuring_fingerprint(default_protocol())
    for words in ("_limit_said", "_value_said", "exact"):
        monkeypatch.setattr(f"fieldloop.protocol.statements.{words}", lambda _, told=words: f"put otherwise: {told}")
    assert check.measuring_fingerprint(default_protocol()) == base
    assert check.measuring_fingerprint(protocol()) != base


def test_a_corrected_check_or_imprint_makes_what_was_measured_outdated(monkeypatch):
    rules = Rules(default_protocol())
    before = rules.measuring
    corrected = replace(check.CHECKS["timing.longest_gap"], revision=2)
    with monkeypatch.context() as patched:
        patched.setitem(check.CHECKS, corrected.name, corrected)
        assert rules.measuring != before
    with monkeypatch.context() as patched:
        first, *others = check.IMPRINTERS
        patched.setattr(check, "IMPRINTERS", (replace(first, revision=2), *others))
        assert rules.measuring != before
    fewer = {name: one for name, one in check.BATCH_CHECKS.items() if name != "corpus.near_duplicates"}
    monkeypatch.setattr(check, "BATCH_CHECKS", fewer)
    assert rules.measuring == before, "questions about many are asked anew anyway"
