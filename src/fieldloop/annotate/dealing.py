"""Deal episodes to annotators: who labels what, and which episodes two people label independently."""

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

ANYONE = ""
"""In place of a name: the first who takes the task."""
DIGITS = 1 << 64


@dataclass(frozen=True, slots=True)
class Hand:
    """Who labels an episode: one person, or two independently."""

    episode: str
    people: tuple[str, ...]


def count_doubles(episodes: int, share: float, dealt: int = 0, doubled: int = 0) -> int:
    """Return how many new episodes to deal twice, so that all episodes together reach the share.

    >>> count_doubles(20, 0.1), count_doubles(5, 0.1, dealt=15, doubled=1), count_doubles(3, 0.1, 30, 9)
    (2, 1, 0)
    """
    needed = math.ceil(round(share * (dealt + episodes), 9)) - doubled
    return min(max(needed, 0), episodes)


def draw_doubles(
    episodes: Sequence[str], count: int, edge_cases: Collection[str], weight: float, salt: str
) -> frozenset[str]:
    """Draw episodes without replacement, edge cases `weight` times as often; the same salt draws the same ones.

    Each episode gets the key u^(1 / weight), u uniform in (0, 1); the largest keys are drawn (Efraimidis, Spirakis).
    """

    def make_key(episode: str) -> float:
        digest = hashlib.sha256(f"{salt}/{episode}".encode()).digest()
        uniform = (int.from_bytes(digest[:8], "big") + 0.5) / DIGITS
        return math.log(uniform) / (weight if episode in edge_cases else 1.0)

    return frozenset(sorted(episodes, key=lambda one: (make_key(one), one), reverse=True)[:count])


def deal_episodes(
    episodes: Sequence[str], doubled: Collection[str], people: Sequence[str], load: Mapping[str, int]
) -> list[Hand]:
    """Give each episode to the person with the fewest tasks, and a doubled one to another person as well.

    `load` counts tasks that people have already. Without people, the first to come takes a task; with one person the
    second half of a pair waits for anyone else.

    >>> deal_episodes(["a", "b"], {"b"}, ["anna", "ben"], {"anna": 1})
    [Hand(episode='a', people=('ben',)), Hand(episode='b', people=('anna', 'ben'))]
    """
    tasks = {person: load.get(person, 0) for person in people}
    hands = []
    for episode in episodes:
        order = sorted(tasks, key=lambda person: (tasks[person], people.index(person)))
        wanted = 2 if episode in doubled else 1
        chosen = order[:wanted]
        for person in chosen:
            tasks[person] += 1
        hands.append(Hand(episode, (*chosen, *[ANYONE] * (wanted - len(chosen)))))
    return hands
