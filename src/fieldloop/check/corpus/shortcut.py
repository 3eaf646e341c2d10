"""Check of shortcuts: circumstances that should not matter but predict the outcome or the environment."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.check.metric import compute_episode_metrics
from fieldloop.check.registry import check
from fieldloop.check.traits import list_factors, measure_length_s, read_label
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.model.note import Subject, note
from fieldloop.stats.association import Association, assign_quantile_classes, compute_uncertainty_coefficient

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
def measure_shortcuts(batch: Batch) -> Iterator[Measurement]:
    """How well does a circumstance that should not matter predict the outcome or the environment?

    Circumstances are operator, site, robot, the episode's length, the cameras' brightness, and measurements of its
    sensors. The value is the share of the target's entropy that knowing the circumstance removes, minus the share that
    shuffled sessions seem to remove. The lower bound is corrected for all pairs examined.
    """
    ordered = _sort_by_session(batch.episodes)
    targets = dict(_list_prediction_targets(ordered, batch.read_parameter(NAME, "min_each")))
    clues = dict(_list_prediction_clues(batch, ordered))
    pairs = [(c, t) for t in targets for c in clues if not _is_trivial_prediction(c, t)]
    if len(ordered) < batch.read_parameter(NAME, "min_episodes") or not pairs:
        return
    confidence = batch.read_parameter(NAME, "confidence")
    level = 1.0 - (1.0 - confidence) / len(pairs)
    blocks = _number_session_blocks(ordered)
    associations: dict[tuple[str, str], Association] = {}
    for clue, target in pairs:
        both = (clues[clue] >= 0) & (targets[target] >= 0)
        if both.sum() >= batch.read_parameter(NAME, "min_episodes"):
            made = compute_uncertainty_coefficient(
                _renumber_codes(clues[clue][both]),
                _renumber_codes(targets[target][both]),
                blocks[both],
                level,
                confidence,
            )
            if made is not None:
                associations[clue, target] = made
    for target in targets:
        yield from _measure_associations(
            target, {clue: made for (clue, about), made in associations.items() if about == target}
        )


def _measure_associations(target: str, associations_by_clue: Mapping[str, Association]) -> Iterator[Measurement]:
    """Yield a measurement per circumstance that predicts better than chance, and one for all others."""
    informative = {clue: made for clue, made in associations_by_clue.items() if made.low > 0.0}
    for clue, made in informative.items():
        yield Measurement(Subject(aspect=f"{clue} → {target}"), made.value, low=made.low, high=made.high)
    others = {clue: made for clue, made in associations_by_clue.items() if clue not in informative}
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


def _list_prediction_targets(episodes: list[Episode], min_level_share: float) -> Iterator[tuple[str, Codes]]:
    """Yield the outcome, and every factor of the environment with two levels that occur often enough."""
    for kind in (
        "outcome",
        *(f for f in list_factors(episodes) if f != "site"),
    ):  # robot and operators belong to one site
        names = [read_label(e, kind) for e in episodes]
        codes = _encode_labels(names)
        counts = np.bincount(codes[codes >= 0]) if (codes >= 0).any() else np.zeros(0)
        if np.sum(counts >= min_level_share) > 1:
            yield kind, codes


def _list_prediction_clues(batch: Batch, episodes: list[Episode]) -> Iterator[tuple[str, Codes]]:
    for kind in CIRCUMSTANCES:
        codes = _encode_labels([read_label(e, kind) for e in episodes])
        if len(np.unique(codes[codes >= 0])) > 1:
            yield kind, codes
    numbers: dict[str, NDArray[np.float64]] = {"length": np.asarray([measure_length_s(e) for e in episodes])}
    numbers |= _read_brightness(batch, episodes)
    measured = compute_episode_metrics(batch, episodes)
    numbers |= {name: values for name, values in measured.items() if name.partition(".")[0] in SENSED}
    for name, values in numbers.items():
        there = np.isfinite(values)
        if there.any() and np.ptp(values[there]) > 0.0:
            codes = np.full(len(values), -1, dtype=np.int64)
            codes[there] = assign_quantile_classes(values[there])
            if len(np.unique(codes[there])) > 1:
                yield name, codes


def _read_brightness(batch: Batch, episodes: list[Episode]) -> Mapping[str, NDArray[np.float64]]:
    columns: dict[str, NDArray[np.float64]] = {}
    for row, episode in enumerate(episodes):
        for camera, level in batch.find_imprint(episode.id).list_arrays_under("light"):
            columns.setdefault(f"brightness of {camera}", np.full(len(episodes), np.nan))[row] = float(level[0])
    return columns


def _is_trivial_prediction(clue: str, target: str) -> bool:
    """Is the prediction trivial? Dim light is dark in the picture by definition, which is not a shortcut."""
    return "bright" in clue and any(word in target for word in LIGHT)


def _encode_labels(labels: list[str]) -> Codes:
    """Number the labels; -1 where there is none."""
    known = {name: number for number, name in enumerate(sorted(set(labels) - {""}))}
    return np.asarray([known.get(name, -1) for name in labels], dtype=np.int64)


def _renumber_codes(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _number_session_blocks(episodes: list[Episode]) -> Codes:
    """Number the episodes' sessions; without sessions, about as many blocks as episodes in each."""
    sessions = [e.session for e in episodes]
    if len(set(sessions)) > 1:
        changes = [a != b for a, b in zip(sessions, [sessions[0], *sessions], strict=False)]
        return np.cumsum(changes).astype(np.int64)
    return (np.arange(len(episodes)) // max(int(len(episodes) ** 0.5), 1)).astype(np.int64)
