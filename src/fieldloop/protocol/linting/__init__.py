"""The protocol linter: contradictions, omissions and wrong units in a readable protocol.

Each file holds the rules of one subject; a rule is a function from a Draft to remarks. The codes are stable, the
sentences may change.
"""

from collections.abc import Mapping

from fieldloop.errors import BadInput
from fieldloop.model.note import note
from fieldloop.protocol.collection import (
    default_protocol,
    merge_tables_in_force,
    parse_own_tables,
    read_protocol_tables,
)
from fieldloop.protocol.linting import balance, clocks, interfaces, scripts, sensing, task, values, wording
from fieldloop.protocol.linting.draft import Draft
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.operations import Section, default_operations

RULES = (
    *task.RULES,
    *interfaces.RULES,
    *sensing.RULES,
    *clocks.RULES,
    *scripts.RULES,
    *balance.RULES,
    *values.RULES,
    *wording.RULES,
)
UNREADABLE = "P001"


def lint_protocol(
    text: str,
    where: str = "protocol",
    *,
    phases: Mapping[str, str] | None = None,
    task_name: str = "",
    numbers: Section | None = None,
    at_ns: int | None = None,
) -> tuple[Remark, ...]:
    """Lint a protocol's text, worst remarks first; an unreadable text gives a single remark.

    `phases` are the labels of the taxonomy, `task_name` is the file's name, `at_ns` is now; rules without their input
    are skipped. `numbers` are the thresholds (operations: lint); the shipped ones unless given.
    """
    try:
        file_tables, tables = parse_own_tables(text, where), merge_tables_in_force(text, where)
        protocol = read_protocol_tables(tables, where)
    except BadInput as wrong:
        return (
            Remark(
                UNREADABLE,
                Severity.ERROR,
                where,
                note("protocol.p001", wrong=str(wrong)),
                note("protocol.p001_advice"),
            ),
        )
    numbers = numbers or default_operations()["lint"]
    draft = Draft(protocol, default_protocol(), file_tables, numbers, frozenset(phases or ()), task_name, at_ns)
    found = [remark for rule in RULES for remark in rule(draft)]
    return tuple(sorted(found, key=lambda r: (list(Severity).index(r.severity), r.code, r.place)))


__all__ = ["RULES", "Draft", "Remark", "Severity", "lint_protocol"]
