"""The order of episodes does not follow their length: healthy and injured episodes of 9 to 17 s, really measured."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check.ranking import rank_episodes
from fieldloop.model.stream import NS_PER_S, StreamKind
from fieldloop.protocol import default_protocol
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.pick import ATTEMPT_S, PRE_S
from fieldloop.testing.synthetic import Pictures, make_healthy_case, make_healthy_recording, replace_streams

pytestmark = pytest.mark.soak
EPISODES = 120
BY_LENGTH = ("adherence.duration",)
"""Whose injury is a length."""


def lengthened(recording, factor):
    """The same episode with an attempt so many times as slow, at the same rates, between the same rolls."""
    start = min(int(s.times_ns[0]) for s in recording.streams.values())
    streams = {}
    for name, stream in recording.streams.items():
        at = (stream.times_ns - start) / NS_PER_S
        step = (at[-1] - at[0]) / (len(at) - 1)
        times = np.arange(at[0], at[-1] + ATTEMPT_S * (factor - 1.0), step)
        within = np.clip(times - PRE_S, 0.0, factor * ATTEMPT_S)
        before = times - within + within / factor  # the moment of the original that is shown then
        stamps = {k: t[0] + np.round((times - at[0]) * NS_PER_S).astype(np.int64) for k, t in stream.clocks.items()}
        values, pictures = stream.values, stream.pictures
        if values is not None:
            slower = 1.0 / factor if stream.kind is StreamKind.JOINT_VELOCITY else 1.0
            values = slower * np.column_stack([np.interp(before, at, c) for c in values.reshape(len(at), -1).T])
            values = values + np.random.default_rng(0).normal(0.0, 1e-5, values.shape)
        if isinstance(pictures, Pictures):
            pictures = replace(pictures, places=tuple(np.interp(before, at, pictures.places).tolist()))
        streams[name] = replace(stream, clocks=stamps, values=values, pictures=pictures)
    end = max(int(s.times_ns[-1]) for s in streams.values())
    made = replace_streams(recording, streams)
    return replace(made, episode=replace(made.episode, end_ns=end, id=f"{made.episode.name} × {factor:.4f}"))


def test_cost_does_not_follow_length():
    random = np.random.default_rng(0)
    names = [None] * 8 + [n for n in INJURIES if n not in BY_LENGTH]
    reports, lengths, tried = [], {}, 0
    while len(reports) < EPISODES and tried < 3 * EPISODES:
        tried += 1
        recording = lengthened(make_healthy_recording(seed=int(random.integers(50))), float(random.uniform(0.9, 2.2)))
        case = replace(make_healthy_case(recording=recording), protocol=default_protocol())  # no picture is asked for
        name = names[int(random.integers(len(names)))]
        try:
            hurt = INJURIES[name].hurt(case) if name else case
        except (ValueError, IndexError):  # an injury made for the usual length may not fit another
            continue
        found = check.make_episode_report(
            recording.episode,
            check.judge_measurements(check.measure_episode(hurt, pixels=False), hurt.protocol, named=True),
        )
        reports.append(found)
        lengths[found.episode] = (recording.episode.end_ns - recording.episode.start_ns) / NS_PER_S
    shown = rank_episodes(reports, lengths).length_correlation
    assert len(reports) == EPISODES
    assert shown is not None
    assert abs(shown.value) < 0.25
