"""Lint rules about control interfaces and their instructions."""

from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity

SPEEDS = ("tool_speed", "joint_speed")
JOINT_SPEED = "motion.max_speed"


def find_interfaces_without_instructions(draft: Draft) -> Iterator[Remark]:
    """An interface that is used needs instructions."""
    for name in draft.protocol.setting("task.interfaces"):
        if name not in draft.protocol.interfaces:
            yield Remark(
                "P201",
                Severity.ERROR,
                "task.interfaces",
                note("protocol.p201", name=name),
                note("protocol.p201_advice", name=name),
            )


def find_no_interface_used(draft: Draft) -> Iterator[Remark]:
    """A task needs at least one control interface."""
    if not draft.protocol.setting("task.interfaces"):
        yield Remark("P202", Severity.ERROR, "task.interfaces", note("protocol.p202"), note("protocol.p202_advice"))


def find_incomplete_instructions(draft: Draft) -> Iterator[Remark]:
    """Instructions need steps, prohibitions and recovery, or operators improvise."""
    for name, interface in draft.interfaces_used.items():
        given = {"steps": interface.steps, "never": interface.never, "recovery": interface.recovery}
        for key, value in given.items():
            if not value:
                severity = Severity.ERROR if key == "steps" else Severity.WARNING
                yield Remark(
                    "P203",
                    severity,
                    f"interface.{name}",
                    note("protocol.p203", key=key),
                    note("protocol.p203_advice", key=key),
                )


def find_interfaces_without_speed_limit(draft: Draft) -> Iterator[Remark]:
    """Without a speed limit no check can detect a rushed demonstration."""
    for name, interface in draft.interfaces_used.items():
        if not any(speed in interface.limits for speed in SPEEDS):
            yield Remark(
                "P204",
                Severity.WARNING,
                f"interface.{name}",
                note("protocol.p204"),
                note("protocol.p204_advice", name=name),
            )


def find_interfaces_faster_than_arm(draft: Draft) -> Iterator[Remark]:
    """An interface must not allow what the general check fails."""
    general = draft.protocol.limits.get(JOINT_SPEED)
    for name, interface in draft.interfaces_used.items():
        speed_limit = interface.limits.get("joint_speed")
        if (
            general
            and speed_limit
            and speed_limit.maximum
            and general.maximum
            and speed_limit.maximum > general.maximum
        ):
            yield Remark(
                "P205",
                Severity.ERROR,
                f"interface.{name}.limits.joint_speed",
                note("protocol.p205", allowed=speed_limit.maximum, check=JOINT_SPEED, general=general.maximum),
                note("protocol.p205_advice"),
            )


RULES: tuple[Rule, ...] = (
    find_interfaces_without_instructions,
    find_no_interface_used,
    find_incomplete_instructions,
    find_interfaces_without_speed_limit,
    find_interfaces_faster_than_arm,
)
