"""Our CDR is what two independent decoders read."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap_ros2._dynamic import generate_dynamic
from rosbags.typesys import Stores, get_typestore

from fieldloop_robot.messages import CompressedImage, Imu, JointState, PoseStamped, WrenchStamped

HUMBLE = get_typestore(Stores.ROS2_HUMBLE)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
WORD = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=9)
STAMP = st.integers(0, 2**31 * 10**9 - 1)


def decoders(message, stamp_ns):
    """Read the payload with both decoders."""
    payload = message.payload(stamp_ns)
    decode = generate_dynamic(message.TYPE, message.SCHEMA)[message.TYPE]
    return decode(payload), HUMBLE.deserialize_cdr(payload, message.TYPE)


def same_header(read, message, stamp_ns):
    assert read.header.stamp.sec * 10**9 + read.header.stamp.nanosec == stamp_ns
    assert read.header.frame_id == message.frame_id


@settings(max_examples=60)
@given(st.lists(WORD, max_size=4), st.lists(NUMBER, max_size=4), st.lists(NUMBER, max_size=3), WORD, STAMP)
def test_joint_states_of_any_length_and_name(names, position, velocity, frame, stamp_ns):
    message = JointState(tuple(names), position, velocity, (), frame)
    for read in decoders(message, stamp_ns):
        same_header(read, message, stamp_ns)
        assert list(read.name) == names
        assert list(read.position) == position
        assert list(read.velocity) == velocity
        assert list(read.effort) == []


@given(st.binary(max_size=40), st.sampled_from(["jpeg", "16UC1; png", "png"]), WORD, STAMP)
def test_compressed_images(data, kind, frame, stamp_ns):
    message = CompressedImage(kind, data, frame)
    for read in decoders(message, stamp_ns):
        same_header(read, message, stamp_ns)
        assert read.format == kind
        assert bytes(read.data) == data


@given(st.lists(NUMBER, min_size=6, max_size=6), WORD, STAMP)
def test_wrenches(values, frame, stamp_ns):
    message = WrenchStamped(values, frame)
    for read in decoders(message, stamp_ns):
        same_header(read, message, stamp_ns)
        force, torque = read.wrench.force, read.wrench.torque
        assert [force.x, force.y, force.z, torque.x, torque.y, torque.z] == values


@given(st.lists(NUMBER, min_size=6, max_size=6), WORD, STAMP)
def test_inertial_readings_say_that_no_orientation_is_known(values, frame, stamp_ns):
    message = Imu(values, frame)
    for read in decoders(message, stamp_ns):
        same_header(read, message, stamp_ns)
        felt, turning = read.linear_acceleration, read.angular_velocity
        assert [felt.x, felt.y, felt.z, turning.x, turning.y, turning.z] == values
        assert read.orientation_covariance[0] == -1.0


@given(st.lists(NUMBER, min_size=7, max_size=7), WORD, STAMP)
def test_poses(values, frame, stamp_ns):
    message = PoseStamped(values, frame)
    for read in decoders(message, stamp_ns):
        same_header(read, message, stamp_ns)
        place, turn = read.pose.position, read.pose.orientation
        assert [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w] == values


def test_numbers_that_are_none_survive_as_such():
    read, other = decoders(WrenchStamped([math.nan, math.inf, -math.inf, 0.0, 0.0, 0.0]), 5)
    for message in (read, other):
        assert math.isnan(message.wrench.force.x)
        assert message.wrench.force.y == math.inf


@pytest.mark.parametrize("message", [WrenchStamped([1.0]), Imu([1.0]), PoseStamped([])])
def test_a_message_of_the_wrong_length_is_no_message(message):
    with pytest.raises(Exception, match=r"unpack|expected"):
        message.payload(0)
