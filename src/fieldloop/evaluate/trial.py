"""One trial of a gate: what is set up, and in which order it is run."""

from dataclasses import dataclass

from fieldloop.model.condition import Stratum

BASE, DISTRACTORS, CONSECUTIVE = "base", "distractors", "consecutive"
LIGHTING, POSITION = "lighting:", "position:"
PERMANENT = ("edge:", "incident:")
"""Scenarios that stay in every later gate once something failed there."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt to make: its place in the blind order, its scenario, its stratum, and what to set up by number.

    Parameters: `u` and `v` place the item, in shares of half the workspace from its centre (-1 to 1); `distractors`
    counts objects that do not belong there.
    """

    policy: str
    order: int
    scenario: str
    stratum: Stratum
    parameters: tuple[tuple[str, float], ...] = ()

    def parameter(self, name: str) -> float | None:
        """Return a parameter by name, None where this trial does not set it."""
        return dict(self.parameters).get(name)
