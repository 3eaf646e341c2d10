"""The records that a team would have of a world: outcomes, episodes, measured lags and double annotations."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bench.planted.played import Played, some
from bench.planted.wrongs import together
from fieldloop.annotate import compare_by_condition
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Lag
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome, Stage
from fieldloop.simulate.picking import nouns, operators
from fieldloop.simulate.picking.scenes import Scenes
from fieldloop.simulate.picking.strata import SITES
from fieldloop.simulate.picking.world import Demonstrations, Tries

POLICY = "policy"
START_NS = 1_767_225_600 * 10**9
"""2026-01-01: production begins; the laboratory was in the week before."""
WEEK_NS = 7 * 86_400 * 10**9
LABORATORY_DAYS = 5.0
AT_ONCE_DAYS = 1e-6
"""Picks on the line carry their weeks; nothing is added."""
FILLED_BY = "filled_by"
FRAMES_HZ = 30.0
GRASP_AT_S, END_AT_S = 2.0, 4.0
LEAST_COMPARED = 6


@dataclass(frozen=True, slots=True)
class Records:
    """Records of a team: trials before, production, the release's episodes, lags, agreements, the sites."""

    baseline: tuple[Outcome, ...]
    production: tuple[Outcome, ...]
    episodes: tuple[Episode, ...]
    lags: tuple[Lag, ...]
    agreements: tuple[Agreement, ...]
    sites: tuple[str, ...]


def records(played: Played, rng: np.random.Generator) -> Records:
    """Record a world with all its faults."""
    shown = played.learnt(played.wrongs)[0]
    tries = played.production(played.wrongs)
    seen = np.sort(rng.permutation(len(tries.end))[: played.sizes.seen])
    tested = some(played.laboratory, np.arange(min(played.given, len(played.laboratory.end))))
    return Records(
        outcomes(played, tested, Stage.LAB),
        outcomes(played, some(tries, seen), Stage.PRODUCTION),
        episodes(played, shown),
        lags(played, shown, together(played.wrongs).camera_lag_s, rng),
        agreements(played, shown, rng),
        played.sites,
    )


def outcomes(played: Played, tries: Tries, stage: Stage) -> tuple[Outcome, ...]:
    """Record attempts as the floor does; who filled the bin is a condition, as a team would log it."""
    is_production = stage is Stage.PRODUCTION
    start_ns, days = (START_NS, AT_ONCE_DAYS) if is_production else (START_NS - WEEK_NS, LABORATORY_DAYS)
    made = nouns.make_outcomes(played.world, tries, POLICY, stage, start_ns, days)
    strata = _strata(played, tries.scenes)
    return tuple(
        replace(outcome, stratum=stratum, facts=tuple(fact for fact in outcome.facts if fact[0] != FILLED_BY))
        for outcome, stratum in zip(made, strata, strict=True)
    )


def episodes(played: Played, shown: Demonstrations) -> tuple[Episode, ...]:
    """Record demonstrations as the release's episodes; the operator is who filled the bin, as in production."""
    made = nouns.make_episodes(played.world, shown, START_NS - 4 * WEEK_NS)
    strata = _strata(played, shown.scenes)
    return tuple(
        replace(
            episode,
            stratum=stratum,
            operator=str(stratum.level("operator")),
            facts=tuple(fact for fact in episode.facts if fact[0] != FILLED_BY and "grasp_seen" not in fact[0]),
        )
        for episode, stratum in zip(made, strata, strict=True)
    )


def lags(played: Played, shown: Demonstrations, lag_s: float, rng: np.random.Generator) -> tuple[Lag, ...]:
    """Return a lag estimate from content for each site's rig; one team in seven has not measured."""
    sites = np.unique(played.world.strata.code("site", shown.cell[~shown.simulated]))
    if rng.random() < 1 / 7:
        return ()
    made = []
    for site in sites:
        half = rng.uniform(2.0, 5.0)
        estimate = 1e3 * lag_s + rng.normal(0, half / 2)
        made.append(
            Lag(SITES[site], "camera/wrist", estimate, estimate - half, estimate + half, int(rng.integers(20, 60)))
        )
    return tuple(made)


def agreements(played: Played, shown: Demonstrations, rng: np.random.Generator) -> tuple[Agreement, ...]:
    """Compare two annotators on a tenth of the episodes, in all and by condition; one team in seven has not."""
    if rng.random() < 1 / 7:
        return ()
    twice = np.flatnonzero(rng.random(len(shown.kept)) < 1 / 10)
    strata = {
        f"episode-{i}": stratum for i, stratum in zip(twice, _strata(played, shown.scenes.take(twice)), strict=True)
    }
    return compare_by_condition(
        _annotated(shown, twice, 0), _annotated(shown, twice, 1), FRAMES_HZ, strata, LEAST_COMPARED
    )


def _annotated(shown: Demonstrations, rows: NDArray[np.intp], author: int) -> list[Annotation]:
    spans = []
    for i in rows:
        grasp = round((GRASP_AT_S + float(shown.moments_s[i, author])) * 1e9)
        for label, start, end in (("approach", 0, grasp), ("grasp", grasp, round(END_AT_S * 1e9))):
            spans.append(Annotation(f"episode-{i}", "phase", label, start, end, f"annotator-{author + 1}"))
    return spans


def _strata(played: Played, scenes: Scenes) -> list[Stratum]:
    known = played.world.strata.nouns
    return [
        Stratum.of({**known[cell].levels, "operator": operators.name_person(int(person))})
        for cell, person in zip(scenes.cell, scenes.person, strict=True)
    ]
