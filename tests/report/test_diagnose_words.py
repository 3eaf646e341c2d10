"""The summary of a diagnosis: a harder mix, points where there are no shares, nothing that ever worked."""

import io
import re

import pytest
from tests.report import samples
from tests.report.reading import texts, well_formed

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Diagnosis, Gap, Kinds, Shifted
from fieldloop.model.finding import Status
from fieldloop.report.diagnose import DiagnosisReport, render_diagnosis_page, write_headline, write_main_cause
from fieldloop.report.diagnose.content import name_first_cause, write_cause_start, write_verdict
from fieldloop.report.diagnose.kinds import compute_kind_shares, divide_loss_by_kind, write_kinds
from fieldloop.report.diagnose.parts import format_causes_cost, uses_points
from fieldloop.report.diagnose.waterfall import compute_waterfall_steps, draw_waterfall

BURIED = Shifted(Stratum.of(bin="buried"), 0.09, 0.62, 0.23, 0.39, 0.41, worse=False)
MIX = {
    "status": Status.CANNOT_TELL, "baseline": 0.825, "observed": 0.575, "loss": 0.25, "loss_low": 0.2,
    "loss_high": 0.3, "mix_share": 0.92, "mechanism_share": 0.08, "unseen_share": 0.0, "causes": (), "slices": (),
    "kinds": Kinds(0.23, 0.02, 0.0), "shifted": (BURIED,),
}  # fmt: skip
RISEN = {
    "baseline": 0.75, "observed": 0.814, "loss": -0.064, "loss_low": -0.114, "loss_high": -0.017, "mix_share": 0.0,
    "mechanism_share": 0.0, "unseen_share": 0.0, "kinds": Kinds(0.004, -0.12, 0.052),
    "causes": (samples.cause(share=1.0, low=1.0, high=1.0, cost=0.055, cost_low=0.04, cost_high=0.069),),
}  # fmt: skip


def printed(result):
    stream = io.StringIO()
    show_result(result, Screen(stream))
    return stream.getvalue()


def test_a_drop_that_is_mostly_mix_says_so_first_with_what_grew():
    found = samples.diagnosis(**MIX)
    assert write_verdict(found) == name_first_cause(found) == "The drop is real; a harder mix explains most of it"
    assert write_main_cause(found) == (
        "A harder mix explains 23.0 of the 25.0 points lost. "
        "bin buried went from 9 % to 62 % of the work; success there is as "
        "before (39 % before, 41 % now)."
    )
    told = printed(found)
    assert re.search(r"mix: more of the hard conditions +92 % +−23\.0", told)
    page = render_diagnosis_page(DiagnosisReport(found))
    well_formed(page)
    assert "Where the loss comes from" in page
    assert write_main_cause(found) in texts(page)
    assert from_plain(Diagnosis, to_plain(found)) == found


def test_the_mix_comes_after_a_known_cause_and_states_where_the_policy_is_worse_too():
    worse = Shifted(Stratum.of(bin="buried"), 0.09, 0.62, 0.3, 0.5, 0.3, worse=True)
    told = {"status": Status.FAILED, "causes": (samples.cause(share=0.3),), "shifted": (worse,)}
    found = samples.diagnosis(**(MIX | told | {"kinds": Kinds(0.3, -0.05, 0.0)}))
    said = write_main_cause(found)
    assert said.startswith("The largest cause is environment mismatch (30 % of the loss; lighting dim).")
    assert "A harder mix costs 30.0 points, more than the whole loss. bin buried" in said
    assert "success there is also lower (50 % before, 30 % now)" in said
    even = samples.diagnosis(**(MIX | {"kinds": Kinds(0.251, -0.001, 0.0), "shifted": ()}))
    assert write_main_cause(even) == "A harder mix explains all of the 25.0 points lost."
    assert write_verdict(found) == "The drop is real"


@pytest.mark.parametrize("changed", [{"loss_low": -0.01}, {"kinds": Kinds(0.1, 0.15, 0.0)}, {"kinds": None}])
def test_without_a_drop_or_with_little_mix_nothing_is_attributed_to_it(changed):
    found = samples.diagnosis(**(MIX | changed))
    assert "mix" not in f"{write_verdict(found)} {write_main_cause(found)}"


