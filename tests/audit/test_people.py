"""People are bands of many: whatever could be one person is refused."""

import pytest
from tests.audit.maps import FULL, SKUS

from fieldloop.audit import parse_deployment_map
from fieldloop.errors import BadInput
from fieldloop.model.deployment import PeopleBand
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["audit"]
BANDS = 'hand_size = { "160-180 mm" = 0.4, "180-200 mm" = 0.6 }'


def read(old, new):
    assert old in FULL
    return parse_deployment_map(FULL.replace(old, new, 1), SKUS, SETTINGS)


def test_bands_and_their_shares_arrive():
    (site,) = parse_deployment_map(FULL, SKUS, SETTINGS).sites
    assert site.people == (PeopleBand("hand_size", (("160-180 mm", 0.4), ("180-200 mm", 0.6))),)
    assert site.people_count == 50


@pytest.mark.parametrize(
    "bands",
    [
        'skin_tone = { "Fitzpatrick I-III" = 0.5, "Fitzpatrick IV-VI" = 0.5 }',
        'grip = { "light grip" = 0.5, "firm grip" = 0.5 }',
        'hand_size = { "< 170 mm" = 0.2, "≥ 170 mm" = 0.8 }',
        "speed = { slow = 0.3, fast = 0.7 }",
    ],
)
def test_bands_of_many_are_taken(bands):
    assert read(BANDS, bands).sites[0].people


@pytest.mark.parametrize(
    ("bands", "says"),
    [
        ('hand_size = { "Anna Kowalska" = 0.5, "others" = 0.5 }', "'Anna Kowalska' looks like one person"),
        ('hand_size = { "Łukasz" = 0.5, "others" = 0.5 }', "looks like one person"),
        ('hand_size = { "operator 7" = 0.5, "others" = 0.5 }', "looks like one person"),
        ('hand_size = { "op-7" = 0.5, "others" = 0.5 }', "looks like one person"),
        ('hand_size = { "a.b@example.org" = 0.5, "others" = 0.5 }', "looks like one person"),
        ('hand_size = { "badge 1234567" = 0.5, "others" = 0.5 }', "looks like one person"),
        ('employee_id = { "low" = 0.5, "high" = 0.5 }', "identifies persons"),
        ('name = { "low" = 0.5, "high" = 0.5 }', "identifies persons"),
        ('hand_size = { "160-180 mm" = 0.05, "180-200 mm" = 0.95 }', "about 2.5 of 50 people, fewer than 5"),
        ('hand_size = { "160-180 mm" = 0.4, "180-200 mm" = 0.4 }', "add up to 0.8"),
        ('hand_size = "160-200 mm"', "should be a table"),
    ],
)
def test_anything_that_could_be_one_person_is_refused_with_its_place(bands, says):
    with pytest.raises(BadInput) as caught:
        read(BANDS, bands)
    assert says in str(caught.value)
    assert str(caught.value).startswith("deployment.toml, line 15")


def test_texts_without_shares_are_held_to_the_same():
    with pytest.raises(BadInput, match="looks like one person"):
        read('speed = "0.9-1.1 of target"', 'speed = "as fast as Piotr"')


def test_people_come_whole():
    with pytest.raises(BadInput, match="whole number"):
        read("people_count = 50", "people_count = 50.5")
