"""A time that a table writes is read as it was meant, or refused with what it looks like."""

import json

import pytest

from fieldloop.errors import BadInput
from fieldloop.ingest.tables.attempt_files import read_demonstrations, read_outcomes
from fieldloop.ingest.tables.written_times import parse_moment_ns
from fieldloop.model.policy import Stage

MAY_NS = 1_777_622_400 * 10**9
"""2026-05-01T08:00:00Z"""
NONE = frozenset()
BERLIN = {"leipzig": "Europe/Berlin"}


@pytest.mark.parametrize(
    "text",
    ["2026-05-01T08:00:00Z", "2026-05-01 10:00+02:00", "1777622400", "1777622400.0", "1777622400000000000",
     "1.7776224E+18"],
)  # fmt: skip
def test_many_ways_of_writing_one_moment(text):
    assert parse_moment_ns(text, "line 2") == MAY_NS


def test_the_last_digits_stay_where_they_were_written():
    assert parse_moment_ns("1777622400000000001", "line 2") == MAY_NS + 1
    assert parse_moment_ns("2026-05-01T08:00:00.123457Z", "line 2") == MAY_NS + 123_457_000
    assert parse_moment_ns("1.76723E+18", "line 2") == 1_767_230_000_000_000_000, "a spreadsheet keeps six digits"
    assert parse_moment_ns("", "line 2") == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1777622400000", "line 2: at = 1777622400000 in seconds is the year 58,300; it looks like milliseconds"),
        ("1777622400000000", "it looks like microseconds"),
        ("1e30", "after 2200"),
        ("-5", "before 1970"),
        ("2300-01-01", "after 2200"),
        ("0001-01-01T00:00:00", "before 1970"),
        ("tomorrow", "'tomorrow' is not a valid time"),
        ("nan", "'nan' is not a valid time"),
        ("01/05/2026", "is not a valid time"),
    ],
)
def test_what_no_clock_can_have_shown_is_refused(text, says):
    with pytest.raises(BadInput, match=says):
        parse_moment_ns(text, "line 2")


def test_a_time_without_a_zone_is_read_by_the_clocks_of_its_site(tmp_path):
    file = tmp_path / "production.csv"
    rows = ("leipzig,2026-05-01T10:00:00", "elsewhere,2026-05-01T08:00:00", "leipzig,2026-05-01T08:00:00Z")
    file.write_text("\n".join(["succeeded,site,at", *(f"yes,{row}" for row in rows)]), encoding="utf-8")
    assert {one.at_ns for one in read_outcomes(file, "p", Stage.PRODUCTION, NONE, BERLIN)} == {MAY_NS}
    assert read_outcomes(file, "p", Stage.PRODUCTION, NONE)[0].at_ns == MAY_NS + 2 * 3600 * 10**9
    shown = tmp_path / "demonstrations.csv"
    shown.write_text("site,at\nleipzig,2026-05-01T10:00:00\n", encoding="utf-8")
    assert read_demonstrations(shown, NONE, BERLIN)[0].start_ns == MAY_NS


def test_json_lines_say_when_in_either_word(tmp_path):
    file = tmp_path / "production.jsonl"
    rows = ({"at": "2026-05-01T10:00:00", "site": "leipzig"}, {"at_ns": MAY_NS}, {"at_ns": float(MAY_NS)})
    file.write_text("\n".join(json.dumps({"succeeded": True, **row}) for row in rows), encoding="utf-8")
    told = [one.at_ns for one in read_outcomes(file, "p", Stage.PRODUCTION, NONE, BERLIN)]
    assert told == [MAY_NS] * 3
    assert all(isinstance(at_ns, int) for at_ns in told)
    assert [one.end_ns for one in read_demonstrations(file, NONE, BERLIN)] == [MAY_NS, 0, 0]


@pytest.mark.parametrize("at_ns", ["1777622400", None, True, 10**22, -1])
def test_a_noun_whose_moment_is_none_is_refused(tmp_path, at_ns):
    file = tmp_path / "production.jsonl"
    file.write_text(json.dumps({"succeeded": True, "at_ns": at_ns}), encoding="utf-8")
    with pytest.raises(BadInput, match="line 1: at_ns = "):
        read_outcomes(file, "p", Stage.PRODUCTION, NONE)
