"""Monitor, home and floor judge the same window; mark and exit agree; without outcomes nothing can be told."""

import dataclasses
import io

import pytest

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.loop.audit.audit import audit
from fieldloop.loop.home.floor import show_floor
from fieldloop.loop.home.home import show_home
from fieldloop.loop.house import setup
from fieldloop.loop.run import monitor
from fieldloop.loop.run.outcomes import record_outcomes
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.condition import Stratum
from fieldloop.model.event import PolicyTrained, RolloutMoved
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.say.marks import MARKS
from fieldloop.store import open_shelf, open_store
from fieldloop.ui.pages.home import draw as draw_home
from fieldloop.ui.visit import Visit

NOW_NS = 1_760_000_000 * 10**9
OTHER = PolicyVersion("c" * 64, "p2", "", "reference", "b", 10, 0, 0.01, 5.0)
POLICY = PolicyVersion("a" * 64, "p1", "", "reference", "b", 10, 0, 0.01, 5.0)


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path)
    opened = open_workspace(
        tmp_path, store=open_store("sqlite://"), shelf=open_shelf("memory://"), clock=lambda: NOW_NS
    )
    audit(opened, example=True)
    audit(opened)
    opened.write(PolicyTrained(POLICY))
    yield opened
    opened.close()


def report(workspace, successes, attempts, at_ns, stage=Stage.PRODUCTION, policy=POLICY.id):
    """Record this many attempts within an hour before a time."""
    usual = Outcome("", policy, Stratum.of(site="gdansk"), stage, "gdansk", "r", at_ns, succeeded=True, judged_by="arm")
    record_outcomes(
        workspace,
        [
            dataclasses.replace(
                usual,
                id=f"{policy[:2]}-{stage}-{at_ns}-{n}",
                at_ns=at_ns - (attempts - n) * 36 * 10**9,
                succeeded=n < successes,
            )
            for n in range(attempts)
        ],
    )


def printed(result):
    stream = io.StringIO()
    show_result(result, Screen(stream))
    return stream.getvalue()


def stage_of(workspace):
    return next(stage for stage in show_home(workspace).stages if stage.key == "monitor")


def agree(workspace, status):
    """Check that the monitor, home and the floor give this status for the same window; return what is printed."""
    seen, now, shown = monitor.monitor(workspace), show_home(workspace), show_floor(workspace)
    assert seen.status is now.success.status is shown.success.status is status
    assert stage_of(workspace).mark == MARKS[status].level
    assert (seen.start_ns, seen.end_ns) == (now.success.current.start_ns, now.success.current.end_ns)
    assert seen.end_ns - seen.start_ns == 7 * NS_PER_DAY
    counted = [(rate.successes, rate.episodes) for rate in seen.rates if rate.episodes]
    assert counted == [(rate.successes, rate.episodes) for rate in shown.rates]
    if counted:
        assert counted == [(now.success.current.successes, now.success.current.episodes)]
    return printed(seen)


def test_without_outcomes_the_monitor_cannot_tell_and_says_what_to_do(here):
    seen = monitor.monitor(here)
    assert seen.status is Status.CANNOT_TELL
    assert [why.code for why in seen.cannot_tell] == ["monitor.no_outcomes"]
    assert "✓" not in printed(seen)
    assert "fieldloop monitor record FILE" in printed(seen)


def test_old_outcomes_say_nothing_about_now(here):
    report(here, 90, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB)
    report(here, 90, 100, NOW_NS - 30 * NS_PER_DAY)
    text = agree(here, Status.CANNOT_TELL)
    assert "✓" not in text
    assert "fieldloop monitor record FILE" in text
    assert [why.code for why in show_home(here).success.reasons] == ["monitor.no_recent"]
    assert stage_of(here).fact.code == "home.stage_no_recent"
    assert show_home(here).success.points  # the history is still drawn


def test_the_window_ends_now_for_all(here):
    report(here, 90, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB)
    report(here, 10, 100, NOW_NS - 8 * NS_PER_DAY)
    report(here, 90, 100, NOW_NS - 5 * NS_PER_DAY)
    report(here, 5, 5, NOW_NS - NS_PER_DAY)
    text = agree(here, Status.PASSED)
    assert "✓ no alarm" in text
    assert "2025-10-02" in text  # the window's first day
    assert "2025-10-09" in text


def test_a_missing_baseline_is_no_tick(here):
    report(here, 90, 100, NOW_NS - NS_PER_DAY)
    assert "✓" not in agree(here, Status.CANNOT_TELL)


def test_an_alarm_stands_while_the_rate_is_below_its_limit(here):
    report(here, 95, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB)
    for day in range(6):
        report(here, 20, 100, NOW_NS - day * NS_PER_DAY)
    assert monitor.monitor(here).alarms
    again = monitor.monitor(here)
    assert not again.alarms
    assert again.standing
    assert "✓" not in agree(here, Status.FAILED)


