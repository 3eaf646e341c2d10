"""Count how often each article is picked, from an export of order lines."""

import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from fieldloop.audit.days import DAY_FIRST, MONTH_FIRST, read_days, read_days_in_swapped_order
from fieldloop.audit.order_columns import match_columns_to_roles
from fieldloop.audit.stretch import find_longest_period
from fieldloop.errors import BadInput
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.protocol import Section

DELIMITERS = ",;\t|"
MOST_LINES = 5  # lines named for one reason; all are counted
RETURNED = "pieces are not above 0, as in a return"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines that could not be counted: why, how many, and the first of them."""

    why: str
    lines: int
    first: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an export: its number, article and pieces."""

    number: int
    sku: str
    pieces: float


@dataclass(frozen=True, slots=True)
class OrderLines:
    """The content of an export: picks of each article by site ('' where none is named), and the days.

    `largest` is the line with most pieces.
    """

    picks: Mapping[str, Mapping[str, float]]
    lines: int
    skipped: tuple[Skipped, ...]
    columns: tuple[tuple[str, str], ...]
    first_day: date
    last_day: date
    days: int
    largest: Line

    @property
    def weeks(self) -> float:
        """Return the number of weeks from the first day to the last, both included."""
        return ((self.last_day - self.first_day).days + 1) / 7


@dataclass(slots=True)
class _Count:
    """Counts so far; dates are read once all their formats are known."""

    picks: defaultdict[tuple[str, str, str], float] = field(default_factory=lambda: defaultdict(float))
    rows: Counter[str] = field(default_factory=Counter)
    first_line: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, list[int]] = field(default_factory=dict)
    largest: dict[str, Line] = field(default_factory=dict)
    lines: int = 0

    def skip_line(self, why: str, line: int) -> None:
        self.skipped.setdefault(why, []).append(line)

    def skip_days(self, why: str, days: Collection[str]) -> None:
        """Skip all lines of some dates; only the first line of each is known by number."""
        first = sorted(self.first_line[day] for day in days)
        self.skipped[why] = first + [0] * (sum(self.rows[day] for day in days) - len(first))


def read_order_lines(
    text: Iterable[str],
    settings: Section,
    *,
    file: str,
    named: Mapping[str, str],
    dates: str = "",
    lines_are_picks: bool = False,
) -> OrderLines:
    """Count picks of each article; a row that cannot be counted is named with its reason, never silently dropped.

    `named` gives columns that cannot be found by name, `dates` states whether day or month comes first.
    """
    lines, delimiter = _split_lines_and_find_delimiter(text, file)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header = [name.strip() for name in next(reader, [])]
    columns = match_columns_to_roles(header, file, named)
    if lines_are_picks:
        columns.pop("pieces", None)
    count = _Count()
    try:
        for row in reader:
            _count_row(row, header, columns, count, reader.line_num, settings["picks_per_week"][-1])
    except csv.Error as wrong:
        raise BadInput(f"{file}, line {reader.line_num}: {wrong}; is a closing quotation mark missing?") from wrong
    read = read_days(count.first_line, file, dates)
    _refuse_swapped_dates(count, read, file, dates, settings)
    days = _select_days_of_one_period(count, read, file, settings)
    return _sum_picks(count, columns, file, days, settings)


def _split_lines_and_find_delimiter(text: Iterable[str], file: str) -> tuple[Iterator[str], str]:
    """Return all lines, and the delimiter of the first."""
    lines = iter(text)
    head = next(lines, "").removeprefix("\ufeff")
    if not head.strip():
        raise BadInput(f"{file} is empty; an export of order lines must begin with a header.")
    return itertools.chain([head], lines), max(DELIMITERS, key=head.count)


def _count_row(
    row: Sequence[str], header: Sequence[str], columns: Mapping[str, str], count: _Count, line: int, most: float
) -> None:
    if not any(cell.strip() for cell in row):
        return
    count.lines += 1
    if len(row) != len(header):
        count.skip_line(f"not {len(header)} cells", line)
        return
    cells = dict(zip(header, row, strict=True))
    sku, day = cells[columns["sku"]].strip(), re.split(r"[T ]", cells[columns["date"]].strip())[0]
    pieces = parse_finite_number(cells[columns["pieces"]]) if "pieces" in columns else 1.0
    site = cells[columns["site"]].strip() if "site" in columns else ""
    if not sku:
        count.skip_line("no article", line)
    elif pieces is None:
        count.skip_line("pieces are not a number", line)
    elif pieces <= 0.0:
        count.skip_line(RETURNED, line)
    elif pieces > most:
        count.skip_line(f"pieces are more than {most:,.0f}", line)
    elif "site" in columns and not site:
        count.skip_line("no site", line)
    else:
        count.picks[sku, site, day] += pieces
        if day not in count.largest or pieces > count.largest[day].pieces:
            count.largest[day] = Line(line, sku, pieces)
        count.rows[day] += 1
        count.first_line.setdefault(day, line)


