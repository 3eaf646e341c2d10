"""House conventions: proposed with reasons, read with suspicion, applied without touching the log."""

import math
import tomllib
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fieldloop.errors import BadInput
from fieldloop.ingest.mapping import apply_mapping, parse_mapping, propose_mapping
from fieldloop.ingest.mapping.axes import DIRECTIONS, find_rep_103_rotation, rotate_poses, rotate_vectors
from fieldloop.ingest.mapping.units import FACTORS, SI, find_si_unit_and_factor
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.synthetic import make_healthy_recording, replace_streams


def mapping(text):
    return parse_mapping(f'schema = "mapping/1"\n{text}', "mapping.toml")


def changed(name, **fields):
    made = make_healthy_recording()
    return replace_streams(made, {name: replace(made.streams[name], **fields)})


def test_what_is_proposed_can_be_read_and_changes_nothing_that_is_right_already():
    made = make_healthy_recording()
    told = apply_mapping(parse_mapping(propose_mapping([made], "logs"), "proposed"), made)
    assert not told.defects
    assert {s.kind for s in told.streams.values()} == {s.kind for s in made.streams.values()}
    for name in ("joints", "gripper", "force", "imu", "tool", "action"):
        assert np.array_equal(told.streams[name].values, made.streams[name].values), name
    assert told.episode == made.episode


@pytest.mark.parametrize(
    ("name", "factor", "unit"),
    [("joints", 180 / math.pi * 5, '"deg"'), ("tool", 1000.0, '["mm", "mm", "mm", "", "", "", ""]')],
)
def test_numbers_that_cannot_be_what_they_claim_are_asked_about(name, factor, unit):
    values = np.array(make_healthy_recording().streams[name].values)
    values[:, :3] *= factor
    (line,) = (
        at
        for at in propose_mapping([changed(name, values=values)], "logs").splitlines()
        if at.startswith(f"unit = {unit}")
    )
    assert "hardly" in line


def test_an_imu_at_rest_tells_g_from_metres_per_second_squared():
    imu = make_healthy_recording().streams["imu"]
    resting = np.array(imu.values) * 0.1 + [0, 0, 1, 0, 0, 0]
    assert '"g", "g", "g", "rad/s"' in propose_mapping([changed("imu", values=resting)], "logs")
    assert '"g"' not in propose_mapping([changed("imu", values=resting * 9.81)], "logs")


def test_what_cannot_be_determined_stays_a_comment():
    wide = changed("gripper", values=np.array(make_healthy_recording().streams["gripper"].values) * 1000, unit="")
    text = propose_mapping([wide], "logs")
    assert '# unit = "mm"' in text
    assert "unit" not in tomllib.loads(text)["streams"]["gripper"]


def test_facts_of_the_log_are_offered_for_what_the_episode_leaves_open():
    made = make_healthy_recording(operator="", site="", facts=(("session.operator_id", "p17"),))
    text = propose_mapping([made], "logs")
    assert 'operator = { fact = "session.operator_id" }  # here: p17' in text
    assert '# site = ""' in text
    assert apply_mapping(parse_mapping(text, "x"), made).episode.operator == "p17"


def test_names_units_columns_and_frames_are_translated():
    made = changed(
        "joints", values=np.degrees(make_healthy_recording().streams["joints"].values), unit="", frame_id="robot_base"
    )
    names = ", ".join(f'"axis_{i}"' for i in range(6))
    told = apply_mapping(
        mapping(
            f'[streams."joints"]\nname = "arm"\nunit = "deg"\ncolumns = [{names}]\nserial = "SN7"\n'
            '[streams."joints/*"]\ndrop = true\n[frames]\nrobot_base = "base_link"\n'
            '[episode]\nsite = "hall 2"\nsimulated = false\n[conditions]\nlighting = "dim"\n'
        ),
        made,
    )
    arm = told.streams["arm"]
    assert "joints" not in told.streams
    assert "joints/velocity" not in told.streams
    np.testing.assert_allclose(arm.values, make_healthy_recording().streams["joints"].values)
    assert (arm.unit, arm.frame_id, arm.serial, arm.columns[5]) == ("rad", "base_link", "SN7", "axis_5")
    assert arm.notes["recorded_unit"] == "deg"
    assert arm.unit_stated
    assert (told.episode.site, told.episode.simulated) == ("hall 2", False)
    assert str(told.episode.stratum) == "bin=front,lighting=dim"
    assert told.episode.id == made.episode.id, "the bytes are the same, so the episode is"


def test_what_the_log_does_not_allow_is_a_defect_and_the_stream_stays():
    told = apply_mapping(
        mapping('[streams.joints]\nunit = ["deg", "deg"]\n[streams.force]\naxes = "right down forward"'),
        make_healthy_recording(),
    )
    (defect,) = told.defects
    assert (defect.subject, defect.place) == ("joints", "mapping")
    assert np.array_equal(told.streams["joints"].values, make_healthy_recording().streams["joints"].values)
    assert not np.array_equal(told.streams["force"].values, make_healthy_recording().streams["force"].values)


