"""Check a policy before it is added: does it agree with itself, and with the dataset that it learnt from?"""

from dataclasses import dataclass
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.ship.policy_data import read_dataset_facts
from fieldloop.loop.workspace import Workspace
from fieldloop.model.finding import Finding, Status, find_worst_status
from fieldloop.serve.checking.check import check_policy_folder


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """All answers about one policy folder."""

    source: str
    kind: str
    data: str
    findings: tuple[Finding, ...]

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
    return PolicyCheck(path.name or str(path), kind, facts.name if facts else "", findings)
