"""Lint: every rule finds what was planted for it, and says nothing about protocols nothing is wrong with."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.loop.protocol.named import list_example_protocols, read_example_protocol
from fieldloop.protocol import Severity, default_operations, default_protocol, lint_protocol
from fieldloop.protocol.linting import Draft, task
from fieldloop.protocol.linting import __file__ as package
from fieldloop.say import write_sentence

PHASES = {label.name: label.definition for label in load_shipped_taxonomy().labels}
WHOLE = read_example_protocol("warehouse-picking")
CAMERA = '[sensors."camera/x"]\nkind = "rgb"\nrequired = true\n'
CLOCK = f'{CAMERA}[synchronisation."camera/x"]\nsynchronised_by = "PTP"\nhow = "A lamp, 50 times."\n'
TODAY = 1_794_700_800 * 10**9
"""2026-11-15, so that verified days can lie before and after it."""
ARM = (
    '[task]\ninterfaces = ["arm"]\n[interface.arm]\nsteps = ["Take the handle.", "Move the handle."]\n'
    'never = ["Let it fall down."]\nrecovery = "Stop and begin again."'
)
REASON = 'why = "x"\nsource = { kind = "assumed", ref = "x" }'
E, W, H = Severity.ERROR, Severity.WARNING, Severity.HINT
PLANTED = [
    ("[check", "P001", E, "protocol"),
    ('[[phase]]\nname = "wiggle"', "P101", E, "phase"),
    ("phase = []", "P102", E, "phase"),
    ('[[phase]]\nname = "lift"\nbegins = "It leaves the table."', "P103", W, "phase lift"),
    ("[check.adherence.pre_roll]\nmin = 60", "P104", E, "check.adherence.pre_roll"),
    ("[check.adherence.post_roll]\nmin = 61", "P104", E, "check.adherence.post_roll"),
    ("[task]\ntarget_cycle_s = 61", "P105", E, "task.target_cycle_s"),
    ("[task]\ntarget_cycle_s = 4", "P105", E, "task.target_cycle_s"),
    ('[protocol]\nname = "other"', "P107", W, "protocol"),
    ('[task]\ninterfaces = ["joystick"]', "P201", E, "task.interfaces"),
    ("[task]\ninterfaces = []", "P202", E, "task.interfaces"),
    ("[interface.vr]\nsteps = []", "P203", E, "interface.vr"),
    ("[interface.vr]\nnever = []", "P203", W, "interface.vr"),
    (
        ARM, "P204", W, "interface.arm",
    ),
    (
        f'[interface.vr.limits.joint_speed]\nunit = "rad/s"\nmax = 9\n{REASON}',
        "P205", E, "interface.vr.limits.joint_speed",
    ),
    ("", "P301", W, "sensors"),
    (CAMERA, "P302", W, "sensors.camera/x"),
    (CAMERA + '[viewpoints."camera/x"]\nmounted = "Above the table."', "P303", W, "viewpoints.camera/x"),
    (CAMERA + '[viewpoints."camera/x"]\ntolerance_mm = 1\ntolerance_deg = 1', "P304", E, "viewpoints.camera/x"),
    ('[viewpoints."camera/y"]\nmounted = "Above the table."', "P305", E, "viewpoints.camera/y"),
    ('[synchronisation.y]\nsynchronised_by = "PTP"', "P305", E, "synchronisation.y"),
    ('[sensors.a]\nkind = "imu"\n[viewpoints.a]\nmounted = "On the flange."', "P306", W, "viewpoints.a"),
    (CAMERA, "P307", E, "sensors.camera/x"),
    (CAMERA + 'synchronised_by = "unknown"', "P307", E, "sensors.camera/x"),
    (CAMERA + 'synchronised_by = "none"', "P308", W, "synchronisation.camera/x"),
    (CAMERA + 'synchronised_by = "PTP"', "P309", H, "synchronisation.camera/x"),
    (CAMERA, "P310", W, "sensors.camera/x"),
    ('[sensors.force]\nkind = "force_torque"\ndelicate = true', "P311", W, "sensors.force"),
    (CLOCK + "max_offset_ms = 0.002", "P312", W, "synchronisation.camera/x"),
    (CLOCK + "max_offset_ms = 2000", "P312", W, "synchronisation.camera/x"),
    (
        CLOCK + "max_offset_ms = 2\nverified = { on = 2026-03-02, offset_ms = 8 }",
        "P313", E, "synchronisation.camera/x",
    ),
    (CLOCK + "verified = { on = 2026-03-02, offset_ms = -5.1 }", "P313", E, "synchronisation.camera/x"),
    (CLOCK + "verified = { on = 2027-03-02, offset_ms = 1 }", "P314", E, "synchronisation.camera/x"),
    ('[edge_cases]\ntorn = "Stop and set it down."', "P401", E, "edge_cases.torn"),
    ('[edge_cases.torn]\nsteps = ["Stop it at once."]\nlabel = "failed"', "P401", W, "edge_cases.torn"),
    ("[episode]\nfailures_kept = false", "P402", W, "episode.failures_kept"),
    ("[balance.outcome]\nshares = { succeeded = 0.9, failed = 0.2 }", "P501", E, "balance.outcome"),
    ("[balance.outcome]\nshares = { succeeded = 1.0 }", "P502", W, "balance.outcome"),
    ("[check.batch.operator_share]\nmax = 0.0", "P503", E, "check.batch.operator_share"),
    ("[check.batch.operators]\nmin = 1\nmax = 3", "P503", E, "check.batch.operators"),
    ("[check.batch.operator_share]\nmax = 0.2", "P504", H, "check.batch.operators"),
    ("[check.adherence.lift_clearance]\nmin = 15", "P601", W, "check.adherence.lift_clearance"),
    ("[interface.vr.limits.tool_speed]\nmax = 500", "P601", W, "interface.vr.limits.tool_speed"),
    (CAMERA + "hz = 0.03", "P602", W, "sensors.camera/x"),
    (
        CAMERA + '[viewpoints."camera/x"]\nparent = "base"\nposition_m = [550, 0, 1200]',
        "P602", W, "viewpoints.camera/x",
    ),
    ("[check.timing.stream_offset]\nmax = 8", "P603", W, "check.timing.stream_offset"),
    (
        '[check.timing.stream_offset]\nmax = 8\nwhy = "No trigger."\nsource = { kind = "assumed", ref = "x" }',
        "P603", H, "check.timing.stream_offset",
    ),
    ("[check.timing.stream_offset]\npending = true", "P604", W, "check.timing.stream_offset"),
    ("[check.timing.stream_offset]\nmax = 4", "P605", H, "check.timing.stream_offset"),
    ("[task]\ntarget_cycle_s = 9", "P605", H, "task.target_cycle_s"),
    ('[task]\nstart = "open"', "P701", W, "task.start"),
    ('[interface.vr]\nsteps = ["Just do it well."]', "P702", W, "interface.vr"),
]  # fmt: skip


def said(text, **more):
    return lint_protocol(text, "protocol", phases=PHASES, at_ns=TODAY, **more)


@pytest.mark.parametrize(("text", "code", "severity", "place"), PLANTED, ids=[f"{p[1]} {p[3]}" for p in PLANTED])
def test_what_was_planted_is_found(text, code, severity, place):
    found = [r for r in said(text, task_name="default") if (r.code, r.severity, r.place) == (code, severity, place)]
    assert found, said(text)
    assert all(write_sentence(r.message).endswith((".", "…")) or code == "P001" for r in found)
    assert all(write_sentence(r.advice) for r in found)


def test_a_window_with_one_end_is_noticed():
    shipped = default_protocol()
    half = replace(shipped.limits["force.window"], minimum=None)
    changed = replace(shipped, limits={**shipped.limits, "force.window": half})
    draft = Draft(changed, shipped, {}, default_operations()["lint"])
    assert [r.code for r in task.find_missing_force_limit(draft)] == ["P106"]


def test_every_code_that_stands_in_a_rule_has_a_case():
    rules = "".join(path.read_text() for path in Path(package).parent.glob("*.py"))
    codes = set(re.findall(r'"(P\d{3})"', rules))
    assert codes - {p[1] for p in PLANTED} == {"P106"}, "P106 is tested by itself: the overlay cannot take an end away"
    assert {p[1] for p in PLANTED} <= codes


@pytest.mark.parametrize("name", list_example_protocols())
def test_an_example_is_whole_and_clean(name):
    text = read_example_protocol(name)
    remarks = said(text, task_name=name)
    assert not [r for r in remarks if r.severity is not H], remarks
    assert {r.code for r in remarks} <= {"P603"}, "looser than shipped, each with its own reason"


def test_the_shipped_protocol_lacks_only_what_a_station_knows():
    assert [r.code for r in said("")] == ["P301"]


@pytest.mark.parametrize("day", ["2026-11-15", "2026-11-16", "2020-01-01"])
def test_a_clock_verified_up_to_today_anywhere_on_earth_is_fine(day):
    remarks = said(CLOCK + f"max_offset_ms = 2\nverified = {{ on = {day}, offset_ms = 2 }}")
    assert not {r.code for r in remarks} & {"P312", "P313", "P314"}


def test_without_a_clock_no_day_lies_ahead():
    ahead = CLOCK + "verified = { on = 2999-01-01, offset_ms = 1 }"
    assert "P314" not in {r.code for r in lint_protocol(ahead, phases=PHASES)}


def test_remarks_come_worst_first():
    order = [r.severity for r in said(CAMERA + "[check.timing.stream_offset]\nmax = 8")]
    assert order == sorted(order, key=list(Severity).index)
    assert len(set(order)) == 3


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_file_that_was_cut_or_mangled_is_reported_and_never_crashes(data):
    start = data.draw(st.integers(0, len(WHOLE) - 1))
    length = data.draw(st.integers(0, 400))
    text = WHOLE[:start] + data.draw(st.text(max_size=8)) + WHOLE[start + length :]
    for remark in said(text):
        assert write_sentence(remark.message)


@settings(max_examples=60, deadline=None)
@given(
    part=st.sampled_from(["task", "sensors", "phase", "interface", "edge_cases", "viewpoints", "balance", "check"]),
    key=st.sampled_from(["vr", "start", "outcome", "timing", "camera/top"]),
    inner=st.sampled_from(
        [
            "steps",
            "value",
            "shares",
            "kind",
            "limits",
            "max",
            "verified",
            "longest_gap.max",
            "longest_gap.parameters",
            "longest_gap.source",
        ]
    ),
    value=st.sampled_from(["3", "nan", "-1", "'x'", "[]", "[1]", "{}", "true", "2026-01-01", "[['a']]", "''"]),
)
def test_a_value_of_any_kind_anywhere_is_reported_and_never_crashes(part, key, inner, value):
    for text in (f"{part} = {value}", f"[{part}]\n'{key}' = {value}", f"[{part}.'{key}']\n{inner} = {value}"):
        said(text)
