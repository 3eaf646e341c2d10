"""Success by policy and site over many spans at once, and by local day.

Whole hours come from sums. Only hours cut by a span are read outcome by outcome. Rows outside are not read.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import BigInteger, ColumnElement, Connection, column, func, select, values

from fieldloop.model.alarm import Rate
from fieldloop.model.days import DAY_S, QUARTER_S, get_local_day
from fieldloop.model.stream import NS_PER_HOUR, NS_PER_S
from fieldloop.store.contract import DayCount
from fieldloop.store.judged_again import Place, compute_verdict_corrections
from fieldloop.store.tables import outcomes, success_hours

Span = tuple[int, int]
Tally = tuple[int, int]
"""Successes and attempts."""
NOTHING = (0, 0)
QUARTERS = tuple(range(0, NS_PER_HOUR, QUARTER_S * NS_PER_S))
"""Starts of the quarter hours: the local day of any zone changes only at one of them."""
assert DAY_S % QUARTER_S == 0


def compute_success_rates(
    connection: Connection, spans: Sequence[Span], stage: str, policy: str | None = None
) -> list[list[Rate]]:
    """Return for each span [start, end) success by policy and site, each with its 95 % interval."""
    from fieldloop.stats.binomial import compute_wilson_interval

    wanted = [span for span in spans if span[0] < span[1]]
    if not wanted:
        return [[] for _ in spans]
    sums = _Sums(connection, wanted, stage, policy)
    rates_by_span: list[list[Rate]] = []
    for span in spans:
        counted = ((place, *sums.count_in_span(place, span)) for place in sums.places)
        rates_by_span.append(
            [
                Rate(*place, won, tried, won / tried, *compute_wilson_interval(won, tried), *span)
                for place, won, tried in counted
                if tried
            ]
        )
    return rates_by_span


class _Sums:
    """Cumulative attempts and successes by place, from which the count of each given span is a difference."""

    def __init__(self, connection: Connection, spans: Sequence[Span], stage: str, policy: str | None) -> None:
        edges = sorted({edge for span in spans for edge in span})
        self._hours: dict[Place, list[int]] = defaultdict(list)
        self._totals: dict[Place, list[Tally]] = defaultdict(lambda: [NOTHING])
        for hour, place, won, tried in _read_hourly_sums(connection, (edges[0], edges[-1]), stage, policy):
            before = self._totals[place][-1]
            self._hours[place].append(hour)
            self._totals[place].append((before[0] + won, before[1] + tried))
        self._cut = dict(_count_partial_hours(connection, edges, stage, policy))
        self._corrected: dict[Place, list[int]] = defaultdict(list)
        self._corrections: dict[Place, list[Tally]] = defaultdict(lambda: [NOTHING])
        found = compute_verdict_corrections(connection, edges[0], edges[-1], stage, policy)
        for place, at_ns, won, tried in sorted(found, key=lambda each: each[1]):
            before = self._corrections[place][-1]
            self._corrected[place].append(at_ns)
            self._corrections[place].append((before[0] + won, before[1] + tried))
        self.places = sorted({*self._hours, *(place for _, place in self._cut)})

    def count_in_span(self, place: Place, span: Span) -> Tally:
        """Count attempts at one place at times in [start, end)."""
        if span[0] >= span[1]:
            return NOTHING
        begin, end = self._count_before(place, span[0]), self._count_before(place, span[1])
        return end[0] - begin[0], end[1] - begin[1]

    def _count_before(self, place: Place, edge: int) -> Tally:
        """Count attempts before an edge, starting with the first whole hour that was read."""
        whole = self._totals[place][bisect_left(self._hours[place], edge // NS_PER_HOUR)]
        part = self._cut.get((edge, place), NOTHING)
        again = self._corrections[place][bisect_left(self._corrected[place], edge)]
        return whole[0] + part[0] + again[0], whole[1] + part[1] + again[1]


def _read_hourly_sums(
    connection: Connection, span: Span, stage: str, policy: str | None
) -> Iterator[tuple[int, Place, int, int]]:
    """Yield the sums of the hours that begin within a span or contain its start, in order of time."""
    hours = success_hours.c
    first, last = span[0] // NS_PER_HOUR, span[1] // NS_PER_HOUR
    query = select(hours.hour, hours.policy, hours.site, hours.successes, hours.episodes).where(
        hours.stage == stage, hours.hour >= first, hours.hour < last
    )
    if policy is not None:
        query = query.where(hours.policy == policy)
    for hour, version, site, won, tried in connection.execute(query.order_by(hours.hour)):
        yield hour, (version, site), won, tried


def _count_partial_hours(
    connection: Connection, edges: Iterable[int], stage: str, policy: str | None
) -> Iterator[tuple[tuple[int, Place], Tally]]:
    """Count for each edge the outcomes between the hour's beginning and the edge, by place."""
    cuts = [(edge - edge % NS_PER_HOUR, edge) for edge in edges if edge % NS_PER_HOUR]
    if not cuts:
        return
    cut = build_spans_table(cuts)
    each = outcomes.c
    inside = (
        (each.stage == stage) & (each.at_ns >= cut.c.begin) & (each.at_ns < cut.c.edge) & build_known_result_criterion()
    )
    query = (
        select(cut.c.edge, each.policy, each.site, func.count().filter(each.succeeded), func.count())
        .join_from(cut, outcomes, inside)
        .group_by(cut.c.edge, each.policy, each.site)
    )
    if policy is not None:
        query = query.where(each.policy == policy)
    for edge, version, site, won, tried in connection.execute(query):
        yield (edge, (version, site)), (won, tried)


