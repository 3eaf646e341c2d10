"""The page of a diagnosis: the verdict first, a waterfall that adds up, and nothing that breaks on ugly ones."""

import dataclasses
import io
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report import samples
from tests.report.reading import texts, well_formed

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Diagnosis, FailureExplained, Gap, LostSlice
from fieldloop.model.finding import Status
from fieldloop.report.diagnose import DiagnosisReport, render_diagnosis_page, write_headline, write_main_cause
from fieldloop.report.diagnose.content import (
    DOUBT,
    format_doubt,
    name_first_cause,
    sort_slices_by_loss,
    write_cause_place,
    write_cause_start,
)
from fieldloop.report.diagnose.days_drawing import draw_daily_rates
from fieldloop.report.diagnose.kinds import write_kinds
from fieldloop.report.diagnose.waterfall import compute_waterfall_steps, draw_waterfall

REAL = "The drop is real: 88.0 % → 61.2 %, −26.8 points (−31.9 to −21.4), over 1,043 episodes at leipzig."
NOTHING = {"causes": (), "slices": (), "failures": (), "cannot_tell": (), "mix_share": 0.0, "mechanism_share": 0.0,
           "unseen_share": 0.0}  # fmt: skip


@pytest.fixture(scope="module")
def made():
    return render_diagnosis_page(DiagnosisReport(samples.diagnosis(), samples.days(), "pick-7"))


def printed(result):
    stream = io.StringIO()
    show_result(result, Screen(stream))
    return stream.getvalue()


def test_the_page_answers_first_and_keeps_the_order_that_was_asked_for(made):
    well_formed(made)
    assert re.search(r'<p class="lead">(.*?)</p>', made)[1] == REAL
    assert re.findall(r"<h2>(.*?)</h2>", made) == [
        "Where the loss comes from",
        "Causes of the loss",
        "What is not known yet, and what to log",
        "Success over the days",
        "Conditions with lost success",
        "Four questions about failures",
    ]
    assert "<h1>Diagnosis of pick-7 at leipzig</h1>" in made


def test_kinds_that_pull_apart_are_stated_in_points_alone():
    found = samples.diagnosis(loss=0.01, mix_share=-1.6, mechanism_share=2.6, unseen_share=0.0)
    row = next(line for line in printed(found).splitlines() if "mix: fewer" in line)
    assert "+1.6" in row
    assert "%" not in row
    assert write_kinds(found) == "Change by kind, in points: mix +1.6, mechanism −2.6, unseen 0.0."


def test_causes_come_with_share_interval_evidence_fix_group_and_since(made):
    said = texts(made)
    assert "55 % (45 to 65)" in said
    assert "robot arm-2 or shift night (effects cannot be separated)" in said
    assert "changed about 2025-09-30" in said
    assert "Change the pads of arm-2; inspect at 50,000 cycles." in said
    assert said.index("environment mismatch") < said.index("hardware drift") < said.index("unknown")


def test_four_questions_are_answered_by_shape_and_word(made):
    said = texts(made)
    assert [said.count(word) for word in ("no", "yes", "open")] == [3, 6, 3]
    assert said.count("2 demonstrations in dim light, 40 are usual.") == 3


