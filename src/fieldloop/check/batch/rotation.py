"""Check of operator rotation: equal shares are not enough if each operator records in one block."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from fieldloop.check.batch_case import Batch
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Subject, note
from fieldloop.model.quality import Dimension


@check(
    "batch.rotation",
    unit="turns",
    needs=("episodes",),
    dimension=Dimension.REPRODUCIBILITY,
)
def count_turns_of_operators(batch: Batch) -> Iterator[Measurement]:
    """How many separate turns did each operator have?

    A turn ends when another operator works at that robot, or when the session ends. Operators with few episodes are
    left out, because these are often one turn.
    """
    fewest = batch.read_parameter("batch.rotation", "min_episodes")
    counts = Counter(e.operator for e in batch.episodes if e.operator)
    if len(counts) < batch.read_parameter("batch.rotation", "min_operators"):
        return
    if len({e.start_ns for e in batch.episodes}) < len(batch.episodes) / 2:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note("check.no_recording_times"))
        return
    turns = _count_operator_turns(batch.episodes)
    for operator, count in sorted(counts.items()):
        if count >= fewest:
            place = note("check.in_episodes", episodes=count)
            yield Measurement(Subject(aspect=operator), float(turns[operator]), place)


def _count_operator_turns(episodes: tuple[Episode, ...]) -> Counter[str]:
    stations: dict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda e: e.start_ns):
        stations[episode.site, episode.robot].append(episode)
    turns: Counter[str] = Counter()
    for at_station in stations.values():
        before = ("", "")
        for episode in at_station:
            now = (episode.operator, episode.session)
            if now != before:
                turns[episode.operator] += 1
            before = now
    return turns
