"""What one thing touched: every release and policy that rests on an operator, a robot, a calibration and so on."""

from dataclasses import dataclass

from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class TouchedPolicy:
    """A policy that was trained on a touched release; `rung` is how far it is rolled out, '' where it never was."""

    policy: str
    name: str
    release: str
    rung: str


@dataclass(frozen=True, slots=True)
class TouchedRelease:
    """A release with touched episodes: how many of them train and validate, and where it was exported to."""

    release: str
    name: str
    episodes: int
    train: int
    validation: int
    of: int
    exported: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dependents:
    """Everything that rests on one thing, such as a calibration.

    `episodes` are all touched ones; `not_released` of them are in no release.
    """

    kind: str
    name: str
    sentence: Note
    releases: tuple[TouchedRelease, ...]
    policies: tuple[TouchedPolicy, ...]
    episodes: tuple[str, ...]
    not_released: int
