"""Annotations: labelled spans of episodes, by people or machines."""

from dataclasses import dataclass

PHASE = "phase"
KINDS = (
    PHASE, "action", "recovery", "grasp", "failure", "object", "success", "pose", "contact", "mask", "reward"
)  # fmt: skip
"""Kinds of labels. Spans of one kind and one author do not overlap, except those of `object`, `pose` and `mask`."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One label over one span of one episode, and its author.

    `object` is an identity that persists across episodes. `values` hold what the kind measures: a pose (x, y, z in
    metres and a quaternion xyzw), a reward. `blob` is the hash of a mask's picture. `verified_by` is a person, a second
    sensor or a model, and `error` what that verification measured, in `error_unit`.
    """

    episode: str
    kind: str
    label: str
    start_ns: int
    end_ns: int
    author: str
    verified_by: str = ""
    confidence: float | None = None
    object: str = ""
    values: tuple[float, ...] = ()
    blob: str = ""
    error: float | None = None
    error_unit: str = ""
