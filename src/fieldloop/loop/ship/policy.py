"""Add policy versions that were trained elsewhere, so that the rest of the loop knows them."""

import hashlib
import math
import re
from dataclasses import replace
from pathlib import Path

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.ship.policy_bundle import (
    is_runnable,
    make_policy_bundle,
    read_policy_settings,
    refuse_pickles,
    try_to_run,
)
from fieldloop.loop.ship.release import find_release as named_release
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import PolicyAdded, PolicyTrained
from fieldloop.model.identity import compute_content_id
from fieldloop.model.policy import PolicyVersion
from fieldloop.serve.adding.server import is_policy_server
from fieldloop.serve.bundle import CARD, SCHEMA, WEIGHTS, read_bundle, read_schema

ELSEWHERE = "elsewhere"
URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(?=[^/])")
POLICY_NAME = re.compile(r"[^\W_][\w.-]*")
Stated = tuple[Path | None, Path | None]
SHA256 = re.compile(r"[0-9a-f]{64}")


def add_policy(
    workspace: Workspace,
    name: str,
    source: Path | None = None,
    *,
    settings: Path | None = None,
    data: Path | None = None,
    digest: str = "",
    release: str = "",
    control_hz: float | None = None,
) -> PolicyVersion:
    """Add a policy that was trained elsewhere, so that it can be gated, served, rolled out, monitored and diagnosed.

    A bundle folder, an ONNX or TorchScript file, a LeRobot policy folder, and the address of an openpi or GR00T server
    (ws://… or tcp://…, with --settings) can be run and served. Of other weights only the SHA-256 is recorded, of other
    URLs only the address. Folders with pickles are refused. For a name that is known, the release or the rate is
    stated on the record; other weights under the same name are refused.

    Arguments:
        name: the policy's name, such as pi0-v3
        source: file, folder or URL of the weights, where known
        settings: TOML file with what the policy does not state: action_names, units, control_hz, normaliser, inputs
        data: the LeRobot dataset that it learnt from; names of actions and the rate are read from it
        digest: SHA-256 of the weights, if the weights are not on this machine
        release: the release of this workspace on which the policy was trained, where known
        control_hz: how many actions a second the robot asks for; the gate judges latency by this rate
    """
    if not _find_version_by_name(workspace, name.strip()):
        _refuse_unusable_name(name.strip())
    if control_hz is not None and not (math.isfinite(control_hz) and control_hz > 0):
        raise BadInput(f"control_hz = {control_hz} is not a valid rate; it must be above 0.")
    learnt_from = named_release(workspace, release) if release else None
    version = PolicyVersion(
        id="",
        name=name.strip(),
        release=learnt_from.id if learnt_from else "",
        trainer=ELSEWHERE,
        bundle="",
        episodes=len(learnt_from.train) if learnt_from else 0,
        seed=0,
        validation_error=None,
        control_hz=control_hz,
    )
    version = _add_weights(workspace, version, source, digest.strip().lower(), (settings, data))
    if source is None and not digest.strip() and (named := _find_version_by_name(workspace, version.name)):
        version = replace(version, id=named.id)  # the name alone means the version that has it
    known = workspace.store.find(PolicyVersion, {"id": version.id})
    if known:
        return _record_further_facts(workspace, known[0], version)
    refuse_taken_name(workspace, version.name)
    workspace.write(PolicyAdded(version))
    return version


def _find_version_by_name(workspace: Workspace, name: str) -> PolicyVersion | None:
    return next(iter(workspace.store.find(PolicyVersion, {"name": name}, newest=True, limit=1)), None)


def _refuse_unusable_name(name: str) -> None:
    """Refuse names that a command, a table or a file name could misread."""
    if not name:
        raise BadInput("Give the policy a name, such as pi0-v3.")
    if not POLICY_NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} is not a valid name of a policy. Use letters, digits, '.', '_' and '-', beginning with a letter "
            "or a digit, such as pi0-v3."
        )


def refuse_taken_name(workspace: Workspace, name: str) -> None:
    """Refuse a second version of the same name: people and tables name versions by it."""
    _refuse_unusable_name(name)
    if named := _find_version_by_name(workspace, name):
        raise Refused(
            f"{name} is another version already ({named.id[:12]}). Give this one a name of its own, such as {name}-2."
        )


