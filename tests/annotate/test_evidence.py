"""Contact, result and grasp type are proposed only where a signal shows them."""

import numpy as np
import pytest
from tests.annotate.planted_joints import JOINT_NAMES, coarse_edges, joints, opening, recorded, stream, times
from tests.annotate.staged_pick import edges, force

from fieldloop.annotate import propose_labels
from fieldloop.annotate.confidence import compute_confidence, measure_calibration_error, measure_reliability
from fieldloop.annotate.measures import load_proposal_measures
from fieldloop.model.stream import StreamKind

T = times(100.0)
ARM = stream("joints", T, joints(T), JOINT_NAMES, unit="rad")


def labels(recording, *kinds):
    return [a for a in propose_labels(recording, author="m").annotations if a.kind in kinds]


def codes(recording):
    return {fact.code for fact in propose_labels(recording, author="m").cannot_tell}


def gripper(width, unit="m", name="gripper"):
    return stream(name, T, np.atleast_2d(width).T, ("gripper",), StreamKind.GRIPPER, unit)


def hold_width(during):
    """The opening in metres, with `during` between closed and opening."""
    closed, opens = coarse_edges()[1] + 0.15, coarse_edges()[3]
    return np.where((closed < T) & (opens > T), during, 0.08 * opening(T))


@pytest.mark.parametrize(
    ("width", "found"),
    [
        (lambda: 0.08 * opening(T), ["success"]),
        (lambda: hold_width(0.0), ["failure", "missed-grasp"]),
        (lambda: hold_width(np.where(coarse_edges()[2] + 0.8 > T, 0.043, 0.0)), ["failure", "drop"]),
    ],
)
def test_an_opening_in_metres_shows_whether_the_item_was_held(width, found):
    assert sorted(a.label for a in labels(recorded(ARM, gripper(width())), "success", "failure")) == sorted(found)


def test_a_drop_begins_where_the_fingers_shut():
    at = coarse_edges()[2] + 0.8
    (drop,) = labels(recorded(ARM, gripper(hold_width(np.where(at > T, 0.043, 0.0)))), "failure")
    assert (drop.start_ns - ARM.times_ns[0]) / 1e9 == pytest.approx(at, abs=0.05)


def test_without_a_unit_the_result_is_unknown():
    recording = recorded(ARM, gripper(20 * opening(T), unit=""))
    assert labels(recording, "success", "failure") == []
    assert "propose.result_unknown" in codes(recording)


def test_fingers_that_stay_short_of_their_command_hold_something():
    shut = np.where((coarse_edges()[1] < T) & (coarse_edges()[3] > T), 0.0, opening(T))
    state = stream("s", T, np.column_stack([joints(T), opening(T)]), (*JOINT_NAMES, "gripper"))
    action = stream("a", T, np.column_stack([joints(T), shut]), (*JOINT_NAMES, "gripper"), StreamKind.ACTION)
    assert [a.label for a in labels(recorded(state, action), "success")] == ["success"]


def test_effort_shows_the_contact():
    pressed = force(T, edges()) + np.random.default_rng(0).normal(0, 0.1, len(T))
    effort = stream("gripper/effort", T, pressed[:, None], ("gripper",), StreamKind.GRIPPER, "N")
    (contact,) = labels(recorded(ARM, gripper(0.08 * opening(T)), effort), "contact")
    begin, end = ((at - ARM.times_ns[0]) / 1e9 for at in (contact.start_ns, contact.end_ns))
    assert begin == pytest.approx(coarse_edges()[1] + 0.11, abs=0.05)
    assert end == pytest.approx(coarse_edges()[3], abs=0.05)


def test_effort_that_only_scatters_shows_no_contact():
    effort = np.random.default_rng(0).normal(0, 0.1, len(T))
    noise = stream("gripper/effort", T, effort[:, None], ("gripper",), StreamKind.GRIPPER, "N")
    assert labels(recorded(ARM, gripper(0.08 * opening(T)), noise), "contact") == []


HAND = ("thumb", "index", "middle", "ring", "pinky")


@pytest.mark.parametrize(
    ("closing", "found"),
    [(HAND, ["power"]), (HAND[:2], ["precision-pinch"]), (HAND[:3], ["tripod"]), (HAND[1:3], [])],
)
def test_the_type_of_grasp_follows_from_the_fingers_that_close(closing, found):
    moving = [opening(T) if finger in closing else 1 + 0.03 * np.sin(T) ** 2 for finger in HAND]
    names = (*JOINT_NAMES, *(f"right_{finger}" for finger in HAND))
    recording = recorded(stream("s", T, np.column_stack([joints(T), *moving]), names))
    assert [a.label for a in labels(recording, "grasp")] == found


def test_a_gripper_of_two_jaws_does_not_state_the_type_of_grasp():
    recording = recorded(ARM, gripper(0.08 * opening(T)))
    assert labels(recording, "grasp") == []
    assert "propose.no_grasp_type" in codes(recording)


def test_confidence_rises_with_clearness_and_stays_below_its_limit():
    numbers = load_proposal_measures()
    for method in ("joints", "tool"):
        rising = [compute_confidence(clear, method, numbers) for clear in np.linspace(0, 1, 20)]
        assert rising == sorted(rising)
        assert 0 < rising[0] < rising[-1] <= numbers["confidence_most"]


def test_reliability_counts_everything_once():
    judged = [(0.1, False), (0.5, True), (0.5, False), (1.0, True), (0.97, True)]
    rows = measure_reliability(judged)
    assert sum(row.count for row in rows) == len(judged)
    assert [row.right for row in rows] == [0.0, 0.5, 1.0]
    assert measure_calibration_error(rows) == pytest.approx((0.1 + 0.0 + 0.03) / 5)
