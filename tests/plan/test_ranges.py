"""Ends of ranges, positions and orientations that production has and no demonstration shows are named, others not."""

import math

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Deployment, Range, Site, Sku, Zone
from fieldloop.model.episode import Episode
from fieldloop.model.plan import GapKind
from fieldloop.model.policy import Outcome, Stage
from fieldloop.plan.gaps.positions import find_position_gaps, note_unlogged_positions
from fieldloop.plan.gaps.quantities import Quantities
from fieldloop.plan.gaps.ranges import find_range_gaps
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["plan"]


def episodes(handled="", **columns):
    rows = zip(*columns.values(), strict=True)
    return [
        Episode(
            str(k), str(k), "mcap", facts=(("sku", handled), *((n, str(v)) for n, v in zip(columns, row, strict=True)))
        )
        for k, row in enumerate(rows)
    ]


def outcomes(site="north", **columns):
    rows = zip(*columns.values(), strict=True)
    return [
        Outcome(
            str(k), "p", Stratum(), Stage.PRODUCTION, site, "r", k, True, "j",
            facts=tuple((n, float(v)) for n, v in zip(columns, row, strict=True)),
        )
        for k, row in enumerate(rows)
    ]  # fmt: skip


def gaps(deployment=None, shown=(), met=()):
    return list(find_range_gaps(Quantities(deployment, shown, met), SETTINGS))


def ends(found):
    return [(g.message["quantity"], g.message["end"], pytest.approx(g.message["edge"])) for g in found]


def source(gap):
    return gap.message.details[0].code


def test_an_end_that_was_never_shown_is_named_with_its_share():
    met = outcomes(lux=np.linspace(50, 950, 300))
    found = gaps(None, episodes(lux=np.linspace(300, 960, 80)), met)
    assert [(g.kind, str(g.stratum)) for g in found] == [(GapKind.RANGE_END, "site=north")]
    assert found[0].share == pytest.approx(0.1, abs=0.01)
    message = found[0].message
    assert (message.code, message["quantity"], message["end"]) == ("plan.range_end_never_shown", "lux", "below")
    assert message["nearest"] == 300.0


def test_the_middle_alone_leaves_both_ends():
    found = gaps(None, episodes(temperature_c=[20.0, 21.0]), outcomes(temperature_c=np.linspace(2, 30, 100)))
    assert [g.message["end"] for g in found] == ["below", "above"]


