"""Annotations of simulated demonstrations by two annotators, and how far the two agree."""

from collections.abc import Iterable, Iterator

from fieldloop.annotate import compare_by_condition
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import default_operations
from fieldloop.simulate.picking.nouns import HANDLED_S

SEEN_S = ("grasp_seen_by_1_s", "grasp_seen_by_2_s")
"""Facts of a demonstration: how late each annotator marks the grasp, in seconds."""
ONE_IN = 10


def compare_two_annotators(episodes: Iterable[Episode], least_episodes: int) -> tuple[Agreement, ...]:
    """Compare two annotators on a tenth of the demonstrations, in all and by condition; ids select the tenth."""
    chosen = [e for e in episodes if int(e.id[:8], 16) % ONE_IN == 0 and set(SEEN_S) <= dict(e.facts).keys()]
    if not chosen:
        return ()
    first, second = ([span for e in chosen for span in _read_phases_by_annotator(e, fact)] for fact in SEEN_S)
    strata = {episode.id: episode.circumstances for episode in chosen}
    frame_hz = default_operations()["agree"].number("frame_hz")
    return compare_by_condition(first, second, frame_hz, strata, least_episodes)


def _read_phases_by_annotator(episode: Episode, fact: str) -> Iterator[Annotation]:
    late_s = float(dict(episode.facts)[fact])
    seen_ns = episode.end_ns + round((late_s - HANDLED_S) * NS_PER_S)
    author = f"annotator-{SEEN_S.index(fact) + 1}"
    yield Annotation(episode.id, PHASE, "approach", episode.start_ns, max(seen_ns, episode.start_ns), author)
    yield Annotation(episode.id, PHASE, "grasp", min(seen_ns, episode.end_ns), episode.end_ns, author)
