"""From the results of planned trials to outcomes, and what departed from the plan."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from fieldloop.errors import BadInput
from fieldloop.evaluate import trial
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome, Stage, Step
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.trial import Trial, TrialPlan, TrialResult
from fieldloop.protocol import Section

S_PER_MIN = 60


def name_outcome(plan: TrialPlan, order: int) -> str:
    """Return the id of the outcome of a planned trial."""
    return f"outcome_{plan.id.partition('_')[2]}_{order:04d}"


def make_trial_outcome(plan: TrialPlan, result: TrialResult) -> Outcome:
    """Return the outcome that a trial's result is evidence of."""
    planned = require_trial(plan, result.order)
    return Outcome(
        id=name_outcome(plan, result.order),
        policy=planned.policy,
        stratum=planned.stratum,
        stage=Stage.GATE,
        site=planned.stratum.level("site") or plan.site,
        robot=result.robot,
        at_ns=result.at_ns,
        succeeded=result.succeeded,
        judged_by=result.judged_by,
        failure=result.failure,
        scenario=planned.scenario,
        cycle_s=result.cycle_s,
        confidence=result.confidence,
        latency_ms=result.latency_ms,
        interventions=result.interventions,
        steps=list_done_steps(plan.steps, result),
        facts=result.facts,
    )


def make_trial_result(plan: TrialPlan, order: int, outcome: Outcome) -> TrialResult:
    """Return the result that an outcome of a planned trial states, where none was typed in."""
    done = sum(step.succeeded for step in outcome.steps)
    return TrialResult(
        plan.id, order, outcome.succeeded, len(plan.steps) if outcome.succeeded else done, outcome.at_ns,
        outcome.judged_by, outcome.robot, outcome.failure, outcome.cycle_s, outcome.latency_ms, outcome.confidence,
        outcome.interventions, facts=outcome.facts,
    )  # fmt: skip


def list_done_steps(rubric: Sequence[str], result: TrialResult) -> tuple[Step, ...]:
    """Return the steps of the rubric that were tried: those that were done, and the one that failed."""
    tried = rubric[: result.steps_done + (result.succeeded is False)]
    return tuple(Step(name, place < result.steps_done) for place, name in enumerate(tried))


def require_trial(plan: TrialPlan, order: int) -> Trial:
    """Return the trial at a place of the order; refuse a number that the plan does not have."""
    found = plan.find_trial(order)
    if found is None:
        raise BadInput(f"The plan {plan.id} has the trials 1 to {len(plan.trials)}, and no trial {order}.")
    return found


def refuse_contradictory_result(plan: TrialPlan, result: TrialResult) -> None:
    """Refuse a result that contradicts itself or the rubric."""
    most = len(plan.steps)
    rubric = ", ".join(f"{n} {name}" for n, name in enumerate(plan.steps, 1))
    if not 0 <= result.steps_done <= most:
        raise BadInput(f"steps_done = {result.steps_done} is not on the rubric of this plan: 0 to {most} ({rubric}).")
    if result.succeeded and result.steps_done != most:
        raise BadInput(
            f"A success does all {most} steps, and this result states {result.steps_done}. The rubric: {rubric}."
        )
    if result.succeeded is False and result.steps_done == most:
        raise BadInput(f"A failure cannot have done all {most} steps of the rubric: {rubric}.")


def note_deviations(plan: TrialPlan, results: Iterable[TrialResult], settings: Section) -> tuple[Note, ...]:
    """State what departed from the plan: trials not made, out of order, with a pause in the block, or corrected."""
    made = {result.order: result for result in results}
    return tuple(
        one
        for one in (
            note("evaluate.plan_closed", reason=plan.closed) if plan.closed else None,
            _note_missing(plan, made),
            _note_disorder(made),
            _note_pause(plan, made, settings.number("max_pause_s")),
            _note_corrections(made),
            _note_unknown(made),
        )
        if one is not None
    )


def _note_missing(plan: TrialPlan, made: Mapping[int, TrialResult]) -> Note | None:
    left = len(plan.trials) - len(made)
    return note("evaluate.trials_not_made", left=left, planned=len(plan.trials)) if left else None


def _note_disorder(made: Mapping[int, TrialResult]) -> Note | None:
    """Count trials that were made before one that the plan has earlier."""
    by_time = sorted(made.values(), key=lambda r: (r.at_ns, r.order))
    swapped = sum(later.order < earlier.order for earlier, later in pairwise(by_time))
    return note("evaluate.trials_out_of_order", trials=swapped) if swapped else None


def _note_pause(plan: TrialPlan, made: Mapping[int, TrialResult], longest_s: float) -> Note | None:
    pauses = [
        (later.at_ns - earlier.at_ns) / NS_PER_S
        for one, two in pairwise(plan.trials)
        if one.scenario == two.scenario == trial.CONSECUTIVE and one.policy == two.policy
        if (earlier := made.get(one.order)) and (later := made.get(two.order))
    ]
    broken = [pause for pause in pauses if pause > longest_s]
    return note("evaluate.block_paused", pauses=len(broken), longest_min=max(broken) / S_PER_MIN) if broken else None


def _note_corrections(made: Mapping[int, TrialResult]) -> Note | None:
    corrected = [r for _, r in sorted(made.items()) if r.revision > 1]
    if not corrected:
        return None
    listed = tuple(f"{r.order} ({r.reason})" for r in corrected)
    return note("evaluate.trials_corrected", trials=len(corrected), listed=listed)


def _note_unknown(made: Mapping[int, TrialResult]) -> Note | None:
    unknown = sum(r.succeeded is None for r in made.values())
    return note("evaluate.trials_unknown", trials=unknown) if unknown else None
