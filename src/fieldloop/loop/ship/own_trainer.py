"""Train with a trainer of the user's own: it gets frames and a folder, and what it writes is recorded as a policy."""

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.ship.dataset import open_release_dataset
from fieldloop.loop.ship.policy import hash_file_or_folder
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import PolicyTrained
from fieldloop.model.person import LOCAL_ADMIN
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.serve.bundle import CARD, WEIGHTS, read_bundle
from fieldloop.train.trainers import (
    FrameTrainer,
    find_frame_trainer,
    import_frame_trainer,
    register_frame_trainer,
)

SHELF = "shelf:"
"""How the source of a policy begins whose files are on the shelf without being a bundle."""


def register_trainer(name: str, trainer: FrameTrainer) -> None:
    """Make a trainer of your own known by name, for `train RELEASE --trainer NAME` in this process.

    It is called with frames to learn from, frames held out (None where there are none), an empty folder, and a seed.
    What it leaves in the folder is the policy. An installed package registers by the entry point `fieldloop.trainers`.
    """
    register_frame_trainer(name, trainer)


def find_own_trainer(workspace: Workspace, trainer: str) -> FrameTrainer | None:
    """Return a trainer of the user's own by name or address, None for one of fieldloop's."""
    if ":" not in trainer:
        return find_frame_trainer(trainer)
    if workspace.actor != LOCAL_ADMIN:
        raise Refused(
            f"{trainer} names code to run, which only a person on the server's machine may. Register it, and name it."
        )
    with _search_working_directory():
        found = import_frame_trainer(trainer)

    def run(train: Any, held_out: Any, folder: Path, seed: int) -> Mapping[str, Any] | None:
        with _search_working_directory():  # what a script imports when it runs lies beside it, too
            return found(train, held_out, folder, seed)

    return run


@contextmanager
def _search_working_directory() -> Iterator[None]:
    """Let Python find modules where one works, behind all that is installed, and only meanwhile."""
    here = str(Path.cwd())
    if here in sys.path:
        yield
        return
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path[:] = [one for one in sys.path if one != here]


def train_with_own_trainer(
    workspace: Workspace, frozen: Release, name: str, seed: int, trainer_name: str, trainer: FrameTrainer
) -> PolicyVersion:
    """Run a trainer of the user's own on a release, and record what it wrote with the release."""
    train = open_release_dataset(workspace, frozen.id, "train" if frozen.validation else "")
    held_out = open_release_dataset(workspace, frozen.id, "validation") if frozen.validation else None
    with tempfile.TemporaryDirectory(dir=workspace.cache) as scratch:
        folder = Path(scratch) / "policy"
        folder.mkdir()
        figures = trainer(train, held_out, folder, seed)
        if not any(path.is_file() for path in folder.rglob("*")):
            raise BadInput(f"The trainer {trainer_name} left its folder empty, so nothing can be recorded as a policy.")
        stored = _store_policy(workspace, folder, frozen, name, figures or {}, train.hz)
    version = PolicyVersion(**stored, trainer=trainer_name, seed=seed, episodes=len(train.episodes))
    workspace.write(PolicyTrained(version))
    return version


def _store_policy(
    workspace: Workspace, folder: Path, frozen: Release, name: str, figures: Mapping[str, Any], hz: float
) -> dict[str, Any]:
    """Put the folder on the shelf: a bundle can be served; of other files only the hash is known."""
    error = figures.get("validation_error")
    stated = {
        "name": name,
        "release": frozen.id,
        "validation_error": None if error is None else float(error),
        "control_hz": float(figures.get("control_hz") or hz),
    }
    blob = workspace.shelf.put_folder(folder)
    if (folder / CARD).is_file() and (folder / WEIGHTS).is_file():
        card = read_bundle(folder)
        return {**stated, "id": card.policy, "bundle": blob.sha256, "control_hz": card.control_hz,
                "guard": card.guard_fingerprint}  # fmt: skip
    return {**stated, "id": hash_file_or_folder(folder), "bundle": "", "guard": "", "source": SHELF + blob.sha256}
