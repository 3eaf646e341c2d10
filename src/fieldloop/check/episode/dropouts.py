"""Check of readings that drop out for a row or two, in any unit."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.signal import Signal, convert_to_episode_seconds, find_signals
from fieldloop.check.signals.without_unit import Drops, DropSettings, find_drops
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import StreamKind

NAME = "integrity.dropouts"
PARAMETERS = ("fewest", "times_usual", "agree_share", "spread_share", "longest_held")


@check(
    NAME,
    unit="readings",
    needs=("joints",),
    rests_on=(StreamFact.MEANING,),
    evidence=Evidence.SENSOR,
)
def count_readings_that_drop_out(case: Case) -> Iterator[Measurement]:
    """How many readings of the joints jump to one same value for one or two rows and return?

    A driver that gets no answer may report a fixed value. The jump there and back is many times the usual step, the
    readings before and after agree, and it starts from several places. So an angle that wraps and a gripper that opens
    do not count, and no unit is needed. A column in which this happens seldom is left out.
    """
    fewest, usual, agree, spread, held = (case.read_parameter(NAME, name) for name in PARAMETERS)
    settings = DropSettings(fewest, usual, agree, spread, int(held))
    for joints in find_signals(case, StreamKind.JOINT_POSITION):
        found = {i: drops for i, column in enumerate(joints.values.T) if (drops := find_drops(column, settings))}
        yield _measure_drops(case, joints, found) if found else Measurement(Subject(joints.name), 0.0)


def _measure_drops(case: Case, joints: Signal, found_by_column: dict[int, Drops]) -> Measurement:
    column, worst = max(found_by_column.items(), key=lambda item: len(item[1].rows))
    count = len(np.concatenate([drops.rows for drops in found_by_column.values()]))
    at_s = convert_to_episode_seconds(case, joints.times_ns[worst.rows[0]])
    place = note("check.drops_to", at_s=at_s, column=joints.name_column(column), value=worst.value)
    return Measurement(Subject(joints.name), float(count), place, at_s=at_s)
