"""The last judgement of the dataset as a whole, what changed since, and the calibration of every sensor."""

from dataclasses import dataclass

from fieldloop.loop.calibrate.schedule import Schedule, list_due_calibrations
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.quality import DatasetReport
from fieldloop.model.verification import Verification
from fieldloop.store import Count


@dataclass(frozen=True, slots=True)
class QualityShown:
    """The last report on the dataset beside the protocol in force, calibrations newest first, and what is due."""

    report: DatasetReport | None
    episodes: int
    passed: int
    protocol: str
    fingerprint: str
    calibrations: tuple[Calibration, ...]
    verifications: tuple[Verification, ...]
    due: Schedule


def show_quality(workspace: Workspace) -> QualityShown:
    """Show the last judgement of the dataset, which metrics changed, and the calibration of every sensor."""
    rules = workspace.protocol()
    nouns = workspace.find_all_of_several(Calibration, Verification)
    episodes, passed = workspace.store.views.count_rows(
        Count(Episode, IN_USE), Count(Episode, {"status": Status.PASSED})
    )
    return QualityShown(
        workspace.find_newest(DatasetReport),
        episodes,
        passed,
        rules.version_name,
        rules.fingerprint,
        nouns[Calibration],
        nouns[Verification],
        list_due_calibrations(workspace),
    )
