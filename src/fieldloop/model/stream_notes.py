"""The notes of a stream by key: what its reader had to assume, convert or leave out.

Logic looks for keys only. The texts are for people; files that were exported keep them.
"""

from collections.abc import Mapping

UNIT_NOTE = "unit"
"""The note that a reader leaves where the source does not state the unit: why it was assumed, or is unknown."""
RECORDED_UNIT = "recorded_unit"
"""The unit before a mapping converted it."""
RESAMPLED = "resampled"
"""The rule by which samples came onto the rows of a table."""
RECORDED_HZ = "recorded_hz"
"""The rate before samples came onto the rows of a table."""
SHAPE = "shape"
"""The sides of a sample before it became columns."""
TYPE = "type"
"""The message type of a topic."""
ENCODING, VALUES, LEFT_OUT, ROUNDED = "encoding", "values", "left out", "rounded"
"""What of the source a stream does not hold."""
NOT_UNDERSTOOD = "not understood"
"""The note that a reader leaves on a stream that it could not decode, or whose meaning nothing states: why."""
ABOUT_PROGRAMS = "about programs"
"""The note on a stream of log texts, settings or other facts about programs, not about a robot."""
SENDERS = "several senders"
"""The note on a stream to whose topic several programs write: their number."""
EARLIER_CONVERSION = "recorded in "


def upgrade_notes(notes: Mapping[str, str]) -> dict[str, str]:
    """Return the notes of an exported file as this version keeps them; the only place that reads a note's text.

    Earlier versions noted a converted unit under the key for one that is not stated.

    >>> upgrade_notes({"unit": "recorded in deg", "type": "imu"}), upgrade_notes({"unit": "radians are assumed"})
    ({'recorded_unit': 'deg', 'type': 'imu'}, {'unit': 'radians are assumed'})
    """
    if not notes.get(UNIT_NOTE, "").startswith(EARLIER_CONVERSION):
        return dict(notes)
    converted = {RECORDED_UNIT: notes[UNIT_NOTE].removeprefix(EARLIER_CONVERSION)}
    return converted | {key: text for key, text in notes.items() if key != UNIT_NOTE}
