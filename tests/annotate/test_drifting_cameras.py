"""A camera with a picture for each sample of the joints, on a clock that runs otherwise, is named."""

import numpy as np
import pytest
from tests.annotate.planted_joints import JOINT_NAMES, joints, opening, recorded, stream, times

from fieldloop.annotate import propose_labels
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

T = times()
STATE = stream("state", T, np.column_stack([joints(T), opening(T)]), (*JOINT_NAMES, "gripper"))


class Pictures:
    """Pictures that are never looked at."""


def camera(stretch=1.0, count=None):
    stamps = STATE.times_ns[0] + np.round(T[:count] * stretch * NS_PER_S).astype(np.int64)
    return Stream("camera/front", StreamKind.RGB, "8-bit", {ClockKind.LOG: stamps}, None, Pictures())


def find_drift(*streams):
    notes = propose_labels(recorded(*streams), author="m").cannot_tell
    return [dict(fact.numbers) for fact in notes if fact.code == "propose.pictures_drift"]


@pytest.mark.parametrize(("stretch", "count", "named"), [(1.0, len(T), 0), (0.92, len(T), 1), (0.92, len(T) - 9, 0)])
def test_only_a_camera_with_a_picture_a_sample_can_be_compared(stretch, count, named):
    assert len(find_drift(STATE, camera(stretch, count))) == named


@pytest.mark.parametrize("stretch", [1.0, 0.92])
def test_where_a_segment_lies_in_drifting_pictures_has_no_confidence(stretch):
    proposal = propose_labels(recorded(STATE, camera(stretch)), author="m")
    phases = [a.confidence for a in proposal.annotations if a.kind == "phase"]
    assert len(phases) == 5
    assert "propose.not_in_taxonomy" not in {fact.code for fact in proposal.cannot_tell}
    assert all((sure is None) == (stretch < 1) for sure in phases)


def test_both_lengths_are_stated():
    (drift,) = find_drift(STATE, camera(0.92))
    assert drift["joints_s"] == pytest.approx(T[-1] - T[0])
    assert drift["pictures_s"] == pytest.approx(0.92 * (T[-1] - T[0]))
