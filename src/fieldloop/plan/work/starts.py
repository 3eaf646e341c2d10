"""Initial conditions: which quantities to vary, and values spread evenly over their ranges."""

import re

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.plan import WorkOrder
from fieldloop.protocol import Section

NUMBER = r"[-+]?\d+(?:\.\d+)?"
WRITTEN = re.compile(rf"({NUMBER}) to ({NUMBER})(?: .*)?")
STATED = re.compile(rf"([^:]+): ({NUMBER} to {NUMBER}(?: .*)?)")


def get_start_ranges(settings: Section) -> tuple[tuple[str, str], ...]:
    """Read which quantities every order varies between demonstrations, as the settings state: 'yaw: 0 to 360 °'."""
    ranges = []
    for line in settings["start_conditions"]:
        stated = STATED.fullmatch(str(line).strip())
        if stated is None:
            raise BadInput(f"plan.start_conditions: {line!r} is not 'name: low to high unit', as in 'yaw: 0 to 360 °'.")
        ranges.append((stated[1].strip(), stated[2]))
    return tuple(ranges)


def draw_initial_conditions(order: WorkOrder, rng: np.random.Generator) -> tuple[dict[str, float], ...]:
    """Draw one set of initial conditions per demonstration.

    Each range is cut into as many parts as there are demonstrations and each part is used once (Latin hypercube), so
    that even five demonstrations reach both ends. Conditions stated in words are left to the operator.
    """
    columns = {}
    for name, written in order.start:
        numbers = WRITTEN.fullmatch(written)
        if numbers is not None:
            low, high = float(numbers[1]), float(numbers[2])
            parts = rng.permutation(order.demonstrations) + rng.random(order.demonstrations)
            columns[name] = low + (high - low) * parts / max(1, order.demonstrations)
    return tuple({name: float(column[at]) for name, column in columns.items()} for at in range(order.demonstrations))
