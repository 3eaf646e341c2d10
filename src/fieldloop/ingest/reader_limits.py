"""Which defects show a limit of the reader rather than of the data: they are named, and the data do not fail by them.

A defect counts as lost data where bytes cannot be read, contradict a checksum or the format's own specification, or
where the data's own description promises something that is absent. All else is what a reader could not do or expected.
"""

from dataclasses import replace

from fieldloop.model.episode import Defect, Harm

NOT_SETTLED = {
    "ingest.reader_failed",
    "ingest.plug_in_failed",
    "ingest.type_not_supported",
    "ingest.link_not_followed",
    "ingest.group_nested_too_deeply",
    "ingest.chunks_too_large",
    "ingest.rows_too_large",
    "ingest.too_many_column_sets",
    "ingest.shards_of_other_format",
    "ingest.bag_encrypted",
    "ingest.version_unknown",
    "ingest.metadata_too_large",
    "ingest.feature_without_dtype",
    "ingest.column_left_out",
    "ingest.episode_end_missing",
    "ingest.mark_missing",
    "ingest.mark_misplaced",
    "ingest.split_without_metadata",
}
"""What a reader left out because it does not support it, or expected without a promise: the data may be whole."""

READ_ALL_THE_SAME = {
    "ingest.description_invalid",
    "ingest.definition_wrong",
    "ingest.file_not_listed",
    "ingest.files_not_listed",
    "ingest.start_differs",
    "ingest.duration_differs",
    "ingest.topic_not_listed",
    "ingest.origin_unreadable",
    "ingest.mapping_name_taken",
    "ingest.mapping_does_not_fit",
    "ingest.not_true_or_false",
    "ingest.condition_invalid",
    "ingest.conditions_invalid",
}
"""What differs without effect on the samples: they were all read."""

UNDECODABLE = "ingest.messages_undecodable"


def weigh_defect(defect: Defect) -> Defect:
    """Return the defect with the harm that its evidence carries.

    >>> from fieldloop.model.note import note
    >>> link = Defect("/a", "", note("ingest.link_not_followed", target="b.h5"))
    >>> weigh_defect(link).harm.value, weigh_defect(Defect("/a", "", note("ingest.file_empty"))).harm.value
    ('unclear', 'lost')
    """
    if defect.harm is not Harm.LOST:
        return defect
    code = defect.message.code
    if code in NOT_SETTLED or (code == UNDECODABLE and _is_whole_type_undecodable(defect)):
        return replace(defect, harm=Harm.UNCLEAR)
    return replace(defect, harm=Harm.HARMLESS) if code in READ_ALL_THE_SAME else defect


def _is_whole_type_undecodable(defect: Defect) -> bool:
    """Could no message of the type be decoded? Then its definition was not understood, and no byte need be wrong."""
    return defect.message["failed"] == defect.message["messages"]
