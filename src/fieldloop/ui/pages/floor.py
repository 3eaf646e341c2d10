"""The Floor page: success by site, the stage of the rollout, and the alarms."""

from collections import Counter
from collections.abc import Mapping, Sequence

from fieldloop.doors.written import as_json
from fieldloop.loop.home.floor import floor
from fieldloop.loop.home.success import Success, policies_shown
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say import sentence
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import shape, status
from fieldloop.say.numbers import (
    fixed,
    format_number,
    format_time,
    levels_in_words,
    percent,
    percent_range,
    plural,
    shorten_ids,
    whole,
)
from fieldloop.ui.components import (
    Column,
    action,
    command,
    dense_table,
    empty_state,
    interval_bar,
    island,
    key_value,
    ladder,
    next_card,
    panel,
)
from fieldloop.ui.pages.tables_in import record_outcomes_panel, unknown_results_panel
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the floor."""
    now = floor(visit.workspace)
    names, alarms, over_time = now.policies, now.alarms, now.success
    if not now.outcomes and not now.rollouts:
        nothing = empty_state(
            "No robot reports yet",
            "Roll out a policy that passed its gate, or record a file of outcomes from robots.",
            command("fieldloop monitor record FILE"),
        )
        record = record_outcomes_panel(tuple(names.values()), now.template)
        return Drawn(escape("Floor"), (nothing, record))
    parts: list[Markup] = [_summary(alarms, over_time), *(_draw_rollout(climb, names) for climb in now.rollouts[:1])]
    if over_time.points:
        parts.append(
            panel(
                "Success in production",
                island("success.js", {"first": as_json(over_time)}, live=0),
                note=f"{policies_shown(over_time)}, all sites, 95 % interval",
                columns=8,
            )
        )
    parts += [_alarms(alarms), _by_site(now.rates, names), *unknown_results_panel(now.unknown)]
    parts += [_outcomes(now.outcomes, names), record_outcomes_panel(tuple(names.values()), now.template)]
    return Drawn(escape("Floor"), tuple(parts))


def _summary(alarms: Sequence[Alarm], over_time: Success) -> Markup:
    if alarms:
        last = alarms[0]
        return next_card("bad", f"Alarm at {last.site}", sentence(last.message), command("fieldloop diagnose"))
    if not over_time.points:
        return next_card(
            "idle",
            "Too few outcomes to give a rate",
            "The success rate appears once robots have reported enough outcomes.",
        )
    now, base = over_time.points[-1], over_time.baseline
    days = f"succeeded in {format_number(over_time.window_days, 6)} days"
    headline = f"{over_time.policy}: {percent(now.rate)} of {plural(now.episodes, 'episode')} {days}"
    if base is not None and over_time.alarm is not None and now.rate < over_time.alarm:
        under = (
            f"This is {fixed(100 * (base - now.rate), 1)} points below the baseline, without an alarm. Run the monitor:"
        )
        return next_card("warn", headline, under, command("fieldloop monitor"))
    against = "No baseline is known for comparison." if base is None else f"The baseline is {percent(base)}."
    return next_card("good" if base is not None else "run", f"{headline}, no alarm", against)


def _draw_rollout(climb: Rollout, names: Mapping[str, str]) -> Markup:
    def arm(policy: str | None, won: int, tried: int) -> str:
        return "none" if policy is None else f"{names.get(policy, shorten_ids(policy))}: {won} of {tried} succeeded"

    facts = [
        ("Candidate", arm(climb.candidate, climb.candidate_successes, climb.candidate_episodes)),
        ("Incumbent", arm(climb.incumbent, climb.incumbent_successes, climb.incumbent_episodes)),
        ("Since", format_time(climb.since_ns)),
        ("Why", sentence(climb.reason)),
    ]
    back = (
        None
        if climb.rung is Rung.BACK
        else action(
            "Roll back",
            "/api/rollout/back",
            {"reason": "rolled back by hand on the floor page"},
            kind="danger",
            sure="Roll this policy back?",
        )
    )
    return panel("Rollout", ladder(climb), tag("div", key_value(facts), style="padding-top:12px"), right=back)


def _alarms(alarms: Sequence[Alarm]) -> Markup:
    if not alarms:
        return panel("Alarms", tag("p", "No alarm was raised.", class_="dim"), columns=4)
    items = [
        tag("li", shape("bad"), tag("span", f"{a.site}, {format_time(a.raised_ns)}"), tag("p", sentence(a.message)))
        for a in alarms
    ]
    return panel("Alarms", tag("ul", *items, class_="list"), columns=4)


def _by_site(seen: Sequence[Rate], names: Mapping[str, str]) -> Markup:
    rows = [
        (
            r.site,
            names.get(r.policy, shorten_ids(r.policy)),
            percent(r.rate),
            interval_bar(r.low, r.rate, r.high),
            percent_range(r.low, r.high),
            whole(r.episodes),
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


def _result(outcome: Outcome) -> Markup:
    if outcome.succeeded is None:
        return status(Status.CANNOT_TELL, "unknown")
    if outcome.succeeded:
        return status(Status.PASSED, "succeeded")
    return status(Status.FAILED, outcome.failure.value if outcome.failure else "failed")


def _outcomes(recent: Sequence[Outcome], names: Mapping[str, str]) -> Markup:
    failed = Counter(o.failure.value for o in recent if o.failure)
    rows = [
        (
            format_time(o.at_ns),
            _result(o),
            o.site,
            o.robot,
            names.get(o.policy, shorten_ids(o.policy)),
            levels_in_words(o.stratum, without=("site",)),
            f"{format_number(o.cycle_s, 3)} s",
            format_number(o.confidence, 2),
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
