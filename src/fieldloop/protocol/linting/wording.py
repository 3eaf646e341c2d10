"""Lint rules about the wording of instructions."""

from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.protocol.linting.draft import Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity


def find_too_short_texts(draft: Draft) -> Iterator[Remark]:
    """One or two words are a reminder for the author, not an instruction."""
    for place, text in _list_instruction_texts(draft):
        if text and len(text.split()) < draft.numbers.number("fewest_words"):
            yield Remark(
                "P701", Severity.WARNING, place, note("protocol.p701", text=text), note("protocol.p701_advice")
            )


def find_too_few_steps(draft: Draft) -> Iterator[Remark]:
    """Instructions need several steps."""
    for name, interface in draft.interfaces_used.items():
        if 0 < len(interface.steps) < draft.numbers.number("fewest_steps"):
            yield Remark(
                "P702", Severity.WARNING, f"interface.{name}", note("protocol.p702"), note("protocol.p702_advice")
            )


def _list_instruction_texts(draft: Draft) -> Iterator[tuple[str, str]]:
    protocol = draft.protocol
    for key in ("task.start", "task.end"):
        yield key, str(protocol.setting(key))
    for name, interface in draft.interfaces_used.items():
        for text in (*interface.steps, *interface.never, interface.grip, interface.recovery):
            yield f"interface.{name}", text
    for name, script in protocol.edge_cases.items():
        for text in (script.trigger, *script.steps):
            yield f"edge_cases.{name}", text
    for name, viewpoint in protocol.viewpoints.items():
        for text in (viewpoint.mounted, viewpoint.sees):
            yield f"viewpoints.{name}", text
    for phase in protocol.phases:
        for text in (phase.begins, phase.ends):
            yield f"phase {phase.name}", text


RULES: tuple[Rule, ...] = (find_too_short_texts, find_too_few_steps)
