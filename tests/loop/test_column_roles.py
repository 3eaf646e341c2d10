"""What a folder's columns are: stated in one line, or seen from values; a wrong line is refused with a suggestion."""

import numpy as np
import pytest

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.run.case_folder import diagnose_folder
from fieldloop.model.diagnosis import Gap, Role
from fieldloop.model.finding import Status

GERMAN = "erfolg,zeit,standort,roboter,beleuchtung,zaehler"
ENGLISH = "succeeded,at,site,robot,lighting,gripper_cycles"
LINES = """
erfolg = "result"
zeit = "time"
standort = "site"
roboter = "robot"
beleuchtung = "condition"
zaehler = "wear counter"
"""


def write_case(folder, header=GERMAN, lines=LINES):
    """A light that no demonstration has loses 40 points."""
    folder.mkdir()
    chance = np.random.default_rng(1)
    for name, count, lights in (("baseline", 300, "ab"), ("production", 800, "abn"), ("demonstrations", 200, "ab")):
        rows = []
        for k in range(count):
            light = str(chance.choice(list(lights)))
            good = chance.random() < (0.45 if light == "n" else 0.87) or name == "demonstrations"
            day = f"2026-05-{1 + k * 20 // count:02d}T{8 + k % 8:02d}:00:00Z"
            rows.append(f"{'yes' if good else 'no'},{day},s{k % 2},s{k % 2}-{k % 4},light-{light},{1000 + k}")
        (folder / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    if lines:
        (folder / "columns.toml").write_text(lines, encoding="utf-8")
    return folder


def test_a_folder_in_german_gives_the_same_answer_as_one_in_english(tmp_path):
    theirs = diagnose_folder(None, write_case(tmp_path / "german"))
    ours = diagnose_folder(None, write_case(tmp_path / "english", ENGLISH, ""))
    assert theirs.status is ours.status is Status.FAILED
    assert str(theirs.causes[0].stratum) == "beleuchtung=light-n"
    assert theirs.causes[0].gap is ours.causes[0].gap is Gap.ENVIRONMENT
    assert theirs.causes[0].share == pytest.approx(ours.causes[0].share, abs=0.02)
    roles = {one.name: (one.role, one.stated) for one in theirs.columns}
    assert roles["beleuchtung"] == (Role.CONDITION, True)
    assert roles["zaehler"] == (Role.WEAR, True)
    assert roles["standort"] == (Role.SITE, True)


def test_times_are_recognised_by_their_values(tmp_path):
    folder = write_case(tmp_path / "case", "succeeded,wann,site,robot,licht,n", "")
    roles = {one.name: one.role for one in diagnose_folder(None, folder).columns}
    assert (roles["wann"], roles["n"]) == (Role.TIME, Role.WEAR)


@pytest.mark.parametrize(
    ("lines", "error", "says"),
    [
        ('beleuchtng = "condition"\n', UnknownName, "Did you mean 'beleuchtung'"),
        ('beleuchtung = "conditon"\n', UnknownName, "Did you mean 'condition'"),
        ("beleuchtung = 3\n", UnknownName, "role of beleuchtung"),
        ("beleuchtung\n", BadInput, "not valid TOML"),
        (LINES + 'x = "site"\n', UnknownName, "column"),
        (LINES.replace('"condition"', '"site"'), BadInput, "both mean 'site'"),
    ],
)
def test_a_wrong_line_is_refused(tmp_path, lines, error, says):
    with pytest.raises(error, match=says):
        diagnose_folder(None, write_case(tmp_path / "case", lines=lines))