def _record_further_facts(workspace: Workspace, known: PolicyVersion, now: PolicyVersion) -> PolicyVersion:
    """Record the release or the rate of a version that is known already; what is not given stays."""
    if known.name != now.name:
        raise Refused(f"These weights are known already, as {known.name} ({known.id[:12]}).")
    trained = (record.event.policy.id for record in workspace.store.events(PolicyTrained))
    if now.release not in ("", known.release) and known.id in trained:
        raise Refused(f"{known.name} was trained here on another release. What it learnt from does not change.")
    stated = replace(
        known,
        release=now.release or known.release,
        episodes=now.episodes if now.release else known.episodes,
        control_hz=now.control_hz or known.control_hz,
    )
    if stated != known:
        workspace.write(PolicyAdded(stated))
    return stated


def register_policy(
    workspace: Workspace, name: str, *, digest: str = "", release: str = "", control_hz: float | None = None
) -> PolicyVersion:
    """Add a policy whose weights stay elsewhere, by name and digest alone, as a page or another program does.

    Arguments:
        name: the policy's name, such as pi0-v3
        digest: SHA-256 of the weights, where known
        release: the release of this workspace on which the policy was trained, where known
        control_hz: how many actions a second the robot asks for; the gate judges latency by this rate
    """
    return add_policy(workspace, name, digest=digest, release=release, control_hz=control_hz)


def _add_weights(
    workspace: Workspace, version: PolicyVersion, source: Path | None, digest: str, stated: Stated
) -> PolicyVersion:
    """Fill in the id, and where the weights are."""
    if digest and not SHA256.fullmatch(digest):
        raise BadInput(f"{digest!r} is not a SHA-256: 64 hexadecimal digits are required.")
    address = "" if source is None else URL.sub(r"\1://", str(source), count=1)  # a path drops one of two slashes
    if source is not None and is_policy_server(address) and stated[0] is not None:
        return _add_runnable(workspace, version, (source, address), digest, stated)
    if source is None or URL.match(str(source)):
        return replace(
            version, id=digest or compute_content_id((version.name.encode(), address.encode())), source=address
        )
    if not source.exists():
        raise BadInput(f"{source} does not exist. Name a file, a folder or a URL, or leave it out and give --digest.")
    refuse_pickles(source)
    if is_bundle_folder(source):
        try_to_run(source)
        card, blob = read_bundle(source), workspace.shelf.put_folder(source)
        _refuse_other_digest(source, card.policy, digest)
        hz = version.control_hz or card.control_hz
        return replace(
            version, id=card.policy, bundle=blob.sha256, control_hz=hz, guard=card.guard_fingerprint,
            trainer=card.trainer or ELSEWHERE, source=source.name,
        )  # fmt: skip
    if is_runnable(source):
        return _add_runnable(workspace, version, (source, ""), digest, stated)
    if any(stated):
        raise BadInput(f"{source} cannot be run as a policy, so --settings and --data do not apply to it.")
    measured = hash_file_or_folder(source)
    _refuse_other_digest(source, measured, digest)
    return replace(version, id=measured, source=source.name)


def _add_runnable(
    workspace: Workspace, version: PolicyVersion, source: tuple[Path, str], digest: str, stated: Stated
) -> PolicyVersion:
    """Make a bundle of what another maker wrote, and store it."""
    path, address = source
    made = make_policy_bundle(workspace, version.name, path, address, read_policy_settings(*stated, version.control_hz))
    if digest not in ("", made.card.policy, made.weights):
        _refuse_other_digest(path, made.weights or made.card.policy, digest)
    return replace(
        version, id=made.card.policy, bundle=made.blob, control_hz=made.card.control_hz,
        guard=made.card.guard_fingerprint, source=address or path.name,
    )  # fmt: skip


def is_bundle_folder(source: Path) -> bool:
    """Is this a bundle: a card with the weights that it names?"""
    if not (source / CARD).is_file():
        return False
    return (source / WEIGHTS).is_file() or read_schema(source) == SCHEMA


def _refuse_other_digest(source: Path, measured: str, stated: str) -> None:
    if stated and stated != measured:
        raise BadInput(f"{source} has the SHA-256 {measured}, not {stated}. It is another version, or it is damaged.")


def hash_file_or_folder(source: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the names and digests of its files."""
    if source.is_file():
        with source.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    files = sorted(path for path in source.rglob("*") if path.is_file())
    if not files:
        raise BadInput(f"{source} holds no file, so it has no weights.")
    return compute_content_id(
        part
        for path in files
        for part in (path.relative_to(source).as_posix().encode(), hash_file_or_folder(path).encode())
    )
