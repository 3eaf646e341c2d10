"""Can an operator work by the instructions, and can a check hold them to it?"""

from collections.abc import Iterator

from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity

SPEEDS = ("tool_speed", "joint_speed")
JOINT_SPEED = "motion.max_speed"


def undescribed(draft: Draft) -> Iterator[Remark]:
    """An interface that is used needs instructions."""
    for name in draft.protocol.setting("task.interfaces"):
        if name not in draft.protocol.interfaces:
            yield Remark(
                "P201", Severity.ERROR, "task.interfaces", f"{name!r} is used, but there is no [interface.{name}].",
                "Describe it, or take it off the list.",
            )  # fmt: skip


def none_used(draft: Draft) -> Iterator[Remark]:
    """Somebody has to demonstrate somehow."""
    if not draft.protocol.setting("task.interfaces"):
        yield Remark(
            "P202", Severity.ERROR, "task.interfaces", "No control interface is named.", 'Write such as ["vr"].'
        )


def incomplete(draft: Draft) -> Iterator[Remark]:
    """Steps, what is prohibited and how to recover: without one of them everybody invents it."""
    for name, interface in draft.interfaces_used.items():
        told = {"steps": interface.steps, "never": interface.never, "recovery": interface.recovery}
        for key, value in told.items():
            if not value:
                severity = Severity.ERROR if key == "steps" else Severity.WARNING
                yield Remark("P203", severity, f"interface.{name}", f"{key} is empty.", f"Write {key}.")


def unlimited(draft: Draft) -> Iterator[Remark]:
    """Without a speed limit no check can tell a rushed demonstration."""
    for name, interface in draft.interfaces_used.items():
        if not any(speed in interface.limits for speed in SPEEDS):
            yield Remark(
                "P204", Severity.WARNING, f"interface.{name}", "No speed is limited.",
                f"Add [interface.{name}.limits.tool_speed] with unit, max, why and source.",
            )  # fmt: skip


def faster_than_the_arm(draft: Draft) -> Iterator[Remark]:
    """An interface may not allow what the check for all episodes fails."""
    general = draft.protocol.limits.get(JOINT_SPEED)
    for name, interface in draft.interfaces_used.items():
        own = interface.limits.get("joint_speed")
        if general and own and own.maximum and general.maximum and own.maximum > general.maximum:
            yield Remark(
                "P205", Severity.ERROR, f"interface.{name}.limits.joint_speed",
                f"It allows {own.maximum:g} rad/s, check.{JOINT_SPEED} only {general.maximum:g}.",
                "Lower it, or raise the general limit.",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (undescribed, none_used, incomplete, unlimited, faster_than_the_arm)
