"""How accurate is the lag between cameras and joints, estimated from content, on rigs not used for tuning?

Rendered rigs with exactly known lags (`bench.timing_truth`, the report set). Pooled: the episodes of a rig
together. Single: each 12 s episode by what the others of its rig taught. Alone: each without any other. Beside them,
the two scalar methods others use. `--short` takes few rigs and episodes; it fills no gap, it only shows that all works.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.alignment_baselines import cross_correlation, gcc_phat
from bench.alignment_cases import FAST, SLOW, Seen, seen
from bench.harness import Figure, main, summarise, summarise_share
from bench.timing_truth import rigs
from fieldloop.check.content_lag import (
    LagEstimate,
    estimate_lag_with_rig,
    estimate_lags_by_cross_validation,
    estimate_pooled_lag,
    fit_rig,
    prepare_sights,
    read_content_lag_settings,
)
from fieldloop.protocol import default_protocol

POOL = 20
OTHERS = 4
FIRST = 100
"""The first seed: episodes from 0 on were looked at while rules of refusal were still being made."""

SHORT_RIGS, SHORT_POOL = 2, 3
MS = 1e3


@dataclass(frozen=True, slots=True)
class Answer:
    """One estimate beside the truth; `kind` says how it came about."""

    kind: str
    motion: str
    where: str
    estimate: LagEstimate
    truth_s: float

    @property
    def error_ms(self) -> float:
        return (self.estimate.lag_s - self.truth_s) * MS

    @property
    def inside(self) -> bool:
        return self.estimate.low_s <= self.truth_s <= self.estimate.high_s

    def falsely_misaligned(self, limit_ms: float) -> bool:
        """Would it be called misaligned if the stamps were right?"""
        low, high = ((end - self.truth_s) * MS for end in (self.estimate.low_s, self.estimate.high_s))
        return low > limit_ms or high < -limit_ms


def measure(*, short: bool) -> Mapping[str, Figure]:
    """Estimate everything on the report rigs and sum it up."""
    chosen = list(rigs.REPORT.values())[: SHORT_RIGS if short else None]
    picks = [list(seen(rig, seed, "pick")) for rig in chosen for seed in _seeds(SHORT_POOL if short else POOL)]
    others = [
        list(seen(rig, seed, motion))
        for rig in chosen
        for motion in (*FAST[1:], *SLOW)
        for seed in _seeds(0 if short else OTHERS)
    ]
    all_picks, all_others = [s for group in picks for s in group], [s for group in others for s in group]
    answers = answer(all_picks, all_others)
    _print_classes(answers)
    return figures(answers, all_picks)


def _seeds(count: int) -> range:
    return range(FIRST, FIRST + count)


def answer(picks: Sequence[Seen], others: Sequence[Seen]) -> list[Answer]:
    """Ask for every lag in every way."""
    settings = read_content_lag_settings(default_protocol())
    answers: list[Answer] = []
    for where in sorted({(s.rig, s.camera) for s in picks}):
        own = [s for s in picks if (s.rig, s.camera) == where]
        name, truth = " ".join(where), float(np.mean([s.truth_s for s in own]))
        answers.append(Answer("pooled", "pick", name, estimate_pooled_lag([s.kept for s in own], settings), truth))
        for one, estimate in zip(own, estimate_lags_by_cross_validation([s.kept for s in own], settings), strict=True):
            answers.append(Answer("single", "pick", name, estimate, one.truth_s))
        rig = fit_rig(prepare_sights([s.kept for s in own], settings), settings)
        rest = [s for s in others if (s.rig, s.camera) == where]
        answers += [
            Answer("single", s.motion, name, estimate_lag_with_rig(s.kept, rig, settings), s.truth_s) for s in rest
        ]
        answers += [
            Answer("alone", s.motion, name, estimate_pooled_lag([s.kept], settings), s.truth_s) for s in (*own, *rest)
        ]
    return answers


def figures(answers: Sequence[Answer], picks: Sequence[Seen]) -> dict[str, Figure]:
    """Sum up; errors of what was answered, refusals apart."""
    limit = default_protocol().limits["alignment.content_lag"].maximum or 0.0
    answered = [a for a in answers if a.estimate.has_estimate]
    pool = [abs(a.error_ms) for a in answered if a.kind == "pooled"]
    one = [abs(a.error_ms) for a in answered if a.kind == "single" and a.motion == "pick"]
    alone = [abs(a.error_ms) for a in answered if a.kind == "alone" and a.motion == "pick"]
    slow = [a for a in answers if a.motion in SLOW]
    found = {
        "pooled20_median_ms": summarise(pool, "ms", "≤ 1"),
        "pooled20_max_ms": Figure(max(pool), unit="ms", aim="≤ 2.5"),
        "single_median_ms": summarise(one, "ms", "≤ 2"),
        "alone_median_ms": summarise(alone, "ms"),
        "coverage": summarise_share([a.inside for a in answered], aim="0.95 ± 0.03"),
        "false_misaligned": Figure(float(sum(a.falsely_misaligned(limit) for a in answered)), unit="answers", aim="0"),
        "answered": summarise_share([a.estimate.has_estimate for a in answers if a.motion in FAST], "of fast"),
        "cpu_ms_per_video_s": summarise([s.cpu_s / s.video_s * MS for s in picks], "ms", "≤ 40"),
        "cross_correlation_median_ms": summarise([abs(cross_correlation(s) - s.truth_s) * MS for s in picks], "ms"),
        "gcc_phat_median_ms": summarise([abs(gcc_phat(s) - s.truth_s) * MS for s in picks], "ms"),
    }
    if slow:
        found["slow_refused"] = summarise_share([not a.estimate.has_estimate for a in slow], aim="1")
    return found


def _print_classes(answers: Sequence[Answer]) -> None:
    _report(
        "| way | motion | asked | answered | median error, ms | worst, ms | median half interval, ms | truth inside |"
    )
    _report("|---|---|---|---|---|---|---|---|")
    for kind in ("pooled", "single", "alone"):
        for motion in (*FAST, *SLOW):
            asked = [a for a in answers if a.kind == kind and a.motion == motion]
            answered = [a for a in asked if a.estimate.has_estimate]
            errors = [abs(a.error_ms) for a in answered]
            halves = [(a.estimate.high_s - a.estimate.low_s) / 2 * MS for a in answered]
            numbers = (
                f"{np.median(errors):.2f} | {max(errors):.1f} | {np.median(halves):.1f} | "
                f"{np.mean([a.inside for a in answered]):.0%}"
                if answered
                else "– | – | – | –"
            )
            if asked:
                _report(f"| {kind} | {motion} | {len(asked)} | {len(answered)} | {numbers} |")
    for a in answers:
        if a.kind == "pooled":
            half = (a.estimate.high_s - a.estimate.low_s) / 2 * MS
            _report(f"  {a.where}: {a.error_ms:+.2f} ± {half:.1f} ms {a.estimate.refused}")


def _report(line: str) -> None:
    """Print beside the figures, so that `--json` stays one object."""
    print(line, file=sys.stderr)


if __name__ == "__main__":
    main(measure)
