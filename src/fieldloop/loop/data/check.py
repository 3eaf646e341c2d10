"""Is it fit to learn from? On any log or dataset folder, with or without a workspace."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import fieldloop.check as checks
from fieldloop.check.describe import describe_tasks
from fieldloop.check.ranking import rank_episodes
from fieldloop.check.rollup import sum_up_by_dimension
from fieldloop.check.trend import compute_metric_series
from fieldloop.errors import BadInput
from fieldloop.loop.data.check_again import measure_again
from fieldloop.loop.data.file_names import name_defect_file, name_files_apart
from fieldloop.loop.data.mapping import find_mapping_in_force
from fieldloop.loop.data.measurements import (
    IN_USE,
    assemble_batch,
    collect_measuring_rules,
    find_outdated_episodes,
    judge_episodes,
    read_stored_measurements,
)
from fieldloop.loop.data.remember_verdicts import record_dataset_verdict, record_episode_verdicts
from fieldloop.loop.data.worst_episodes import sketch_worst_episodes, sketch_worst_stored_episodes
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.ship.policy_check import PolicyCheck, check_policy
from fieldloop.loop.work.atomic_files import write_atomically
from fieldloop.loop.work.kept_measurements import PartCache
from fieldloop.loop.work.measure_part import EpisodeResult, Part, PartResult, Rules, measure_part
from fieldloop.loop.work.parts import Cut, cut_into_parts
from fieldloop.loop.work.run_on import Machines, run_each
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.finding import EpisodeReport
from fieldloop.model.stated import Amendments
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import CollectionProtocol, parse_protocol, require_agreement
from fieldloop.report import check as pages
from fieldloop.serve.checking.check import is_policy_folder
from fieldloop.text_files import read_text

SHOWN_PATHS = 3


@dataclass(frozen=True, slots=True)
class CheckReport(pages.CheckReport):
    """All answers, and where the page with plots was written. `everything`: printed without anything left out."""

    html: str | None = None
    everything: bool = False

    def json_object(self) -> dict[str, Any]:
        """The form others may rely on: schema check/1."""
        return pages.build_report_json(self, include_passed=self.everything)


def check(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace | None,
    paths: tuple[Path, ...] = (),
    *,
    html: Path | None = None,
    protocol: Path | None = None,
    mapping: Path | None = None,
    set_: tuple[str, ...] = (),
    numbers_only: bool = False,
    keep: Path | None = None,
    again: bool = False,
    all: bool = False,  # noqa: A002 - the name of the option
    on: Machines = "cores",
    track: Track = track_silently,
) -> CheckReport | PolicyCheck:
    """Check whether logs or datasets are fit for training; without a path, judge the workspace's episodes again.

    Arguments:
        paths: log files, dataset folders, or folders of logs; nothing is stored. A policy folder: see `policy check`
        html: also write the report with plots to this HTML file
        protocol: judge by this protocol file instead of the protocol in force
        mapping: the mapping file that translates your names, units and frames (default: mapping.toml of the workspace)
        set_: facts that the logs do not state, such as protocol=pick operator=anna; what a log states stays
        numbers_only: decode no pictures; checks of pictures then answer cannot tell
        keep: store measurements in this folder and resume an earlier run; without a path, judge the stored measurements
        again: measure the workspace's logs again if parameters or checks have changed
        all: list every finding with its episodes, and every check without an answer, also checks that do not apply
        on: where to work: the cores of this machine, or a Ray cluster (RAY_ADDRESS; all nodes need the same log paths)
    """
    if len(paths) == 1 and is_policy_folder(paths[0]):
        return check_policy(workspace, paths[0])
    rules = _read_protocol(protocol)
    if paths:
        if again:
            raise BadInput("--again measures the workspace's own logs again; leave the path out.")
        compared = _choose_rules(workspace, rules)
        facts = _read_facts(workspace, set_)
        conventions = find_mapping_in_force(workspace, mapping)
        work = cut_into_parts(paths, conventions, pixels=not numbers_only, amendments=facts)
        source = ", ".join(path.name or str(path) for path in paths[:SHOWN_PATHS])
        named = source if len(paths) <= SHOWN_PATHS else f"{len(paths)} logs"
        made = _check_logs(named, work, compared, keep, html, track, on)
    elif set_:
        raise BadInput("--set goes with a path: fieldloop check PATH. For episodes of the workspace: ingest relabel")
    elif keep:
        made = _check_cached_parts(PartCache(keep, _choose_rules(workspace, rules)), html)
    elif workspace is None:
        raise BadInput("Name a log or a dataset folder: fieldloop check PATH")
    elif rules or mapping or numbers_only:
        raise BadInput("--protocol, --mapping and --numbers-only go with a path: fieldloop check PATH")
    else:
        made = _check_workspace(workspace, html, again=again, on=on)
    return replace(made, everything=all)


def _read_protocol(file: Path | None) -> CollectionProtocol | None:
    if file is None:
        return None
    rules = replace(parse_protocol(read_text(file), str(file)), is_own=True)  # an empty file is named, too
    require_agreement(checks.UNITS, rules)
    return rules


def _read_facts(workspace: Workspace | None, stated: Sequence[str]) -> Amendments | None:
    """Return what the caller states of logs that do not state it."""
    if not stated:
        return None
    from fieldloop.loop.data.statements import read_statements  # brings the registry of policies along

    return Amendments(stated=read_statements(workspace, stated), only_missing=True)


def _check_logs(
    source: str, work: Cut, rules: Rules, keep: Path | None, html: Path | None, track: Track, on: Machines
) -> CheckReport:
    gathered = Gathered(rules, work.beside)
    results = (
        _load_or_measure_parts(work.parts, PartCache(keep, rules), on)
        if keep
        else _measure_parts(work.parts, rules, on)
    )
    for part, result in track(gathered.add_and_yield_results(results), f"checking {source}", work.expected):
        gathered.add_result(part, result)
    report = gathered.make_report(source)
    return _write_html_page(report, partial(sketch_worst_episodes, report, gathered.parts), html)


def _check_cached_parts(cache: PartCache, html: Path | None) -> CheckReport:
    gathered = Gathered(cache.rules)
    cached = tuple(cache.iterate_results())
    for _, result in gathered.add_and_yield_results((None, part.result) for part in cached):
        gathered.add_result(None, result)
    by_numbers = sum(len(part.result.episodes) for part in cached if not part.pixels)
    source = f"{cache.folder.name} ({by_numbers} by numbers only)" if by_numbers else cache.folder.name
    old = sum(len(part.result.episodes) for part in cached if part.outdated)
    return _write_html_page(replace(gathered.make_report(source), outdated=old), dict, html)


def _write_html_page(
    report: CheckReport, sketches: Callable[[], dict[str, pages.EpisodeSketch]], html: Path | None
) -> CheckReport:
    """Write the page where one is asked for; episodes whose log is at hand are drawn."""
    if html is None:
        return report
    write_atomically(html, pages.render_check_page(report, sketches()))
    return replace(report, html=str(html))


def _choose_rules(workspace: Workspace | None, chosen: CollectionProtocol | None) -> Rules:
    rules = collect_measuring_rules(workspace) if workspace else Rules(require_protocol_in_force(None))
    return replace(rules, usual=chosen, by_task={}, refused={}) if chosen else rules


def _measure_parts(parts: Sequence[Part], rules: Rules, on: Machines) -> Iterator[tuple[Part, PartResult]]:
    """Measure every part and yield the results in order."""
    yield from zip(parts, run_each(partial(measure_part, rules=rules), parts, on=on), strict=True)


def _load_or_measure_parts(parts: Sequence[Part], cache: PartCache, on: Machines) -> Iterator[tuple[Part, PartResult]]:
    """Yield the result of every part in order; parts in the cache are not measured again."""
    cached = {part: result for part in parts if (result := cache.find_result(part)) is not None}
    new = run_each(partial(measure_and_cache, cache=cache), [part for part in parts if part not in cached], on=on)
    for part in parts:
        yield part, cached[part] if part in cached else next(new)


def measure_and_cache(part: Part, *, cache: PartCache) -> PartResult:
    """Measure a part and cache the result at once, so that an interrupted check loses only the parts under way."""
    result = measure_part(part, cache.rules)
    cache.store_result(part, result)
    return result


class Gathered:
    """The results so far, episode by episode, and the report made from them."""

    def __init__(self, rules: Rules, defects: Iterable[Defect] = ()) -> None:
        self._rules, self._beside = rules, tuple(defects)
        self._defects: list[tuple[Path | None, Defect]] = []
        self._results: list[EpisodeResult] = []
        self._reports: list[EpisodeReport] = []
        self._logs: list[Path | None] = []
        self._formats: set[str] = set()
        self._paths: list[Path | None] = []
        self.parts: dict[str, Part] = {}

    def add_and_yield_results(
        self, results: Iterable[tuple[Part | None, PartResult]]
    ) -> Iterator[tuple[Part | None, EpisodeResult]]:
        """Yield every episode with the part it is in."""
        for part, result in results:
            path = part.path if part else None
            self._paths.append(path)
            met = [(path, defect) for defect in result.defects if defect not in self._beside]
            self._defects += [one for one in met if one not in self._defects]  # a part repeats those of its log
            self._formats.add(result.format)
            for episode in result.episodes:
                yield part, episode

    def add_result(self, part: Part | None, result: EpisodeResult) -> None:
        """Judge one episode."""
        protocol = self._rules.get_protocol(result.episode)
        named = checks.is_protocol_named((result.episode,), protocol)
        findings = checks.judge_measurements(result.measured, protocol, named=named)
        self._reports.append(checks.make_episode_report(result.episode, findings, protocol.version_name))
        self._results.append(result)
        self._logs.append(part.path if part else None)
        if part:
            self.parts[result.episode.id] = part

    def make_report(self, source: str) -> CheckReport:
        """Ask the questions about many, and put everything together."""
        force, files = self._rules.usual, name_files_apart(path for path in self._paths if path)
        logs = tuple(files[path] if path else "" for path in self._logs)
        names = pages.name_episodes_apart([one.episode.name for one in self._results], logs)
        batch = checks.Batch(
            tuple(replace(one.episode, name=name) for one, name in zip(self._results, names, strict=True)),
            (*self._beside, *self._name_defect_files(files)),
            force,
            {one.episode.id: one.measured for one in self._results},
            {one.episode.id: one.imprint for one in self._results},
            {one.episode.id: part for one in self._results if (part := one.episode.get_fact("split"))},
        )
        made = _assemble_report(source, " + ".join(sorted(self._formats)), batch, tuple(self._reports))
        return replace(made, logs=logs, paths=tuple(str(path or "") for path in self._logs))

    def _name_defect_files(self, files: Mapping[Path, str]) -> Iterator[Defect]:
        for path, defect in self._defects:
            yield name_defect_file(defect, files[path], path) if path and len(files) > 1 else defect


def _assemble_report(source: str, form: str, batch: checks.Batch, reports: tuple[EpisodeReport, ...]) -> CheckReport:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # small matrices, as in `measure_part`
        named = checks.is_protocol_named(batch.episodes, batch.protocol)
        dataset = checks.judge_measurements(
            checks.measure_batch(batch), batch.protocol, named=named,
            why_open=checks.note_unnamed_episodes(batch.episodes),
        )  # fmt: skip
    lengths = {e.id: (e.end_ns - e.start_ns) / NS_PER_S for e in batch.episodes}
    return CheckReport(
        source,
        form,
        batch.protocol,
        reports,
        dataset,
        rank_episodes(reports, lengths),
        sum_up_by_dimension(reports, dataset),
        compute_metric_series(batch) if batch.episodes else (),
        describe_tasks(batch),
        questions=_list_check_questions(),
    )


def _list_check_questions() -> dict[str, str]:
    """Return what each check asks, in its own words."""
    known: dict[str, checks.Check[Any]] = {**checks.CHECKS, **checks.BATCH_CHECKS}
    return {name: f"{one.asks} {one.about}".rstrip() for name, one in known.items()}


def _check_workspace(workspace: Workspace, html: Path | None, *, again: bool, on: Machines) -> CheckReport:
    episodes = workspace.store.find(Episode, IN_USE)
    if not episodes:
        raise BadInput("The workspace has no episodes in use yet. Ingest some: fieldloop ingest PATH")
    old = find_outdated_episodes(workspace, episodes)
    if again:
        measure_again(workspace, old, on=on)
    numbers = list(workspace.track(read_stored_measurements(workspace, episodes), "judging", len(episodes)))
    events = judge_episodes(workspace, numbers)
    record_episode_verdicts(workspace, events)
    batch = assemble_batch(workspace, numbers, require_protocol_in_force(workspace))
    made = _assemble_report(workspace.name, "workspace", batch, tuple(event.report for event in events))
    made = replace(made, outdated=0 if again else len(old))
    record_dataset_verdict(workspace, made)
    return _write_html_page(made, partial(sketch_worst_stored_episodes, workspace, made), html)
