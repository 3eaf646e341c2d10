"""Agreement of two authors under each condition: easy scenes may hide disagreement in hard ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fieldloop.annotate.agreement import compare_authors
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Condition, Stratum


def compare_by_condition(
    first: Sequence[Annotation],
    second: Sequence[Annotation],
    frame_hz: float,
    strata: Mapping[str, Stratum],
    min_episodes: int,
) -> tuple[Agreement, ...]:
    """Compare two authors on all episodes that both annotated, then on those of each condition with enough of them.

    `strata` gives the conditions of each episode; episodes without an entry count only in the whole.
    """
    shared = {a.episode for a in first} & {a.episode for a in second}
    whole = compare_authors(_select_episodes(first, shared), _select_episodes(second, shared), frame_hz)
    return (
        whole,
        *_compare_each_condition(first, second, frame_hz, _group_episodes_by_condition(strata, shared), min_episodes),
    )


def _compare_each_condition(
    first: Sequence[Annotation],
    second: Sequence[Annotation],
    frame_hz: float,
    episodes_by_condition: Mapping[Condition, set[str]],
    min_episodes: int,
) -> Iterator[Agreement]:
    for condition, episodes in sorted(episodes_by_condition.items()):
        if len(episodes) >= min_episodes:
            compared = compare_authors(_select_episodes(first, episodes), _select_episodes(second, episodes), frame_hz)
            yield replace(compared, stratum=Stratum((condition,)))


def _group_episodes_by_condition(strata: Mapping[str, Stratum], shared_episodes: set[str]) -> dict[Condition, set[str]]:
    episodes_by_condition: dict[Condition, set[str]] = {}
    for episode in shared_episodes & strata.keys():
        for condition in strata[episode].conditions:
            episodes_by_condition.setdefault(condition, set()).add(episode)
    return episodes_by_condition


def _select_episodes(annotations: Sequence[Annotation], episodes: set[str]) -> list[Annotation]:
    return [a for a in annotations if a.episode in episodes]
