"""Verify a release or an export: hash everything again, and name what has changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fieldloop.annotate import choose_labels
from fieldloop.errors import FieldloopError
from fieldloop.loop.data.as_frozen import (
    find_attempts_then,
    find_logs_as_frozen,
    find_release_episodes,
    match_release_labels,
    replay_labels,
)
from fieldloop.loop.ship.release_manifest import find_manifest_path, list_files, read_manifest
from fieldloop.loop.ship.release_or_path import find_release_or_path
from fieldloop.loop.ship.release_reasons import name_verdicts
from fieldloop.loop.ship.verified import keep_verification
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Log
from fieldloop.model.event import EpisodeJudged, ReleaseExported
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.integrity import Integrity, IntegrityAnswer
from fieldloop.model.note import note
from fieldloop.model.release import Release
from fieldloop.release import compute_release_id
from fieldloop.store.manifest import decode_manifest
from fieldloop.store.shelf import hash_file

CHUNK = 1 << 20


def verify_release(workspace: Workspace | None, release: str) -> Integrity:
    """Hash a release, or exported files, again, and name what has changed since it was frozen or written.

    Arguments:
        release: the release's id, a unique beginning of it, or its name; or the path of an export
    """
    found = find_release_or_path(workspace, release)
    if workspace is None or isinstance(found, Path):
        return _verify_export(workspace, Path(release))
    answer = replace(_verify_frozen(workspace, found), at_ns=workspace.clock())
    keep_verification(workspace, found, answer)
    return answer


def _verify_frozen(workspace: Workspace, release: Release) -> Integrity:
    logs = workspace.store.get_logs([e.id for e in find_release_episodes(workspace, release)])
    frozen = find_logs_as_frozen(workspace, list({log.blob.sha256: log for log in logs.values()}.values()), release)
    held = {log.blob.sha256: sum(one.blob == log.blob for one in logs.values()) for log in frozen}
    tracked = workspace.track(frozen, f"hashing {release.name}", len(frozen))
    answers = [
        *_compare_ledger(workspace, release),
        *(answer for log in tracked for answer in _hash_log(workspace, log, held[log.blob.sha256])),
    ]
    missing = [key for key in release.episodes if key not in logs]
    if missing:
        answers.append(_answer(note("release.episodes_unknown", episodes=len(missing)), ok=False))
    size_mb = sum(log.blob.size for log in frozen) / 1e6
    return Integrity(release.name, release.id, False, len(frozen), size_mb, tuple(answers))


def _compare_ledger(workspace: Workspace, release: Release) -> Iterator[IntegrityAnswer]:
    """Compare what the ledger states with the hashes that the release was frozen with."""
    found = compute_release_id(release)
    yield _answer(note("release.id_verified" if found == release.id else "release.id_changed"), ok=found == release.id)
    on_record = replay_labels(workspace, release)
    attempts = find_attempts_then(workspace, release)
    labels = match_release_labels(on_record, release, attempts)
    if labels is None:
        yield _answer(note("release.labels_changed", labels=len(choose_labels(on_record, attempts))), ok=False)
    else:
        yield _answer(note("release.labels_verified", labels=len(labels)), ok=True)
    if release.checks:
        reports = _find_verdicts(workspace, release, release.checks.until_seq)
        same = name_verdicts(reports.values()) == release.checks.verdicts_sha256
        code = "release.verdicts_verified" if same else "release.verdicts_changed"
        yield _answer(note(code, episodes=len(reports)), ok=same)


def _find_verdicts(workspace: Workspace, release: Release, until_seq: int) -> Mapping[str, EpisodeReport]:
    """Return the last verdict on each episode up to an event."""
    inside, reports = set(release.episodes), dict[str, EpisodeReport]()
    for recorded in workspace.store.events(EpisodeJudged):
        if recorded.seq > until_seq:
            break
        if recorded.event.report.episode in inside:
            reports[recorded.event.report.episode] = recorded.event.report
    return reports


def _hash_log(workspace: Workspace, log: Log, episodes: int) -> Iterator[IntegrityAnswer]:
    """Hash a log file by file; one answer for a log that is whole."""
    files = [("", log.blob.sha256)]
    changed = []
    try:
        if log.blob.is_folder:
            files = [
                (member.path, member.sha256)
                for member in decode_manifest(workspace.shelf.read(log.blob.sha256), log.blob.sha256)
            ]
    except (FieldloopError, OSError) as wrong:
        changed.append(note("release.log_changed", log=log.name, episodes=episodes, error=str(wrong)))
        files = []
    files += [("mapping", log.mapping)] if log.mapping else []
    for path, sha256 in files:
        try:
            with workspace.shelf.open(sha256) as stream:
                while stream.read(CHUNK):
                    pass
        except Exception as wrong:  # noqa: BLE001 - a damaged file may break any decoder on the way to its hash
            changed.append(
                note("release.log_changed", log=log.name, file=path or None, episodes=episodes, error=str(wrong))
            )
    if not changed:
        yield _answer(note("release.log_verified", log=log.name, files=len(files)), ok=True)
    yield from (_answer(one, ok=False) for one in changed)


def _verify_export(workspace: Workspace | None, target: Path) -> Integrity:
    stated = read_manifest(target)
    manifest = find_manifest_path(target)
    found = list_files(target, manifest)
    listed: Sequence[Mapping[str, Any]] = stated["files"]
    answers = [_compare_file(found.get(one["path"]), one) for one in listed]
    extra = sorted(found.keys() - {one["path"] for one in listed})
    answers += [_answer(note("release.file_added", file=name), ok=False) for name in extra]
    release = stated["release"]
    if workspace is not None:
        answers += _compare_with_ledger(workspace, release["id"], manifest)
    size_mb = sum(path.stat().st_size for path in found.values()) / 1e6
    return Integrity(release["name"], release["id"], True, len(found), size_mb, tuple(answers))


def _compare_file(path: Path | None, listed: Mapping[str, Any]) -> IntegrityAnswer:
    name = listed["path"]
    if path is None:
        return _answer(note("release.file_missing", file=name), ok=False)
    if hash_file(path) != listed["sha256"]:
        size = path.stat().st_size
        return _answer(note("release.file_changed", file=name, size=size, size_before=listed["size"]), ok=False)
    return _answer(note("release.file_verified", file=name), ok=True)


def _compare_with_ledger(workspace: Workspace, release: str, manifest: Path) -> Iterator[IntegrityAnswer]:
    """Compare the list with the one that the ledger remembers: a changed file may come with a changed list."""
    known = {r.event.manifest_sha256 for r in workspace.store.events(ReleaseExported) if r.event.release == release}
    if known - {""}:
        ok = hash_file(manifest) in known
        yield _answer(note("release.manifest_verified" if ok else "release.manifest_changed"), ok=ok)


def _answer(fact: Any, *, ok: bool) -> IntegrityAnswer:
    return IntegrityAnswer(Status.PASSED if ok else Status.FAILED, fact)
