"""How ROS puts a message into bytes: byte order, alignment, the form of a text."""

from typing import NamedTuple

ENCAPSULATION = 4


class Wire(NamedTuple):
    """`start` is where counting for alignment begins; numbers are aligned to their size, to `most_aligned` at most.

    `seconds` is how those of a stamp are written: ROS 1 has no sign and reaches 2106, ROS 2 has one and reaches 2038.
    """

    order: str
    start: int
    most_aligned: int
    nul_ended: bool
    seconds: str

    def align_offset(self, offset: int, size: int) -> int:
        """Return the first place at or behind `offset` where a number of this size may stand."""
        step = min(size, self.most_aligned)
        return self.start + -(-(offset - self.start) // step) * step


ROS1 = Wire("<", 0, 1, nul_ended=False, seconds="<u4")
CDR = {  # by the second byte of the encapsulation: CDR and its second version, each in both byte orders
    0x00: Wire(">", ENCAPSULATION, 8, nul_ended=True, seconds=">i4"),
    0x01: Wire("<", ENCAPSULATION, 8, nul_ended=True, seconds="<i4"),
    0x06: Wire(">", ENCAPSULATION, 4, nul_ended=True, seconds=">i4"),
    0x07: Wire("<", ENCAPSULATION, 4, nul_ended=True, seconds="<i4"),
}
FIRST_VERSION = (0x00, 0x01)


def detect_wire_format(encoding: str, payload: memoryview) -> Wire:
    """Return how a message is encoded; ValueError where that encoding is unknown."""
    if encoding == "ros1":
        return ROS1
    if len(payload) < ENCAPSULATION:
        raise ValueError(f"a message of {len(payload)} bytes has no encapsulation header")
    if payload[0] or payload[1] not in CDR:
        raise ValueError(f"CDR in representation {bytes(payload[:2]).hex()} is not decoded")
    return CDR[payload[1]]
