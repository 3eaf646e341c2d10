"""Questions about what the log says of itself."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement

FIELDS = ("task", "robot", "site", "operator", "session", "protocol")


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
    said = f"({', '.join(missing)})" if missing else ""
    if missing and not case.collected_by_protocol:
        reason = f"the log does not say {', '.join(missing)}."
        yield Measurement("", float("nan"), cannot_tell=reason)
    else:
        yield Measurement("", float(len(missing)), said)
