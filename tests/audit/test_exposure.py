"""Strata follow from the map: products of its shares, measured joint shares over them, at the size of a whole fleet."""

import dataclasses
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.maps import FULL, SKUS, outcome

from fieldloop.audit import apply_measured_shares, parse_deployment_map
from fieldloop.errors import BadInput
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import BinConfiguration, Deployment, Site, Sku
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["audit"]
FACTORS = "bins = { front = 0.7, back = 0.3 }\nfactors.surface = { concrete = 0.8, epoxy = 0.2 }\n"
BINS = "bins = { front = 0.7, back = 0.3, side = 0, occluded = 0, buried = 0, nearly_empty = 0, reoriented = 0 }\n"


def exact(deployment):
    """The product written down plainly, in fractions of what the map says."""
    found = {}
    for site in deployment.sites:
        mixes = deployment.get_mixes(site)
        for levels in itertools.product(*(mix.items() for mix in mixes.values())):
            share = site.share
            for _, of_level in levels:
                share *= of_level
            names = dict(zip(mixes, (level for level, _ in levels), strict=True))
            if share:
                found[Stratum.of(names, site=site.id)] = share
    return found


def test_further_factors_make_strata():
    deployment = parse_deployment_map(FULL.replace(BINS, FACTORS), SKUS, SETTINGS)
    shares = {e.stratum: e.share for e in deployment.exposures}
    assert len(shares) == 2 * 2 * 2
    here = Stratum.of(site="north", tier="high", bin="back", lighting="dim", surface="epoxy")
    assert shares[here] == pytest.approx(0.3 * 0.4 * 0.2)
    assert shares == pytest.approx(exact(deployment))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("factors.surface = { concrete = 0.8, epoxy = 0.3 }", "add up to 1.1"),
        ("factors.surface = 0.8", "should be a table"),
        ("factors.bin = { a = 1.0 }", "'bin' is stated elsewhere: bins of the site"),
        ("factors.tier = { a = 1.0 }", "skus.csv, from velocity"),
        ('factors.surface = { "a,b" = 1.0 }', "leave out commas and equals signs"),
        ('factors."a=b" = { x = 1.0 }', "leave out commas and equals signs"),
        ("factors = 3", "should be a table"),
    ],
)
def test_factors_that_cannot_be_are_refused(line, says):
    with pytest.raises(BadInput, match=r"deployment\.toml, line") as caught:
        parse_deployment_map(FULL.replace(BINS, f"{line}\n"), SKUS, SETTINGS)
    assert says in str(caught.value)


def test_a_catalogue_by_site_gives_each_site_its_own_tiers():
    two = FULL.replace("share = 1.0", "share = 0.5") + '[[site]]\nid = "south"\nshare = 0.5\n'
    skus = "sku,picks_per_week,site\na,80,north\nb,15,south\nc,5,south\n"
    deployment = parse_deployment_map(two, skus, SETTINGS)
    north, south = deployment.sites
    assert deployment.get_mixes(north)["tier"] == {"high": 1.0}
    assert deployment.get_mixes(south)["tier"] == pytest.approx({"medium": 0.75, "long_tail": 0.25})
    with pytest.raises(BadInput, match="Did you mean 'north'"):
        parse_deployment_map(two, skus.replace("north", "nort"), SETTINGS)
    with pytest.raises(BadInput, match="listed twice"):
        parse_deployment_map(two, skus + "c,5,south\n", SETTINGS)
    with pytest.raises(BadInput, match="every row must name its site"):
        parse_deployment_map(two, skus + "d,5,\n", SETTINGS)


def seen(rng_levels, count):
    return [
        outcome(f"{k}-{n}", n % 9, tier="high", **levels) for k, levels in enumerate(rng_levels) for n in range(count)
    ]


def test_measured_joint_shares_take_over_as_attempts_come_in():
    together = [{"bin": "front", "lighting": "bright"}, {"bin": "back", "lighting": "dim"}]
    map_alone = parse_deployment_map(FULL, SKUS, SETTINGS)
    prior = SETTINGS.number("measured_prior")
    for count in (50, 5000):
        measured = apply_measured_shares(map_alone, seen(together, count), SETTINGS)
        shares = {e.stratum: e.share for e in measured.exposures}
        weight = 2 * count / (2 * count + prior)
        here = Stratum.of(site="north", tier="high", bin="front", lighting="bright")
        assert shares[here] == pytest.approx(weight * 0.5 + (1 - weight) * 0.7 * 0.6)
        assert sum(shares.values()) == pytest.approx(1.0)


