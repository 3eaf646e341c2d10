"""Terminal output of annotation: taxonomies, one episode's labels, tasks."""

from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_fixed, format_plural, format_time

MOST_ROWS = 20
DECIMALS = 3


def print_taxonomy(shown: Any, screen: Screen) -> None:
    """Print the taxonomy in force, kind by kind."""
    facts = [("taxonomy", shown.taxonomy.version_name), ("file", shown.file or "shipped"), ("locked", shown.locked)]
    screen.print(make_facts_table([*facts, ("fingerprint", shown.fingerprint)]))
    for kind in shown.taxonomy.kinds:
        rows = [
            (label.key, label.name, label.part_of.removeprefix("action:"), label.definition, label.begins, label.ends)
            for label in shown.taxonomy.get_labels(kind)
        ]
        screen.print()
        screen.print(make_heading(kind.capitalize()))
        screen.print(make_table(("key", "label", "part of", "definition", "begins", "ends"), rows))


def print_taxonomy_lint(linted: Any, screen: Screen) -> None:
    """Print what must be mended, then what is missing."""
    status = Status.FAILED if linted.errors else Status.PASSED
    named = f"{linted.name} v{linted.version}"
    counted = format_plural(len(linted.errors), "error")
    screen.print(format_status(status, named).append(f"  {linted.file or 'shipped'}, {counted}", style="default"))
    for style, sign, notes in (("bold red", "✗", linted.errors), ("dim", "–", linted.remarks)):
        for one in notes:
            screen.print(make_styled_text(f"{sign} {write_sentence(one)}", style))


def print_taxonomy_changes(changes: Any, screen: Screen) -> None:
    """Print what changed, and which episodes are labelled again."""
    if changes.lock:
        screen.write(f"{changes.newer} {'is locked now' if changes.lock == 'now' else 'was locked before'}.")
    screen.print(make_facts_table([("from", changes.older), ("to", changes.newer)]))
    if not changes.changes:
        screen.write("No label changed.")
        return
    rows = [(c.kind, c.label, c.change.value, ", ".join(c.became or c.fields)) for c in changes.changes]
    screen.print(make_table(("kind", "label", "change", "what"), rows))
    if changes.unmapped:
        screen.write(f"In use, but not in {changes.newer}: {', '.join(changes.unmapped)}.")
    if not changes.touched:
        screen.write("No episode is labelled again.")
        return
    screen.print(make_heading(f"{format_plural(len(changes.touched), 'episode')} labelled again"))
    touched = [(t.name, t.kind, ", ".join(t.labels), ", ".join(t.authors)) for t in changes.touched[:MOST_ROWS]]
    screen.print(make_table(("episode", "kind", "labels", "labelled by"), touched))
    _print_rest(len(changes.touched), screen)


def print_episode_labels(shown: Any, screen: Screen) -> None:
    """Print every lane that the person may see, and the own drafts."""
    facts = [("episode", shown.name), ("lasts", f"{format_fixed(shown.lasts_s, DECIMALS)} s")]
    facts += [("taxonomy", shown.taxonomy.version_name), ("you", shown.author)]
    if shown.hidden:
        facts += [("hidden", f"{', '.join(shown.hidden)} of others, until you hand in yours")]
    screen.print(make_facts_table(facts))
    for lane in shown.lanes:
        _print_lane(f"{lane.kind} by {lane.author}", lane.segments, screen)
    for own in shown.own:
        state = "handed in" if own.submitted else "draft"
        _print_lane(f"{own.kind}: your revision {own.revision}, {state}", own.segments, screen)
    if not (shown.lanes or shown.own):
        screen.write("No labels yet. Save some: fieldloop annotate save")


def print_labels_kept(kept: Any, screen: Screen) -> None:
    """Print the revision that was saved, and what blocks handing it in."""
    state = "handed in" if kept.submitted else "kept as a draft"
    facts = [("episode", kept.name), ("labels", f"{kept.kind} by {kept.author}, {state}")]
    screen.print(make_facts_table([*facts, ("revision", kept.revision), ("taxonomy", kept.taxonomy)]))
    for problem in kept.problems:
        screen.print(make_styled_text(f"✗ {write_sentence(problem)}", "bold red"))
    _print_lane("Segments", kept.segments, screen)


