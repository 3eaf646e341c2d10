"""One floor, and one demonstration of each kind, shared by the tests of the simulator."""

import pytest

from fieldloop.model.condition import Stratum
from fieldloop.simulate.arm.floor import Floor

BENCH = Stratum.of(site="lab", tier="high", bin="front", lighting="bright")
START_NS = 1_700_000_000_000_000_000


@pytest.fixture(scope="session")
def floor():
    return Floor(3)


@pytest.fixture(scope="session")
def demonstration(floor):
    """A demonstration that succeeded."""
    for i in range(20):
        shown = floor.demonstrate(BENCH, "op-amber", floor.make_random_generator("test", i), START_NS)
        if shown.verdict.succeeded:
            return shown
    raise AssertionError("no success in twenty demonstrations")
