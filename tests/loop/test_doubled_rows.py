"""Rows that look like one attempt written twice are said; a coarse clock and several judges are no reason to."""

from dataclasses import replace

import numpy as np
import pytest
from tests.audit.maps import START_NS, outcome

from fieldloop.ingest.tables.doubled_rows import find_doubled_rows
from fieldloop.loop.run.case_folder import diagnose_folder, plan_folder
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["audit"]
ROWS = [
    replace(outcome(n, item=f"sku{n % 7}", bin="front"), at_ns=START_NS + n * 10**9, succeeded=n % 3 > 0)
    for n in range(40)
]


def again(one, **given):
    return replace(one, id=f"{one.id}-again", **given)


def test_a_row_that_came_twice_is_reported():
    assert list(find_doubled_rows(ROWS, "production.csv", SETTINGS)) == []
    (said,) = find_doubled_rows([*ROWS, *map(again, ROWS[3:15])], "production.csv", SETTINGS)
    assert said.code == "ingest.repeated_rows"
    assert (said["file"], said["repeated"], said["rows"], said["first"]) == ("production.csv", 12, 52, "o3-again")


@pytest.mark.parametrize(
    "given", [{"robot": "other"}, {"item": "b"}, {"succeeded": False}, {"at_ns": START_NS - 1}, {"site": "south"}]
)
def test_what_differs_is_no_repetition(given):
    assert list(find_doubled_rows([*ROWS, again(ROWS[1], **given)], "production.csv", SETTINGS)) == []


def test_judges_of_one_attempt_and_rows_without_a_time_are_no_repetition():
    named = [replace(one, attempt=one.id) for one in ROWS]
    judged = [again(one, judged_by="camera") for one in named]
    assert list(find_doubled_rows([*named, *judged], "production.csv", SETTINGS)) == []
    timeless = [replace(one, at_ns=0) for one in ROWS]
    assert list(find_doubled_rows(timeless, "production.csv", SETTINGS)) == []


@pytest.mark.parametrize(("items", "of_a_moment"), [(1, 2), (1, 20), (5, 2), (5, 20), (50, 3), (50, 1000)])
def test_a_coarse_clock_alone_is_no_reason(items, of_a_moment):
    """False alarms: attempts at random, several of them with the same time."""
    rng, said = np.random.default_rng(items), 0
    for _ in range(10):
        picked, done = rng.integers(items, size=400), rng.random(400) < 0.9
        rows = [
            replace(outcome(n, item=f"sku{picked[n]}"), at_ns=START_NS + n // of_a_moment, succeeded=bool(done[n]))
            for n in range(400)
        ]
        said += bool(list(find_doubled_rows(rows, "production.csv", SETTINGS)))
        twice = [*rows, *(again(one) for one in rows[:200])]
        assert items == 1 or of_a_moment > 3 or list(find_doubled_rows(twice, "production.csv", SETTINGS))
    assert said == 0


def test_a_folder_says_what_is_doubled_and_that_it_has_no_tiers(tmp_path):
    (tmp_path / "deployment.toml").write_text(
        '[deployment]\nid = "d"\ntask = "pick"\n'
        '[[site]]\nid = "north"\nshare = 1.0\nbins = { front = 0.5, back = 0.5 }\n'
    )
    rows = "".join(
        f"{'yes' if n % 5 else 'no'},2026-05-0{1 + n // 40}T09:{n % 40:02d}:00Z,north,arm,{('Back', 'front')[n % 2]}\n"
        for n in range(200)
    )
    (tmp_path / "production.csv").write_text(f"succeeded,at,site,robot,bin\n{rows}{rows[: len(rows) // 2]}\n")
    warnings = "\n".join(map(write_sentence, plan_folder(None, tmp_path, budget=10).warnings))
    assert "repeat the robot, time, article and outcome of another row" in warnings
    assert "skus.csv is missing, so articles have no tiers." in warnings
    assert "did you mean 'back'?" in warnings
    assert diagnose_folder(None, tmp_path).cannot_tell[0].code == "ingest.repeated_rows"
