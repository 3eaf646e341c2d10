"""From a calibration, an operator or a robot to every release and policy that it touched, and to no other."""

from dataclasses import replace

import pytest
from tests.loop.test_release_refused import START, keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.run.trust import trace
from fieldloop.loop.ship.policy import register_policy
from fieldloop.loop.ship.release import freeze_release
from fieldloop.model.calibration import Calibration
from fieldloop.model.event import CalibrationAttached, EpisodeRelabelled, ReleaseExported
from fieldloop.model.finding import Status
from fieldloop.model.stream import NS_PER_DAY

HERE = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))


def calibration(name, day):
    return Calibration(
        name, "extrinsic", "arm-1", "camera/wrist", "base", "camera/wrist", HERE, "park", 0.5, 0.1, 20, Status.PASSED,
        valid_from_ns=START + day * NS_PER_DAY,
    )  # fmt: skip


@pytest.fixture
def shipped(site):  # noqa: F811
    """Two halls, two calibrations one after the other, two releases, a policy of each."""
    site.write(CalibrationAttached(calibration("cal-old", 0)), CalibrationAttached(calibration("cal-bad", 6)))
    lab = make_episodes(10)
    keep(site, lab)
    hall = [replace(e, id="ee" + e.id[2:], site="hall-2", robot="arm-2", session=f"h-{e.session}") for e in lab]
    keep(site, hall, log="cd")
    freeze_release(site, "lab", where=("site=lab",), override="few sessions")
    freeze_release(site, "hall", where=("site=hall-2",), override="few sessions")
    for name in ("lab", "hall"):
        register_policy(site, f"p-{name}", release=name)
    return site


def names(touched):
    return {one.name for one in touched.releases}, {one.name for one in touched.policies}


def test_a_bad_calibration_names_what_was_recorded_under_it(shipped):
    found = trace(shipped, calibration="cal-bad")
    assert names(found) == ({"lab"}, {"p-lab"})
    (release,) = found.releases
    assert (release.episodes, release.of) == (32, 80), "four of ten days"
    assert release.train + release.validation == 32
    assert len(found.episodes) == 32
    assert found.not_released == 0


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"robot": "arm-2"}, ({"hall"}, {"p-hall"})),
        ({"site": "lab"}, ({"lab"}, {"p-lab"})),
        ({"operator": "op-1"}, ({"lab", "hall"}, {"p-lab", "p-hall"})),
        ({"session": "h-session-3"}, ({"hall"}, {"p-hall"})),
        ({"episode": "00" * 32}, ({"lab"}, {"p-lab"})),
    ],
)
def test_one_thing_names_what_rests_on_it(shipped, asked, expected):
    assert names(trace(shipped, **asked)) == expected


def test_a_corrected_operator_still_touches_the_release_that_was_frozen_before(shipped):
    before = next(e for e in make_episodes(10) if e.operator == "op-2")
    shipped.write(EpisodeRelabelled(replace(before, operator="op-9"), before))
    now = trace(shipped, operator="op-9")
    assert (names(now), now.not_released) == ((set(), set()), 1)
    assert "lab" in names(trace(shipped, operator="op-2"))[0]


def test_exports_are_listed(shipped):
    release = trace(shipped, site="lab").releases[0]
    shipped.write(ReleaseExported(release.release, "set-for-anna", "LeRobot v3.0", 80, 800, "camera", (), ()))
    assert trace(shipped, site="lab").releases[0].exported == ("set-for-anna",)


def test_one_thing_at_a_time_and_only_what_is_known(shipped):
    with pytest.raises(BadInput, match="Name one thing"):
        trace(shipped)
    with pytest.raises(BadInput, match="Name one thing"):
        trace(shipped, "p-lab", robot="arm-1")
    with pytest.raises(UnknownName, match="op-1"):
        trace(shipped, operator="op-11")
    assert trace(shipped, "p-lab").release
