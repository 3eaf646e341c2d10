"""Nothing is released whose time nobody verified; a measurement, or the episodes' own content, verifies a device."""

import dataclasses

import numpy as np
import pytest
from tests.doors.story import NOW

from fieldloop.check.batch import alignment
from fieldloop.check.batch_case import Batch
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.collect.synchronisation import (
    _find_content_lag_ms,
    list_clock_reasons,
    list_unverified_devices_of_robot,
    verify_device_clock,
)
from fieldloop.loop.home.pages import list_newest_first
from fieldloop.loop.ship.release import freeze_release, write_release_datasheet
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.event import DatasetJudged, LogIngested, RobotRegistered, SynchronisationVerified
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.hardware import Robot
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import Subject
from fieldloop.model.quality import DatasetReport
from fieldloop.model.release import Release
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence
from fieldloop.simulate.clock import SimulatedClock
from fieldloop.store import open_store
from fieldloop.testing.samples import make_sample_noun

DECLARED = """
[protocol]
name = "pick"
version = 1
[sensors."camera/wrist"]
kind = "rgb"
required = true
synchronised_by = "PTP"
[synchronisation."camera/wrist"]
max_offset_ms = 5.0
verify_every_days = 30
"""
DAY = 86_400 * 10**9


@pytest.fixture
def plain(tmp_path):
    """A workspace with one episode, under a protocol that declares nothing."""
    create_workspace(tmp_path / "plain")
    opened = open_workspace(tmp_path / "plain", store=open_store("sqlite://"), clock=SimulatedClock(NOW))
    episode = dataclasses.replace(make_sample_noun(Episode), robot="arm-1", task="pick")
    opened.write(LogIngested(make_sample_noun(Log), (episode,)))
    yield opened
    opened.close()


@pytest.fixture
def declared(plain):
    """The same under a protocol that declares one camera."""
    return declare(plain)


def declare(workspace):
    (workspace.root / "protocols" / "pick.toml").write_text(DECLARED)
    workspace.__dict__.pop("protocols", None)
    return workspace


def reasons(workspace, robot="arm-1", at_ns=None):
    return [one.reason.code for one in list_unverified_devices_of_robot(workspace, robot, at_ns=at_ns)]


def test_where_nothing_is_declared_nothing_is_asked_for(plain):
    assert reasons(plain) == []
    assert list_clock_reasons(plain, plain.store.find(Episode), {}) == []


def test_a_measurement_verifies_its_robot_and_no_other(declared):
    assert reasons(declared) == ["protocol.clock_never_verified"]
    made = verify_device_clock(declared, "camera/wrist", robot="arm-1", offset_ms=-1.2, how="a lamp")
    assert (made.offset_ms, made.robot) == (1.2, "arm-1")
    assert reasons(declared) == []
    assert reasons(declared, "arm-2")
    assert reasons(declared, at_ns=made.at_ns + 31 * DAY) == ["protocol.clock_verified_too_long_ago"]
    verify_device_clock(declared, "camera/wrist", robot="arm-1", offset_ms=6.0, how="a lamp")
    assert reasons(declared) == ["protocol.clock_too_far_off"], "the newest one counts"
    declared.store.rebuild_tables()
    assert len(list_newest_first(declared, SynchronisationVerified)) == 2


def test_a_device_of_two_tasks_is_named_once(declared):
    (declared.root / "protocols" / "sort.toml").write_text(DECLARED.replace('"pick"', '"sort"'))
    declared.__dict__.pop("protocols", None)
    first = declared.store.find(Episode)[0]
    both = [first, dataclasses.replace(first, id="b" * 64, task="sort")]
    (reason,) = list_clock_reasons(declared, both, {})
    assert reason["device"] == "camera/wrist of arm-1"


