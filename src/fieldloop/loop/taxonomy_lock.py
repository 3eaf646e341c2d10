"""The words annotators use are locked when the first episode is annotated with them, over a complete audit only."""

from fieldloop.errors import Refused
from fieldloop.loop.audit import require_complete_audit
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import Taxonomy
from fieldloop.model.codec import to_plain
from fieldloop.model.event import TaxonomyLocked
from fieldloop.protocol.layers import fingerprint


def lock_taxonomy(workspace: Workspace, words: Taxonomy) -> None:
    """Lock this version where nobody has; one that was locked with other words is refused.

    Labels of words that nobody held against the deployment would be made twice, so the audit comes first; going on
    over an incomplete one takes `audit override`, which is recorded.
    """
    now = TaxonomyLocked(words.name, words.version, fingerprint(to_plain(words)))
    locked = workspace.store.find(TaxonomyLocked, {"name": words.name, "version": words.version})
    if not locked:
        require_complete_audit(workspace)
        workspace.write(now)
    elif locked[0] != now:
        raise Refused(
            f"The taxonomy {words.name} v{words.version} was locked here with other words ({locked[0].fingerprint}). "
            "A change is a new version."
        )