def _refuse_swapped_dates(count: _Count, days: Mapping[str, date], file: str, dates: str, settings: Section) -> None:
    """Refuse an order of day and month that the data contradict, because other dates would be read wrongly."""
    unread = sorted(set(count.first_line) - set(days), key=count.first_line.__getitem__)
    turned = read_days_in_swapped_order(unread, dates)
    share = sum(count.rows[text] for text in turned) / max(count.rows.total(), 1)
    if share > settings.number("stray_line_share"):
        first, other = next(iter(turned)), MONTH_FIRST if dates == DAY_FIRST else DAY_FIRST
        raise BadInput(
            f"{file}, line {count.first_line[first]}: {first!r} is {other}, as {share:.0%} of the lines are; "
            f"--dates {dates} would read the others wrongly. Use --dates {other}, or leave it out."
        )


def _select_days_of_one_period(
    count: _Count, days: Mapping[str, date], file: str, settings: Section
) -> dict[str, date]:
    """Return the days of one period; few unreadable or distant dates are skipped."""
    if unread := sorted(set(count.first_line) - set(days), key=count.first_line.__getitem__):
        count.skip_days(f"no date can be read, as in {unread[0]!r}", unread)
    if not days:
        return {}
    lines = Counter[date]()
    for text, day in days.items():
        lines[day] += count.rows[text]
    most = settings.number("order_gap_days")
    first, last = find_longest_period(lines, most)
    together = {text: day for text, day in days.items() if first <= day <= last}
    if far := sorted(set(days) - set(together), key=count.first_line.__getitem__):
        share = sum(count.rows[text] for text in far) / lines.total()
        if share > settings.number("stray_line_share"):
            raise BadInput(
                f"{file}, line {count.first_line[far[0]]}: {far[0]!r} and other days with {share:.0%} of the lines lie "
                f"more than {most:g} days away from {first} to {last}. Correct the dates, or export one period."
            )
        count.skip_days(f"a day far from all others, as in {far[0]!r}", far)
    return together


def _sum_picks(
    count: _Count, columns: Mapping[str, str], file: str, days: Mapping[str, date], settings: Section
) -> OrderLines:
    picks: dict[str, dict[str, float]] = {}
    for (sku, site, day), pieces in count.picks.items():
        if day in days:
            of_sku = picks.setdefault(sku, {})
            of_sku[site] = of_sku.get(site, 0.0) + pieces
    if not picks:
        raise BadInput(f"{file}: none of its {count.lines} lines could be counted{_find_main_skip_reason(count)}.")
    left_out = sum(len(lines) for lines in count.skipped.values())
    if left_out > settings.number("unusable_line_share") * count.lines:
        raise BadInput(
            f"{file}: {left_out:,} of its {count.lines:,} lines cannot be counted{_find_main_skip_reason(count)}. "
            f"{_suggest_remedy(count)}"
        )
    skipped = tuple(
        Skipped(why, len(lines), tuple(line for line in lines[:MOST_LINES] if line))
        for why, lines in count.skipped.items()
    )
    used = set(days.values())
    largest = max((count.largest[day] for day in days), key=lambda line: line.pieces)
    return OrderLines(picks, count.lines, skipped, tuple(columns.items()), min(used), max(used), len(used), largest)


def _find_main_skip_reason(count: _Count) -> str:
    if not count.skipped:
        return ""
    why, lines = max(count.skipped.items(), key=lambda each: len(each[1]))
    return f": {why} (line {lines[0]} and {len(lines) - 1} more)" if len(lines) > 1 else f": {why} (line {lines[0]})"


def _suggest_remedy(count: _Count) -> str:
    if max(count.skipped, key=lambda why: len(count.skipped[why])) == RETURNED:
        return "Invert the sign where picks are booked as negative, name another --pieces-column, or use --count lines."
    return "Are these the right columns? Correct the export, or name them with --sku-column, --date-column …"
