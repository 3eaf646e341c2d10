"""The audit names what a map leaves open, and what the logs contradict."""

import dataclasses

import pytest

from fieldloop.audit import ask, compare, parse
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["audit"]

FULL = """\
[deployment]
id = "berlin"
task = "pick"
target_cycle_s = 12
label_standard = "phases v1"
synchronisation = "PTP"
[[site]]
id = "north"
share = 1.0
camera_mounts = ["overhead"]
people_bands = { hand_size = "160-200 mm" }
lighting = { bright = 0.6, dim = 0.4 }
bins = { front = 0.7, back = 0.3 }
[[site.zone]]
name = "aisle"
floor = "concrete"
temperature_c = [15, 28]
humidity_percent = [30, 70]
lux = { day = [300, 800], night = [80, 200] }
[[edge_case]]
name = "stuck together"
per_week = 14
"""
SKUS = "sku,picks_per_week,mass_kg,length_m,width_m,height_m,packaging,deformable\na,10,0.3,0.1,0.1,0.05,box,no\n"


def test_a_full_map_answers_everything():
    audit = ask(parse(FULL, SKUS, SETTINGS), SETTINGS)
    assert audit.complete
    assert audit.score == 1.0
    assert len(audit.answers) == 5
    assert not any(a.missing for a in audit.answers)


@pytest.mark.parametrize(
    ("line", "question", "missing"),
    [
        ('synchronisation = "PTP"', "synchronisation", "how sensors are synchronised"),
        ('label_standard = "phases v1"', "label standards", "the label standard"),
        ("lux = { day = [300, 800], night = [80, 200] }", "environment", "lux by shift in north/aisle"),
        ('floor = "concrete"', "environment", "the floor of north/aisle"),
        ("target_cycle_s = 12", "environment", "the target cycle time"),
        ('camera_mounts = ["overhead"]', "environment", "where cameras are mounted at north"),
        ("temperature_c = [15, 28]", "physical conditions", "temperature in north/aisle"),
        ('people_bands = { hand_size = "160-200 mm" }', "physical conditions", "bands of the people at north"),
        ('[[edge_case]]\nname = "stuck together"\nper_week = 14\n', "edge cases", "edge cases with their weekly"),
    ],
)
def test_whatever_is_taken_out_is_named_under_its_question(line, question, missing):
    audit = ask(parse(FULL.replace(line, "", 1), SKUS, SETTINGS), SETTINGS)
    answer = next(a for a in audit.answers if a.question.startswith(question))
    assert answer.score < 1.0
    assert [m for m in answer.missing if m.startswith(missing)]
    assert all(a.score == 1.0 for a in audit.answers if a is not answer)


def test_one_open_question_leaves_the_map_incomplete_however_good_the_rest():
    audit = ask(parse(FULL.replace('label_standard = "phases v1"', ""), SKUS, SETTINGS), SETTINGS)
    assert audit.score == pytest.approx(0.8)
    assert not audit.complete


def test_a_bare_map_scores_low_and_says_a_lot():
    bare = ask(parse('[deployment]\nid="d"\ntask="t"\n[[site]]\nid="s"\nshare=1', "", SETTINGS), SETTINGS)
    assert bare.score == 0.0
    assert not bare.complete
    assert all(a.missing for a in bare.answers)


def episode(number, **facts):
    levels = {
        "site": "north",
        "tier": "high",
        "bin": facts.pop("bin", "front"),
        "lighting": facts.pop("lighting", "dim"),
    }
    return Episode(f"e{number}", f"e{number}", "mcap", site="north", stratum=Stratum.of(levels),
                   facts=tuple((k, str(v)) for k, v in facts.items()))  # fmt: skip


def by_what(comparisons):
    return {c.what: c for c in comparisons}


def test_logs_that_agree_pass_and_logs_that_do_not_fail():
    deployment = parse(FULL, SKUS, SETTINGS)
    as_claimed = [
        episode(k, lux=400 if k % 2 else 100, temperature_c=20, humidity=50, lighting="bright" if k % 5 < 3 else "dim",
                bin="front" if k % 10 < 7 else "back") for k in range(100)
    ]  # fmt: skip
    assert {c.status for c in compare(deployment, as_claimed, SETTINGS)} == {Status.PASSED}
    elsewhere = [dataclasses.replace(e, facts=(("lux", "250"), ("temperature_c", "3"))) for e in as_claimed]
    found = by_what(compare(deployment, elsewhere, SETTINGS))
    assert found["lux"].status is Status.FAILED
    assert "100 of 100" in found["lux"].message
    assert found["temperature_c"].status is Status.FAILED
    assert found["humidity"].status is Status.CANNOT_TELL


def test_a_mix_that_differs_and_a_level_the_map_does_not_know_are_named():
    deployment = parse(FULL, SKUS, SETTINGS)
    found = by_what(compare(deployment, [episode(k, lighting="dim", bin="side") for k in range(40)], SETTINGS))
    assert found["lighting"].status is Status.FAILED
    assert "side, which the map does not know" in found["bin"].message


def test_nothing_recorded_is_cannot_tell():
    assert {c.status for c in compare(parse(FULL, SKUS, SETTINGS), [], SETTINGS)} == {Status.CANNOT_TELL}
    garbage = [episode(1, lux="bright", temperature_c="nan")]
    found = by_what(compare(parse(FULL, SKUS, SETTINGS), garbage, SETTINGS))
    assert found["lux"].status is found["temperature_c"].status is Status.CANNOT_TELL
