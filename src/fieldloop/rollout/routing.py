"""Which version does a robot or a task get? The same one every time it asks."""

import hashlib
from typing import Literal

from fieldloop.model.rollout import Rollout

WHOLE = 2**64


def arm(robot_or_task: str, rollout: Rollout) -> Literal["candidate", "incumbent"]:
    """Route by hash: sticky, even, and a growing share only ever moves robots towards the candidate.

    Change arms between episodes only, never within one.
    """
    digest = hashlib.sha256(f"{rollout.id}/{robot_or_task}".encode()).digest()
    place = int.from_bytes(digest[:8]) / WHOLE
    return "candidate" if place < rollout.share else "incumbent"
