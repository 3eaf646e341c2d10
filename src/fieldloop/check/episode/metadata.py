"""Questions about what the log says of itself. Who named no protocol is told what is missing, and not failed for it."""

from collections.abc import Iterator, Sequence

from fieldloop.check.case import Case
from fieldloop.check.episode.stamps import part_of_another
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import StreamKind

FIELDS = ("task", "robot", "site", "operator", "session", "protocol")
ASSUMED = "assumed"
"""What readers write beside a unit that the source does not state."""


@check(
    "metadata.missing_fields",
    unit="fields",
    needs=("streams",),
    advice="Have the station fill these in while recording; afterwards nobody remembers.",
)
def missing_fields(case: Case) -> Iterator[Measurement]:
    """Which facts that every episode should carry are missing?"""
    missing = [name for name in FIELDS if not getattr(case.episode, name)]
    if case.episode.simulated is None:
        missing.append("simulated")
    yield _told(case, missing)


@check(
    "metadata.conditions",
    unit="facts",
    needs=("streams",),
    advice="Let the station's sensors write them into the log, or type them in when the session opens.",
)
def conditions(case: Case) -> Iterator[Measurement]:
    """Which facts about light, air and surface are missing?

    The protocol's setting `episode.condition_record` lists them; a condition of the episode's stratum counts as said.
    """
    known = {name for name, value in case.episode.facts if value} | case.episode.stratum.levels.keys()
    wanted = case.protocol.setting("episode.condition_record")
    yield _told(case, [name for name in wanted if name not in known])


@check(
    "metadata.serials",
    unit="streams",
    needs=("streams",),
    advice="Let the driver write its device's serial number; a calibration belongs to a device, not to a name.",
)
def serials(case: Case) -> Iterator[Measurement]:
    """Which sensors do not say which device they are?"""
    sensors = [s for s in case.sensing() if s.kind is not StreamKind.ACTION and not part_of_another(case, s)]
    if sensors:
        nameless = [s.name for s in sensors if not (s.serial or case.episode.fact(f"serial.{s.name}"))]
        yield _told(case, nameless, "which device it is: ")


@check(
    "metadata.units",
    unit="streams",
    needs=("streams",),
    advice="Declare the unit in the log, or in mapping.toml for a source that cannot.",
)
def units(case: Case) -> Iterator[Measurement]:
    """Which streams of numbers do not say their unit, so that one had to be assumed?"""
    numbers = [s for s in case.sensing() if s.values is not None]
    if numbers:
        assumed = [s.name for s in numbers if not s.unit or ASSUMED in s.notes.get("unit", "")]
        yield _told(case, assumed, "its unit: ")


def _told(case: Case, missing: Sequence[str], what: str = "") -> Measurement:
    if missing and not case.collected_by_protocol:
        return Measurement("", float("nan"), cannot_tell=f"the log does not say {what}{', '.join(missing)}.")
    return Measurement("", float(len(missing)), f"({', '.join(missing)})" if missing else "")
