"""How often the whole gate errs: a policy at one limit that passes, and a good policy that fails or waits.

The gate's own judgement runs on simulated trials of its own plan, look after look, as a team would ask.
"""

import functools
from collections.abc import Mapping

import numpy as np

from bench.harness import Figure, Skipped, main, summarise_share
from fieldloop.evaluate import judge_gate, plan_gate_trials
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.trial import Trial
from fieldloop.protocol import default_operations

GATE = default_operations()["gate"]
FAST = Finding("serve.latency", NO_SUBJECT, Status.PASSED, 12.0, None, 80.0, "ms")
EXPOSURES = [Exposure(Stratum.of(lighting="bright"), 0.7), Exposure(Stratum.of(lighting="dim"), 0.3)]
LIMITS = {"lighting:cool": 0.7, "position:1": 0.7, "edge:pose": 0.5, "consecutive": 0.85, "distractors": 0.85}
"""The rate at which each requirement is just met; the policy is perfect everywhere else."""
EVERYWHERE = (0.75, 0.85, 0.9, 0.95, 0.98)
LOOKS = 4
SHORT, FULL = 60, 300


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Count passes at each limit, and verdicts of policies with one rate everywhere."""
    runs = SHORT if short else FULL
    figures: dict[str, Figure | Skipped] = {}
    for name, rate in LIMITS.items():
        last = [judge_policy({name: rate}, 1.0, seed, LOOKS)[-1] for seed in range(runs)]
        figures[f"false_pass_{name.replace(':', '_')}"] = summarise_share(
            [end is Status.PASSED for end in last], aim="≤ 0.05"
        )
    for rate in EVERYWHERE:
        ends = [judge_policy({}, rate, seed, LOOKS) for seed in range(runs)]
        name = f"{rate:.2f}".replace(".", "_")
        figures[f"pass_first_{name}"] = summarise_share([end[0] is Status.PASSED for end in ends])
        figures[f"pass_{name}"] = summarise_share([end[-1] is Status.PASSED for end in ends])
        figures[f"fail_{name}"] = summarise_share([end[-1] is Status.FAILED for end in ends])
    return figures


def judge_policy(rates: Mapping[str, float], rate: float, seed: int, looks: int) -> list[Status]:
    """Return the verdict after each look; once one decides, it stands."""
    rng, outcomes, verdicts = np.random.default_rng([seed, 77]), list[Outcome](), list[Status]()
    for look in range(looks):
        for trial in plan_trials(seed % 8):
            won = bool(rng.random() < rates.get(trial.scenario, rate))
            outcomes.append(
                Outcome(f"{look}-{trial.order}", "p", trial.stratum, Stage.GATE, "s", "r", look * 10_000 + trial.order,
                        won, "bench", scenario=trial.scenario, cycle_s=6.0 + float(rng.normal(0, 0.3)))
            )  # fmt: skip
        decision = judge_gate(outcomes, FAST, GATE, 8.0, policy="p", decision_id="d", at_ns=0)
        verdicts.append(decision.status)
        if decision.status is not Status.CANNOT_TELL:
            break
    return verdicts


@functools.cache
def plan_trials(seed: int) -> tuple[Trial, ...]:
    """Return a plan of the gate."""
    return plan_gate_trials("p", EXPOSURES, GATE, np.random.default_rng(seed))


if __name__ == "__main__":
    main(measure)
