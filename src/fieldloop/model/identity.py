"""Ids: the hash for content, `<noun>_<ULID>` for everything else."""

import hashlib
from collections.abc import Callable, Iterable

Clock = Callable[[], int]
"""Returns the current time in UTC nanoseconds. Always injected, so that a test can simulate months in a second."""

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_BITS = 80


def compute_content_id(parts: Iterable[bytes]) -> str:
    """SHA-256 over length-prefixed parts, so that moving a byte from one part to the next changes the id.

    >>> compute_content_id([b"ab", b"c"]) == compute_content_id([b"a", b"bc"])
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def make_ulid(at_ns: int, random_bits: int) -> str:
    """48 bits of milliseconds and 80 random bits as 26 Crockford letters: sorts by time.

    >>> make_ulid(0, 0), make_ulid(1_000_000, 5)
    ('00000000000000000000000000', '00000000010000000000000005')
    """
    value = (at_ns // 1_000_000) << RANDOM_BITS | random_bits & ((1 << RANDOM_BITS) - 1)
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


class Ids:
    """Generates `<noun>_<ULID>` from a clock and a source of random bits."""

    def __init__(self, clock: Clock, random_bits: Callable[[int], int]) -> None:
        """Tests pass `random.Random(seed).getrandbits`, production `secrets.randbits`."""
        self._clock, self._random_bits = clock, random_bits

    def new(self, noun: str) -> str:
        """Return a new id, such as `incident_01J…`."""
        return f"{noun}_{make_ulid(self._clock(), self._random_bits(RANDOM_BITS))}"
