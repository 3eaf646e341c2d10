"""Our own releases read back: clocks, sensors and origin as they were, also after other people's tools."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers import write_lerobot
from fieldloop.release.writers.lerobot.files import Limits
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case, make_healthy_recording, replace_streams

LISTING = "meta/episodes/chunk-000/file-000.parquet"


def read(root):
    log = open_log(root)
    recordings = list(log.recordings)
    return recordings, [
        f"{d.subject} {d.place}: {write_note_facts(d.message)}"
        for d in (*log.defects, *(d for r in recordings for d in r.defects))
    ]


def test_a_made_up_clock_stays_made_up_through_a_release(tmp_path):
    kept = {}
    for name in ("joints", "camera/overhead"):
        stream = make_healthy_recording().streams[name]
        kept[name] = type(stream)(
            name, stream.kind, stream.unit, {ClockKind.SYNTHETIC: stream.times_ns.copy()}, stream.values,
            stream.pictures, stream.nominal_hz, stream.columns, "base_link", "SN-7",
        )  # fmt: skip
    others = dict.fromkeys(make_healthy_recording().streams.keys() - kept.keys())
    write_lerobot([replace_streams(make_healthy_recording(), kept | others)], tmp_path / "release")
    (recording,), said = read(tmp_path / "release")
    assert said == []
    for name, before in kept.items():
        stream = recording.streams[name]
        assert stream.clock is ClockKind.SYNTHETIC
        assert (stream.frame_id, stream.serial) == ("base_link", "SN-7")
        np.testing.assert_array_equal(stream.times_ns, kept["camera/overhead"].times_ns, err_msg=before.name)


def test_depth_comes_back_with_its_holes(tmp_path):
    """The lowest step stands for what was not measured: it comes back as no return, not as a wall at one centimetre."""
    stream = make_healthy_recording().streams["depth/overhead"]

    class Holed(type(stream.pictures)):
        def _draw(self, place):
            picture = super()._draw(place)
            picture[:8, :8] = np.nan
            return picture

    source = Holed(stream.pictures.places[:20], depth=True)
    kept = {name: make_healthy_recording().streams[name] for name in ("joints",)}
    clocks = {kind: times[:20].copy() for kind, times in stream.clocks.items()}
    kept["depth/overhead"] = type(stream)(stream.name, stream.kind, "m", clocks, pictures=source, nominal_hz=30.0)
    others = dict.fromkeys(make_healthy_recording().streams.keys() - kept.keys())
    write_lerobot(
        [replace_streams(make_healthy_recording(), kept | others)], tmp_path / "release", clock="depth/overhead"
    )
    (recording,), said = read(tmp_path / "release")
    assert said == []
    pictures = recording.streams["depth/overhead"].pictures
    for before, after in zip(source.frames([0, 7, 19]), pictures.frames([0, 7, 19]), strict=True):
        assert after.dtype == np.float32
        np.testing.assert_array_equal(np.isnan(after), np.isnan(before))
        assert np.nanmax(np.abs(after - before)) < 0.002


def test_two_episodes_that_claim_the_same_frames(v3):
    path = v3 / LISTING
    table = pq.read_table(path)
    rows = table.to_pylist()
    key = "videos/observation.images.wrist/"
    rows[1][f"{key}from_timestamp"], rows[1][f"{key}to_timestamp"] = 0.0, 10.0
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    _, said = read(v3)
    assert any("observation.images.wrist episode 1: ingest.video_spans_overlap start_s=0.0" in line for line in said)


def test_the_origin_survives_tools_that_drop_columns(v3):
    before, _ = read(v3)
    path = v3 / LISTING
    table = pq.read_table(path)
    kept = [name for name in table.column_names if "/" in name or name in ("episode_index", "tasks", "length")]
    pq.write_table(table.select([*kept, "dataset_from_index", "dataset_to_index"]), path)
    after, said = read(v3)
    assert said == []
    for one, other in zip(before, after, strict=True):
        for name in ("name", "operator", "site", "stratum", "succeeded", "simulated"):
            assert getattr(one.episode, name) == getattr(other.episode, name)
        assert one.episode.get_fact("uid") == other.episode.get_fact("uid")


@pytest.mark.parametrize("frames", [25, 26])
def test_an_episode_is_the_same_wherever_in_a_video_it_lies(tmp_path, frames):
    """At 30 frames a second no frame begins on a whole nanosecond, so that each offset rounds in its own way."""
    wanted = ("joints", "camera/overhead")
    takes = []
    for seed in range(3):
        made = keep_span(
            make_healthy_case(recording=make_healthy_recording(seed=seed)), lambda at_s: at_s < (frames - 0.5) / 30
        ).recording
        takes.append(replace(made, streams={name: made.streams[name] for name in wanted}))
    assert len(takes[0].streams["camera/overhead"]) == frames
    ids = []
    for name, order, limits in (
        ("order", takes, None),
        ("reversed", takes[::-1], None),
        ("tiny", takes, Limits(data_mb=1e-6, video_mb=1e-6, files_a_chunk=2)),
    ):
        write_lerobot(order, tmp_path / name, limits=limits)
        recordings, said = read(tmp_path / name)
        assert said == []
        ids.append({recording.episode.name: recording.episode.id for recording in recordings})
    assert ids[0] == ids[1] == ids[2]
    assert len(set(ids[0].values())) == 3
