"""Machine proposals against known phases: the floor's truth, and hand labels of public datasets.

`boundary_mae_frames_*`: mean distance of boundaries in frames of the set's camera, over boundaries that both drew.
`f1_50_*`: segments with the right label that overlap by half of their union. `naive_uniform_*` splits the episode
evenly into the true labels in their true order. `naive_half_second_*` is the truth rounded to 0.5 s: the limit of
contact sheets with two pictures a second, which no method that looks at them can beat. `snapped_half_second_*` is the
same, moved to the nearest change of the signals. Numbers of the proposals and the confidence curve were chosen on the
development episodes. `strangers` are public episodes that were labelled before any proposal was made for them;
`strangers_looked_at` are those that were in view when rules were made. `*_by_rows` places a label on the sample of
the joints that was written with its picture; `*_lag_removed` moves labels by the measured lag of the pictures.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.harness import RANGE, Figure, Missing, Skipped, main, summarise, summarise_share
from bench.proposal_cases import (
    DEVELOPMENT,
    HOLD_OUT,
    LOOKED_AT,
    PASSES,
    RESULTS,
    WITHOUT,
    Known,
    Span,
    list_failing_cases,
    list_floor_cases,
    list_labelled_cases,
    merge_parts,
    open_public_set,
    place_by_rows,
    read_rows,
)
from bench.proposal_lags import measure_picture_lag_s
from fieldloop.annotate.change_points import find_change_points
from fieldloop.annotate.confidence import measure_calibration_error, measure_reliability
from fieldloop.annotate.proposal import Proposal, propose_labels
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Recording
from fieldloop.model.stream import NS_PER_S

HALF = 0.5
GRID_S = 0.5
"""Contact sheets show two pictures a second."""
TOLERANCE_FRAMES = 2.0
"""A boundary that is farther off is corrected."""
CORRECT_S, SCRATCH_S, LABEL_S, ADD_S, REMOVE_S = 4.0, 8.0, 3.0, 11.0, 2.0
"""Assumed seconds of a person: to drag a boundary, to find and set one, to choose a label, to add or remove a span."""
FEW_EPISODES, DRAWS = 6, 2000
FLOOR_SEED, FLOOR_EPISODES, SHORT_EPISODES = 20_202, 150, 36

SPLITS = {"strangers": HOLD_OUT, "strangers_looked_at": LOOKED_AT, "strangers_development": DEVELOPMENT}

Judged = tuple[float, bool]


def measure(*, short: bool = False) -> dict[str, Figure | Skipped]:
    """Measure on hold-out demonstrations of the floor and on hold-out episodes of public datasets."""
    floor = list(list_floor_cases(FLOOR_SEED, SHORT_EPISODES if short else FLOOR_EPISODES, HOLD_OUT))
    figures = _measure_sources(floor, "floor", {"": "tool", "_joints": "joints", "_strange": "strange"})
    failing = list(list_failing_cases(FLOOR_SEED, SHORT_EPISODES if short else FLOOR_EPISODES))
    figures |= _measure_evidence([*(c for c in floor if c.source == "joints"), *failing])
    return figures | _measure_strangers(short=short) | measure_self_agreement()


def _measure_strangers(*, short: bool) -> dict[str, Figure | Skipped]:
    """Measure on public episodes: the hold-out, and those that were in view when rules were made."""
    figures: dict[str, Figure | Skipped] = {}
    labelled: list[Known] = []
    for name, split in SPLITS.items():
        try:
            cases = list(list_labelled_cases(split))
        except Missing as reason:
            missing = Skipped(str(reason))
            figures |= {f"boundary_mae_frames_{name}": missing, f"f1_50_{name}": missing}
            continue
        figures |= _measure_cases(cases, name)
        figures |= _measure_cases([place_by_rows(c) for c in cases], f"{name}_by_rows", baselines=False)
        if not short:
            figures |= _measure_lags(cases, name)
        labelled += cases
    for source in dict.fromkeys(c.source for c in labelled):
        figures |= _measure_cases([c for c in labelled if c.source == source], f"all_of_{source}", baselines=False)
    try:
        return figures | _measure_without_pick() | _measure_results()
    except Missing as reason:
        return figures | {"proposed_without_pick": Skipped(str(reason)), "results_told_public": Skipped(str(reason))}


def _measure_lags(cases: Sequence[Known], name: str) -> dict[str, Figure | Skipped]:
    """Repeat the measurement with labels moved by the lag of the pictures, for episodes whose lag can be measured."""
    lags = [(case, measure_picture_lag_s(case)) for case in cases]
    moved = [
        replace(case, truth=tuple((label, a + lag, b + lag) for label, a, b in case.truth))
        for case, lag in lags
        if lag is not None
    ]
    known = Figure(len(moved), len(cases), unit="episodes with a measured lag")
    if not moved:
        return {f"lags_known_{name}": known}
    raw = _measure_cases([case for case, lag in lags if lag is not None], f"{name}_lag_known", baselines=False)
    return {f"lags_known_{name}": known} | raw | _measure_cases(moved, f"{name}_lag_removed", baselines=False)


def measure_self_agreement() -> dict[str, Figure | Skipped]:
    """Compare the two passes of labelling, in frames."""
    rows = read_rows(PASSES)
    apart = [abs(float(row["first_frame"]) - float(row["second_frame"])) for row in rows]
    episodes = {(row["set"], row["episode"]) for row in rows}
    return {
        "self_agreement_mean_frames": Figure(sum(apart) / len(apart), len(episodes), unit="frames"),
        "self_agreement_median_frames": summarise(apart, "frames"),
        "self_agreement_worst_frames": Figure(max(apart), len(episodes), unit="frames"),
    }


def _measure_without_pick() -> dict[str, Figure | Skipped]:
    """Count phases that were proposed in episodes whose pictures show no pick, and how sure the surest was."""
    proposals = [propose_labels(recording, author="machine") for recording, _ in _open_listed(WITHOUT)]
    phases = [[a.confidence or 0.0 for a in p.annotations if a.kind == "phase"] for p in proposals]
    return {
        "proposed_without_pick": summarise_share([bool(one) for one in phases], "of episodes"),
        "surest_without_pick": Figure(max((sure for one in phases for sure in one), default=0.0), len(phases)),
    }


def _measure_results() -> dict[str, Figure | Skipped]:
    """Compare the proposed result with the one that pictures or rewards show."""
    stated, right = [], []
    for recording, row in _open_listed(RESULTS):
        labels = [a.label for a in propose_labels(recording, author="machine").annotations if a.kind == "success"]
        stated.append(bool(labels))
        right += [label == row["result"] for label in labels]
    return {
        "results_stated_public": summarise_share(stated, "of episodes"),
        "results_right_public": summarise_share(right, "of those stated") if right else Skipped("none was stated"),
    }


def _open_listed(file: Path) -> Iterator[tuple[Recording, dict[str, str]]]:
    by_set: dict[str, dict[str, dict[str, str]]] = {}
    for row in read_rows(file):
        by_set.setdefault(row["set"], {})[row["episode"]] = row
    for name, episodes in by_set.items():
        for recording in open_public_set(name, episodes):
            yield recording, episodes[recording.episode.name]


def _measure_sources(cases: Sequence[Known], name: str, sources: dict[str, str]) -> dict[str, Figure | Skipped]:
    figures: dict[str, Figure | Skipped] = {}
    for suffix, source in sources.items():
        figures |= _measure_cases([c for c in cases if c.source == source], f"{name}{suffix}")
    return figures


def _measure_cases(cases: Sequence[Known], name: str, *, baselines: bool = True) -> dict[str, Figure | Skipped]:
    proposed = [(case, read_phases(propose_labels(case.recording, author="machine"), case)) for case in cases]
    figures = _compare(name, [(case, [span for span, _ in spans]) for case, spans in proposed])
    figures[f"abstained_{name}"] = summarise_share([not spans for _, spans in proposed], "of episodes")
    if baselines:
        figures |= _compare(f"naive_uniform_{name}", [(c, split_evenly(c)) for c in cases])
        figures |= _compare(f"naive_half_second_{name}", [(c, round_to_grid(c)) for c in cases])
        figures |= _compare(f"snapped_half_second_{name}", [(c, snap_to_changes(c)) for c in cases])
        figures |= _estimate_saving(name, [(case, [span for span, _ in spans]) for case, spans in proposed])
    judged = [one for case, spans in proposed for one in judge_confidence(case, spans)]
    if judged:
        rows = measure_reliability(judged)
        figures[f"calibration_error_{name}"] = Figure(measure_calibration_error(rows), unit="probability")
        for row in rows:
            hits = [True] * round(row.right * row.count) + [False] * round((1 - row.right) * row.count)
            figures[f"right_at_{row.low:g}_to_{row.high:g}_{name}"] = summarise_share(hits, f"of {row.confidence:.2f}")
    return figures


def read_phases(proposal: Proposal, case: Known) -> list[tuple[Span, float]]:
    """Return proposed phases with their confidence in the words of the case's truth."""
    coarse = not any(label in ("lift", "place", "pre-grasp") for label, _, _ in case.truth)
    found = [
        (convert_span(a, case), math.nan if a.confidence is None else a.confidence)
        for a in proposal.annotations
        if a.kind == "phase"
    ]
    if not coarse:
        return found
    merged = merge_parts(tuple(span for span, _ in found))
    return [(span, _take_confidence(found, span)) for span in merged]


