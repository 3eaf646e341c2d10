"""Train a policy version on a release."""

import tempfile
from itertools import count
from pathlib import Path

from fieldloop.errors import Refused
from fieldloop.loop.ship.own_trainer import find_own_trainer, train_with_own_trainer
from fieldloop.loop.ship.policy import refuse_taken_name
from fieldloop.loop.ship.release import find_release as named_release
from fieldloop.loop.ship.released_samples import find_release_labels, gather_release_samples
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import PolicyTrained
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.serve.bundle import read_bundle
from fieldloop.train import train_policy, write_bundle


def train_policy_version(
    workspace: Workspace, release: str, *, name: str = "", seed: int = 0, trainer: str = "reference"
) -> PolicyVersion:
    """Train a policy on a release; the bundle is stored with its guard limits.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
        name: name of the policy (default: a number)
        seed: the same release and seed give the same policy
        trainer: the reference learner, a registered trainer, or module:function of your own
    """
    frozen = named_release(workspace, release)
    called = name or _find_free_name(workspace)
    _refuse_other_version(workspace, called, frozen, seed, trainer)
    if (own := find_own_trainer(workspace, trainer)) is not None:
        return train_with_own_trainer(workspace, frozen, called, seed, trainer, own)
    spans = find_release_labels(workspace, frozen)
    parts = (frozen.train, frozen.validation)
    shown, held = (gather_release_samples(workspace, frozen, chosen, spans) for chosen in parts)
    if not shown.samples:
        reason = shown.skipped[0][1] if shown.skipped else "it holds no episode to train on"
        raise Refused(f"Nothing in release {frozen.name} can be learnt from: {reason}.")
    settings, guard = workspace.operations["train"], workspace.operations["guard"]
    trained = train_policy(shown.samples, settings, seed, held.samples, trainer)
    with tempfile.TemporaryDirectory(dir=workspace.cache) as scratch:
        folder = write_bundle(
            Path(scratch) / "bundle", trained, name=called, release=frozen.id, control_hz=settings.number("control_hz"),
            guard={limit: guard[limit] for limit in guard}, guard_fingerprint=guard.fingerprint,
        )  # fmt: skip
        card, blob = read_bundle(folder), workspace.shelf.put_folder(folder)
    version = PolicyVersion(
        id=card.policy,
        name=called,
        release=frozen.id,
        trainer=trained.trainer,
        bundle=blob.sha256,
        episodes=trained.episodes,
        seed=seed,
        validation_error=trained.validation_error,
        control_hz=card.control_hz,
        guard=guard.fingerprint,
    )
    workspace.write(PolicyTrained(version))
    return version


def _find_free_name(workspace: Workspace) -> str:
    """Return the next number that no version has."""
    taken = {version.name for version in workspace.find_all(PolicyVersion)}
    return next(name for n in count(len(taken) + 1) if (name := f"p{n}") not in taken)


def _refuse_other_version(workspace: Workspace, name: str, frozen: Release, seed: int, trainer: str) -> None:
    """Refuse a name that another version has, before hours of training.

    The same trainer may train again on the same release with the same seed.
    """
    named = workspace.store.find(PolicyVersion, {"name": name}, newest=True, limit=1)
    if named and (named[0].release, named[0].seed, named[0].trainer) != (frozen.id, seed, trainer):
        refuse_taken_name(workspace, name)


def list_policies(workspace: Workspace) -> tuple[PolicyVersion, ...]:
    """List policy versions, newest first."""
    return tuple(workspace.store.find(PolicyVersion, newest=True))
