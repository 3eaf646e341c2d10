"""Check this machine and this workspace, and remove leftovers."""

import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from fieldloop import __version__
from fieldloop.check import UNITS
from fieldloop.errors import FieldloopError
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol, require_agreement
from fieldloop.say.numbers import format_fixed
from fieldloop.store import Swept

OPTIONAL = {"psycopg": "postgres", "s3fs": "s3"}
BYTES_A_GB = 1e9
SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Symptom:
    """One thing that was checked."""

    what: str
    status: Status
    message: str


@dataclass(frozen=True, slots=True)
class Examination:
    """Everything that was checked."""

    fieldloop: str
    python: str
    symptoms: tuple[Symptom, ...]

    @property
    def exit_ok(self) -> bool:
        """Whether nothing is broken."""
        return all(s.status not in (Status.FAILED, Status.ERRORED) for s in self.symptoms)


def examine_installation(workspace: Workspace | None) -> Examination:
    """Check this machine and workspace: extras, disk, protocols, ledger, shelf."""
    found = (*_check_machine(), *(_check_workspace(workspace) if workspace else ()))
    return Examination(__version__, f"{platform.python_version()} on {sys.platform}", tuple(found))


def remove_leftovers(workspace: Workspace) -> Swept:
    """Remove leftovers of a killed or refused ingest: blobs that no event refers to, and unfinished files."""
    age_s = workspace.operations["store"].number("sweep_min_age_h") * SECONDS_PER_HOUR
    return workspace.shelf.sweep(workspace.store.list_blobs(), age_s)


def _check_machine() -> Iterator[Symptom]:
    require_agreement(UNITS, default_protocol())
    yield Symptom("checks and protocol", Status.PASSED, f"{len(UNITS)} checks agree with the shipped protocol.")
    for package, extra in OPTIONAL.items():
        try:
            yield Symptom(package, Status.PASSED, f"{importlib.metadata.version(package)} is installed.")
        except importlib.metadata.PackageNotFoundError:
            yield Symptom(package, Status.NOT_APPLICABLE, f"Not installed; needed only for fieldloop[{extra}].")


def _check_workspace(workspace: Workspace) -> Iterator[Symptom]:
    free = shutil.disk_usage(workspace.root).free / BYTES_A_GB
    status = Status.PASSED if free > workspace.operations["store"].number("low_disk_gb") else Status.FAILED
    yield Symptom("disk", status, f"{format_fixed(free, 1)} GB free on the workspace's disk.")
    try:
        names = [rules.label for rules in workspace.protocols.values()]
        yield Symptom("protocols", Status.PASSED, f"In force: {', '.join(names) or 'the shipped one'}.")
    except FieldloopError as wrong:
        yield Symptom("protocols", Status.FAILED, str(wrong))
    if retired := workspace.operations.retired:
        listed = ", ".join(retired)
        message = f"operations.toml sets what nothing reads any more: {listed}. It is ignored; remove it."
        yield Symptom("retired settings", Status.NOT_APPLICABLE, message)
    episodes, logs = workspace.store.count(Episode), workspace.store.find(Log)
    yield Symptom(
        "ledger", Status.PASSED, f"{workspace.store.get_last_seq()} events, {episodes} episodes, {len(logs)} logs."
    )
    missing = [log.name for log in logs if not workspace.shelf.has(log.blob.sha256)]
    if missing:
        yield Symptom("shelf", Status.FAILED, f"{len(missing)} logs are missing from the shelf, first {missing[0]}.")
    else:
        yield Symptom("shelf", Status.PASSED, f"All {len(logs)} logs are on the shelf.")
