"""Compare two protocols, and count the episodes whose verdicts would change."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import fieldloop.check as checks
from fieldloop.loop.data.measurements import read_stored_measurements
from fieldloop.loop.protocol.named import find_protocol_by_file_or_name
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measured, Status
from fieldloop.protocol import Change, CollectionProtocol, ProtocolDiff, compare_protocols

MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """An episode whose verdict differs under the newer protocol."""

    episode: str
    name: str
    before: Status
    after: Status


@dataclass(frozen=True, slots=True)
class ProtocolChanges:
    """What changed, what must be done, and how verdicts on known episodes change.

    `judged` counts the episodes judged under both, from their stored measurements.
    """

    older: str
    newer: str
    sentence: str
    needs_measuring: bool
    needs_judging: bool
    checks: tuple[str, ...]
    changes: tuple[Change, ...]
    judged: int = 0
    verdicts_changed: int = 0
    first_changed: tuple[VerdictChange, ...] = ()


def compare_two_protocols(workspace: Workspace | None, older: Path, newer: Path | None = None) -> ProtocolChanges:
    """Compare two protocols: which changes need new measurements, which a new judgement, which are only wording.

    Arguments:
        older: a file, name@version of a locked protocol, a task's name, `shipped`, or an example's name
        newer: the protocol to compare with, given like --older (default: the workspace's present file)
    """
    before, after = (find_protocol_by_file_or_name(workspace, asked, as_written=True) for asked in (older, newer))
    changed = compare_protocols(before, after)
    judged, verdicts = _judge_under_both(workspace, before, after) if workspace and changed.needs_judging else (0, [])
    return _describe_changes(changed, judged, verdicts)


def _judge_under_both(
    workspace: Workspace, before: CollectionProtocol, after: CollectionProtocol
) -> tuple[int, list[VerdictChange]]:
    """Judge stored measurements under both protocols, even where the newer one requires measuring again."""
    episodes = [e for e in workspace.store.find(Episode, {"set_aside": ""}) if e.task in ("", before.name, after.name)]
    changes, count = [], 0
    for episode, measured in read_stored_measurements(workspace, episodes):
        if not measured:
            continue
        count += 1
        old, new = (_judge_episode(episode, measured, rules) for rules in (before, after))
        if old is not new:
            changes.append(VerdictChange(episode.id, episode.name, old, new))
    return count, changes


def _judge_episode(episode: Episode, measured: Sequence[Measured], rules: CollectionProtocol) -> Status:
    named = checks.is_protocol_named((episode,), rules)
    return checks.make_episode_report(episode, checks.judge_measurements(measured, rules, named=named)).status


def _describe_changes(changed: ProtocolDiff, judged: int, verdicts: list[VerdictChange]) -> ProtocolChanges:
    return ProtocolChanges(
        older=changed.older,
        newer=changed.newer,
        sentence=changed.sentence,
        needs_measuring=changed.needs_measuring,
        needs_judging=changed.needs_judging,
        checks=changed.checks,
        changes=changed.changes,
        judged=judged,
        verdicts_changed=len(verdicts),
        first_changed=tuple(verdicts[:MOST_NAMED]),
    )
