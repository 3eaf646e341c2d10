"""Page parts: what users typed stays text, shapes carry the meaning, numbers have their interval."""

import re
from importlib.resources import files

import pytest
from tests.doors.story import NASTY
from tests.doors.story_setting import written

from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.incident import IncidentClock, Step
from fieldloop.model.plan import Coverage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.report.plan.grid import make_coverage_grid
from fieldloop.say import palette
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status as drawn_status
from fieldloop.say.marks import get_status_level
from fieldloop.ui import assets, components


@pytest.mark.parametrize(
    "made",
    [
        escape(NASTY),
        tag("p", NASTY, title=NASTY),
        join(NASTY, Markup("<b>")),
        components.draw_chip(NASTY, href=NASTY),
        components.draw_copyable_command(NASTY),
        components.draw_action_button(NASTY, "/x", {"reason": NASTY}, confirm_text=NASTY),
        components.draw_answer_card("bad", NASTY, NASTY),
        components.draw_key_values([(NASTY, NASTY)]),
        components.draw_table([NASTY], [[NASTY]]),
        components.draw_panel(NASTY, NASTY, note=NASTY),
        components.render_markdown(f"# {NASTY}\n\n- {NASTY}\n\n| {NASTY} |\n|---|\n| `{NASTY}` |\n\n**{NASTY}**"),
        components.draw_heat_map(make_coverage_grid([Coverage(Stratum.of(tier=NASTY, bin="back"), 0.5, 1, 0.5)])),
    ],
)
def test_a_name_cannot_become_a_tag(made):
    assert "<img" not in made
    assert "&lt;img" in made or "%3Cimg" in made
    assert not re.search(r'onerror="document', made)


def test_only_markup_made_here_is_left_alone():
    assert escape(Markup("<b>x</b>")) == "<b>x</b>"
    assert tag("input", name="q", disabled=True, title=None) == '<input name="q" disabled>'


@pytest.mark.parametrize("status", list(Status))
def test_a_status_has_a_shape_and_a_word(status):
    made = drawn_status(status)
    assert status.value.replace("_", " ") in made
    assert "<path" in made or "<circle" in made


def test_passed_looks_like_nothing_else():
    levels = [get_status_level(s) for s in Status]
    assert levels.count("good") == 1
    assert get_status_level(Status.PASSED) == "good"


def test_coverage_is_summed_by_two_factors():
    rows = [
        Coverage(Stratum.of(tier="high", bin="back", lighting="dim"), 0.2, 2, 0.1, 10, 5),
        Coverage(Stratum.of(tier="high", bin="back", lighting="bright"), 0.3, 4, 0.4, 10, 1),
        Coverage(Stratum.of(tier="low", bin="front", lighting="dim"), 0.5, 0, 0.0),
    ]
    made = make_coverage_grid(rows)
    assert made.cells["high", "back"].ratio == pytest.approx(1.0)
    assert made.cells["high", "back"].failures == 6
    assert ("high", "front") not in made.cells
    heat = components.draw_heat_map(made)
    assert "nodata" in heat
    assert "not deployed" in heat
    assert make_coverage_grid(rows, "nothing", "lighting").row_factor != "lighting"


def test_a_ladder_shows_where_and_whether_it_came_back():
    climb = Rollout("r", "c", None, Rung.HALF, 0.5, 0, Status.PASSED, written(""), "")
    assert re.search(r'class="here"[^>]*>.*half', components.draw_rollout_ladder(climb))
    back = Rollout("r", "c", None, Rung.BACK, 0.0, 0, Status.FAILED, written(""), "")
    assert "rolled back" in components.draw_rollout_ladder(back)


@pytest.mark.parametrize(
    ("elapsed", "met", "word"), [(60, True, "met"), (900, False, "missed"), (900, None, "late"), (60, None, "running")]
)
def test_a_clock_says_whether_it_was_met(elapsed, met, word):
    made = components.draw_incident_clocks([IncidentClock(Step.CONTAINED, 300, elapsed, met, "on_call_operator")])
    assert f", {word}" in made
    assert "on call operator" in made


def test_assets_are_served_under_their_content():
    assert re.fullmatch(r"/assets/[0-9a-f]{12}", assets.get_assets_address())
    assert {"style.css", "shell.js"} <= set(assets.read_assets())
    for name, body in assets.read_assets().items():
        outside = re.findall(rb"https?://(?!www\.w3\.org/2000/svg)[^\s\"')]+", body)
        assert not outside, f"{name} fetches {outside}"


def test_no_colour_is_written_twice():
    assert palette.LIGHT.keys() == palette.DARK.keys()
    written = re.findall(r"#[0-9a-f]{6}\b", assets.read_assets()["style.css"].decode())
    assert len(written) == sum(
        value.startswith("#") for theme in (palette.LIGHT, palette.DARK) for value in theme.values()
    )
    assert not re.search(r"#[0-9a-f]{6}\b", files("fieldloop.report").joinpath("report.css").read_text())


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


WORN = [
    (ink, ground)
    for ink in ("ink", "ink-2", "ink-3", "accent", "good", "warn", "bad")
    for ground in ("surface", "bg", "sunken")
]
WORN += [(name, f"{name}-soft") for name in ("good", "warn", "bad")] + [("on-accent", "accent"), ("surface", "under-3")]
WORN += [
    ("ink", ground) for ground in ("under-2", "under-1", "even", "over-1", "over-2", *(f"ph-{n}" for n in range(8)))
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read(theme):
    tokens = {"light": palette.LIGHT, "dark": palette.DARK}[theme]
    faint = [(a, b) for a, b in WORN if contrast(tokens[a], tokens[b]) < 4.5]
    assert not faint
