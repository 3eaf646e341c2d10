"""Route a robot or a task to candidate or incumbent, the same one every time."""

import hashlib
from typing import Literal

from fieldloop.model.rollout import Rollout

WHOLE = 2**64  # hashes are spread over 64 bits


def choose_candidate_or_incumbent(robot_or_task: str, rollout: Rollout) -> Literal["candidate", "incumbent"]:
    """Route by hash: sticky and even; a growing share moves robots only towards the candidate.

    Change arms between episodes only, never within one.
    """
    digest = hashlib.sha256(f"{rollout.id}/{robot_or_task}".encode()).digest()
    place = int.from_bytes(digest[:8]) / WHOLE
    return "candidate" if place < rollout.share else "incumbent"
