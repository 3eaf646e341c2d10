"""The register of trainers: anything that turns samples into an ONNX model can be one, by one call of `register`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.policy import Input
from fieldloop.protocol import Section
from fieldloop.train.samples import ACTION_NAMES, CAMERA, DEPTH, Sample


@dataclass(frozen=True, slots=True)
class Trained:
    """What a trainer hands over: the model with every pre-processing step inside, and how well it did."""

    trainer: str
    model: bytes
    inputs: tuple[Input, ...]
    action_names: tuple[str, ...]
    validation_error: float
    episodes: int
    seed: int


Trainer = Callable[[Sequence[Sample], Section, int, Sequence[Sample]], Trained]
"""Takes samples to learn from, the settings of `train`, a seed, and samples held out (may be none)."""

_TRAINERS: dict[str, Trainer] = {}


def register_trainer(name: str, trainer: Trainer) -> None:
    """Make a trainer known by name; the last one registered under a name counts."""
    _TRAINERS[name] = trainer


def find_trainer(name: str) -> Trainer:
    """Return a trainer by name.

    >>> find_trainer("referense")
    Traceback (most recent call last):
    fieldloop.errors.UnknownName: No trainer called 'referense'. Did you mean 'reference'?
    """
    if name not in _TRAINERS:
        raise UnknownName("trainer", name, {**_TRAINERS, **_FRAME_TRAINERS})
    return _TRAINERS[name]


FrameTrainer = Callable[[Any, Any, Path, int], Mapping[str, Any] | None]
"""Takes frames to learn from, frames held out (None where there are none), an empty folder to write into, and a seed.

The frames are map-style datasets, as PyTorch's DataLoader takes them. What it leaves in the folder is the policy: a
bundle, or any other files. It may return figures; `validation_error` and `control_hz` are recorded.
"""

ENTRY_POINTS = "fieldloop.trainers"
"""The group under which an installed package offers frame trainers."""
_FRAME_TRAINERS: dict[str, FrameTrainer] = {}


def register_frame_trainer(name: str, trainer: FrameTrainer) -> None:
    """Make a trainer of frames known by name; the last one registered under a name counts."""
    if not name.strip() or ":" in name:
        raise BadInput(f"{name!r} is not a name for a trainer. Use letters and digits; a colon means module:function.")
    if name in _TRAINERS:
        raise BadInput(f"{name} is a trainer of fieldloop's own. Choose another name.")
    _FRAME_TRAINERS[name] = trainer


def find_frame_trainer(name: str) -> FrameTrainer | None:
    """Return a registered trainer of frames, or one that an installed package offers; None without one."""
    if name in _FRAME_TRAINERS:
        return _FRAME_TRAINERS[name]
    offered = next(iter(entry_points(group=ENTRY_POINTS, name=name)), None)
    return offered.load() if offered else None


def import_frame_trainer(address: str) -> FrameTrainer:
    """Import a trainer by `module:function`."""
    module, _, function = address.partition(":")
    try:
        found: FrameTrainer = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as wrong:
        raise BadInput(f"{address} cannot be imported: {wrong}. Write module:function.") from wrong
    if not callable(found):
        raise BadInput(f"{address} is not a function.")
    return found


def train_policy(
    samples: Sequence[Sample],
    settings: Section,
    seed: int,
    validation: Sequence[Sample] = (),
    trainer: str = "reference",
) -> Trained:
    """Learn from samples with the trainer of that name; the same arguments give the same bytes."""
    return find_trainer(trainer)(samples, settings, seed, validation)


def _train_reference(samples: Sequence[Sample], settings: Section, seed: int, validation: Sequence[Sample]) -> Trained:
    """Train the reference learner and export it."""
    from fieldloop.train import graph, reference

    weights = reference.train_reference_policy(samples, settings, seed, validation)
    eye = weights.vision
    return Trained(
        trainer="reference",
        model=graph.build_onnx_model(weights).SerializeToString(deterministic=True),
        inputs=(Input(CAMERA, (0, *eye.picture, 3), "uint8"), Input(DEPTH, (0, *eye.depth), "float32")),
        action_names=ACTION_NAMES,
        validation_error=weights.validation_error,
        episodes=weights.episodes,
        seed=seed,
    )


register_trainer("reference", _train_reference)
