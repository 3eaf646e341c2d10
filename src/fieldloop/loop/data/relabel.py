"""Change the labels of episodes, set episodes aside, and restore them; all on the record."""

from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.errors import BadInput, ChangedMeanwhile, StoreError
from fieldloop.loop.data.check_again import measure_again
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.measurements import judge_episodes, read_stored_measurements
from fieldloop.loop.data.statements import apply_user_statements, read_statements
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Stated
from fieldloop.model.event import EpisodeRelabelled, EpisodeRestored, EpisodeSetAside
from fieldloop.store import Unchanged


@dataclass(frozen=True, slots=True)
class EpisodesChanged:
    """The episodes as they are now, and how many of them were changed; the others were so already."""

    episodes: tuple[Episode, ...]
    changed: int


def relabel_episodes(workspace: Workspace, episode: tuple[str, ...], *, set_: tuple[str, ...]) -> EpisodesChanged:
    """Change facts of episodes: task, site, robot, operator, outcome, failure, object, conditions.

    Your fact counts; what the log states stays on record. The episodes are measured and judged anew. Releases that are
    frozen keep the earlier facts.

    Arguments:
        episode: ids or names of episodes, LOG/NAME where a name is not unique
        set_: the facts, such as operator=anna outcome=failure failure=grasp lighting=dim; site= removes a fact
    """
    stated = read_statements(workspace, set_, may_clear=True)
    if not stated:
        raise BadInput("State at least one fact, such as --set operator=anna.")
    while True:
        try:
            return _write_changed_facts(workspace, episode, stated)
        except ChangedMeanwhile:  # another person changed one of them just now: read them anew
            continue


def _write_changed_facts(workspace: Workspace, names: Sequence[str], stated: Sequence[Stated]) -> EpisodesChanged:
    chosen = _find_chosen_episodes(workspace, names)
    changed = [(one, apply_user_statements(one, stated)) for one in chosen]
    events = [EpisodeRelabelled(new, old) for old, new in changed if new != old]
    for task in {event.episode.task for event in events}:
        require_protocol_in_force(
            workspace, task
        )  # a protocol that cannot be read is refused before anything is written
    if events:
        _require_stored_logs(workspace, [event.episode.id for event in events])
        as_read = Unchanged(Episode, tuple(one.id for one in chosen), tuple(chosen))
        workspace.write(*events, expect=as_read)
        judge_changed_episodes(workspace, [event.episode for event in events])
    return EpisodesChanged(_expect_episodes_unchanged(workspace, chosen), len(events))


def _require_stored_logs(workspace: Workspace, episodes: Sequence[str]) -> None:
    """Refuse to change episodes whose log is missing, before anything is written: they are measured anew."""
    for log in workspace.store.get_logs(episodes).values():
        if not workspace.shelf.has(log.blob.sha256):
            raise StoreError(f"{log.name} is missing on the shelf, so nothing was changed. See: fieldloop doctor")


def set_episodes_aside(workspace: Workspace, episode: tuple[str, ...], *, reason: str) -> EpisodesChanged:
    """Set episodes aside: they stay on record and enter no release, no coverage and no check of the dataset.

    Arguments:
        episode: ids or names of episodes, LOG/NAME where a name is not unique
        reason: why these episodes are not used; lists show the reason
    """
    if not reason.strip():
        raise BadInput("State why: --reason 'the robot was pushed by hand'.")
    stated = require_stated_reason(workspace, reason, "--reason")
    chosen = _find_chosen_episodes(workspace, episode)
    events = [EpisodeSetAside(one.id, stated) for one in chosen if one.set_aside != stated]
    if events:
        workspace.write(*events)
    return EpisodesChanged(_expect_episodes_unchanged(workspace, chosen), len(events))


def restore_episodes(workspace: Workspace, episode: tuple[str, ...], *, reason: str = "") -> EpisodesChanged:
    """Use episodes again that were set aside; their last verdict counts again.

    Arguments:
        episode: ids or names of episodes, LOG/NAME where a name is not unique
        reason: why these episodes are used again; the ledger records the reason
    """
    chosen = _find_chosen_episodes(workspace, episode)
    events = [EpisodeRestored(one.id, reason.strip()) for one in chosen if one.set_aside]
    if events:
        workspace.write(*events)
    return EpisodesChanged(_expect_episodes_unchanged(workspace, chosen), len(events))


def _find_chosen_episodes(workspace: Workspace, names: Sequence[str]) -> list[Episode]:
    if not names:
        raise BadInput("Name at least one episode.")
    return list({one.id: one for one in (find_episode(workspace, name) for name in names)}.values())


def _expect_episodes_unchanged(workspace: Workspace, chosen: Sequence[Episode]) -> tuple[Episode, ...]:
    found = {one.id: one for one in workspace.store.find(Episode, {"id": [one.id for one in chosen]})}
    return tuple(found[one.id] for one in chosen)


def judge_changed_episodes(workspace: Workspace, episodes: Sequence[Episode]) -> None:
    """Measure and judge episodes whose facts changed: these decide which protocol counts, and some checks read them."""
    if not episodes:
        return
    measure_again(workspace, episodes)
    workspace.write(*judge_episodes(workspace, read_stored_measurements(workspace, episodes)))