def build_known_result_criterion() -> ColumnElement[bool]:
    """Does an outcome state its result? Others count neither as attempts nor as successes."""
    known: ColumnElement[bool] = outcomes.c.succeeded.is_not(None)
    return known


def build_spans_table(spans: Sequence[Span]):  # type: ignore[no-untyped-def]  # noqa: ANN201 - a common table expression
    """Return pairs of times as a table to join with; literals, as PostgreSQL guesses the types of parameters."""
    columns = (column("begin", BigInteger), column("edge", BigInteger))
    return values(*columns, name="cuts", literal_binds=True).data(list(spans)).cte()


def count_by_day(connection: Connection, zones: Mapping[str, str], stage: str) -> list[DayCount]:
    """Count attempts by policy, site and day; a day is local to its site, in UTC where the site has no zone."""
    counts: dict[tuple[str, str, int], list[int]] = defaultdict(lambda: [0, 0])
    split: dict[int, set[str]] = defaultdict(set)

    def add_to_day(place: Place, at_ns: int, successes: int, attempts: int) -> None:
        tally = counts[(*place, get_local_day(at_ns, zones.get(place[1], "UTC")))]
        tally[0] += successes
        tally[1] += attempts

    hours = success_hours.c
    query = select(hours.hour, hours.policy, hours.site, hours.successes, hours.episodes).where(hours.stage == stage)
    for hour, policy, site, won, tried in connection.execute(query):
        if _is_in_one_day(hour, zones.get(site, "UTC")):
            add_to_day((policy, site), hour * NS_PER_HOUR, won, tried)
        elif tried:
            split[hour].add(site)
    for place, at_ns, succeeded in _read_outcomes_of_hours(connection, split, stage):
        add_to_day(place, at_ns, succeeded, 1)
    for place, at_ns, won, tried in compute_verdict_corrections(connection, None, None, stage):
        add_to_day(place, at_ns, won, tried)
    return [DayCount(*key, won, tried) for key, (won, tried) in sorted(counts.items()) if tried]


def _is_in_one_day(hour: int, zone: str) -> bool:
    """Is this hour free of a local midnight inside it? In India it is not: the UTC offset has a half hour."""
    begin = hour * NS_PER_HOUR
    return zone == "UTC" or len({get_local_day(begin + quarter, zone) for quarter in QUARTERS}) == 1


def _read_outcomes_of_hours(
    connection: Connection, sites_by_hour: Mapping[int, set[str]], stage: str
) -> Iterator[tuple[Place, int, int]]:
    """Yield the outcomes of some hours at some sites."""
    if not sites_by_hour:
        return
    cut = build_spans_table([(hour * NS_PER_HOUR, (hour + 1) * NS_PER_HOUR) for hour in sites_by_hour])
    each = outcomes.c
    inside = (
        (each.stage == stage) & (each.at_ns >= cut.c.begin) & (each.at_ns < cut.c.edge) & build_known_result_criterion()
    )
    query = select(each.policy, each.site, each.at_ns, each.succeeded).join_from(cut, outcomes, inside)
    for policy, site, at_ns, succeeded in connection.execute(query):
        if site in sites_by_hour[at_ns // NS_PER_HOUR]:
            yield (policy, site), at_ns, int(succeeded)
