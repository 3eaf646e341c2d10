"""Which learner is worth keeping, and does the floor tell the story: good in the lab, worse outside, better after?

For each seed a floor is built, operators demonstrate in the laboratory and then on the deployed floors, both learners
are trained on the laboratory's demonstrations and again on all of them, and each policy tries the same scenes.
"""

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import convolution
from bench.harness import Figure, main, summarise
from fieldloop.geometry.transforms import Floats
from fieldloop.loop.floor.floor import AS_CAMERAS_SEND
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.policy import Action, Observation
from fieldloop.protocol import Section, default_operations
from fieldloop.protocol.number import Value
from fieldloop.release.writers.mcap import write_log
from fieldloop.simulate.arm.compression import simulate_delivered_depth, simulate_delivered_picture
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata
from fieldloop.simulate.arm.recording import Demonstration
from fieldloop.train import reference
from fieldloop.train.samples import ACTION_NAMES, CAMERA, DEPTH, Sample, gather_samples

Answer = Callable[[NDArray[np.uint8], NDArray[np.float32]], Floats]
LAB, MORE = 80, 50
CONVOLUTION_STEPS = 900
SHORT_STEPS = 300
SWEEP: tuple[tuple[str, Value], ...] = (
    ("hidden_units", (128,)),
    ("hidden_units", (64, 32)),
    ("max_epochs", 150),
    ("max_epochs", 600),
    ("ensemble", 1),
    ("weight_decay", 0.001),
    ("weight_decay", 0.01),
    ("context_components", 3),
    ("context_components", 10),
)
"""What the settings of `train` might have been instead, one at a time."""
SWEEP_SEEDS = 3


class Trained:
    """A policy that answers by a function."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def act(self, observation: Observation) -> Action:
        pictures = observation.pictures
        return Action(ACTION_NAMES, self.answer(pictures[CAMERA][None], pictures[DEPTH][None])[0])


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Measure learners and floor over several seeds."""
    rows: dict[str, list[float]] = defaultdict(list)
    for seed in range(2 if short else 6):
        floor = Floor(seed)
        lab = _samples(
            floor, draw_strata(floor.make_lab_mix(), LAB, floor.make_random_generator("bench", "lab")), "lab"
        )
        more = _samples(
            floor, draw_strata(floor.make_production_mix(), MORE, floor.make_random_generator("bench", "more")), "more"
        )
        steps = SHORT_STEPS if short else CONVOLUTION_STEPS
        for name, learn in (("mlp", _learn_mlp), ("conv", partial(_learn_conv, steps=steps))):
            if name == "conv" and seed >= (1 if short else 2):
                continue  # it is far behind, and forty times as slow
            for when, samples in (("before", lab), ("after", lab + more)):
                began = time.process_time()
                policy = Trained(learn(samples, seed))
                rows[f"{name}_training_s"].append(time.process_time() - began)
                for where, mix, tries in (
                    ("lab", floor.make_lab_mix(), 60 if short else 120),
                    ("production", floor.make_production_mix(), 120 if short else 240),
                ):
                    rows[f"{name}_{where}_{when}"].append(_rate(floor, policy, mix, where, tries, rows))
        if not short and seed < SWEEP_SEEDS:
            _sweep(floor, lab + more, seed, rows)
    rows |= _costs(Floor(0), 3 if short else 8)
    return {name: summarise(values, _unit(name), _aim(name)) for name, values in rows.items()}


def _sweep(floor: Floor, samples: Sequence[Sample], seed: int, rows: dict[str, list[float]]) -> None:
    """Try other settings of the learner, one at a time, on all demonstrations."""
    for setting, value in SWEEP:
        chosen = default_operations()["train"].replace_values(**{setting: value})
        policy = Trained(_learn_mlp(samples, seed, chosen))
        name = f"{setting}_{value}_production_after".replace(" ", "")
        rows[name].append(_rate(floor, policy, floor.make_production_mix(), "production", 240, rows))


