"""The difference of two releases: its rows in words, for terminal and pages alike, and as an HTML page of its own."""

from collections import Counter
from collections.abc import Iterator, Sequence

from fieldloop.model.release_diff import ChangeKind, FeatureShift, ReleaseDiff, Shift
from fieldloop.report.markup import draw_panel, draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.numbers import (
    NONE,
    format_fixed,
    format_number,
    format_p_value,
    format_plural,
    format_signed,
    levels_in_words,
    percent,
    shorten_ids,
)

MOST_GROUPS, MOST_NAMED, MOST_LEVELS, MOST_FEATURES = 40, 3, 3, 60
CHANGE_COLUMNS = ("change", "episodes", "which", "why")
SHIFT_COLUMNS = ("factor", "apart", "p (Holm)", "verdict", "most changed")
FEATURE_COLUMNS = ("feature", "mean", "1 %", "99 %", "spread", "felt")
SHARE_COLUMNS = ("stratum", "before", "after")
LEGEND = "Shifts are in standard deviations of the older side; the spread is new over old."


def write_headline(diff: ReleaseDiff) -> str:
    """Say in one sentence what changed.

    Two selections with the same id are one.
    """
    old, new = diff.names
    if diff.same:
        return f"{old} and {new} are the same selection with the same labels."
    came, went = (len(diff.list_episodes(kind)) for kind in (ChangeKind.ADDED, ChangeKind.REMOVED))
    other = len({c.episode for c in diff.changes if c.kind not in (ChangeKind.ADDED, ChangeKind.REMOVED)})
    shifted = [one.factor for one in diff.shifts if one.shifted]
    felt = sum(one.felt for one in diff.features)
    parts = [
        f"{new} has {format_plural(diff.counts[1], 'episode')}, {old} {diff.counts[0]}: {came} came, {went} went",
        f"{other} changed" if other else "",
        f"shifted: {', '.join(shifted)}" if shifted else _write_no_shift(diff),
        f"a normaliser feels {format_plural(felt, 'column')}" if felt else "",
    ]
    return "; ".join(filter(None, parts)) + "."


def _write_no_shift(diff: ReleaseDiff) -> str:
    if any(one.shifted is None for one in diff.shifts):
        return "too few sessions differ to tell whether conditions shifted"
    return "no shift of conditions beyond chance"


def list_change_rows(diff: ReleaseDiff) -> list[tuple[str, str, str, str]]:
    """Return a row for all episodes with the same change and reason, most episodes first."""
    groups = Counter((change.kind, write_sentence(change.why)) for change in diff.changes)
    names: dict[tuple[ChangeKind, str], list[str]] = {}
    for change in diff.changes:
        names.setdefault((change.kind, write_sentence(change.why)), []).append(change.name)
    order = list(ChangeKind)
    ordered = sorted(groups.items(), key=lambda one: (order.index(one[0][0]), -one[1]))
    return [(kind.value, str(n), _name_some(names[kind, why]), why) for (kind, why), n in ordered[:MOST_GROUPS]]


def _name_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def list_shift_rows(diff: ReleaseDiff) -> list[tuple[str, str, str, str, str]]:
    """Return a row for every factor that varies, the most unlikely first."""
    return [
        (one.factor, _write_distance(one), format_p_value(one.adjusted_p), _write_verdict(one), _write_levels(one))
        for one in diff.shifts
    ]


def _write_distance(shift: Shift) -> str:
    return f"{format_fixed(shift.apart, 2)} sd" if shift.before is not None else f"{percent(shift.apart, 0)}"


def _write_verdict(shift: Shift) -> str:
    if shift.shifted is None and shift.before is None and shift.apart >= 1.0:
        return "nothing in common; too few sessions differ to test it"
    if shift.shifted is None:
        return "cannot tell: too few sessions differ"
    return "shifted" if shift.shifted else "within chance"


def _write_levels(shift: Shift) -> str:
    if shift.before is not None and shift.after is not None:
        return f"mean {format_number(shift.before, 3)} s, now {format_number(shift.after, 3)} s"
    return ", ".join(
        f"{one.level or '(not stated)'} {percent(one.before, 0)} → {percent(one.after, 0)}"
        for one in shift.levels[:MOST_LEVELS]
    )


def list_feature_rows(diff: ReleaseDiff) -> list[tuple[str, str, str, str, str, str]]:
    """Return a row for every column of a feature, the farthest moved first."""
    return [
        (
            f"{one.feature} [{one.column}]",
            _write_shift(one.mean_shift),
            _write_shift(one.q01_shift),
            _write_shift(one.q99_shift),
            NONE if one.sd_ratio is None else f"× {format_fixed(one.sd_ratio, 2)}",
            _write_felt(one),
        )
        for one in diff.features[:MOST_FEATURES]
    ]


def _write_shift(shift: float | None) -> str:
    return NONE if shift is None else format_signed(round(shift, 2) or 0.0)


def _write_felt(shift: FeatureShift) -> str:
    if shift.mean_shift is None:
        return "was constant" if shift.felt else "constant"
    return "felt" if shift.felt else ""


def list_share_rows(diff: ReleaseDiff) -> list[tuple[str, str, str]]:
    """Return strata whose share of the release changed, most first."""
    ordered = sorted(diff.shares, key=lambda one: -abs(one[2] - one[1]))
    return [(levels_in_words(stratum), percent(a), percent(b)) for stratum, a, b in ordered[:MOST_GROUPS]]


def list_remarks(diff: ReleaseDiff) -> list[str]:
    """Return what else differs, and what was not compared."""
    return list(_iterate_remarks(diff))


def _iterate_remarks(diff: ReleaseDiff) -> Iterator[str]:
    for what, pair in (("Protocol", diff.protocol), ("Taxonomy", diff.taxonomy)):
        if pair:
            yield f"{what}: {pair[0] or 'none'} before, {pair[1] or 'none'} now."
    for name, features in zip(diff.names, (diff.only_before, diff.only_after), strict=True):
        if features:
            yield f"Only {name} has {', '.join(features)}."
    if diff.measured is None and not diff.same:
        yield "Values were not compared, so what a normaliser feels is not known."


def render_release_diff(diff: ReleaseDiff) -> str:
    """Write the difference as an HTML page."""
    old, new = diff.names
    panels: list[Markup] = [draw_paragraph(write_headline(diff), "lead")]
    panels += [draw_paragraph(remark, "dim") for remark in list_remarks(diff)]
    for title, columns, rows, numbers, wide in (
        ("Episodes", CHANGE_COLUMNS, list_change_rows(diff), ("episodes",), ("why",)),
        ("Conditions", SHIFT_COLUMNS, list_shift_rows(diff), ("apart", "p (Holm)"), ("most changed",)),
        ("What a normaliser feels", FEATURE_COLUMNS, list_feature_rows(diff), FEATURE_COLUMNS[1:5], ()),
        ("Shares", SHARE_COLUMNS, list_share_rows(diff), SHARE_COLUMNS[1:], ()),
    ):
        if rows:
            note = LEGEND if columns is FEATURE_COLUMNS else ""
            panels.append(draw_panel(title, [draw_table(columns, rows, numbers, wide)], note))
    foot = f"{old} {shorten_ids(diff.before)}, {new} {shorten_ids(diff.after)}"
    return render_page(f"From {old} to {new}", panels, kind="fieldloop release diff", foot=foot)
