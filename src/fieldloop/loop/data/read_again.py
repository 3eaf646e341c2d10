"""Read ingested logs again from the shelf, under another mapping or with facts that the user states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fieldloop.errors import BadInput, ChangedMeanwhile
from fieldloop.ingest import LogMapping
from fieldloop.loop.data.find_episode import find_logs_by_name
from fieldloop.loop.data.ingest import decide_log_status, explain_refused_statements
from fieldloop.loop.data.mapping import find_mapping_in_force, shelve_mapping
from fieldloop.loop.data.measurements import collect_measuring_rules, judge_episodes, store_results
from fieldloop.loop.data.moment import forget_cached_moments
from fieldloop.loop.data.relabel import judge_changed_episodes
from fieldloop.loop.data.statements import read_statements
from fieldloop.loop.data.streams import cache_stream_list
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.work.measure_part import EpisodeResult, Part, PartResult, Rules, measure_part
from fieldloop.loop.work.run_on import run_each
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log, Stated
from fieldloop.model.event import EpisodeSetAside, Event, LogReadAgain
from fieldloop.model.finding import Status
from fieldloop.model.note import Note, note
from fieldloop.model.stated import STATEABLE, Amendments, apply_statements, get_fact_text
from fieldloop.store import Unchanged

MOST_CHANGES = 12
NO_LONGER = "The log, as it is read now, does not have this episode."


@dataclass(frozen=True, slots=True)
class LogRead:
    """The result for one log: its episodes, their status, and what changed; `message` states why it was refused."""

    name: str
    episodes: tuple[str, ...]
    status: Status
    changes: tuple[Note, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """The result for each log; the earlier reading stays on record."""

    logs: tuple[LogRead, ...]

    @property
    def exit_ok(self) -> bool:
        """Did every log pass?"""
        return all(log.status is Status.PASSED for log in self.logs)


def read_logs_again(
    workspace: Workspace,
    log: tuple[str, ...] = (),
    *,
    mapping: Path | None = None,
    set_: tuple[str, ...] = (),
    overrule: bool = False,
) -> ReadAgain:
    """Read ingested logs again from the shelf, under the mapping in force now; measure and judge them anew.

    The earlier reading stays on record. Releases that are frozen keep it. Episodes keep their ids, their phases and
    the facts that people stated. Facts of --set are treated as by `ingest`.

    Arguments:
        log: names of logs or of their episodes (default: every log)
        mapping: the mapping file that translates your names, units and frames (default: mapping.toml of the workspace)
        set_: facts of every episode in these logs, such as site=hall-2 operator=anna task=pick
        overrule: use the facts of --set even where a log states another value
    """
    require_protocol_in_force(workspace)  # report an invalid protocol before anything is read
    logs, stated = find_logs_by_name(workspace, log), read_statements(workspace, set_)
    if not logs:
        raise BadInput("The workspace has no logs yet. Ingest logs: fieldloop ingest PATH")
    conventions = find_mapping_in_force(workspace, mapping)
    before = {one.blob.sha256: _find_episodes_of_log(workspace, one) for one in logs}
    rules = collect_measuring_rules(workspace).keep_annotations_of(
        episode.id for known in before.values() for episode in known
    )
    parts = [_make_part(workspace, one, before[one.blob.sha256], conventions, stated) for one in logs]
    results = run_each(partial(measure_part, rules=rules), parts)
    reread = [
        _record_new_reading(workspace, one, part, result, rules, overrule=overrule)
        for one, part, result in zip(
            logs, parts, workspace.track(results, "reading logs again", len(parts)), strict=True
        )
    ]
    return ReadAgain(tuple(reread))


def _find_episodes_of_log(workspace: Workspace, log: Log) -> tuple[Episode, ...]:
    found = {episode.id: episode for episode in workspace.store.find(Episode, {"id": list(log.episodes)})}
    return tuple(found[episode] for episode in log.episodes if episode in found)


def _make_part(
    workspace: Workspace, log: Log, known: Sequence[Episode], mapping: LogMapping | None, stated: tuple[Stated, ...]
) -> Part:
    facts = Amendments(earlier={episode.id: episode.stated for episode in known if episode.stated}, stated=stated)
    return Part(workspace.shelf.fetch_local_copy(log.blob, workspace.cache), mapping, amendments=facts)


def _record_new_reading(
    workspace: Workspace, log: Log, part: Part, result: PartResult, rules: Rules, *, overrule: bool
) -> LogRead:
    if refused := explain_refused_statements(part, result, overrule=overrule):
        return LogRead(log.name, log.episodes, Status.ERRORED, message=f"{refused} The earlier reading stays in use.")
    if not result.episodes:
        why = "No episode was found. The earlier reading stays in use."
        return LogRead(log.name, log.episodes, Status.ERRORED, tuple(d.message for d in result.defects), why)
    while True:
        try:
            return _write_new_reading(workspace, log, part, result, rules)
        except ChangedMeanwhile:  # a person changed an episode just now: read it anew, so that the change stays
            continue


def _write_new_reading(workspace: Workspace, log: Log, part: Part, result: PartResult, rules: Rules) -> LogRead:
    ids = tuple(one.episode.id for one in result.episodes)
    # read now: a person may have changed an episode while the log was measured
    known = {episode.id: episode for episode in workspace.store.find(Episode, {"id": [*log.episodes, *ids]})}
    before = tuple(known[episode] for episode in log.episodes if episode in known)
    others = _find_other_logs(workspace, log, ids)
    # an episode that came in another log before keeps its facts, measurements and verdict
    fresh = [one for one in result.episodes if one.episode.id in log.episodes or one.episode.id not in others]
    read = [_add_known_facts(one, known.get(one.episode.id), log, part, alone=len(ids) == 1) for one in fresh]
    facts = {one.episode.id: one.episode for one in read}
    episodes = tuple(facts.get(episode) or _restore_episode(known[episode]) for episode in ids)
    conventions = shelve_mapping(workspace, part.mapping)
    new = replace(log, format=result.format, episodes=ids, defects=result.defects, mapping=conventions)
    changes = tuple(_describe_changes(log, before, new, episodes))
    events: list[Event] = [LogReadAgain(new, episodes, log, before)] if changes else []
    events += _set_missing_episode_aside(
        workspace, log, [episode for episode in before if episode.id not in ids], others
    )
    judged = judge_episodes(workspace, ((one.episode, one.measured) for one in read))
    as_read = Unchanged(Episode, tuple(dict.fromkeys((*log.episodes, *ids))), tuple(known.values()))
    workspace.write(*events, *store_results(workspace, read, rules), *judged, expect=as_read)
    judge_changed_episodes(
        workspace,
        [now.episode for was, now in zip(fresh, read, strict=True) if was.episode.stated != now.episode.stated],
    )
    for one in read:
        cache_stream_list(workspace, one.episode.id, one.streams)
        forget_cached_moments(workspace, one.episode.id)
    return LogRead(log.name, new.episodes, decide_log_status(workspace, new.episodes), changes)


def _find_other_logs(workspace: Workspace, log: Log, ids: Sequence[str]) -> dict[str, Log]:
    """Return another log for each episode that comes or goes, where one has it."""
    moved = set(ids) ^ set(log.episodes)
    logs = workspace.store.find(Log) if moved else []
    return {episode: one for one in logs if one.blob != log.blob for episode in moved.intersection(one.episodes)}


def _set_missing_episode_aside(
    workspace: Workspace, log: Log, gone: Sequence[Episode], others: Mapping[str, Log]
) -> Iterator[Event]:
    """Set an episode aside that the log no longer has; where another log has it, it is read from that one."""
    kept = [episode for episode in gone if episode.id in others]
    logs = workspace.store.get_logs([episode.id for episode in kept])
    for episode in kept:
        if logs[episode.id].blob == log.blob:
            yield LogReadAgain(others[episode.id], (episode,), others[episode.id], (episode,))
    for episode in gone:
        if episode.id not in others and not episode.set_aside:
            yield EpisodeSetAside(episode.id, NO_LONGER)


def _add_known_facts(one: EpisodeResult, known: Episode | None, log: Log, part: Part, *, alone: bool) -> EpisodeResult:
    """Return the result with what was known: name, reason for setting aside, and statements made since it was read.

    On the shelf a log is named by its hash, so the only episode of a log takes the log's name.
    """
    if known is None:
        return replace(one, episode=replace(one.episode, name=log.name)) if alone else one
    facts = part.amendments or Amendments()
    since = [each for each in known.stated if each not in facts.earlier.get(known.id, ())]
    episode = apply_statements(one.episode, (*since, *facts.stated)) if since else one.episode
    return replace(one, episode=replace(episode, name=known.name, set_aside=_restore_episode(known).set_aside))


def _restore_episode(episode: Episode) -> Episode:
    """Return an episode that a log has again; one that a person set aside stays so."""
    return replace(episode, set_aside="") if episode.set_aside == NO_LONGER else episode


def _describe_changes(log: Log, before: Sequence[Episode], new: Log, after: Sequence[Episode]) -> Iterator[Note]:
    """State what the new reading changes: the mapping, the episodes, their facts, the defects."""
    if log.mapping != new.mapping:
        yield note("ingest.mapping_changed", before=log.mapping, after=new.mapping)
    was, now = {e.id: e for e in before}, {e.id: e for e in after}
    if gone := was.keys() - now.keys():
        yield note("ingest.episodes_gone", episodes=len(gone))
    if came := now.keys() - was.keys():
        yield note("ingest.episodes_came", episodes=len(came))
    facts: dict[tuple[str, str, str], int] = {}
    for episode in was.keys() & now.keys():
        names = {*STATEABLE, *was[episode].stratum.levels, *now[episode].stratum.levels}
        for name in names:
            change = (name, get_fact_text(was[episode], name), get_fact_text(now[episode], name))
            if change[1] != change[2]:
                facts[change] = facts.get(change, 0) + 1
    for (name, old, text), episodes in sorted(facts.items())[:MOST_CHANGES]:
        yield note("ingest.fact_changed", name=name, before=old or "not stated", after=text or "not stated",
                   episodes=episodes)  # fmt: skip
    if log.defects != new.defects:
        yield note("ingest.defects_changed", before=len(log.defects), after=len(new.defects))
    if not facts and any(was[e] != now[e] for e in was.keys() & now.keys()):
        yield note("ingest.further_facts_changed")
