"""The pages of plan and diagnosis: the same facts and pictures as in their reports, read through the corridor."""

import dataclasses

import pytest
from tests.doors.story import empty_workspace, story_workspace
from tests.doors.story_setting import DAY, NOW
from tests.report import samples

from fieldloop.loop.home.pages import read_daily_rates
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.response_event import DiagnosisMade
from fieldloop.report.diagnose.content import DOUBT
from fieldloop.say.html import Markup
from fieldloop.ui.pages import diagnose, plan
from fieldloop.ui.visit import Visit

POLICY = "c" * 64


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    told = story_workspace(tmp_path_factory.mktemp("plan") / "w")
    found = samples.diagnosis(id="diagnosis_9", site="leipzig-b", made_ns=NOW)
    told.write(DiagnosisMade(dataclasses.replace(found, cannot_tell=(samples.written(samples.NASTY),))))
    yield told
    told.close()


def shown(drawn):
    return "".join(str(part if isinstance(part, Markup) else part.after) for part in drawn.parts)


def test_the_newest_diagnosis_is_shown_with_its_pictures(workspace):
    page = shown(diagnose.draw(Visit(workspace)))
    assert "The drop is real" in page
    assert "Baseline 88.0 %; Mix: more of the hard conditions −2.1" in page  # the waterfall, in words
    assert "Success by day from" in page
    assert DOUBT in page
    assert "<img" not in page
    assert page.count("/diagnose?id=") == 2


def test_an_older_diagnosis_can_be_asked_for(workspace):
    page = shown(diagnose.draw(Visit(workspace, {"id": "diagnosis_1"})))
    assert "90.0 % → 71.4 %, −18.6 points" in page
    assert "Collect 24 demonstrations in dim light." in page


def test_the_plan_page_says_what_the_report_says(workspace):
    page = shown(plan.draw(Visit(workspace)))
    assert "43 of 50 demonstrations left to collect in 5 strata: +5.0 points of production success expected." in page
    assert "7 of 50 accepted, 1 rejected." in page
    assert "Failure rate against number of demonstrations" in page


@pytest.mark.parametrize("build", [plan.draw, diagnose.draw])
def test_without_anything_the_page_says_what_to_do(tmp_path, build):
    workspace = empty_workspace(tmp_path / "w")
    assert "fieldloop " in shown(build(Visit(workspace)))
    workspace.close()


@pytest.mark.parametrize("until_ns", [NOW, NOW + 900 * DAY])
def test_days_hold_every_outcome_of_the_eight_weeks_before_the_last(workspace, until_ns):
    made = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION, "policy": POLICY})
    days = read_daily_rates(workspace, POLICY, "leipzig-b", until_ns)
    assert sum(day.episodes for day in days) == len(made)
    assert sum(day.successes for day in days) == sum(outcome.succeeded for outcome in made)
    assert all(day.end_ns - day.start_ns == DAY for day in days)
    assert read_daily_rates(workspace, "nobody", "", until_ns) == ()
