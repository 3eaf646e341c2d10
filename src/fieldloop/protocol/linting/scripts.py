"""Lint rules about scripts for edge cases."""

from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity


def find_incomplete_scripts(draft: Draft) -> Iterator[Remark]:
    """A script needs a trigger, steps and a label; an unlabelled episode is lost."""
    for name, script in draft.protocol.edge_cases.items():
        given = {"trigger": script.trigger, "steps": script.steps, "label": script.label}
        for key, value in given.items():
            if not value:
                severity = Severity.WARNING if key == "trigger" else Severity.ERROR
                yield Remark(
                    "P401",
                    severity,
                    f"edge_cases.{name}",
                    note("protocol.p401", key=key),
                    note("protocol.p401_advice", key=key),
                )


def find_failures_thrown_away(draft: Draft) -> Iterator[Remark]:
    """Recovery is learnt from failures."""
    if not draft.protocol.setting("episode.failures_kept"):
        yield Remark(
            "P402",
            Severity.WARNING,
            "episode.failures_kept",
            note("protocol.p402"),
            note("protocol.p402_advice"),
        )


RULES: tuple[Rule, ...] = (find_incomplete_scripts, find_failures_thrown_away)
