"""The page of a plan: what a collection lead must find on it, and what ugly plans must not break."""

import dataclasses
import math
import re
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report import samples
from tests.report.reading import texts, well_formed
from tests.report.samples import written

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.loop.home.stages import describe_demands_on_plan
from fieldloop.loop.plan.plan import PlanNow
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.plan import Coverage, Forecast, Progress, Quota, QuotaKind, SiteSet
from fieldloop.report.bars import draw_interval_bar, draw_progress_bar, draw_share_bar
from fieldloop.report.plan import PlanReport, render_plan_page, write_headline, write_uncovered_share
from fieldloop.report.plan.content import find_shared_factors, sort_by_gain
from fieldloop.report.plan.curve_drawing import draw_curves
from fieldloop.report.plan.grid import OTHERS, choose_grid_factors, list_deployed_factors, make_coverage_grid
from fieldloop.report.plan.heat_drawing import draw_coverage
from fieldloop.report.plan.orders import format_progress_counts
from fieldloop.say import write_details
from fieldloop.say.numbers import format_small_share

EXPECTED = "points of production success expected"
UNKNOWN = "the gain of these demonstrations is not known"
LONG = "packaging_of_" + "very_" * 30 + "long_name"


@pytest.fixture(scope="module")
def made():
    return render_plan_page(samples.planned())


def printed(result):
    """What a terminal shows of a result, as plain lines."""
    import io

    stream = io.StringIO()
    show_result(result, Screen(stream))
    return stream.getvalue()


def test_the_page_answers_first_and_keeps_the_order_that_was_asked_for(made):
    well_formed(made)
    lead = re.search(r'<p class="lead">(.*?)</p>', made)[1]
    assert lead == f"17 of 54 demonstrations left to collect in 9 strata: +5.0 {EXPECTED} (1.8 to 7.1)."
    titles = re.findall(r"<h2>(.*?)</h2>", made)
    assert titles == [
        "What to collect",
        "Coverage of production",
        "What was never demonstrated",
        "Articles by tier",
        "Sites before they go live",
        "Expected effect of more demonstrations",
        "Work orders",
        "Progress",
        "Scores of earlier plans",
    ]


def test_every_quota_shows_where_how_many_of_what_kind_and_why(made):
    said = texts(made)
    for quota in samples.quotas():
        assert write_details(quota.why) in said
    assert {kind.value for kind in QuotaKind} <= set(said)
    assert "+1.10 (0.40 to 2.00)" in said


def test_nothing_is_fetched_and_nothing_is_drawn_in_a_colour_without_a_token(made):
    assert not re.findall(r'(?:src|href)="(?!#)', made)
    outside = re.findall(r"https?://(?!www\.w3\.org/)\S+", made)
    assert not outside
    drawn = re.sub(r"<style>.*?</style>", "", made, flags=re.DOTALL)
    assert not re.findall(r"(?:fill|stroke): ?#[0-9a-f]{6}", drawn)
    assert "nan" not in re.sub(r"[a-z]*nan[a-z]+|[a-z]+nan[a-z]*", "", drawn.lower())


def test_two_drawings_of_one_page_share_no_id(made):
    found = re.findall(r'\bid="([^"]+)"', made)
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (None, "No plan yet. 16 of 48 deployed strata, 9 % of production, have no demonstration."),
        (samples.plan(()), "There is nothing to collect: the plan asks for no demonstrations."),
        (samples.plan(gain_low=0.0, gain_high=0.0), f"Collect 54 demonstrations in 9 strata: +5.0 {EXPECTED}."),
        (samples.plan(expected_gain=math.nan), f"Collect 54 demonstrations in 9 strata: {UNKNOWN}."),
    ],
)
def test_the_headline_states_what_to_collect(plan, said):
    assert write_headline(PlanReport(plan, (), samples.coverage())) == said


def test_a_plan_that_is_collected_says_so():
    drawn = samples.plan()
    done = tuple(dataclasses.replace(p, accepted=p.planned) for p in samples.progressing(drawn.quotas))
    assert write_headline(samples.planned(progress=done)).startswith("All 54 demonstrations of the plan are collected")


def test_what_was_shown_elsewhere_is_not_deployed():
    rows = [*samples.coverage(), Coverage(Stratum.of(tier="high", bin="laboratory"), 0.0, 90, 0.1)]
    assert write_uncovered_share(rows) == write_uncovered_share(samples.coverage())
    assert "laboratory" not in draw_coverage(rows)
    assert write_uncovered_share([]) == "No deployed stratum is known. Audit the deployment map first."


# ── ugly plans


