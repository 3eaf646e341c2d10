"""Questions about a dataset as a whole: planted cases, and 'cannot tell' where nobody can."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import BATCH_CHECKS
from fieldloop.check.case import Case
from fieldloop.check.corpus.near import group_near_duplicates
from fieldloop.check.describe import describe_tasks
from fieldloop.check.imprint.way import imprint_joint_path
from fieldloop.check.measuring import measure_with
from fieldloop.model.finding import Status
from fieldloop.model.imprint import Imprint
from fieldloop.testing.batches import Shape, make_healthy_batch
from fieldloop.testing.injuries.injury import change_imprints, relabel
from fieldloop.testing.synthetic import make_healthy_recording, replace_streams


def looked(batch, name):
    return {m.subject: m for m in BATCH_CHECKS[name].look(batch)}


def status(batch, name):
    return {
        f.status
        for f in check.judge_measurements(measure_with([BATCH_CHECKS[name]], batch), batch.protocol, named=True)
    }


COPIES = {
    "re-encoded": lambda rows, values: (rows, values.astype(np.float32).astype(float)),
    "noisier": lambda rows, values: (rows, values + np.random.default_rng(1).normal(0, 1e-4, values.shape)),
    "without its still beginning": lambda rows, values: (rows[150:], values[150:]),
    "at half the rate": lambda rows, values: (rows[::2], values[::2]),
    "played at half the speed": lambda rows, values: (
        np.arange(2 * len(rows)), np.repeat(values, 2, axis=0)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_goes_the_same_way_and_another_episode_does_not(name):
    recordings = [make_healthy_recording(seed=seed) for seed in range(12)]
    stream = recordings[0].streams["joints"]
    rows, values = COPIES[name](np.arange(len(stream)), stream.values)
    start, step = int(stream.times_ns[0]), 8_333_333
    clocks = {kind: start + step * np.arange(len(rows)) for kind in stream.clocks}
    copy = replace_streams(recordings[0], {"joints": replace(stream, clocks=clocks, values=values)})
    copy = replace(copy, episode=replace(copy.episode, id="copy", name="copy"))
    all_ = [*recordings, copy]
    batch = check.Batch(
        tuple(r.episode for r in all_),
        imprints={
            r.episode.id: Imprint({f"way/{k}": v for k, v in imprint_joint_path.take(Case(r)).items()}) for r in all_
        },
    )
    assert [{e.name for e in group} for group in group_near_duplicates(batch)] == [{"copy", "synthetic-0"}]


def test_copies_of_copies_are_one_group():
    batch = make_healthy_batch(Shape(4, 10))
    base = batch.find_imprint(batch.episodes[0].id).arrays["way/joints"]
    near = {f: base + np.float32(0.004 * f) for f in range(3)}  # each near the next, the ends not near each other
    hurt = change_imprints(batch, "way/joints", near.get)
    (group,) = group_near_duplicates(hurt)
    assert {e.name for e in group} == {"made-0-0", "made-0-1", "made-0-2"}
    assert looked(hurt, "corpus.near_duplicates")[""].value == 2


@pytest.mark.parametrize("order", ["behind", "shuffled", "each beside its own"])
def test_a_dataset_appended_to_itself_is_found_whatever_the_order(order):
    batch = make_healthy_batch(Shape(4, 20))
    ways = [batch.find_imprint(e.id).arrays["way/joints"] for e in batch.episodes]
    half, random = len(ways) // 2, np.random.default_rng(3)
    source = {
        "behind": np.arange(2 * half) % half,
        "shuffled": random.permutation(np.arange(2 * half) % half),
        "each beside its own": np.arange(2 * half) // 2,
    }[order]
    noise = random.normal(0.0, 1e-4, (2 * half, *ways[0].shape)).astype(np.float32)
    doubled = change_imprints(batch, "way/joints", lambda i, _: ways[source[i]] + noise[i])
    assert looked(doubled, "corpus.near_duplicates")[""].value == half
    assert {len(group) for group in group_near_duplicates(doubled)} == {2}


def test_all_alike_is_found_without_running_out_of_anything():
    batch = make_healthy_batch(Shape(20, 20))
    base = batch.find_imprint(batch.episodes[0].id).arrays["way/joints"]
    hurt = change_imprints(batch, "way/joints", lambda *_: base)
    assert looked(hurt, "corpus.near_duplicates")[""].value == len(batch.episodes) - 1


def test_other_tasks_and_too_few_episodes_are_not_compared():
    batch = make_healthy_batch(Shape(4, 3))
    alone = relabel(batch, lambda i, _: {"task": f"task {i}"})
    assert looked(alone, "corpus.near_duplicates") == {}
    mostly = relabel(batch, lambda i, _: {"task": f"task {i}" if i < 8 else "pick"})
    assert status(mostly, "corpus.near_duplicates") == {Status.CANNOT_TELL}


def test_a_near_duplicate_on_the_other_side_leaks():
    batch = make_healthy_batch()
    train = next(i for i, e in enumerate(batch.episodes) if batch.split[e.id] == "train")
    base = batch.find_imprint(batch.episodes[0].id).arrays["way/joints"]
    hurt = change_imprints(batch, "way/joints", lambda i, a: base if i == train else a)
    found = looked(hurt, "corpus.split_leaks")
    assert (found["session"].value, found["nearly the same"].value) == (0, 1)


def test_without_sessions_no_one_can_tell_leaks():
    bare = relabel(make_healthy_batch(), lambda *_: {"session": ""})
    assert np.isnan(looked(bare, "corpus.split_leaks")["session"].value)


def test_a_small_random_split_is_not_blamed_for_chance():
    batch = make_healthy_batch(Shape(16, 12))
    random = np.random.default_rng(0)
    failed = 0
    for _ in range(60):
        chosen = set(random.permutation(len(batch.episodes))[:20].tolist())
        sides = {e.id: "validation" if i in chosen else "train" for i, e in enumerate(batch.episodes)}
        failed += any(m.low > 10.0 for m in looked(replace(batch, split=sides), "corpus.split_representative").values())
    assert failed <= 3


def test_distance_is_what_would_have_to_change():
    batch = make_healthy_batch(Shape(16, 12))
    sides = {e.id: "validation" if e.operator == "operator-0" else "train" for e in batch.episodes}
    found = looked(replace(batch, split=sides), "corpus.split_representative")
    assert found["operator"].cannot_tell.code == "check.held_out"
    half = {e.id: "validation" if e.operator in ("operator-0", "operator-1") and i % 2 else "train"
            for i, e in enumerate(batch.episodes)}  # fmt: skip
    found = looked(replace(batch, split=half), "corpus.split_representative")
    assert found["operator"].value == pytest.approx(100 * 2 / 3)
    assert found["lighting"].value == pytest.approx(100 * 2 / 3)  # every second episode is dim


def test_an_operator_tied_to_a_condition_is_a_shortcut_only_with_enough_sessions():
    def tie(_, e):
        bin_ = "front" if e.operator in ("operator-0", "operator-2") else "back"
        return {"stratum": type(e.stratum).of({**e.stratum.levels, "bin": bin_})}

    many = looked(relabel(make_healthy_batch(Shape(24, 8)), tie), "corpus.shortcuts")
    assert many["operator → bin"].low > 0.2
    few = looked(relabel(make_healthy_batch(Shape(4, 40)), tie), "corpus.shortcuts")
    assert all(m.low == 0.0 for m in few.values())
    assert few["anything → bin"].high > 0.2


def test_brightness_says_lighting_by_definition():
    found = looked(make_healthy_batch(), "corpus.shortcuts")
    assert not any("bright" in subject and "lighting" in subject for subject in found)


def test_a_gap_counts_where_episodes_are_looked_up_by_position():
    batch = make_healthy_batch(Shape(2, 6))
    gap = replace(batch, episodes=batch.episodes[:3] + batch.episodes[5:])
    assert looked(gap, "corpus.index_gaps")["set"].value == 2
    assert looked(relabel(gap, lambda *_: {"format": "hdf5 robomimic"}), "corpus.index_gaps") == {}


def test_knowing_that_there_is_no_calibration_is_not_knowing_nothing():
    batch = make_healthy_batch(Shape(2, 6))
    assert replace(batch, calibrations=()).find_missing_input(("calibrations",)) is None
    assert replace(batch, calibrations=None).find_missing_input(("calibrations",)).code == "check.no_calibrations"


def test_contents_count_what_there_is():
    (told,) = describe_tasks(make_healthy_batch())
    assert (told.task, told.episodes, told.succeeded, told.judged) == ("pick", 192, 144, 192)
    assert told.failures == {"slip": 48}
    assert told.success_low < 0.75 < told.success_high
    assert sum(told.grasps.values()) == 192
    assert told.conditions["lighting"] == {"bright": 96, "dim": 96}
    assert set(told.objects) == {"sku-0", "sku-1", "sku-2"}


def test_contents_of_bare_episodes_say_that_nothing_was_stated():
    bare = relabel(make_healthy_batch(), lambda *_: {"succeeded": None, "operator": ""})
    (told,) = describe_tasks(replace(bare, imprints={}))
    assert (told.judged, told.success_low, told.success_high) == (0, 0.0, 1.0)
    assert told.operators == told.grasps == {"not stated": 192}


@pytest.mark.parametrize(("longer", "unusual"), [(1.3, 0), (0.75, 0), (3.0, 1), (0.3, 1)])
def test_only_an_episode_of_quite_another_length_is_an_outlier(longer, unusual):
    batch = make_healthy_batch(Shape(1, 10))
    even = [replace(episode, start_ns=0, end_ns=2_000_000_000) for episode in batch.episodes]
    even[3] = replace(even[3], end_ns=round(2_000_000_000 * longer))
    found = looked(replace(batch, episodes=tuple(even)), "corpus.length_outliers")
    assert sum(one.value for one in found.values()) == unusual


def test_lengths_are_left_open_where_no_task_is_named():
    batch = make_healthy_batch(Shape(1, 10))
    bare = [replace(e, start_ns=0, end_ns=2_000_000_000, task="", protocol="") for e in batch.episodes]
    bare[3] = replace(bare[3], end_ns=9_000_000_000)
    (found,) = looked(replace(batch, episodes=tuple(bare)), "corpus.length_outliers").values()
    assert (found.value, found.low, found.high) == (1.0, 0.0, 1.0)


def test_episodes_of_which_nothing_could_be_read_are_no_copies():
    batch = make_healthy_batch(Shape(1, 10))
    nothing = hashlib.sha256().hexdigest()
    episodes = [replace(e, id=nothing) if i < 3 else e for i, e in enumerate(batch.episodes)]
    assert looked(replace(batch, episodes=tuple(episodes)), "corpus.duplicates")[""].value == 0
    copied = (*episodes, episodes[-1])
    assert looked(replace(batch, episodes=copied), "corpus.duplicates")[""].value == 1
