"""What a diagnosis leaves open: what is logged is not asked for, what is missing is counted."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import DAY, SETTINGS, World, draw, explain, remarks, stated

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.diagnose.answers.to_log import MOST_NAMED
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage, Step
from fieldloop.say import write_sentence


def side(stage, count, rate, seed=0, **more):
    """Outcomes over three weeks, alike but for what `more` gives each by its number and the draw of its success."""
    chance = np.random.default_rng([seed, stage is Stage.LAB])
    made = []
    for k in range(count):
        given = {name: give(k) for name, give in more.items()}
        good = bool(chance.random() < (rate(k) if callable(rate) else rate))
        where = given.pop("stratum", Stratum.of(bin="front"))
        made.append(
            Outcome(f"{stage}{k}", "p", where, stage, "home", f"r{k % 3}", k * 21 * DAY // count, good, "j", **given)
        )
    return tuple(made)


def steps(k):
    return tuple(Step(name, succeeded=True, deviation_m=0.001 * (1 + k % 5)) for name in ("grasp", "lift", "place"))


def test_a_number_that_moved_in_all_of_production_is_suspected():
    before = side(Stage.LAB, 400, 0.85, facts=lambda k: (("gripper_cycles", 15e3 + k),))
    after = side(Stage.PRODUCTION, 800, 0.55, facts=lambda k: (("gripper_cycles", 115e3 + k),))
    found = explain(Evidence("p", "", before, after))
    assert [cause.gap for cause in found.causes] == [Gap.UNKNOWN]
    (rose,) = remarks(found, "rose_everywhere")
    assert write_sentence(rose) == (
        "gripper_cycles rose from 15200 to 115400 (median) in all of production. This change may be the cause, "
        "but cannot be separated from everything else that changed. Compare with attempts at the old value."
    )
    assert not remarks(found, "nothing_logged_explains")
    assert found.causes[0].fix["names"] == ("gripper_cycles",)
    fewer = explain(Evidence("p", "", *(replaced(one, other) for one, other in ((before, after), (after, before)))))
    assert not remarks(fewer, "fell_everywhere")  # a newer gripper does no harm


def replaced(one, other):
    """The first side with the facts of the second."""
    return tuple(dataclasses.replace(o, facts=other[k % len(other)].facts) for k, o in enumerate(one))


def test_steps_that_were_logged_are_not_asked_for_where_late_answers_hide_them():
    before = side(Stage.LAB, 400, 0.85, steps=steps, latency_ms=lambda k: 14.0 + k % 3)
    after = side(Stage.PRODUCTION, 800, 0.7, steps=steps, latency_ms=lambda k: 110.0 + k % 11)
    found = explain(Evidence("p", "", before, after))
    assert remarks(found, "answers_all_late")
    assert (remarks(found, "rose_everywhere")[0]["before"], remarks(found, "rose_everywhere")[0]["after"]) == (
        15.0,
        115.0,
    )
    assert not remarks(found, "steps_not_logged")


@pytest.mark.parametrize(
    ("before", "after", "lacking"),
    [((), (), ("baseline", "production")), (steps(0), (), ("production",)), ((), steps(0), ("baseline",))],
)
def test_steps_are_asked_for_where_they_are_missing(before, after, lacking):
    sides = (
        side(Stage.LAB, 300, 0.85, steps=lambda _: before),
        side(Stage.PRODUCTION, 600, 0.6, steps=lambda _: after),
    )
    (missing,) = remarks(explain(Evidence("p", "", *sides)), "steps_not_logged")
    assert missing["sides"] == lacking


def test_a_few_names_are_asked_for_those_of_the_map_first():
    exposed = (Exposure(Stratum.of(bin="front", aisle="a"), 0.5), Exposure(Stratum.of(bin="front", aisle="b"), 0.5))
    sides = (
        side(Stage.LAB, 300, 0.85),
        side(Stage.PRODUCTION, 600, 0.6, facts=lambda k: (("lux", 300.0 + 37 * k % 400),)),
    )
    (missing,) = remarks(explain(Evidence("p", "", *sides, exposures=exposed)), "log_conditions")
    names = missing["names"]
    assert len(names) == MOST_NAMED
    assert names[0] == "aisle"
    assert not {"lighting", "bin", "robot", "site", "judged_by", "simulated"} & set(names)


def test_conditions_that_some_outcomes_lack_are_counted_and_compared():
    def where(k):
        return Stratum() if k % 2 else Stratum.of(bin="front", lighting="lab")

    before = side(Stage.LAB, 400, 0.88, stratum=lambda _: Stratum.of(bin="front", lighting="lab"))
    lossy = side(Stage.PRODUCTION, 900, lambda k: 0.55 if k % 2 else 0.88, stratum=where)
    (lacking,) = remarks(explain(Evidence("p", "", before, lossy)), "lacking_succeed_otherwise")
    assert (lacking["outcomes"], lacking["total"], lacking["factors"]) == (450, 900, ("bin", "lighting"))
    assert lacking["here"] == pytest.approx(np.mean([o.succeeded for k, o in enumerate(lossy) if k % 2]))
    alike = side(Stage.PRODUCTION, 900, 0.88, stratum=where)
    (some,) = remarks(explain(Evidence("p", "", before, alike)), "some_lacking")
    assert [(part["outcomes"], part["factors"]) for part in some["parts"]] == [(450, ("bin", "lighting"))]
    whole = explain(Evidence("p", "", before, side(Stage.PRODUCTION, 900, 0.88)))
    assert not any("bin" in part["factors"] for one in remarks(whole, "some_lacking") for part in one["parts"])


def test_where_nothing_ever_worked_nothing_is_called_well():
    found = explain(Evidence("p", "", side(Stage.LAB, 200, 0.0), side(Stage.PRODUCTION, 400, 0.0)))
    assert found.status is Status.CANNOT_TELL
    (only,) = found.cannot_tell
    assert (only.code, only["before"], only["after"]) == ("diagnose.nothing_works", 200, 400)


def test_judges_who_disagree_need_a_standard_and_not_another_judge():
    before = side(Stage.LAB, 400, 0.9)
    good = side(Stage.PRODUCTION, 500, 0.9, attempt=str)
    chance = np.random.default_rng(5)
    strict = tuple(
        dataclasses.replace(o, id=f"s{o.id}", judged_by="person", succeeded=o.succeeded and chance.random() < 0.6)
        for o in good
    )
    third = tuple(dataclasses.replace(o, id=f"t{o.id}", judged_by="other") for o in strict)
    found = explain(Evidence("p", "", before, (*good, *strict, *third)))
    (cause,) = [c for c in found.causes if stated(c.evidence)[0] == "judges_disagree"]
    assert cause.fix.code == "diagnose.fix_judges"


def test_what_simulation_covered_has_not_changed():
    shown = draw(World((Gap.SIM_TO_REAL,), strength=2.5), 3)
    causes = [c for c in explain(shown).causes if c.gap is Gap.SIM_TO_REAL]
    assert causes
    assert all(c.never_covered is not False for c in causes)


def test_where_the_whole_rose_causes_have_a_cost():
    dim = Stratum.of(lighting="dim")
    before = side(Stage.LAB, 500, 0.75, stratum=lambda _: Stratum.of(lighting="lab"))
    after = side(
        Stage.PRODUCTION, 1000, lambda k: 0.2 if k % 10 == 0 else 0.88,
        stratum=lambda k: dim if k % 10 == 0 else Stratum.of(lighting="lab"),
    )  # fmt: skip
    found = explain(Evidence("p", "", before, after, Demonstrations.counted({Stratum.of(lighting="lab"): 200})))
    assert found.loss < 0.0
    (cause,) = found.causes
    assert cause.stratum == dim
    assert 0.0 < cause.cost_low < cause.cost < cause.cost_high
    assert cause.cost == pytest.approx(0.06, abs=0.02)  # a tenth of the work, some 60 points below the rest


def test_the_light_of_a_failure_is_not_called_unlogged_where_only_others_lack_it():
    before, after = (
        side(Stage.LAB, 200, 0.9),
        side(Stage.PRODUCTION, 400, 0.5, facts=lambda k: (("lux", 300.0 + 37 * k % 400),)),
    )
    found = explain(Evidence("p", "", before, after))
    sensed = {a.answer for one in found.failures for a in one.asked if a.question.code == "diagnose.asked_sensed"}
    assert [write_sentence(answer) for answer in sensed] == [
        "lux was logged here, but not in demonstrations or the baseline. Log it there too."
    ]
    assert SETTINGS.number("explained_failures") >= len(found.failures) > 0
