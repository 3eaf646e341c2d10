"""Simulated annotators: honest jitter, and one habit at a time."""

from itertools import pairwise

import numpy as np

from fieldloop.model.annotation import Annotation
from fieldloop.model.taxonomy import PHASES

HZ = 30.0
FRAME_NS = 10**9 / HZ
GRASPS = ("pinch", "power", "tripod")


def annotate_group(rng, authors, episodes, *, jitter=1.5, late=(), confuses=(), ambiguous=(), skips=()):
    """Label episodes of eight phases and a grasp by each author.

    `late` is (author, frames), `confuses` (author, two grasps), `ambiguous` numbers of phases that begin anywhere,
    `skips` authors who leave out every third phase.
    """
    made = []
    for number in range(episodes):
        edges = np.concatenate([[0], np.cumsum(rng.uniform(14, 75, len(PHASES)))])
        grasp = str(rng.choice(GRASPS))
        for author in authors:
            own = edges + np.append(np.insert(rng.normal(dict(late).get(author, 0), jitter, len(edges) - 2), 0, 0), 0)
            for phase in ambiguous:
                own[phase] += rng.normal(0, 9)
            own = np.maximum.accumulate(np.round(own))
            labels = [*PHASES]
            kept = [0, *(k for k in range(1, len(PHASES)) if author not in skips or k % 3), len(PHASES)]
            for first, last in pairwise(kept):
                made.append(span(f"e{number}", "phase", labels[first], own[first], own[last], author))
            taken = grasp
            if author in dict(confuses) and grasp in dict(confuses)[author] and rng.random() < 0.5:
                taken = next(other for other in dict(confuses)[author] if other != grasp)
            made.append(span(f"e{number}", "grasp", taken, own[2], own[4], author))
    return [a for a in made if a.end_ns > a.start_ns]


def span(episode, kind, label, first, last, author):
    return Annotation(episode, kind, label, round(first * FRAME_NS), round(last * FRAME_NS), author)