def _take_confidence(found: Sequence[tuple[Span, float]], whole: Span) -> float:
    inside = [sure for (_, begin, end), sure in found if begin >= whole[1] - 1e-9 and end <= whole[2] + 1e-9]
    return sum(inside) / len(inside)


def convert_span(a: Annotation, case: Known) -> Span:
    return a.label, (a.start_ns - case.start_ns) / NS_PER_S, (a.end_ns - case.start_ns) / NS_PER_S


def split_evenly(case: Known) -> list[Span]:
    """Split the time of the true phases evenly among them."""
    begin, end = case.truth[0][1], case.truth[-1][2]
    part = (end - begin) / len(case.truth)
    return [(label, begin + k * part, begin + (k + 1) * part) for k, (label, _, _) in enumerate(case.truth)]


def round_to_grid(case: Known) -> list[Span]:
    """Round the true boundaries to the grid of a contact sheet."""
    rounded = [(label, GRID_S * round(a / GRID_S), GRID_S * round(b / GRID_S)) for label, a, b in case.truth]
    return [(label, begin, end) for label, begin, end in rounded if end > begin]


def snap_to_changes(case: Known) -> list[Span]:
    """Move the boundaries of the contact sheet's grid to the nearest change of the signals within its step."""
    points = [(p.at_ns - case.start_ns) / NS_PER_S for p in find_change_points(case.recording)]

    def snap(at: float) -> float:
        return min((p for p in points if abs(p - at) <= GRID_S / 2), key=lambda p: abs(p - at), default=at)

    snapped = [(label, snap(begin), snap(end)) for label, begin, end in round_to_grid(case)]
    return [(label, begin, end) for label, begin, end in snapped if end > begin]