def print_tasks(shown: Any, screen: Screen) -> None:
    """Print open and leased tasks, and how many there are."""
    counts = [(name, getattr(shown, name)) for name in ("open", "leased", "done", "overdue")]
    screen.print(make_facts_table(counts))
    if shown.tasks:
        rows = [_make_task_row(task) for task in shown.tasks[:MOST_ROWS]]
        columns = ("task", "episode", "kinds", "reason", "state", "who", "until", "")
        screen.print(make_table(columns, rows))
        _print_rest(len(shown.tasks), screen)


def print_next_task(found: Any, screen: Screen) -> None:
    """Print the task that was taken, or why there is none."""
    task = found.task
    if task is None:
        screen.write(write_sentence(found.reason))
        return
    facts = [("task", task.id), ("episode", found.episode), ("kinds", ", ".join(task.kinds))]
    facts += [("reason", task.reason.value.replace("_", " ")), ("for", task.taken_by)]
    screen.print(make_facts_table([*facts, ("until", format_time(task.lease_until_ns))]))
    for why in task.because:
        screen.write(write_sentence(why))


def print_dealt(dealt: Any, screen: Screen) -> None:
    """Print how many episodes were dealt, to whom, and how many twice."""
    twice = f"{dealt.twice} of them twice, {format_plural(dealt.edge_cases_twice, 'edge case')} among these"
    screen.write(f"{format_plural(dealt.episodes, 'episode')} dealt, {twice}.")
    screen.print(make_table(("annotator", "tasks"), dealt.by_annotator, right=("tasks",)))
    for one in dealt.notes:
        screen.write(write_sentence(one))


def _print_lane(title: str, segments: Sequence[Any], screen: Screen) -> None:
    screen.print()
    screen.print(make_heading(title))
    rows = [
        (s.label, format_fixed(s.start_s, DECIMALS), format_fixed(s.end_s, DECIMALS), s.object, s.verified_by)
        for s in segments[:MOST_ROWS]
    ]
    screen.print(make_table(("label", "from s", "to s", "object", "verified by"), rows, right=("from s", "to s")))
    _print_rest(len(segments), screen)


def _make_task_row(task: Any) -> tuple[str, ...]:
    until = format_time(task.lease_until_ns) if task.lease_until_ns and task.state == "leased" else ""
    who = task.taken_by if task.state == "leased" else task.annotator or "anyone"
    late = "overdue" if task.overdue else ""
    return (task.id, task.name, ", ".join(task.kinds), task.reason.replace("_", " "), task.state, who, until, late)


def _print_rest(count: int, screen: Screen) -> None:
    if count > MOST_ROWS:
        screen.write(f"And {count - MOST_ROWS} more; --json lists all.")


def print_taxonomies(shown: Any, screen: Screen) -> None:
    """Print which taxonomy is in force, what lint says, what a lock would change, and the locked versions."""
    named = shown.taxonomy.version_name if shown.taxonomy else "unreadable"
    facts = [("task", shown.task), ("taxonomy", named), ("file", shown.file or "none"), ("locked", shown.locked)]
    screen.print(make_facts_table([*facts, ("files", ", ".join(shown.files) or "none")]))
    if shown.unreadable:
        screen.write(shown.unreadable)
    if shown.linted:
        print_taxonomy_lint(shown.linted, screen)
    for title, changes in (("A lock would change", shown.change), ("Compared", shown.compared)):
        if changes:
            screen.print()
            screen.print(make_heading(title))
            print_taxonomy_changes(changes, screen)
    if shown.versions:
        rows = [(f"{v.name}@{v.version}", v.fingerprint, "in force" if v.in_force else "") for v in shown.versions]
        screen.print()
        screen.print(make_heading("Locked versions"))
        screen.print(make_table(("version", "fingerprint", ""), rows))


def print_taxonomy_edited(edited: Any, screen: Screen) -> None:
    """Print the verdict, then errors and remarks."""
    for one in edited.answers:
        screen.write(write_sentence(one))
