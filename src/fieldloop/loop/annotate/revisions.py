"""What a person saved: the newest revision from its table, all of them from the ledger."""

from fieldloop.loop.workspace import Workspace
from fieldloop.model.labelling import SavedLabels
from fieldloop.model.labelling_event import LabelsSaved


def find_newest_revision(workspace: Workspace, episode: str, kind: str, author: str) -> SavedLabels | None:
    """Return the newest revision of a person's labels; None where nothing was saved."""
    where = {"episode": episode, "kind": kind, "author": author}
    return next(iter(workspace.store.find(SavedLabels, where, newest=True, limit=1)), None)


def find_newest_revisions(workspace: Workspace, episode: str, author: str) -> dict[str, SavedLabels]:
    """Return the newest revision of each kind of a person's labels in an episode, by kind."""
    found = workspace.store.find(SavedLabels, {"episode": episode, "author": author})  # oldest first
    return {one.kind: one for one in found}


def find_revisions(workspace: Workspace, episode: str, author: str, kind: str = "") -> list[SavedLabels]:
    """Return all revisions of a person's labels in an episode, oldest first; drafts are in the ledger only."""
    saved = (recorded.event.saved for recorded in workspace.store.events(LabelsSaved, naming=episode))
    return [s for s in saved if (s.episode, s.author) == (episode, author) and kind in ("", s.kind)]