def ugly(count, **changed):
    strata = [
        Stratum.of({"bin": f"{n}", "packaging": LONG, "label": samples.NASTY, "kanji": "暗い", "cost": "$x^$"})
        for n in range(count)
    ]
    asked = tuple(Quota(s, 3, math.nan, math.nan, math.nan, written(samples.NASTY)) for s in strata[:1])
    asked += tuple(Quota(s, 3, 0.001, -0.001, 0.003, written("why")) for s in strata[1:])
    rows = tuple(Coverage(s, 1 / count, n % 4, 0.0, n % 7, n % 3 if n % 7 > 2 else 0) for n, s in enumerate(strata))
    return samples.planned(plan=samples.plan(asked, **changed), coverage=rows, progress=(), scores=(), curves=())


@pytest.mark.parametrize("count", [1, 2, 300])
def test_long_nasty_and_many_names_stay_text(count):
    report = ugly(count, expected_gain=math.nan)
    page = render_plan_page(report)
    well_formed(page)
    assert "<img" not in page
    assert "not known" in page
    assert "nan" not in printed(report.plan)
    assert page.count("<tr>") < 1000
    if count == 300:  # the rest is one click away, with its sum
        assert "260 more rows: 780 demonstrations, +25.9 points" in page


@pytest.mark.parametrize(
    "report",
    [
        PlanReport(None, (), ()),
        PlanReport(samples.plan((), orders=(), gaps=(), tiers=(), sites=(), warnings=()), (), ()),
        PlanReport(None, (), (Coverage(Stratum(), 1.0, 0, 0.0),)),
        PlanReport(None, (), (Coverage(Stratum.of(bin="only"), 1.0, 4, 1.0, 10, 10),)),
        PlanReport(samples.plan(), (), (), Forecast(40, None, None, None, None, written("No pace yet."))),
        PlanReport(None, (), (), scores=(samples.score(status=Status.CANNOT_TELL, measured=math.nan),)),
    ],
)
def test_little_is_drawn_of_little(report):
    page = render_plan_page(report)
    well_formed(page)
    assert ">nan" not in page
    assert "Traceback" not in page


# ── the map


def test_the_two_factors_that_tell_most_are_found():
    rows = samples.coverage()
    assert choose_grid_factors(rows) == (
        "lighting",
        "bin",
    )  # dim light is rare in the data and fails; tiers are as they should be
    assert choose_grid_factors(rows[:0]) == ("", "")
    assert choose_grid_factors([Coverage(Stratum.of(site="a"), 1.0, 0, 0.0)]) == ("site", "")


def test_very_many_levels_become_one():
    rows = [Coverage(Stratum.of(sku=f"{n:03d}", bin="front"), (50 - n) / 1275, 1, 0.02) for n in range(50)]
    shown = make_coverage_grid(rows, "sku", "bin", max_levels=12)
    assert shown.rows == (*(f"{n:03d}" for n in range(11)), f"39 {OTHERS}")
    assert sum(cell.exposure for cell in shown.cells.values()) == pytest.approx(1.0)
    assert choose_grid_factors(rows)[0] == "bin"


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 9), st.integers(0, 20), st.integers(0, 20)
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda row: row[:2],
    )
)
@settings(max_examples=50, deadline=None)
def test_a_map_loses_nothing_of_what_it_sums_up(rows):
    coverage = [
        Coverage(Stratum.of(one=a, other=b), 1 / len(rows), demos, 1 / len(rows), tried, min(tried, failed))
        for a, b, demos, tried, failed in rows
    ]
    shown = make_coverage_grid(coverage, *choose_grid_factors(coverage), max_levels=2)
    assert list_deployed_factors(coverage) == ["one", "other"]
    for name in ("exposure", "share", "demonstrations", "attempts", "failures"):
        assert sum(getattr(c, name) for c in shown.cells.values()) == pytest.approx(
            sum(getattr(c, name) for c in coverage)
        )


def test_a_map_a_site_and_one_for_all():
    drawn = draw_coverage(samples.coverage())
    assert drawn.count("<svg") == 3
    assert "leipzig, 65 % of production" in drawn
    one = [c for c in samples.coverage() if c.stratum.level("site") == "gdansk"]
    assert draw_coverage(one).count("<svg") == 1


# ── curves


def test_without_curves_the_promise_itself_is_drawn():
    drawn = draw_curves(samples.planned(curves=()))
    assert len(drawn) == 6
    first = samples.quotas()[0]
    now = next(c for c in samples.coverage() if c.stratum == first.stratum)
    left = now.failures / now.attempts - first.gain / now.exposure  # what the plan promises of that stratum
    assert (
        f"7 demonstrations in hand; with 8 more {100 * left:.0f} % are expected to fail. "
        "Dots are failure rates measured over 528 attempts." in drawn[0]
    )
    assert not draw_curves(samples.planned(curves=(), coverage=()))
    all_is_well = tuple(dataclasses.replace(c, failures=0) for c in samples.coverage())
    assert not draw_curves(samples.planned(curves=(), coverage=all_is_well)), "more is promised than fails there"


