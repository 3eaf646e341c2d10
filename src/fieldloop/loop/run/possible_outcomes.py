"""Refuse outcomes that cannot be: impossible values, names that are misspelt, trials reported by the wrong person."""

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import format_iso_time
from fieldloop.model.condition import Condition
from fieldloop.model.deployment import Deployment
from fieldloop.model.person import Role
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.stream import NS_PER_S

NOMINAL = ("", "base", "consecutive")
"""Scenarios under nominal conditions."""
SCENARIOS = ("lighting:", "position:", "distractors", "edge:", "incident:")
TRIALS = (Stage.LAB, Stage.GATE)
MISSPELT = 0.8
"""Similarity from which a name counts as misspelt: 'ligthing' does, 'shift' beside 'site' does not."""
EARLIEST_NS = 946_684_800 * NS_PER_S
"""The year 2000: a robot whose clock was never set reports 1970."""


def refuse_impossible_outcomes(workspace: Workspace, outcomes: Sequence[Outcome], *, planned: bool = False) -> None:
    """Raise for the first outcome that cannot have happened, or that this user may not report.

    Trials that are `planned` may be reported by operators and robots: an engineer made the plan.
    """
    for policy in {outcome.policy for outcome in outcomes}:
        find_policy(workspace, policy)
    if not planned:
        _refuse_misspelt_conditions(workspace, outcomes)
    latest_ns = workspace.clock() + workspace.operations["monitor"].number("max_clock_ahead_s") * NS_PER_S
    for outcome in outcomes:
        if not planned:
            _refuse_wrong_stage(workspace, outcome)
        _refuse_impossible_values(outcome)
        if outcome.at_ns > latest_ns:
            raise BadInput(
                f"Outcome {outcome.id} is from the future ({format_iso_time(outcome.at_ns)}). Set the robot's clock."
            )
        if outcome.at_ns < EARLIEST_NS:
            stated = f"is {format_iso_time(outcome.at_ns)}" if outcome.at_ns else "is not stated"
            raise BadInput(f"The time of the attempt {stated}. State when the attempt was made as `at`.")


def _refuse_wrong_stage(workspace: Workspace, outcome: Outcome) -> None:
    if outcome.stage in TRIALS and workspace.actor.role not in (Role.ADMIN, Role.ENGINEER):
        raise Refused(
            f"Only engineers may record outcomes of stage {outcome.stage}; {workspace.actor.id} has another role."
        )
    scenario = outcome.scenario
    if outcome.stage is Stage.GATE and scenario not in NOMINAL[1:] and not scenario.startswith(SCENARIOS):
        raise BadInput(
            f"{_describe_scenario(scenario)} A row of stage 'gate' states in the column 'scenario' which trial it was: "
            f"{', '.join(NOMINAL[1:])}, lighting:…, position:…, distractors, edge:… or incident:…. List those of your "
            "plan with: fieldloop gate trials. For attempts in production, leave the stage out."
        )


def _describe_scenario(scenario: str) -> str:
    """State what is wrong with the scenario of a gate's trial.

    >>> _describe_scenario(""), _describe_scenario("whatever")
    ('The trial of a gate names no scenario.', "'whatever' is not a scenario of a gate.")
    """
    return f"{scenario!r} is not a scenario of a gate." if scenario else "The trial of a gate names no scenario."


def _refuse_impossible_values(outcome: Outcome) -> None:
    for name in ("cycle_s", "confidence", "latency_ms"):
        value = getattr(outcome, name)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise BadInput(f"{name} = {value} is not a valid measurement. Leave it out where nothing was measured.")
    if outcome.confidence is not None and outcome.confidence > 1:
        raise BadInput(f"confidence = {outcome.confidence} is above 1.")
    if outcome.succeeded is not False and outcome.failure:
        ended = "succeeded" if outcome.succeeded else "has no known result"
        raise BadInput(f"An attempt that {ended} cannot have failed by {outcome.failure}.")
    if outcome.interventions < 0:
        raise BadInput(f"interventions = {outcome.interventions} is not a valid count.")


def _refuse_misspelt_conditions(workspace: Workspace, outcomes: Iterable[Outcome]) -> None:
    """Refuse a site that the map does not have, and names close to one of the map: they would split a condition in two.

    A factor or level unlike any of the map is kept: production may meet what the map does not know.
    """
    mapped = workspace.find_newest(Deployment)
    if mapped is None:
        return
    levels = _list_levels_by_factor(mapped)
    for site in sorted({o.site for o in outcomes if o.stage is not Stage.LAB and o.site} - levels.get("site", set())):
        raise UnknownName("site of the deployment map", site, levels["site"], ", ".join(sorted(levels["site"])))
    for condition in sorted({c for o in outcomes for c in o.stratum.conditions}):
        _refuse_misspelt_name(condition, levels)


def refuse_misspelt_condition(workspace: Workspace, condition: Condition) -> None:
    """Refuse a condition whose name is close to one of the map's."""
    mapped = workspace.find_newest(Deployment)
    if mapped is not None:
        _refuse_misspelt_name(condition, _list_levels_by_factor(mapped))


def _list_levels_by_factor(mapped: Deployment) -> dict[str, set[str]]:
    levels: dict[str, set[str]] = {"site": {site.id for site in mapped.sites}}
    for exposure in mapped.exposures:
        for condition in exposure.stratum.conditions:
            levels.setdefault(condition.factor, set()).add(condition.level)
    return levels


def _refuse_misspelt_name(condition: Condition, levels: dict[str, set[str]]) -> None:
    if condition.factor not in levels:
        if get_close_matches(condition.factor, levels, cutoff=MISSPELT):
            raise UnknownName("factor of the deployment map", condition.factor, levels)
    elif condition.level not in (known := levels[condition.factor]) and get_close_matches(
        condition.level, known, cutoff=MISSPELT
    ):
        raise UnknownName(f"level of {condition.factor}", condition.level, known)


def find_unmapped_conditions(workspace: Workspace, outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return the conditions of these outcomes that the map does not have: factors, and levels of its factors."""
    mapped = workspace.find_newest(Deployment)
    if mapped is None:
        return ()
    levels, seen = _list_levels_by_factor(mapped), {c for o in outcomes for c in o.stratum.conditions}
    factors = {c.factor for c in seen if c.factor not in levels}
    return (*sorted(factors), *sorted(str(c) for c in seen if c.level not in levels.get(c.factor, {c.level})))