def test_a_version_that_another_replaced_at_a_site_is_not_asked_for(here):
    report(here, 90, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB)
    report(here, 90, 100, NOW_NS - 5 * NS_PER_DAY)
    long_ago, where = NOW_NS - 40 * NS_PER_DAY, Stratum.of(site="gdansk")
    earlier = Outcome("o", "b" * 64, where, Stage.PRODUCTION, "gdansk", "r", long_ago, succeeded=True, judged_by="arm")
    record_outcomes(here, [earlier])
    assert monitor.monitor(here).status is Status.PASSED


def roll_out(workspace, candidate, rung):
    workspace.write(
        RolloutMoved(
            Rollout(f"rollout_{candidate[0]}", candidate, None, rung, 0.1, NOW_NS, Status.CANNOT_TELL, note("x"), "f")
        )
    )


def test_a_version_that_was_never_rolled_out_does_not_hide_the_one_on_a_rung(here):
    report(here, 95, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB)
    for day in range(6):
        report(here, 20, 100, NOW_NS - day * NS_PER_DAY)
    roll_out(here, POLICY.id, Rung.TRIAL)
    monitor.monitor(here)
    unknown = Outcome("u", POLICY.id, Stratum(), Stage.PRODUCTION, "gdansk", "r", NOW_NS, succeeded=None, judged_by="x")
    record_outcomes(here, [unknown, dataclasses.replace(unknown, id="v", policy=OTHER.id)])
    here.write(PolicyTrained(OTHER))
    report(here, 1, 1, NOW_NS, policy=OTHER.id)
    now = show_home(here)
    assert (now.success.policy, now.success.current.episodes) == ("p1", 600)
    assert (now.success.status, stage_of(here).mark) == (Status.FAILED, "bad")
    assert [why.code for why in now.success.reasons] == ["monitor.stands"]
    assert stage_of(here).fact["unknown"] == 1  # of the same version


def test_without_a_rollout_the_version_with_most_outcomes_in_the_window_is_shown(here):
    here.write(PolicyTrained(OTHER))
    report(here, 90, 100, NOW_NS - 20 * NS_PER_DAY, policy=OTHER.id)
    report(here, 30, 40, NOW_NS - 2 * NS_PER_DAY)
    report(here, 5, 5, NOW_NS, policy=OTHER.id)
    assert show_home(here).success.policy == "p1"
    report(here, 50, 50, NOW_NS - NS_PER_DAY, policy=OTHER.id)
    assert show_home(here).success.policy == "p2"


def test_an_alarm_about_another_version_stays_on_home(here):
    report(here, 95, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB)
    report(here, 95, 100, NOW_NS - 60 * NS_PER_DAY, Stage.LAB, OTHER.id)
    here.write(PolicyTrained(OTHER))
    roll_out(here, POLICY.id, Rung.FLEET)
    roll_out(here, OTHER.id, Rung.QUARTER)
    for day in range(6):
        report(here, 95, 100, NOW_NS - day * NS_PER_DAY)
        report(here, 20, 100, NOW_NS - day * NS_PER_DAY, policy=OTHER.id)
    assert [alarm.policy for alarm in monitor.monitor(here).alarms] == [OTHER.id]
    now, again = show_home(here), monitor.monitor(here)
    assert (now.success.policy, now.success.status) == ("p1", again.status)
    assert [why.code for why in now.success.reasons] == ["monitor.stands"]


def test_a_table_with_the_newest_row_first_has_a_chart_and_is_listed_by_time(here):
    at = [NOW_NS - n * NS_PER_DAY // 50 for n in range(300)]
    usual = Outcome(
        "", POLICY.id, Stratum.of(site="gdansk"), Stage.PRODUCTION, "gdansk", "r", 0, succeeded=True, judged_by="arm"
    )
    record_outcomes(here, [dataclasses.replace(usual, id=f"o{n}", at_ns=time) for n, time in enumerate(at)])
    shown = show_floor(here)
    assert shown.success.points[-1].episodes == 300
    assert len(shown.success.points) > 10
    assert [outcome.at_ns for outcome in shown.outcomes] == at[: len(shown.outcomes)]


def test_a_rate_of_few_outcomes_is_shown_without_a_chart(here):
    report(here, 6, 7, NOW_NS)
    now = show_home(here)
    assert (now.success.points, now.success.rate_in_window.episodes) == ((), 7)
    drawn = "".join(str(part) for part in draw_home(Visit(here)).parts)
    assert "85.7" in drawn
    assert "No rate yet" not in drawn
