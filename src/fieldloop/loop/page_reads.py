"""What pages read straight from the store: nouns of a kind, the ledger's tail, rates by site, what waits."""

from collections.abc import Mapping
from typing import Any, TypeVar

from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Rate
from fieldloop.model.codec import iso, to_plain
from fieldloop.model.days import day_span_ns, local_day
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.incident import Incident, Step
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.stream import NS_PER_S

N = TypeVar("N")
CHART_DAYS = 56
NS_PER_DAY = 86_400 * NS_PER_S
UNPASSED = [status for status in Status if status is not Status.PASSED]


def tail(workspace: Workspace, after: int = 0, limit: int = 100) -> tuple[dict[str, Any], ...]:
    """Return ledger entries behind a sequence number, oldest first; following it skips nothing."""
    found = workspace.store.tail(after, limit)
    return tuple({"kind": type(r.event).__name__, **to_plain(r), "at": iso(r.at_ns)} for r in found)


def rates(workspace: Workspace) -> tuple[Rate, ...]:
    """Return success by policy and site over the rolling window that ends with the newest outcome."""
    last = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION}, newest=True, limit=1)
    end = last[0].at_ns + 1 if last else 0
    window_ns = int(workspace.operations["monitor"].number("window_days") * NS_PER_DAY)
    return tuple(workspace.store.success_rates(end - window_ns, end))


def daily_rates(workspace: Workspace, policy: str, site: str, until_ns: int) -> tuple[Rate, ...]:
    """Return success of each day by site, over eight weeks that end with a moment or the last outcome before it.

    A day is local to its site, in UTC where the map does not know the site.
    """
    newest_one = workspace.store.find(Outcome, {"stage": Stage.PRODUCTION, "policy": policy}, newest=True, limit=1)
    end_ns = min([until_ns, *(outcome.at_ns for outcome in newest_one)])
    mapped: Deployment | None = workspace.newest(Deployment)
    zones = mapped.time_zones if mapped else {}
    found: list[Rate] = []
    for zone in sorted({zones.get(site, "UTC")} if site else {"UTC", *zones.values()}):
        last = local_day(end_ns, zone)
        for day in range(last - CHART_DAYS + 1, last + 1):
            seen = workspace.store.success_rates(*day_span_ns(day, zone))
            found += [one for one in seen if one.policy == policy and zones.get(one.site, "UTC") == zone]
    return tuple(sorted((one for one in found if site in ("", one.site)), key=lambda one: one.start_ns))


def attention(workspace: Workspace) -> dict[str, int]:
    """Count what waits for somebody, by page."""
    return {
        "/episodes": workspace.store.count(Episode, {"status": UNPASSED}),
        "/incidents": sum(i.done(Step.REVIEWED) is None for i in workspace.store.find(Incident)),
    }


def reports(workspace: Workspace, limit: int | None = None) -> tuple[EpisodeReport, ...]:
    """Return the last verdict on each episode, newest first."""
    found = workspace.store.find(EpisodeReport, newest=True, limit=limit)
    return tuple({report.episode: report for report in reversed(found)}.values())[::-1]


def every(workspace: Workspace, noun: type[N], where: Mapping[str, Any] | None = None) -> tuple[N, ...]:
    """Return the nouns of a kind, newest first."""
    return tuple(workspace.store.find(noun, where, newest=True))
