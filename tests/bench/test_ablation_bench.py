"""The ablation in a very small form: it measures, tells, draws, and puts its tables on a page."""

from dataclasses import replace

import pytest
from bench import ablation
from bench.ablation_shown import IN_DATA, LABELS, LINE, Point, costs, draw, tables
from bench.doc_page import marks, put

from fieldloop.errors import BadInput


def test_a_page_takes_the_tables_between_its_marks(tmp_path):
    file = tmp_path / "page.md"
    begin, end = marks("x")
    file.write_text(f"before\n{begin}\nold\n{end}\nafter\n", encoding="utf-8")
    put(file, "x", "new")
    assert file.read_text(encoding="utf-8") == f"before\n{begin}\nnew\n{end}\nafter\n"
    with pytest.raises(BadInput, match="lacks the marks"):
        put(file, "y", "new")


def test_the_ablation_measures_tells_and_draws(tmp_path):
    small = ablation.Sizes(demonstrations=120, training=30, picks=80)
    found = ablation.points(1, small, (0, 100), (0, 200))
    assert {p.amount_ms for p in found if p.fault == IN_DATA} == {0, 100}
    found += [replace(point, seed=2, success=point.success / 2) for point in found]
    assert "| lag, ms | 0 | 100 |" in tables(found)
    for name in ("a.svg", "b.svg"):
        draw(found, (IN_DATA, LABELS), "ms", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_costs_are_counted_floor_by_floor():
    found = [Point(s, IN_DATA, LINE, a, 0.8 - s / 10 - a / 1000) for s in (0, 1, 2) for a in (0.0, 100.0)]
    assert costs(found, IN_DATA, LINE)[100.0].value == pytest.approx(10.0)
