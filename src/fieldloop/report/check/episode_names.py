"""Names of episodes as people see them: with their file where several episodes have the same name."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from fieldloop.report.check.content import CheckReport

Report = TypeVar("Report", bound=CheckReport)


def name_episodes_apart(names: Sequence[str], logs: Sequence[str]) -> tuple[str, ...]:
    """Return the names, those that occur more than once with their file.

    >>> name_episodes_apart(("episode_0", "episode_0", "episode_1"), ("a.h5", "b.h5", "b.h5"))
    ('a.h5/episode_0', 'b.h5/episode_0', 'episode_1')
    """
    counts = Counter(names)
    return tuple(f"{log}/{name}" if log and counts[name] > 1 else name for name, log in zip(names, logs, strict=True))


def use_names_apart(report: Report) -> Report:
    """Return a report for people, in which no two episodes of different files have one name."""
    if not report.logs:
        return report
    names = name_episodes_apart([episode.name for episode in report.episodes], report.logs)
    by_id: dict[str, list[str]] = defaultdict(list)  # copies of an episode have one id
    for episode, name in zip(report.episodes, names, strict=True):
        by_id[episode.episode].append(name)
    looks = tuple(
        replace(look, name=by_id[look.episode].pop(0)) if by_id.get(look.episode) else look
        for look in report.ranking.looks
    )
    episodes = tuple(replace(episode, name=name) for episode, name in zip(report.episodes, names, strict=True))
    return replace(report, episodes=episodes, ranking=replace(report.ranking, looks=looks))
