"""Picks and demonstrations as model objects: outcomes of attempts, episodes of demonstrations."""

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.episode import Episode
from fieldloop.model.identity import compute_content_id, make_ulid
from fieldloop.model.policy import FailureClass, Outcome, Stage, Step
from fieldloop.model.stream import NS_PER_DAY, NS_PER_S
from fieldloop.simulate.picking import operators, physics, pick
from fieldloop.simulate.picking.physics import ENDS, STEPS
from fieldloop.simulate.picking.scenes import Scenes
from fieldloop.simulate.picking.world import Demonstrations, Tries, World

JUDGE = "picking floor"
DAYS_A_WEEK = 7
BETWEEN_NS = 45 * NS_PER_S
"""From one demonstration to the next, with the reset of the scene."""
HANDLED_S = 3.0
"""Time from closing the jaws to the release, by people."""
FAILURES = {
    "hit_neighbour": FailureClass.COLLISION,
    "hit_item": FailureClass.COLLISION,
    "hit_floor": FailureClass.COLLISION,
    "missed": FailureClass.GRASP,
    "crushed": FailureClass.GRASP,
    "slipped": FailureClass.GRASP,
    "turned_in_hand": FailureClass.GRASP,
    "dropped": FailureClass.PLACEMENT,
}


def make_outcomes(
    world: World, tries: Tries, policy: str, stage: Stage, start_ns: int, days: float = 7.0
) -> list[Outcome]:
    """Record attempts in order over so many days, by the week in which they were made."""
    if days <= 0:
        raise BadInput(f"Outcomes are spread over more than {days} days.")
    count, scenes = len(tries.end), tries.scenes
    through = (np.arange(count) + 0.5) / max(count, 1) * days
    times = start_ns + np.round((scenes.week * DAYS_A_WEEK + through) * NS_PER_DAY).astype(np.int64)
    bits = world.chance("outcome", policy, stage.value, start_ns).integers(2**62, size=count).tolist()
    travel = np.linalg.norm(tries.poses[0, :, :2] - tries.poses[-1, :, :2], axis=1).tolist()
    return [
        Outcome(
            id=f"outcome_{make_ulid(at_ns, bits[i])}",
            policy=policy,
            stratum=world.strata.nouns[scenes.cell[i]],
            stage=stage,
            site=get_site_name(world, scenes, i),
            robot=get_robot_name(world, scenes, i),
            at_ns=at_ns,
            succeeded=bool(tries.end[i] == 0),
            judged_by=JUDGE,
            failure=FAILURES.get(ENDS[tries.end[i]]),
            cycle_s=float(tries.cycle_s[i]),
            latency_ms=float(1e3 * tries.latency_s[i]),
            item=world.catalogue.name_article(int(scenes.sku[i])),
            steps=_list_steps(tries, i),
            facts=(*_get_telemetry(scenes, i).items(), ("travel_m", travel[i])),
        )
        for i, at_ns in enumerate(times.tolist())
    ]


def make_episodes(world: World, demonstrations: Demonstrations, start_ns: int, session: str = "") -> list[Episode]:
    """Record demonstrations one after the other, including failures and recoveries."""
    return [
        make_episode(world, demonstrations, i, start_ns + i * BETWEEN_NS, session)
        for i in range(len(demonstrations.cell))
    ]


def make_episode(world: World, demonstrations: Demonstrations, index: int, start_ns: int, session: str = "") -> Episode:
    """Record one demonstration."""
    scenes, shown = demonstrations.scenes, demonstrations.shown
    path = np.ascontiguousarray(shown.steered.poses[:, index])
    identity = compute_content_id([str(world.seed).encode(), path.tobytes(), shown.commands[index].tobytes()])
    facts = {name: f"{value:.4g}" for name, value in _get_telemetry(scenes, index).items()} | {
        "sku": world.catalogue.name_article(int(scenes.sku[index])),
        "filled_by": operators.name_person(int(scenes.person[index])),
        "recovered": "yes" if shown.recovered[index] else "no",
        "cost": f"{demonstrations.cost[index]:g}",
        **{f"grasp_seen_by_{k + 1}_s": f"{float(late):.4f}" for k, late in enumerate(demonstrations.moments_s[index])},
    }
    failure = FAILURES.get(ENDS[shown.end[index]])
    lasted = len(shown.steered.speeds) * pick.STEP_S + HANDLED_S
    return Episode(
        id=identity,
        name=f"pick-{identity[:10]}",
        format="simulated",
        task="pick",
        robot=get_robot_name(world, scenes, index),
        site=get_site_name(world, scenes, index),
        operator=operators.name_person(int(demonstrations.person[index])),
        session=session,
        stratum=world.strata.nouns[scenes.cell[index]],
        start_ns=start_ns,
        end_ns=start_ns + round(lasted * NS_PER_S),
        simulated=bool(scenes.simulated[index]),
        succeeded=bool(shown.kept[index]),
        failure=failure.value if failure else "",
        facts=tuple(sorted(facts.items())),
    )


def get_site_name(world: World, scenes: Scenes, index: int) -> str:
    """Return the name of a scene's site."""
    return world.strata.levels["site"][int(world.strata.code("site", scenes.cell[index : index + 1])[0])]


def get_robot_name(world: World, scenes: Scenes, index: int) -> str:
    """Return the name of the robot that came."""
    return f"{get_site_name(world, scenes, index)}-{int(scenes.robot[index]) + 1}"


def _list_steps(tries: Tries, index: int) -> tuple[Step, ...]:
    """List the steps as far as they were reached."""
    stopped = int(physics.get_step_reached(tries.end[index : index + 1])[0])
    return tuple(
        Step(name, number != stopped, float(tries.deviation[index, number]))
        for number, name in enumerate(STEPS)
        if number <= stopped
    )


def _get_telemetry(scenes: Scenes, index: int) -> dict[str, float]:
    """Return telemetry of the circumstances; `filled_by` is the number in a person's pseudonym."""
    return {
        "lux": float(scenes.lux[index]),
        "temperature_c": float(scenes.temperature[index]),
        "humidity_percent": float(100 * scenes.humidity[index]),
        "gripper_cycles": float(scenes.cycles[index]),
        "filled_by": float(scenes.person[index] + 1),
        "film": float(scenes.film[index]),
    }
