"""Build an Episode from the facts a log states; invalid ones become defects."""

from collections.abc import Iterable, Mapping

from fieldloop.ingest.span import find_time_span
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.episode_text import find_fields_by_alias, parse_texts
from fieldloop.model.stream import Stream

METADATA_NAME = "fieldloop.episode"


def collect_metadata_facts(records: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return all facts that named records of pairs state; ours uses Episode's field names, others their own.

    Well-known names in other records also fill the Episode's field, unless our record does.

    >>> collect_metadata_facts({"rig": {"operator_id": "op-7", "lux": "400"}})
    {'operator': 'op-7', 'rig.lux': '400', 'rig.operator_id': 'op-7'}
    """
    others = {name: pairs for name, pairs in records.items() if name != METADATA_NAME}
    facts = {f"{name}.{key}" if name else key: value for name, pairs in others.items() for key, value in pairs.items()}
    every: dict[str, str] = {}
    for pairs in others.values():
        every = {**pairs, **every}  # of several records the first that says it
    return dict(sorted({**facts, **find_fields_by_alias(every), **records.get(METADATA_NAME, {})}.items()))


def build_episode(
    facts: Mapping[str, str], *, id_: str, name: str, streams: Iterable[Stream], format_: str = "mcap"
) -> tuple[Episode, list[Defect]]:
    """Build the Episode of a log of messages; unknown keys become further facts."""
    fields, wrong = parse_texts(facts)
    start_ns, end_ns = find_time_span(streams)
    episode = Episode(**{"name": name, **fields}, id=id_, format=format_, start_ns=start_ns, end_ns=end_ns)
    return episode, [Defect(f"metadata {METADATA_NAME}", key, message) for key, message in wrong]
