"""The quality page shows what was judged, without asking a single episode; names stay text, charts tell the truth."""

import re
from dataclasses import replace

import pytest
from tests.doors.judged import NAN, PASSED, SERIES, judged
from tests.doors.story import NASTY, story_workspace

from fieldloop.model.finding import EpisodeReport
from fieldloop.model.ranking import Ranking
from fieldloop.ui.components import draw_control_chart
from fieldloop.ui.pages import protocol, quality
from fieldloop.ui.visit import Visit


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    told = story_workspace(tmp_path_factory.mktemp("quality") / "w")
    yield told
    told.close()


def html(workspace, page=quality, **query):
    return "".join(page.draw(Visit(workspace, query)).parts)


def test_before_the_first_check_it_says_what_to_do(workspace):
    made = html(workspace)
    assert "36 of 40 episodes passed" in made
    assert "fieldloop check" in made


def test_it_answers_first_and_asks_no_episode(workspace, monkeypatch):
    judged(workspace)
    asked = []
    find = type(workspace.store).find
    monkeypatch.setattr(
        type(workspace.store), "find", lambda store, noun, *a, **k: asked.append(noun) or find(store, noun, *a, **k)
    )
    made = html(workspace)
    assert EpisodeReport not in asked
    assert (
        made.index("39 of 40 episodes are fit")
        < made.index("Look at these 8 episodes first")
        < made.index("Sensor fidelity")
    )
    assert made.count(f'href="/episodes/{"04" * 32}?at=2.92"') == 16, "the name and the moment of each of eight"
    assert "trim; re-stamp &lt;img" in made
    assert "by −12 ms" in made
    assert "27 to 30" in made, "the interval stands under the number"
    assert "The data contain no evidence for or against this dimension." in made
    assert "1 check that every episode passed" in made
    assert "outdated" not in made


def test_names_stay_text(workspace):
    judged(workspace)
    assert "<img" not in html(workspace)


@pytest.mark.parametrize(
    ("more", "said", "mend"),
    [
        ({"outdated": 4}, "4 episodes measured with other parameters", "fieldloop check --again"),
        ({"fingerprint": "0"}, "pick v1 has changed since", "fieldloop check"),
        ({"protocol": "pick v9"}, "judged by pick v9, but pick v1 is in force", "fieldloop check"),
        ({"episodes": {PASSED: 38}}, "2 episodes added since", "fieldloop check"),
    ],
)
def test_outdated_numbers_say_so_and_how_to_mend_them(workspace, more, said, mend):
    judged(workspace, **more)
    made = html(workspace)
    assert "These numbers are outdated" in made
    assert said in made
    assert f"<code>{mend}</code>" in made


def test_nothing_wrong_is_reported_too(workspace):
    judged(workspace, findings=(), ranking=Ranking((), 40), look_first=None, trends=(), metrics=12, checks=())
    made = html(workspace)
    for said in (
        "No finding lowers the worth of any episode for training.",
        "No finding holds the dataset back.",
        "No metric changed suddenly.",
    ):
        assert said in made
    judged(workspace, trends=(), metrics=0)
    assert "too few batches" in html(workspace)


def test_a_chart_tears_where_a_value_is_missing_and_marks_the_alert():
    made = draw_control_chart(SERIES)
    line = re.search(r'd="([^"]*)" fill="none"', made)[1]
    assert line.count("M") == 2, "one value is missing in between"
    assert made.count("h4l3 3v4") == 1
    assert "nan" not in made
    assert draw_control_chart(replace(SERIES, values=(NAN,) * 4, low=(NAN,) * 4, high=(NAN,) * 4))


def test_the_protocol_page_says_whose_time_is_verified(workspace):
    from fieldloop.loop.collect.synchronisation import verify_device_clock

    assert "Synchronisation" not in html(workspace, protocol), "nothing is declared"
    declared = '[protocol]\nname = "pick"\nversion = 1\n[sensors.joints]\nkind = "joint_position"\nrequired = true\n'
    file = workspace.root / "protocols" / "pick.toml"
    before = file.read_text()
    file.write_text(f'{declared}synchronised_by = "PTP"\n')
    workspace.__dict__.pop("protocols", None)
    try:
        assert "1 device not verified" in html(workspace, protocol)
        verify_device_clock(workspace, "joints", robot="arm-1", offset_ms=0.5, how=NASTY)
        made = html(workspace, protocol)
        assert "all verified" in made
        assert "<img" not in made
    finally:
        file.write_text(before)
        workspace.__dict__.pop("protocols", None)