def test_one_line_that_does_not_fit_costs_that_line_alone():
    told = apply_mapping(
        mapping('[streams.joints]\nname = "arm"\nunit = "deg"\nkind = "pose"\naxes = "right down forward"'),
        make_healthy_recording(),
    )
    assert "axes are given" in told.defects[0].message["reason"]
    np.testing.assert_allclose(
        told.streams["arm"].values, np.radians(make_healthy_recording().streams["joints"].values)
    )


def test_two_streams_never_melt_into_one():
    told = apply_mapping(mapping('[streams."camera/*"]\nname = "camera/main"'), make_healthy_recording())
    assert {"camera/main", "camera/wrist"} <= told.streams.keys()
    assert write_note_facts(told.defects[0].message) == "ingest.mapping_name_taken name=camera/main"


def test_a_name_that_another_stream_has_is_not_taken_from_it():
    told = apply_mapping(mapping('[streams.gripper]\nname = "joints"'), make_healthy_recording())
    assert told.streams.keys() == make_healthy_recording().streams.keys()
    assert told.streams["joints"].kind is StreamKind.JOINT_POSITION
    assert write_note_facts(told.defects[0].message) == "ingest.mapping_name_taken name=joints"
    swapped = apply_mapping(
        mapping('[streams.gripper]\nname = "joints"\n[streams.joints]\nname = "gripper"'), make_healthy_recording()
    )
    assert swapped.streams["joints"].kind is StreamKind.GRIPPER
    assert not swapped.defects


def test_a_unit_for_some_columns_leaves_the_unit_of_the_stream_clean():
    told = apply_mapping(mapping('[streams.tool]\nunit = ["mm", "mm", "mm", "", "", "", ""]'), make_healthy_recording())
    assert told.streams["tool"].unit == "m"


def test_one_bad_condition_costs_one_condition():
    told = apply_mapping(mapping('[conditions]\nlighting = "dim"\nbin = "a,b"'), make_healthy_recording())
    assert str(told.episode.stratum) == "bin=front,lighting=dim"
    assert write_note_facts(told.defects[0].message) == "ingest.condition_invalid condition=bin=a,b"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[streams.joints]\nunit = "furlong"', "unit 'furlong' is not known"),
        ('[streams.joints]\nkind = "joint"', "is not one of"),
        ('[streams.joints]\nunits = "deg"', "unknown key"),
        ('[streams.joints]\naxes = "up up up"', "not a right-handed frame"),
        ('[streams.joints]\naxes = "north"', "Axes must state where"),
        ('[streams.a]\nname = "x"\n[streams.b]\nname = "x"', "the same name"),
        ("[topics]\n", "unknown table"),
        ('[episode]\nweather = "fine"', "unknown key"),
        ("[episode]\noperator = { fakt = 1 }", "must be a text"),
        ("streams = 3", "must be a table"),
        ("[streams", "not valid TOML"),
    ],
)
def test_a_slip_of_the_pen_is_named_before_a_log_is_opened(text, said):
    with pytest.raises(BadInput, match=said):
        mapping(text)


def test_a_file_of_another_kind_is_refused():
    with pytest.raises(BadInput, match="must state"):
        parse_mapping("name = 'protocol'", "protocol.toml")


@pytest.mark.parametrize("unit", FACTORS)
def test_every_unit_leads_to_si(unit):
    si, factor = find_si_unit_and_factor(unit)
    assert si in SI
    assert factor > 0


RIGHT_HANDED = [
    " ".join(words)
    for words in permutations(DIRECTIONS, 3)
    if round(np.linalg.det(np.asarray([DIRECTIONS[w] for w in words]).T)) == 1
]


@given(st.sampled_from(RIGHT_HANDED), st.lists(st.floats(-10, 10), min_size=6, max_size=6))
def test_turning_keeps_lengths_and_angles(axes, numbers):
    turn = find_rep_103_rotation(axes)
    before = np.asarray(numbers).reshape(1, 6)
    after = rotate_vectors(before, turn)
    np.testing.assert_allclose(np.linalg.norm(after[:, :3]), np.linalg.norm(before[:, :3]), atol=1e-9)
    np.testing.assert_allclose(after[0, :3] @ after[0, 3:], before[0, :3] @ before[0, 3:], atol=1e-9)


@given(st.sampled_from(RIGHT_HANDED), st.integers(0, 1000))
def test_a_turned_pose_moves_points_as_the_turned_frame_sees_them(axes, seed):
    turn, rng = find_rep_103_rotation(axes), np.random.default_rng(seed)
    place, facing, point = rng.normal(size=3), Rotation.random(rng=rng), rng.normal(size=3)
    (pose,) = rotate_poses(np.concatenate([place, facing.as_quat()])[None], turn)
    seen = Rotation.from_quat(pose[3:]).apply(point) + pose[:3]
    np.testing.assert_allclose(seen, turn @ (facing.apply(point) + place), atol=1e-9)


def test_the_axes_a_camera_uses():
    looking_ahead = Stream(
        "d", StreamKind.FORCE_TORQUE, "N", {ClockKind.LOG: np.zeros(1, np.int64)}, np.asarray([[0.0, 0, 2]])
    )
    made = replace_streams(make_healthy_recording(), {"d": looking_ahead})
    told = apply_mapping(mapping('[streams.d]\naxes = "right down forward"'), made)
    assert told.streams["d"].values.tolist() == [[2.0, 0, 0]]
