"""Write the pages that follow from code: `python -m docs.generate`; tests fail when they are old."""

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

from docs import python_stub
from fieldloop.api.routes import uses_get_method
from fieldloop.check import BATCH_CHECKS, CHECKS
from fieldloop.check.document import write_checks_markdown
from fieldloop.check.judging import judge_with
from fieldloop.check.measuring import measure_with
from fieldloop.doors.parameters import read_parameters
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.model.event import EVENTS
from fieldloop.model.finding import Finding, Status
from fieldloop.protocol import Parameter, Setting, default_operations, default_protocol
from fieldloop.say import list_codes
from fieldloop.say.findings import get_check_advice, write_finding
from fieldloop.testing.injuries import BATCH_INJURIES, INJURIES

HERE = Path(__file__).parent
NOTE = "<!-- made by `python -m docs.generate`; change the code, not this page -->\n"


def checks() -> Iterator[str]:
    """Every check with its question, limit, reason, source, and what it says of its injury."""
    advice = {name: get_check_advice(name) for name in (*CHECKS, *BATCH_CHECKS)}
    yield write_checks_markdown(default_protocol(), examples(), advice).rstrip()


def examples() -> dict[str, str]:
    """What each check says of a healthy recording, or dataset, that was injured for it."""
    shown = {}
    for name, injury in INJURIES.items():
        case = injury.hurt(injury.healthy())
        shown[name] = _message(judge_with(CHECKS, measure_with([CHECKS[name]], case), case.protocol, named=True))
    for name, injury in BATCH_INJURIES.items():
        batch = injury.hurt(injury.healthy())
        shown[name] = _message(
            judge_with(BATCH_CHECKS, measure_with([BATCH_CHECKS[name]], batch), batch.protocol, named=True)
        )
    return shown


def _message(findings: Iterable[Finding]) -> str:
    return next(write_finding(finding) for finding in findings if finding.status is Status.FAILED)


def numbers() -> Iterator[str]:
    """Every setting and parameter; the assumed ones first, because that list should shrink."""
    yield f"# Numbers\n\n{NOTE}\nThese settings determine how fieldloop runs and how data are collected."
    yield "The source `assumed` means that no better source is known.\n"
    yield "Limits are in [checks.md](checks.md).\n"
    protocol = default_protocol()
    rows: list[tuple[str, Setting | Parameter]] = [
        (f"operations: {s.name}.{n}", x) for s in default_operations().sections.values() for n, x in s.settings.items()
    ]
    rows += [(f"protocol: {name}", setting) for name, setting in protocol.settings.items()]
    rows += [
        (f"protocol: check.{c}.parameters.{n}", x) for c, y in protocol.limits.items() for n, x in y.parameters.items()
    ]
    yield "| setting | value | unit | why | source |\n|---|---|---|---|---|"
    for name, x in sorted(rows, key=lambda row: row[1].source.kind != "assumed"):
        shown = ", ".join(map(str, x.value)) if isinstance(x.value, tuple) else x.value
        unused = " (declared, not used yet)" if isinstance(x, Setting) and x.pending else ""
        yield f"| {name}{unused} | {shown} | {x.unit} | {x.why} | {x.source.kind}: {x.source.ref} |"


def commands() -> Iterator[str]:
    """Every command and route, in loop order."""
    yield f"# Commands and routes\n\n{NOTE}\nCommands take `--workspace` and `--json`; `--help` lists options.\n"
    yield "| command | does | route | who may |\n|---|---|---|---|"
    for case in USE_CASES:
        method = "GET" if uses_get_method(case, read_parameters(case.load())) else "POST"
        route = f"none: {case.no_route}" if case.no_route else f"{method} /api/{case.path}"
        yield f"| `fieldloop {case.command}` | {case.summary} | {route} | {', '.join(sorted(case.roles))} |"
    yield "| `fieldloop up` | Serve pages and API. | none: it is the server that routes | the local user |"


def events() -> Iterator[str]:
    """Everything that can happen, in loop order."""
    yield f"# Events\n\n{NOTE}\nThe ledger holds these events, each with time, actor and cause.\n"
    yield "| event | meaning | holds |\n|---|---|---|"
    for name, kind in EVENTS.items():
        fields = ", ".join(f"`{field}`" for field in inspect.signature(kind).parameters)
        yield f"| `{name}` | {(inspect.getdoc(kind) or '').partition(chr(10))[0]} | {fields} |"


def messages() -> Iterator[str]:
    """Every code with its sentence, room by room."""
    yield f"# Messages\n\n{NOTE}\nEvery reported fact has a stable code. JSON carries code, numbers and message.\n"
    yield "Words in braces are the fact's numbers. A part in square brackets appears where its numbers are known.\n"
    yield "A finding's code is its check and status, such as `timing.longest_gap.failed`: see [checks.md](checks.md)."
    yield "`finding.judged` is a finding within a fact. `as_written` is a text of a plug-in or an earlier version.\n"
    yield "| code | sentence |\n|---|---|"
    for code, sentence in list_codes().items():
        yield f"| `{code}` | {' '.join(sentence.split()).replace('|', '&#124;')} |"


PAGES = {
    "checks.md": checks,
    "numbers.md": numbers,
    "commands.md": commands,
    "events.md": events,
    "messages.md": messages,
}


def text(page: str) -> str:
    """Return what a page should say now."""
    return "\n".join(PAGES[page]()) + "\n"


if __name__ == "__main__":
    python_stub.FILE.write_text(python_stub.text(), encoding="utf-8")
    for page in PAGES:
        (HERE / page).write_text(text(page), encoding="utf-8")
