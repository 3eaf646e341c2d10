"""A header's name costs nothing: under foreign words the same place has the same share and stays a coverage cause."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import DAY, SETTINGS, World, draw, explain

from fieldloop.diagnose import Demonstrations, Evidence
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap, Role
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, Stage

GERMAN = {
    "bin": "kiste", "tier": "umschlagklasse", "lighting": "beleuchtung", "packaging": "verpackung", "shift": "schicht",
    "operator": "bediener", "lux": "helligkeit", "temperature_c": "waerme", "humidity": "feuchte",
    "gripper_cycles": "greiferzaehler", "battery": "akku",
}  # fmt: skip
ROMAJI = {
    "bin": "hako", "tier": "kaiten", "lighting": "shoumei", "packaging": "housou", "shift": "kinmu",
    "operator": "sagyousha", "lux": "akarusa", "temperature_c": "ondo", "humidity": "shitsudo",
    "gripper_cycles": "kaisuu", "battery": "denchi",
}  # fmt: skip
GIBBERISH = {name: f"c{number}" for number, name in enumerate(GERMAN, 1)}
NAMES = {"german": GERMAN, "romaji": ROMAJI, "gibberish": GIBBERISH}
COVERAGE = (Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS)


def rename(evidence, names):
    """The same evidence under other headers."""

    def stratum(one):
        return Stratum.of({names.get(f, f): level for f, level in one.levels.items()})

    def outcomes(side):
        return tuple(
            dataclasses.replace(o, stratum=stratum(o.stratum), facts=tuple((names.get(n, n), v) for n, v in o.facts))
            for o in side
        )

    shown = evidence.demonstrations
    counted = {kind: {stratum(s): n for s, n in getattr(shown, kind).items()} for kind in ("counts", "simulated")}
    ranges = {names.get(name, name): both for name, both in shown.ranges.items()}
    demonstrations = Demonstrations(counted["counts"], counted["simulated"], {}, {}, ranges)
    return dataclasses.replace(
        evidence,
        baseline=outcomes(evidence.baseline),
        production=outcomes(evidence.production),
        demonstrations=demonstrations,
    )


def family(gap):
    return "coverage" if gap in COVERAGE else gap.value


def places(found, names):
    """Shares by renamed place and family."""
    made = {}
    for cause in found.causes:
        where = str(Stratum.of({names.get(c.factor, c.factor): c.level for c in cause.stratum.conditions}))
        made[where, family(cause.gap)] = made.get((where, family(cause.gap)), 0.0) + cause.share
    return made


WORLDS = [
    (Gap.ENVIRONMENT, 5, {"steady": True}), (Gap.ENVIRONMENT, 41, {"steady": True}), (Gap.EDGE_CASES, 42, {}),
    (Gap.CONDITIONS, 6, {}), (Gap.SIM_TO_REAL, 3, {}), (Gap.HARDWARE, 46, {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("gap", "seed", "how", "language"),
    [(*world, language) for world in WORLDS for language in (NAMES if world is WORLDS[0] else ["gibberish"])],
)
def test_a_foreign_header_costs_nothing(gap, seed, how, language):
    evidence, names = draw(World((gap,), strength=2.5, episodes=700, **how), seed), NAMES[language]
    known, renamed = explain(evidence), explain(rename(evidence, names))
    assert known.causes
    assert known.causes[0].gap is gap
    assert renamed.status is known.status
    first = known.causes[0]
    here, there = places(known, names), places(renamed, {})
    where = str(Stratum.of({names.get(c.factor, c.factor): c.level for c in first.stratum.conditions}))
    assert max(there, key=there.get) == max(here, key=here.get) == (where, family(first.gap))
    assert {place: pytest.approx(share, abs=0.02) for place, share in here.items()} == there
    assert not [n for n in renamed.cannot_tell if n.code == "diagnose.nothing_logged_explains"]


def world_of(column, seed=0):
    """A condition that no demonstration has, under any header, which loses 35 points."""
    chance = np.random.default_rng(seed)
    sides = []
    for stage, count in ((Stage.LAB, 400), (Stage.PRODUCTION, 1000)):
        levels = chance.choice(["a", "b", "new"] if stage is Stage.PRODUCTION else ["a", "b"], count)
        sides.append(
            tuple(
                Outcome(
                    f"{stage}{k}", "p", Stratum.of({column: str(level)}), stage, "home", f"r{k % 3}",
                    k * DAY // 60, bool(chance.random() < (0.5 if level == "new" else 0.87)), "j",
                )
                for k, level in enumerate(levels)
            )
        )  # fmt: skip
    return Evidence("p", "", *sides, Demonstrations.counted({Stratum.of({column: level}): 200 for level in "ab"}))


@pytest.mark.parametrize("column", ["lighting", "beleuchtung", "moon_phase", "gripper", "network", "annotation", "x"])
def test_what_was_never_demonstrated_and_loses_is_a_coverage_cause_whatever_it_is_called(column):
    found = explain(world_of(column))
    assert found.status is Status.FAILED
    (cause,) = found.causes
    assert (cause.stratum, cause.never_covered) == (Stratum.of({column: "new"}), True)
    assert cause.gap in COVERAGE
    assert cause.fix.code == "diagnose.fix_collect"
    assert cause.share == pytest.approx(explain(world_of("lighting")).causes[0].share, abs=0.001)


def test_roles_come_from_values_and_can_be_stated():
    evidence = rename(draw(World(episodes=400), 5), GIBBERISH)
    roles = {column.name: column.role for column in explain(evidence).columns}
    assert roles["c10"] is Role.WEAR  # the cycles of the gripper
    assert {roles[name] for name in ("c1", "c2", "c3", "c4", "c5")} == {Role.CONDITION}
    assert {roles[name] for name in ("c7", "c8", "c9", "c11")} == {Role.TELEMETRY}
    assert {name: roles[name].value for name in ("site", "robot", "judged_by", "latency_ms")} == {
        "site": "site", "robot": "robot", "judged_by": "judge", "latency_ms": "latency",
    }  # fmt: skip
    stated = explain(dataclasses.replace(evidence, roles={"c11": Role.WEAR}))
    (column,) = [one for one in stated.columns if one.name == "c11"]
    assert (column.role, column.stated, column.gap) == (Role.WEAR, True, Gap.HARDWARE)
    assert SETTINGS.number("item_levels") > 0
