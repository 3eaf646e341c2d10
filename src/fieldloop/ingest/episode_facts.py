"""The facts a log states about its episode become an Episode; what it states wrongly becomes a defect."""

from collections.abc import Iterable, Mapping
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.stream import ClockKind, Stream

METADATA_NAME = "fieldloop.episode"
TEXTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
TRUTHS = {"true": True, "false": False}


def episode_from(
    facts: Mapping[str, str], *, id_: str, name: str, streams: Iterable[Stream]
) -> tuple[Episode, list[Defect]]:
    """Build the Episode of an MCAP log; unknown keys become further facts."""
    defects: list[Defect] = []
    fields: dict[str, Any] = {key: facts[key] for key in TEXTS if facts.get(key)}
    for key in ("simulated", "succeeded"):
        if key in facts:
            fields[key] = TRUTHS.get(facts[key].lower())
            if fields[key] is None and facts[key]:
                defects.append(_wrong(key, f"{facts[key]!r} is neither 'true' nor 'false'"))
    try:
        fields["stratum"] = Stratum.parse(facts.get("stratum", ""))
    except BadInput as wrong:
        defects.append(_wrong("stratum", str(wrong)))
    known = {*TEXTS, "simulated", "succeeded", "stratum"}
    further = tuple(sorted((key, value) for key, value in facts.items() if key not in known))
    start_ns, end_ns = _span(streams)
    return Episode(
        **{"name": name, **fields}, id=id_, format="mcap", start_ns=start_ns, end_ns=end_ns, facts=further
    ), defects  # fmt: skip


def _span(streams: Iterable[Stream]) -> tuple[int, int]:
    """First and last arrival: the one clock that all streams of a log share."""
    arrivals = [times for stream in streams if len(times := stream.clocks[ClockKind.LOG])]
    if not arrivals:
        return 0, 0
    return int(min(t.min() for t in arrivals)), int(max(t.max() for t in arrivals))


def _wrong(key: str, message: str) -> Defect:
    return Defect(f"metadata {METADATA_NAME}", key, f"{message}; the field was left out.")
