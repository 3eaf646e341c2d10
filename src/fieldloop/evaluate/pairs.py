"""Pair the attempts of two versions: by scene where scenes are named, otherwise in order of time."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class AttemptPair:
    """One attempt of the candidate and one of the other version."""

    candidate: Outcome
    other: Outcome

    @property
    def results(self) -> tuple[bool, bool]:
        """Whether each succeeded on its own; an attempt with an intervention did not."""
        return _is_autonomous(self.candidate), _is_autonomous(self.other)

    @property
    def complete_ns(self) -> int:
        """When both attempts were made."""
        return max(self.candidate.at_ns, self.other.at_ns)


@dataclass(frozen=True, slots=True)
class AttemptPairs:
    """Pairs in the order in which they were complete, and how many attempts have no partner."""

    pairs: tuple[AttemptPair, ...]
    share_scenes: bool
    alone: int


def pair_attempts(
    candidate: Sequence[Outcome], other: Sequence[Outcome], planned_scenes: Mapping[str, str]
) -> AttemptPairs:
    """Pair attempts, each outcome one attempt; one without a known result takes its place, and its pair is left out.

    `planned_scenes` holds the scene of each outcome of a plan that both versions follow: these pair within the scene.
    Other attempts with a named scenario pair by it: the k-th attempt of one at a site, in a scenario, stratum and with
    an item goes with the k-th of the other there. Attempts without a scenario pair in order of time at each site.
    Only one kind counts: that of the pair that was complete first. Later attempts cannot change it, and no result
    decides who is paired with whom, so the test stays valid.
    """
    scenes, times = (_pair(candidate, other, planned_scenes, named=named) for named in (True, False))
    share_scenes = bool(scenes) and (not times or scenes[0].complete_ns <= times[0].complete_ns)
    known = [p for p in (scenes if share_scenes else times) if None not in (p.candidate.succeeded, p.other.succeeded)]
    attempts = sum(o.succeeded is not None for o in (*candidate, *other))
    return AttemptPairs(tuple(known), share_scenes, attempts - 2 * len(known))


def note_weaknesses(attempt_pairs: AttemptPairs, used: int, settings: Section) -> tuple[Note, ...]:
    """Note how the attempts were made that a test cannot correct: apart in time, by other robots, judges or conditions.

    Only the used pairs count.
    """
    pairs = attempt_pairs.pairs[:used]
    if not pairs:
        return ()
    first, second = [pair.candidate for pair in pairs], [pair.other for pair in pairs]
    apart, most = _measure_time_apart(first, second), settings.number("compare_most_apart")
    different = 0.0 if attempt_pairs.share_scenes else _measure_different_conditions(first, second)
    return (
        *((note("evaluate.compare_apart", share=apart),) if apart > most else ()),
        *((note("evaluate.compare_other_robots"),) if not _has_overlap(first, second, "robot") else ()),
        *((note("evaluate.compare_other_judges"),) if not _has_overlap(first, second, "judged_by") else ()),
        *((note("evaluate.compare_other_conditions", share=different),) if different > most else ()),
    )


def _pair(
    candidate: Sequence[Outcome], other: Sequence[Outcome], planned_scenes: Mapping[str, str], *, named: bool
) -> list[AttemptPair]:
    """Pair the attempts of one kind, with a scene or without, in the order in which pairs were complete."""
    first, second = (_group_in_order(arm, planned_scenes, named=named) for arm in (candidate, other))
    pairs = [
        AttemptPair(*both)
        for key, mine in first.items()
        for both in zip(mine, second.get(key, ()), strict=False)  # what is left over waits for its partner
    ]
    return sorted(pairs, key=lambda pair: (pair.complete_ns, pair.candidate.id))


def _group_in_order(
    outcomes: Iterable[Outcome], planned_scenes: Mapping[str, str], *, named: bool
) -> dict[Hashable, list[Outcome]]:
    groups: dict[Hashable, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda o: (o.at_ns, o.id)):
        scene = planned_scenes.get(outcome.id)
        if bool(scene or outcome.scenario) != named:
            continue
        if not named:
            groups.setdefault(outcome.site, []).append(outcome)
        elif scene:
            groups.setdefault(scene, []).append(outcome)
        else:
            key = (outcome.stage, outcome.site, outcome.scenario, outcome.stratum, outcome.item)
            groups.setdefault(key, []).append(outcome)
    return groups


def _measure_time_apart(first: Sequence[Outcome], second: Sequence[Outcome]) -> float:
    """Return 0 for arms that are mixed in time, 1 if one arm was over before the other began."""
    ours, theirs = (np.sort([o.at_ns for o in arm]) for arm in (first, second))
    before = np.searchsorted(theirs, ours, "right") + np.searchsorted(theirs, ours, "left")
    return abs(float(before.sum()) / (len(ours) * len(theirs)) - 1)


def _measure_different_conditions(first: Sequence[Outcome], second: Sequence[Outcome]) -> float:
    """Return which share of one arm would have to be made in other strata to have the other arm's mix."""
    counts: dict[Hashable, int] = {}
    for sign, arm in ((1, first), (-1, second)):
        for outcome in arm:
            counts[outcome.stratum] = counts.get(outcome.stratum, 0) + sign
    return sum(abs(count) for count in counts.values()) / (2 * len(first))


def _has_overlap(first: Iterable[Outcome], second: Iterable[Outcome], name: str) -> bool:
    return bool({getattr(o, name) for o in first} & {getattr(o, name) for o in second})


def _is_autonomous(outcome: Outcome) -> bool:
    return bool(outcome.succeeded) and not outcome.interventions
