"""A policy server: which versions it holds, which is in force, and what changed last."""

from dataclasses import dataclass
from enum import StrEnum


class Moved(StrEnum):
    """What changed on a policy server."""

    STARTED = "started"
    LOADED = "loaded"
    ACTIVATED = "activated"
    ROLLED_BACK = "rolled back"
    REMOVED = "removed"
    REFUSED = "refused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Serving:
    """One run of a policy server after a change: `policy` is the version that the change is about.

    `reason` is why it changed; where a rule was overridden, it is the reason for that, and `overrode` is true.
    """

    id: str
    address: str
    moved: Moved
    policy: str
    in_force: str
    policies: tuple[str, ...]
    at_ns: int
    reason: str = ""
    overrode: bool = False


@dataclass(frozen=True, slots=True)
class ServingMoved:
    """A policy server started or stopped, or its versions changed; an override is recorded with its reason."""

    serving: Serving