def _learn_mlp(samples: Sequence[Sample], seed: int, settings: Section | None = None) -> Answer:
    weights = reference.train_reference_policy(samples, settings or default_operations()["train"], seed)
    return lambda pictures, depths: reference.predict_grasps(weights, pictures, depths)[0]


def _learn_conv(samples: Sequence[Sample], seed: int, steps: int) -> Answer:
    return convolution.learn(samples, seed, steps).act


def _samples(floor: Floor, strata: Sequence[Stratum], purpose: str) -> list[Sample]:
    """Demonstrate, annotate with the truth, and gather; pictures as the camera's driver delivers them."""
    people, found = floor.list_operators(), []
    frames = int(default_operations()["train"]["frames_per_demonstration"])
    for i, stratum in enumerate(strata):
        shown = floor.demonstrate(
            stratum, people[i % len(people)], floor.make_random_generator("bench", purpose, i), 10**18
        )
        for sample in gather_samples([shown.recording], _truth(shown), frames=frames).samples:
            pictures = np.stack([simulate_delivered_picture(picture) for picture in sample.pictures])
            found.append(Sample(sample.episode, pictures, simulate_delivered_depth(sample.depths), sample.grasp))
    return found


def _truth(shown: Demonstration) -> list[Annotation]:
    episode = shown.recording.episode.id
    return [Annotation(episode, "phase", name, begin, end, "truth") for name, begin, end in shown.truth.phases]


def _rate(
    floor: Floor, policy: Trained, mix: tuple[Exposure, ...], where: str, tries: int, rows: dict[str, list[float]]
) -> float:
    strata = draw_strata(mix, tries, floor.make_random_generator("bench", "try", where))
    began = time.process_time()
    good = [
        floor.attempt_pick(policy, s, floor.make_random_generator("bench", where, i), 0).succeeded
        for i, s in enumerate(strata)
    ]
    rows["attempt_ms"].append((time.process_time() - began) / tries * 1e3)
    return float(np.mean(good))


def _costs(floor: Floor, count: int) -> dict[str, list[float]]:
    """What one demonstration costs: rendering by frame, the whole of it, and its log."""
    rows: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for i, stratum in enumerate(
            draw_strata(floor.make_production_mix(), count, floor.make_random_generator("bench", "costs"))
        ):
            shown = floor.demonstrate(
                stratum, floor.list_operators()[0], floor.make_random_generator("bench", "cost", i), 10**18
            )
            rendering = 0.0
            for name in ("camera/overhead", "camera/wrist", "depth/overhead"):
                source = shown.recording.streams[name].pictures
                assert source is not None
                began = time.process_time()
                frames = sum(1 for _ in source.frames())
                spent = time.process_time() - began
                rows[f"render_{name.replace('/', '_')}_ms"].append(spent / frames * 1e3)
                rendering += spent
            began = time.process_time()
            path = Path(folder) / f"{i}.mcap"
            write_log(shown.recording, path, AS_CAMERAS_SEND)
            rows["render_demonstration_s"].append(rendering)
            rows["write_demonstration_s"].append(time.process_time() - began - rendering)
            rows["log_mb"].append(path.stat().st_size / 1e6)
    return rows


def _unit(name: str) -> str:
    return next((unit for unit in ("ms", "s", "mb") if name.endswith(f"_{unit}")), "rate").replace("mb", "MB")


def _aim(name: str) -> str:
    aims = {
        "mlp_lab_before": "≥ 0.8",
        "mlp_production_before": "clearly below the lab",
        "mlp_production_after": "clearly above before",
        "mlp_training_s": "≤ 15",
        "attempt_ms": "≤ 15",
        "render_demonstration_s": "≤ 1",
        "write_demonstration_s": "≤ 1",
        "log_mb": "1 to 3",
    }
    return aims.get(name, "")


if __name__ == "__main__":
    main(measure)