def test_nothing_is_fetched(made):
    assert not re.findall(r'(?:src|href)="(?!#)', made)
    assert not re.findall(r"https?://(?!www\.w3\.org/)\S+", made)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, REAL),
        (
            {"status": Status.PASSED, "observed": 0.885, "loss": -0.005, "loss_low": 0.0, "loss_high": 0.0, **NOTHING},
            "Success did not really drop: 88.0 % → 88.5 %, +0.5 points, over 1,043 episodes at leipzig.",
        ),
        (
            {"status": Status.CANNOT_TELL, "baseline": math.nan, **NOTHING},
            "Cannot tell whether success dropped: No outcomes are recorded that could be compared.",
        ),
        (
            {"status": Status.CANNOT_TELL, "site": "", "causes": (samples.cause(Gap.UNKNOWN, 1.0),)},
            REAL.replace("is real", "is real; its cause is not known").replace("leipzig", "all sites"),
        ),
        (
            {"status": Status.CANNOT_TELL, "causes": (samples.cause(), samples.cause(Gap.UNKNOWN, 0.5))},
            REAL.replace("is real", "is real; its cause is not certain"),
        ),
        (
            {"status": Status.CANNOT_TELL, "loss_low": -0.004, "causes": (samples.cause(Gap.UNKNOWN, 1.0),)},
            REAL.replace("The drop is real", "Cannot tell whether success dropped").replace("−21.4", "0.4"),
        ),
        (
            {"status": Status.CANNOT_TELL, "loss_low": 0.0, "loss_high": 0.0},
            REAL.replace("The drop is real", "Cannot tell whether success dropped").replace(" (−31.9 to −21.4)", ""),
        ),
        (
            {"loss_low": -0.004},
            REAL.replace("The drop is real", "Something is wrong, but overall success may not have dropped").replace(
                "−21.4", "0.4"
            ),
        ),
        ({"loss_low": 0.0, "loss_high": 0.0}, REAL.replace(" (−31.9 to −21.4)", "")),
        (
            {"status": Status.PASSED, "observed": 0.86, "loss": 0.02, "loss_low": 0.004, "loss_high": 0.036, **NOTHING},
            (
                "Success did not drop by an amount that matters: 88.0 % → 86.0 %, −2.0 points (−3.6 to −0.4), "
                "over 1,043 episodes at leipzig."
            ),
        ),
    ],
)
def test_the_headline_states_what_is_so(changed, said):
    assert write_headline(samples.diagnosis(**changed)) == said


def test_the_first_cause_is_the_diagnosis_own_and_causes_of_a_kind_are_added():
    two = (samples.cause(share=0.3), samples.cause(Gap.HARDWARE, 0.35), samples.cause(share=0.2))
    assert write_main_cause(samples.diagnosis(causes=two)).startswith(
        "The largest cause is environment mismatch (50 % of the loss;"
    )
    sites = tuple(samples.cause(share=s, stratum=Stratum.of(site=n)) for n, s in (("annex", 0.11), ("harbour", 0.08)))
    said = write_main_cause(samples.diagnosis(causes=sites))
    assert "(19 % of the loss; site annex 11 %, site harbour 8 %)" in said
    many = (*sites, *(samples.cause(share=0.0625, stratum=Stratum.of(site=f"s{n}")) for n in range(4)))
    said = write_main_cause(samples.diagnosis(causes=many))
    assert "(44 % of the loss; site annex 11 %, site harbour 8 % and 4 more)" in said
    assert "(11 % of the loss; site annex)" in write_main_cause(samples.diagnosis(causes=sites[:1]))
    unclear = (samples.cause(Gap.UNKNOWN, 0.7), samples.cause(Gap.LABELS, 0.3))
    assert write_main_cause(samples.diagnosis(causes=unclear)).startswith(
        "The largest part of the loss is unexplained (70 %)"
    )
    assert write_main_cause(samples.diagnosis(causes=unclear[:1])) == ""


@pytest.mark.parametrize(
    ("never", "since_ns", "said"),
    [
        (True, None, "never demonstrated"),
        (False, None, "demonstrated, but changed since"),
        (False, samples.NOW, "changed about 2025-10-09"),
        (None, None, "cannot tell"),
        (None, samples.NOW, "changed about 2025-10-09"),  # everything since a day: covered or not, it changed
    ],
)
def test_never_covered_is_kept_apart_from_changed(never, since_ns, said):
    assert write_cause_start(samples.cause(never_covered=never, since_ns=since_ns)) == said
    assert write_cause_place(samples.cause(stratum=Stratum())) == "everywhere"


def test_the_day_is_that_of_the_site_where_it_is_known():
    late = samples.cause(never_covered=False, since_ns=samples.NOW, since_day="2025-10-08")
    assert write_cause_start(late) == "changed about 2025-10-08"
    plain = to_plain(samples.diagnosis(causes=(late,)))
    assert from_plain(Diagnosis, plain).causes == (late,)
    del plain["causes"][0]["since_day"]
    assert write_cause_start(from_plain(Diagnosis, plain).causes[0]) == "changed about 2025-10-09"


# ── the waterfall


