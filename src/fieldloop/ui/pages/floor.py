"""Floor: how production fares by site, how far the candidate has climbed, which alarms stand."""

from collections import Counter
from collections.abc import Sequence

from fieldloop.loop.home_success import Success, success_over_time
from fieldloop.loop.monitor import outcomes
from fieldloop.loop.page_reads import every, rates
from fieldloop.loop.rollout import status as rollouts
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.codec import to_plain
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.ui.components import (
    Column,
    action,
    command,
    dense_table,
    empty_state,
    interval_bar,
    key_value,
    ladder,
    next_card,
    panel,
    status,
    status_mark,
)
from fieldloop.ui.markup import Html, tag, text
from fieldloop.ui.said import figure, interval, moment, percent, plural, short, where
from fieldloop.ui.visit import Drawn, IslandPanel, Part, Visit

MOST_OUTCOMES = 40


def draw(visit: Visit) -> Drawn:
    """Draw the floor."""
    recent = outcomes(visit.workspace, stage=Stage.PRODUCTION, limit=MOST_OUTCOMES)
    climbs, alarms = rollouts(visit.workspace), every(visit.workspace, Alarm)
    names = {p.id: p.name for p in every(visit.workspace, PolicyVersion)}
    if not recent and not climbs:
        nothing = empty_state(
            "No robot reports yet",
            "Roll an admitted policy out, or record outcomes that robots spooled.",
            command("fieldloop monitor record FILE"),
        )
        return Drawn(text("Floor"), (nothing,))
    seen, over_time = rates(visit.workspace), success_over_time(visit.workspace)
    parts: list[Part] = [_answer(alarms, over_time), *(_climb(climb, names) for climb in climbs[:1])]
    if over_time.points:
        parts.append(
            IslandPanel(
                "Success on the floor",
                "success.js",
                {"src": "/api/home", "first": to_plain(over_time)},
                f"{over_time.policy}, all sites, 95 % interval",
                8,
                live=True,
            )
        )
    parts += [_alarms(alarms), _by_site(seen, names), _outcomes(recent, names)]
    return Drawn(text("Floor"), tuple(parts))


def _answer(alarms: Sequence[Alarm], over_time: Success) -> Html:
    if alarms:
        last = alarms[0]
        return next_card("bad", f"Alarm at {last.site}", last.message, command("fieldloop diagnose"))
    if not over_time.points:
        return next_card("idle", "Too few outcomes to give a rate", "It appears as robots report.")
    now, base = over_time.points[-1], over_time.baseline
    days = f"succeeded in {over_time.window_days:g} days"
    said = f"{over_time.policy}: {percent(now.rate)} of {plural(now.episodes, 'episode')} {days}"
    if base is not None and over_time.alarm is not None and now.rate < over_time.alarm:
        under = f"That is {100 * (base - now.rate):.1f} points under the baseline, and no alarm was raised. Look again:"
        return next_card("warn", said, under, command("fieldloop monitor"))
    against = "There is no baseline to hold it against." if base is None else f"The baseline is {percent(base)}."
    return next_card("good" if base is not None else "run", f"{said}, no alarm", against)


def _climb(climb: Rollout, names: dict[str, str]) -> Html:
    def arm(policy: str | None, won: int, tried: int) -> str:
        return "none" if policy is None else f"{names.get(policy, short(policy))}: {won} of {tried} succeeded"

    facts = [
        ("Candidate", arm(climb.candidate, climb.candidate_successes, climb.candidate_episodes)),
        ("Incumbent", arm(climb.incumbent, climb.incumbent_successes, climb.incumbent_episodes)),
        ("Since", moment(climb.since_ns)),
        ("Why", climb.reason),
    ]
    back = (
        None
        if climb.rung is Rung.BACK
        else action(
            "Roll back",
            "/api/rollout/back",
            {"reason": "by hand, from the floor page"},
            kind="danger",
            sure="Really roll back?",
        )
    )
    return panel("Rollout", ladder(climb), tag("div", key_value(facts), style="padding-top:12px"), right=back)


def _alarms(alarms: Sequence[Alarm]) -> Html:
    if not alarms:
        return panel("Alarms", tag("p", "No alarm was raised.", class_="dim"), columns=4)
    items = [
        tag("li", status_mark("bad"), tag("span", f"{a.site}, {moment(a.raised_ns)}"), tag("p", a.message))
        for a in alarms
    ]
    return panel("Alarms", tag("ul", *items, class_="list"), columns=4)


def _by_site(seen: Sequence[Rate], names: dict[str, str]) -> Html:
    rows = [
        (
            r.site,
            names.get(r.policy, short(r.policy)),
            percent(r.rate),
            interval_bar(r.low, r.rate, r.high),
            interval(r.low, r.high),
            f"{r.episodes:,}",
        )
        for r in sorted(seen, key=lambda r: r.rate)
    ]
    columns = (
        "Site",
        "Policy",
        Column("Success", "num"),
        Column("", "slim"),
        "95 % interval",
        Column("Episodes", "num"),
    )
    return panel("By site and policy", dense_table(columns, rows), note="lowest first", flush=True)


def _outcomes(recent: Sequence[Outcome], names: dict[str, str]) -> Html:
    failed = Counter(o.failure.value for o in recent if o.failure)
    rows = [
        (
            moment(o.at_ns),
            status(Status.PASSED, "succeeded")
            if o.succeeded
            else status(Status.FAILED, o.failure.value if o.failure else "failed"),
            o.site,
            o.robot,
            names.get(o.policy, short(o.policy)),
            where(o.stratum, without=("site",)),
            f"{figure(o.cycle_s, 3)} s",
            figure(o.confidence, 2),
            o.judged_by,
        )
        for o in recent
    ]
    columns = (
        "When",
        "Outcome",
        "Site",
        "Robot",
        "Policy",
        "Conditions",
        Column("Cycle", "num"),
        Column("Confidence", "num"),
        "Judged by",
    )
    note = "newest first" + "".join(f", {count} {name}" for name, count in failed.most_common())
    return panel("Last outcomes", dense_table(columns, rows), note=note, flush=True)
