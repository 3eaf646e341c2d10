"""One holder at a time, and nothing that an earlier holder sent moves the robot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop_robot.lease import Lease, LeaseRefused, release_lease, renew_lease, seize_lease, take_lease


def test_the_operator_takes_over_when_the_policy_lets_go():
    policy = take_lease(Lease(), "policy", now_ns=0, ttl_ns=100)
    operator = take_lease(release_lease(policy, "policy", policy.epoch, now_ns=10), "operator", now_ns=10, ttl_ns=100)
    assert operator.may_command("operator", operator.epoch, 50)
    assert not operator.may_command("policy", policy.epoch, 50)


def test_a_late_command_of_an_earlier_epoch_of_the_same_holder_moves_nothing():
    first = take_lease(Lease(), "operator", now_ns=0, ttl_ns=100)
    second = take_lease(first, "operator", now_ns=50, ttl_ns=100)
    assert not second.may_command("operator", first.epoch, 60)


def test_renewing_extends_and_never_shortens():
    lease = take_lease(Lease(), "policy", now_ns=0, ttl_ns=100)
    assert renew_lease(lease, "policy", 1, now_ns=90, ttl_ns=100).expires_ns == 190
    assert renew_lease(lease, "policy", 1, now_ns=5, ttl_ns=10).expires_ns == 100


@pytest.mark.parametrize(("holder", "epoch", "now"), [("policy", 1, 100), ("policy", 2, 50), ("operator", 1, 50)])
def test_what_is_not_held_cannot_be_renewed(holder, epoch, now):
    with pytest.raises(LeaseRefused, match="take control again"):
        renew_lease(take_lease(Lease(), "policy", now_ns=0, ttl_ns=100), holder, epoch, now_ns=now, ttl_ns=100)


def test_only_the_holder_can_release():
    lease = take_lease(Lease(), "policy", now_ns=0, ttl_ns=100)
    assert release_lease(lease, "operator", 1, now_ns=10) == lease


def test_a_person_can_seize_control():
    policy = take_lease(Lease(), "policy", now_ns=0, ttl_ns=100)
    person = seize_lease(policy, "operator", now_ns=10, ttl_ns=100)
    assert person.may_command("operator", 2, 20)
    assert not person.may_command("policy", 1, 20)


@pytest.mark.parametrize(("holder", "ttl"), [("", 10), ("policy", 0)])
def test_a_lease_without_holder_or_time_is_refused(holder, ttl):
    with pytest.raises(LeaseRefused, match="needs a holder"):
        take_lease(Lease(), holder, now_ns=0, ttl_ns=ttl)


moves = st.lists(
    st.tuples(
        st.sampled_from(["take", "renew", "release", "seize"]), st.sampled_from(["a", "b", "c"]), st.integers(0, 40)
    ),
    max_size=30,
)


@given(moves)
def test_never_two_holders_and_epochs_only_rise(steps):
    lease, now, epochs = Lease(), 0, {"a": 0, "b": 0, "c": 0}
    for what, who, wait in steps:
        now, before = now + wait, lease
        try:
            match what:
                case "take":
                    lease = take_lease(lease, who, now, 50)
                case "seize":
                    lease = seize_lease(lease, who, now, 50)
                case "renew":
                    lease = renew_lease(lease, who, epochs[who], now, 50)
                case "release":
                    lease = release_lease(lease, who, epochs[who], now)
        except LeaseRefused:
            assert lease == before
        if lease.epoch > before.epoch:
            epochs[lease.holder] = lease.epoch
        assert lease.epoch >= before.epoch
        assert sum(lease.may_command(name, epoch, now) for name, epoch in epochs.items()) <= 1
