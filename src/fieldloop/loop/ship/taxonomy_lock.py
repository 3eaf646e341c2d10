"""Lock the annotation taxonomy at its first use, after a complete audit."""

from fieldloop.errors import Refused
from fieldloop.loop.audit.audit import require_complete_audit
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import to_plain
from fieldloop.model.event import TaxonomyLocked
from fieldloop.model.taxonomy import Taxonomy
from fieldloop.protocol.layers import compute_fingerprint


def lock_taxonomy(workspace: Workspace, words: Taxonomy) -> None:
    """Lock this version if it is not locked; refuse one that was locked with other labels.

    The audit comes first, because labels that do not fit the deployment would have to be made again. An incomplete
    audit needs `audit override`, which is recorded.
    """
    now = TaxonomyLocked(words.name, words.version, compute_fingerprint(to_plain(words)))
    locked = _find_locks(workspace, words)
    if not locked:
        require_complete_audit(workspace)
        workspace.write(now)
    elif locked[0] != now:
        raise Refused(
            f"The taxonomy {words.name} v{words.version} was locked here with other labels ({locked[0].fingerprint}). "
            "Give the change a new version."
        )


def is_locked(workspace: Workspace, words: Taxonomy) -> bool:
    """Tell whether episodes were annotated with this version here; from then on a release requires phases."""
    return bool(_find_locks(workspace, words))


def _find_locks(workspace: Workspace, words: Taxonomy) -> list[TaxonomyLocked]:
    return workspace.store.find(TaxonomyLocked, {"name": words.name, "version": words.version})
