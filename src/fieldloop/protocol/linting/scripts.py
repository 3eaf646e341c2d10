"""Does everybody do the same when something unusual happens, and is it labelled?"""

from collections.abc import Iterator

from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity


def incomplete(draft: Draft) -> Iterator[Remark]:
    """A script needs what starts it, what is done, and the label; an episode without a label is lost."""
    for name, script in draft.protocol.edge_cases.items():
        told = {"trigger": script.trigger, "steps": script.steps, "label": script.label}
        for key, value in told.items():
            if not value:
                severity = Severity.WARNING if key == "trigger" else Severity.ERROR
                yield Remark("P401", severity, f"edge_cases.{name}", f"{key} is missing.", f"Write {key}.")


def failures_thrown_away(draft: Draft) -> Iterator[Remark]:
    """Failures are what recovery is learnt from."""
    if not draft.protocol.setting("episode.failures_kept"):
        yield Remark(
            "P402", Severity.WARNING, "episode.failures_kept", "Failures are thrown away.",
            "Keep and label them: a policy that has seen none cannot recover.",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (incomplete, failures_thrown_away)
