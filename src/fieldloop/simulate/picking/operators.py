"""People: how they fill bins (what the policy meets) and how they demonstrate (what it learns)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Person:
    """Habits of one person; lengths in metres, angles in radians."""

    lays_at: float
    """Around which yaw this person lays articles into a bin."""
    lays_within: float
    crowds: float
    """Gaps left between articles, as a multiple of the ordinary."""
    leaves_film: float
    """How often packing film stays on."""
    gain_per_s: float
    """How fast a demonstration closes in on the grasp: speed per distance."""
    speed_m_s: float
    acceleration: float
    firmness: float
    """Where in the window between slipping and crushing the force lies."""
    sloppiness: float
    release: float
    """Where in the allowed drop height articles are let go."""


PEOPLE = (
    Person(0.0, 0.22, 1.0, 0.0, 7.0, 0.22, 2.0, 0.38, 0.6, 0.50),
    Person(0.1, 0.28, 1.1, 0.0, 7.8, 0.26, 2.6, 0.43, 0.8, 0.55),
    Person(0.2, 0.22, 1.0, 0.0, 6.4, 0.19, 1.5, 0.34, 0.6, 0.45),
    Person(-0.2, 0.25, 0.9, 0.0, 7.2, 0.23, 2.2, 0.40, 0.7, 0.50),
    Person(0.9, 0.25, 0.9, 0.0, 7.0, 0.22, 2.0, 0.38, 0.7, 0.50),
    Person(-0.8, 0.25, 0.8, 0.8, 6.8, 0.21, 2.0, 0.41, 0.8, 0.50),
)
SHIFTS = (0.22, 0.18, 0.16, 0.16, 0.14, 0.14)
"""Share of bins that each person fills."""


def name_person(code: int) -> str:
    """Return a person's pseudonym."""
    return f"person-{code + 1}"


def get_habit_of_people(attribute: str, people: Ints) -> Floats:
    """Return one habit of each person named by code."""
    return np.array([getattr(person, attribute) for person in PEOPLE], dtype=float)[people]


def draw_people(count: int, rng: np.random.Generator, excluded_people: tuple[int, ...] = ()) -> Ints:
    """Draw who did it, some people left out."""
    share = np.array([0.0 if code in excluded_people else share for code, share in enumerate(SHIFTS)])
    return rng.choice(len(PEOPLE), count, p=share / share.sum())
