"""Check of shortcuts: circumstances that should not matter but predict the outcome or the environment."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.metric import episode_metrics
from fieldloop.check.registry import check
from fieldloop.check.traits import factors, label, length_s
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Subject, note
from fieldloop.stats.association import Association, quantile_classes, uncertainty_coefficient

Codes = NDArray[np.int64]
NAME = "corpus.shortcuts"
LIGHT = ("light", "lux", "bright")
SENSED = ("timing", "vision", "depth")
"""Subjects of checks that describe sensors, not the task."""

CIRCUMSTANCES = ("operator", "site", "robot")


@check(
    NAME,
    unit="share of the uncertainty",
    needs=("episodes",),
)
def shortcuts(batch: Batch) -> Iterator[Measurement]:
    """How well does a circumstance that should not matter predict the outcome or the environment?

    Circumstances are operator, site, robot, the episode's length, the cameras' brightness, and measurements of its
    sensors. The value is the share of the target's entropy that knowing the circumstance removes, minus the share that
    shuffled sessions seem to remove. The lower bound is corrected for all pairs examined.
    """
    ordered = _sort_by_session(batch.episodes)
    targets = dict(_targets(ordered, batch.parameter(NAME, "min_each")))
    clues = dict(_clues(batch, ordered))
    pairs = [(c, t) for t in targets for c in clues if not _is_trivial_pair(c, t)]
    if len(ordered) < batch.parameter(NAME, "min_episodes") or not pairs:
        return
    confidence = batch.parameter(NAME, "confidence")
    level = 1.0 - (1.0 - confidence) / len(pairs)
    blocks = _session_blocks(ordered)
    associations: dict[tuple[str, str], Association] = {}
    for clue, target in pairs:
        both = (clues[clue] >= 0) & (targets[target] >= 0)
        if both.sum() >= batch.parameter(NAME, "min_episodes"):
            made = uncertainty_coefficient(
                _renumber_codes(clues[clue][both]),
                _renumber_codes(targets[target][both]),
                blocks[both],
                level,
                confidence,
            )
            if made is not None:
                associations[clue, target] = made
    for target in targets:
        yield from _sum_up(target, {clue: made for (clue, about), made in associations.items() if about == target})


def _sum_up(target: str, by_clue: Mapping[str, Association]) -> Iterator[Measurement]:
    """Yield a measurement per circumstance that predicts better than chance, and one for all others."""
    informative = {clue: made for clue, made in by_clue.items() if made.low > 0.0}
    for clue, made in informative.items():
        yield Measurement(Subject(aspect=f"{clue} → {target}"), made.value, low=made.low, high=made.high)
    others = {clue: made for clue, made in by_clue.items() if clue not in informative}
    if others:
        most = max(others, key=lambda clue: others[clue].high)
        place = note("check.strongest_of", circumstances=len(others), name=most)
        about = Subject(aspect=f"anything else → {target}" if informative else f"anything → {target}")
        yield Measurement(about, others[most].value, place, low=0.0, high=others[most].high)


def _sort_by_session(episodes: Sequence[Episode]) -> list[Episode]:
    """Sort by the start of the session; each session stays in one piece even where several ran at once."""
    began: dict[str, int] = {}
    for episode in episodes:
        began[episode.session] = min(episode.start_ns, began.get(episode.session, episode.start_ns))
    return sorted(episodes, key=lambda e: (began[e.session], e.session, e.start_ns, e.name))


def _targets(episodes: list[Episode], least: float) -> Iterator[tuple[str, Codes]]:
    """Yield the outcome, and every factor of the environment with two levels that occur often enough."""
    for kind in ("outcome", *(f for f in factors(episodes) if f != "site")):  # robot and operators belong to one site
        names = [label(e, kind) for e in episodes]
        codes = _encode_labels(names)
        counts = np.bincount(codes[codes >= 0]) if (codes >= 0).any() else np.zeros(0)
        if np.sum(counts >= least) > 1:
            yield kind, codes


def _clues(batch: Batch, episodes: list[Episode]) -> Iterator[tuple[str, Codes]]:
    for kind in CIRCUMSTANCES:
        codes = _encode_labels([label(e, kind) for e in episodes])
        if len(np.unique(codes[codes >= 0])) > 1:
            yield kind, codes
    numbers: dict[str, NDArray[np.float64]] = {"length": np.asarray([length_s(e) for e in episodes])}
    numbers |= _brightness(batch, episodes)
    measured = episode_metrics(batch, episodes)
    numbers |= {name: values for name, values in measured.items() if name.partition(".")[0] in SENSED}
    for name, values in numbers.items():
        there = np.isfinite(values)
        if there.any() and np.ptp(values[there]) > 0.0:
            codes = np.full(len(values), -1, dtype=np.int64)
            codes[there] = quantile_classes(values[there])
            if len(np.unique(codes[there])) > 1:
                yield name, codes


def _brightness(batch: Batch, episodes: list[Episode]) -> Mapping[str, NDArray[np.float64]]:
    columns: dict[str, NDArray[np.float64]] = {}
    for row, episode in enumerate(episodes):
        for camera, level in batch.imprint(episode.id).under("light"):
            columns.setdefault(f"brightness of {camera}", np.full(len(episodes), np.nan))[row] = float(level[0])
    return columns


def _is_trivial_pair(clue: str, target: str) -> bool:
    """Is the prediction trivial? Dim light is dark in the picture by definition, which is not a shortcut."""
    return "bright" in clue and any(word in target for word in LIGHT)


def _encode_labels(names: list[str]) -> Codes:
    """Number the labels; -1 where there is none."""
    known = {name: number for number, name in enumerate(sorted(set(names) - {""}))}
    return np.asarray([known.get(name, -1) for name in names], dtype=np.int64)


def _renumber_codes(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _session_blocks(episodes: list[Episode]) -> Codes:
    """Number the episodes' sessions; without sessions, about as many blocks as episodes in each."""
    sessions = [e.session for e in episodes]
    if len(set(sessions)) > 1:
        changes = [a != b for a, b in zip(sessions, [sessions[0], *sessions], strict=False)]
        return np.cumsum(changes).astype(np.int64)
    return (np.arange(len(episodes)) // max(int(len(episodes) ** 0.5), 1)).astype(np.int64)