@given(
    st.floats(0.3, 1.0),
    st.floats(0.01, 0.3),
    st.lists(st.tuples(st.sampled_from(list(Gap)), st.floats(0.0, 0.4)), max_size=12),
    st.floats(-0.5, 1.5),
)
@settings(max_examples=80, deadline=None)
def test_both_divisions_lead_from_the_baseline_to_what_was_observed(baseline, loss, causes, mix):
    found = samples.diagnosis(
        baseline=baseline, observed=baseline - loss, loss=loss, mix_share=mix, mechanism_share=0.7 - mix,
        unseen_share=0.3, causes=tuple(samples.cause(gap, share) for gap, share in causes),
    )  # fmt: skip
    for rows in compute_waterfall_steps(found):
        assert rows[0].end == pytest.approx(baseline)
        assert rows[-1].end == pytest.approx(baseline - loss)
        at = baseline
        for row in rows[1:-1]:
            assert row.start == pytest.approx(at)
            at = row.end
        assert at == pytest.approx(baseline - loss, abs=1e-3)
        assert len(rows) <= 12


@pytest.mark.parametrize(
    "changed",
    [{"loss": 0.0}, {"loss": -0.1}, {"loss": math.nan}, {"baseline": math.nan}, {"status": Status.PASSED, **NOTHING}],
)
def test_where_nothing_was_lost_nothing_is_drawn(changed):
    assert draw_waterfall(samples.diagnosis(**changed)) is None


def test_shares_that_exceed_the_loss_overlap():
    found = samples.diagnosis(causes=(samples.cause(share=0.8), samples.cause(Gap.LABELS, 0.5)))
    assert "Overlap of the causes above" in draw_waterfall(found)


@pytest.mark.parametrize(
    ("causes", "rest"),
    [
        ((Gap.ENVIRONMENT, Gap.HARDWARE), "Unassigned: mix, pace or inherent difficulty"),
        ((Gap.ENVIRONMENT, Gap.UNKNOWN), "Unexplained"),
    ],
)
def test_the_rest_is_unassigned_unless_a_cause_is_unknown(causes, rest):
    found = samples.diagnosis(causes=tuple(samples.cause(gap, 0.3) for gap in causes))
    assert compute_waterfall_steps(found)[1][-2].name == rest


# ── doubt


def test_slices_state_their_doubt_and_what_it_means_in_every_form(made):
    said = texts(made)
    assert DOUBT in said
    assert [said.count(word) for word in ("< 1 %", "23 %")] == [1, 1]
    printed_text = printed(samples.diagnosis())
    assert "Doubt is the probability that the condition is not a cause." in printed_text
    assert "23 %" in printed_text
    assert "chance" not in f"{said}{printed_text}"


def test_a_diagnosis_from_before_doubts_were_stated_is_still_read():
    plain = to_plain(samples.diagnosis())
    for one in plain["slices"]:
        one["chance"] = one.pop("doubt")
    read = from_plain(Diagnosis, plain)
    assert [format_doubt(one) for one in read.slices] == ["not known"] * 2
    assert "not known" in printed(read)
    assert from_plain(Diagnosis, to_plain(samples.diagnosis())) == samples.diagnosis()


# ── days


def test_sites_of_one_day_are_added_up():
    one = samples.days(4)
    both = [*one, *(dataclasses.replace(d, site="gdansk", start_ns=d.start_ns - 3_600_000_000_000) for d in one)]
    dots = [draw_daily_rates(days, samples.diagnosis()).count("<use") for days in (one, both)]
    assert dots[0] == dots[1]
    assert draw_daily_rates(one[:1], samples.diagnosis()) is None
    assert draw_daily_rates((), samples.diagnosis()) is None
    assert draw_daily_rates(one, samples.diagnosis(baseline=math.nan))


def test_days_are_drawn_under_their_own_dates():
    """In Tokyo the ninth of October begins on the eighth in UTC."""
    midnight = 1_759_935_600_000_000_000
    days = [
        dataclasses.replace(d, start_ns=midnight + k * samples.DAY, end_ns=midnight + (k + 1) * samples.DAY)
        for k, d in enumerate(samples.days(3))
    ]
    assert "Success by day from 2025-10-09 to 2025-10-11" in draw_daily_rates(days, samples.diagnosis())


# ── ugly ones


