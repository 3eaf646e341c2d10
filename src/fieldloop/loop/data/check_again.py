"""Measure the workspace's logs again after parameters or checks changed; each log is written before the next."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from fieldloop.loop.data.mapping import mapping_of
from fieldloop.loop.data.measurements import keep_results, rules_of
from fieldloop.loop.work.measure_part import Part, measure_part
from fieldloop.loop.work.run_on import Machines, run_each
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode


def measure_again(workspace: Workspace, episodes: Sequence[Episode], *, on: Machines = "cores") -> int:
    """Measure these episodes again from the raw logs; returns how many were measured.

    The results of each log are written at once, so an interrupted run continues with the remaining logs.
    """
    wanted = {episode.id: episode for episode in episodes}
    logs = {log.blob.sha256: log for log in workspace.store.logs_of(list(wanted)).values()}
    rules = rules_of(workspace).only(wanted)
    parts = [
        Part(workspace.shelf.local(log.blob, workspace.cache), mapping_of(workspace, log)) for log in logs.values()
    ]
    done = 0
    results = run_each(partial(measure_part, rules=rules), parts, on=on)
    for result in workspace.track(results, "looking again", len(parts)):
        # on the shelf a log is named by its hash: the episode keeps the name it was ingested with
        known = [replace(one, episode=wanted[one.episode.id]) for one in result.episodes if one.episode.id in wanted]
        if events := keep_results(workspace, known, rules):
            workspace.write(*events)
        done += len(known)
    return done
