"""Tiny logs beside their reading: a change of what we read, or of an id, is a change somebody must mean."""

import json
from pathlib import Path

import pytest
from tests.golden.make_logs import reading

LOGS = sorted(Path(__file__).parent.glob("*.mcap"))


def test_there_are_logs():
    assert [log.name for log in LOGS] == ["arm-cut.mcap", "arm.mcap"]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_the_reading_is_the_one_written_down(log):
    assert reading(log) == json.loads(log.with_suffix(".json").read_text())