def test_by_kind_it_is_drawn_alone_where_no_cause_is_named():
    found = samples.diagnosis(**MIX)
    drawn = draw_waterfall(found)
    assert (
        drawn.count("Observed in production") == draw_waterfall(samples.diagnosis()).count("Observed in production") / 2
    )
    assert "Unassigned" not in drawn
    assert draw_waterfall(samples.diagnosis(**(MIX | {"status": Status.PASSED, "loss_low": -0.01}))) is None


def test_kinds_are_named_by_what_they_did_and_unseen_is_what_was_not_demonstrated():
    lost, gained = ({k.label: k.lost for k in divide_loss_by_kind(samples.diagnosis(**one))} for one in (MIX, RISEN))
    assert lost["mechanism: lower success under known conditions"] == 0.02
    assert gained["mechanism: higher success under known conditions"] == -0.12
    assert gained["unseen: conditions hardly ever demonstrated"] == 0.052
    assert sum(gained.values()) == pytest.approx(RISEN["loss"])
    less = samples.diagnosis(**(MIX | {"kinds": Kinds(-0.01, 0.26, 0.0)}))
    assert divide_loss_by_kind(less)[0].label == "mix: fewer of the hard conditions"
    assert compute_kind_shares(less) == (0.0, 1.0, 0.0)  # one point gained leaves shares as they are
    assert compute_kind_shares(samples.diagnosis(**RISEN)) == ()


def test_where_the_whole_rose_causes_are_in_points_everywhere():
    found = samples.diagnosis(**RISEN)
    assert uses_points(found)
    assert write_main_cause(found).startswith("The largest cause is environment mismatch (−5.5 points; lighting dim).")
    told = printed(found)
    assert re.search(r"environment mismatch +−5\.5 +−6\.9 to −4\.0", told)
    assert "100" not in told.partition("Conditions with lost success")[0].replace("1,043", "")
    page = render_diagnosis_page(DiagnosisReport(found))
    well_formed(page)
    assert "together −5.5 points" in texts(page)
    assert "−5.5 (−6.9 to −4.0)" in texts(page)
    assert write_kinds(found) in texts(page)
    assert "of the loss" not in texts(page)


def test_a_small_loss_that_hides_a_larger_one_is_in_points_and_the_gain_is_drawn():
    small = {"loss": 0.02, "observed": 0.73, "loss_low": 0.001, "loss_high": 0.04, "kinds": Kinds(0.0, -0.03, 0.05)}
    found = samples.diagnosis(**(RISEN | small))
    assert format_causes_cost(found, found.causes) == "−5.5 points"
    assert compute_waterfall_steps(found)[1][-2].name == "Gained elsewhere"
    large = samples.diagnosis(**(RISEN | {"loss": 0.05, "observed": 0.7, "loss_low": 0.02, "loss_high": 0.08}))
    assert format_causes_cost(large, large.causes) == "100 % of the loss"


def test_what_was_shown_in_simulation_is_not_called_changed():
    for never in (None, False):
        assert write_cause_start(samples.cause(Gap.SIM_TO_REAL, never_covered=never)) == "covered in simulation"
    assert write_cause_start(samples.cause(Gap.SIM_TO_REAL, never_covered=True)) == "never demonstrated"


def test_where_nothing_ever_worked_the_verdict_states_it():
    told = {"status": Status.CANNOT_TELL, "baseline": 0.0, "observed": 0.0, "loss": 0.0, "loss_low": -0.01,
            "loss_high": 0.01, "causes": (), "kinds": Kinds(0.0, 0.0, 0.0)}  # fmt: skip
    assert write_headline(samples.diagnosis(**told)).startswith(
        "No attempt succeeded, neither before nor in production: 0.0 % → 0.0 %"
    )


def test_causes_of_one_place_are_named_once():
    two = tuple(samples.cause(share=share) for share in (0.5, 0.2))
    result = samples.diagnosis(causes=two)
    once = write_main_cause(samples.diagnosis(causes=(samples.cause(share=0.7),)))
    assert write_main_cause(result) == once
    assert "more" not in once
