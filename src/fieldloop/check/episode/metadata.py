"""Checks of a log's metadata. A log that names no protocol does not fail them; what is missing is listed."""

from collections.abc import Iterator, Sequence

from fieldloop.check.case import Case
from fieldloop.check.naming import note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.signals.stamps import is_part_of_other_stream
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, note
from fieldloop.model.stream import StreamKind

FIELDS = ("task", "robot", "site", "operator", "session", "protocol")


@check(
    "metadata.missing_fields",
    unit="fields",
    needs=("streams",),
)
def count_missing_fields(case: Case) -> Iterator[Measurement]:
    """Which facts that every episode should carry are missing?"""
    missing = [name for name in FIELDS if not getattr(case.episode, name)]
    if case.episode.simulated is None:
        missing.append("simulated")
    yield _measure_missing_count(case, missing)


@check(
    "metadata.conditions",
    unit="facts",
    needs=("streams",),
)
def count_missing_conditions(case: Case) -> Iterator[Measurement]:
    """Which facts about the environment (light, air, surface) are missing?

    The protocol's setting `episode.condition_record` lists them; a condition of the episode's stratum counts too.
    """
    known = {name for name, value in case.episode.facts if value} | case.episode.stratum.levels.keys()
    wanted = case.protocol.setting("episode.condition_record")
    yield _measure_missing_count(case, [name for name in wanted if name not in known])


@check(
    "metadata.serials",
    unit="streams",
    needs=("streams",),
)
def count_missing_serial_numbers(case: Case) -> Iterator[Measurement]:
    """Which sensors do not state the serial number of their device?"""
    sensors = [
        s
        for s in case.find_sensing_streams()
        if s.kind is not StreamKind.ACTION and not is_part_of_other_stream(case, s)
    ]
    if sensors:
        nameless = [s.name for s in sensors if not (s.serial or case.episode.get_fact(f"serial.{s.name}"))]
        yield _measure_missing_count(case, nameless, "check.no_serials")


@check(
    "metadata.units",
    unit="streams",
    needs=("streams",),
)
def count_streams_without_unit(case: Case) -> Iterator[Measurement]:
    """Which streams of numbers do not state their unit, so that one had to be assumed?"""
    numbers = [s for s in case.find_sensing_streams() if s.values is not None]
    if numbers:
        assumed = [s.name for s in numbers if not s.unit_stated]
        yield _measure_missing_count(case, assumed, "check.no_units")


def _measure_missing_count(case: Case, missing_names: Sequence[str], code: str = "check.no_fields") -> Measurement:
    if missing_names and not case.collected_by_protocol:
        return Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note(code, names=tuple(missing_names)))
    return Measurement(NO_SUBJECT, float(len(missing_names)), note_listed_names(missing_names))
