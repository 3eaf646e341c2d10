"""Injuries that the checks of a dataset must notice."""

from dataclasses import replace

import numpy as np

from fieldloop.check import Batch
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.finding import Measured, Measurement
from fieldloop.model.imprint import Imprint
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S
from fieldloop.testing.injuries.injury import BatchInjury, change_imprints, relabel

SINCE = 11


def duplicate_episode(batch: Batch) -> Batch:
    """Store one episode of a session again in it, slightly cut and re-encoded."""
    first, second, *_ = batch.episodes
    way = np.asarray(batch.find_imprint(first.id).arrays["way/joints"]) + np.float32(1e-4)
    arrays = {**batch.find_imprint(second.id).arrays, "way/joints": way}
    return replace(batch, imprints={**batch.imprints, second.id: Imprint(arrays)})


def split_session_across_parts(batch: Batch) -> Batch:
    """Move one episode of a session to the other part of the split."""
    moved = next(e for e in batch.episodes if batch.split[e.id] == "train")
    return replace(batch, split={**batch.split, moved.id: "validation"})


def validate_on_one_operator(batch: Batch) -> Batch:
    """Validate on two sessions of one operator only."""
    held = ("session-0", "session-4")
    return replace(batch, split={e.id: "validation" if e.session in held else "train" for e in batch.episodes})


def darken_failed_attempts(batch: Batch) -> Batch:
    """Darken the pictures of failed attempts."""
    failed = [e.succeeded is False for e in batch.episodes]
    return change_imprints(batch, "light/camera/overhead", lambda i, level: level - 60.0 * failed[i])


def triple_gaps_in_late_sessions(batch: Batch) -> Batch:
    """Triple the gaps from the twelfth session on, still within their limit."""
    later = {e.id for e in batch.episodes if int(e.session.removeprefix("session-")) >= SINCE}
    measured = {
        key: tuple(
            Measured(one.check, tuple(Measurement(m.about, 3.0 * m.value) for m in one.measurements))
            if key in later and one.check == "timing.longest_gap"
            else one
            for one in found
        )
        for key, found in batch.measured.items()
    }
    return replace(batch, measured=measured)


BATCH_INJURIES: dict[str, BatchInjury] = {
    "corpus.defects": BatchInjury(
        lambda batch: replace(batch, defects=(Defect("data/episode_000007.parquet", "", note("ingest.file_empty")),))
    ),
    "corpus.described": BatchInjury(
        lambda batch: replace(
            batch, defects=(Defect("info.json", "fps", note("ingest.rate_not_stated"), Harm.MISLEADS),)
        ),
    ),
    "corpus.duplicates": BatchInjury(
        lambda batch: replace(
            batch, episodes=(*batch.episodes[:-1], replace(batch.episodes[-1], id=batch.episodes[-2].id))
        ),
    ),
    "corpus.index_gaps": BatchInjury(
        lambda batch: replace(batch, episodes=tuple(e for i, e in enumerate(batch.episodes) if i not in (5, 6))),
    ),
    "corpus.length_outliers": BatchInjury(
        lambda batch: relabel(batch, lambda i, e: {"end_ns": e.end_ns + 60 * NS_PER_S} if i == 0 else {}),
    ),
    "corpus.near_duplicates": BatchInjury(duplicate_episode),
    "corpus.split_leaks": BatchInjury(split_session_across_parts),
    "corpus.split_representative": BatchInjury(validate_on_one_operator),
    "corpus.shortcuts": BatchInjury(darken_failed_attempts),
    "corpus.annotated": BatchInjury(
        lambda batch: replace(batch, annotations=dict(list((batch.annotations or {}).items())[1:])),
    ),
    "corpus.trend": BatchInjury(triple_gaps_in_late_sessions),
}
