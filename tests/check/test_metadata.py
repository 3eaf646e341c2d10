"""What a log says of itself, and who is held to it."""

import numpy as np
import pytest

from fieldloop.check import CHECKS
from fieldloop.model.condition import Stratum
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import UNIT_NOTE
from fieldloop.protocol import parse_protocol
from fieldloop.testing.injuries.injury import change_episode, change_stream
from fieldloop.testing.planted import make_case, make_stream, measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case

ALL = ("metadata.missing_fields", "metadata.conditions", "metadata.serials", "metadata.units")


@pytest.mark.parametrize("name", ALL)
def test_without_a_protocol_what_is_missing_is_listed_and_does_not_fail(name):
    case = make_case(make_stream("joints", StreamKind.JOINT_POSITION, np.zeros((9, 2)), unit=""))
    (found,) = CHECKS[name].look(case)
    assert found.cannot_tell.code in ("check.no_fields", "check.no_serials", "check.no_units")
    assert np.isnan(found.value)


def test_each_missing_fact_is_named():
    case = change_episode(make_healthy_case(), site="", operator="", simulated=None)
    found = measure_by_subject("metadata.missing_fields", case)[""]
    assert (found.value, found.place["names"]) == (3, ("site", "operator", "simulated"))


def test_a_condition_may_be_a_fact_or_part_of_the_stratum():
    case = change_episode(make_healthy_case(), facts=(("lux", "300"),), stratum=Stratum.of(surface="felt"))
    found = measure_by_subject("metadata.conditions", case)[""]
    assert (found.value, found.place["names"]) == (3, ("light_angle_deg", "temperature_c", "humidity_percent"))


def test_a_protocol_may_ask_for_other_conditions():
    from dataclasses import replace

    protocol = parse_protocol('[episode.condition_record]\nvalue = ["grip_pressure_n"]')
    assert measure_by_subject("metadata.conditions", replace(make_healthy_case(), protocol=protocol))[""].place[
        "names"
    ] == ("grip_pressure_n",)


@pytest.mark.parametrize("words", ["radians are assumed: the source does not state it", "Radiant angenommen"])
def test_a_unit_that_a_reader_assumed_is_listed_whatever_its_note_states(words):
    case = change_stream(make_healthy_case(), "joints", notes={UNIT_NOTE: words})
    assert measure_by_subject("metadata.units", case)[""].place["names"] == ("joints",)


def test_a_unit_that_was_converted_is_stated():
    case = change_stream(make_healthy_case(), "joints", notes={"recorded_unit": "deg, assumed by no one"})
    assert measure_by_subject("metadata.units", case)[""].value == 0


def test_what_comes_in_one_message_is_one_device():
    case = change_stream(make_healthy_case(), "joints/velocity", serial="")
    assert measure_by_subject("metadata.serials", case)[""].value == 0
    assert measure_by_subject("metadata.serials", change_stream(case, "joints", serial=""))[""].place["names"] == (
        "joints",
    )
    stated = change_episode(change_stream(case, "joints", serial=""), facts=(("serial.joints", "7"),))
    assert measure_by_subject("metadata.serials", stated)[""].value == 0
