"""What was measured when episodes came in: kept on the shelf, judged again under any protocol, no log opened."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

import fieldloop.check as checks
from fieldloop.check.episode.calibration import IN_FORCE, keep_sensors_for_recount, recount_calibrations
from fieldloop.loop.calibrate.attach import find_trusted_calibrations
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.work.measure_part import EpisodeResult, Rules
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode, Log
from fieldloop.model.event import EpisodeJudged, EpisodesMeasured, Event
from fieldloop.model.finding import Measured
from fieldloop.model.hardware import Sensor
from fieldloop.model.imprint import Imprint
from fieldloop.model.release import Release
from fieldloop.protocol import CollectionProtocol
from fieldloop.protocol.layers import compute_fingerprint
from fieldloop.store.arrays import put_arrays, read_arrays
from fieldloop.store.parquet import read_table, store_table

IN_USE = {"set_aside": ""}
"""Episodes that were not set aside."""
EpisodeNumbers = tuple[Episode, tuple[Measured, ...]]
"""An episode and what every check found in it."""


def collect_measuring_rules(workspace: Workspace) -> Rules:
    """Return what episodes of this workspace are compared with."""
    known: dict[str, list[Calibration]] = {}
    for calibration in find_trusted_calibrations(workspace):
        known.setdefault(calibration.robot, []).append(calibration)
    by_episode: dict[str, list[Annotation]] = {}
    for annotation in workspace.store.find(Annotation):
        by_episode.setdefault(annotation.episode, []).append(annotation)
    return Rules(
        require_protocol_in_force(workspace),
        workspace.protocols.list_readable(),
        {robot: tuple(c) for robot, c in known.items()},
        {episode: tuple(a) for episode, a in by_episode.items()},
        workspace.protocols.list_reasons_of_refusal(),
    )


def store_results(workspace: Workspace, results: Sequence[EpisodeResult], rules: Rules) -> list[Event]:
    """Store measurements and imprints as files; return the event that names these files."""
    if not results:
        return []
    columns: dict[str, list[Any]] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for result in results:
        for column, values in checks.convert_measurements_to_columns(
            result.episode.id, _select_measurements_to_store(result)
        ).items():
            columns.setdefault(column, []).extend(values)
        arrays |= {f"{result.episode.id}/{name}": array for name, array in result.imprint.arrays.items()}
    blob, rows = store_table(workspace.shelf, columns)
    imprints = put_arrays(workspace.shelf, arrays)
    return [EpisodesMeasured(tuple(result.episode.id for result in results), blob, rows, imprints, rules.fingerprint)]


def read_stored_measurements(workspace: Workspace, episodes: Iterable[Episode]) -> Iterator[EpisodeNumbers]:
    """Yield the stored measurements of each episode; each stored table is read once."""
    tables: dict[str, dict[str, tuple[Measured, ...]]] = {}
    known: dict[str, tuple[Calibration, ...]] = {}
    listed = tuple(episodes)
    newest = _find_newest_measurements(workspace, listed)
    for episode in listed:
        kept = newest.get(episode.id)
        if kept is None:
            yield episode, ()
            continue
        if kept.blob.sha256 not in tables:
            tables[kept.blob.sha256] = checks.read_measurements_from_columns(
                read_table(workspace.shelf, kept.blob.sha256)
            )
        if episode.robot not in known:
            known[episode.robot] = find_trusted_calibrations(workspace, episode.robot) if episode.robot else ()
        numbers = tables[kept.blob.sha256][episode.id]
        yield episode, tuple(_recount_calibrations(m, episode, known[episode.robot]) for m in numbers)


def _recount_calibrations(measured: Measured, episode: Episode, known: tuple[Calibration, ...]) -> Measured:
    """Calibrations are attached later too: what was counted of them is counted anew."""
    return recount_calibrations(measured, episode, known or None) if measured.check == IN_FORCE else measured


def _select_measurements_to_store(result: EpisodeResult) -> tuple[Measured, ...]:
    """Keep of calibrations what there is to count, not the count: it changes while the log stays the same."""
    sensors = [Sensor(s.serial, s.kind, s.name) for s in result.streams if s.samples]
    return tuple(keep_sensors_for_recount(m, sensors) if m.check == IN_FORCE else m for m in result.measured)


def read_imprints(workspace: Workspace, episodes: Iterable[Episode]) -> dict[str, Imprint]:
    """Return the imprint of each episode; episodes ingested before imprints existed are left out."""
    archives: dict[str, dict[str, NDArray[Any]]] = {}
    imprints: dict[str, Imprint] = {}
    listed = tuple(episodes)
    newest = _find_newest_measurements(workspace, listed)
    for episode in listed:
        kept = newest.get(episode.id)
        if kept is None or kept.imprints is None:
            continue
        if kept.imprints.sha256 not in archives:
            archives[kept.imprints.sha256] = read_arrays(workspace.shelf, kept.imprints.sha256)
        head = f"{episode.id}/"
        archive = archives[kept.imprints.sha256]
        imprints[episode.id] = Imprint({n.removeprefix(head): a for n, a in archive.items() if n.startswith(head)})
    return imprints


def fingerprint_imprints(workspace: Workspace, episodes: Iterable[Episode]) -> str:
    """Return a fingerprint of the imprints of these episodes; it changes when any imprint changes."""
    found = workspace.store.find(EpisodesMeasured, {"episode": [episode.id for episode in episodes]})
    newest = {kept.episodes[0]: kept.imprints.sha256 if kept.imprints else "" for kept in found}
    return compute_fingerprint(sorted(newest.items()))


def judge_episodes(workspace: Workspace, measured: Iterable[EpisodeNumbers]) -> list[EpisodeJudged]:
    """Judge measurements by the protocol in force for each episode."""
    events = []
    by_task: dict[str, CollectionProtocol] = {}
    for episode, numbers in measured:
        if episode.task not in by_task:
            by_task[episode.task] = require_protocol_in_force(workspace, episode.task)
        rules = by_task[episode.task]
        named = checks.is_protocol_named((episode,), rules)
        findings = checks.judge_measurements(numbers, rules, named=named)
        report = checks.make_episode_report(episode, findings, rules.version_name)
        events.append(EpisodeJudged(rules.fingerprint, report, named))
    return events


def find_outdated_episodes(workspace: Workspace, episodes: Iterable[Episode]) -> list[Episode]:
    """Return the episodes that were measured under other parameters, or by fewer checks, than are in force now."""
    now, listed = collect_measuring_rules(workspace).fingerprint, tuple(episodes)
    newest = _find_newest_measurements(workspace, listed)
    return [e for e in listed if e.id not in newest or newest[e.id].measuring != now]


def assemble_batch(workspace: Workspace, numbers: Sequence[EpisodeNumbers], rules: CollectionProtocol) -> checks.Batch:
    """Collect episodes, measurements, imprints and calibrations as the input of checks of many episodes."""
    episodes = tuple(episode for episode, _ in numbers)
    by_episode: dict[str, list[Annotation]] = {}
    for annotation in workspace.store.find(Annotation):
        by_episode.setdefault(annotation.episode, []).append(annotation)
    return checks.Batch(
        episodes,
        tuple(defect for log in workspace.store.find(Log) for defect in log.defects),
        rules,
        {episode.id: measured for episode, measured in numbers},
        read_imprints(workspace, episodes),
        _find_newest_release_split(workspace),
        find_trusted_calibrations(workspace),
        {episode: tuple(a) for episode, a in by_episode.items()},
    )


def _find_newest_release_split(workspace: Workspace) -> dict[str, str]:
    """Return the split of the newest release, where there is one."""
    newest = workspace.store.find(Release, newest=True, limit=1)
    return {e: part for r in newest for part in ("train", "validation") for e in getattr(r, part)}


def _find_newest_measurements(workspace: Workspace, episodes: Sequence[Episode]) -> dict[str, EpisodesMeasured]:
    """Return the newest measurements of each episode, by its id, with one query for all."""
    found = workspace.store.find(EpisodesMeasured, {"episode": [episode.id for episode in episodes]})
    return {kept.episodes[0]: kept for kept in found}  # oldest first, so that the newest stays
