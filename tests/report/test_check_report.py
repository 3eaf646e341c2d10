"""The report of a check: JSON others rely on, the summary, the page."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check.ranking import rank_episodes
from fieldloop.check.rollup import sum_up_by_dimension
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.quality import Dimension
from fieldloop.protocol import default_protocol
from fieldloop.report import check as report_of
from fieldloop.report import draw_paragraph, draw_table, render_page
from fieldloop.report.check.phrases import write_unknown_reason
from fieldloop.report.check.sketch import sketch_episode
from fieldloop.report.check.summary import sort_episodes_by_cost
from fieldloop.testing.batches import make_healthy_batch
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.injuries.injury import change_stream
from fieldloop.testing.synthetic import make_healthy_case

NAMES = ("", "motion.teleport", "timing.stream_offset", "vision.undecodable")
BLACK = re.compile(r"#[0-9a-f]{6}\b")


def finding(name="timing.rate", status=Status.FAILED, measured=2.0, low=None, high=1.0, **more):
    return Finding(name, Subject(more.pop("subject", "s")), status, measured, low, high, "ms", **more)


@pytest.fixture(scope="module")
def made():
    sketches, episodes = {}, []
    for seed, name in enumerate(NAMES):
        case = make_healthy_case(seed=seed)
        case = INJURIES[name].hurt(case) if name else case
        judged = check.make_episode_report(
            case.episode, check.judge_measurements(check.measure_episode(case), case.protocol, named=True)
        )
        episodes.append(judged)
        if judged.status is Status.FAILED:
            sketches[judged.episode] = sketch_episode(case.recording, judged)
    dataset = check.judge_measurements(check.measure_batch(make_healthy_batch()), default_protocol(), named=True)
    ranking, dimensions = rank_episodes(episodes), sum_up_by_dimension(episodes, dataset)
    report = report_of.CheckReport(
        "picks <b>", "mcap", default_protocol(), tuple(episodes), dataset, ranking, dimensions
    )
    return report, sketches


# ── JSON


def test_the_json_is_exactly_what_others_rely_on(made):
    report, _ = made
    got = json.loads(json.dumps(report_of.build_report_json(report), allow_nan=False))
    assert list(got)[:4] == ["schema", "protocol", "episodes", "dataset"]
    assert [look["name"] for look in got["look_first"]] == [look.name for look in report.ranking.looks]
    assert all(look["link"].startswith(f"/episodes/{look['episode']}") for look in got["look_first"])
    assert [d["dimension"] for d in got["dimensions"]] == [d.value for d in Dimension]
    assert got["schema"] == "check/1"
    protocol = default_protocol()
    assert got["protocol"] == {"name": "default", "version": 1, "fingerprint": protocol.fingerprint}
    assert [list(episode) for episode in got["episodes"]] == 4 * [["id", "name", "status", "findings", "log", "look"]]
    assert [episode["status"] for episode in got["episodes"]] == ["passed", "failed", "failed", "failed"]
    keys = ["check", "subject", "status", "measured", "limit", "unit", "message"]
    found = [f for episode in got["episodes"] for f in episode["findings"]] + got["dataset"]["findings"]
    assert all(list(f)[:7] == keys for f in found)
    added = {
        "interval",
        "at_s",
        "cost",
        "fix",
        "code",
        "about",
        "place",
        "place_facts",
        "reason",
        "reason_facts",
        "look",
    }
    assert all({*keys} <= set(f) <= {*keys, *added} for f in found)
    assert all(f["code"] == f"{f['check']}.{f['status']}" for f in found)
    assert all(f["status"] != "passed" for f in found)
    (jump,) = (f for f in got["episodes"][1]["findings"] if f["status"] == "failed")
    assert (jump["check"], jump["subject"], jump["limit"], jump["unit"]) == ("motion.teleport", "joints", 12.0, "rad/s")
    assert jump["measured"] > 100
    assert jump["about"] == {"stream": "joints"}
    assert (jump["place"], jump["place_facts"]["code"]) == ("at 4.17 s in joint_3", "check.at")


def test_a_finding_names_the_command_that_opens_it(made):
    report, sketches = made
    paths = ("logs/a b.mcap", *(f"logs/{k}.mcap" for k in range(1, 4)))
    opened = replace(report, logs=paths, paths=paths)
    got = report_of.build_report_json(opened)["episodes"]
    assert got[0]["look"] == f"fieldloop look 'logs/a b.mcap' --episode {report.episodes[0].name}"
    (jump,) = (f for f in got[1]["findings"] if f["status"] == "failed")
    assert jump["look"] == f"fieldloop look logs/1.mcap --episode {report.episodes[1].name} --at 4.17"
    assert jump["look"] in report_of.render_check_page(opened, sketches)
    assert "fieldloop look" not in report_of.render_check_page(report, sketches), "no log was opened"


@pytest.mark.parametrize(
    ("low", "high", "limit"),
    [(None, 5.0, 5.0), (1.0, None, 1.0), (1.0, 5.0, [1.0, 5.0]), (None, None, None), (None, 0.0, 0.0)],
)
def test_the_limit_is_a_number_two_or_none(low, high, limit):
    episode = EpisodeReport("id", "name", Status.FAILED, (finding(low=low, high=high),))
    got = report_of.build_report_json(report_of.CheckReport("x", "mcap", default_protocol(), (episode,)))
    assert got["episodes"][0]["findings"][0]["limit"] == limit


# ── status and summary


def of(*statuses, dataset=()):
    episodes = [EpisodeReport(str(i), f"e{i}", s, (finding(status=s),)) for i, s in enumerate(statuses)]
    return report_of.CheckReport("x", "mcap", default_protocol(), tuple(episodes), dataset)


@pytest.mark.parametrize(
    ("report", "status", "sentence"),
    [
        (of(Status.PASSED), Status.PASSED, "The episode passed."),
        (of(Status.FAILED), Status.FAILED, "The episode failed."),
        (of(Status.CANNOT_TELL), Status.CANNOT_TELL, "The episode could not be judged."),
        (of(Status.PASSED, Status.PASSED), Status.PASSED, "All 2 episodes passed."),
        (of(Status.PASSED, Status.FAILED), Status.FAILED, "1 of 2 episodes failed; look at it first."),
        (of(Status.PASSED, Status.CANNOT_TELL), Status.CANNOT_TELL, "1 of 2 episodes could not be judged."),
        (of(), Status.CANNOT_TELL, "No episode could be read."),
        (
            of(Status.PASSED, Status.PASSED, dataset=(finding(),)),
            Status.FAILED,
            "All 2 episodes passed. The dataset as a whole fails 1 check.",
        ),
        (
            of(Status.PASSED, dataset=(finding(status=Status.CANNOT_TELL, required=False),)),
            Status.PASSED,
            "The episode passed.",
        ),
        (of(Status.PASSED, dataset=(finding(status=Status.NOT_APPLICABLE),)), Status.CANNOT_TELL, None),
    ],
)
def test_the_sentence_says_what_is_so(report, status, sentence):
    assert report.status is status
    if sentence:
        assert report_of.summarise_check_report(report).sentence == sentence


def test_worst_first(made):
    report, _ = made
    ranked = [episode.name for episode in sort_episodes_by_cost(report)]
    assert ranked[-1] == "synthetic-0"
    looks = report_of.summarise_check_report(report).looks
    assert [look.name for look in looks] == ranked[:-1]
    assert {look.name: look.reasons[0].check for look in looks} == {
        "synthetic-1": "motion.teleport", "synthetic-2": "timing.stream_offset", "synthetic-3": "vision.undecodable",
    }  # fmt: skip


def test_the_same_reason_is_listed_once_not_a_thousand_times():
    def unclear(i):
        reason = note("check.attempt_lasts", lasts_s=i + 0.25)
        return finding("adherence.duration", Status.CANNOT_TELL, None, reason=reason, subject="", required=False)

    episodes = tuple(EpisodeReport(str(i), f"e{i}", Status.PASSED, (unclear(i),)) for i in range(1000))
    (line,) = report_of.group_by_cause(episodes).unknown
    assert (line.checks, line.answers, line.alike) == (("adherence.duration",), 1000, False)
    assert write_unknown_reason(line) == "For example: The attempt lasts 0.25 s."


# ── sketches


def test_thinning_hides_neither_gap_nor_jump():
    case = INJURIES["motion.teleport"].hurt(INJURIES["timing.longest_gap"].hurt(make_healthy_case()))
    judged = check.make_episode_report(
        case.episode, check.judge_measurements(check.measure_episode(case), case.protocol, named=True)
    )
    drawn = sketch_episode(case.recording, judged)
    force = next(one for one in drawn.intervals if one.name == "force")
    assert len(force.at_s) <= 400
    assert force.periods.max() == pytest.approx(5.0, rel=0.01)
    joints = next(one for one in drawn.traces if one.name == "joints")
    assert len(joints.at_s) <= 400
    assert np.abs(np.diff(joints.values[:, 2])).max() > 0.9


def test_a_flagged_frame_that_does_not_decode_is_shown_as_such(made):
    report, sketches = made
    episode = next(e for e in report.episodes if e.name == "synthetic-3")
    assert any(t.flagged and not t.data_uri for t in sketches[episode.episode].thumbnails)


# ── the page


class Page(HTMLParser):
    """Counts what is on a page and notices what is left open."""

    VOID = ("meta", "img", "br")

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.links = {}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, _attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def text(made):
    return report_of.render_check_page(*made)


def test_the_page_is_whole_and_fetches_nothing(text):
    seen = Page(text)
    assert seen.open == []
    assert all(link.startswith(("#", "data:image/")) for link in seen.links)
    assert "http://" not in text.replace("http://www.w3.org/", "")
    assert "<script" not in text


def test_the_page_says_what_is_so_then_what_to_look_at(text):
    order = [
        "3 of 4 episodes failed; look at them first.",
        "Failures",
        "synthetic-1",
        "Look at these 3 episodes first",
        "All episodes",
        "What these checks ask",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "joint_3" in text
    assert "rad/s" in text
    assert "at most 12 rad/s" in text


def test_every_shown_episode_has_its_plots_and_pictures(text):
    seen = Page(text)
    assert seen.tags["svg"] > 3 * 4
    assert seen.tags["img"] >= 3


def test_plots_are_drawn_in_tokens_so_that_dark_works(text):
    drawings = re.findall(r"<svg[^>]*width=.*?</svg>", text, re.DOTALL)
    assert len(drawings) >= 9
    for drawing in drawings:
        assert "var(--c1)" in drawing or "var(--even)" in drawing
        assert not set(BLACK.findall(drawing)) - {"#000000"}, "a colour that has no token"


def test_ids_on_the_page_are_unique(text):
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_whatever_came_from_somewhere_is_escaped():
    evil = "<img src=x onerror=alert(1)>\"'&"
    case = make_healthy_case()
    case = replace(case, recording=replace(case.recording, episode=replace(case.episode, name=evil)))
    case = change_stream(INJURIES["motion.teleport"].hurt(case), "joints", columns=(evil,) * 6)
    findings = check.judge_measurements(check.measure_episode(case), case.protocol, named=True)
    judged = check.make_episode_report(case.episode, findings)
    drawn = {judged.episode: sketch_episode(case.recording, judged)}
    dataset = (finding(subject=evil, place=note("check.named", names=(evil,))),)
    text = report_of.render_check_page(report_of.CheckReport(evil, evil, default_protocol(), (judged,), dataset), drawn)
    assert "<img src=x" not in text
    assert Page(text).open == []


def test_no_episode_at_all_is_a_page_too():
    text = report_of.render_check_page(report_of.CheckReport("x", "mcap", default_protocol(), ()))
    assert "No episode could be read." in text
    assert Page(text).open == []


def test_the_shell_serves_other_reports():
    text = render_page(
        "Gate",
        [draw_paragraph("It passed.", "lead"), draw_table(("a", "n"), [("<x>", 1)], ("n",))],
        foot="by protocol 1",
    )
    assert "&lt;x&gt;" in text
    assert "by protocol 1" in text
    assert Page(text).open == []
