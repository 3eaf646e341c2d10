"""The audit names what a map leaves open, and where it would be written."""

import pytest
from tests.audit.maps import FULL, SKUS

from fieldloop.audit import ask, parse
from fieldloop.protocol import default_operations

SETTINGS = default_operations()["audit"]


def test_a_full_map_answers_everything():
    audit = ask(parse(FULL, SKUS, SETTINGS), SETTINGS)
    assert audit.complete
    assert audit.score == 1.0
    assert len(audit.answers) == 5
    assert not any(a.missing for a in audit.answers)


@pytest.mark.parametrize(
    ("line", "question", "missing"),
    [
        ('synchronisation = "PTP"', "synchronisation", "how sensors are synchronised (write synchronisation"),
        ("max_offset_ms = 5", "synchronisation", "the largest offset allowed (write max_offset_ms"),
        ('verified_by = "a light that every camera sees"', "synchronisation", "how that is verified"),
        ('label_standard = "phases v1"', "label standards", "the label standard"),
        ("min_agreement = 0.8", "label standards", "how far annotators must agree"),
        ("lux = { day = [300, 800], night = [80, 200] }", "environment", "lux by shift in north/aisle (write lux"),
        ("light_angle_deg = [20, 70]", "environment", "the angle of the light in north/aisle"),
        ('floor = "concrete"', "environment", "the floor in north/aisle"),
        ('transitions = ["none"]', "environment", "transitions of the floor in north/aisle"),
        ("ceiling_m = 9", "environment", "the height of the ceiling in north/aisle"),
        ('layout = "one aisle"', "environment", "the layout in north/aisle"),
        ("objects_per_bin = [1, 20]", "environment", "how densely objects lie in north/aisle"),
        ("target_cycle_s = 12", "environment", "the target cycle time"),
        ('camera_mounts = ["overhead"]', "environment", "where cameras are mounted at north"),
        ("bin_sizes_m = { tote = [0.6, 0.4, 0.3] }", "environment", "inner sizes of bins at north"),
        ('shelving = "flow rack"', "environment", "the shelving at north"),
        ("lighting = { bright = 0.6, dim = 0.4 }", "environment", "shares of light at north"),
        ("temperature_c = [15, 28]", "physical conditions", "temperature in north/aisle"),
        ("humidity_percent = [30, 70]", "physical conditions", "humidity in north/aisle"),
        ("dust_mg_m3 = [0, 1]", "physical conditions", "dust in north/aisle (write dust_mg_m3"),
        ("vibration_m_s2 = [0, 0.2]", "physical conditions", "vibration in north/aisle"),
        ("noise_db = [60, 75]", "physical conditions", "ambient noise in north/aisle"),
        ("people_count = 50", "physical conditions", "how many people work at north"),
        (", occluded = 0", "edge cases", "how often items lie occluded at north (write occluded = 0 in bins"),
        (
            '[[edge_case]]\nname = "stuck together"\nper_week = 14\nfailure_rate = 0.2\n',
            "edge cases",
            "edge cases with their weekly",
        ),
    ],
)
def test_whatever_is_taken_out_is_named_under_its_question_with_where_to_write_it(line, question, missing):
    assert line in FULL
    audit = ask(parse(FULL.replace(line, "", 1), SKUS, SETTINGS), SETTINGS)
    answer = next(a for a in audit.answers if a.question.startswith(question))
    assert answer.score < 1.0
    assert len(answer.missing) == 1
    assert answer.missing[0].startswith(missing)
    assert "(write " in answer.missing[0]
    assert all(a.score == 1.0 for a in audit.answers if a is not answer)


def test_the_score_is_the_share_of_what_was_asked_for():
    without = FULL.replace("ceiling_m = 9", "").replace('floor = "concrete"', "")
    audit = ask(parse(without, SKUS, SETTINGS), SETTINGS)
    environment = audit.answers[0]
    assert environment.asked == 13
    assert environment.score == pytest.approx(11 / 13)


def test_the_failure_rate_of_an_edge_case_is_asked_for_and_lowers_no_score():
    audit = ask(parse(FULL.replace("failure_rate = 0.2\n", ""), SKUS, SETTINGS), SETTINGS)
    edges = next(a for a in audit.answers if a.question.startswith("edge cases"))
    assert edges.missing[0].startswith("how often attempts fail at stuck together (write failure_rate under")
    assert len(edges.missing) == 1
    assert audit.score == edges.score == 1.0


def test_what_many_sites_lack_is_said_once():
    sites = "".join(f'[[site]]\nid = "s{k}"\nshare = 0.1\n' for k in range(10))
    audit = ask(parse(f'[deployment]\nid = "d"\ntask = "t"\n{sites}', "", SETTINGS), SETTINGS)
    assert "shares of light at s0, s1, s2 and 7 more (write lighting" in " ".join(audit.answers[0].missing)
    assert len(audit.answers[0].missing) < 20


def test_one_open_question_leaves_the_map_incomplete_however_good_the_rest():
    without = FULL.replace('label_standard = "phases v1"', "").replace("min_agreement = 0.8", "")
    audit = ask(parse(without, SKUS, SETTINGS), SETTINGS)
    assert audit.score == pytest.approx(0.8)
    assert not audit.complete


def test_a_bare_map_scores_low_and_says_a_lot():
    bare = ask(parse('[deployment]\nid="d"\ntask="t"\n[[site]]\nid="s"\nshare=1', "", SETTINGS), SETTINGS)
    assert bare.score == 0.0
    assert not bare.complete
    assert all(a.missing for a in bare.answers)
