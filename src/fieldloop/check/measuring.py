"""Ask every check once. What it found is kept; that it broke is kept too."""

from collections.abc import Iterable
from typing import TypeVar

from fieldloop.check.case import Case
from fieldloop.check.many import Batch
from fieldloop.check.registry import Check
from fieldloop.model.finding import Measured

S = TypeVar("S", Case, Batch)
NOT_LOOKED_AT = "Pictures were not looked at: only numbers were asked for."


def measure_with(checks: Iterable[Check[S]], subject: S, *, pixels: bool = True) -> tuple[Measured, ...]:
    """Ask these checks about one case or batch, in their order; without `pixels` no picture is decoded."""
    return tuple(_ask(check, subject, pixels=pixels) for check in checks)


def _ask(check: Check[S], subject: S, *, pixels: bool) -> Measured:
    if check.pixels and not pixels:
        return Measured(check.name, reason=NOT_LOOKED_AT)
    if reason := subject.lacks(check.needs):
        return Measured(check.name, reason=reason)
    try:
        found = tuple(check.look(subject))
    except Exception as broken:  # noqa: BLE001 - a check may meet data nobody thought of, and may be a stranger's
        return Measured(check.name, error=f"{type(broken).__name__}: {broken}")
    return Measured(check.name, found, reason="" if found else "Nothing here answers this question.")
