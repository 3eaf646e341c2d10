"""A batch of which something is not known."""

from fieldloop.check import BATCH_CHECKS, Batch
from fieldloop.model.episode import Episode
from fieldloop.say import write_sentence


def test_an_unknown_operator_may_be_anybody():
    episodes = tuple(Episode(str(i), f"e{i}", "x", operator="a" if i < 6 else "") for i in range(10))
    (share,) = BATCH_CHECKS["batch.operator_share"].look(Batch(episodes))
    assert share.value == 0.6  # too much whoever did the others
    assert write_sentence(share.cannot_tell) == "4 of 10 episodes name no operator."
