"""Measurements of a policy's training data: lags between cameras and joints, agreement of annotators."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from fieldloop.annotate import compare_by_condition
from fieldloop.check import BATCH_CHECKS
from fieldloop.check.batch_case import Batch
from fieldloop.loop.data.measurements import fingerprint_imprints, read_imprints
from fieldloop.loop.workspace import Workspace
from fieldloop.model.agreement import Agreement
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.diagnosis import Lag
from fieldloop.model.episode import Episode
from fieldloop.model.event import LagsMeasured
from fieldloop.model.release import Release
from fieldloop.protocol import CollectionProtocol

CONTENT_LAG = "batch.content_lag"


def estimate_rig_lags(workspace: Workspace, release: Release, episodes: Sequence[Episode]) -> tuple[Lag, ...]:
    """Return how far each rig's cameras lag, estimated from content; a rig without an estimate is left out.

    A release does not change, so the estimate is made once and kept. It is made again only under another protocol, or
    if other imprints of its episodes are kept by now.
    """
    protocol, imprints = workspace.protocol(), fingerprint_imprints(workspace, episodes)
    where = {"release": release.id, "protocol": protocol.fingerprint, "imprints": imprints}
    known = workspace.store.find(LagsMeasured, where, newest=True, limit=1)
    if known:
        return known[0].lags
    lags = tuple(_estimate_lags(workspace, episodes, protocol))
    workspace.write(LagsMeasured(**where, lags=lags))
    return lags


def _estimate_lags(workspace: Workspace, episodes: Sequence[Episode], protocol: CollectionProtocol) -> Iterator[Lag]:
    imprints = read_imprints(workspace, episodes)
    by_robot: dict[str, list[Episode]] = {}
    for episode in episodes:
        by_robot.setdefault(episode.robot, []).append(episode)
    for robot, robot_episodes in sorted(by_robot.items()):
        kept = {e.id: imprints[e.id] for e in robot_episodes if e.id in imprints}
        for measurement in BATCH_CHECKS[CONTENT_LAG].look(
            Batch(tuple(robot_episodes), protocol=protocol, imprints=kept)
        ):
            if measurement.cannot_tell or measurement.low is None or measurement.high is None:
                continue
            yield Lag(robot, measurement.about.stream, measurement.value, measurement.low, measurement.high, len(kept))


def measure_agreements(workspace: Workspace, episodes: Sequence[Episode]) -> tuple[Agreement, ...]:
    """Measure how far each two authors agree on the episodes that both annotated, in all and by condition."""
    strata = {episode.id: episode.circumstances for episode in episodes}
    by_author: dict[str, list[Annotation]] = {}
    for annotation in workspace.store.find(Annotation, {"kind": PHASE}):
        if annotation.episode in strata:
            by_author.setdefault(annotation.author, []).append(annotation)
    least = int(workspace.operations["diagnose"].number("min_compared_episodes"))
    frame_hz = workspace.operations["agree"].number("frame_hz")
    agreements: list[Agreement] = []
    for first, second in combinations(sorted(by_author), 2):
        if {a.episode for a in by_author[first]} & {a.episode for a in by_author[second]}:
            agreements += compare_by_condition(by_author[first], by_author[second], frame_hz, strata, least)
    return tuple(agreements)