def match_spans(truth: Sequence[Span], found: Sequence[Span]) -> list[tuple[Span, Span]]:
    """Pair spans of the same label in order of overlap; each is used once."""
    options = sorted(
        ((measure_overlap(t, f), i, j) for i, t in enumerate(truth) for j, f in enumerate(found) if t[0] == f[0]),
        reverse=True,
    )
    used: tuple[set[int], set[int]] = (set(), set())
    pairs = []
    for _, i, j in options:
        if i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            pairs.append((truth[i], found[j]))
    return pairs


def measure_overlap(first: Span, second: Span) -> float:
    shared = min(first[2], second[2]) - max(first[1], second[1])
    return max(0.0, shared) / (max(first[2], second[2]) - min(first[1], second[1]))


def _list_edges(spans: Iterable[Span]) -> set[tuple[str, float]]:
    return {edge for label, begin, end in spans for edge in ((f"{label} begins", begin), (f"{label} ends", end))}


def list_distances(case: Known, found: Sequence[Span]) -> list[float]:
    """Return how far apart both drew each boundary, in frames; a boundary between two phases counts once."""
    ours: list[float] = []
    distances: list[float] = []
    for true, other in match_spans(case.truth, found):
        for mine, theirs in ((true[1], other[1]), (true[2], other[2])):
            if not any(math.isclose(mine, seen, abs_tol=1e-9) for seen in ours):
                ours.append(mine)
                distances.append(abs(mine - theirs) * case.hz)
    return distances


def _compare(name: str, pairs: Sequence[tuple[Known, list[Span]]]) -> dict[str, Figure | Skipped]:
    by_episode = [list_distances(case, found) for case, found in pairs]
    every = [one for distances in by_episode for one in distances]
    if not every:
        return {f"boundary_mae_frames_{name}": Skipped("no boundary was proposed")}
    counted = [count_segments(case, found) for case, found in pairs]
    drawn = sum(len({at for _, at in _list_edges(case.truth)}) for case, _ in pairs)
    means = [(sum(distances), len(distances)) for distances in by_episode]
    return {
        f"boundary_mae_frames_{name}": summarise_ratio(means, "frames"),
        f"boundary_median_frames_{name}": summarise(every, "frames"),
        f"boundaries_within_2_frames_{name}": summarise_share([one <= TOLERANCE_FRAMES for one in every], "of drawn"),
        f"boundaries_drawn_{name}": Figure(len(every) / drawn, unit="of the true ones"),
        f"f1_50_{name}": summarise_ratio(counted),
    }