def test_a_camera_is_not_declared_by_a_sensor_of_the_same_beginning(declared):
    (declared.root / "protocols" / "pick.toml").write_text(
        DECLARED.replace("camera/wrist", "wrist").replace("rgb", "force_torque")
    )
    declared.__dict__.pop("protocols", None)
    one = declared.store.find(Episode)[0]
    found = Finding("vision.frozen", Subject(stream="wrist/camera"), Status.PASSED, 0.0, None, 1.0, "")
    reasons_ = list_clock_reasons(declared, [one], {one.id: EpisodeReport(one.id, one.name, Status.PASSED, (found,))})
    assert [r["stream"] for r in reasons_ if r.code == "release.device_undeclared"] == ["wrist/camera"]


def test_a_release_is_refused_or_says_who_went_on(full_site):
    declared = declare(full_site)
    with pytest.raises(Refused, match=r"camera/wrist of arm-1: (.|\n)*--override") as refused:
        freeze_release(declared, "r9")
    clock = next(one for one in refused.value.reasons if one.code == "release.clock_not_verified")
    assert (clock["device"], clock["why"].code) == ("camera/wrist of arm-1", "protocol.clock_never_verified")
    assert len(list_newest_first(declared, Release)) == 1
    frozen = freeze_release(declared, "r9", override="a pilot")
    assert frozen.override == "a pilot (overridden by local)"
    assert frozen.overridden == refused.value.reasons
    assert declared.store.get(Release, frozen.id).override == frozen.override
    sheet = write_release_datasheet(declared, "r9")
    assert "a pilot (overridden by local)" in sheet
    assert "camera/wrist of arm-1: The clock is declared as PTP" in sheet
    assert freeze_release(declared, "r9") == frozen, "what is frozen is not asked again"


def test_a_verified_release_needs_no_override(full_site):
    verify_device_clock(declare(full_site), "camera/wrist", robot="arm-1", offset_ms=1.0, how="a lamp")
    reasons = list_clock_reasons(full_site, full_site.store.find(Episode, {"robot": "arm-1"}), {})
    assert reasons == []


def test_what_was_recorded_long_after_the_last_verification_is_refused(declared):
    verify_device_clock(declared, "camera/wrist", robot="arm-1", offset_ms=1.0, how="a lamp")
    verified = list_newest_first(declared, SynchronisationVerified)[0].at_ns
    (one, *_) = declared.store.find(Episode)
    fresh = dataclasses.replace(one, start_ns=verified, end_ns=verified + 29 * DAY)
    assert list_clock_reasons(declared, [fresh], {}) == []
    late = dataclasses.replace(fresh, end_ns=verified + 31 * DAY)
    (reason,) = list_clock_reasons(declared, [fresh, late], {})
    assert "verified 31 days ago" in write_sentence(reason)


def judged(workspace, *findings):
    workspace.write(DatasetJudged(DatasetReport("pick v1", "f", Status.PASSED, {}, findings)))


def lag(about, status=Status.PASSED, low=-2.0, high=0.5):
    return Finding("batch.content_lag", about, status, 0.8, None, 5.0, "ms", low=low, high=high)


def rig(robot, stream="camera/wrist"):
    return Subject(stream=stream, rig=robot)


def test_content_verifies_only_what_it_passed(declared):
    with pytest.raises(Refused, match="fieldloop check"):
        verify_device_clock(declared, "camera/wrist", robot="arm-1", from_content=True)
    judged(declared, lag(rig("arm-1"), Status.CANNOT_TELL), lag(rig("arm-2")))
    with pytest.raises(Refused, match="does not verify camera/wrist"):
        verify_device_clock(declared, "camera/wrist", robot="arm-1", from_content=True)
    with pytest.raises(Refused, match="no lag of camera/overhead of arm-1"):
        verify_device_clock(declared, "camera/overhead", robot="arm-1", from_content=True)
    made = verify_device_clock(declared, "camera/wrist", robot="arm-2", from_content=True)
    assert made.offset_ms == 2.0, "the far end of the interval: it can be off by as much"
    assert made.how.startswith("estimated from content: The pictures differ")


