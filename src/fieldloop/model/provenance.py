"""Where a fact about a stream comes from: stored with the samples, read from metadata, or assumed by the reader.

What a reader assumed is never evidence against the data: a check that rests on an assumed fact cannot fail.
A reader states an assumption, and its reason, as a note of the stream; exported files keep it.
"""

from collections.abc import Mapping
from enum import StrEnum

from fieldloop.model.stream_notes import UNIT_NOTE


class Provenance(StrEnum):
    """Where a fact comes from."""

    STORED = "stored"
    METADATA = "metadata"
    ASSUMED = "assumed"


class StreamFact(StrEnum):
    """What a check may need to know about a stream, beside its samples.

    CLOCK: that timestamps show when samples were taken. RATE: that samples follow each other at a known, steady rate.
    UNIT: in which unit the numbers are. MEANING: what the numbers describe (the stream's kind).
    """

    CLOCK = "clock"
    RATE = "rate"
    UNIT = "unit"
    MEANING = "meaning"


UNIT_AND_MEANING = (StreamFact.UNIT, StreamFact.MEANING)
"""What a check of physical quantities rests on."""

ASSUMPTION_NOTES: Mapping[StreamFact, str] = {
    StreamFact.CLOCK: "assumed clock",
    StreamFact.RATE: "assumed rate",
    StreamFact.UNIT: UNIT_NOTE,
    StreamFact.MEANING: "assumed meaning",
}
"""The note that a reader leaves where it assumed a fact; its text is the reason."""

METADATA_NOTES: Mapping[StreamFact, str] = {fact: f"{fact.value} from" for fact in StreamFact}
"""The note that a reader leaves where metadata state a fact; its text names the place."""


def find_provenance_by_notes(fact: StreamFact, notes: Mapping[str, str]) -> Provenance:
    """Return where a fact comes from, by the notes of its stream alone.

    >>> find_provenance_by_notes(StreamFact.MEANING, {"assumed meaning": "by the word 'velocity' in the topic's name"})
    <Provenance.ASSUMED: 'assumed'>
    """
    if ASSUMPTION_NOTES[fact] in notes:
        return Provenance.ASSUMED
    return Provenance.METADATA if METADATA_NOTES[fact] in notes else Provenance.STORED
