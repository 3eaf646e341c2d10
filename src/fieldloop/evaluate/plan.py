"""The trials that a gate needs, in random order."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.evaluate import trial
from fieldloop.evaluate.trial import Trial
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.trial import KeptScenario
from fieldloop.protocol import Section

Draft = tuple[str, Stratum, tuple[tuple[str, float], ...]]


def plan_gate_trials(
    policy: str,
    exposures: Sequence[Exposure],
    settings: Section,
    rng: np.random.Generator,
    *,
    known_lightings: Iterable[str] = (),
    position_rng: np.random.Generator | None = None,
    kept: Sequence[KeptScenario] = (),
    control: str = "",
) -> tuple[Trial, ...]:
    """List the trials of a gate: all but the consecutive block in one random order, then that block without breaks.

    Strata are drawn in proportion to their exposure. The policy was trained under `known_lightings`; these and the
    deployment's own are not novel. Give `position_rng` to draw the same positions in several plans: results of two
    looks are added up by position. `kept` scenarios are tried with the edge cases. With a `control`, both policies
    meet every scene, one right after the other, in random order; each makes its consecutive trials in one block.
    Settings: the section `gate`.
    """
    deployed = [e for e in exposures if e.share > 0]
    if not deployed:
        raise BadInput("A gate needs strata with a share of production. Map the deployment first: fieldloop audit")
    novel = list_novel_lightings(exposures, settings, known_lightings)
    mixed = [
        *_draft_base_trials(deployed, settings, rng),
        *_draft_lighting_trials(deployed, settings, rng, novel),
        *_draft_position_trials(deployed, settings, rng, rng if position_rng is None else position_rng),
        *_draft_distractor_trials(deployed, settings, rng),
        *_draft_edge_trials(deployed, settings, rng),
        *_draft_kept_trials(deployed, settings, rng, kept),
    ]
    rng.shuffle(mixed)
    block = [(trial.CONSECUTIVE, s, ()) for s in draw_strata(deployed, int(settings["consecutive_trials"]), rng)]
    return tuple(_number_trials(_give_to_arms(mixed, block, [policy, *([control] if control else [])], rng), rng))


def _give_to_arms(
    mixed: Sequence[Draft], block: Sequence[Draft], arms: Sequence[str], rng: np.random.Generator
) -> Iterator[tuple[str, int, Draft]]:
    """Give every scene to every arm: policy, number of the scene, and the scene."""
    for scene, draft in enumerate(mixed, 1):
        for arm in rng.permutation(len(arms)):
            yield arms[arm], scene, draft
    for arm in rng.permutation(len(arms)):
        for scene, draft in enumerate(block, len(mixed) + 1):
            yield arms[arm], scene, draft


def _number_trials(given: Iterable[tuple[str, int, Draft]], rng: np.random.Generator) -> Iterator[Trial]:
    seeds: dict[int, int] = {}
    for order, (policy, scene, (scenario, stratum, parameters)) in enumerate(given, 1):
        seed = seeds.setdefault(scene, int(rng.integers(2**31)))
        yield Trial(policy, order, scenario, stratum, parameters, scene, seed)


def list_novel_lightings(
    exposures: Sequence[Exposure], settings: Section, known_lightings: Iterable[str] = ()
) -> list[str]:
    """Return the lighting levels that are still novel: neither deployed nor known."""
    deployed = {e.stratum.level("lighting") for e in exposures if e.share > 0}
    return [level for level in settings["lighting_levels"] if level not in deployed | set(known_lightings)]


def draw_strata(exposures: Sequence[Exposure], trials: int, rng: np.random.Generator) -> list[Stratum]:
    """Draw strata in proportion to their exposure, each within one trial of its share, in random order."""
    edges = np.cumsum([e.share for e in exposures])
    places = (np.arange(trials) + rng.random()) / trials * edges[-1]
    drawn = [exposures[i].stratum for i in np.minimum(np.searchsorted(edges, places, "right"), len(exposures) - 1)]
    return [drawn[i] for i in rng.permutation(trials)]


def _draft_base_trials(deployed: Sequence[Exposure], settings: Section, rng: np.random.Generator) -> Iterator[Draft]:
    for stratum in draw_strata(deployed, int(settings["base_trials"]), rng):
        yield trial.BASE, stratum, ()


def _draft_lighting_trials(
    deployed: Sequence[Exposure], settings: Section, rng: np.random.Generator, novel: Sequence[str]
) -> Iterator[Draft]:
    for level in novel[: int(settings["novel_lightings"])]:
        for stratum in draw_strata(deployed, int(settings["lighting_trials"]), rng):
            yield trial.LIGHTING + level, Stratum.of({**stratum.levels, "lighting": level}), ()


def _draft_position_trials(
    deployed: Sequence[Exposure], settings: Section, rng: np.random.Generator, position_rng: np.random.Generator
) -> Iterator[Draft]:
    edge = settings.number("boundary_share")
    for n in range(int(settings["novel_positions"])):
        u, v = position_rng.uniform(-edge, edge, 2)
        if n < int(settings["boundary_positions"]):  # one coordinate at the edge, the other anywhere along it
            side = edge * position_rng.choice([-1.0, 1.0])
            u, v = (side, v) if position_rng.integers(2) else (u, side)
        for stratum in draw_strata(deployed, int(settings["position_trials"]), rng):
            yield f"{trial.POSITION}{n + 1}", stratum, (("u", float(u)), ("v", float(v)))


def _draft_distractor_trials(
    deployed: Sequence[Exposure], settings: Section, rng: np.random.Generator
) -> Iterator[Draft]:
    for stratum in draw_strata(deployed, int(settings["distractor_trials"]), rng):
        yield trial.DISTRACTORS, stratum, (("distractors", float(settings["distractors"])),)


def _draft_edge_trials(deployed: Sequence[Exposure], settings: Section, rng: np.random.Generator) -> Iterator[Draft]:
    """Draft the four edge cases."""
    for name in trial.EDGES:
        for stratum in draw_strata(deployed, int(settings["edge_trials"]), rng):
            yield name, stratum, _draw_edge_parameters(name, settings, rng)


def _draw_edge_parameters(scenario: str, settings: Section, rng: np.random.Generator) -> tuple[tuple[str, float], ...]:
    if scenario == trial.EDGE_GRIPPER:
        return (("gripper_hidden", settings.number("edge_gripper_hidden")),)
    if scenario == trial.EDGE_JOINT:
        return (("joint_left_rad", settings.number("edge_joint_left_rad")),)
    if scenario == trial.EDGE_CAMERA:
        return (("camera_hidden", settings.number("edge_camera_hidden")),)
    return (("turn", float(settings.number("edge_pose_share") * rng.choice([-1.0, 1.0]))),)


def _draft_kept_trials(
    deployed: Sequence[Exposure], settings: Section, rng: np.random.Generator, kept: Sequence[KeptScenario]
) -> Iterator[Draft]:
    """Draft trials of kept scenarios: what the failure's conditions leave open follows the deployment."""
    for scenario in kept:
        levels = scenario.stratum.levels
        near = [e for e in deployed if all(e.stratum.level(f) in (None, v) for f, v in levels.items())]
        for stratum in draw_strata(near or deployed, int(settings["edge_trials"]), rng):
            yield scenario.name, Stratum.of({**stratum.levels, **levels}), ()
