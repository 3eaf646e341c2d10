"""Find episodes and logs by the names that people use."""

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
    if len(named) > 1:
        logs = workspace.store.logs_of([episode.id for episode in named[:SHOWN]])
        either = " or ".join(f"{logs[e.id].name}/{e.name} ({e.id[:SHORT]})" for e in named[:SHOWN])
        raise BadInput(f"{len(named)} episodes are called {text!r}. Name one with its log or id: {either}.")
    named = named or _named_with_log(workspace, text)
    if len(named) > 1:
        either = " or ".join(episode.id[:SHORT] for episode in named[:SHOWN])
        raise BadInput(f"{len(named)} episodes are called {text!r}. Name one by its id: {either}.")
    if named:
        return named[0]
    try:
        return workspace.store.get(Episode, text)
    except UnknownName as unknown:
        names = [episode.name for episode in workspace.store.find(Episode, newest=True, limit=MOST_COMPARED)]
        raise UnknownName("episode", text, names) from unknown


def _named_with_log(workspace: Workspace, text: str) -> list[Episode]:
    of_log, _, name = text.rpartition("/")
    logs = workspace.store.find(Log, {"name": of_log}) if of_log else []
    return [one for log in logs for one in workspace.store.find(Episode, {"name": name, "log": log.blob})]


def find_log(workspace: Workspace, text: str) -> Log:
    """Find an ingested log by its name or the beginning of its hash."""
    named = workspace.store.find(Log, {"name": text})
    if len(named) > 1:
        hashes = " or ".join(log.blob.sha256[:SHORT] for log in named[:SHOWN])
        raise BadInput(f"{len(named)} logs are called {text!r}. Name one by its hash: {hashes}.")
    if named:
        return named[0]
    try:
        return workspace.store.get(Log, text)
    except UnknownName as unknown:
        names = [log.name for log in workspace.store.find(Log, newest=True, limit=MOST_COMPARED)]
        raise UnknownName("log", text, names) from unknown


def logs_by_name(workspace: Workspace, names: tuple[str, ...]) -> list[Log]:
    """Return the logs that these names refer to, each once: names of logs or of episodes; all logs without a name."""
    if not names:
        return workspace.store.find(Log)
    chosen: dict[str, Log] = {}
    for name in names:
        try:
            log = find_log(workspace, name)
        except UnknownName as unknown:
            try:
                log = workspace.store.log_of(find_episode(workspace, name).id)
            except UnknownName:
                raise unknown from None
        chosen[log.blob.sha256] = log
    return list(chosen.values())
