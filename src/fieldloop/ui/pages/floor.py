"""The Floor page: success by site, the stage of the rollout, and the alarms."""

from collections import Counter
from collections.abc import Mapping, Sequence

from fieldloop.doors.written import convert_to_json
from fieldloop.loop.home.floor import show_floor
from fieldloop.loop.home.success import Success, list_policies_shown
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.marks import draw_level_mark, draw_status
from fieldloop.say.numbers import (
    format_count,
    format_fixed,
    format_number,
    format_plural,
    format_time,
    levels_in_words,
    percent,
    percent_range,
    shorten_ids,
)
from fieldloop.ui.components import (
    Column,
    draw_action_button,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_interval_bar,
    draw_key_values,
    draw_panel,
    draw_rollout_ladder,
    draw_table,
    make_script_element,
)
from fieldloop.ui.pages.tables_in import draw_outcomes_form, draw_unknown_results
from fieldloop.ui.visit import Drawn, Visit


def draw(visit: Visit) -> Drawn:
    """Draw the floor."""
    now = show_floor(visit.workspace)
    names, alarms, over_time = now.policies, now.alarms, now.success
    if not now.outcomes and not now.rollouts:
        nothing = draw_empty_state(
            "No robot reports yet",
            "Roll out a policy that passed its gate, or record a file of outcomes from robots.",
            draw_copyable_command("fieldloop monitor record FILE"),
        )
        record = draw_outcomes_form(tuple(names.values()), now.template)
        return Drawn(escape("Floor"), (nothing, record))
    parts: list[Markup] = [
        _draw_summary_card(alarms, over_time),
        *(_draw_rollout(climb, names) for climb in now.rollouts[:1]),
    ]
    if over_time.points:
        parts.append(
            draw_panel(
                "Success in production",
                make_script_element("success.js", {"first": convert_to_json(over_time)}, shown_seq=0),
                note=f"{list_policies_shown(over_time)}, all sites, 95 % interval",
                columns=8,
            )
        )
    parts += [_draw_alarms(alarms), _draw_rates_by_site(now.rates, names), *draw_unknown_results(now.unknown)]
    parts += [_draw_recent_outcomes(now.outcomes, names), draw_outcomes_form(tuple(names.values()), now.template)]
    return Drawn(escape("Floor"), tuple(parts))


def _draw_summary_card(alarms: Sequence[Alarm], success: Success) -> Markup:
    if alarms:
        last = alarms[0]
        return draw_answer_card(
            "bad", f"Alarm at {last.site}", write_sentence(last.message), draw_copyable_command("fieldloop diagnose")
        )
    if not success.points and success.rate_in_window is None:
        return draw_answer_card(
            "idle",
            "Too few outcomes to give a rate",
            "The success rate appears once robots have reported enough outcomes.",
        )
    now, base = success.rate_in_window, success.baseline
    if now is None or success.status is Status.CANNOT_TELL:
        why = " ".join(write_sentence(reason) for reason in success.reasons)
        return draw_answer_card(
            "warn", "Cannot tell how production performs", why, draw_copyable_command("fieldloop monitor record FILE")
        )
    days = f"succeeded in {format_number(success.window_days, 6)} days"
    headline = f"{success.policy}: {percent(now.rate)} of {format_plural(now.episodes, 'episode')} {days}"
    if base is not None and success.alarm is not None and now.rate < success.alarm:
        under = (
            f"This is {format_fixed(100 * (base - now.rate), 1)} points below the baseline, without an alarm. Run "
            f"the monitor:"
        )
        return draw_answer_card("warn", headline, under, draw_copyable_command("fieldloop monitor"))
    against = "No baseline is known for comparison." if base is None else f"The baseline is {percent(base)}."
    return draw_answer_card("good" if base is not None else "run", f"{headline}, no alarm", against)


