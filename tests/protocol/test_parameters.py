"""Parameters of checks: the short form, their names, and fingerprints that stay as they were with bare numbers."""

import copy
import json

import pytest

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.loop.protocol.numbers import show_protocol_numbers
from fieldloop.protocol import (
    compare_protocols,
    default_operations,
    default_protocol,
    lint_protocol,
    parse_operations,
    parse_protocol,
)
from fieldloop.protocol.collection import SETTINGS, fingerprint_tables, merge_tables_in_force, read_protocol_tables
from fieldloop.protocol.layers import compute_fingerprint, join_shipped_protocol, parse_toml, read_shipped_file
from fieldloop.protocol.statements import Effect, fingerprint_measuring_numbers

TEXTS = [
    "",
    "[check.force.window]\nparameters = { contact_n = 2.0 }",
    "[check.vision.repeated_frames]\nmax = 0.2\nparameters = { fewest_frames = 25 }",
    "[check.adherence.place_height.parameters]\nsurface_m = -0.08",
    "[episode]\nmoving_rad_s = 0.03",
]


def as_locked_earlier(text):
    """The tables as they were stored before parameters had reasons, and before some numbers had left the code."""
    tables = json.loads(json.dumps(copy.deepcopy(merge_tables_in_force(text)), default=str))
    for rows in tables["check"].values():
        for row in rows.values():
            if "parameters" in row:
                given = {name: one for name, one in row["parameters"].items() if "formerly" not in one}
                row["parameters"] = {name: one["value"] for name, one in given.items()}
                if not given:
                    del row["parameters"]
    for part in SETTINGS:
        tables[part] = {name: row for name, row in tables[part].items() if "formerly" not in row}
    return tables


NO_NUMBERS = ("why", "source", "verified", "without_protocol")


def numbers_only(content):
    if isinstance(content, dict):
        return {k: numbers_only(v) for k, v in content.items() if k not in NO_NUMBERS}
    return [numbers_only(v) for v in content] if isinstance(content, list) else content


@pytest.mark.parametrize("text", TEXTS)
def test_a_fingerprint_is_that_of_the_bare_numbers(text):
    earlier = as_locked_earlier(text)
    was = compute_fingerprint(numbers_only({key: value for key, value in earlier.items() if key != "protocol"}))
    assert parse_protocol(text).fingerprint == was == fingerprint_tables(earlier)


@pytest.mark.parametrize("text", TEXTS)
def test_a_version_that_was_locked_earlier_reads_as_the_same(text):
    earlier, now = read_protocol_tables(as_locked_earlier(text)), parse_protocol(text)
    assert earlier.fingerprint == now.fingerprint
    assert fingerprint_measuring_numbers(earlier) == fingerprint_measuring_numbers(now)
    assert not compare_protocols(earlier, now).changes
    assert earlier.limits == now.limits
    assert earlier.settings == now.settings


def test_a_number_that_left_the_code_counts_once_it_differs():
    (place, row) = next(
        (f"check.{topic}.{name}.parameters.{key}", one)
        for topic, rows in join_shipped_protocol()["check"].items()
        for name, limit in rows.items()
        for key, one in limit.get("parameters", {}).items()
        if "formerly" in one and topic not in ("batch", "corpus")
    )
    usual, other = default_protocol(), parse_protocol(f"[{place}]\nvalue = {2 * row['value']}")
    assert other.fingerprint != usual.fingerprint
    assert fingerprint_measuring_numbers(other) != fingerprint_measuring_numbers(usual)
    with pytest.raises(ProtocolError, match="No key called 'formerly'"):
        parse_protocol(f"[{place}]\nvalue = 5.0\nformerly = 5.0")


