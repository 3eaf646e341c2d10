"""Do code and protocol speak of the same checks in the same units?"""

from collections.abc import Mapping

from fieldloop.errors import ProtocolError
from fieldloop.protocol.collection import CollectionProtocol


def require_agreement(units: Mapping[str, str], protocol: CollectionProtocol) -> None:
    """Refuse to start when a check has no limit, a limit no check, or their units differ.

    `units` maps each check's name to the unit it measures in.
    """
    built = {name for name, limit in protocol.limits.items() if not limit.pending}
    if unjudged := sorted(units.keys() - built):
        raise ProtocolError(f"{protocol.label}: these checks have no limit in force: {', '.join(unjudged)}.")
    if unmeasured := sorted(built - units.keys()):
        raise ProtocolError(f"{protocol.label}: no check measures these limits: {', '.join(unmeasured)}.")
    for name, unit in units.items():
        if unit != protocol.limits[name].unit:
            raise ProtocolError(
                f"{protocol.label}: {name} is measured in {unit!r}, the limit is in {protocol.limits[name].unit!r}."
            )