def _draw_rollout(rollout: Rollout, names: Mapping[str, str]) -> Markup:
    def write_arm_result(policy: str | None, successes: int, attempts: int) -> str:
        return (
            "none"
            if policy is None
            else f"{names.get(policy, shorten_ids(policy))}: {successes} of {attempts} succeeded"
        )

    facts = [
        ("Candidate", write_arm_result(rollout.candidate, rollout.candidate_successes, rollout.candidate_episodes)),
        ("Incumbent", write_arm_result(rollout.incumbent, rollout.incumbent_successes, rollout.incumbent_episodes)),
        ("Since", format_time(rollout.since_ns)),
        ("Why", write_sentence(rollout.reason)),
    ]
    back = (
        None
        if rollout.rung is Rung.BACK
        else draw_action_button(
            "Roll back",
            "/api/rollout/back",
            {"reason": "rolled back by hand on the floor page"},
            kind="danger",
            confirm_text="Roll this policy back?",
        )
    )
    return draw_panel(
        "Rollout",
        draw_rollout_ladder(rollout),
        tag("div", draw_key_values(facts), style="padding-top:12px"),
        right=back,
    )


def _draw_alarms(alarms: Sequence[Alarm]) -> Markup:
    if not alarms:
        return draw_panel("Alarms", tag("p", "No alarm was raised.", class_="dim"), columns=4)
    items = [
        tag(
            "li",
            draw_level_mark("bad"),
            tag("span", f"{a.site}, {format_time(a.raised_ns)}"),
            tag("p", write_sentence(a.message)),
        )
        for a in alarms
    ]
    return draw_panel("Alarms", tag("ul", *items, class_="list"), columns=4)


def _draw_rates_by_site(site_rates: Sequence[Rate], names: Mapping[str, str]) -> Markup:
    rows = [
        (
            r.site,
            names.get(r.policy, shorten_ids(r.policy)),
            percent(r.rate),
            draw_interval_bar(r.low, r.rate, r.high),
            percent_range(r.low, r.high),
            format_count(r.episodes),
        )
        for r in sorted(site_rates, key=lambda r: r.rate)
    ]
    columns = (
        "Site",
        "Policy",
        Column("Success", "num"),
        Column("", "slim"),
        "95 % interval",
        Column("Episodes", "num"),
    )
    span = f", {format_time(site_rates[0].start_ns)} to {format_time(site_rates[0].end_ns)}" if site_rates else ""
    return draw_panel("By site and policy", draw_table(columns, rows), note=f"lowest first{span}", flush=True)


def _draw_outcome_result(outcome: Outcome) -> Markup:
    if outcome.succeeded is None:
        return draw_status(Status.CANNOT_TELL, "unknown")
    if outcome.succeeded:
        return draw_status(Status.PASSED, "succeeded")
    return draw_status(Status.FAILED, outcome.failure.value if outcome.failure else "failed")


def _draw_keep_button(outcome: Outcome) -> Markup:
    """Draw the button that keeps a failure as a scenario of every later gate."""
    sure = "Every later gate will try this. Keep it?"
    return draw_action_button("Keep as scenario", "/api/gate/keep", {"outcome": outcome.id}, confirm_text=sure)


def _draw_recent_outcomes(recent_outcomes: Sequence[Outcome], names: Mapping[str, str]) -> Markup:
    failed = Counter(o.failure.value for o in recent_outcomes if o.failure)
    rows = [
        (
            format_time(o.at_ns),
            _draw_outcome_result(o),
            o.site,
            o.robot,
            names.get(o.policy, shorten_ids(o.policy)),
            levels_in_words(o.stratum, without=("site",)),
            f"{format_number(o.cycle_s, 3)} s" if o.cycle_s is not None else "–",
            format_number(o.confidence, 2),
            o.judged_by,
            _draw_keep_button(o) if o.succeeded is False else "",
        )
        for o in recent_outcomes
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
        "Later gates",
    )
    note = "newest first" + "".join(f", {count} {name}" for name, count in failed.most_common())
    return draw_panel("Last outcomes", draw_table(columns, rows), note=note, flush=True)
