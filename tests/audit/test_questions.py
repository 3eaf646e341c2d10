"""The audit names what a map leaves open, and where it would be written."""

import pytest
from tests.audit.maps import FULL, SKUS

from fieldloop.audit import parse_deployment_map, score_questions
from fieldloop.errors import BadInput
from fieldloop.model.audit import AuditAnswer
from fieldloop.model.codec import from_plain
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["audit"]


def test_a_full_map_answers_everything():
    audit = score_questions(parse_deployment_map(FULL, SKUS, SETTINGS), SETTINGS)
    assert audit.complete
    assert audit.score == 1.0
    assert len(audit.answers) == 5
    assert not any(a.missing for a in audit.answers)


@pytest.mark.parametrize(
    ("line", "question", "missing"),
    [
        ('synchronisation = "PTP"', "synchronisation", "how sensors are synchronised (write synchronisation"),
        ("max_offset_ms = 5", "synchronisation", "the largest allowed clock offset (write max_offset_ms"),
        ('verified_by = "a light that every camera sees"', "synchronisation", "how clocks are verified"),
        ('label_standard = "phases v1"', "labels", "the label standard"),
        ("min_agreement = 0.8", "labels", "the required agreement of annotators"),
        ("lux = { day = [300, 800], night = [80, 200] }", "environment", "lux by shift at north/aisle (write lux"),
        ("light_angle_deg = [20, 70]", "environment", "the angle of the light at north/aisle"),
        ('floor = "concrete"', "environment", "the floor at north/aisle"),
        ('transitions = ["none"]', "environment", "transitions of the floor at north/aisle"),
        ("ceiling_m = 9", "environment", "the height of the ceiling at north/aisle"),
        ('layout = "one aisle"', "environment", "the layout at north/aisle"),
        ("objects_per_bin = [1, 20]", "environment", "the number of objects per bin at north/aisle"),
        ("target_cycle_s = 12", "environment", "the target cycle time"),
        ('camera_mounts = ["overhead"]', "environment", "where cameras are mounted at north"),
        ("bin_sizes_m = { tote = [0.6, 0.4, 0.3] }", "environment", "inner sizes of bins at north"),
        ('shelving = "flow rack"', "environment", "the shelving at north"),
        ("lighting = { bright = 0.6, dim = 0.4 }", "environment", "shares of lighting at north"),
        ("temperature_c = [15, 28]", "conditions", "temperature at north/aisle"),
        ("humidity_percent = [30, 70]", "conditions", "humidity at north/aisle"),
        ("dust_mg_m3 = [0, 1]", "conditions", "dust at north/aisle (write dust_mg_m3"),
        ("vibration_m_s2 = [0, 0.2]", "conditions", "vibration at north/aisle"),
        ("noise_db = [60, 75]", "conditions", "ambient noise at north/aisle"),
        ("people_count = 50", "conditions", "the number of people at north"),
        (", occluded = 0", "edge_cases", "how often items lie occluded at north (write occluded = 0 in bins"),
        (
            '[[edge_case]]\nname = "stuck together"\nper_week = 14\nfailure_rate = 0.2\n',
            "edge_cases",
            "edge cases with their weekly",
        ),
    ],
)
def test_each_missing_item_is_named_under_its_question_with_how_to_write_it(line, question, missing):
    assert line in FULL
    audit = score_questions(parse_deployment_map(FULL.replace(line, "", 1), SKUS, SETTINGS), SETTINGS)
    answer = next(a for a in audit.answers if a.question.code == f"audit.asks_{question}")
    assert answer.score < 1.0
    assert len(answer.missing) == 1
    assert write_sentence(answer.missing[0]).startswith(missing)
    optional = any(key in line for key in SETTINGS["not_required"])
    assert answer.missing[0].code == ("audit.missing_optional" if optional else "audit.missing")
    assert answer.missing[0]["write"]
    assert all(a.score == 1.0 for a in audit.answers if a is not answer)


