"""One trial of a gate: its setup and its place in the order."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum

BASE, DISTRACTORS, CONSECUTIVE = "base", "distractors", "consecutive"
LIGHTING, POSITION = "lighting:", "position:"
PERMANENT = ("edge:", "incident:")
"""Prefixes of scenarios that stay in every later gate after a failure."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt to make: its place in the blind order, its scenario, its stratum, and its numeric parameters.

    Parameters: `u` and `v` place the item, in shares of half the workspace from its centre (-1 to 1); `distractors`
    is the number of objects that do not belong there.
    """

    policy: str
    order: int
    scenario: str
    stratum: Stratum
    parameters: tuple[tuple[str, float], ...] = ()

    def get_parameter(self, name: str) -> float | None:
        """Return a parameter by name, None where this trial does not set it."""
        return dict(self.parameters).get(name)
