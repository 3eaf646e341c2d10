"""List what the episodes of a release are worth."""

from fieldloop.loop.ship.release import find_release
from fieldloop.loop.ship.worth import estimate_release_worth
from fieldloop.loop.workspace import Workspace
from fieldloop.model.worth import Worth, WorthMethod


def list_release_worth(workspace: Workspace, release: str, *, method: WorthMethod = WorthMethod.SMOOTH) -> Worth:
    """List the episodes of a release by estimated worth, the least valuable first, with interval and evidence.

    Worth alone does not justify leaving an episode out: `release --without-worst` wants gate trials that show it helps.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
        method: smooth (how smoothly the hand moved) or influence (how much worse others are learnt without it)
    """
    return estimate_release_worth(workspace, find_release(workspace, release), method)
