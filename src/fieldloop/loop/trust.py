"""Where a policy comes from, and a sealed record of it."""

import json
from dataclasses import dataclass
from pathlib import Path

from fieldloop.loop.policies import named
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.person import Provider
from fieldloop.model.release import Release
from fieldloop.trust import Lineage, chain, verify
from fieldloop.trust import trace as follow

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sealed record: where it was written, how long it is, and the head that proves it whole."""

    file: str
    policy: str
    links: int
    head: str
    message: str


def trace(workspace: Workspace, policy: str) -> Lineage:
    """Trace a policy back: release, episodes, operators, calibrations, protocols, providers.

    Arguments:
        policy: id, beginning of it, or name

    """
    version = named(workspace, policy)
    release = workspace.store.get(Release, version.release)
    return follow(
        version,
        release,
        workspace.store.find(Episode, {"id": list(release.episodes)}),
        workspace.store.find(Calibration),
        workspace.store.find(Provider),
    )


def evidence(workspace: Workspace, policy: str, file: Path) -> Evidence:
    """Write a hash-chained record of a policy: its lineage, then every event of the ledger up to now.

    Arguments:
        policy: id, beginning of it, or name
        file: where to write the JSON

    """
    lineage = trace(workspace, policy)
    records = [{"kind": "Lineage", "body": to_plain(lineage)}]
    after = 0
    while page := workspace.store.tail(after, PAGE):
        records += [{"kind": type(r.event).__name__, "body": to_plain(r)} for r in page]
        after = page[-1].seq
    links = chain(records)
    found = verify(links)
    file.write_text(
        json.dumps({"schema": "evidence/1", "head": found.head, "links": to_plain(links)}), encoding="utf-8"
    )
    return Evidence(str(file), lineage.policy, found.links, found.head, found.message)
