"""The whole file: task, phases, interfaces, scripts, viewpoints, sensors, clocks, balance; and what is refused."""

import pytest

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.errors import ProtocolError
from fieldloop.protocol import SyncMeans, default_protocol, parse_protocol

CAMERA = '[sensors."camera/top"]\nkind = "rgb"\nrequired = true\n'


def test_the_shipped_protocol_says_all_that_the_specification_asks_for():
    shipped = default_protocol()
    assert [phase.name for phase in shipped.phases] == [label.name for label in load_shipped_taxonomy().labels]
    assert set(shipped.interfaces) == {"spacemouse", "vr", "kinesthetic"}
    assert all(interface.steps and interface.never and interface.recovery for interface in shipped.interfaces.values())
    assert shipped.get_interface_limit("vr", "tool_speed").maximum > 0
    assert shipped.get_interface_limit("vr", "grasp_pause").minimum > 0
    assert any("rag the item" in line for line in shipped.interfaces["vr"].never)
    kinesthetic = shipped.interfaces["kinesthetic"]
    speed = kinesthetic.limits["tool_speed"]
    assert kinesthetic.grip
    assert speed.minimum < speed.maximum
    assert set(shipped.edge_cases) == {"stuck_together", "fallen_off", "gripper_stuck"}
    assert all(script.trigger and script.steps and script.label for script in shipped.edge_cases.values())
    assert shipped.setting("episode.failures_kept")
    assert shipped.get_interface_limit("joystick", "tool_speed") is None


def test_what_a_task_states_is_laid_over_the_shipped_protocol():
    own = parse_protocol(
        '[task]\nstart = "hand open"\n'
        '[[phase]]\nname = "approach"\n[[phase]]\nname = "grasp"\nbegins = "The fingers touch."\n'
        '[interface.vr]\nnever = ["Hurry up and down."]\n[interface.vr.limits.tool_speed]\nmax = 0.3\n'
        '[interface.leader_arm]\nsteps = ["Take the handle.", "Move it."]\n'
        '[edge_cases]\nfallen_off = "Stop and reset the scene."\n'
        "[balance.outcome]\nshares = { succeeded = 0.75, failed = 0.25 }\n"
    )
    assert own.setting("task.start") == "hand open"
    assert [phase.name for phase in own.phases] == ["approach", "grasp"]
    assert own.interfaces["vr"].never == ("Hurry up and down.",)
    assert own.interfaces["vr"].steps == default_protocol().interfaces["vr"].steps
    assert own.get_interface_limit("vr", "tool_speed").maximum == 0.3
    assert own.get_interface_limit("vr", "tool_speed").unit == "m/s"
    assert own.interfaces["leader_arm"].steps == ("Take the handle.", "Move it.")
    assert str(own.edge_cases["fallen_off"]) == "Stop and reset the scene."
    assert own.edge_cases["stuck_together"].label
    assert own.balance["outcome"].shares == {"succeeded": 0.75, "failed": 0.25}


