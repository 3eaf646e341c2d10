"""On healthy batches drawn at random, no question about many episodes raises an alarm more often than it says."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.model.finding import Measured, Measurement, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.say.findings import write_finding
from fieldloop.testing.batches import Shape, make_healthy_batch
from fieldloop.testing.injuries.injury import change_imprints

pytestmark = pytest.mark.soak
ROUNDS = 200
MOST = 0.05
"""The share of batches in which a check may raise any alarm; `corpus.trend` states it, the others stay far below."""

STYLE = ("mean_rad_s", "peak_rad_s", "pause_share", "peaks_per_s", "directness")


def plain(seed):
    return make_healthy_batch(Shape(12, 8), seed=seed)


def moody(seed):
    """People have habits and sessions have moods, each half as wide as one's own spread; success has its days."""
    random = np.random.default_rng(seed)
    batch = make_healthy_batch(Shape(12, 8), seed=seed)
    wide = 0.5 * 0.15
    for name in STYLE:
        person, mood = np.exp(random.normal(0, wide, 4)), np.exp(random.normal(0, wide, 12))
        factor = [person[int(e.operator[-1])] * mood[int(e.session[8:])] for e in batch.episodes]
        batch = change_imprints(batch, f"speed/{name}", lambda i, a, f=factor: (a * f[i]).astype(np.float32))
    luck = random.beta(9.0, 3.0, 12)
    episodes = tuple(replace(e, succeeded=bool(random.random() < luck[int(e.session[8:])])) for e in batch.episodes)
    drift = np.cumsum(random.normal(0, 0.1, 12))
    measured = {}
    for episode in episodes:
        gap = float(np.exp(drift[int(episode.session[8:])] + random.normal(0, 0.2)) / 9)
        measured[episode.id] = (Measured("timing.longest_gap", (Measurement(NO_SUBJECT, gap),)),)
    return replace(batch, episodes=episodes, measured=measured)


@pytest.mark.parametrize("kind", [plain, moody])
def test_false_alarms_are_rare(kind):
    alarms: Counter[str] = Counter()
    for seed in range(ROUNDS):
        batch = kind(seed)
        findings = check.judge_measurements(check.measure_batch(batch), batch.protocol, named=True)
        assert not [write_finding(f) for f in findings if f.status is Status.ERRORED]
        alarms.update({f.check for f in findings if f.status is Status.FAILED})
    # what a random draw truly lacks is no false alarm: a share that is off, a cell that nobody visited
    for name in ("batch.balance", "batch.coverage"):
        alarms.pop(name, None)
    most = MOST * ROUNDS + 3 * (MOST * (1 - MOST) * ROUNDS) ** 0.5
    assert {name: count for name, count in alarms.items() if count > most} == {}