def test_attempts_that_do_not_log_every_factor_measure_nothing():
    with pytest.raises(BadInput, match=r"logs every factor of its site.*tier, bin, lighting"):
        apply_measured_shares(parse_deployment_map(FULL, SKUS, SETTINGS), [outcome(1, bin="front")], SETTINGS)


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        ([outcome(n, n % 4, tier="high", bin="back", lighting="dim") for n in range(5000)], "from 4 days; .* need 5"),
        ([outcome(n, n % 9, tier="high", bin="back", **({"lighting": "dim"} if n % 2 else {})) for n in range(5000)],
         "only 50% of 5000 attempts"),
    ],
)  # fmt: skip
def test_measured_shares_need_enough_days_and_complete_logs(outcomes, says):
    with pytest.raises(BadInput, match=f"north: .*{says}"):
        apply_measured_shares(parse_deployment_map(FULL, SKUS, SETTINGS), outcomes, SETTINGS)


def test_a_site_that_is_not_at_work_yet_keeps_its_share():
    two = FULL.replace("share = 1.0", "share = 0.6") + '[[site]]\nid = "south"\nshare = 0.4\n'
    measured = apply_measured_shares(
        parse_deployment_map(two, SKUS, SETTINGS), seen([{"bin": "back", "lighting": "dim"}], 5000), SETTINGS
    )
    shares = {e.stratum: e.share for e in measured.exposures}
    assert sum(share for stratum, share in shares.items() if stratum.level("site") == "south") == pytest.approx(0.4)
    assert sum(shares.values()) == pytest.approx(1.0)


def test_measured_alone_is_taken_as_it_is():
    whole = (Exposure(Stratum.of(site="x"), 3.0), Exposure(Stratum.of(site="y"), 1.0))
    assert [e.share for e in Deployment("d", "t", (), (), measured=whole).exposures] == [0.75, 0.25]


@given(st.lists(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=4), min_size=1, max_size=3))
def test_shares_of_strata_always_add_up_to_one(rows):
    sites = tuple(
        Site(f"s{k}", 1 / len(rows), bins=tuple(BinConfiguration(f"b{n}", x) for n, x in enumerate(row)))
        for k, row in enumerate(rows)
    )
    deployment = Deployment("d", "pick", sites, (Sku("a", 3.0, "high"), Sku("b", 1.0, "medium")))
    assert sum(e.share for e in deployment.exposures) == pytest.approx(1.0)
    assert {e.stratum: e.share for e in deployment.exposures} == pytest.approx(exact(deployment))


def test_a_fleet_is_written_down_without_its_strata_and_read_back_with_them():
    levels = {"bin": 6, "lighting": 4, "surface": 4, "shift": 3, "temperature": 10}
    mixes = {factor: tuple((f"{factor}{n}", 1 / many) for n in range(many)) for factor, many in levels.items()}
    sites = tuple(
        Site(f"s{k}", 0.05, lighting=mixes["lighting"], bins=tuple(BinConfiguration(*b) for b in mixes["bin"]),
             factors=tuple((f, mixes[f]) for f in list(levels)[2:]))
        for k in range(20)
    )  # fmt: skip
    skus = tuple(
        Sku(f"sku-{n}", 1000 / (n + 1), ("high", "medium", "long_tail")[min(n // 500, 2)]) for n in range(4_000)
    )
    fleet = Deployment("fleet", "pick", sites, skus)
    assert len(fleet.exposures) == 172_800
    assert sum(e.share for e in fleet.exposures) == pytest.approx(1.0)
    written = json.dumps(to_plain(fleet))
    assert "exposures" not in written
    assert len(written) < 1_000_000
    again = from_plain(Deployment, json.loads(written))
    assert again == fleet


def test_an_older_map_with_its_strata_written_down_is_still_read():
    plain = to_plain(parse_deployment_map(FULL, SKUS, SETTINGS)) | {
        "exposures": [{"stratum": "site=north", "share": 1.0}]
    }
    again = from_plain(Deployment, plain)
    assert len(again.exposures) == 4
    assert dataclasses.replace(again, id="other").exposures == again.exposures
