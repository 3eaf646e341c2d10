"""Describe a release on one page: what is in it, what is missing, what was left out and why."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from fieldloop.model.annotation import Annotation
from fieldloop.model.codec import format_iso_time
from fieldloop.model.episode import Episode
from fieldloop.model.event import ReleaseExported
from fieldloop.model.release import Release
from fieldloop.model.stream import NS_PER_S
from fieldloop.say import write_sentence
from fieldloop.say.findings import write_without_subject
from fieldloop.say.numbers import format_fixed, format_plural, percent


def write_datasheet(
    release: Release,
    episodes: Iterable[Episode],
    exports: Iterable[ReleaseExported] = (),
    labels: Iterable[Annotation] = (),
) -> str:
    """Write the datasheet of a release as Markdown."""
    inside = set(release.episodes)
    inside_episodes = [e for e in episodes if e.id in inside]
    parts = (
        _write_head(release, inside_episodes), _write_contents(inside_episodes), _write_strata_table(release),
        _write_checks(release), _write_labels(labels), _write_repairs(release), _write_excluded_episodes(release),
        _write_exports(exports), ("",),
    )  # fmt: skip
    return "\n".join(line for part in parts for line in part)


def _write_head(release: Release, episodes: Sequence[Episode]) -> Iterator[str]:
    yield f"# Release {release.name}\n"
    yield f"- id: `{release.id}`"
    yield f"- {len(release.episodes)} episodes: {len(release.train)} train, {len(release.validation)} validate"
    if not release.validation:
        yield "- **no validation set**: all episodes come from one session, and a session is never split"
    yield f"- protocol: {release.protocol or 'not given'}"
    yield f"- taxonomy: {release.taxonomy or 'none; episodes may lack annotations'}"
    if release.query or release.plan:
        chosen = [f"plan {release.plan}"] if release.plan else []
        yield f"- selected: {', '.join([*chosen, *release.query])}"
    if release.override:
        yield f"- **frozen in spite of {format_plural(len(release.overridden), 'reason')}**: {release.override}"
        yield from (f"  - {write_sentence(reason)}" for reason in release.overridden)
    if missing := len(release.episodes) - len(episodes):
        yield f"- **{missing} episodes were not found**"
    starts = [e.start_ns for e in episodes if e.start_ns]
    if starts:
        yield f"- recorded {format_iso_time(min(starts))} to {format_iso_time(max(starts))}"


def _write_contents(episodes: Sequence[Episode]) -> Iterator[str]:
    yield "\n## Contents\n"
    failed = [e for e in episodes if e.succeeded is False]
    modes = ", ".join(f"{mode} {n}" for mode, n in Counter(e.failure or "no code" for e in failed).most_common())
    unknown = sum(e.succeeded is None for e in episodes)
    succeeded = sum(e.succeeded is True for e in episodes)
    yield f"- task succeeded {succeeded}, failed {len(failed)}{f' ({modes})' if modes else ''}"
    if unknown:
        yield f"- {unknown} episodes do not state how the task ended"
    lengths = sorted((e.end_ns - e.start_ns) / NS_PER_S for e in episodes if e.end_ns > e.start_ns)
    if lengths:
        shortest, median, longest = (format_fixed(lengths[at], 1) for at in (0, len(lengths) // 2, -1))
        yield f"- duration {shortest} to {longest} s, median {median} s"
    origin = Counter({True: "simulated", False: "real", None: "not stated"}[e.simulated] for e in episodes)
    yield f"- origin: {', '.join(f'{name} {n}' for name, n in origin.most_common())}"
    for name, of in (
        ("sites", lambda e: e.site),
        ("robots", lambda e: e.robot),
        ("operators", lambda e: e.operator),
        ("sessions", lambda e: e.session),
        ("providers", lambda e: e.provider),
    ):
        yield f"- {name}: {_format_counts(episodes, of)}"


def _format_counts(episodes: Sequence[Episode], get_value: Callable[[Episode], str], max_shown: int = 8) -> str:
    counts = Counter(get_value(e) or "not stated" for e in episodes)
    listed = ", ".join(f"{name} {n} ({percent(n / len(episodes), 0)})" for name, n in counts.most_common(max_shown))
    return listed + (f" and {len(counts) - max_shown} more" if len(counts) > max_shown else "")


def _write_strata_table(release: Release) -> Iterator[str]:
    yield "\n## Strata\n"
    if release.off_the_map:
        yield write_sentence(release.off_the_map)
        return
    yield "| stratum | in production | in the release | weight |"
    yield "|---|---:|---:|---:|"
    for share in release.shares:
        shares = f"{percent(share.natural)} | {percent(share.sampled)} | {format_fixed(share.weight, 2)}"
        yield f"| {share.stratum or 'not stated'} | {shares} |"
    missing = [s for s in release.shares if s.natural > 0.0 and s.sampled == 0.0]
    if missing:
        lost = sum(s.natural for s in missing)
        yield f"\n**Not covered:** {len(missing)} deployed strata, {percent(lost, 1)} of production."


def _write_checks(release: Release) -> Iterator[str]:
    """State what the checks of the selection answered when it was frozen."""
    if release.checks is None:
        return
    yield "\n## Checks\n"
    counted = ", ".join(f"{n} {status.value.replace('_', ' ')}" for status, n in release.checks.episodes.items())
    yield f"- episodes: {counted}"
    for finding in release.checks.dataset:
        subject = f" {finding.subject}" if finding.subject else ""
        yield f"- {finding.status.value.replace('_', ' ')}: {finding.check}{subject}. {write_without_subject(finding)}"


def _write_labels(labels: Iterable[Annotation]) -> Iterator[str]:
    """Count spans by kind, label and author."""
    counted = Counter((label.kind, label.label, label.author) for label in labels)
    if counted:
        yield "\n## Labels\n"
        yield "| kind | label | by | spans |"
        yield "|---|---|---|---:|"
        yield from (f"| {kind} | {label} | {by} | {n} |" for (kind, label, by), n in sorted(counted.items()))


def _write_repairs(release: Release) -> Iterator[str]:
    """List the repairs; they apply when this release is read, the logs stay unchanged."""
    if release.fixes:
        yield "\n## Repairs\n"
        for (kind, why), n in Counter((fix.kind, write_sentence(fix.why)) for _, fix in release.fixes).most_common():
            yield f"- {n} × {kind}: {why}"


def _write_excluded_episodes(release: Release) -> Iterator[str]:
    yield "\n## Left out\n"
    if not release.excluded:
        yield "Nothing."
    for one in release.group_left_out():
        example = "" if one.same_text else "for example: "
        yield f"- {len(one.episodes)} × {example}{write_sentence(one.example)}"


def _write_exports(exports: Iterable[ReleaseExported]) -> Iterator[str]:
    """Describe how streams of many rates became rows."""
    for export in exports:
        yield f"\n## Exported as {export.format}\n"
        yield f"- `{export.target}`: {export.episodes} episodes, {export.frames} frames"
        yield f"- timestamps of frames from: {export.clock or 'every stream keeps its own timestamps'}"
        by_rule: dict[str, list[str]] = {}
        for stream, rule in export.rules:
            by_rule.setdefault(rule, []).append(stream)
        yield from (f"- {rule}: {', '.join(streams)}" for rule, streams in sorted(by_rule.items()))
        yield from (f"- left out or changed: {write_sentence(loss)}" for loss in export.left_out)
