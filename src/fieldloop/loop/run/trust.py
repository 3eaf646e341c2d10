"""Trace a policy to its origins, and write or verify a sealed record of it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.loop.data.as_frozen import find_release_episodes
from fieldloop.loop.run.policies import find_policy, find_release_of_policy
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.codec import to_plain
from fieldloop.model.event import Event, Recorded, TokenIssued
from fieldloop.model.note import Note, note
from fieldloop.model.person import Provider
from fieldloop.say.spelled import spell_out_facts
from fieldloop.trust import Lineage, Link, Verification, seal_records, verify_chain
from fieldloop.trust import trace_lineage as follow

PAGE = 1000
SCHEMA = "evidence/1"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sealed record: its file, its length, and the head hash that proves it complete."""

    file: str
    policy: str
    links: int
    head: str
    message: Note


def trace_policy(workspace: Workspace, policy: str) -> Lineage:
    """Trace a policy back to its release, episodes, operators, calibrations, protocols and providers.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
    """
    version = find_policy(workspace, policy)
    release = find_release_of_policy(workspace, version)
    if release is None:
        return Lineage(version.id, "", "", "", (), (note("trust.training_unknown", policy=version.name),))
    return follow(
        version,
        release,
        find_release_episodes(workspace, release),
        workspace.store.find(Calibration),
        workspace.store.find(Provider),
    )


def write_evidence_record(workspace: Workspace, policy: str, file: Path) -> Evidence:
    """Write a hash-chained record of a policy: its lineage, then every event of the ledger up to now.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        file: the JSON file to write
    """
    lineage, until = trace_policy(workspace, policy), workspace.store.get_last_seq()
    records = [{"kind": "Lineage", "body": spell_out_facts(lineage)}]
    records += [
        {"kind": type(r.event).__name__, "body": spell_out_facts(r)}
        for r in _list_events_without_secrets(workspace, until)
    ]
    links = seal_records(records)
    found = verify_chain(links)
    write_atomically(file, json.dumps({"schema": SCHEMA, "head": found.head, "links": to_plain(links)}), "record")
    return Evidence(str(file), lineage.policy, found.links, found.head, found.message)


def verify_evidence(file: Path) -> Verification:
    """Verify a sealed record link by link, and report the first broken link.

    Arguments:
        file: the JSON that `fieldloop evidence` wrote
    """
    try:
        pack = json.loads(file.read_bytes())
        if pack["schema"] != SCHEMA:
            raise BadInput(f"{file} has the schema {pack['schema']!r}; a sealed record has {SCHEMA!r}.")
        links = [Link(raw["position"], raw["previous"], raw["record"], raw["sha256"]) for raw in pack["links"]]
        return verify_chain(links, pack["head"])
    except OSError as wrong:
        raise BadInput(f"{file} cannot be read: {wrong.strerror}.") from wrong
    except (ValueError, KeyError, TypeError) as wrong:
        raise BadInput(f"{file} is not a sealed record written by `fieldloop evidence`: {wrong!r}.") from wrong


def _list_events_without_secrets(workspace: Workspace, until: int) -> Iterator[Recorded[Event]]:
    """Yield every event up to a sequence number, without secrets; later writes do not matter."""
    after = 0
    while after < until and (page := workspace.store.read_tail(after, min(PAGE, until - after))):
        yield from map(_remove_secret, page)
        after = page[-1].seq


def _remove_secret(recorded: Recorded[Event]) -> Recorded[Event]:
    if not isinstance(recorded.event, TokenIssued):
        return recorded
    return replace(recorded, event=TokenIssued(replace(recorded.event.token, sha256="")))
