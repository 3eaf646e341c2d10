"""Find episodes and logs by the names that people use."""

from collections import Counter
from collections.abc import Iterable, Sequence

from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log

SHOWN = 3
SHORT = 12
MOST_COMPARED = 200
"""Names that a misspelt one is compared with."""


def find_episode(workspace: Workspace, text: str) -> Episode:
    """Find an episode by id, by name, or as LOG/NAME where several logs have an episode of that name."""
    if found := workspace.store.find(Episode, {"id": text}):
        return found[0]
    named = workspace.store.find(Episode, {"name": text})
    logs = workspace.store.get_logs([episode.id for episode in named[:SHOWN]]) if len(named) > 1 else {}
    choices = [f"{logs[e.id].name}/{e.name} ({e.id[:SHORT]})" for e in named[:SHOWN] if logs]
    _refuse_ambiguous_name("episodes", text, choices, len(named), "with its log or id")
    named = named or _find_episode_in_log(workspace, text)
    _refuse_ambiguous_name("episodes", text, [episode.id[:SHORT] for episode in named], len(named), "by its id")
    if named:
        return named[0]
    try:
        return workspace.store.get(Episode, text)
    except UnknownName as unknown:
        names = [episode.name for episode in workspace.store.find(Episode, newest=True, limit=MOST_COMPARED)]
        raise UnknownName("episode", text, names) from unknown


def name_episodes(workspace: Workspace, episodes: Iterable[Episode]) -> dict[str, str]:
    """Name each episode, by its id, so that the name finds it again: NAME, LOG/NAME where several have it, or the id.

    Episodes whose logs have one name, too, are named by their ids.
    """
    wanted = list(episodes)
    alike = Counter(one.name for one in workspace.store.find(Episode, {"name": list({e.name for e in wanted})}))
    twice = [name for name, found in alike.items() if found > 1]
    shared = workspace.store.find(Episode, {"name": twice}) if twice else []
    logs = workspace.store.get_logs([episode.id for episode in shared])
    longer = {one.id: f"{logs[one.id].name}/{one.name}" for one in shared if one.id in logs}
    taken = Counter(longer.values())
    longer = {key: name if taken[name] == 1 else key for key, name in longer.items()}
    return {one.id: longer.get(one.id, one.name) for one in wanted}


def _refuse_ambiguous_name(kind: str, text: str, choices: Sequence[str], found: int, how: str) -> None:
    """Refuse a name that several things have, with ways to name one of them."""
    if found > 1:
        raise BadInput(f"{found} {kind} are called {text!r}. Name one {how}: {' or '.join(choices[:SHOWN])}.")


def _find_episode_in_log(workspace: Workspace, text: str) -> list[Episode]:
    of_log, _, name = text.rpartition("/")
    logs = workspace.store.find(Log, {"name": of_log}) if of_log else []
    return [one for log in logs for one in workspace.store.find(Episode, {"name": name, "log": log.blob})]


def find_log(workspace: Workspace, text: str) -> Log:
    """Find an ingested log by its name or the beginning of its hash."""
    named = workspace.store.find(Log, {"name": text})
    _refuse_ambiguous_name("logs", text, [log.blob.sha256[:SHORT] for log in named], len(named), "by its hash")
    if named:
        return named[0]
    try:
        return workspace.store.get(Log, text)
    except UnknownName as unknown:
        names = [log.name for log in workspace.store.find(Log, newest=True, limit=MOST_COMPARED)]
        raise UnknownName("log", text, names) from unknown


def find_logs_by_name(workspace: Workspace, names: tuple[str, ...]) -> list[Log]:
    """Return the logs that these names refer to, each once: names of logs or of episodes; all logs without a name."""
    if not names:
        return workspace.store.find(Log)
    chosen: dict[str, Log] = {}
    for name in names:
        try:
            log = find_log(workspace, name)
        except UnknownName as unknown:
            try:
                log = workspace.store.get_log(find_episode(workspace, name).id)
            except UnknownName:
                raise unknown from None
        chosen[log.blob.sha256] = log
    return list(chosen.values())
