"""The sheet an operator reads: all that was asked for stands on it, in units people use, and text stays text."""

import pytest

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.errors import UnknownName
from fieldloop.loop.protocol.named import list_example_protocols, read_example_protocol
from fieldloop.protocol import parse_protocol
from fieldloop.report.protocol import make_operator_sheet, render_html, render_markdown

LABELS = load_shipped_taxonomy().labels
NASTY = "<script>alert(1)</script> | & a pipe"


def protocol(name="warehouse-picking", more=""):
    return parse_protocol(read_example_protocol(name) + more)


@pytest.mark.parametrize("name", list_example_protocols())
def test_every_instruction_stands_on_the_sheet_of_its_interface(name):
    rules = protocol(name)
    for interface in rules.setting("task.interfaces"):
        text = render_markdown(make_operator_sheet(rules, interface, LABELS))
        described = rules.interfaces[interface]
        for line in (*described.steps, *described.never, described.recovery):
            assert line in text
        for script in rules.edge_cases.values():
            assert all(line in text for line in (script.trigger, *script.steps, script.label))
        for view in rules.viewpoints.values():
            assert view.mounted in text
        assert all(phase.name in text for phase in rules.phases)
        assert rules.label in text


def test_one_interface_is_shown_alone_and_all_of_them_otherwise():
    rules = protocol()
    assert "With SpaceMouse" not in render_markdown(make_operator_sheet(rules, "vr", LABELS))
    whole = render_markdown(make_operator_sheet(rules, "", LABELS))
    assert "With VR" in whole
    assert "With SpaceMouse" in whole
    assert "kinesthetic" not in whole
    with pytest.raises(UnknownName, match="joystick"):
        make_operator_sheet(rules, "joystick")


def test_numbers_are_written_as_people_write_them():
    text = render_markdown(make_operator_sheet(protocol(), "vr", LABELS))
    for said in ("5 to 25 N", "at least 15 cm", "at most 2 cm", "at most 30 %", "at most 0.5 m/s", "± 5 mm, ± 1°"):
        assert said in text


def test_the_page_is_one_file_that_fetches_nothing():
    page = render_html(make_operator_sheet(protocol(), "vr", LABELS, locked=True))
    assert page.startswith("<!doctype html>")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert "src=" not in page
    assert "locked." in page
    assert "not locked yet" in render_html(make_operator_sheet(protocol(), "vr", LABELS))


def test_text_stays_text():
    rules = protocol(more=f'\n[interface.arm]\nsteps = ["{NASTY}", "Go on."]\n[edge_cases.odd]\ntrigger = "{NASTY}"\n')
    page = render_html(make_operator_sheet(rules, "arm", LABELS))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_what_is_verified_says_when_and_what_is_not_says_so():
    device = '\n[synchronisation.extra]\nsynchronised_by = "PTP"\nverified = { on = 2026-03-02, offset_ms = 0.8 }\n'
    sensor = '\n[sensors.extra]\nkind = "imu"\n[sensors.bare]\nkind = "imu"\n'
    text = render_markdown(make_operator_sheet(protocol(more=device + sensor), "vr", LABELS))
    assert "2026-03-02: 0.8 ms" in text
    assert "| bare | imu | optional | not declared | no |" in text
