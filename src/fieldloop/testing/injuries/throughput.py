"""Injuries that the checks of throughput must notice."""

from dataclasses import replace

from fieldloop.check import Case
from fieldloop.protocol import parse_protocol
from fieldloop.testing.injuries.injury import Injury
from fieldloop.testing.synthetic import PROTOCOL

QUICK = """
[task]
target_cycle_s = 2.0
"""


def shorten_target_cycle(case: Case) -> Case:
    """Set the target cycle time to two seconds."""
    return replace(case, protocol=parse_protocol(PROTOCOL + QUICK, "quick"), _kept={})


INJURIES: dict[str, Injury] = {"throughput.cycle_time": Injury(shorten_target_cycle)}
