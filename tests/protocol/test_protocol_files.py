"""The number files: shipped defaults are whole, a workspace's own file is laid over them, mistakes are named."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.check import UNITS
from fieldloop.errors import ProtocolError
from fieldloop.protocol import (
    Limit,
    Source,
    default_operations,
    default_protocol,
    parse_operations,
    parse_protocol,
    require_agreement,
)
from fieldloop.protocol.number import SourceKind

SOURCE = Source(SourceKind.ASSUMED, "test")


def test_code_and_shipped_protocol_agree():
    require_agreement(UNITS, default_protocol())


def test_spec_numbers_are_the_shipped_ones():
    limits, operations = default_protocol().limits, default_operations()
    assert limits["timing.stream_offset"].maximum == 5.0
    assert (limits["force.window"].minimum, limits["force.window"].maximum) == (5.0, 25.0)
    assert (limits["adherence.duration"].minimum, limits["adherence.duration"].maximum) == (5.0, 60.0)
    assert limits["batch.operator_share"].maximum == 0.3
    assert operations["gate"]["consecutive_min_rate"] == 0.85
    assert operations["guard"]["min_confidence"] == 0.7
    assert operations["rollout"]["min_episodes"] == 200


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[check.timing.longest_gab]\nmax = 2",
            r"No check called 'timing.longest_gab'. Did you mean 'timing.longest_gap'",
        ),
        ("[check.timing.longest_gap]\nmaximum = 2", r"No key called 'maximum'"),
        ("[check.timing.stream_offset]\nunit = 's'\nmax = 0.005", r"measured in 'ms', but the file has 's'"),
        ("[check.timing.longest_gap]\nmax = 'two'", r"max = 'two' is not a number"),
        ("[check.adherence.duration]\nmin = 70", r"min 70 is above max 60"),
        ("[check.timing.longest_gap]\nsource = { kind = 'hearsay', ref = 'x' }", r"No kind of source called 'hearsay'"),
        ("[chek]\n", r"No key called 'chek'. Did you mean 'check'"),
        ("[protocol]\nversion = 0", r"whole number from 1"),
        ("[check", r"not valid TOML"),
        ("[task.strat]\nvalue = 'x'", r"No setting of task called 'strat'. Did you mean 'start'"),
    ],
)
def test_a_mistake_in_a_protocol_is_named(text, says):
    with pytest.raises(ProtocolError, match=says):
        parse_protocol(text, "protocols/pick.toml")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[monitr.max_drop]\nvalue = 0.1", r"No section called 'monitr'. Did you mean 'monitor'"),
        ("[monitor.max_dorp]\nvalue = 0.1", r"No setting of monitor called 'max_dorp'. Did you mean 'max_drop'"),
        ("[monitor.max_drop]\nvalue = 'five'", r"same kind as the default"),
        ("[monitor.max_drop]\nunit = 'points'\nvalue = 5", r"measured in 'rate', but the file has 'points'"),
        ("monitor = 3", r"must hold tables"),
    ],
)
def test_a_mistake_in_operations_is_named(text, says):
    with pytest.raises(ProtocolError, match=says):
        parse_operations(text)


@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "-inf"])
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[task.target_cycle_s]\nvalue = {}", "task.target_cycle_s.value"),
        ("[task]\ntarget_cycle_s = {}", "task.target_cycle_s"),
        ("[check.timing.longest_gap]\nmax = {}", "check.timing.longest_gap.max"),
        ("[check.batch.content_lag.parameters]\nx = {}", "check.batch.content_lag.parameters.x"),
        ("[sensors.cam]\nkind = 'rgb'\nhz = {}", "sensors.cam.hz"),
        ("[viewpoints.cam]\nparent = 'base'\nposition_m = [0, {}, 1]", r"viewpoints.cam.position_m\[2\]"),
        ("[synchronisation.cam]\nverified = {{ on = 2026-03-02, offset_ms = {} }}", "cam.verified.offset_ms"),
        ("[balance.outcome]\nshares = {{ succeeded = {} }}", "balance.outcome.shares.succeeded"),
        ("[[phase]]\nname = {}", r"phase\[1\].name"),
    ],
)
def test_a_number_that_is_not_finite_is_refused_with_its_place(text, place, value):
    with pytest.raises(ProtocolError, match=rf"protocols/pick.toml: \S*{place} = -?(nan|inf) is not a finite number"):
        parse_protocol(text.format(value), "protocols/pick.toml")


def test_operations_are_finite_too():
    with pytest.raises(ProtocolError, match=r"operations.toml: monitor.max_drop.value = nan"):
        parse_operations("[monitor.max_drop]\nvalue = nan")


def test_limits_say_shares_as_percent():
    assert str(default_protocol().limits["vision.black_or_blown"]) == "at most 2 % of frames"
    assert str(default_protocol().limits["timing.rate"]) == "95 to 105 % of declared rate"
    assert str(Limit("ms", "why", SOURCE)) == "no limit"


def test_a_setting_may_be_declared_before_it_is_used():
    assert default_operations()["store"].settings["job_lease_s"].pending
    assert not default_protocol().settings["episode.moving_rad_s"].pending
    assert default_operations()["store"].replace_values(job_lease_s=1.0).settings["job_lease_s"].pending


def test_only_numbers_make_another_fingerprint():
    plain = default_protocol().fingerprint
    reworded = parse_protocol('[check.timing.longest_gap]\nwhy = "Said otherwise."')
    renumbered = parse_protocol("[check.timing.longest_gap]\nmax = 2.0")
    newer = parse_protocol("[protocol]\nversion = 2")
    assert reworded.fingerprint == newer.fingerprint == plain
    assert renumbered.fingerprint != plain


def test_a_decision_carries_the_fingerprint_of_its_own_section():
    before, after = default_operations(), parse_operations("[monitor.max_drop]\nvalue = 0.03")
    assert before["monitor"].fingerprint != after["monitor"].fingerprint
    assert before["gate"].fingerprint == after["gate"].fingerprint
    assert before["monitor"].replace_values(max_drop=0.03).fingerprint == after["monitor"].fingerprint


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_what_is_not_finite_is_never_admitted(value):
    limit = Limit("ms", "why", SOURCE, minimum=-1e300)
    assert limit.admits(value) == (math.isfinite(value) and value >= -1e300)


def test_agreement_names_what_is_missing_on_either_side():
    with pytest.raises(ProtocolError, match=r"have no limit in force: timing.new"):
        require_agreement({**UNITS, "timing.new": "ms"}, default_protocol())
    with pytest.raises(ProtocolError, match=r"no check measures these limits: timing.longest_gap"):
        require_agreement({k: v for k, v in UNITS.items() if k != "timing.longest_gap"}, default_protocol())
    with pytest.raises(ProtocolError, match=r"measured in 's', the limit is in 'ms'"):
        require_agreement({**UNITS, "timing.stream_offset": "s"}, default_protocol())


def test_retired_settings_are_ignored_and_listed():
    found = parse_operations("[train.ensemble]\nvalue = 5\n[monitor.max_drop]\nvalue = 0.1\n")
    assert found.retired == ("train.ensemble",)
    assert found["monitor"].number("max_drop") == 0.1
    assert found["train"].fingerprint == default_operations()["train"].fingerprint
    with pytest.raises(ProtocolError, match="ensembel"):
        parse_operations("[train.ensembel]\nvalue = 5\n")
