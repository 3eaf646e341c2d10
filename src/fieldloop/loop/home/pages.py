"""Reads that pages make directly from the store: nouns of a kind, new events, rates by site, open work."""

from collections.abc import Mapping
from typing import Any, TypeVar

from fieldloop.loop.workspace import Workspace
from fieldloop.model.alarm import Rate
from fieldloop.model.codec import format_iso_time
from fieldloop.model.days import get_day_span_ns, get_local_day
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.incident import Incident, Step
from fieldloop.model.policy import Stage
from fieldloop.say.spelled import spell_out_facts

N = TypeVar("N")
CHART_DAYS = 56
UNPASSED = [status for status in Status if status is not Status.PASSED]


def read_ledger_tail(workspace: Workspace, after: int = 0, limit: int = 100) -> tuple[dict[str, Any], ...]:
    """Return ledger entries after a sequence number, oldest first; repeated calls skip none."""
    found = workspace.store.read_tail(after, limit)
    return tuple({"kind": type(r.event).__name__, **spell_out_facts(r), "at": format_iso_time(r.at_ns)} for r in found)


def read_success_rates(workspace: Workspace) -> tuple[Rate, ...]:
    """Return success by policy and site over the window that the monitor judges."""
    from fieldloop.loop.run.monitor import compute_window_span  # a workspace without production needs no monitor

    return tuple(workspace.store.compute_success_rates(*compute_window_span(workspace, workspace.clock())))


def read_daily_rates(workspace: Workspace, policy: str, site: str, until_ns: int) -> tuple[Rate, ...]:
    """Return success of each day by site, over eight weeks that end with a moment or the last outcome before it.

    A day is local to its site, in UTC where the map does not know the site.
    """
    last_one = workspace.store.views.list_last_outcomes((Stage.PRODUCTION,), policy, 1)
    end_ns = min([until_ns, *(outcome.at_ns for outcome in last_one)])
    mapped: Deployment | None = workspace.find_newest(Deployment)
    zones = mapped.time_zones if mapped else {}
    days = [
        (zone, get_day_span_ns(day, zone))
        for zone in sorted({zones.get(site, "UTC")} if site else {"UTC", *zones.values()})
        for day in range(get_local_day(end_ns, zone) - CHART_DAYS + 1, get_local_day(end_ns, zone) + 1)
    ]
    rates_by_day = workspace.store.views.compute_success_rates([span for _, span in days], policy=policy)
    day_rates = [
        rate
        for (zone, _), of_day in zip(days, rates_by_day, strict=True)
        for rate in of_day
        if zones.get(rate.site, "UTC") == zone and site in ("", rate.site)
    ]
    return tuple(sorted(day_rates, key=lambda rate: rate.start_ns))


def count_open_work(workspace: Workspace) -> dict[str, int]:
    """Count open work by page."""
    return {
        "/episodes": workspace.store.count(Episode, {"status": UNPASSED}),
        "/incidents": sum(i.find_done_step(Step.REVIEWED) is None for i in workspace.find_all(Incident)),
    }


def list_last_reports(workspace: Workspace, limit: int | None = None) -> tuple[EpisodeReport, ...]:
    """Return the last verdict on each episode, newest first."""
    found = workspace.store.find(EpisodeReport, newest=True, limit=limit)
    return tuple({report.episode: report for report in reversed(found)}.values())[::-1]


def list_newest_first(workspace: Workspace, noun: type[N], where: Mapping[str, Any] | None = None) -> tuple[N, ...]:
    """Return the nouns of a kind, newest first."""
    return tuple(workspace.store.find(noun, where, newest=True))
