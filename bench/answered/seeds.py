"""Seeds of final worlds follow from a commit, so that no one can choose them."""

import hashlib
import re

COMMIT = re.compile(r"[0-9a-f]{40}")


def derive_seed(commit: str, index: int) -> int:
    """Return the seed of a final world: the first 32 bits of the SHA-256 of commit and index.

    >>> derive_seed("0" * 40, 0) == derive_seed("0" * 40, 0) != derive_seed("0" * 40, 1)
    True
    """
    if not COMMIT.fullmatch(commit):
        raise ValueError(f"{commit!r} is not a commit: write all 40 digits, in lower case.")
    return int(hashlib.sha256(f"{commit}{index}".encode()).hexdigest()[:8], 16)
