"""Injuries that the checks of alignment by content must notice; the healthy camera pans as the joints turn."""

from dataclasses import replace

from fieldloop.check import Batch, Case, take_imprint
from fieldloop.testing.injuries.injury import BatchInjury, Injury
from fieldloop.testing.panning import drop_frames_silently, record_panning_camera

LATE_MS = 30.0
EPISODES = 5


def shift_pictures_against_stamps(case: Case) -> Case:
    """Shift the camera's pictures by 30 ms against its timestamps."""
    return replace(case, recording=record_panning_camera(1, lag_ms=LATE_MS), _kept={})


def drop_frame_without_gap(case: Case) -> Case:
    """Lose a frame without a gap in the timestamps."""
    return replace(case, recording=drop_frames_silently(record_panning_camera(3), 180, 1), _kept={})


def make_rig_batch(lag_ms: float = 0.0) -> Batch:
    """Return some episodes of one rig, with their imprints."""
    made = [record_panning_camera(seed, lag_ms=lag_ms) for seed in range(EPISODES)]
    kept = {one.episode.id: take_imprint(Case(one)) for one in made}
    return Batch(tuple(one.episode for one in made), imprints=kept)


INJURIES: dict[str, Injury] = {
    "alignment.content_lag": Injury(shift_pictures_against_stamps, healthy=lambda: Case(record_panning_camera(1))),
    "alignment.content_step": Injury(drop_frame_without_gap, healthy=lambda: Case(record_panning_camera(3))),
}
BATCH_INJURIES: dict[str, BatchInjury] = {
    "batch.content_lag": BatchInjury(lambda _: make_rig_batch(LATE_MS), healthy=make_rig_batch),
}
