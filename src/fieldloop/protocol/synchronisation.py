"""How each device keeps time with the others, and whether anybody has verified it end to end."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.protocol.cells import read_line, read_positive_number, read_table
from fieldloop.protocol.number import refuse_unknown_keys

KEYS = {"synchronised_by", "max_offset_ms", "how", "verify_every_days", "verified"}


class SyncMeans(StrEnum):
    """What keeps a device's clock with the others'; NONE is a declaration, UNKNOWN is the lack of one."""

    HARDWARE_TRIGGER = "hardware trigger"
    PTP = "PTP"
    NTP = "NTP"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SyncVerification:
    """A measured end-to-end offset of a device: when, how, and the result."""

    stream: str
    at_ns: int
    offset_ms: float
    how: str = ""

    @property
    def day(self) -> str:
        """The day in UTC, as people write it.

        >>> SyncVerification("joints", 1_772_409_600 * 10**9, 0.8).day
        '2026-03-02'
        """
        return datetime.fromtimestamp(self.at_ns // 10**9, UTC).date().isoformat()


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """The declared clock of one device; `how` states how to verify it, `verified` is the last result in the file."""

    stream: str
    by: SyncMeans = SyncMeans.UNKNOWN
    max_offset_ms: float | None = None
    how: str = ""
    verify_every_days: float | None = None
    verified: SyncVerification | None = None


def read_synchronisation_means(where: str, raw: Any) -> SyncMeans:
    """Read `synchronised_by`; capitals do not matter.

    >>> read_synchronisation_means("sensors.joints", "ptp")
    <SyncMeans.PTP: 'PTP'>
    """
    if raw == "":
        return SyncMeans.UNKNOWN
    by_name = {means.value.lower(): means for means in SyncMeans}
    if str(raw).lower() not in by_name:
        means = [m.value for m in SyncMeans]
        wrong = UnknownName("way to synchronise", str(raw), means)
        raise ProtocolError(f"{where}: synchronised_by: {wrong} Known: {', '.join(means)}.")
    return by_name[str(raw).lower()]


def read_synchronisation(where: str, stream: str, raw: Any) -> Synchronisation:
    """Read one `[synchronisation."stream"]` table."""
    where = f"{where}.{stream}"
    row = read_table(where, raw)
    refuse_unknown_keys(where, row, KEYS)
    known = read_verification(f"{where}.verified", stream, row["verified"]) if "verified" in row else None
    return Synchronisation(
        stream,
        read_synchronisation_means(where, row.get("synchronised_by", "")),
        read_positive_number(where, row, "max_offset_ms"),
        read_line(where, row, "how"),
        read_positive_number(where, row, "verify_every_days"),
        known,
    )


def read_verification(where: str, stream: str, raw: Any) -> SyncVerification:
    """Read `verified = { on = 2026-03-02, offset_ms = 1.2, how = "…" }`."""
    row = read_table(where, raw)
    refuse_unknown_keys(where, row, {"on", "offset_ms", "how"})
    offset = row.get("offset_ms")
    if isinstance(offset, bool) or not isinstance(offset, int | float):
        raise ProtocolError(f"{where}: offset_ms is missing: write the offset that was measured.")
    return SyncVerification(
        stream, _parse_day_ns(where, row.get("on")), abs(float(offset)), read_line(where, row, "how")
    )


def _parse_day_ns(where: str, raw: Any) -> int:
    if isinstance(raw, str):
        try:
            raw = datetime.fromisoformat(raw)
        except ValueError:
            raw = None
    if isinstance(raw, datetime):
        # a date alone is the day's beginning in UTC: the earliest it can have been, so it never counts as fresher
        whole = raw if raw.tzinfo else raw.replace(tzinfo=UTC)
    elif isinstance(raw, date):
        whole = datetime(raw.year, raw.month, raw.day, tzinfo=UTC)
    else:
        raise ProtocolError(f"{where}: on is missing: write the day it was verified, such as on = 2026-03-02.")
    return int(whole.timestamp()) * 10**9
