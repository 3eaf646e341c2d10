"""Units that are proposed: what a stream's name says, and what its numbers deny."""

import tomllib

import numpy as np
import pytest

from fieldloop.ingest.mapping import apply_mapping, parse_mapping, propose_mapping
from fieldloop.ingest.units import FARTHEST_M, guess_unit
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.testing.synthetic import make_healthy_recording, replace_streams


def with_stream(name, kind, width, *, reach=1.0, **fields):
    values = np.tile(np.linspace(-reach, reach, 50)[:, None], (1, width))
    clocks = {ClockKind.LOG: np.arange(50) * 10_000_000}
    return replace_streams(
        make_healthy_recording(), {name: Stream(name, kind, values=values, clocks=clocks, **{"unit": "", **fields})}
    )


def proposed(made, name):
    """Return the unit proposed for a stream, and its line."""
    text = propose_mapping([made], "logs")
    assert not apply_mapping(parse_mapping(text, "proposed"), made).defects
    block = text.split(f'[streams."{name}"]')[1].split("\n\n")[0]
    line = next((line for line in block.splitlines() if "unit" in line), "")
    return tomllib.loads(text)["streams"][name].get("unit"), line


@pytest.mark.parametrize(
    ("name", "kind", "width", "unit"),
    [
        ("arm/tcp_mm", StreamKind.POSE, 3, "mm"),
        ("arm/tcp_cm", StreamKind.POSE, 3, "cm"),
        ("arm/tcp_mm", StreamKind.POSE, 7, ["mm", "mm", "mm", "", "", "", ""]),
        ("q_deg", StreamKind.JOINT_POSITION, 6, "deg"),
        ("q_deg", StreamKind.OTHER, 6, "deg"),
        ("imu_g", StreamKind.IMU, 3, "g"),
        ("imu_g", StreamKind.IMU, 6, ["g", "g", "g", "rad/s", "rad/s", "rad/s"]),
        ("gripper/width_mm", StreamKind.GRIPPER, 1, "mm"),
    ],
)
def test_a_unit_in_the_name_is_proposed_live(name, kind, width, unit):
    found, line = proposed(with_stream(name, kind, width), name)
    assert found == unit
    assert "stated in its name" in line


@pytest.mark.parametrize(
    ("name", "kind", "width", "fields"),
    [
        ("arm/tcp_mm", StreamKind.POSE, 3, {"unit": "m"}),  # the log states it
        ("arm/tcp_mm", StreamKind.POSE, 6, {}),  # three of them are no lengths
        ("joints/velocity_deg", StreamKind.JOINT_VELOCITY, 6, {}),  # no angle but a rate
        ("arm/g", StreamKind.POSE, 3, {}),
        ("plate_mm_cm", StreamKind.POSE, 3, {}),
    ],
)
def test_a_word_that_does_not_settle_it_is_not_followed(name, kind, width, fields):
    assert "stated in its name" not in proposed(with_stream(name, kind, width, **fields), name)[1]


def test_an_assumed_unit_gives_way_to_the_name():
    made = with_stream("arm/tcp_mm", StreamKind.POSE, 3, unit="m", notes={"unit": "metres are assumed"})
    assert proposed(made, "arm/tcp_mm")[0] == "mm"


@pytest.mark.parametrize(("factor", "unit"), [(0.9, None), (1.1, "mm")])
def test_how_far_an_arm_reaches_is_one_number(factor, unit):
    made = with_stream("arm/spot", StreamKind.POSE, 3, reach=FARTHEST_M * factor)
    assert proposed(made, "arm/spot")[0] == unit
    assert (guess_unit(StreamKind.POSE, made.streams["arm/spot"].values)[0] == "") == (unit == "mm")
