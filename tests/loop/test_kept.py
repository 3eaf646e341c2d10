"""A folder of measurements that was written to more than once: each episode counts once, by the best look at it."""

import os
import shutil
from dataclasses import replace

import pytest

from fieldloop.loop.data import check
from fieldloop.loop.work.kept_measurements import PartCache
from fieldloop.loop.work.measure_part import Part, Rules, measure_part
from fieldloop.model.annotation import Annotation
from fieldloop.protocol import default_protocol
from fieldloop.release.writers import write_lerobot
from fieldloop.testing import synthetic

EPISODES = 3
OTHER = "[check.timing.longest_gap]\nparameters = { edge_s = 0.1, steady_spread = 0.5 }\n"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "dataset"
    write_lerobot([synthetic.make_healthy_recording(seed=seed) for seed in range(EPISODES)], folder)
    return folder


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    monkeypatch.setattr(check, "run_each", lambda work, items, **_: map(work, items))


def test_an_episode_looked_at_twice_counts_once(dataset, tmp_path):
    kept, other = tmp_path / "kept", tmp_path / "other.toml"
    other.write_text(OTHER)
    check.check(None, (dataset,), keep=kept, protocol=other, numbers_only=True)
    early = check.check(None, keep=kept)
    assert (len(early.episodes), early.outdated) == (EPISODES, EPISODES)
    assert "by numbers only" in early.source
    check.check(None, (dataset,), keep=kept, numbers_only=True)
    numbers = check.check(None, keep=kept)
    assert (len(numbers.episodes), numbers.outdated) == (EPISODES, 0)
    check.check(None, (dataset,), keep=kept)
    every = check.check(None, keep=kept)
    assert (len(every.episodes), every.outdated, every.source) == (EPISODES, 0, "kept")
    back = check.check(None, keep=kept, protocol=other)
    assert (len(back.episodes), back.outdated) == (EPISODES, 0), "what was measured by it is there still"


def test_a_log_that_changed_replaces_what_it_was(dataset, tmp_path):
    kept, grown = tmp_path / "kept", tmp_path / "set"
    shutil.copytree(dataset, grown)
    check.check(None, (grown,), keep=kept, numbers_only=True)
    shutil.rmtree(grown)
    write_lerobot([synthetic.make_healthy_recording(seed=seed) for seed in range(5, 7)], grown)
    check.check(None, (grown,), keep=kept, numbers_only=True)
    assert len(check.check(None, keep=kept).episodes) == 2


def test_logs_of_one_name_in_two_folders_both_count(dataset, tmp_path):
    kept = tmp_path / "kept"
    for place in ("monday", "tuesday"):
        shutil.copytree(dataset, tmp_path / place / "set")
    os.utime(tmp_path / "tuesday" / "set" / "meta" / "info.json", ns=(1, 1))
    check.check(None, (tmp_path / "monday", tmp_path / "tuesday"), keep=kept, numbers_only=True)
    assert len(check.check(None, keep=kept).episodes) == 2 * EPISODES


def test_new_calibrations_and_annotations_are_looked_at_again(dataset, tmp_path):
    rules = Rules(default_protocol())
    part, cache = Part(dataset, pixels=False), PartCache(tmp_path / "kept", rules)
    cache.store_result(part, measure_part(part, rules))
    assert cache.find_result(part) is not None
    annotated = {"e": (Annotation("e", "phase", "grasp", 0, 1, "ana"),)}
    for other in (replace(rules, annotations=annotated), replace(rules, calibrations={})):
        assert replace(cache, rules=other).find_result(part) is None