def test_a_clock_is_declared_beside_the_sensor_or_in_a_table_of_its_own():
    beside = parse_protocol(CAMERA + 'synchronised_by = "ptp"\n')
    assert beside.synchronisation["camera/top"].by is SyncMeans.PTP
    assert beside.sensors["camera/top"].synchronised_by == "PTP"
    apart = parse_protocol(
        CAMERA + '[synchronisation."camera/top"]\nsynchronised_by = "NTP"\nmax_offset_ms = 3\n'
        'verified = { on = 2026-03-02, offset_ms = -0.8, how = "light" }\n'
    ).synchronisation["camera/top"]
    assert (apart.by, apart.max_offset_ms) == (SyncMeans.NTP, 3.0)
    assert (apart.verified.day, apart.verified.offset_ms) == ("2026-03-02", 0.8)
    both = parse_protocol(CAMERA + 'synchronised_by = "PTP"\n[synchronisation."camera/top"]\nmax_offset_ms = 3\n')
    assert (both.synchronisation["camera/top"].by, both.synchronisation["camera/top"].max_offset_ms) == ("PTP", 3.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sensors = 3", r"sensors: 3 should be a table"),
        ('[sensors."camera/top"]\nrequired = true', r"sensors.camera/top: kind is missing"),
        ('[sensors.a]\nkind = "dept"', r"No kind of stream called 'dept'. Did you mean 'depth'"),
        ('[sensors.a]\nkind = "rgb"\nrequired = "yes"', r"required = 'yes' should be true or false"),
        ('[sensors.a]\nkind = "rgb"\nhz = -30', r"hz = -30 should be a number above zero"),
        ('[sensors.a]\nkind = "rgb"\nwidth = 640.5', r"width = 640.5 should be a whole number"),
        ('[sensors.a]\nkind = "rgb"\nsynchronised_by = "trigger"', r"Known: hardware trigger, PTP, NTP, none, unknown"),
        (CAMERA + 'synchronised_by = "PTP"\n[synchronisation."camera/top"]\nsynchronised_by = "NTP"', r"Keep one"),
        ("[synchronisation.a]\nverified = { offset_ms = 1 }", r"write the day it was verified"),
        ("[synchronisation.a]\nverified = { on = 2026-03-02 }", r"offset_ms is missing"),
        ("[viewpoints.a]\nposition_m = [1, 2]", r"position_m = \[1, 2\] should be a list of 3 numbers"),
        ("[viewpoints.a]\nposition_m = [1, 2, 3]", r"parent is missing"),
        ('[viewpoints.a]\nparent = "base"\nquaternion_xyzw = [1, 1, 0, 0]', r"has length 1.414"),
        ("[viewpoints.a]\ntolerance_mm = nan", r"tolerance_mm = nan is not a finite number"),
        ("[interface.vr]\nsteps = [1]", r"steps should be a list of sentences"),
        ("[interface.vr]\nstep = []", r"No key called 'step'. Did you mean 'steps'"),
        ("[interface.vr.limits.tool_sped]\nmax = 1", r"No limit of an interface called 'tool_sped'. Did you mean"),
        ('[interface.vr.limits.tool_speed]\nunit = "mm/s"\nmax = 1', r"measured in 'm/s', but the file has 'mm/s'"),
        ("[interface.new.limits.tool_speed]\nmax = 1", r"unit is missing"),
        ("[phase]\nname = 'approach'", r"write \[\[phase\]\] above each"),
        ("[[phase]]\nname = 'lift'\n[[phase]]\nname = 'lift'", r"two phases are called 'lift'"),
        ("[[phase]]\nbegins = 'now'", r"phase 1: name is missing"),
        ("[edge_cases.a]\nsteps = 'x'\nlabels = 'y'", r"No key called 'labels'. Did you mean 'label'"),
        ("[balance.outcome]\nshares = { succeeded = 80 }", r"it should be from 0 to 1, 0.8 for 80 %"),
        ("[balance.outcome]\nwhy = 'x'", r"shares is missing"),
        ("[task]\nstart = 5", r"task.start: 5 should be of the same kind as the default"),
        ("[task]\ntarget_cycle_s = 'eight'", r"'eight' should be of the same kind"),
        ("check = 1", r"check: 1 should be a table"),
        ("[check.timing.longest_gap]\nparameters = 3", r"longest_gap.parameters: 3 should be a table"),
        ("[check.timing.longest_gap]\nparameters = { edge_s = 'x' }", r"the parameter edge_s = 'x' is not a number"),
        ("[check.timing.longest_gap]\nmax = true", r"max = True is not a number"),
        ("[check.timing.longest_gap]\nrequired = 'no'", r"required = 'no' should be true or false"),
        ("[protocol]\nversion = true", r"whole number from 1"),
        ("[check]\ntiming = 1", r"check.timing: 1 should be a table"),
        ("[check.timing]\nlongest_gap = 1", r"check.timing.longest_gap: 1 should be a table"),
    ],
)
def test_a_mistake_is_named_with_its_table_and_key(text, says):
    with pytest.raises(ProtocolError, match=says) as told:
        parse_protocol(text, "protocols/pick.toml")
    assert "protocols/pick.toml" in str(told.value)


def test_records_and_reasons_make_no_other_protocol_and_instructions_do():
    base = CAMERA + '[synchronisation."camera/top"]\nsynchronised_by = "PTP"\n'
    plain = parse_protocol(base)
    verified = parse_protocol(base + "verified = { on = 2026-03-02, offset_ms = 1.0 }\n")
    assert verified.fingerprint == plain.fingerprint
    assert parse_protocol(base + "[interface.vr]\nrecovery = 'Stop at once.'\n").fingerprint != plain.fingerprint
    assert plain.version_name == "default v1"
    assert plain.label.startswith("default v1 (")
