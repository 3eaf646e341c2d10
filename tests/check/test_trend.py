"""Metrics over batches: the series for a plot, and what sets an alert off."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.check import trend
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.note import NO_SUBJECT
from fieldloop.testing.batches import Shape, make_healthy_batch
from fieldloop.testing.injuries.corpus import SINCE, triple_gaps_in_late_sessions
from fieldloop.testing.injuries.injury import relabel


def series(batch):
    return {one.metric: one for one in trend.compute_metric_series(batch)}


def with_metric(batch, name, value_of):
    """Give every episode one number of one check."""
    made = {e.id: (Measured(name, (Measurement(NO_SUBJECT, value_of(i, e)),)),) for i, e in enumerate(batch.episodes)}
    return replace(batch, measured=made)


def number(episode):
    return int(episode.session.removeprefix("session-"))


def test_a_series_is_ready_to_be_drawn():
    found = series(make_healthy_batch())["timing.longest_gap"]
    assert found.batches == tuple(f"session-{i}" for i in range(16))
    assert list(found.starts_ns) == sorted(found.starts_ns)
    assert found.unit == "missing periods"
    limits = [(low, high) for low, high in zip(found.low, found.high, strict=True) if np.isfinite(low)]
    assert len(limits) == 13
    assert all(low <= high for low, high in limits)
    assert 0.1 < np.median(found.values) < 0.3  # in the metric's own unit
    assert found.alerts == ()


def test_a_jump_is_dated():
    found = series(triple_gaps_in_late_sessions(make_healthy_batch()))
    assert found["timing.longest_gap"].alerts[0] == SINCE
    assert found["length"].alerts == ()


def test_success_that_collapses_is_dated():
    hurt = relabel(make_healthy_batch(), lambda i, e: {"succeeded": i % 12 == 0} if number(e) >= SINCE else {})
    assert series(hurt)["success"].alerts[0] == SINCE


def test_a_metric_that_is_mostly_nothing_is_counted():
    rare = with_metric(
        make_healthy_batch(), "timing.longest_gap", lambda i, e: 3.0 if number(e) >= SINCE else float(i == 5)
    )
    found = series(rare)["timing.longest_gap"]
    assert found.counted
    assert found.usual == 0.0
    assert found.values[SINCE:] == (1.0,) * (16 - SINCE)
    assert found.alerts[0] == SINCE


def test_one_odd_episode_is_no_change():
    odd = with_metric(
        make_healthy_batch(), "timing.longest_gap", lambda i, _: 1e6 if i == 150 else 0.1 + 0.001 * (i % 7)
    )
    assert series(odd)["timing.longest_gap"].alerts == ()


def test_a_day_of_another_task_is_no_change():
    def slower(i, e):
        return (10.0 if e.task == "sort" else 1.0) + 0.01 * ((i * 7) % 13)

    tasks = relabel(make_healthy_batch(), lambda _, e: {"task": "sort" if number(e) in (9, 12) else "pick"})
    assert series(with_metric(tasks, "throughput.cycle_time", slower))["throughput.cycle_time"].alerts == ()


def of_two_tasks(i, e):
    return (10.0 if e.task == "sort" else 1.0) + 0.01 * ((i * 7) % 13) + (0.5 if number(e) == 12 else 0.0)


def test_what_is_drawn_is_what_batches_had():
    tasks = relabel(make_healthy_batch(), lambda _, e: {"task": "sort" if number(e) in (5, 9, 12) else "pick"})
    batch = with_metric(tasks, "timing.longest_gap", of_two_tasks)
    found = series(batch)["timing.longest_gap"]
    for at, name in enumerate(found.batches):
        own = [of_two_tasks(i, e) for i, e in enumerate(batch.episodes) if e.session == name]
        assert found.values[at] == pytest.approx(np.median(own))
        if np.isfinite(found.low[at]):
            task = [of_two_tasks(i, e) for i, e in enumerate(batch.episodes) if (e.task == "sort") == (min(own) > 5.0)]
            assert min(task) <= found.low[at] <= found.high[at] <= max(task)


def test_limits_are_drawn_on_the_side_that_alerts():
    mixed = with_metric(
        relabel(make_healthy_batch(), lambda i, _: {"task": ("sort", "pick")[i % 3 == 0]}), "timing.longest_gap",
        lambda i, e: of_two_tasks(i, e) + (2.0 if number(e) >= SINCE else 0.0),
    )  # fmt: skip
    jumped = series(mixed)["timing.longest_gap"]
    assert jumped.alerts[0] == SINCE
    assert all(
        (jumped.values[i] < jumped.low[i] + 1e-9) or (jumped.values[i] > jumped.high[i] - 1e-9) for i in jumped.alerts
    )
    calm = [i for i in range(3, 16) if i not in jumped.alerts]
    assert all(jumped.low[i] - 1e-9 <= jumped.values[i] <= jumped.high[i] + 1e-9 for i in calm)


def test_days_stand_in_for_sessions_and_missing_times_for_nothing():
    batch = make_healthy_batch()
    days = relabel(batch, lambda *_: {"session": ""})
    assert series(days)["length"].batches[0] == "2026-01-01"
    timeless = relabel(days, lambda i, e: {"start_ns": i, "end_ns": i + e.end_ns - e.start_ns})
    assert series(timeless) == {}


@pytest.mark.parametrize("shape", [Shape(3, 12), Shape(16, 2)], ids=["few batches", "few episodes each"])
def test_too_little_is_not_charted(shape):
    assert series(make_healthy_batch(shape)) == {}


def test_a_number_that_means_nothing_is_left_out():
    nan = with_metric(make_healthy_batch(), "timing.longest_gap", lambda *_: float("nan"))
    assert "timing.longest_gap" not in series(nan)