def test_a_section_of_operations_counts_a_former_number_once_it_differs():
    rows = parse_toml(read_shipped_file("operations.toml"), "operations")
    former = [(s, n, x) for s, own in rows.items() for n, x in own.items() if "formerly" in x]
    for section, name, row in former:
        assert default_operations()[section].settings[name].is_as_before
        other = f'"{row["value"]} too"' if isinstance(row["value"], str) else row["value"] * 2
        text = f"[{section}.{name}]\nvalue = {other}"
        assert parse_operations(text)[section].fingerprint != default_operations()[section].fingerprint
        with pytest.raises(ProtocolError, match="No key called 'formerly'"):
            parse_operations(f"[{section}.{name}]\nformerly = 1")
    counted = {k: [s.value, s.unit] for k, s in default_operations()["plan"].settings.items() if s.formerly is None}
    assert default_operations()["plan"].fingerprint == compute_fingerprint(counted)


def test_the_short_form_keeps_unit_and_reason():
    usual = default_protocol().limits["force.window"].parameters["contact_n"]
    for text in (
        "[check.force.window]\nparameters = { contact_n = 2 }",
        "[check.force.window.parameters]\ncontact_n = 2.0",
        "[check.force.window.parameters.contact_n]\nvalue = 2.0",
    ):
        limit = parse_protocol(text).limits["force.window"]
        assert limit.get_parameter("contact_n") == 2.0
        assert limit.parameters["contact_n"].unit == usual.unit == "N"
        assert limit.parameters["contact_n"].why == usual.why
        assert limit.get_parameter("shortest_s") == 0.2, "what is not named stays"


def test_a_team_can_give_its_own_reason():
    text = """
[check.force.window.parameters.contact_n]
value = 2.0
why = "Our fingers are heavier."
source = { kind = "measured", ref = "bench 3" }
"""
    found = parse_protocol(text).limits["force.window"].parameters["contact_n"]
    assert (found.why, found.source.kind, found.unit) == ("Our fingers are heavier.", "measured", "N")
    assert "P605" not in [remark.code for remark in lint_protocol(text)]
    assert "P605" in [remark.code for remark in lint_protocol("[check.force.window]\nparameters = { contact_n = 2.0 }")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[check.force.window]\nparameters = { contact = 2.0 }",
            "No parameter called 'contact'. Did you mean 'contact_n'",
        ),
        ("[check.force.frame]\nparameters = { x = 2.0 }", "No parameter called 'x'. This check has none"),
        ("[check.force.window.parameters.contact_n]\nunit = 'kN'", "measured in 'N', but the file has 'kN'"),
        ("[check.force.window.parameters.contact_n]\nvalu = 1", "No key called 'valu'. Did you mean 'value'"),
        ("[check.force.window.parameters.contact_n]\nvalue = true", "the parameter contact_n = True is not a number"),
        ("[check.force.window.parameters.contact_n]\nwhy = ''", "why is missing"),
    ],
)
def test_a_mistake_is_named(text, says):
    with pytest.raises(ProtocolError, match=says):
        parse_protocol(text)


def test_code_that_asks_for_an_unknown_parameter_gets_a_suggestion():
    limit = default_protocol().limits["force.window"]
    with pytest.raises(UnknownName, match="Did you mean 'contact_n'"):
        limit.get_parameter("contact")
    with pytest.raises(UnknownName, match="Did you mean 'contact_n'"):
        limit.replace_parameters(contact=1.0)
    assert limit.replace_parameters(contact_n=3).get_parameter("contact_n") == 3.0


def test_a_changed_parameter_is_listed_with_its_unit():
    diff = compare_protocols(
        default_protocol(), parse_protocol("[check.force.window]\nparameters = { contact_n = 2.0 }")
    )
    (change,) = diff.changes
    assert (change.before, change.after, change.effect) == ("1 N", "2 N", Effect.MEASURE)


def test_every_parameter_is_listed_with_unit_and_reason():
    listed = {number.name: number for number in show_protocol_numbers(None).numbers}
    limits = default_protocol().limits
    assert sum(len(limit.parameters) for limit in limits.values()) > 100
    for name, limit in limits.items():
        for key, one in limit.parameters.items():
            shown = listed[f"check.{name}.parameters.{key}"]
            assert (shown.value, shown.unit, shown.why, shown.source) == (one.value, one.unit, one.why, one.source.ref)
