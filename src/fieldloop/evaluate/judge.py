"""The gate: decide about a policy version from its trials."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fieldloop.errors import BadInput
from fieldloop.evaluate import trial
from fieldloop.evaluate.comparison import judge_distractors, judge_pattern
from fieldloop.evaluate.looks import Looks
from fieldloop.evaluate.rates import Rule, judge_rate
from fieldloop.evaluate.smoothness import judge_smoothness
from fieldloop.evaluate.speed import judge_cycle_time, judge_latency
from fieldloop.model.decision import Decision, GateTest
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section

KNOWN = (trial.BASE, trial.DISTRACTORS, trial.CONSECUTIVE)
PREFIXES = (trial.LIGHTING, trial.POSITION, *trial.PERMANENT)


@dataclass(frozen=True, slots=True)
class GateCase:
    """What is particular to one gate.

    `kept` scenarios must be tried, beside the edge cases. A `chunked` policy must show how smoothly it moves. Latency
    was measured while so many `robots` asked at once; 0: as the trials report it.
    """

    kept: tuple[str, ...] = ()
    chunked: bool = False
    robots: int = 0


def judge_gate(
    outcomes: Iterable[Outcome],
    latency: Finding | None,
    settings: Section,
    target_cycle_s: float | None,
    *,
    policy: str,
    decision_id: str,
    at_ns: int,
    case: GateCase = GateCase(),
) -> Decision:
    """Decide about a policy version; only a decision in which every test passed admits it.

    `latency` is the finding of `serve`. Rates, distractors and cycle time are judged at fixed numbers of trials (see
    `looks`), so it does not matter when or how often the gate is asked. An attempt with an intervention does not count
    as a success. Outcomes of unknown scenarios are not counted; the message of the consecutive trials states how many.
    Settings: the section `gate`.
    """
    by_scenario, unknown = _group_by_scenario(outcomes, policy)
    looks = Looks.from_settings(settings)
    base, consecutive = by_scenario.get(trial.BASE, ()), by_scenario.get(trial.CONSECUTIVE, ())
    tests = (
        *_judge_lightings(by_scenario, settings, looks),
        *_judge_positions(by_scenario, settings, looks),
        *_judge_permanent(by_scenario, settings, looks, (*trial.EDGES, *case.kept)),
        judge_distractors(
            _list_autonomous_results(by_scenario.get(trial.DISTRACTORS, ())),
            _list_autonomous_results(base),
            settings,
            looks,
        ),
        _judge_consecutive(by_scenario, settings, looks, unknown),
        judge_pattern(_list_autonomous_results(consecutive), settings),
        judge_latency(latency, case.robots),
        *judge_smoothness((o for made in by_scenario.values() for o in made), settings, looks, chunked=case.chunked),
        judge_cycle_time(_list_cycle_times_s(base), _list_cycle_times_s(consecutive), target_cycle_s, settings, looks),
    )
    status = next(s for s in Status if s in {t.status for t in tests})
    return Decision(decision_id, policy, status, tests, settings.fingerprint, at_ns)


def note_missing_lightings(decision: Decision, novel_lightings: int, settings: Section) -> Decision:
    """Add to untried lightings that too few novel levels are left, where more trials alone cannot help."""
    wanted = int(settings["novel_lightings"])
    if novel_lightings >= wanted:
        return decision
    few = note("evaluate.few_novel_lightings", left=novel_lightings, wanted=wanted)
    tests = [_add_detail(t, few) if t.name.startswith(trial.LIGHTING) and not t.trials else t for t in decision.tests]
    return replace(decision, tests=tuple(tests))


def note_unknown_training(decision: Decision) -> Decision:
    """Add to tests under novel lighting that the training data is unknown, so the lighting may not be novel."""
    unknown = note("evaluate.training_unknown")
    tests = [_add_detail(t, unknown) if t.name.startswith(trial.LIGHTING) else t for t in decision.tests]
    return replace(decision, tests=tuple(tests))


def note_blind_plan(decision: Decision, plan: str) -> Decision:
    """Add to undecided tests that the results of a plan wait until all are there, because its arms are still blind."""
    waits = note("evaluate.blind_plan", plan=plan)
    tests = [_add_detail(t, waits) if t.status is Status.CANNOT_TELL else t for t in decision.tests]
    return replace(decision, tests=tuple(tests))


def _group_by_scenario(outcomes: Iterable[Outcome], policy: str) -> tuple[dict[str, list[Outcome]], list[Outcome]]:
    """Group outcomes by scenario in order of time; return those of unknown scenarios separately."""
    by_scenario: dict[str, list[Outcome]] = {}
    unknown: list[Outcome] = []
    for outcome in sorted({o.id: o for o in outcomes}.values(), key=lambda o: (o.at_ns, o.id)):
        if outcome.policy != policy:
            raise BadInput(f"Outcome {outcome.id} is of policy {outcome.policy}, not of {policy}.")
        if outcome.scenario not in KNOWN and not outcome.scenario.startswith(PREFIXES):
            unknown.append(outcome)
        else:
            by_scenario.setdefault(outcome.scenario, []).append(outcome)
    return by_scenario, unknown


def _judge_consecutive(
    by_scenario: Mapping[str, Sequence[Outcome]], settings: Section, looks: Looks, unknown: Sequence[Outcome]
) -> GateTest:
    rule = Rule(settings.number("consecutive_min_rate"), int(settings["consecutive_trials"]))
    judged = judge_rate(
        trial.CONSECUTIVE, rule, _list_autonomous_results(by_scenario.get(trial.CONSECUTIVE, ())), looks
    )
    if not unknown:
        return judged
    names = tuple(sorted({repr(o.scenario) for o in unknown}))
    return _add_detail(
        judged,
        note("evaluate.unknown_scenarios", outcomes=len(unknown), scenarios=names, known=_list_known_scenarios()),
    )


def _add_detail(test: GateTest, detail: Note) -> GateTest:
    return replace(test, message=replace(test.message, details=(*test.message.details, detail)))


def _judge_lightings(
    by_scenario: Mapping[str, Sequence[Outcome]], settings: Section, looks: Looks
) -> tuple[GateTest, ...]:
    rule = Rule(settings.number("novel_lighting_min_rate"), int(settings["lighting_trials"]))
    return _judge_scenarios(by_scenario, (trial.LIGHTING,), int(settings["novel_lightings"]), rule, looks)


def _judge_positions(
    by_scenario: Mapping[str, Sequence[Outcome]], settings: Section, looks: Looks
) -> tuple[GateTest, ...]:
    rule = Rule(settings.number("position_min_rate"), int(settings["position_trials"]))
    return _judge_scenarios(by_scenario, (trial.POSITION,), int(settings["novel_positions"]), rule, looks)


def _judge_permanent(
    by_scenario: Mapping[str, Sequence[Outcome]], settings: Section, looks: Looks, required: Iterable[str]
) -> tuple[GateTest, ...]:
    """Judge edge cases and kept scenarios by name; a required one that was not tried is included, undecided."""
    rule = Rule(settings.number("edge_min_rate"), int(settings["edge_trials"]))
    names = dict.fromkeys([*required, *sorted(n for n in by_scenario if n.startswith(trial.PERMANENT))])
    return tuple(judge_rate(n, rule, _list_autonomous_results(by_scenario.get(n, ())), looks) for n in names)


def _judge_scenarios(
    by_scenario: Mapping[str, Sequence[Outcome]],
    prefixes: tuple[str],
    required_scenarios: int,
    rule: Rule,
    looks: Looks,
) -> tuple[GateTest, ...]:
    """Judge every scenario with one of these prefixes; untried ones are included, undecided."""
    names = sorted(name for name in by_scenario if name.startswith(prefixes))
    names += [f"{prefixes[0]}untried {n}" for n in range(len(names) + 1, required_scenarios + 1)]
    return tuple(judge_rate(n, rule, _list_autonomous_results(by_scenario.get(n, ())), looks) for n in names)


def _list_autonomous_results(outcomes: Sequence[Outcome]) -> list[bool]:
    return [_is_autonomous(outcome) for outcome in outcomes]


def _list_cycle_times_s(outcomes: Sequence[Outcome]) -> list[float | None]:
    """The cycle time of every trial; None where it failed or was not timed."""
    return [outcome.cycle_s if outcome.succeeded else None for outcome in outcomes]


def _is_autonomous(outcome: Outcome) -> bool:
    return bool(outcome.succeeded) and not outcome.interventions


def _list_known_scenarios() -> tuple[str, ...]:
    return (*KNOWN, *(f"{prefix}…" for prefix in PREFIXES))
