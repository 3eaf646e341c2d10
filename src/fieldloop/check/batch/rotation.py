"""Did the operators take turns? Shares alone do not show it: four people can each do a quarter in one block."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from fieldloop.check.many import Batch
from fieldloop.check.registry import check
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.quality import Dimension


@check(
    "batch.rotation",
    unit="turns",
    needs=("episodes",),
    advice="Let operators come back on another day: what one block shows of a person may be the light of that day.",
    dimension=Dimension.REPRODUCIBILITY,
)
def rotation(batch: Batch) -> Iterator[Measurement]:
    """How many separate turns did each operator have?

    A turn ends when somebody else works at that robot, or with the session. Operators with few episodes are left out:
    a handful may well be one turn.
    """
    fewest = batch.parameter("batch.rotation", "min_episodes")
    counts = Counter(e.operator for e in batch.episodes if e.operator)
    if len(counts) < batch.parameter("batch.rotation", "min_operators"):
        return
    if len({e.start_ns for e in batch.episodes}) < len(batch.episodes) / 2:
        yield Measurement("", float("nan"), cannot_tell="The episodes do not say when they were recorded.")
        return
    turns = _turns(batch.episodes)
    for operator, count in sorted(counts.items()):
        if count >= fewest:
            yield Measurement(operator, float(turns[operator]), f"in {count} episodes")


def _turns(episodes: tuple[Episode, ...]) -> Counter[str]:
    stations: dict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda e: e.start_ns):
        stations[episode.site, episode.robot].append(episode)
    turns: Counter[str] = Counter()
    for own in stations.values():
        before = ("", "")
        for episode in own:
            now = (episode.operator, episode.session)
            if now != before:
                turns[episode.operator] += 1
            before = now
    return turns
