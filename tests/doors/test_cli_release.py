"""A release in the terminal: by names, one line for many episodes alike, and no line of lists in one cell."""

import io
from dataclasses import replace
from types import SimpleNamespace

import pytest

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_value
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Subject, note
from fieldloop.model.release import Release, StratumShare
from fieldloop.model.release_diff import LevelShare, Shift
from fieldloop.model.worth import EpisodeWorth, Worth, WorthMethod
from fieldloop.release import count_contents
from fieldloop.report.datasheet import write_datasheet
from fieldloop.report.datasheet_page import render_datasheet
from fieldloop.report.release_diff import list_shift_rows
from fieldloop.say.findings import write_finding

WHY, FIXED = note("check.fix_idle_tail"), Fix(FixKind.RESTAMP, note("check.fix_idle_head"), "camera/top")
SHARES = tuple(StratumShare(Stratum.of(bin=f"b{n}", site="x"), 0.05, float(n == 14), 1.0) for n in range(15))
RELEASE = Release(
    "e" * 64, "r1", ("a", "b", "c"), ("a", "b"), ("c",), "pick v1", "", SHARES, "f" * 64,
    tuple((name, WHY) for name in "defgh"), tuple((name, FIXED) for name in "ab"),
)  # fmt: skip
EPISODES = [Episode(name, name, "mcap", "pick") for name in "abc"]


def shown(value):
    stream = io.StringIO()
    show_result(value, Screen(stream))
    return stream.getvalue().splitlines()


def test_a_release_groups_what_is_alike():
    lines = shown(RELEASE)
    assert any("3: 2 for training, 1 for validation" in line for line in lines)
    assert "5 episodes left out" in lines
    assert sum("d, e, f and 2 more" in line for line in lines) == 1
    assert sum(line.startswith("a, b ") and "restamp" in line and "camera/top" in line for line in lines) == 1
    assert sum("100.0 %" in line for line in lines) == 1
    assert next(line for line in lines if "100.0 %" in line).startswith("b14, x"), "what it holds comes first"
    assert "And 3 more strata; --json lists all." in lines
    assert not any("taxonomy" in line or "ffff" in line for line in lines), "what is not there has no line"


@pytest.mark.parametrize("count", [1, 2])
def test_releases_are_listed_by_name_without_ids(count):
    lines = shown([RELEASE] * count)
    assert lines[0].split()[:2] == ["release", "episodes"]
    assert len([line for line in lines if line.startswith("r1 ")]) == count
    assert "eeee" not in "".join(lines)


def test_a_release_without_validation_or_off_the_map_says_so():
    assert not any("No episode" in line for line in shown(RELEASE))
    away = replace(RELEASE, train=("a", "b", "c"), validation=(), shares=tuple(replace(s, natural=0.0) for s in SHARES))
    lines = "\n".join(shown(away))
    assert "No episode is for validation." in lines
    assert "None of the episodes belongs to one of the 0 deployed strata" in lines


def test_off_the_map_is_one_line_in_every_form_instead_of_a_row_for_each_deployed_stratum():
    deployed = [StratumShare(Stratum.of(site=f"s{n}"), 1 / 37, 0.0, 0.0) for n in range(37)]
    away = replace(RELEASE, shares=(*deployed, StratumShare(Stratum.of(site="lab"), 0.0, 1.0, 1.0)))
    line = "None of the episodes belongs to one of the 37 deployed strata"
    for text in (
        " ".join(shown(away)),
        write_datasheet(away, EPISODES),
        render_datasheet(away, count_contents(away, EPISODES, [])),
    ):
        assert line in text
        assert "s36" not in text


def test_episodes_of_least_worth_are_one_row():
    left = [(f"{n:064x}", note("release.least_worth", whole="w", method="smooth", share=0.4, rank=n, of=9, value=-1.5,
             low=None, high=None)) for n in range(1, 5)]  # fmt: skip
    rows = [line for line in shown(replace(RELEASE, excluded=tuple(left))) if "least worth" in line]
    assert len(rows) == 1
    assert "For example: Left out with the 40 % of least worth" in rows[0]


def test_worth_is_shown_with_its_scale_and_a_finding_in_a_cell_is_a_sentence():
    assert "the nearer to 0, the smoother" in " ".join(
        shown(Worth(WorthMethod.SMOOTH, (EpisodeWorth("a", "e1", -1.5),)))
    )
    late = Finding("batch.operators", Subject(aspect="pick"), Status.FAILED, 2.0, 3.0, None, "operators")
    assert format_value(late, "finding") == write_finding(late)


def test_conditions_with_nothing_in_common_are_not_left_to_chance():
    apart = Shift("robot", 1.0, 1.0, 1.0, None, (LevelShare("a", 1.0, 0.0), LevelShare("b", 0.0, 1.0)))
    near, far = (list_shift_rows(SimpleNamespace(shifts=(replace(apart, apart=by),)))[0][3] for by in (0.4, 1.0))
    assert (near, far) == (
        "cannot tell: too few sessions differ",
        "nothing in common; too few sessions differ to test it",
    )
