"""Values in another unit: impossible ones are refused with the likely unit, unusual ones are reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.maps import FULL, SKUS

from fieldloop.audit import list_unusual_values, parse_deployment_map, score_questions
from fieldloop.audit.units import OTHER_UNITS, explain_impossible_values, find_exceeded_usual_range
from fieldloop.errors import BadInput
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["audit"]
TWO = "sku,picks_per_week,mass_kg,length_m,width_m,height_m\n"


def refused(map_text=FULL, skus_text=SKUS):
    with pytest.raises(BadInput) as caught:
        parse_deployment_map(map_text, skus_text, SETTINGS)
    return str(caught.value)


def test_a_usual_map_has_no_oddities_but_the_ones_it_has():
    assert list_unusual_values(parse_deployment_map(FULL, SKUS.replace("a,10,", "a,1000,"), SETTINGS), SETTINGS) == ()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("temperature_c = [15, 28]", "temperature_c = [287, 297]", "line 25, [site.zone]: temperature_c = [287, 297]"),
        ("temperature_c = [15, 28]", "temperature_c = [287, 297]", "it looks like kelvin (13.85 to 23.85 °C)"),
        ("temperature_c = [15, 28]", "temperature_c = [59, 82]", "it looks like °F (15 to 27.78 °C)"),
        ("temperature_c = [15, 28]", "temperature_c = [50, 58]", "-35 to 45 °C is usual; it looks like °F"),
        ("temperature_c = [15, 28]", "temperature_c = [-99, 28]", "it can only be -60 to 60 °C. Correct it"),
        ("humidity_percent = [30, 70]", "humidity_percent = [0.35, 0.55]", "it looks like shares of one (35 to 55 %)"),
        ("ceiling_m = 9", "ceiling_m = 9500", "ceiling_m = 9500: it can only be 1 to 60 m; it looks like millimetres"),
        ("ceiling_m = 9", "ceiling_m = 950", "it looks like centimetres (9.5 m)"),
        ("ceiling_m = 9", "ceiling_m = 0", "it can only be 1 to 60 m."),
        ("tote = [0.6, 0.4, 0.3]", "tote = [600, 400, 300]", "bin_sizes_m.tote = [600, 400, 300]: it can only be"),
        ("tote = [0.6, 0.4, 0.3]", "tote = [600, 400, 300]", "it looks like millimetres (0.3 to 0.6 m)"),
        ("tote = [0.6, 0.4, 0.3]", "tote = [60, 40, 30]", "or centimetres (0.3 to 0.6 m)"),
        ("target_cycle_s = 12", "target_cycle_s = 8000", "it looks like milliseconds (8 s)"),
        ("target_cycle_s = 12", "target_cycle_s = 0.2", "it looks like minutes (12 s)"),
        ("per_week = 14", "per_week = 1e9", "per_week = 1e+09: it can only be 0 to 100,000,000 a week"),
        ("day = [300, 800]", "day = [300, 800000]", "lux.day = [300, 800000]: it can only be 0 to 150,000 lx"),
    ],
)
def test_what_no_floor_has_is_refused_with_what_it_looks_like(old, new, says):
    assert old in FULL
    message = refused(FULL.replace(old, new, 1))
    assert says in message
    assert message.startswith("deployment.toml, line ")
    assert "operations.toml" in message


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("a,10,0.5,300,200,100\n", "line 2, column length_m: 300: it can only be 0 to 15 m; it looks like millimetres"),
        ("a,10,0.5,30,20,10\n", "it looks like millimetres (0.03 m) or centimetres (0.3 m)"),
        ("a,10,0.5,9,6,3\nb,1,0.5,8,1,1\n", "the median of 2 articles is 8.5; 0.001 to 2.5 m is usual"),
        ("a,10,500,,,\nb,10,700,,,\nc,1,0.9,,,\n", "skus.csv, mass_kg: the median of 3 articles is 500"),
        ("a,10,500,,,\nb,10,700,,,\nc,1,0.9,,,\n", "it looks like grams (0.5 kg)"),
        ("a,10,5000,,,\n", "line 2, column mass_kg: 5000: it can only be 0 to 2,000 kg; it looks like grams (5 kg)"),
        ("a,1e300,,,,\n", "line 2, column picks_per_week: 1e+300: it can only be 0 to 100,000,000 a week"),
    ],
)
def test_a_catalogue_in_another_unit_is_refused(rows, says):
    assert says in refused(skus_text=TWO + rows)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "temperature_c = [15, 28]",
            "temperature_c = [15, 50]",
            "temperature_c is 15 to 50 °C; the usual range is −35 to 45 °C.",
        ),
        ("ceiling_m = 9", "ceiling_m = 50", "north/aisle: ceiling_m is 50; the usual range is 1.8 to 45 m."),
        (
            "tote = [0.6, 0.4, 0.3]",
            "tote = [6, 0.4, 0.3]",
            "north: bin tote is 6 × 0.4 × 0.3 m; the usual range is 0.03",
        ),
        (
            "per_week = 14",
            "per_week = 14000",
            "'stuck together' happens 14,000 times a week, but all articles together",
        ),
        (
            "day = [300, 800]",
            "day = [300, 60000]",
            "north/aisle: lux is 300 to 60000 lx; the usual range is 0 to 20,000 lx.",
        ),
    ],
)
def test_what_is_only_unusual_is_reported_and_counts(old, new, says):
    audit = score_questions(
        parse_deployment_map(FULL.replace(old, new, 1), SKUS.replace("a,10,", "a,1000,"), SETTINGS), SETTINGS
    )
    assert audit.complete
    (odd,) = audit.odd
    assert says in write_sentence(odd)


def test_one_heavy_article_is_unusual_and_not_refused():
    rows = "".join(f"a{k},10,0.5,0.1,0.1,0.1\n" for k in range(9))
    found = list_unusual_values(
        parse_deployment_map(FULL, f"{TWO}{rows}anvil,100,90,0.5,0.3,0.3\n", SETTINGS), SETTINGS
    )
    assert list(map(write_sentence, found)) == [
        "mass_kg: 1 of 10 articles has an unusual value, such as anvil with 90. The usual range is 0.0005 to 50 kg."
    ]


def test_a_catalogue_that_is_never_picked_from_has_no_tiers_and_reports_it():
    deployment = parse_deployment_map(FULL, "sku,picks_per_week\na,0\nb,0\n", SETTINGS)
    assert {sku.tier for sku in deployment.skus} == {""}
    audit = score_questions(deployment, SETTINGS)
    assert audit.odd[0].code == "audit.no_velocity"
    missing = [one["what"] for answer in audit.answers for one in answer.missing]
    assert "the catalogue with pick velocity" in missing
    assert score_questions(parse_deployment_map(FULL, "", SETTINGS), SETTINGS).odd[0].code == "audit.no_catalogue"


def test_wider_limits_can_be_stated():
    hot = FULL.replace("temperature_c = [15, 28]", "temperature_c = [15, 80]")
    wide = SETTINGS.replace_values(temperature_c=(-60.0, -35.0, 80.0, 100.0))
    assert parse_deployment_map(hot, SKUS, wide).sites[0].zones[0].temperature.high == 80.0


@given(st.sampled_from(sorted(OTHER_UNITS)), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=3))
def test_what_is_usual_is_neither_refused_nor_reported(quantity, places):
    _, low, high, _ = SETTINGS[quantity]
    values = [low + place * (high - low) for place in places]
    assert explain_impossible_values(quantity, values, SETTINGS) == ""
    assert find_exceeded_usual_range(quantity, values, SETTINGS) is None
