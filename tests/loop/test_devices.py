"""Every device that a recording carries counts against the declared ones; what is derived or commanded does not."""

from dataclasses import replace

import pytest
from tests.loop.test_release_refused import JOINTS_ONLY, keep, make_episodes

from fieldloop.errors import Refused
from fieldloop.loop.collect.devices import find_undeclared_devices, list_devices
from fieldloop.loop.collect.synchronisation import list_unverified_devices_of_robot
from fieldloop.loop.data.streams import StreamShown, cache_stream_list, describe_streams
from fieldloop.loop.floor.floor import verify_clocks
from fieldloop.loop.house import setup
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.event import DeploymentMapped
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import ABOUT_PROGRAMS, NOT_UNDERSTOOD
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import get_protocol_toml

WORDS = tuple(default_operations()["release"]["sensor_words"])


def shown(name, kind, samples=100, hz=100.0, serial="", notes=()):
    return StreamShown(name, kind, "", samples, hz, ("header",), "", "", serial, notes)


JOINTS = shown("joints", StreamKind.JOINT_POSITION)
APART = {
    "gripper": shown("gripper", StreamKind.GRIPPER, 60, 60.0),
    "force": shown("force", StreamKind.FORCE_TORQUE),
    "imu": shown("imu", StreamKind.IMU),
    "glove": shown("glove", StreamKind.HAND_POSE),
    "depth/wrist": shown("depth/wrist", StreamKind.DEPTH, 30, 30.0),
    "tactile/left": shown("tactile/left", StreamKind.OTHER, notes=((NOT_UNDERSTOOD, "unknown type"),)),
    "audio": shown("audio", StreamKind.OTHER),
    "right/joints": shown("right/joints", StreamKind.JOINT_POSITION),
}
NONE = {
    "action": shown("action", StreamKind.ACTION),
    "joints/velocity": shown("joints/velocity", StreamKind.JOINT_VELOCITY),
    "effort": shown("effort", StreamKind.JOINT_EFFORT),
    "tool": shown("tool", StreamKind.POSE, 90, 90.0),
    "gripper in the joint message": shown("gripper", StreamKind.GRIPPER),
    "next.reward": shown("next.reward", StreamKind.OTHER),
    "empty": shown("camera/off", StreamKind.RGB, 0, None),
    "log": shown("audio/log", StreamKind.OTHER, notes=((ABOUT_PROGRAMS, "rcl_interfaces/msg/Log"),)),
    "by its name": shown("force_estimate", StreamKind.FORCE_TORQUE, notes=((NOT_UNDERSTOOD, "by its name"),)),
}


@pytest.mark.parametrize("name", APART)
def test_what_senses_with_its_own_clock_is_a_device(name):
    streams = (JOINTS, APART[name])
    assert [one.name for one in list_devices(streams, WORDS)] == ["joints", name]
    assert find_undeclared_devices(streams, {"joints"}, WORDS) == {name}
    assert find_undeclared_devices(streams, {"joints", name}, WORDS) == set()


@pytest.mark.parametrize("name", NONE)
def test_what_is_commanded_computed_or_beside_the_joints_is_not(name):
    assert [one.name for one in list_devices((JOINTS, NONE[name]), WORDS)] == ["joints"]


def test_without_joints_a_pose_is_what_was_sensed():
    assert find_undeclared_devices((NONE["tool"],), {"camera/wrist"}, WORDS) == {"tool"}


def test_parts_of_a_declared_device_are_declared():
    """A stream below a declared one, or with its serial number; but every camera needs a declaration of its own."""
    streams = (
        replace(JOINTS, serial="d1"), shown("imu", StreamKind.IMU, serial="d1"),
        shown("joints/imu", StreamKind.IMU), shown("depth", StreamKind.DEPTH, serial="d1"),
    )  # fmt: skip
    assert find_undeclared_devices(streams, {"joints"}, WORDS) == {"depth"}


def test_a_declared_sensor_does_not_declare_the_camera_beside_it():
    streams = (JOINTS, shown("wrist", StreamKind.FORCE_TORQUE), shown("wrist/camera", StreamKind.RGB, 30, 30.0))
    assert find_undeclared_devices(streams, {"joints", "wrist"}, WORDS) == {"wrist/camera"}
    assert find_undeclared_devices(streams, {"joints", "wrist", "wrist/camera"}, WORDS) == set()


@pytest.fixture
def site(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    opened.write(DeploymentMapped(Deployment("d", "pick", (), (), measured=(Exposure(Stratum.of(), 1.0),))))
    yield opened
    opened.close()


def test_a_release_names_every_undeclared_device_once_for_all_robots(site):
    episodes = [replace(e, robot=f"arm-{n % 2}") for n, e in enumerate(make_episodes(10))]
    keep(site, episodes)
    (site.root / "protocols" / "pick.toml").write_text(JOINTS_ONLY)
    site.__dict__.pop("protocols", None)
    for one in episodes[:2]:
        cache_stream_list(site, one.id, (JOINTS, *APART.values(), *NONE.values()))
    with pytest.raises(Refused, match=r'sensors\."force" in protocols/pick.toml') as refused:
        freeze_release(site, "r1")
    undeclared = {r["stream"]: r["device"] for r in refused.value.reasons if r.code == "release.device_undeclared"}
    assert set(undeclared) == set(APART) - {"joints"}
    assert undeclared["force"] == "force of arm-0 and arm-1"


def test_devices_that_lack_the_same_are_one_reason_with_the_command_that_verifies_them(site):
    keep(site, make_episodes(10))
    (site.root / "protocols" / "pick.toml").write_text(get_protocol_toml())
    site.__dict__.pop("protocols", None)
    with pytest.raises(Refused, match="fieldloop collect synchronise STREAM --robot ROBOT") as refused:
        freeze_release(site, "r1")
    clocks = [r["device"] for r in refused.value.reasons if r.code == "release.clock_not_verified"]
    assert clocks == [
        "action, force, gripper, imu and joints of arm-1",
        "camera/overhead, camera/wrist and depth/overhead of arm-1",
    ]


def test_where_nothing_is_declared_the_devices_are_named_without_what_is_derived(site):
    episodes = make_episodes(10)
    keep(site, episodes)
    cache_stream_list(site, episodes[0].id, (JOINTS, NONE["action"], NONE["effort"], NONE["tool"]))
    freeze_release(site, "r1")  # one device has nothing to be compared with
    cache_stream_list(site, episodes[2].id, (JOINTS, APART["force"], NONE["action"]))
    with pytest.raises(Refused, match="Synchronisation of force and joints cannot be verified"):
        freeze_release(site, "r2", where=("lighting=dim",), override="")


def test_the_floor_declares_and_verifies_every_device_that_its_logs_carry(site):
    floor = Floor(0)
    stratum = Stratum.of(site="leipzig", tier="high", bin="front", lighting="bright")
    made = floor.demonstrate(stratum, "op-amber", floor.make_random_generator("devices"), 1_790_000_000 * 10**9)
    streams = describe_streams(made.recording)
    (site.root / "protocols" / "pick.toml").write_text(get_protocol_toml())
    site.__dict__.pop("protocols", None)
    protocol = site.protocol("pick")
    assert {one.name for one in list_devices(streams, WORDS)} == set(protocol.sensors) - {"action"}
    verify_clocks(site, floor, "leipzig")
    assert list_unverified_devices_of_robot(site, "arm-leipzig-1", task="pick", at_ns=None) == []