def test_equal_ranges_have_no_gap():
    """The chance that at most one of 150 demonstrations falls into an outer tenth is two in a million."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        assert gaps(None, episodes(lux=rng.normal(500, 90, 150)), outcomes(lux=rng.normal(500, 90, 400))) == []


def test_each_site_is_looked_at_by_itself():
    met = outcomes("warm", temperature_c=np.linspace(18, 26, 60)) + outcomes(
        "cold", temperature_c=np.linspace(2, 7, 60)
    )
    found = gaps(None, episodes(temperature_c=np.linspace(15, 30, 40)), met)
    assert {str(g.stratum) for g in found} == {"site=cold"}


def test_a_quantity_that_no_demonstration_logs_is_a_gap():
    (gap,) = gaps(None, episodes(mood=[1.0]), outcomes(lux=np.linspace(50, 950, 300)))
    assert gap.share is None
    assert (gap.message.code, gap.message["quantity"]) == ("plan.range_not_logged", "lux")


def test_the_map_counts_where_too_little_was_measured():
    zone = Zone(
        "hall", (("day", Range(400, 900, "lux")), ("night", Range(60, 160, "lux"))), temperature=Range(2, 7, "°C")
    )
    deployment = Deployment("d", "pick", (Site("north", 1.0, zones=(zone,)),), ())
    found = gaps(
        deployment, episodes(lux=[300, 500, 500, 500], temperature_c=[2.1, 2.2, 6.8, 6.9]), outcomes(lux=[500.0] * 5)
    )
    assert ends(found) == [("lux", "below", 144), ("lux", "above", 816)]
    assert all(source(g) == "plan.range_of_map" and g.share is None for g in found)


def test_the_catalogue_knows_mass_and_size_by_picks():
    skus = [Sku(f"s{k}", 100.0, mass_kg=0.1 * (k + 1), size_m=(0.1, 0.05, 0.02)) for k in range(10)]
    skus.append(Sku("anvil", 0.0, mass_kg=50.0))
    deployment = Deployment("d", "pick", (), tuple(skus))
    found = gaps(deployment, [Episode(n, n, "mcap", facts=(("sku", "s3"),)) for n in "12"], ())
    assert ends(found) == [("mass_kg", "below", 0.1), ("mass_kg", "above", 1.0)]
    assert found[0].share == pytest.approx(0.1)


@pytest.mark.parametrize("text", ["", "unknown", "nan", "inf", "1,5"])
def test_numbers_that_cannot_be_read_count_as_not_logged(text):
    shown = Quantities(None, [Episode("1", "1", "mcap", facts=(("lux", text),))], ()).get_demonstrated_values("lux")
    assert np.isnan(shown).all()


def test_a_corner_of_the_workspace_and_a_sector_are_named():
    rng = np.random.default_rng(0)
    x, y, yaw = rng.uniform(0, 0.4, 400), rng.uniform(0, 0.3, 400), rng.uniform(-math.pi, math.pi, 400)
    met = outcomes(x_m=x, y_m=y, yaw_rad=yaw)
    away = ~((x > 0.295) & (y > 0.22)) & ~((yaw > 0) & (yaw < math.pi / 4))
    shown = episodes(x_m=x[away], y_m=y[away], yaw_rad=yaw[away])
    found = list(find_position_gaps(Quantities(None, shown, met), SETTINGS))
    assert {g.kind for g in found} == {GapKind.POSITION}
    assert len(found) == 2
    assert write_sentence(found[0].message) == (
        "Items at x_m 0.2992 to 0.398 and y_m 0.2236 to 0.2975 are 8.2 % of production and were never demonstrated."
    )
    assert (found[1].message["quantity"], found[1].message["high_deg"]) == ("yaw_rad", 45.0)


def test_positions_that_one_side_does_not_log_are_named():
    quantities = Quantities(None, episodes(x_m=[0.1]), outcomes(y_m=[0.1]))
    assert list(find_position_gaps(quantities, SETTINGS)) == []
    assert note_unlogged_positions(quantities, SETTINGS)[0]["quantities"] == ("x_m", "y_m", "z_m", "yaw_rad")
    assert note_unlogged_positions(Quantities(None, (), ()), SETTINGS) == ()


def test_an_angle_of_a_full_turn_is_one_of_zero():
    met = outcomes(yaw_rad=[0.01] * 40 + [3.0] * 40)
    quantities = Quantities(None, episodes(yaw_rad=[2 * math.pi + 0.02, 3.0 - 2 * math.pi]), met)
    assert list(find_position_gaps(quantities, SETTINGS)) == []


def test_one_position_in_millimetres_hides_no_corner():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 0.4, 400)
    shown = episodes(x_m=x[x < 0.28])
    (gap,) = find_position_gaps(Quantities(None, shown, outcomes(x_m=[*x, 310.0])), SETTINGS)
    assert gap.share == pytest.approx(0.25, abs=0.04)


@pytest.mark.parametrize("slip", [-40.0, 3.0])
def test_one_value_shows_no_end(slip):
    met = outcomes(temperature_c=np.linspace(3, 25, 100))
    shown = episodes(temperature_c=[*np.linspace(15, 26, 50), slip])
    (gap,) = gaps(None, shown, met)
    assert (gap.message.code, gap.message["end"]) == ("plan.range_end_seldom_shown", "below")
    assert (gap.message["shown"], gap.message["needed"]) == (1, 2)
    assert gaps(None, [*shown, *episodes(temperature_c=[4.0])], met) == []


def test_what_one_site_measured_leaves_the_others_to_the_map_and_the_catalogue():
    def zone(low, high):
        return (Zone("hall", (), temperature=Range(low, high, "°C")),)

    sites = (Site("warm", 0.8, zones=zone(15, 25)), Site("cold", 0.2, zones=zone(-25, -18)))
    skus = (
        Sku("cup", 90.0, mass_kg=0.2, by_site=(("warm", 90.0),)),
        Sku("ice", 10.0, mass_kg=9.0, by_site=(("cold", 10.0),)),
    )
    deployment = Deployment("d", "pick", sites, skus)
    shown = episodes("cup", temperature_c=np.linspace(14, 26, 40))
    met = outcomes("warm", temperature_c=np.linspace(15, 25, 60), mass_kg=[0.2] * 60)
    found = gaps(deployment, shown, met)
    assert [(str(g.stratum), g.message["quantity"], g.share) for g in found] == [
        ("site=cold", "temperature_c", None), ("site=cold", "mass_kg", 0.2),
    ]  # fmt: skip
    assert [source(g) for g in found] == ["plan.range_of_map", "plan.range_by_picks"]
