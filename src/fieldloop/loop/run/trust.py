"""Trace a policy to its origins, and write or verify a sealed record of it."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.data.as_frozen import find_episodes_of_releases, find_release_episodes
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.run.policies import find_policy, find_release_of_policy
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.codec import to_plain
from fieldloop.model.episode import Episode
from fieldloop.model.event import Event, Recorded, ReleaseExported
from fieldloop.model.note import Note, note
from fieldloop.model.person import Provider
from fieldloop.model.person_event import TokenIssued
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.model.rollout import Rollout
from fieldloop.model.touched import Dependents, TouchedPolicy, TouchedRelease
from fieldloop.say.spelled import spell_out_facts
from fieldloop.trust import (
    ChainVerification,
    Lineage,
    Link,
    find_origins_depending_on,
    make_origins,
    seal_records,
    verify_chain,
)
from fieldloop.trust import trace_lineage as follow

Traced = Lineage
"""What doors call a lineage."""
PAGE = 1000
MOST_LISTED = 12
SCHEMA = "evidence/1"


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """A sealed record: its file, its length, and the head hash that proves it complete."""

    file: str
    policy: str
    links: int
    head: str
    message: Note


def trace(  # noqa: PLR0913 - each is one thing to trace from
    workspace: Workspace,
    policy: str = "",
    *,
    calibration: str = "",
    operator: str = "",
    robot: str = "",
    session: str = "",
    site: str = "",
    provider: str = "",
    protocol: str = "",
    episode: str = "",
) -> Lineage | Dependents:
    """Trace a policy back to all that it rests on, or one thing forward to every release and policy it touched.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        calibration: what did this calibration touch: its id, or a unique beginning of it
        operator: what did this operator's demonstrations touch
        robot: what did this robot's recordings touch
        session: what did this session touch
        site: what did recordings of this site touch
        provider: what did this provider's deliveries touch
        protocol: what did recordings under this version of a protocol touch, as their logs name it
        episode: what did this episode touch: its id, or its name
    """
    named = {
        "calibration": calibration, "operator": operator, "robot": robot, "session": session, "site": site,
        "provider": provider, "protocol": protocol, "episode": episode,
    }  # fmt: skip
    chosen = [(kind, name) for kind, name in named.items() if name]
    if bool(policy) + len(chosen) != 1:
        raise BadInput("Name one thing to trace: a policy, or one of " + ", ".join(f"--{kind}" for kind in named) + ".")
    return trace_policy(workspace, policy) if policy else trace_forward(workspace, *chosen[0])


def trace_forward(workspace: Workspace, kind: str, name: str) -> Dependents:
    """Find every episode, release and policy that rests on one thing."""
    calibrations = workspace.store.find(Calibration)
    if kind == "calibration":
        name = workspace.store.get(Calibration, name).id
    elif kind == "episode":
        name = find_episode(workspace, name).id
    origins = make_origins(workspace.store.find(Episode), calibrations)
    inside = {origin.episode for origin in find_origins_depending_on(origins, kind, name)}
    if not inside and kind != "calibration":
        known = sorted({getattr(origin, kind) for origin in origins} - {""})
        raise UnknownName(kind, name, known, ", ".join(known[:MOST_LISTED]))
    releases = tuple(_list_touched_releases(workspace, kind, name, calibrations))
    ids = {one.release for one in releases}
    policies = tuple(_list_touched_policies(workspace, ids))
    released = {key for one in workspace.find_all(Release) if one.id in ids for key in one.episodes}
    sentence = note(
        "trust.touched", thing=kind, name=name, episodes=len(inside), releases=len(releases), policies=len(policies)
    )
    return Dependents(kind, name, sentence, releases, policies, tuple(sorted(inside)), len(inside - released))


def _list_touched_releases(
    workspace: Workspace, kind: str, name: str, calibrations: Sequence[Calibration]
) -> Iterator[TouchedRelease]:
    """Look into each release as it was frozen: who demonstrated may have been corrected since."""
    exported: dict[str, list[str]] = {}
    for recorded in workspace.store.events(ReleaseExported):
        exported.setdefault(recorded.event.release, []).append(recorded.event.target)
    for release, episodes in find_episodes_of_releases(workspace):
        sides = dict.fromkeys(release.train, "train") | dict.fromkeys(release.validation, "validation")
        origins = make_origins(episodes, calibrations, sides)
        touched = Counter(origin.split for origin in find_origins_depending_on(origins, kind, name))
        if touched:
            yield TouchedRelease(
                release.id, release.name, touched.total(), touched["train"], touched["validation"],
                len(release.episodes), tuple(dict.fromkeys(exported.get(release.id, []))),
            )  # fmt: skip


def _list_touched_policies(workspace: Workspace, releases: Collection[str]) -> Iterator[TouchedPolicy]:
    rungs = {rollout.candidate: rollout.rung.value for rollout in reversed(workspace.find_all(Rollout))}
    for policy in workspace.find_all(PolicyVersion):
        if policy.release in releases:
            yield TouchedPolicy(policy.id, policy.name, policy.release, rungs.get(policy.id, ""))


def trace_policy(workspace: Workspace, policy: str) -> Lineage:
    """Trace a policy back to its release, episodes, operators, calibrations, protocols and providers."""
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


def write_evidence_record(workspace: Workspace, policy: str, file: Path) -> EvidenceRecord:
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
    return EvidenceRecord(str(file), lineage.policy, found.links, found.head, found.message)


def verify_evidence(file: Path) -> ChainVerification:
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
