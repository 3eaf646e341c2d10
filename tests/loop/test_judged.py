"""What the ledger remembers of a check: how the dataset stands, written once however often it is asked."""

import math
from dataclasses import replace

import pytest

from fieldloop.loop.data import check
from fieldloop.loop.data.remember_verdicts import (
    MOST_LOOKS,
    record_dataset_verdict,
    record_episode_verdicts,
    summarise_dataset,
)
from fieldloop.loop.home.home import show_home
from fieldloop.model.event import DatasetJudged, EpisodeJudged
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject
from fieldloop.model.quality import DatasetReport
from fieldloop.model.ranking import Look, Ranking
from fieldloop.model.trend import Series
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence

PASSED, FAILED = Status.PASSED, Status.FAILED


def finding(name="timing.rate", status=PASSED, measured=1.0, **more):
    return Finding(name, Subject("joints"), status, measured, None, 2.0, "Hz", **more)


def report_of(*episodes, **more):
    return check.CheckReport("w", "workspace", default_protocol(), tuple(episodes), **more)


def episode(name, *findings):
    worst = FAILED if any(f.status is FAILED for f in findings) else PASSED
    return EpisodeReport(name, name, worst, findings, "pick v1")


def changed(alerts=(3,)):
    nan = math.nan
    return Series(
        "length", "s", ("a", "b", "c", "d"), (1, 2, 3, 4), (5,) * 4, (1.0, 1.1, 1.0, 4.0), (nan, nan, 0.8, 0.9),
        (nan, nan, 1.3, 1.2), alerts,
    )  # fmt: skip


def test_the_same_result_is_written_once(full_site):
    made = report_of(episode("00" * 32, finding(measured=math.nan)), trends=(changed(),))
    first = record_dataset_verdict(full_site, made)
    before = full_site.store.get_last_seq()
    again = record_dataset_verdict(full_site, made)
    assert full_site.store.get_last_seq() == before
    assert again.at_ns == first.at_ns, "it has been so since"
    record_dataset_verdict(full_site, replace(made, outdated=3))
    assert full_site.store.get_last_seq() == before + 1
    assert full_site.find_newest(DatasetReport).outdated == 3


def test_verdicts_are_written_where_they_changed(full_site):
    one, other = (
        EpisodeJudged("f1", episode("00" * 32, finding(measured=math.nan))),
        EpisodeJudged("f1", episode("01" * 32, finding())),
    )
    record_episode_verdicts(full_site, [one, other])
    before = full_site.store.get_last_seq()
    record_episode_verdicts(full_site, [one, other])
    assert full_site.store.get_last_seq() == before
    worse = EpisodeJudged("f1", episode("01" * 32, finding(status=FAILED, measured=9.0)))
    record_episode_verdicts(full_site, [one, worse])
    assert [r.event.report.episode for r in full_site.store.read_tail(before)] == ["01" * 32]
    record_episode_verdicts(full_site, [one, replace(worse, protocol="f2")])
    assert full_site.store.get_last_seq() == before + 2, "another protocol said the same: that is a new fact"


def test_it_survives_the_ledger_and_a_replay(full_site):
    made = record_dataset_verdict(full_site, report_of(episode("00" * 32, finding()), trends=(changed(),)))
    full_site.store.rebuild_tables()
    back = full_site.find_newest(DatasetReport)
    assert back.episodes == {PASSED: 1}
    assert back.trends[0].values == made.trends[0].values
    assert math.isnan(back.trends[0].low[0])
    assert [r.event for r in full_site.store.events(DatasetJudged)][-1].report.checks == made.checks


def test_only_what_pages_show_is_kept():
    looks = tuple(Look(f"{n}", f"{n}", FAILED, 0.5, (), None, ()) for n in range(60))
    made = summarise_dataset(
        report_of(
            episode("a", finding(), finding("force.window", FAILED, 7.0)),
            episode("b", finding(measured=3.0), finding("force.window", FAILED, math.nan)),
            ranking=Ranking(looks, 60),
            trends=(changed(), changed(alerts=())),
        ),
        7,
    )
    assert len(made.ranking.looks) == MOST_LOOKS
    assert write_sentence(made.look_first) == (
        "Look at these 8 episodes first. Findings lower the worth of 60 episodes for training by 50 %."
    )
    assert (len(made.trends), made.metrics, made.at_ns) == (1, 2, 7)
    assert made.episodes == {FAILED: 2}
    force, rate = made.checks
    assert (force.check, force.held, force.answers, force.median) == ("force.window", 2, {FAILED: 2}, 7.0)
    assert (rate.held, rate.answers, rate.median) == (0, {PASSED: 2}, 3.0)


def test_home_says_in_a_line_what_stands_against_the_whole(full_site):
    assert not [step for step in (show_home(full_site).next, *show_home(full_site).then) if step.page == "/quality"]
    wrong = (finding("batch.operators", FAILED, required=True), finding("corpus.change", Status.CANNOT_TELL))
    record_dataset_verdict(full_site, report_of(episode("00" * 32, finding()), dataset=wrong, trends=(changed(),)))
    steps = [step for step in show_home(full_site).then if step.page == "/quality"]
    assert [step.sentence.code for step in steps] == ["home.metric_jumped", "home.dataset_failed"]
    assert write_sentence(steps[1].why).startswith("joints: 1 Hz demonstrated this task; at most 2 Hz allowed.")


@pytest.mark.parametrize("alerts", [(), (0, 3)])
def test_a_series_equals_itself(alerts):
    assert replace(changed(alerts), low=(), high=()) == replace(changed(alerts), low=(), high=())