def test_past_rounds_are_dots():
    only = samples.planned(plan=samples.plan(samples.quotas(1)))
    (with_past,), (without,) = (draw_curves(dataclasses.replace(only, scores=s)) for s in (only.scores[:1], ()))
    assert with_past.count("<use") > without.count("<use")
    assert "measured over 352 attempts" in with_past  # 176 then and 176 now


# ── small things


def test_gains_that_cannot_be_determined_come_last():
    known, unknown = Quota(Stratum(), 1, 0.01, 0.0, 0.02, ""), Quota(Stratum(), 1, math.nan, 0.0, 0.0, "")
    assert sort_by_gain([unknown, known]) == [known, unknown]
    assert find_shared_factors([Stratum.of(a="1", b="2"), Stratum.of(a="1", b="3")]) == ["a"]
    assert find_shared_factors([Stratum.of(a="1")]) == []


@given(*(st.floats(allow_nan=True, allow_infinity=True) for _ in range(3)))
@settings(max_examples=60, deadline=None)
def test_a_bar_stays_inside_its_frame(low, value, high):
    for drawn in (draw_interval_bar(low, value, high, tick=0.0), draw_share_bar(value, low, high)):
        well_formed(drawn)
        places = [float(x) for x in re.findall(r'(?:M|H|cx="|width=")(-?[\d.]+)', drawn)]
        assert all(0.0 <= x <= 140.0 for x in places)


def test_more_rejected_than_planned_fits_too():
    assert 'width="132"' in draw_progress_bar(0, 0, 0)
    well_formed(draw_progress_bar(3, 900, 2))


# ── the terminal


def test_the_terminal_says_the_same_in_the_same_order():
    said = printed(samples.plan())
    assert said.startswith("Collect 54 demonstrations in 9 strata: +5.0 points")
    assert (
        said.index("Only three operators") < said.index("+1.10") < said.index("17 gaps") < said.index("9 work orders")
    )
    assert "leipzig 7 (40 demonstrations, 3 operators)" in said
    assert printed(samples.planned().forecast).startswith("✓ on its way  18 left")
    assert printed(Forecast(4, None, None, None, None, written("No pace yet."))).startswith(
        "▲ cannot tell  No pace yet."
    )
    reported = [
        dataclasses.replace(p, order=f"order_{n}", reported=4) for n, p in enumerate(samples.planned().progress)
    ]
    assert re.search(r" 8 +4 +2 +1 +1 +7 +order_0\n", printed(reported))
    assert "reported" not in printed(samples.planned().progress)
    kept = "plan_6, compared with policy bbbbbbbbbbbb: +3.0 points (1.5 to 4.4), promised +4.1 (1.8 to 7.1)"
    assert kept in printed(samples.planned().scores)


def test_warnings_and_gaps_are_marked_as_of_the_day_the_plan_was_drawn(made):
    assert "17 gaps when the plan was made" in " ".join(texts(made))
    assert "When the plan was made" in made
    assert "when the plan was made" not in printed(samples.plan()).lower()
    drawn = samples.planned()
    now = printed(PlanNow(*(getattr(drawn, f.name) for f in dataclasses.fields(drawn))))
    assert (
        now.index("When the plan was made (")
        < now.index("Only three operators")
        < now.index("17 gaps when the plan was made:")
    )


def test_what_a_simulator_makes_is_counted_apart():
    here = Stratum.of(cell="a")
    rows = [Progress(here, 199, 0, 0, 0), Progress(here, 5, 0, 0, 0, QuotaKind.SIMULATION)]
    assert format_progress_counts(rows) == "0 of 204 (5 of them are to be simulated) accepted, 0 rejected."
    one = SiteSet("annex", 0.2, False, (), 5, 0, 20, False, written("What it lacks."), simulated=1)
    assert "20 and 1 simulated" in render_plan_page(samples.planned(plan=samples.plan(sites=(one,))))


def test_a_gain_that_is_assumed_is_not_stated_as_expected():
    assumed = dataclasses.replace(samples.plan(), assumed=True)
    said = write_headline(PlanReport(assumed, (), ()))
    assert said.endswith("+5.0 points of production success assumed, no outcome counts yet (1.8 to 7.1).")
    now = SimpleNamespace(demands=(), plan=assumed)
    assert (describe_demands_on_plan(now).code, describe_demands_on_plan(now)["budget"]) == ("home.back_assumed", 40)


def test_a_small_share_does_not_read_as_zero():
    assert [format_small_share(share) for share in (0.0, 0.0002, 0.25)] == ["0.0 %", "under 0.1 %", "25.0 %"]