def test_the_score_is_the_share_of_what_was_asked_for():
    without = FULL.replace("ceiling_m = 9", "").replace('floor = "concrete"', "")
    audit = score_questions(parse_deployment_map(without, SKUS, SETTINGS), SETTINGS)
    environment = audit.answers[0]
    assert environment.asked == 13
    assert environment.score == pytest.approx(11 / 13)


def test_the_failure_rate_of_an_edge_case_is_asked_for_and_lowers_no_score():
    audit = score_questions(parse_deployment_map(FULL.replace("failure_rate = 0.2\n", ""), SKUS, SETTINGS), SETTINGS)
    edges = next(a for a in audit.answers if a.question.code == "audit.asks_edge_cases")
    assert write_sentence(edges.missing[0]).startswith(
        "how often attempts fail at stuck together (write failure_rate under"
    )
    assert len(edges.missing) == 1
    assert audit.score == edges.score == 1.0


def test_what_many_sites_lack_is_named_once():
    sites = "".join(f'[[site]]\nid = "s{k}"\nshare = 0.1\n' for k in range(10))
    audit = score_questions(
        parse_deployment_map(f'[deployment]\nid = "d"\ntask = "t"\n{sites}', "", SETTINGS), SETTINGS
    )
    assert "shares of lighting at s0, s1, s2 and 7 more (write lighting" in " ".join(
        map(write_sentence, audit.answers[0].missing)
    )
    assert len(audit.answers[0].missing) < 20


def test_one_open_question_leaves_the_map_incomplete_however_good_the_rest():
    without = FULL.replace('label_standard = "phases v1"', "").replace("min_agreement = 0.8", "")
    audit = score_questions(parse_deployment_map(without, SKUS, SETTINGS), SETTINGS)
    assert audit.score == pytest.approx(0.8)
    assert not audit.complete


def test_a_bare_map_scores_low_and_says_a_lot():
    bare = score_questions(
        parse_deployment_map('[deployment]\nid="d"\ntask="t"\n[[site]]\nid="s"\nshare=1', "", SETTINGS), SETTINGS
    )
    assert bare.score == 0.0
    assert not bare.complete
    assert all(a.missing for a in bare.answers)


def test_a_question_that_an_earlier_version_wrote_as_text_is_still_shown():
    kept = {"question": "edge cases: which?", "score": 0.5, "missing": [], "asked": 2}
    assert write_sentence(from_plain(AuditAnswer, kept).question) == "edge cases: which?"


AIR = ("dust_mg_m3 = [0, 1]\n", "vibration_m_s2 = [0, 0.2]\n", "noise_db = [60, 75]\n")


def without(*lines, **answers):
    text = FULL
    for line in lines:
        key = line.partition(" ")[0]
        assert line in text
        text = text.replace(line, f'{key} = "{answers[key]}"\n' if key in answers else "", 1)
    return score_questions(parse_deployment_map(text, SKUS, SETTINGS), SETTINGS)


def test_what_an_ordinary_site_cannot_measure_lowers_the_score_and_does_not_block():
    audit = without(*AIR, "humidity_percent = [30, 70]\n", "light_angle_deg = [20, 70]\n")
    assert audit.complete
    assert audit.score < 1.0
    assert min(a.score for a in audit.answers) < SETTINGS.number("min_score")


def test_a_required_quantity_counts_until_the_map_says_that_it_is_unknown():
    stated = without("temperature_c = [15, 28]\n", temperature_c="unknown")
    silent = without("temperature_c = [15, 28]\n")
    assert stated.score == silent.score < 1.0
    ((before,), (after,)) = (
        [a for a in one.answers if a.question.code == "audit.asks_conditions"] for one in (silent, stated)
    )
    assert before.required_score < after.required_score == 1.0
    assert [one.code for one in before.missing] == ["audit.missing"]
    assert [one.code for one in after.missing] == ["audit.missing_optional"]


def test_only_quantities_of_a_zone_may_be_unknown():
    with pytest.raises(BadInput, match="should be a list"):
        parse_deployment_map(FULL.replace('transitions = ["none"]', 'transitions = "unknown"'), SKUS, SETTINGS)
