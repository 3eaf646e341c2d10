"""Who holds control of the robot: one holder at a time, until the lease runs out.

Each change of holder raises the epoch. A command carries holder and epoch, so late commands of an
earlier holder are ignored. Time is handed in; a lease never reads a clock.
"""

from dataclasses import dataclass, replace

from fieldloop_robot import RobotError


class LeaseRefused(RobotError):
    """Another holder has control, or this lease has expired."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Control by one holder until `expires_ns`; the very first lease has no holder."""

    holder: str = ""
    epoch: int = 0
    expires_ns: int = 0

    def is_held_at(self, now_ns: int) -> bool:
        """Return whether control is held now."""
        return bool(self.holder) and now_ns < self.expires_ns

    def may_command(self, holder: str, epoch: int, now_ns: int) -> bool:
        """May a command of this holder from this epoch move the robot now?"""
        return self.is_held_at(now_ns) and (holder, epoch) == (self.holder, self.epoch)


def take_lease(lease: Lease, holder: str, now_ns: int, ttl_ns: int) -> Lease:
    """Give control to a holder; refused while another holder has it.

    >>> first = take_lease(Lease(), "policy", now_ns=0, ttl_ns=100)
    >>> take_lease(first, "operator", now_ns=50, ttl_ns=100)
    Traceback (most recent call last):
    fieldloop_robot.lease.LeaseRefused: 'policy' holds control for another 0.0 s; ask them to release it, or wait.
    >>> take_lease(first, "operator", now_ns=100, ttl_ns=100).epoch
    2
    """
    _refuse_invalid_hold(holder, ttl_ns)
    if lease.is_held_at(now_ns) and lease.holder != holder:
        left_s = (lease.expires_ns - now_ns) / 1e9
        raise LeaseRefused(
            f"{lease.holder!r} holds control for another {left_s:.1f} s; ask them to release it, or wait."
        )
    return Lease(holder, lease.epoch + 1, now_ns + ttl_ns)


def seize_lease(lease: Lease, holder: str, now_ns: int, ttl_ns: int) -> Lease:
    """Give control to a person even while it is held; commands of the old epoch no longer count."""
    _refuse_invalid_hold(holder, ttl_ns)
    return Lease(holder, lease.epoch + 1, now_ns + ttl_ns)


def renew_lease(lease: Lease, holder: str, epoch: int, now_ns: int, ttl_ns: int) -> Lease:
    """Extend a lease; an expired one must be taken again."""
    _refuse_invalid_hold(holder, ttl_ns)
    if not lease.may_command(holder, epoch, now_ns):
        raise LeaseRefused(
            f"{holder!r} does not hold epoch {epoch} (the number of this lease) any more; take control again."
        )
    return replace(lease, expires_ns=max(lease.expires_ns, now_ns + ttl_ns))


def release_lease(lease: Lease, holder: str, epoch: int, now_ns: int) -> Lease:
    """Release control; only the holder can."""
    return replace(lease, holder="", expires_ns=now_ns) if lease.may_command(holder, epoch, now_ns) else lease


def _refuse_invalid_hold(holder: str, ttl_ns: int) -> None:
    if not holder or ttl_ns <= 0:
        raise LeaseRefused(f"A lease needs a holder and a time to live above 0, not {holder!r} and {ttl_ns} ns.")
