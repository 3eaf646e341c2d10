"""Order lines become a catalogue with velocity; every line is either counted or named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.audit import make_catalogue, read_order_lines, write_catalogue_csv
from fieldloop.audit.catalogue import read_catalogue, read_item_master
from fieldloop.errors import BadInput
from fieldloop.loop.audit.velocity import write_velocity_catalogue
from fieldloop.protocol import default_operations
from fieldloop.testing.shared import find_shared_data

SETTINGS = default_operations()["audit"]
LINES = """\
DATE,OrderNumber,SKU,PCS,Warehouse
12/13/2018,1,a,3,north
12/14/2018,1,b,1,north
12/26/2018,2,a,2,south
"""


def read(text, **more):
    lines, named = text.splitlines(keepends=True), more.pop("named", {})
    return read_order_lines(lines, SETTINGS, file="lines.csv", named=named, **more)


def refused(text, **more):
    with pytest.raises(BadInput) as caught:
        read(text, **more)
    return str(caught.value)


def test_an_item_master_is_read_under_its_own_names_and_units():
    text = "Item No;Weight (g);length_mm;Width [cm];height m;colour\nA;300;120;8,5;0.05;red\n"
    (sku,) = read_item_master(text.replace("8,5", "8.5"), "items.csv").values()
    assert (sku.id, sku.mass_kg, sku.size_m) == ("A", pytest.approx(0.3), pytest.approx((0.12, 0.085, 0.05)))


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("sku,weight", "'weight' has no unit; add one of kg, g"),
        ("colour,mass_kg", "no column names the article"),
        ("item,article,mass_kg", "could be 'item' or 'article'"),
        ("sku,mass_g,weight_kg", "'mass_g' and 'weight_kg' both give mass_kg"),
    ],
)
def test_a_master_that_is_unclear_is_refused_with_what_to_write(header, says):
    with pytest.raises(BadInput, match=says):
        read_item_master(header + "\n" + ",".join("1" * (header.count(",") + 1)) + "\n", "items.csv")


def test_order_lines_name_the_article_as_exports_do():
    counted = read("Item No;Order Date;Qty\nA;2026-09-30;2\nA;2026-10-01;1\n")
    assert dict(counted.columns)["sku"] == "Item No"
    with pytest.raises(BadInput, match="--sku-column 'Our part ref'"):
        read("Our part ref,date\nA,2026-09-30\n")


def test_pieces_are_counted_by_article_site_and_week():
    counted = read(LINES)
    assert counted.picks == {"a": {"north": 3.0, "south": 2.0}, "b": {"north": 1.0}}
    assert counted.weeks == 2.0
    skus = make_catalogue(counted, {}, SETTINGS)
    assert [(s.id, s.picks_per_week, s.by_site) for s in skus] == [
        ("a", 2.5, (("north", 1.5), ("south", 1.0))),
        ("b", 0.5, (("north", 0.5),)),
    ]
    assert read(LINES, lines_are_picks=True).picks["a"] == {"north": 1.0, "south": 1.0}


def test_what_is_written_is_read_back():
    master = read_item_master("sku,mass_kg,packaging,colour\na,0.3,box,red\nidle,0.1,,blue\n", "items.csv")
    for lines in (LINES, LINES.replace("Warehouse", "Dock")):
        skus = make_catalogue(read(lines), master, SETTINGS)
        again = read_catalogue(write_catalogue_csv(skus), SETTINGS)
        assert {s.id: (s.picks_per_week, s.tier, s.mass_kg) for s in again} == {
            s.id: (s.picks_per_week, s.tier, s.mass_kg) for s in skus
        }
        assert {s.id for s in again} == {"a", "b", "idle"}


def test_a_line_that_cannot_be_counted_is_named_with_its_reason():
    bad = (
        LINES
        + "12/14/2018,1,c,1,north\n" * 5
        + ",3,a,1,north\n12/15/2018,3,,1,north\n12/15/2018,3,b,many,north\n12/15/2018,3,b,-2,north\n"
    )
    bad += "12/15/2018,3,b,1,\n12/15/2018,3\n31/31/2018,4,b,1,north\n\n"
    counted = read(bad, dates="month-first")
    assert counted.lines == 15
    assert {s.why: (s.lines, s.first) for s in counted.skipped} == {
        "no article": (1, (11,)),
        "pieces are not a number": (1, (12,)),
        "pieces are not above 0, as in a return": (1, (13,)),
        "no site": (1, (14,)),
        "not 5 cells": (1, (15,)),
        "no date can be read, as in ''": (2, (10, 16)),
    }
    assert counted.picks["b"] == {"north": 1.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("DATE,SKU\n", "none of its 0 lines"),
        ("DATE,SKU\nyesterday,a\n", "none of its 1 lines could be counted: no date can be read, as in 'yesterday'"),
        ("day,thing\n2026-01-01,a\n", "name it with --sku-column. There are: day, thing"),
        ("sku,when\na,2026-01-01\n", "name it with --date-column"),
        (
            "article,item,date\na,b,2026-01-01\n",
            "the sku could be the column article or item; name it with",
        ),
        ("sku,date\na,3/4/2026\n", "use --dates day-first or month-first"),
        ("sku,date\na,13/4/2026\nb,4/13/2026\n", "(line 2) has the day first, '4/13/2026' (line 3) the month"),
        ('sku,date\na,2026-01-01\n"b,2026-01-02\n', "quotation mark"),
    ],
)
def test_ambiguous_columns_and_dates_must_be_named(text, says):
    assert says in refused(text)


def test_columns_can_be_named_and_a_wrong_name_is_corrected():
    text = "thing;at;much\na;2026-01-01;2\na;2026-01-07;1\n"
    counted = read(text, named={"sku": "thing", "date": "at", "pieces": "much"})
    assert counted.picks["a"] == {"": 3.0}
    assert counted.weeks == 1.0
    assert "Did you mean 'thing'?" in refused(text, named={"sku": "thin"})


@pytest.mark.parametrize(
    ("written", "dates", "day"),
    [
        ("2026-01-31", "", "2026-01-31"),
        ("2026-01-31T08:15:00", "", "2026-01-31"),
        ("2026-01-31 08:15", "", "2026-01-31"),
        ("20260131", "", "2026-01-31"),
        ("31.01.2026", "", "2026-01-31"),
        ("03.04.2026", "", "2026-04-03"),
        ("31/1/2026", "", "2026-01-31"),
        ("1/31/2026", "", "2026-01-31"),
        ("3/4/2026", "day-first", "2026-04-03"),
        ("3/4/2026", "month-first", "2026-03-04"),
    ],
)
def test_days_are_read_as_they_are_written(written, dates, day):
    assert read(f"sku,date\na,{written}\n", dates=dates).first_day.isoformat() == day


@given(st.text(max_size=120))
def test_no_text_whatever_breaks_the_reader(text):
    try:
        counted = read(f"sku,date,qty\n{text}")
    except BadInput:
        return
    assert counted.lines >= sum(one.lines for one in counted.skipped)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 9)), min_size=1, max_size=40))
def test_every_line_is_counted_or_named(rows):
    text = "sku,date,qty\n" + "".join(f"{sku},2026-01-0{1 + n % 7},{pieces}\n" for n, (sku, pieces) in enumerate(rows))
    unusable = sum(pieces <= 0 for _, pieces in rows)
    if unusable > len(rows) / 2:
        assert "be counted" in refused(text)
        return
    counted = read(text)
    assert sum(sum(p.values()) for p in counted.picks.values()) == sum(p for _, p in rows if p > 0)
    assert sum(one.lines for one in counted.skipped) == unusable


@pytest.mark.parametrize(("dates", "other"), [("day-first", "month-first"), ("month-first", "day-first")])
def test_an_order_of_day_and_month_that_the_data_contradict_is_refused(dates, other):
    days = [f"12/{day}" if other == "month-first" else f"{day}/12" for day in range(1, 17)]
    text = "sku,date\n" + "".join(f"a,{day}/2018\n" for day in days)
    message = refused(text, dates=dates)
    assert message.startswith(f"lines.csv, line 14: '{days[12]}/2018' is {other}, as 25% of the lines are")
    assert f"Use --dates {other}" in message
    assert read(text, dates=other).lines == 16


def test_one_day_that_was_typed_the_other_way_round_is_skipped_by_name():
    text = "sku,date\n" + "".join(f"a,12/{1 + n % 28}/2018\n" for n in range(200)) + "a,28/12/2018\n"
    assert [one.first for one in read(text, dates="month-first").skipped] == [(202,)]


def test_a_catalogue_of_what_little_could_be_counted_is_not_written():
    rows = "".join(f"a,2026-01-0{1 + n % 7},{-n if n % 4 else 1}\n" for n in range(1, 101))
    message = refused(f"sku,date,qty\n{rows}")
    assert (
        "75 of its 100 lines cannot be counted: pieces are not above 0, as in a return (line 2 and 74 more)" in message
    )
    assert "Invert the sign" in message
    assert read(f"sku,date,qty\n{rows}", lines_are_picks=True).picks["a"][""] == 100
    message = refused("sku,date\n" + "a,2026-01-01\n" * 2 + "a,soon\n" * 3)
    assert "3 of its 5 lines cannot be counted: no date can be read, as in 'soon'" in message
    assert "--date-column" in message


def test_one_line_that_outweighs_all_others_is_named(tmp_path):
    rows = [f"a,2026-01-0{1 + n % 7},2\n" for n in range(20)]
    (tmp_path / "lines.csv").write_text(
        "sku,date,qty\n" + "".join(rows[:9]) + "b,2026-01-03,9999\n" + "".join(rows[9:])
    )
    remarks = write_velocity_catalogue(None, tmp_path / "lines.csv", out=tmp_path / "skus.csv").remarks
    assert remarks == (
        "Line 11 alone is 100 % of all pieces: 9,999 of b. Remove it if it is not an order, or use --count lines.",
    )
    (tmp_path / "lines.csv").write_text("sku,date,qty\n" + "".join(rows))
    assert not write_velocity_catalogue(None, tmp_path / "lines.csv", out=tmp_path / "more.csv").remarks


def test_pieces_that_cannot_be_picked_are_left_out_by_name():
    counted = read("sku,date,qty\na,2026-01-01,3\nb,2026-01-01,1e300\n")
    assert [(one.why, one.first) for one in counted.skipped] == [("pieces are more than 100,000,000", (3,))]


def test_a_folder_is_no_export(tmp_path):
    with pytest.raises(BadInput, match="is a folder"):
        write_velocity_catalogue(None, tmp_path, out=tmp_path / "skus.csv")


def test_a_real_export_becomes_a_catalogue(tmp_path):
    folder = find_shared_data("order-lines")
    if folder is None:
        pytest.skip("no shared data on this machine")
    made = write_velocity_catalogue(None, folder / "df_lines.csv", out=tmp_path / "skus.csv")
    assert (made.lines, made.used, made.skus) == (5000, 5000, 1050)
    assert (made.first_day, made.last_day) == ("2018-12-01", "2018-12-16")
    assert [t.share for t in made.tiers] == pytest.approx([0.8, 0.15, 0.05], abs=0.005)
    skus = read_catalogue((tmp_path / "skus.csv").read_text(), SETTINGS)
    assert sum(s.picks_per_week for s in skus) == pytest.approx(made.picks_per_week, rel=1e-4)


def year_of(stray, lines=200):
    days = "".join(f"2026-03-{1 + k % 28:02d},a,1\n" for k in range(lines))
    return f"date,sku,pcs\n{days}{stray}"


@pytest.mark.parametrize("day", ["2062-03-05", "0226-03-05", "2025-03-05"])
def test_one_mistyped_year_is_skipped_by_name(day):
    counted = read(year_of(f"{day},b,7\n"))
    assert counted.weeks == 4.0
    assert list(counted.picks) == ["a"]
    (skipped,) = counted.skipped
    assert skipped.why == f"a day far from all others, as in {day!r}"
    assert (skipped.lines, skipped.first) == (1, (202,))


def test_two_stretches_of_which_either_may_be_right_are_refused():
    message = refused(year_of("2062-03-05,b,7\n" * 40))
    assert message.startswith("lines.csv, line 202: '2062-03-05' and other days with 17% of the lines")
    assert "away from 2026-03-01 to 2026-03-28. Correct the dates" in message


def test_a_quiet_season_is_no_gap():
    counted = read(year_of("2026-05-30,b,7\n"))
    assert counted.weeks == 13.0
    assert counted.skipped == ()