def test_twelve_causes_long_names_and_no_numbers_stay_readable():
    nasty = Stratum.of({samples.NASTY: samples.NASTY, "packaging": "very_" * 60, "暗い": "$x^$"})
    causes = [samples.cause(gap, 0.08, stratum=nasty, group=(nasty,) * 3) for gap in list(Gap)[:-1]]
    causes += [samples.cause(Gap.LABELS, math.nan, math.nan, math.nan), samples.cause(Gap.TIMING, 0.0, 0.0, 0.0)]
    causes += [samples.cause(share=-0.1, low=-0.2, high=0.1), samples.cause(Gap.UNKNOWN, 0.3)]
    found = samples.diagnosis(
        causes=tuple(causes),
        mix_share=math.nan,
        cannot_tell=(samples.written(samples.NASTY),) * 30,
        slices=tuple(LostSlice(nasty, n, math.nan, 0.5, math.nan) for n in range(90)),
        failures=tuple(FailureExplained(samples.NASTY, nasty, ()) for _ in range(90)),
        site=samples.NASTY,
        loss_low=math.nan,
    )
    assert len(causes) == 12
    page = render_diagnosis_page(DiagnosisReport(found, samples.days(3)))
    well_formed(page)
    assert "<img" not in page
    assert ">nan" not in page
    assert "nan" not in printed(found).replace("暗い", "")


@pytest.mark.parametrize("status", [Status.PASSED, Status.CANNOT_TELL])
def test_little_is_drawn_of_little(status):
    page = render_diagnosis_page(DiagnosisReport(samples.diagnosis(status=status, **NOTHING)))
    well_formed(page)
    assert "<h2>" not in page


def test_a_sample_of_failures_states_of_how_many_and_how_it_was_chosen(made):
    found = samples.diagnosis()
    assert found.failed > len(found.failures)
    told = f"{len(found.failures)} of {found.failed:,} failures: those in which success was most expected."
    assert told in texts(made)
    assert told in printed(found)
    every = dataclasses.replace(found, episodes=4, observed=0.25, failures=found.failures[:3])
    assert f"All {len(every.failures)} failures, the least expected first." in printed(every)


# ── the terminal


def test_the_terminal_shows_the_same_in_the_same_order():
    said = printed(samples.diagnosis())
    assert said.startswith("✗ The drop is real  88.0 % → 61.2 %")
    marks = ["The largest cause is environment", "mechanism: lower success", "hardware drift", "Fix: Change the pads",
             "Cannot tell: 612", "Conditions with lost success", "Four questions"]  # fmt: skip
    places = [said.index(mark) for mark in marks]
    assert places == sorted(places)


def test_conditions_that_lost_come_by_what_they_lost_and_count_the_rest():
    lost = tuple(LostSlice(Stratum.of(bin=f"b{k:02d}"), 100, 0.9 - 0.01 * k, 0.9, 0.0) for k in range(11))
    found = samples.diagnosis(slices=lost)
    assert [one.stratum.level("bin") for one in sort_slices_by_loss(lost)[:2]] == ["b10", "b09"]
    told = printed(found)
    assert "And 3 more conditions with a smaller loss" in told
    assert "bin=b10" in told
    assert "bin=b02" not in told
    assert "more condition" not in printed(samples.diagnosis(slices=lost[:8]))


def test_in_a_passed_diagnosis_the_lines_beside_it_are_remarks():
    well = samples.diagnosis(
        status=Status.PASSED, cannot_tell=(samples.written("lighting=dim was hardly ever demonstrated."),)
    )
    assert "Worth knowing: lighting=dim" in printed(well)
    page = render_diagnosis_page(DiagnosisReport(well))
    assert "<h2>Worth knowing</h2>" in page
    assert "lets the next" not in page
    ill = dataclasses.replace(well, status=Status.CANNOT_TELL)
    assert "Cannot tell: lighting=dim" in printed(ill)
    assert "<h2>What is not known yet, and what to log</h2>" in render_diagnosis_page(DiagnosisReport(ill))


def test_in_short_it_is_the_first_cause_named_or_the_verdict():
    two = (samples.cause(Gap.UNKNOWN, 0.7), samples.cause(Gap.HARDWARE, 0.1), samples.cause(Gap.TIMING, 0.2))
    assert name_first_cause(samples.diagnosis(causes=two)) == "hardware drift"
    assert name_first_cause(samples.diagnosis(causes=two[:1])) == "The drop is real"


def test_a_long_id_stands_under_its_place_and_each_answer_under_its_question(made):
    assert made.count('<div class="dim id">') == len(samples.diagnosis().failures)
    assert made.count('<span class="asked dim">') == 4 * len(samples.diagnosis().failures)
