"""The check report in the terminal: short at any width, no name broken, everything with --all."""

import io
from dataclasses import replace

import pytest

from fieldloop.check.ranking import rank_episodes
from fieldloop.check.rollup import sum_up_by_dimension
from fieldloop.cli.render import show_result
from fieldloop.cli.screen import PIPE_WIDTH, Screen
from fieldloop.loop.data.check import CheckReport
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject, note
from fieldloop.protocol import default_protocol

PROTOCOL = default_protocol()
LONG = "data/demo_0/initial_state/articulation/robot/left_arm/joint_position"


def judged(name, number):
    limit = PROTOCOL.limits[name]
    reason = note("check.generated_stamps") if number % 3 == 0 else None
    status = Status.CANNOT_TELL if reason else Status.FAILED
    about = Subject(LONG if number % 2 else f"camera/{number}", "joints" if number % 5 == 0 else "")
    return Finding(
        name, about, status, 7.5 + number, limit.minimum, limit.maximum, limit.unit, reason=reason, required=False,
        cost=limit.cost, at_s=1.5,
    )  # fmt: skip


@pytest.fixture(scope="module")
def report():
    """A hundred episodes in which every check failed or gave no answer, in several streams."""
    names = [name for name, limit in PROTOCOL.limits.items() if not limit.pending]
    episodes = tuple(
        EpisodeReport(
            f"{n:064d}", f"episode_{n:06d}", Status.FAILED, tuple(judged(c, n + k) for k, c in enumerate(names))
        )
        for n in range(100)
    )
    dataset = tuple(judged(name, 1) for name in names if name.startswith("corpus"))
    return CheckReport(
        "some set",
        "lerobot",
        PROTOCOL,
        episodes,
        dataset,
        rank_episodes(episodes),
        sum_up_by_dimension(episodes, dataset),
    )


def printed(report, width=None):
    stream = io.StringIO()
    show_result(report, Screen(stream, width=width))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_any_report_fits_the_screen_and_breaks_no_name(report, width):
    lines = printed(report, width)
    assert len(lines) <= 60
    assert all(len(line) <= width or len(line.split()) <= 2 for line in lines)
    words = {word.strip("().,:;") for line in lines for word in line.split()}
    known = {name for name in PROTOCOL.limits if any(word.startswith(name) for word in words)}
    dotted = {word for word in words if word.partition(".")[0] in ("vision", "timing", "motion", "integrity", "corpus")}
    assert dotted <= known | {"timing", "motion", "vision", "integrity", "corpus"}


def test_a_pipe_wraps_too(report):
    lines = printed(report)
    assert len(lines) <= 60
    assert max(map(len, lines)) <= PIPE_WIDTH


def test_all_lists_every_cause_with_its_episodes(report):
    lines = printed(replace(report, everything=True), 100)
    text = "\n".join(lines)
    assert len(lines) > 60
    assert all(episode.name in text for episode in report.episodes)
    assert all(finding.check in text for finding in report.episodes[0].findings)
    assert "more causes" not in text


def test_what_is_left_out_is_counted(report):
    text = "\n".join(printed(report, 80))
    assert "more causes: --all" in text
    assert "episode_000050" not in text


def test_a_report_without_findings_is_two_lines():
    good = Finding("timing.rate", Subject("joints"), Status.PASSED, 1.0, 0.9, 1.1, "share")
    made = CheckReport("x", "mcap", PROTOCOL, (EpisodeReport("0" * 64, "e", Status.PASSED, (good,)),))
    assert len(printed(made, 80)) == 2


def test_one_episode_prints_in_the_same_form(report):
    lines = printed(report.episodes[0], 80)
    assert "episode_000000" in lines[0]
    assert all(len(line) <= 80 for line in lines)


def test_names_that_repeat_get_their_file_also_with_all(report):
    alike = tuple(replace(episode, name="episode_0") for episode in report.episodes[:2])
    made = replace(report, episodes=alike, logs=("a.h5", "b.h5"), ranking=rank_episodes(alike))
    for everything in (False, True):
        text = "\n".join(printed(replace(made, everything=everything), 100))
        assert "a.h5/episode_0" in text
        assert "b.h5/episode_0" in text


@pytest.mark.parametrize(
    ("stated", "widest"), [("56", 56), ("0", PIPE_WIDTH), ("wide", PIPE_WIDTH), (None, PIPE_WIDTH)]
)
def test_a_pipe_is_wrapped_at_the_columns_that_are_stated(report, monkeypatch, stated, widest):
    monkeypatch.delenv("COLUMNS", raising=False)
    if stated:
        monkeypatch.setenv("COLUMNS", stated)
    lines = [line for line in printed(report) if LONG not in line]
    assert widest - 20 < max(map(len, lines)) <= widest
