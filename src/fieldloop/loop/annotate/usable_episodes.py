"""Episodes whose labels can count: those that passed, and those whose every failure a release can repair."""

from fieldloop.errors import Refused
from fieldloop.loop.data.measurements import IN_USE
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.fix import FixKind
from fieldloop.release import select_fixes


def find_usable_episodes(workspace: Workspace) -> list[Episode]:
    """Return the episodes that passed, and those whose every failure has a fix: a release takes these with --fix."""
    passed = workspace.store.find(Episode, {"status": Status.PASSED})
    failed = workspace.store.find(Episode, {**IN_USE, "status": Status.FAILED})
    wanted = {"episode": [one.id for one in failed]}
    reports = {one.episode: one for one in workspace.store.find(EpisodeReport, wanted)} if failed else {}
    mendable = (one for one in failed if one.id in reports and select_fixes(reports[one.id], FixKind) is not None)
    return [*passed, *mendable]


def require_usable_episode(workspace: Workspace, episode: Episode) -> None:
    """Refuse labels for an episode that was set aside or rejected; drafts of it stay."""
    if episode.set_aside:
        raise Refused(
            f"{episode.name} was set aside ({episode.set_aside}), so its labels count nowhere. They are kept as a "
            "draft; submit it after: fieldloop ingest restore"
        )
    reports = workspace.store.find(EpisodeReport, {"episode": episode.id}, newest=True, limit=1)
    if reports and reports[0].status is Status.FAILED and select_fixes(reports[0], FixKind) is None:
        raise Refused(
            f"{episode.name} was rejected by its checks, so its labels count nowhere. They are kept as a draft; see: "
            f"fieldloop ingest show {episode.name}"
        )