def count_segments(case: Known, found: Sequence[Span]) -> tuple[float, float]:
    """Return twice the segments that overlap by half, and all segments of both: their ratio is F1."""
    hits = sum(measure_overlap(*both) >= HALF for both in match_spans(case.truth, found))
    return 2.0 * hits, len(case.truth) + len(found)


def summarise_ratio(parts: Sequence[tuple[float, float]], unit: str = "") -> Figure:
    """Divide two sums over episodes, with the 95 % interval of the bootstrap over episodes; few get their range."""
    value = sum(a for a, _ in parts) / sum(b for _, b in parts)
    if len(parts) < FEW_EPISODES:
        each = [a / b for a, b in parts if b]
        return Figure(value, len(parts), min(each), max(each), unit, kind=RANGE)
    sums = np.array(parts)
    drawn = np.random.default_rng(0).integers(0, len(parts), (DRAWS, len(parts)))
    resampled = sums[drawn].sum(axis=1)
    low, high = np.quantile(resampled[:, 0] / resampled[:, 1], [0.025, 0.975])
    return Figure(value, len(parts), float(low), float(high), unit)


def judge_confidence(case: Known, spans: Sequence[tuple[Span, float]]) -> list[Judged]:
    """Return confidence and whether the true segment overlaps by half, for each proposed one that states it."""
    right = {
        found for true, found in match_spans(case.truth, [s for s, _ in spans]) if measure_overlap(true, found) >= HALF
    }
    return [(sure, span in right) for span, sure in spans if not math.isnan(sure)]


def _estimate_saving(name: str, pairs: Sequence[tuple[Known, list[Span]]]) -> dict[str, Figure | Skipped]:
    """Estimate the seconds of correcting against those of labelling from nothing, by assumed seconds per edit."""
    scratch = corrected = 0.0
    for case, found in pairs:
        matched = match_spans(case.truth, found)
        scratch += SCRATCH_S * (len(case.truth) + 1) + LABEL_S * len(case.truth)
        moved = sum(one > TOLERANCE_FRAMES for one in list_distances(case, found))
        missing, extra = len(case.truth) - len(matched), len(found) - len(matched)
        corrected += CORRECT_S * moved + ADD_S * missing + REMOVE_S * extra
    return {f"edit_seconds_saved_{name}": Figure(1 - corrected / scratch, unit="of labelling from nothing (estimate)")}


def _measure_evidence(cases: Sequence[Known]) -> dict[str, Figure | Skipped]:
    """Measure contacts and results on the floor, where both are known."""
    contacts: list[bool] = []
    idle: list[bool] = []
    results: dict[str, list[bool]] = {"success": [], "failure": []}
    for case in cases:
        made = case.demonstration
        assert made is not None
        proposal = propose_labels(case.recording, author="machine")
        verdict = made.verdict
        for a in proposal.annotations:
            if a.kind == "contact" and verdict.contact_s is not None and verdict.lost_s is not None:
                true = ("finger-item", verdict.contact_s, verdict.lost_s)
                contacts.append(measure_overlap(true, convert_span(a, case)) >= HALF)
            if a.label == "idle" and case.truth:
                begin, end = case.truth[0][1], case.truth[-1][2]
                last = (case.recording.streams["joints"].times_ns[[0, -1]] - case.start_ns) / NS_PER_S
                waits = (("idle", float(last[0]), begin), ("idle", end, float(last[1])))
                idle.append(max(measure_overlap(wait, convert_span(a, case)) for wait in waits) >= HALF)
            if a.kind == "success":
                results[a.label].append(verdict.succeeded is (a.label == "success"))
    figures: dict[str, Figure | Skipped] = {}
    every: list[tuple[str, list[bool]]] = [("contacts_right_floor", contacts), ("idle_right_floor", idle)]
    every += [(f"{label}_right_floor", judged) for label, judged in results.items()]
    for name, judged in every:
        figures[name] = summarise_share(judged) if judged else Skipped("none was proposed")
    return figures


if __name__ == "__main__":
    main(measure)
