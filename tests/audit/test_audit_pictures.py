"""Pictures of the map that can be read: many sites with long names, and a value that never changed."""

import dataclasses
import re

import pytest

from fieldloop.model.audit import ComparedBy, Comparison
from fieldloop.model.deployment import Deployment, Site
from fieldloop.model.finding import Status
from fieldloop.report.audit.compared import draw_comparisons
from fieldloop.report.audit.drawings import draw_exposure

LIGHT = (("bright", 0.5), ("dim", 0.5))
RANGE = Comparison(
    "north", "lux", "300 to 800 lx", "400", 900, Status.PASSED, "", ComparedBy.RANGE, 9, span=(350.0, 450.0),
    claims=((300.0, 800.0),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("names", "upright"), [(("north", "south"), False), ([f"warehouse-{k}" for k in range(8)], True)]
)
def test_names_of_many_sites_stand_upright_instead_of_over_each_other(names, upright):
    sites = tuple(Site(name, 1 / len(names), lighting=LIGHT) for name in names)
    drawn = str(draw_exposure(Deployment("d", "pick", sites, ()), sites))
    assert ("rotate(-90)" in drawn) is upright


def test_a_value_that_never_changed_has_a_mark():
    (steady,) = draw_comparisons([dataclasses.replace(RANGE, span=(400.0, 400.0))], 1)
    marks = re.findall(r'<use [^>]*x="([\d.]+)"[^>]*--c1', str(steady))
    assert len(marks) == 2
    assert len(set(marks)) == 1
