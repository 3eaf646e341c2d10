"""What counts as right: the planted cause under one of its right names and, where words decide the name, its place."""

from collections.abc import Sequence

from bench.answered.row import COVERAGE, FAILED, UNKNOWN, Decoy, Named, Planted, Reply, Row

BLAMED_FROM = 0.1
"""A decoy with a smaller share of the loss is not counted as blamed."""
CLEARLY = 0.15
"""Shares of the loss that differ by more are clearly unequal."""
DECOY_GAPS = {"lag": ("timing",), "disagreement": ("labels",), "wear": ("hardware",)}


def is_at(cause: Named, places: Sequence[str]) -> bool:
    """Does a cause name one of these conditions? A condition without a level is the column at any level."""
    return any(place in cause.places or _has_column(cause, place) for place in places)


def _has_column(cause: Named, place: str) -> bool:
    return place.endswith("=") and any(found.startswith(place) for found in cause.places)


def names(cause: Named, fault: Planted) -> bool:
    """Is this cause that fault? For a lack of coverage the name depends on words, so the place decides too."""
    if cause.gap not in fault.gaps:
        return False
    return is_at(cause, fault.places) if set(fault.gaps) <= set(COVERAGE) else True


def find_larger(row: Row) -> Planted:
    """Return the fault that cost most."""
    return max(row.faults, key=lambda fault: fault.share)


def is_unequal(row: Row) -> bool:
    """Of two faults, did one cost clearly more? If not, records cannot show which is the larger."""
    first, second = sorted((fault.share for fault in row.faults), reverse=True)
    return first - second >= CLEARLY


def is_unlogged(row: Row) -> bool:
    """Is the only cause one that no column shows?"""
    return bool(row.faults) and all(fault.gaps == (UNKNOWN,) for fault in row.faults)


def is_blamed(reply: Reply) -> bool:
    """Does the answer say that something known is wrong?"""
    return reply.status == FAILED and any(cause.gap != UNKNOWN for cause in reply.causes)


def is_right(row: Row, reply: Reply) -> bool:
    """Is the larger fault named first, as a finding?"""
    return reply.status == FAILED and bool(reply.causes) and names(reply.causes[0], find_larger(row))


def is_either(row: Row, reply: Reply) -> bool:
    """Is one of the faults named first, as a finding?"""
    first = reply.causes[:1] if reply.status == FAILED else ()
    return any(names(cause, fault) for cause in first for fault in row.faults)


def is_placed(row: Row, reply: Reply) -> bool:
    """Is the first cause at a place of the larger fault, whatever it is called and whatever the status?"""
    return bool(reply.causes) and is_at(reply.causes[0], find_larger(row).places)


def is_falsely_blamed(row: Row, reply: Reply) -> bool:
    """Is something blamed first that was not planted?"""
    return is_blamed(reply) and not is_either(row, reply)


def is_decoy_blamed(row: Row, reply: Reply) -> bool:
    """Does a decoy get a part of the loss, as a finding?"""
    if reply.status != FAILED:
        return False
    causes = [cause for cause in reply.causes if cause.share >= BLAMED_FROM]
    return any(_names_decoy(cause, decoy, row) for cause in causes for decoy in row.decoys)


def _names_decoy(cause: Named, decoy: Decoy, row: Row) -> bool:
    if any(names(cause, fault) and (not fault.places or is_at(cause, fault.places)) for fault in row.faults):
        return False
    if decoy.kind in DECOY_GAPS:
        return cause.gap in DECOY_GAPS[decoy.kind]
    return is_at(cause, decoy.places)


def share_errors(row: Row, reply: Reply) -> list[float]:
    """Return the error of each fault's share in points; what is not a finding counts as 0."""
    causes = reply.causes if reply.status == FAILED else ()
    return [
        100.0 * abs(min(1.0, sum(cause.share for cause in causes if names(cause, fault))) - fault.share)
        for fault in row.faults
    ]
