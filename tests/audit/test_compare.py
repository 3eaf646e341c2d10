"""What logs say of the map: agreement, contradiction, and 'cannot tell' where they do not say enough."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.audit.maps import FULL, SKUS, START_NS, attempts, outcome

from fieldloop.audit import compare_map_with_logs, parse_deployment_map
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.policy import Stage
from fieldloop.protocol import default_operations
from fieldloop.say import write_sentence

SETTINGS = default_operations()["audit"]
MAP = parse_deployment_map(FULL, SKUS, SETTINGS)
AS_CLAIMED = {"front": 0.7, "back": 0.3}


def found(outcomes=(), episodes=(), deployment=MAP, **more):
    return {(c.site, c.what): c for c in compare_map_with_logs(deployment, episodes, SETTINGS, outcomes, **more)}


def many(days=20, per_day=100, **given):
    return [
        outcome(n, n // per_day, lighting="bright" if n % 10 < 6 else "dim", bin="front" if n % 10 < 7 else "back",
                item="a", **given)
        for n in range(days * per_day)
    ]  # fmt: skip


def test_attempts_as_claimed_agree_with_the_map():
    seen = found(many(facts={"lux": 400.0, "temperature_c": 20.0, "humidity_percent": 50.0}))
    for what in ("tier", "bin", "lighting", "sku", "lux", "temperature_c", "humidity_percent"):
        assert seen["north", what].status is Status.PASSED, seen["north", what].message
    assert seen["north", "dust_mg_m3"].status is Status.CANNOT_TELL


def test_what_is_planted_is_found_and_nothing_else():
    dark = [dataclasses.replace(o, stratum=Stratum.of(o.stratum.levels | {"lighting": "dim"})) for o in many()]
    seen = found(dark)
    wrong = {what for (_, what), c in seen.items() if c.status is Status.FAILED}
    assert wrong == {"lighting"}
    message = seen["north", "lighting"].message
    assert message.code == "audit.contradicted"
    dim = next(d for d in message.details if d["level"] == "dim")
    assert write_sentence(dim).startswith("dim makes up 100.0 % of 2,000 attempts (")
    assert write_sentence(dim).endswith("; the map states 40.0 %.")
    assert [x.level for x in seen["north", "lighting"].levels if x.differs] == ["bright", "dim"]


def test_a_level_the_map_does_not_know_is_named():
    rng = np.random.default_rng(1)
    seen = found(attempts(rng, {"front": 0.6, "back": 0.3, "jammed": 0.1}, days=20, per_day=100))
    assert seen["north", "bin"].status is Status.FAILED
    (jammed,) = (d for d in seen["north", "bin"].message.details if d.code == "audit.level_without_share")
    assert (jammed["level"], jammed["meant"]) == ("jammed", "")
    seen = found(attempts(rng, {"FRONT": 0.7, "back": 0.3}, days=20, per_day=100))
    assert "front" in [
        d["meant"] for d in seen["north", "bin"].message.details if d.code == "audit.level_without_share"
    ]


def test_a_trifle_is_no_contradiction_however_many_picks_show_it():
    rng = np.random.default_rng(2)
    seen = found(attempts(rng, {"front": 0.73, "back": 0.27}, days=30, per_day=400))
    assert seen["north", "bin"].status is Status.PASSED
    seen = found(attempts(rng, {"front": 0.80, "back": 0.20}, days=30, per_day=400))
    assert seen["north", "bin"].status is Status.FAILED


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([], "audit.no_attempts"),
        ([outcome(n, n % 10) for n in range(200)], "audit.no_attempt_logs_it"),
        ([outcome(n, n % 3, bin="back") for n in range(200)], "audit.too_few_days"),
        (
            [
                outcome(n, n % 9, **({"bin": "back"} if n % 4 == 1 else {"bin": "front"} if n % 2 else {}))
                for n in range(400)
            ],
            "audit.rest_may_differ",
        ),
        ([outcome(n, n % 10, bin="front" if n % 2 else "back") for n in range(20)], "audit.more_days_needed"),
    ],
)
def test_too_little_is_cannot_tell_with_its_reason(outcomes, code):
    compared = found(outcomes)["north", "bin"]
    assert compared.status is Status.CANNOT_TELL
    assert code in {compared.message.code, *(detail.code for detail in compared.message.details)}


def partly(logged, *, days=10, per_day=100, **given):
    """Attempts of which only the share `logged` of each day logs facts or levels."""
    return [
        outcome(n, n // per_day, **(given if n % per_day < logged * per_day else {})) for n in range(days * per_day)
    ]


def test_what_holds_whatever_the_unlogged_rest_was_is_decided():
    bright = found(partly(0.66, facts={"lux": 5000.0}))["north", "lux"]
    assert bright.status is Status.FAILED
    outside, rest = bright.message.details
    assert (outside.code, outside["measured"], outside["attempts"]) == ("audit.outside_stated_range", 1.0, 660)
    assert (rest.code, rest["share"], rest["attempts"]) == ("audit.whatever_the_rest", 0.34, 1000)
    mostly_back = found(partly(0.66, bin="back"))["north", "bin"]
    assert {x.level for x in mostly_back.levels if x.differs} == {"front", "back"}


@pytest.mark.parametrize(
    ("logged", "given"),
    [
        (0.03, {"facts": {"lux": 5000.0}}),  # the rest may lie inside, and 3 % may lie outside
        (0.66, {"facts": {"lux": 400.0}}),  # the rest may lie outside
        (0.3, {"bin": "back"}),  # the rest may be as the map says
        (0.66, {"bin": "front"}),
    ],
)
def test_what_the_unlogged_rest_could_change_is_left_open(logged, given):
    compared = found(partly(logged, **given))["north", "lux" if "facts" in given else "bin"]
    assert compared.status is Status.CANNOT_TELL
    assert compared.message.code == "audit.rest_may_differ"


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), told=st.floats(0.05, 0.75))
def test_bounds_hold_for_every_way_the_silent_rest_could_have_been(seed, told):
    rng = np.random.default_rng(seed)
    levels = rng.choice(["front", "back"], 480, p=[0.7, 0.3])
    speaks = rng.random(480) < told
    partial = [outcome(n, n // 60, **({"bin": str(levels[n])} if speaks[n] else {})) for n in range(480)]
    seen = found(partial)["north", "bin"]
    assert seen.status is not Status.FAILED, "what is silent may always have made it true"
    for level in seen.levels:
        true_share = float((levels == level.level).mean())
        assert level.low <= true_share <= level.high


def test_a_hundred_thousand_picks_of_one_day_are_one_day():
    assert found([outcome(n, 0, bin="back") for n in range(5000)])["north", "bin"].status is Status.CANNOT_TELL


def test_two_judges_of_one_attempt_are_one_attempt():
    once = many()
    again = [dataclasses.replace(o, id=o.id + "b", judged_by="camera", succeeded=False, attempt=o.id) for o in once]
    first = [dataclasses.replace(o, attempt=o.id) for o in once]
    assert found([*first, *again])["north", "bin"].episodes == len(once)


def test_laboratory_and_gate_say_nothing_about_the_floor():
    assert found(many(stage=Stage.LAB))["north", "bin"].episodes == 0
    assert found(many(stage=Stage.GATE))["north", "bin"].episodes == 0


def episode(number, **facts):
    stratum = Stratum.of({"site": "north", "bin": facts.pop("bin", "front")})
    return Episode(
        f"e{number}", f"e{number}", "mcap", site="north", stratum=stratum, start_ns=START_NS + number * 10**13,
        facts=tuple((k, str(v)) for k, v in facts.items()),
    )  # fmt: skip


def test_demonstrations_count_for_light_and_air_but_not_for_traffic():
    shown = [episode(k, lux=250, temperature_c=20, humidity=50, bin="jammed") for k in range(1200)]
    seen = found(episodes=shown)
    assert seen["north", "lux"].status is Status.FAILED
    assert "300 to 800 lx and 80 to 200 lx." in write_sentence(seen["north", "lux"].message)
    assert seen["north", "temperature_c"].status is Status.PASSED
    assert seen["north", "humidity_percent"].status is Status.PASSED
    reason, unknown = seen["north", "bin"].message.details
    assert reason.code == "audit.demonstrations_only"
    assert unknown["levels"] == ("jammed",)
    assert found(episodes=shown, traffic=True)["north", "bin"].status is Status.FAILED


def test_simulated_episodes_do_not_count_where_real_ones_exist():
    real = [episode(k, lux=400) for k in range(100)]
    unreal = [dataclasses.replace(episode(k, lux=9999), id=f"s{k}", simulated=True) for k in range(100)]
    assert found(episodes=[*real, *unreal])["north", "lux"].episodes == 100


@pytest.mark.parametrize(
    ("fact", "value", "unit"),
    [
        ("temperature_c", 293.0, "kelvin"),
        ("temperature_c", 68.0, "°F"),
        ("humidity_percent", 0.5, "shares of one"),
    ],
)
def test_another_unit_is_recognised(fact, value, unit):
    details = found(many(facts={fact: value}))["north", fact].message.details
    assert [detail["unit"] for detail in details if detail.code == "audit.other_unit"] == [unit]


def test_garbage_and_silence_are_cannot_tell():
    garbage = [episode(1, lux="bright", temperature_c="nan")]
    seen = found(episodes=garbage)
    assert seen["north", "lux"].status is seen["north", "temperature_c"].status is Status.CANNOT_TELL
    assert {c.status for c in compare_map_with_logs(MAP, [], SETTINGS)} == {Status.CANNOT_TELL}


def test_a_shift_or_zone_that_the_attempt_names_is_compared_with_its_own_light():
    night = [dataclasses.replace(o, stratum=Stratum.of(o.stratum.levels | {"shift": "night"}))
             for o in many(facts={"lux": 400.0})]  # fmt: skip
    assert found(night)["north", "lux"].status is Status.FAILED
    assert found(many(facts={"lux": 400.0}))["north", "lux"].status is Status.PASSED


def test_articles_that_the_map_lacks_and_the_reverse_are_named_by_share_of_picks():
    catalogue = "sku,picks_per_week\n" + "".join(f"s{k},{100 if k < 5 else 1}\n" for k in range(105))
    deployment = parse_deployment_map(FULL, catalogue, SETTINGS)
    picked = [outcome(n, n // 200, bin="front", item=f"s{n % 4}" if n % 10 else "new") for n in range(4000)]
    compared = found(picked, deployment=deployment)["north", "sku"]
    assert compared.status is Status.FAILED
    unseen, lacking = compared.message.details[-2:]
    assert (unseen.code, unseen["unseen"], unseen["all"]) == ("audit.articles_never_seen", 101, 105)
    assert unseen["share"] == pytest.approx(1 / 3)
    assert 0 <= unseen["by_chance"] < 0.0005
    assert (lacking["articles"], lacking["share"]) == (("new",), 0.1)
    assert next(x for x in compared.levels if x.level == "s4").measured == 0.0


def test_edge_cases_and_speed_are_compared_where_attempts_name_them():
    text = FULL.replace("per_week = 14\nfailure_rate = 0.2", "per_week = 1\nfailure_rate = 0.1")
    deployment = parse_deployment_map(text, "sku,picks_per_week\na,100\n", SETTINGS)
    slow = [
        dataclasses.replace(o, scenario="stuck together" if n % 5 == 0 else "", succeeded=n % 10 != 0, cycle_s=15.0)
        for n, o in enumerate(many())
    ]
    seen = found(slow, deployment=deployment)
    happens = seen["", "edge case: stuck together"].message.details[0]
    assert (happens["level"], happens["measured"], happens["attempts"]) == ("happens", 0.2, 2000)
    fails = seen["", "edge case: stuck together, failures"].message.details[0]
    assert (fails["level"], fails["measured"]) == ("fails", 0.5)
    assert seen["", "cycle_s"].message.details[0].code == "audit.slower_than_target"
    assert ("", "edge case: stuck together") not in found(many(), deployment=deployment)


def test_one_stratum_only_is_judged_without_a_division_by_nothing():
    flat = parse_deployment_map(
        '[deployment]\nid="d"\ntask="t"\n[[site]]\nid="north"\nshare=1\nbins={front=1.0}', "", SETTINGS
    )
    outcomes = [outcome(n, n % 20, bin="front") for n in range(2000)]
    assert found(outcomes, deployment=flat)["north", "bin"].status is Status.PASSED
    elsewhere = [outcome(n, n % 20, bin="back") for n in range(2000)]
    assert found(elsewhere, deployment=flat)["north", "bin"].status is Status.FAILED


def test_shares_of_sites_are_compared_too():
    two = FULL.replace("share = 1.0", "share = 0.5") + '[[site]]\nid = "south"\nshare = 0.5\n'
    seen = found(many(), deployment=parse_deployment_map(two, SKUS, SETTINGS))
    assert seen["", "site"].status is Status.FAILED
    assert ("north", 1.0) in [(d["level"], d["measured"]) for d in seen["", "site"].message.details]
