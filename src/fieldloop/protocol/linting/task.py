"""Does the task fit together: phases, durations, force, cycle time?"""

from collections.abc import Iterator

from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity

DURATION, TARGET = "adherence.duration", "task.target_cycle_s"


def unknown_phases(draft: Draft) -> Iterator[Remark]:
    """A phase that annotators have no word for can never be found present."""
    for phase in draft.protocol.phases:
        if draft.phases and phase.name not in draft.phases:
            known = ", ".join(sorted(draft.phases))
            yield Remark(
                "P101", Severity.ERROR, "phase", f"Annotators know no phase called {phase.name!r}.",
                f"Use one of these: {known}.",
            )  # fmt: skip


def no_phases(draft: Draft) -> Iterator[Remark]:
    """A task without phases has nothing to be annotated."""
    if not draft.protocol.phases:
        yield Remark("P102", Severity.ERROR, "phase", "The task has no phases.", "List them in order under [[phase]].")


def boundaries(draft: Draft) -> Iterator[Remark]:
    """Words of one's own for one side of a phase only leave the other side to somebody else's."""
    for phase in draft.protocol.phases:
        if bool(phase.begins) != bool(phase.ends):
            told, missing = ("begins", "ends") if phase.begins else ("ends", "begins")
            yield Remark(
                "P103", Severity.WARNING, f"phase {phase.name}", f"It says what {told} it, not what {missing} it.",
                f"Say {missing} too, or leave both to the taxonomy.",
            )  # fmt: skip


def rolls(draft: Draft) -> Iterator[Remark]:
    """Time before and after the attempt that is longer than any attempt is a typing error."""
    longest = draft.protocol.limits[DURATION].maximum
    for name in ("adherence.pre_roll", "adherence.post_roll"):
        asked = draft.protocol.limits[name].minimum
        if longest is not None and asked is not None and asked >= longest:
            yield Remark(
                "P104", Severity.ERROR, f"check.{name}",
                f"At least {asked:g} s are asked for, but an attempt lasts at most {longest:g} s.",
                "Shorten it: a second before and two after are usual.",
            )  # fmt: skip


def cycle_target(draft: Draft) -> Iterator[Remark]:
    """An operator who keeps to the target must not be failed for the duration."""
    target = float(draft.protocol.setting(TARGET))
    limit = draft.protocol.limits[DURATION]
    if limit.maximum is not None and target > limit.maximum:
        yield Remark(
            "P105", Severity.ERROR, TARGET,
            f"The target is {target:g} s, but an attempt may last at most {limit.maximum:g} s.",
            "Lower the target, or raise check.adherence.duration.",
        )  # fmt: skip
    elif limit.minimum is not None and target < limit.minimum:
        yield Remark(
            "P105", Severity.ERROR, TARGET,
            f"The target is {target:g} s, but an attempt shorter than {limit.minimum:g} s fails.",
            "Raise the target, or lower the minimum of check.adherence.duration.",
        )  # fmt: skip


def force_window(draft: Draft) -> Iterator[Remark]:
    """A grip is held between two forces; one side alone lets slip or crush pass."""
    window = draft.protocol.limits["force.window"]
    if window.minimum is None or window.maximum is None:
        side = "lower" if window.minimum is None else "upper"
        yield Remark(
            "P106", Severity.WARNING, "check.force.window", f"The window has no {side} end.",
            "Give min and max: below the one it slips, above the other it crushes.",
        )  # fmt: skip


def other_task(draft: Draft) -> Iterator[Remark]:
    """Protocols are found by the file's name; a name inside that differs confuses everybody later."""
    name = draft.protocol.name
    if draft.task_name and name != draft.task_name:
        yield Remark(
            "P107", Severity.WARNING, "protocol", f"The file is called {draft.task_name}, the protocol {name!r}.",
            f'Write name = "{draft.task_name}", or rename the file.',
        )  # fmt: skip


RULES: tuple[Rule, ...] = (unknown_phases, no_phases, boundaries, rolls, cycle_target, force_window, other_task)
