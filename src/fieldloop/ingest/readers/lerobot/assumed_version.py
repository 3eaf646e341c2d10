"""Which defects rest on the version of the layout: where the dataset does not state it, they stay open.

Each version keeps its files in other places and asks for others. A dataset that states no version, as one written by a
recorder of its own, breaks none of these rules; that LeRobot refuses it is reported.
"""

from collections.abc import Iterable
from dataclasses import replace

from fieldloop.ingest.readers.lerobot.info import INFO, Info
from fieldloop.model.episode import Defect, Harm

RESTS_ON_VERSION = {
    "ingest.columns_missing",
    "ingest.columns_not_declared",
    "ingest.declared_but_missing",
    "ingest.episode_listed_twice",
    "ingest.episode_numbers_skipped",
    "ingest.episode_table_missing",
    "ingest.episode_without_index",
    "ingest.episodes_in_other_format",
    "ingest.episodes_listed_twice",
    "ingest.episodes_not_listed",
    "ingest.file_empty",
    "ingest.file_missing",
    "ingest.frame_numbers_differ",
    "ingest.part_unreadable",
    "ingest.rows_elsewhere",
    "ingest.statistics_missing",
    "ingest.task_unknown",
    "ingest.timestamps_start_late",
    "ingest.video_length_differs",
    "ingest.video_not_listed",
    "ingest.video_spans_overlap",
    "ingest.video_under_other_path",
    "ingest.videos_elsewhere",
}


def leave_open_without_version(info: Info, defects: Iterable[Defect]) -> tuple[Defect, ...]:
    """Return the defects; those that rest on a version that the dataset does not state are left open."""
    if info.raw.get("codebase_version"):
        return tuple(defects)
    return tuple(replace(one, harm=Harm.UNCLEAR) if _does_rest_on_version(one) else one for one in defects)


def _does_rest_on_version(defect: Defect) -> bool:
    """Is it about anything but meta/info.json itself, which every version has?"""
    serious = defect.harm in (Harm.LOST, Harm.MISLEADS)
    return serious and defect.subject != INFO and defect.message.code in RESTS_ON_VERSION
