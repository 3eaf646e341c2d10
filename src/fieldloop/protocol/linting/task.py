"""Lint rules about the task: phases, durations, force, cycle time."""

from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity

DURATION, TARGET = "adherence.duration", "task.target_cycle_s"


def find_unknown_phases(draft: Draft) -> Iterator[Remark]:
    """A phase outside the taxonomy can never be annotated."""
    for phase in draft.protocol.phases:
        if draft.phases and phase.name not in draft.phases:
            known = ", ".join(sorted(draft.phases))
            yield Remark(
                "P101",
                Severity.ERROR,
                "phase",
                note("protocol.p101", phase=phase.name),
                note("protocol.p101_advice", known=known),
            )


def find_no_phases(draft: Draft) -> Iterator[Remark]:
    """A task without phases has nothing to be annotated."""
    if not draft.protocol.phases:
        yield Remark("P102", Severity.ERROR, "phase", note("protocol.p102"), note("protocol.p102_advice"))


def find_phases_with_one_boundary(draft: Draft) -> Iterator[Remark]:
    """A phase that defines only one of its boundaries mixes two definitions."""
    for phase in draft.protocol.phases:
        if bool(phase.begins) != bool(phase.ends):
            given, missing = ("begins", "ends") if phase.begins else ("ends", "begins")
            yield Remark(
                "P103",
                Severity.WARNING,
                f"phase {phase.name}",
                note("protocol.p103", given=given, missing=missing),
                note("protocol.p103_advice", missing=missing),
            )


def find_too_long_pre_or_post_roll(draft: Draft) -> Iterator[Remark]:
    """Time before or after the attempt longer than any attempt is a typing error."""
    longest = draft.protocol.limits[DURATION].maximum
    for name in ("adherence.pre_roll", "adherence.post_roll"):
        asked = draft.protocol.limits[name].minimum
        if longest is not None and asked is not None and asked >= longest:
            yield Remark(
                "P104",
                Severity.ERROR,
                f"check.{name}",
                note("protocol.p104", asked_s=asked, longest_s=longest),
                note("protocol.p104_advice"),
            )


def find_cycle_target_beyond_duration_limit(draft: Draft) -> Iterator[Remark]:
    """An operator who meets the target must not fail the duration check."""
    target = float(draft.protocol.setting(TARGET))
    limit = draft.protocol.limits[DURATION]
    if limit.maximum is not None and target > limit.maximum:
        yield Remark(
            "P105",
            Severity.ERROR,
            TARGET,
            note("protocol.p105_above", target_s=target, limit_s=limit.maximum),
            note("protocol.p105_above_advice"),
        )
    elif limit.minimum is not None and target < limit.minimum:
        yield Remark(
            "P105",
            Severity.ERROR,
            TARGET,
            note("protocol.p105_below", target_s=target, limit_s=limit.minimum),
            note("protocol.p105_below_advice"),
        )


def find_missing_force_limit(draft: Draft) -> Iterator[Remark]:
    """A grip needs a lower and an upper force limit, against slipping and crushing."""
    window = draft.protocol.limits["force.window"]
    if window.minimum is None or window.maximum is None:
        side = "lower" if window.minimum is None else "upper"
        yield Remark(
            "P106",
            Severity.WARNING,
            "check.force.window",
            note("protocol.p106", side=side),
            note("protocol.p106_advice"),
        )


def find_task_name_unlike_file(draft: Draft) -> Iterator[Remark]:
    """Protocols are found by the file's name; another name inside it causes confusion."""
    name = draft.protocol.name
    if draft.task_name and name != draft.task_name:
        yield Remark(
            "P107",
            Severity.WARNING,
            "protocol",
            note("protocol.p107", file=draft.task_name, name=name),
            note("protocol.p107_advice", file=draft.task_name),
        )


RULES: tuple[Rule, ...] = (
    find_unknown_phases,
    find_no_phases,
    find_phases_with_one_boundary,
    find_too_long_pre_or_post_roll,
    find_cycle_target_beyond_duration_limit,
    find_missing_force_limit,
    find_task_name_unlike_file,
)
