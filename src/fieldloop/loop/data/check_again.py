"""Measure the workspace's logs again after parameters or checks changed; each log is written before the next."""

from collections.abc import Iterator, Sequence
from functools import partial

from fieldloop.loop.data.mapping import find_mapping_of_log
from fieldloop.loop.data.measurements import collect_measuring_rules, store_results
from fieldloop.loop.work.measure_part import Part, measure_part
from fieldloop.loop.work.run_on import Machines, run_each
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.stated import Amendments


def measure_again(workspace: Workspace, episodes: Sequence[Episode], *, on: Machines = "cores") -> int:
    """Measure these episodes again from the raw logs; returns how many were measured.

    The results of each log are written at once, so an interrupted run continues with the remaining logs.
    """
    wanted = {episode.id: episode for episode in episodes}
    logs = {log.blob.sha256: log for log in workspace.store.get_logs(list(wanted)).values()}
    rules = collect_measuring_rules(workspace).keep_annotations_of(wanted)
    # on the shelf a log is named by its hash: an episode keeps its name, and the facts that people stated
    facts = Amendments(known=wanted)
    parts = [part for log in logs.values() for part in _cut_log_for_episodes(workspace, log, facts)]
    done: set[str] = set()
    results = run_each(partial(measure_part, rules=rules), parts, on=on)
    for result in workspace.track(results, "looking again", len(parts)):
        known = [one for one in result.episodes if one.episode.id in wanted]
        if events := store_results(workspace, known, rules):
            workspace.write(*events)
        done |= {one.episode.id for one in known}
    return len(done)


def _cut_log_for_episodes(workspace: Workspace, log: Log, facts: Amendments) -> Iterator[Part]:
    """Cut a log so that only the wanted episodes are read."""
    path, mapping = workspace.shelf.fetch_local_copy(log.blob, workspace.cache), find_mapping_of_log(workspace, log)
    places = [place for place, episode in enumerate(log.episodes) if episode in facts.known]
    if len(places) == len(log.episodes) or log.defects:  # where something could not be read, places may differ
        yield Part(path, mapping, amendments=facts)
    else:
        for place in places:
            yield Part(path, mapping, place, place + 1, amendments=facts)
