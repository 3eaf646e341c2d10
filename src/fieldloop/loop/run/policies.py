"""Find policy versions and open their bundles."""

from pathlib import Path

from fieldloop.errors import Refused, UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Blob
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.serve.engine import Engine
from fieldloop.serve.open_engine import COMPUTING, open_engine

MOST_LISTED = 12


def find_policy(workspace: Workspace, policy: str) -> PolicyVersion:
    """Find a policy version by name (the newest of that name) or id."""
    by_name = workspace.store.find(PolicyVersion, {"name": policy}, newest=True, limit=1)
    try:
        return by_name[0] if by_name else workspace.store.get(PolicyVersion, policy)
    except UnknownName as unknown:
        names = list(dict.fromkeys(version.name for version in workspace.find_all(PolicyVersion)))
        listed = ", ".join(names[:MOST_LISTED]) or "none yet; train one, or add one with `fieldloop policy add`"
        raise UnknownName("policy version", policy, names, listed) from unknown


def load_engine(workspace: Workspace, policy: PolicyVersion) -> Engine:
    """Load a policy's bundle from the shelf into an engine."""
    folder, settings = find_bundle_folder(workspace, policy), workspace.operations["serve"]
    return open_engine(folder, int(settings["threads"]), policy.id, {name: settings[name] for name in COMPUTING})


def find_bundle_folder(workspace: Workspace, policy: PolicyVersion) -> Path:
    """Fetch a policy's bundle from the shelf; a policy whose weights are elsewhere is refused."""
    if not policy.bundle:
        raise Refused(
            f"The weights of {policy.name} are not stored here, so it cannot be run. "
            "Add what can be run, such as a bundle, an ONNX file or a LeRobot policy: fieldloop policy add NAME PATH"
        )
    return workspace.shelf.fetch_local_copy(Blob(policy.bundle, 0, is_folder=True), workspace.cache)


def find_release_of_policy(workspace: Workspace, policy: PolicyVersion) -> Release | None:
    """Return the release that a policy was trained on; None where it is not known here."""
    return workspace.store.get(Release, policy.release) if policy.release else None
