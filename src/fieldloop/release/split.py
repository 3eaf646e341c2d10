"""Split episodes for training and validation: whole sessions on one side, strata alike on both."""

import hashlib
from collections import Counter
from collections.abc import Sequence

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode

NS_PER_DAY = 86_400 * 10**9


def split(episodes: Sequence[Episode], validation_share: float, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids for training and for validation, sorted; one single session cannot be split and trains.

    Frames of one session look alike, so an episode of it on each side would let a model recite what it should predict.
    """
    sessions: dict[str, list[Episode]] = {}
    for episode in episodes:
        sessions.setdefault(_session(episode), []).append(episode)
    order = sorted(sessions, key=lambda name: hashlib.sha256(f"{seed}/{name}".encode()).digest())
    wanted = {s: validation_share * n for s, n in Counter(e.stratum for e in episodes).items()}
    strata = {name: Counter(e.stratum for e in own) for name, own in sessions.items()}
    chosen = _choose(order[:-1], strata, wanted)  # the last one always trains
    if not chosen and len(order) > 1 and validation_share > 0.0:
        # too few sessions to meet the share: a small validation set is better than none
        chosen = {min(order[:-1], key=lambda name: len(sessions[name]))}
    inside = {e.id for name in chosen for e in sessions[name]}
    train = tuple(sorted(e.id for e in episodes if e.id not in inside))
    return train, tuple(sorted(inside))


def _choose(order: Sequence[str], strata: dict[str, Counter[Stratum]], wanted: dict[Stratum, float]) -> set[str]:
    """Move one session after another in or out while that brings the strata nearer to their shares."""
    held: Counter[Stratum] = Counter()
    chosen: set[str] = set()
    moved = True
    while moved:  # every move lowers the miss, so it ends
        moved = False
        for name in order:
            after = held - strata[name] if name in chosen else held + strata[name]
            if _miss(after, wanted) < _miss(held, wanted):
                held, moved = after, True
                chosen ^= {name}
    return chosen


def _session(episode: Episode) -> str:
    """An episode that names no session is taken to share one with everything of that robot, operator and day."""
    day = episode.start_ns // NS_PER_DAY
    return episode.session or f"{episode.site}/{episode.robot}/{episode.operator}/{day}"


def _miss(held: Counter[Stratum], wanted: dict[Stratum, float]) -> float:
    """How far a validation set is from having its share of every stratum, and of everything."""
    each = sum((held[s] - goal) ** 2 / (goal + 1.0) for s, goal in wanted.items())
    whole = sum(wanted.values())
    return each + (held.total() - whole) ** 2 / (whole + 1.0)