def test_another_robots_content_is_not_taken(declared):
    judged(declared, lag(rig("arm-2")))
    with pytest.raises(Refused, match="no lag of"):
        verify_device_clock(declared, "camera/wrist", robot="arm-3", from_content=True)


def test_a_camera_whose_name_has_a_space_is_verified_by_its_own_lag(declared):
    """The name `camera/left arm` once ended up as 'arm', or as another camera's."""
    judged(declared, lag(rig("arm-1", "camera/left arm")), lag(rig("arm-1", "camera/left"), Status.FAILED))
    with pytest.raises(Refused, match="does not verify camera/left:"):
        _find_content_lag_ms(declared, "camera/left", "arm-1")
    assert _find_content_lag_ms(declared, "camera/left arm", "arm-1")[0] == 2.0
    for stream, robot in (("arm", "arm-1"), ("camera/left arm", "arm"), ("camera/left arm (arm-1)", "")):
        with pytest.raises(Refused, match="no lag of"):
            _find_content_lag_ms(declared, stream, robot)


def test_the_check_and_the_verification_name_the_same_rig(monkeypatch, declared):
    batch = Batch(
        (
            dataclasses.replace(make_sample_noun(Episode), robot="arm one"),
            dataclasses.replace(make_sample_noun(Episode, 1), robot=""),
        ),
        imprints={make_sample_noun(Episode, n).id: Imprint({"lag/camera/wrist/rows": np.zeros(1)}) for n in (0, 1)},
        protocol=default_protocol(),
    )
    monkeypatch.setattr(alignment, "estimate_pooled_lag", lambda *_: None)
    monkeypatch.setattr(alignment, "make_lag_measurement", lambda about, _, **__: about)
    subjects = list(alignment.measure_rig_lag.look(batch))
    assert len(subjects) == 2
    judged(declared, *map(lag, subjects))
    for robot in ("arm one", ""):
        assert verify_device_clock(declared, "camera/wrist", robot=robot, from_content=True).offset_ms == 2.0
    with pytest.raises(Refused, match="no lag of"):
        verify_device_clock(declared, "camera/wrist", robot="arm", from_content=True)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"offset_ms": float("nan"), "how": "a lamp"},
        {"offset_ms": 1.0},
        {"offset_ms": 1.0, "how": " "},
        {"offset_ms": 1.0, "from_content": True},
    ],
)
def test_half_a_measurement_is_none(declared, given):
    before = declared.store.get_last_seq()
    with pytest.raises(BadInput):
        verify_device_clock(declared, "camera/wrist", robot="arm-1", **given)
    assert declared.store.get_last_seq() == before


def test_a_slip_of_the_pen_verifies_nothing(declared):
    with pytest.raises(UnknownName, match="Did you mean 'camera/wrist'"):
        verify_device_clock(declared, "camera/wirst", robot="arm-1", offset_ms=1.0, how="a lamp")
    declared.write(RobotRegistered(Robot("arm-7", "sim6", "lab")))
    with pytest.raises(UnknownName, match="Did you mean 'arm-7'"):
        verify_device_clock(declared, "camera/wrist", robot="amr-7", offset_ms=1.0, how="a lamp")
    assert not list_newest_first(declared, SynchronisationVerified)
    for known in ("arm-7", "arm-1", ""):  # registered, seen in an episode, none
        verify_device_clock(declared, "camera/wrist", robot=known, offset_ms=1.0, how="a lamp")


def test_where_nothing_is_declared_any_name_will_do(plain):
    assert verify_device_clock(plain, "camera/left", robot="arm-9", offset_ms=1.0, how="a lamp").stream == "camera/left"


def test_it_is_kept_on_disk(tmp_path):
    create_workspace(tmp_path / "w")
    here = open_workspace(tmp_path / "w")
    verify_device_clock(here, "camera/wrist", offset_ms=1.0, how="a lamp")
    here.close()
    again = open_workspace(tmp_path / "w")
    assert [v.stream for v in list_newest_first(again, SynchronisationVerified)] == ["camera/wrist"]
    again.close()
