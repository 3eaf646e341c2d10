"""Check a policy before it is added: does it agree with itself, and with the dataset that it learnt from?"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.ship.policy_data import read_dataset_facts
from fieldloop.loop.workspace import Workspace
from fieldloop.model.finding import Finding, Status, find_worst_status
from fieldloop.say.findings import write_finding
from fieldloop.say.numbers import format_plural
from fieldloop.serve.checking.check import check_policy_folder

ORDER = list(Status)
WORDS = {Status.FAILED: "Contradiction", Status.ERRORED: "Error", Status.CANNOT_TELL: "Cannot tell"}


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """All answers about one policy folder; `answers` are those in words that did not pass, behind a summary."""

    source: str
    kind: str
    data: str
    findings: tuple[Finding, ...]
    passed: bool
    answers: tuple[str, ...]

    @property
    def status(self) -> Status:
        """The worst answer that counts."""
        return find_worst_status(self.findings)


def check_policy(
    workspace: Workspace | None,  # noqa: ARG001 - a policy is checked with or without one
    path: Path,
    *,
    data: Path | None = None,
    control_hz: float | None = None,
) -> PolicyCheck:
    """Check whether a policy folder agrees with itself and with its dataset; weights are not loaded.

    Arguments:
        path: a LeRobot policy folder (config.json, model.safetensors, processors) or a bundle
        data: the LeRobot dataset that it learnt from; features, names, order, rate and ranges are compared
        control_hz: how many actions a second the robot executes, if the policy does not state it
    """
    if not path.is_dir():
        raise BadInput(f"{path} is not a folder. Name a LeRobot policy folder or a bundle.")
    facts = read_dataset_facts(data) if data else None
    kind, findings = check_policy_folder(path, facts, control_hz)
    passed = find_worst_status(findings) is Status.PASSED
    name, seen = path.name or str(path), facts.name if facts else ""
    return PolicyCheck(name, kind, seen, findings, passed, tuple(_write_answers(kind, findings)))


def _write_answers(kind: str, findings: tuple[Finding, ...]) -> Iterator[str]:
    """Write a summary, then what did not pass, worst first."""
    passed = sum(one.status is Status.PASSED for one in findings)
    yield f"{kind}: {passed} of {format_plural(len(findings), 'answer')} passed."
    rest = sorted((one for one in findings if one.status is not Status.PASSED), key=lambda one: ORDER.index(one.status))
    for one in rest:
        yield f"{WORDS[one.status]}: {write_finding(one)}"
