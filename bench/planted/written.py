"""What a team's records say of a played world: outcomes, episodes, measured lags and double annotations."""

import numpy as np
from numpy.typing import NDArray

from bench.planted.played import Played
from fieldloop.annotate.agreement import agreement
from fieldloop.model.annotation import Agreement, Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Lag
from fieldloop.model.episode import Episode
from fieldloop.model.policy import FailureClass, Outcome, Stage, Step
from fieldloop.simulate.picking import operators, physics
from fieldloop.simulate.picking.scenes import Scenes
from fieldloop.simulate.picking.strata import SITES
from fieldloop.simulate.picking.world import Demonstrations, Tries

POLICY = "policy"
START_NS = 1_767_225_600 * 10**9
"""2026-01-01: production begins; the laboratory was in the week before."""
DAY_NS, WEEK_NS = 86_400 * 10**9, 7 * 86_400 * 10**9
CLASS_OF_STEP = (FailureClass.COLLISION, FailureClass.GRASP, FailureClass.GRASP, FailureClass.PLACEMENT)
FRAMES_HZ = 30.0
GRASP_AT_S, END_AT_S = 2.0, 4.0


def outcomes(played: Played, tries: Tries, stage: Stage) -> tuple[Outcome, ...]:
    """Write tries down as a robot's log and its station would."""
    scenes, strata = tries.scenes, _strata(played, tries.scenes)
    reached = physics.reached(tries.end)
    deviations = np.round(tries.deviation, 5).tolist()
    before_ns = 0 if stage is Stage.PRODUCTION else -WEEK_NS
    moments = (scenes.week * WEEK_NS).astype(np.int64) + START_NS + before_ns
    if stage is not Stage.PRODUCTION:
        moments = moments + np.linspace(0, 5 * DAY_NS, len(scenes)).astype(np.int64)
    rows = []
    for i, stratum in enumerate(strata):
        last, site = int(reached[i]), str(stratum.level("site"))
        steps = tuple(Step(name, k < last, deviations[i][k]) for k, name in enumerate(physics.STEPS) if k <= last)
        facts = (
            ("lux", round(float(scenes.lux[i]), 1)),
            ("temperature_c", round(float(scenes.temperature[i]), 2)),
            ("humidity", round(float(scenes.humidity[i]), 3)),
            ("gripper_cycles", round(float(scenes.cycles[i]))),
        )
        rows.append(
            Outcome(
                id=f"{stage}-{i}", policy=POLICY, stratum=stratum, stage=stage, site=site,
                robot=f"{site}-{int(scenes.robot[i]) + 1}", at_ns=int(moments[i]), succeeded=bool(tries.succeeded[i]),
                judged_by="station", failure=None if last == len(physics.STEPS) else CLASS_OF_STEP[last],
                cycle_s=round(float(tries.cycle_s[i]), 3), latency_ms=round(float(tries.latency_s[i]) * 1e3, 2),
                item=f"sku-{int(scenes.sku[i])}", steps=steps, facts=facts,
            )
        )  # fmt: skip
    return tuple(rows)


def episodes(played: Played, shown: Demonstrations) -> tuple[Episode, ...]:
    """Write demonstrations down as the release's episodes; the operator is who filled the bin, as in production."""
    scenes = shown.scenes
    return tuple(
        Episode(
            id=f"episode-{i}", name=f"episode-{i}", format="mcap", task="pick", site=str(stratum.level("site")),
            robot=f"{stratum.level('site')}-{int(scenes.robot[i]) + 1}", operator=str(stratum.level("operator")),
            stratum=stratum, simulated=bool(shown.simulated[i]), succeeded=bool(shown.kept[i]),
            facts=(
                ("lux", f"{scenes.lux[i]:.1f}"), ("temperature_c", f"{scenes.temperature[i]:.2f}"),
                ("humidity", f"{scenes.humidity[i]:.3f}"), ("gripper_cycles", f"{scenes.cycles[i]:.0f}"),
                ("sku", f"sku-{int(scenes.sku[i])}"),
            ),
        )
        for i, stratum in enumerate(_strata(played, scenes))
    )  # fmt: skip


def lags(played: Played, shown: Demonstrations, lag_s: float, rng: np.random.Generator) -> tuple[Lag, ...]:
    """Return what an estimate from content would say of each site's rig; one team in seven has not measured."""
    sites = np.unique(played.world.strata.code("site", shown.cell[~shown.simulated]))
    if rng.random() < 1 / 7:
        return ()
    made = []
    for site in sites:
        half = rng.uniform(2.0, 5.0)
        told = 1e3 * lag_s + rng.normal(0, half / 2)
        made.append(Lag(SITES[site], "camera/wrist", told, told - half, told + half, int(rng.integers(20, 60))))
    return tuple(made)


def agreements(played: Played, shown: Demonstrations, rng: np.random.Generator) -> tuple[Agreement, ...]:
    """Compare two annotators on a tenth of the episodes, and on those with unusual bins alone."""
    if rng.random() < 1 / 7:
        return ()
    twice = np.flatnonzero(rng.random(len(shown.kept)) < 1 / 10)
    unusual = played.world.strata.code("bin", shown.cell[twice]) > 2  # noqa: PLR2004 - front, back and side come first
    compared = [twice, twice[unusual]]
    return tuple(
        agreement(_annotated(shown, rows, 0), _annotated(shown, rows, 1), FRAMES_HZ) for rows in compared if len(rows)
    )


def _annotated(shown: Demonstrations, rows: NDArray[np.intp], author: int) -> list[Annotation]:
    spans = []
    for i in rows:
        grasp = round((GRASP_AT_S + float(shown.moments_s[i, author])) * 1e9)
        for label, start, end in (("approach", 0, grasp), ("grasp", grasp, round(END_AT_S * 1e9))):
            spans.append(Annotation(f"episode-{i}", "phase", label, start, end, f"annotator-{author + 1}"))
    return spans


def _strata(played: Played, scenes: Scenes) -> list[Stratum]:
    nouns = played.world.strata.nouns
    return [
        Stratum.of({**nouns[cell].levels, "operator": operators.name(int(person))})
        for cell, person in zip(scenes.cell, scenes.person, strict=True)
    ]
