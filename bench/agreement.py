"""Agreement over 1,000 episodes against a frame loop, and whom reports blame: with honest jitter, and with faults.

Times are CPU seconds of one process, so that other work on the machine does not count.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TypeVar

import numpy as np

from bench.harness import Figure, Skipped, main, summarise, summarise_share
from fieldloop.annotate.agreeing import AgreementLimits, compare_all_authors
from fieldloop.model.agreement import AgreementReport, Remedy
from fieldloop.model.annotation import Annotation
from fieldloop.model.taxonomy import PHASES
from fieldloop.protocol import default_operations
from fieldloop.protocol.operations import Section
from fieldloop.stats.kappa import compute_cohens_kappa

HZ = 30.0
FRAME_NS = 1e9 / HZ
EPISODES = 1_000
GROUPS = 200
HALF = 0.5
F1_AT = (0.1, HALF, 0.9)
LIMITS = AgreementLimits(0.8, 3.0)
GRASPS = ("pinch", "power", "tripod")
Made = TypeVar("Made")
Found = tuple[Remedy, tuple[str, ...], tuple[str, ...]]
TRUE: set[Found] = {
    (Remedy.RETRAIN, ("ben",), ()),
    (Remedy.RETRAIN, ("cho",), ("pinch", "power")),
    (Remedy.TAXONOMY, ("ann", "ben", "cho"), (PHASES[4], PHASES[5])),
}
"""What is wrong in the groups with three faults: a late author, confused grasps, an unclear boundary."""
Span = tuple[str, int, int]
"""A label with its first frame, and the frame after its last."""


def measure(*, short: bool) -> Mapping[str, Figure | Skipped]:
    """Measure speed, then what reports find in simulated groups."""
    settings = default_operations()["agree"]
    spans = [a for a in simulate_group(np.random.default_rng(0), ("ann", "ben"), EPISODES) if a.kind == "phase"]
    lean = settings.replace_values(draws=20, gamma_samples=2, gamma_episodes=1)
    ours, loops, whole, numbers = [], [], [], []
    compare_all_authors(spans[:100], HZ, LIMITS, settings)  # loads what is loaded once
    for _ in range(7 if short else 15):
        report, seconds = _time(lambda: compare_all_authors(spans, HZ, LIMITS, lean))
        looped, loop_seconds = _time(lambda: compare_by_frames(spans))
        ours.append(seconds)
        whole.append(_time(lambda: compare_all_authors(spans, HZ, LIMITS, settings))[1])
        loops.append(loop_seconds)
        numbers.append(_find_largest_difference(report, looped))
    groups = GROUPS if short else 5 * GROUPS
    alarms = {
        f"false_alarms_{name}": _count_alarms(groups, settings=lean, authors=authors, episodes=episodes, **jitter)
        for name, authors, episodes, jitter in (
            ("uniform_2", 3, 20, {"uniform": 2.0}),
            ("normal_2", 3, 20, {"normal": 2.0}),
            ("two_authors", 2, 20, {"normal": 2.0}),
            ("few_episodes", 3, 6, {"normal": 2.0}),
            ("slips", 4, 20, {"normal": 1.5, "slips": 0.02}),
        )
    }
    named = [_list_findings(seed, lean) for seed in range(groups // 2)]
    return {
        "agreement_s": summarise(ours, "CPU s"),
        "with_intervals_and_gamma_s": summarise(whole, "CPU s"),
        "frame_loop_s": summarise(loops, "CPU s"),
        "agreement_ratio": summarise([loop / own for loop, own in zip(loops, ours, strict=True)], "times"),
        "largest_difference": summarise(numbers, "1"),
        **{name: summarise_share(hits, aim="at most 0.05") for name, hits in alarms.items()},
        "all_three_named": summarise_share([len(found & TRUE) == len(TRUE) for found in named]),
        "anything_else_named": summarise_share([bool(found - TRUE) for found in named], aim="at most 0.05"),
    }


def simulate_group(  # noqa: PLR0913 - each is one habit of annotators
    rng: np.random.Generator,
    authors: Sequence[str],
    episodes: int,
    *,
    normal: float = 1.5,
    uniform: float | None = None,
    slips: float = 0.0,
    late: Mapping[str, float] | None = None,
    confuses: Mapping[str, tuple[str, str]] | None = None,
    ambiguous: Sequence[int] = (),
) -> list[Annotation]:
    """Label eight phases and a grasp by each author, with jitter in frames, and with one habit at a time."""
    made = []
    inner = len(PHASES) - 1
    for number in range(episodes):
        edges = np.concatenate([[0], np.cumsum(rng.uniform(14, 75, len(PHASES)))])
        grasp = str(rng.choice(GRASPS))
        for author in authors:
            moved = rng.normal(0, normal, inner) if uniform is None else rng.uniform(-uniform, uniform, inner)
            moved += (late or {}).get(author, 0.0)
            for phase in ambiguous:
                moved[phase - 1] += rng.normal(0, 9)
            own = np.maximum.accumulate(np.round(edges + np.concatenate([[0], moved, [0]])))
            for name, first, last in zip(PHASES, own, own[1:], strict=False):
                label = name if rng.random() >= slips else str(rng.choice(PHASES))
                made.append(_make_span(number, "phase", label, first, last, author))
            taken = grasp
            if grasp in (confuses or {}).get(author, ()) and rng.random() < HALF:
                taken = next(other for other in (confuses or {})[author] if other != grasp)
            made.append(_make_span(number, "grasp", taken, own[2], own[4], author))
    return [a for a in made if a.end_ns > a.start_ns]


def compare_by_frames(annotations: Iterable[Annotation]) -> dict[str, float]:
    """Compute kappa, boundary distance, F1 and edit score as scripts do: label frames, then loop over them."""
    by_place: dict[tuple[str, str], list[str]] = {}
    for a in annotations:
        row = by_place.setdefault((a.episode, a.author), [])
        begin, end = round(a.start_ns / FRAME_NS), round(a.end_ns / FRAME_NS)
        row.extend([""] * (end - len(row)))
        for frame in range(begin, end):
            row[frame] = a.label
    authors = sorted({author for _, author in by_place})
    pairs: Counter[tuple[str, str]] = Counter()
    hits, segments = Counter[float](), 0
    edits: list[float] = []
    distances: list[int] = []
    for episode in sorted({episode for episode, _ in by_place}):
        ours, theirs = (by_place[episode, author] for author in authors)
        for one, two in zip(ours, theirs, strict=False):
            pairs[one, two] += 1
        first, second = _find_runs(ours), _find_runs(theirs)
        for at in F1_AT:
            hits[at] += _count_hits(first, second, at)
        segments += len(first) + len(second)
        edits.append(_score_edits([s[0] for s in first], [s[0] for s in second]))
        named = {(a[0], b[0]): a[2] for a, b in pairwise(second)}
        distances += [abs(a[2] - named[a[0], b[0]]) for a, b in pairwise(first) if (a[0], b[0]) in named]
    return {
        **{f"f1_{at * 100:.0f}": 2 * hits[at] / segments for at in F1_AT},
        "kappa": compute_cohens_kappa(pairs),
        "edit": float(np.mean(edits)),
        "boundary_mae_frames": float(np.mean(distances)),
    }


def _find_runs(frames: Sequence[str]) -> list[Span]:
    runs, at = [], 0
    for label, several in groupby(frames):
        count = sum(1 for _ in several)
        if label:
            runs.append((label, at, at + count))
        at += count
    return runs


def _count_hits(first: Sequence[Span], second: Sequence[Span], least: float) -> int:
    used: set[int] = set()
    for label, start, end in second:
        ious = [
            (min(end, e) - max(start, s)) / (max(end, e) - min(start, s)) * (label == other) for other, s, e in first
        ]
        best = int(np.argmax(ious))
        if ious[best] >= least:
            used.add(best)
    return len(used)


def _score_edits(first: Sequence[str], second: Sequence[str]) -> float:
    line = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        previous, line = line, [i]
        for j, two in enumerate(second, 1):
            line.append(min(previous[j] + 1, line[-1] + 1, previous[j - 1] + (one != two)))
    return 1 - line[-1] / max(len(first), len(second))


def _find_largest_difference(report: AgreementReport, looped: Mapping[str, float]) -> float:
    (vector,) = report.vectors
    return max(abs(float(getattr(vector, name).value) - value) for name, value in looped.items())


def _count_alarms(groups: int, *, settings: Section, authors: int, episodes: int, **habits: float) -> list[bool]:
    """Return for each group of honest annotators whether the report names one of them, or blames the taxonomy."""
    found = []
    for number in range(groups):
        rng = np.random.default_rng([number, authors, episodes])
        spans = simulate_group(rng, [f"a{n}" for n in range(authors)], episodes, **habits)  # type: ignore[arg-type]  # habits by name
        found.append(bool(compare_all_authors(spans, HZ, LIMITS, settings).findings))
    return found


def _list_findings(seed: int, settings: Section) -> set[Found]:
    """List what the report names where one author is late, one confuses two grasps, and one boundary is unclear."""
    spans = simulate_group(
        np.random.default_rng([seed, 99]), ("ann", "ben", "cho"), 30, late={"ben": 5.0},
        confuses={"cho": ("pinch", "power")}, ambiguous=(5,),
    )  # fmt: skip
    report = compare_all_authors(spans, HZ, LIMITS, settings)
    return {(f.remedy, f.authors, f.labels) for f in report.findings}


def _make_span(number: int, kind: str, label: str, first: float, last: float, author: str) -> Annotation:
    return Annotation(f"e{number}", kind, label, round(first * FRAME_NS), round(last * FRAME_NS), author)


def _time(run: Callable[[], Made]) -> tuple[Made, float]:
    begin = time.process_time()
    made = run()
    return made, time.process_time() - begin


if __name__ == "__main__":
    main(measure)
