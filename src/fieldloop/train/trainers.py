"""The register of trainers: anything that turns samples into an ONNX model can be one, by one call of `register`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldloop.errors import UnknownName
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
        raise UnknownName("trainer", name, _TRAINERS)
    return _TRAINERS[name]


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
