"""Lags and agreements that somebody measured: read as they are, refused by name where they cannot be."""

import json
import math

import pytest

from fieldloop.errors import BadInput
from fieldloop.ingest.tables.measured_facts import read_agreements, read_lags

LAG = {"rig": "r1", "stream": "wrist", "lag_ms": -4, "low_ms": -6, "high_ms": -1.5, "episodes": 20}
AGREED = {"authors": ["a", "b"], "episodes": 12, "kappa": 0.9, "boundary_frames": 0.5, "unmatched": 0}


def written(tmp_path, stated):
    file = tmp_path / "lags.json"
    file.write_text(stated if isinstance(stated, str) else json.dumps(stated), encoding="utf-8")
    return file


def test_what_was_measured_is_read(tmp_path):
    (lag,) = read_lags(written(tmp_path, [LAG]))
    assert (lag.rig, lag.lag_ms, lag.high_ms, lag.episodes) == ("r1", -4.0, -1.5, 20)
    one, other = read_agreements(written(tmp_path, [AGREED, AGREED | {"kappa": None, "stratum": "bin=back"}]))
    assert (one.authors, one.kappa, one.worst_frames) == (("a", "b"), 0.9, None)
    assert math.isnan(other.kappa), "where all is one phase, there is nothing to agree on"
    assert other.stratum.levels == {"bin": "back"}
    assert read_lags(tmp_path / "nowhere.json") == ()


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ("{", "line 1 is not valid JSON"),
        ({"a": 1}, "should be a list of objects, each with rig, stream"),
        ([LAG, {"a": 1}], "entry 2 lacks rig, stream, lag_ms, low_ms, high_ms, episodes"),
        (["late"], "entry 1 is 'late'"),
        ([LAG | {"lag_ms": "late"}], "lag_ms = 'late'; it should be a number"),
        ([LAG | {"lag_ms": None}], "lag_ms = None"),
        ([LAG | {"lag_ms": math.nan}], "lag_ms = nan"),
        ([LAG | {"low_ms": 9}], "low_ms = 9, lag_ms = -4"),
        ([LAG | {"episodes": 0}], "episodes = 0; it should be a whole number from 1"),
        ([LAG | {"rig": 3}], "rig = 3; it should be a text"),
    ],
)
def test_a_lag_that_cannot_be_is_refused_by_name(tmp_path, stated, says):
    with pytest.raises(BadInput, match=says):
        read_lags(written(tmp_path, stated))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"kappa": 1.2}, "entry 1: kappa = 1.2; it should lie between -1 and 1"),
        ({"kappa": True}, "kappa = True"),
        ({"boundary_frames": -1}, "boundary_frames = -1; it should be 0 or more"),
        ({"worst_frames": -0.5}, "worst_frames = -0.5"),
        ({"episodes": 2.5}, "episodes = 2.5"),
        ({"unmatched": -1}, "unmatched = -1; it should be a whole number from 0"),
        ({"authors": ["a"]}, "the two who annotated"),
        ({"stratum": "dim"}, "dim"),
    ],
)
def test_an_agreement_that_cannot_be_is_refused_by_name(tmp_path, changed, says):
    with pytest.raises(BadInput, match=says):
        read_agreements(written(tmp_path, [AGREED | changed]))
