"""A map is read whole, and whatever is wrong with one is named where it stands."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.audit.maps import FULL

from fieldloop.audit import parse_deployment_map, score_questions
from fieldloop.errors import BadInput
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Range
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["audit"]

MAP = """\
[deployment]
id = "berlin"
task = "pick"
target_cycle_s = 12.5
label_standard = "phases v1"
synchronisation = "PTP"

[[site]]
id = "north"
share = 0.75
time_zone = "Europe/Berlin"
camera_mounts = ["overhead", "wrist"]
people_bands = { hand_size = "160-200 mm" }
lighting = { bright = 0.6, dim = 0.4 }
bins = { front = 0.7, back = 0.3 }

[[site.zone]]
name = "aisle 1"
floor = "concrete"
temperature_c = [15, 28]
humidity_percent = [30, 70]
lux = { day = [300, 800], night = [80, 200] }

[[site]]
id = "south"
share = 0.25
lighting = { bright = 1.0 }
bins = { front = 1.0 }

[[edge_case]]
name = "stuck together"
per_week = 14
failure_rate = 0.4
"""

SKUS = """\
sku,picks_per_week,mass_kg,length_m,width_m,height_m,packaging,deformable
a,80,0.3,0.1,0.1,0.05,box,no
b,15,,,,,bag,yes
c,5,0.1,0.02,0.02,0.02,"loose, unwrapped",
"""


def refused(map_text=MAP, skus_text=SKUS):
    with pytest.raises(BadInput) as caught:
        parse_deployment_map(map_text, skus_text, SETTINGS)
    return str(caught.value)


def test_every_fact_arrives():
    deployment = parse_deployment_map(MAP, SKUS, SETTINGS)
    north, south = deployment.sites
    assert (deployment.id, deployment.task, deployment.target_cycle_s) == ("berlin", "pick", 12.5)
    assert (deployment.label_standard, deployment.synchronisation) == ("phases v1", "PTP")
    assert (north.share, north.time_zone, north.camera_mounts) == (0.75, "Europe/Berlin", ("overhead", "wrist"))
    assert north.people_bands == (("hand_size", "160-200 mm"),)
    zone = north.zones[0]
    assert (zone.floor, zone.temperature, zone.humidity) == ("concrete", Range(15, 28, "°C"), Range(30, 70, "%"))
    assert zone.lux_by_shift == (("day", Range(300, 800, "lx")), ("night", Range(80, 200, "lx")))
    assert south.zones == ()
    assert deployment.edge_cases[0].failure_rate == 0.4
    assert [s.tier for s in deployment.skus] == ["high", "medium", "long_tail"]
    assert deployment.skus[0].size_m == (0.1, 0.1, 0.05)
    assert [s.deformable for s in deployment.skus] == [False, True, None]
    assert deployment.skus[2].packaging == "loose, unwrapped"


def test_exposures_are_products_of_what_the_map_says():
    shares = {e.stratum: e.share for e in parse_deployment_map(MAP, SKUS, SETTINGS).exposures}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert len(shares) == 3 * 2 * 2 + 3
    stratum = Stratum.of(site="north", tier="medium", bin="back", lighting="dim")
    assert shares[stratum] == pytest.approx(0.75 * 0.15 * 0.3 * 0.4)


def test_a_factor_the_map_is_silent_about_is_left_out():
    shares = parse_deployment_map('[deployment]\nid="d"\ntask="t"\n[[site]]\nid="s"\nshare=1', "", SETTINGS).exposures
    assert [(str(e.stratum), e.share) for e in shares] == [("site=s", 1.0)]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("share = 0.75", "share = -0.75", ["line 10", "[site]", "share = -0.75", "between 0 and 1"]),
        ("share = 0.75", "share = nan", ["line 10", "share = nan", "finite"]),
        ("share = 0.75", 'share = "most"', ["line 10", "'most' is not a number"]),
        ("share = 0.75", "", ["share is missing"]),
        ("share = 0.75", "share = 0.7", ["add up to 0.95", "north = 0.7, south = 0.25"]),
        ("dim = 0.4", "dim = 0.3", ["line 14", "lighting add up to 0.9"]),
        ("dim = 0.4", "dim = -0.4", ["line 14", "lighting.dim = -0.4"]),
        ("lighting = { bright = 0.6, dim = 0.4 }", "lighting = 3", ["line 14", "should be a table"]),
        ("camera_mounts =", "camera_mount =", ["line 12", "'camera_mount'", "Did you mean 'camera_mounts'?"]),
        ("temperature_c = [15, 28]", "temperature_c = [28, 15]", ["line 20", "swap the two"]),
        ("temperature_c = [15, 28]", "temperature_c = 20", ["line 20", "[lowest, highest]"]),
        ("humidity_percent = [30, 70]", "humidity_percent = [30, 170]", ["line 21", "between 0 and 100"]),
        ("day = [300, 800]", "day = [-3, 800]", ["line 22", "never negative"]),
        ("lux = {", "lux = [900, 10] # {", ["line 22", "should be a table such as { day = [300, 700]"]),
        ('time_zone = "Europe/Berlin"', 'time_zone = "Berlin"', ["line 11", "IANA"]),
        ('id = "south"', 'id = "north"', ["'north' is given twice"]),
        ("per_week = 14", "per_week = -1", ["line 32", "[edge_case]", "at least 0"]),
        ("per_week = 14", "", ["per_week is missing"]),
        ("failure_rate = 0.4", "failure_rate = 40", ["line 33", "between 0 and 1"]),
        ("target_cycle_s = 12.5", "target_cycle_s = -1", ["line 4", "at least 0"]),
        ('id = "berlin"', "", ["[deployment]", "id is missing"]),
        ('id = "berlin"', "id = 7", ["line 2", "text in quotes"]),
        ("[[edge_case]]", "[[edge_cases]]", ["'edge_cases'", "Did you mean 'edge_case'?"]),
        ("[deployment]", "[deploymen]", ["'deploymen'", "Did you mean 'deployment'?"]),
        ("share = 0.75", "share = ", ["not valid TOML", "line 10"]),
        ('people_bands = { hand_size = "160-200 mm" }', "people_bands = { hand_size = 160 }", ["line 13", "texts"]),
        ('floor = "concrete"', "light_angle_deg = [10, 400]", ["line 19", "between 0 and 360"]),
        ('floor = "concrete"', "noise_db = [-3, 40]", ["line 19", "at least 0"]),
        ('floor = "concrete"', "temperature_k = [280, 290]", ["line 19", "'temperature_k'"]),
        ('floor = "concrete"', "ceiling_m = -2", ["line 19", "at least 0"]),
        ('floor = "concrete"', 'transitions = "step"', ["line 19", "list of texts"]),
        ("temperature_c = [15, 28]", "temperature_c = [-400, 28]", ["line 20", "at least -273.15"]),
        ('time_zone = "Europe/Berlin"', "bin_sizes_m = { tote = [0.6, 0.4] }", ["line 11", "[length, width, height]"]),
        ('time_zone = "Europe/Berlin"', "bin_sizes_m = { tote = [0.6, 0.4, 0] }", ["line 11", "side of 0"]),
        ('id = "north"', 'id = "no,rth"', ["line 9", "commas"]),
        ("synchronisation = ", "max_offset_ms = -1\nsynchronisation = ", ["line 6", "at least 0"]),
        ("synchronisation = ", "min_agreement = 80\nsynchronisation = ", ["line 6", "between 0 and 1"]),
    ],
)
def test_what_is_wrong_with_the_map_is_named_with_its_place(old, new, says):
    assert old in MAP
    message = refused(MAP.replace(old, new, 1))
    assert message.startswith("deployment.toml")
    for part in says:
        assert part in message


def test_a_map_without_sites_is_no_map():
    assert "no [[site]]" in refused('[deployment]\nid="d"\ntask="t"')
    assert "[deployment]" in refused("")
    assert "[[site]]" in refused('site = 3\n[deployment]\nid="d"\ntask="t"')


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("b,15", "a,15", ["line 3", "column sku", "'a' is listed twice"]),
        (
            "b,15",
            "b,-15",
            ["line 3", "column picks_per_week", "'-15' is negative; correct it or write 0 for an article"],
        ),
        ("b,15", "b,nan", ["line 3", "picks_per_week", "'nan' is not a number"]),
        ("b,15", 'b,"1,5"', ["line 3", "'1,5' is not a number", "decimal point"]),
        ("b,15", "b,", ["line 3", "picks_per_week", "empty; write 0 for an article that is not picked."]),
        ("b,15", ",15", ["line 3", "column sku", "no name"]),
        ("b,15,", "b,15,,", ["line 3", "9 cells under 8 columns"]),
        ("mass_kg", "mas_kg", ["line 1", "Did you mean 'mass_kg'?"]),
        ("picks_per_week", "mass_kg", ["line 1", "'mass_kg' occurs twice"]),
        ("box,no", "box,maybe", ["line 2", "deformable", "'maybe'"]),
        ("box,no", '"box,no', ["quotation"]),
        ("0.3,0.1,0.1", "-0.3,0.1,0.1", ["line 2", "column mass_kg", "negative"]),
    ],
)
def test_what_is_wrong_with_the_catalogue_is_named_with_its_place(old, new, says):
    assert old in SKUS
    message = refused(skus_text=SKUS.replace(old, new, 1))
    assert message.startswith("skus.csv")
    for part in says:
        assert part in message


def test_two_columns_are_enough_and_one_is_not():
    assert parse_deployment_map(MAP, "sku,picks_per_week\na,1\n", SETTINGS).skus[0].tier == "high"
    assert "'picks_per_week' is missing" in refused(skus_text="sku\na\n")
    assert "no article" in refused(skus_text="sku,picks_per_week\n")


def test_semicolons_between_cells_are_read_as_in_every_other_table():
    assert (
        parse_deployment_map(MAP, SKUS.replace('"loose, unwrapped"', "loose").replace(",", ";"), SETTINGS)
        .skus[1]
        .packaging
        == "bag"
    )
    message = refused(skus_text="sku;picks_per_week;mass_kg\na;5;0,3\n")
    assert (
        "line 2, column mass_kg: '0,3' is not a number; write digits with a decimal point, or leave it empty" in message
    )
    assert "put text with ';' in quotes" in refused(skus_text="sku;picks_per_week\na;5;6\n")


def test_a_catalogue_without_picks_has_no_tiers_to_expose():
    deployment = parse_deployment_map(MAP, "sku,picks_per_week\na,0\n", SETTINGS)
    assert all(e.stratum.level("tier") is None for e in deployment.exposures)


@settings(deadline=None)
@given(st.dictionaries(st.text("abcdef", min_size=1), st.floats(0, 1e6), min_size=1, max_size=30))
def test_tiers_follow_velocity_and_shares_always_add_up(picks):
    rows = "".join(f"{name},{amount}\n" for name, amount in picks.items())
    deployment = parse_deployment_map(MAP, "sku,picks_per_week\n" + rows, SETTINGS)
    rank = {"high": 0, "medium": 1, "long_tail": 2, "": 0}
    by_velocity = sorted(deployment.skus, key=lambda s: (-s.picks_per_week, s.id))
    assert [rank[s.tier] for s in by_velocity] == sorted(rank[s.tier] for s in by_velocity)
    assert sum(e.share for e in deployment.exposures) == pytest.approx(1.0)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_text_whatever_breaks_the_reader(text):
    for given_map, given_skus in ((text, SKUS), (MAP, text)):
        with contextlib.suppress(BadInput):
            parse_deployment_map(given_map, given_skus, SETTINGS)


TWO_ZONES = FULL.replace('name = "aisle"\n', 'name = "aisle"\nshare = 0.75\n').replace(
    "[[edge_case]]", '[[site.zone]]\nname = "dock"\nshare = 0.25\nlighting = { dim = 1.0 }\n[[edge_case]]'
)


def exposed(text):
    return {str(e.stratum): e.share for e in parse_deployment_map(text, SKUS, SETTINGS).exposures}


def test_zones_with_shares_are_conditions_of_strata_with_their_own_light():
    shares = exposed(TWO_ZONES)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert {s for s in shares if "zone=dock" in s and "lighting=bright" in s} == set()
    assert sum(share for s, share in shares.items() if "zone=dock" in s) == pytest.approx(0.25)
    site = parse_deployment_map(TWO_ZONES, SKUS, SETTINGS).sites[0]
    assert site.mixes["lighting"] == pytest.approx({"bright": 0.45, "dim": 0.55})


def test_zones_without_shares_make_no_strata_and_the_audit_says_how():
    bare = TWO_ZONES.replace("share = 0.75\n", "").replace("share = 0.25\n", "")
    assert not any("zone=" in s for s in exposed(bare))
    audit = score_questions(parse_deployment_map(bare, SKUS, SETTINGS), SETTINGS)
    assert any(one["what"] == "the share of picks in each zone" for a in audit.answers for one in a.missing)


def test_zones_repeated_as_a_factor_are_not_doubled():
    repeated = TWO_ZONES.replace(
        'shelving = "flow rack"\n', 'shelving = "flow rack"\nfactors.zone = { aisle = 0.75, dock = 0.25 }\n'
    )
    assert exposed(repeated) == pytest.approx(exposed(TWO_ZONES))
    plain = repeated.replace("share = 0.75\n", "").replace("share = 0.25\n", "")
    assert exposed(plain) == pytest.approx(exposed(TWO_ZONES))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("share = 0.25\n", "", "'dock' has no share"),
        ("share = 0.25\n", "share = 0.5\n", "add up to 1.25"),
        ('name = "dock"', 'name = "dock, north"', "dock, north"),
    ],
)
def test_shares_of_zones_that_do_not_add_up_are_refused(old, new, says):
    with pytest.raises(BadInput, match=says):
        parse_deployment_map(TWO_ZONES.replace(old, new), SKUS, SETTINGS)
