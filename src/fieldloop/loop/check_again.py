"""Look at the workspace's logs again, because parameters or checks changed since: log by log, so that it can go on."""

from collections.abc import Sequence
from dataclasses import replace

from fieldloop.loop.looking import Part, look
from fieldloop.loop.mapping import mapping_of
from fieldloop.loop.measurements import keep_looked, rules_of
from fieldloop.loop.run_on import Machines, each
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log


def measure_again(workspace: Workspace, episodes: Sequence[Episode], *, on: Machines = "cores") -> int:
    """Measure these episodes anew from the untouched logs; what one log gave is written before the next is read.

    Interrupted, it goes on with the logs that are left. Returns how many episodes were measured.
    """
    wanted = {episode.id: episode for episode in episodes}
    logs: dict[str, Log] = {}
    for episode in episodes:
        log = workspace.store.log_of(episode.id)
        logs.setdefault(log.blob.sha256, log)
    rules = rules_of(workspace)
    parts = [
        Part(workspace.shelf.local(log.blob, workspace.cache), rules, mapping_of(workspace, log))
        for log in logs.values()
    ]
    done = 0
    for seen in workspace.track(each(look, parts, on=on), "looking again", len(parts)):
        # on the shelf a log is called by its hash: the episode keeps the name it came with
        known = [replace(one, episode=wanted[one.episode.id]) for one in seen.episodes if one.episode.id in wanted]
        if events := keep_looked(workspace, known, rules):
            workspace.write(*events)
        done += len(known)
    return done
