"""Intervals hold as often as they promise; what is missing or fails takes no other figure with it."""

import json
import sys
from types import SimpleNamespace

import bench.__main__ as every
import pytest
from bench import formats, harness
from bench.format_speed import lerobot_venv
from bench.harness import Figure, Missing, Skipped, summarise, summarise_mean, summarise_share
from scipy.stats import binom


@pytest.mark.parametrize("n", range(6, 60))
def test_an_interval_of_a_median_has_at_least_its_level_and_the_next_narrower_one_less(n):
    figure = summarise([float(k) for k in range(n)])
    rank = int(figure.low)
    assert figure.high == n - 1 - rank
    assert 1 - 2 * binom.cdf(rank, n, 0.5) >= 0.95 > 1 - 2 * binom.cdf(rank + 1, n, 0.5)


@pytest.mark.parametrize("n", range(1, 6))
def test_few_runs_get_their_range_and_no_interval(n):
    for figure in (summarise([float(k) for k in range(n)]), summarise_mean([float(k) for k in range(n)])):
        assert (figure.kind, figure.low, figure.high) == (harness.RANGE, 0.0, n - 1)
        assert figure.plain()["kind"] == harness.RANGE
        assert "range" in harness.table({"few": figure})


def test_a_share_of_none_is_not_certain():
    figure = summarise_share([False] * 12)
    assert (figure.value, figure.low) == (0.0, 0.0)
    assert figure.high == pytest.approx(0.2425, abs=1e-4)


def test_json_is_one_object_whatever_a_bench_prints(monkeypatch, capsys):
    def measure(*, short):
        sys.stdout.write(f"a table beside the figures, short = {short}")
        return {"none": Figure(float("nan"), 0), "left_out": Skipped("no peer"), "exact": Figure(2.0)}

    monkeypatch.setattr(sys, "argv", ["bench", "--json"])
    harness.main(measure)
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "none": {"value": None, "n": 0, "low": None, "high": None}, "left_out": {"skipped": "no peer"}, "exact": 2.0,
    }  # fmt: skip


def test_formats_without_lerobot_keep_the_other_figures(monkeypatch, tmp_path):
    monkeypatch.setattr(lerobot_venv, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(formats.mcap, "speed", lambda *, short: {"mcap": Figure(float(short))})
    monkeypatch.setattr(formats.memory, "peak", lambda *, short: {"peak": Figure(float(short))})
    found = formats.measure(short=True)
    assert found["mcap"].value == found["peak"].value == 1.0
    for part in ("lerobot_read", "lerobot_write"):
        assert "make oracles" in found[part].reason


def test_a_bench_that_fails_leaves_the_others_figures(monkeypatch, tmp_path):
    def fail(*, short):
        raise ValueError(f"broken, short = {short}")

    def miss(*, short):
        raise Missing(f"not installed, short = {short}")

    benches = {"a": lambda *, short: {"x": Figure(float(short))}, "b": fail, "c": miss, "d": lambda **_: {}}
    made = [(name, SimpleNamespace(__doc__="What?", measure=measure)) for name, measure in benches.items()]
    monkeypatch.setattr(every, "RESULTS", tmp_path)
    monkeypatch.setattr(every, "_list_benches", lambda: iter(made))
    with pytest.raises(SystemExit, match=r"Failed: b\."):
        every.main()
    written = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "| x | 1  | exact |" in written
    assert "failed: ValueError: broken" in written
    assert "skipped: not installed" in written
    assert "## d" in written
