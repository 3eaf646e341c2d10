"""Production outside the demonstrations is found, and what chance puts there is not called so."""

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.policy import Outcome, Stage
from fieldloop.plan.gaps.extrapolation import find_extrapolation_gaps, find_points_outside, is_beyond_chance
from fieldloop.plan.gaps.quantities import Quantities
from fieldloop.protocol import default_operations

NAMES = ("lux", "temperature_c", "humidity_percent", "x_m", "y_m", "z_m")
SETTINGS = default_operations()["plan"]
HULL, FAR = int(SETTINGS.number("hull_dimensions")), SETTINGS.number("far_share")


def found(met, shown, sites=("north",)):
    names = NAMES[: shown.shape[1]]
    episodes = [
        Episode(str(k), str(k), "mcap", facts=tuple((n, repr(float(v))) for n, v in zip(names, row, strict=True)))
        for k, row in enumerate(shown)
    ]
    outcomes = [
        Outcome(
            str(k), "p", Stratum(), Stage.PRODUCTION, sites[k % len(sites)], "r", k, True, "j",
            facts=tuple((n, float(v)) for n, v in zip(names, row, strict=True)),
        )
        for k, row in enumerate(met)
    ]  # fmt: skip
    return list(find_extrapolation_gaps(Quantities(None, episodes, outcomes), SETTINGS))


def test_a_square_has_an_inside_and_an_outside():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]])
    points = np.array([[0.5, 0.2], [1.0, 1.0], [1.01, 0.5], [-0.5, -0.5]])
    answer = find_points_outside(points, square, HULL, FAR)
    assert answer.points.tolist() == [False, False, True, True]
    assert answer.alike == 4  # its corners


def test_on_a_line_the_hull_is_a_range():
    answer = find_points_outside(np.array([[0.0], [2.0], [5.0]]), np.array([[1.0], [3.0], [2.0]]), HULL, FAR)
    assert answer.points.tolist() == [True, False, True]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_equals_are_seldom_called_outside(dimensions):
    """At a one-sided level of 95 %, and with a smallest excess that is named, about one world in twenty is accused."""
    rng, worlds, demonstrations = np.random.default_rng(dimensions), 300, 120
    alarms = 0
    for _ in range(worlds):
        shown, met = rng.normal(size=(demonstrations, dimensions)), rng.normal(size=(200, dimensions))
        alarms += is_beyond_chance(find_points_outside(met, shown, HULL, FAR), demonstrations, SETTINGS)
    assert alarms <= 0.05 * worlds + 2 * np.sqrt(0.05 * 0.95 * worlds)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_a_lamp_that_failed_is_found_and_its_quantity_named(dimensions):
    rng = np.random.default_rng(dimensions)
    shown, met = rng.normal(size=(200, dimensions)), rng.normal(size=(300, dimensions))
    met[:60, 0] -= 8.0
    (gap,) = found(met, shown)
    assert gap.share >= 0.2
    first = gap.message["ways"][0]
    assert (first["quantity"], first["end"]) == ("lux", "below")
    assert first["count"] >= 60


def test_a_new_combination_inside_every_range_is_found():
    rng = np.random.default_rng(1)
    along = rng.uniform(-1, 1, 200)
    shown = np.column_stack([along, along + rng.normal(0, 0.05, 200)])
    met = np.column_stack([along, -along])
    (gap,) = found(met, shown)
    assert "plan.new_in_combination" in {way.code for way in gap.message["ways"]}


def test_demonstrations_at_one_temperature_span_no_hull_and_are_measured_by_distance():
    rng = np.random.default_rng(2)
    shown = np.column_stack([rng.normal(500, 50, 100), np.full(100, 21.0)])
    met = np.column_stack([rng.normal(500, 50, 200), np.where(np.arange(200) % 2, 21.0, 4.0)])
    (gap,) = found(met, shown)
    assert gap.message.code == "plan.far_from_any"
    ways = [
        (w["quantity"], w["end"], w["limit"], w["count"]) for w in gap.message["ways"] if w.code == "plan.left_range"
    ]
    assert ("temperature_c", "below", 21.0, 100) in ways


def test_the_site_is_named_where_most_of_it_is():
    rng = np.random.default_rng(3)
    shown, met = rng.normal(size=(100, 2)), rng.normal(size=(200, 2))
    met[::2, 0] += 9.0
    (gap,) = found(met, shown, sites=("south", "north"))
    assert str(gap.stratum) == "site=south"


def test_too_few_or_unlogged_values_make_no_gap():
    rng = np.random.default_rng(4)
    assert found(rng.normal(size=(50, 2)) + 9, rng.normal(size=(5, 2))) == []
    assert found(np.empty((0, 2)), rng.normal(size=(50, 2))) == []
    assert found(np.full((60, 2), np.nan), rng.normal(size=(50, 2))) == []


def test_in_many_dimensions_a_hull_would_call_equals_outside():
    """Why the distance takes over: the share of equals outside the hull of 200 grows with the dimensions."""
    rng = np.random.default_rng(5)
    shares = {
        d: np.mean(
            [
                find_points_outside(rng.normal(size=(200, d)), rng.normal(size=(200, d)), 9, FAR).points.mean()
                for _ in range(5)
            ]
        )
        for d in (3, 5)
    }
    assert shares[3] < 0.2
    assert shares[5] > 0.3
