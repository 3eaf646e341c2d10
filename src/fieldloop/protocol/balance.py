"""Which mix of labels a batch is asked to have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import ProtocolError
from fieldloop.protocol.cells import read_table
from fieldloop.protocol.number import refuse_unknown_keys


@dataclass(frozen=True, slots=True)
class Balance:
    """The share of episodes asked for at each label of one kind: an outcome, an object, a factor of the stratum."""

    over: str
    shares: Mapping[str, float]


def read_balance(where: str, over: str, raw: Any) -> Balance:
    """Read one `[balance.over]` table; how far a batch may be off is the limit `batch.balance`."""
    where = f"{where}.{over}"
    row = read_table(where, raw)
    refuse_unknown_keys(where, row, {"shares", "why"})
    shares = read_table(f"{where}.shares", row.get("shares", {}))
    if not shares:
        raise ProtocolError(f"{where}: shares is missing: write shares = {{ succeeded = 0.8, failed = 0.2 }}.")
    for label, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ProtocolError(
                f"{where}: the share of {label!r} is {share!r}; it should be from 0 to 1, 0.8 for 80 %."
            )
    return Balance(over, {label: float(share) for label, share in shares.items()})
