"""What a protocol that can be read may still get wrong: contradictions, omissions, numbers in another unit.

One small file a subject; a rule is a function from a Draft to remarks. The codes are stable: a remark's advice may be
reworded, its code stays.
"""

from collections.abc import Mapping

from fieldloop.errors import BadInput
from fieldloop.protocol.collection import default_protocol, from_tables, in_full, stated
from fieldloop.protocol.linting import balance, clocks, interfaces, scripts, sensing, task, values, wording
from fieldloop.protocol.linting.draft import Draft
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.operations import Section, default_operations

RULES = (
    *task.RULES, *interfaces.RULES, *sensing.RULES, *clocks.RULES, *scripts.RULES, *balance.RULES, *values.RULES,
    *wording.RULES,
)  # fmt: skip
UNREADABLE = "P001"


def lint(
    text: str,
    where: str = "protocol",
    *,
    phases: Mapping[str, str] | None = None,
    task_name: str = "",
    numbers: Section | None = None,
    at_ns: int | None = None,
) -> tuple[Remark, ...]:
    """Look a protocol's text over, worst first; what cannot be read at all is the one remark there is.

    `phases` are the labels annotators know, `task_name` is what the file's name says, `at_ns` is now; without them
    those rules rest. `numbers` say what looks wrong (operations: lint); the shipped ones unless given.
    """
    try:
        own, tables = stated(text, where), in_full(text, where)
        protocol = from_tables(tables, where)
    except BadInput as wrong:
        return (Remark(UNREADABLE, Severity.ERROR, where, str(wrong), "Put this right first; the rest comes after."),)
    numbers = numbers or default_operations()["lint"]
    draft = Draft(protocol, default_protocol(), own, numbers, frozenset(phases or ()), task_name, at_ns)
    found = [remark for rule in RULES for remark in rule(draft)]
    return tuple(sorted(found, key=lambda r: (list(Severity).index(r.severity), r.code, r.place)))


__all__ = ["RULES", "Draft", "Remark", "Severity", "lint"]
