"""Questions about episodes collected together: planted cases, and 'cannot tell' where nobody can."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import BATCH_CHECKS, Batch
from fieldloop.check.measuring import measure_with
from fieldloop.model.finding import Status
from fieldloop.model.imprint import Imprint
from fieldloop.protocol import parse_protocol
from fieldloop.testing.batches import Shape, make_healthy_batch
from fieldloop.testing.injuries.injury import change_imprints, relabel


def answers(batch, name):
    """What one check says of a batch, by subject."""
    return {
        f.subject: f
        for f in check.judge_measurements(measure_with([BATCH_CHECKS[name]], batch), batch.protocol, named=True)
    }


def looked(batch, name):
    """The bare measurements of one check."""
    return {m.subject: m for m in BATCH_CHECKS[name].look(batch)}


def test_operators_are_counted_in_each_variant():
    def variant(i, e):
        kind = "tall" if e.operator in ("operator-0", "operator-1") else "flat"
        return {"stratum": type(e.stratum).of({**e.stratum.levels, "variant": kind})} if i else {}

    found = looked(relabel(make_healthy_batch(), variant), "batch.operators")
    assert {name: m.value for name, m in found.items()} == {"pick flat": 2.0, "pick tall": 2.0}


def test_a_turn_ends_with_the_session_or_with_someone_else():
    batch = make_healthy_batch(Shape(8, 12))
    assert {m.value for m in looked(batch, "batch.rotation").values()} == {2.0}
    joined = relabel(batch, lambda *_: {"session": "one"})
    assert {m.value for m in looked(joined, "batch.rotation").values()} == {2.0}
    mixed = relabel(joined, lambda i, _: {"operator": f"operator-{i % 2}"})
    assert {m.value for m in looked(mixed, "batch.rotation").values()} == {48.0}


def test_without_times_no_one_can_tell_turns():
    timeless = relabel(make_healthy_batch(), lambda _, e: {"start_ns": 0, "end_ns": e.end_ns - e.start_ns})
    finding = answers(timeless, "batch.rotation")[""]
    assert finding.status is Status.CANNOT_TELL


def test_balance_with_silent_episodes_is_an_interval():
    quiet = relabel(make_healthy_batch(), lambda i, _: {"succeeded": None} if i % 20 == 0 else {})
    known = looked(quiet, "batch.balance")["outcome=failed"]
    assert known.low <= known.value <= known.high
    assert answers(quiet, "batch.balance")["outcome=failed"].status is Status.PASSED
    silent = relabel(make_healthy_batch(), lambda i, _: {"succeeded": None} if i % 2 else {})
    assert answers(silent, "batch.balance")["outcome=failed"].status is Status.CANNOT_TELL
    nobody = relabel(make_healthy_batch(), lambda *_: {"succeeded": None})
    assert answers(nobody, "batch.balance")["outcome=failed"].status is Status.CANNOT_TELL


def test_a_protocol_that_asks_for_nothing_is_not_missed():
    batch = make_healthy_batch()
    free = Batch(batch.episodes, imprints=batch.imprints)
    assert answers(free, "batch.balance")[""].reason.code == "check.no_balance"
    assert answers(free, "batch.coverage")[""].status is Status.NOT_APPLICABLE


def test_directions_are_counted_exactly():
    def towards(sides):
        turns = [2 * np.pi * side / sides for side in range(sides)]
        spread = np.radians(50.0)
        return [np.asarray([np.sin(spread) * np.cos(t), np.sin(spread) * np.sin(t), -np.cos(spread)]) for t in turns]

    for sides in (1, 2, 3, 4):
        vectors = towards(sides)
        batch = change_imprints(make_healthy_batch(), "approach/tool", lambda i, _, v=vectors: v[i % len(v)])
        assert looked(batch, "batch.approach_directions")["pick"].value == sides


def test_a_side_that_was_taken_by_accident_does_not_count():
    above, aside = np.asarray([0.0, 0.0, -1.0]), np.asarray([1.0, 0.0, 0.0])
    batch = change_imprints(make_healthy_batch(), "approach/tool", lambda i, _: aside if i == 0 else above)
    assert looked(batch, "batch.approach_directions")["pick"].value == 1


def test_who_names_no_protocol_is_held_to_none():
    free = relabel(make_healthy_batch(), lambda *_: {"protocol": ""})
    for name in ("batch.approach_directions", "batch.approach_diversity"):
        assert answers(free, name)["pick"].status is Status.CANNOT_TELL


def test_orientation_wraps_around():
    def turned(i, pose):
        yaw = np.radians(170.0 + 20.0 * i / 192)  # across the seam at 180°
        return np.asarray([*pose[:3], 0, 0, np.sin(yaw / 2), np.cos(yaw / 2)])

    batch = change_imprints(make_healthy_batch(), "grasp/tool/tool", turned)
    found = looked(batch, "batch.coverage")["orientation"]
    assert found.value == 0.0
    assert found.place["outside"] == 192


@pytest.mark.parametrize("ends", ["[0.3]", "[0.6, 0.3]", "[0.3, 0.3]", "[0.1, 0.2, 0.3]"])
def test_an_invalid_range_is_refused(ends):
    batch = make_healthy_batch(Shape(4, 4))
    spoilt = replace(batch, protocol=parse_protocol(f"[task.cover_x_m]\nvalue = {ends}", "spoilt"))
    finding = answers(spoilt, "batch.coverage")[""]
    assert finding.status is Status.ERRORED
    assert "two numbers, the lower one first" in finding.reason["error"]


def test_two_alike_are_distinguished_from_too_few_to_tell():
    alike = answers(make_healthy_batch(Shape(16, 12)), "batch.reproducibility")
    assert {f.status for f in alike.values()} == {Status.PASSED}
    few = answers(make_healthy_batch(Shape(2, 5, 2)), "batch.reproducibility")
    assert Status.CANNOT_TELL in {f.status for f in few.values()}
    assert Status.FAILED not in {f.status for f in few.values()}


def test_a_person_who_differs_is_named_and_not_blamed_on_sessions():
    slow = {"operator-1"}
    batch = make_healthy_batch()
    who = [e.operator in slow for e in batch.episodes]
    hurt = change_imprints(batch, "speed/peaks_per_s", lambda i, a: a * (6.0 if who[i] else 1.0))
    found = looked(hurt, "batch.reproducibility")
    assert found["pick: operator, peaks_per_s"].place["group"] == "operator-1"
    assert found["pick: operator, peaks_per_s"].low > 0.6
    assert found["pick: session, peaks_per_s"].high < 1.0


def test_a_session_that_differs_is_named():
    batch = make_healthy_batch()
    day = [e.session == "session-6" for e in batch.episodes]
    hurt = change_imprints(batch, "speed/directness", lambda i, a: a * (0.2 if day[i] else 1.0))
    assert looked(hurt, "batch.reproducibility")["pick: session, directness"].place["group"] == "session-6"


def test_style_that_could_not_be_taken_is_no_answer():
    batch = make_healthy_batch()
    bare = replace(batch, imprints={key: Imprint() for key in batch.imprints})
    for name in ("batch.style", "batch.reproducibility"):
        assert answers(bare, name)[""].status is Status.NOT_APPLICABLE
    nan = change_imprints(batch, "speed/directness", lambda _, a: a * np.nan)
    assert "pick: operator, directness" not in looked(nan, "batch.reproducibility")


def test_a_turned_camera_counts_as_moved():
    batch = make_healthy_batch()
    first, second = batch.calibrations
    turn = np.radians(2.0)
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    turned = replace(batch, calibrations=(first, replace(second, parent_from_child=tuple(map(tuple, pose.tolist())))))
    assert looked(turned, "batch.calibration_shift")["camera/overhead (arm-1)"].value == pytest.approx(17.5, abs=0.1)


def test_a_calibration_that_failed_or_is_of_another_time_does_not_count():
    batch = make_healthy_batch()
    first, second = batch.calibrations
    failed = replace(batch, calibrations=(first, replace(second, status=Status.FAILED)))
    assert looked(failed, "batch.calibration_shift")["camera/overhead (arm-1)"].value == 0.0
    late = replace(batch, calibrations=(replace(second, valid_from_ns=2**62),))
    assert looked(late, "batch.calibration_shift") == {}


def test_a_few_episodes_cannot_fail_an_operators_share():
    few = make_healthy_batch(Shape(1, 6))
    few = relabel(few, lambda i, _: {"operator": f"operator-{i % 3}"})
    assert {f.status for f in answers(few, "batch.operator_share").values()} == {Status.CANNOT_TELL}
    many = relabel(make_healthy_batch(), lambda i, _: {"operator": f"operator-{i % 2}"})
    assert {f.status for f in answers(many, "batch.operator_share").values()} == {Status.FAILED}
    fair = make_healthy_batch()
    assert {f.status for f in answers(fair, "batch.operator_share").values()} == {Status.PASSED}
