"""The contract of a store's bulk reads: each equals the result computed noun by noun, on random data."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from fieldloop.model.annotation import Annotation
from fieldloop.model.attempts import count_unknown_attempts, select_known_results, settle_attempts
from fieldloop.model.condition import Stratum
from fieldloop.model.days import get_local_day
from fieldloop.model.deployment import Audit, Deployment
from fieldloop.model.episode import Episode, Log, Session
from fieldloop.model.event import (
    EVENTS,
    EpisodeAnnotated,
    EpisodeJudged,
    LogIngested,
    OutcomeRecorded,
    PlanDrawn,
    SessionOpened,
)
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.plan import Plan
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.release import Release
from fieldloop.model.response_event import AlarmRaised
from fieldloop.store import Count, EpisodeFilter, EventSpan, Store
from fieldloop.testing.samples import make_sample_noun

HOUR_NS = 3_600_000_000_000
START_NS = 1_774_738_800_000_000_000
"""The evening before Berlin puts its clocks forward."""
ZONES = {"berlin": "Europe/Berlin", "pune": "Asia/Kolkata", "beirut": "Asia/Beirut"}
SITES = (*ZONES, "unmapped", "")


def record_random_outcomes(store: Store, seed: int, count: int = 120) -> list[Outcome]:
    """Record random outcomes, some corrected, some judged by several; return them as they stand, oldest first."""
    chance = random.Random(seed)
    base = make_sample_noun(Outcome)
    known: dict[str, Outcome] = {}
    for _ in range(count):
        outcome = replace(
            base,
            id=f"o{chance.randrange(count)}",
            policy=chance.choice("pq"),
            stratum=Stratum.of(lighting=chance.choice(("dim", "bright"))),
            stage=chance.choice((Stage.PRODUCTION, Stage.PRODUCTION, Stage.LAB, Stage.GATE)),
            site=chance.choice(SITES),
            robot=chance.choice(("r1", "r2")),
            at_ns=START_NS + chance.randrange(72) * HOUR_NS // 2 + chance.choice((-1, 0, 1, 12_345)),
            succeeded=chance.choice((True, True, False, None)),
            attempt=chance.choice(("", "", "a", "b", "c")),
            scenario=chance.choice(("", "base", "edge:wet")),
            item=chance.choice(("", "A7")),
        )
        known.pop(outcome.id, None)
        known[outcome.id] = outcome
        store.append([OutcomeRecorded(outcome)], actor="a", at_ns=1)
    return list(known.values())


def rates_of_many_spans_equal_single_reads(store: Store) -> None:
    """Rates of several spans in one read are those of each span alone; a policy can be picked out."""
    outcomes = record_random_outcomes(store, 1)
    chance = random.Random(2)
    times = [START_NS + chance.randrange(-2, 80) * HOUR_NS // 2 + chance.choice((-1, 0, 1, 777)) for _ in range(40)]
    spans = [(begin, begin + chance.randrange(-1, 50) * HOUR_NS + chance.choice((0, 3))) for begin in times]
    attempts = settle_attempts(o for o in outcomes if o.stage is Stage.PRODUCTION)[0]
    for (start, end), rates in zip(spans, store.views.compute_success_rates(spans), strict=True):
        inside = [o for o in attempts if start <= o.at_ns < end]
        won, tried = Counter[tuple[str, str]](), Counter((o.policy, o.site) for o in inside)
        won.update((o.policy, o.site) for o in inside if o.succeeded)
        expected = [(*place, won[place], tried[place], start, end) for place in sorted(tried)]
        assert [(r.policy, r.site, r.successes, r.episodes, r.start_ns, r.end_ns) for r in rates] == expected
        assert rates == store.compute_success_rates(start, end)
    only = store.views.compute_success_rates(spans, policy="q")
    assert only == [[r for r in rates if r.policy == "q"] for rates in store.views.compute_success_rates(spans)]
    assert store.views.compute_success_rates([]) == []


def days_are_local_to_their_site(store: Store) -> None:
    """A day ends at the site's own midnight, also where clocks change or are half an hour off."""
    outcomes = record_random_outcomes(store, 3)
    counts: dict[tuple[str, str, int], list[int]] = {}
    for one in settle_attempts(o for o in outcomes if o.stage is Stage.PRODUCTION)[0]:
        tally = counts.setdefault((one.policy, one.site, get_local_day(one.at_ns, ZONES.get(one.site, "UTC"))), [0, 0])
        tally[0] += bool(one.succeeded)
        tally[1] += 1
    found = store.views.count_by_day(ZONES)
    assert [((c.policy, c.site, c.day), [c.successes, c.episodes]) for c in found] == sorted(counts.items())


def conditions_and_trials_count_attempts_once(store: Store) -> None:
    """Attempts by conditions and article, and trials by scenario, equal counting the nouns."""
    outcomes = record_random_outcomes(store, 4)
    for policies in (None, ["q"], ["p", "q"], []):
        mine = [o for o in outcomes if policies is None or o.policy in policies]
        kept = settle_attempts(o for o in mine if o.stage is Stage.PRODUCTION)[0]
        tried = Counter((o.policy, o.site, o.stratum, o.item) for o in kept)
        won = Counter((o.policy, o.site, o.stratum, o.item) for o in kept if o.succeeded)
        found = store.views.count_by_stratum(policies=policies)
        assert {(c.policy, c.site, c.stratum, c.item): (c.successes, c.episodes) for c in found} == {
            key: (won[key], count) for key, count in tried.items()
        }
        stages, scenarios = (Stage.LAB, Stage.GATE), ("", "base")
        decided = select_known_results(mine)
        trials = {
            (policy, stage): [o for o in decided if (o.policy, o.stage) == (policy, stage) and o.scenario in scenarios]
            for policy in "pq"
            for stage in stages
        }
        counted = store.views.count_trials(stages, scenarios, policies)
        settled = {key: settle_attempts(shown)[0] for key, shown in trials.items()}
        assert {key: (c.verdicts, c.successes, c.attempts) for key, c in counted.items()} == {
            key: (len(shown), sum(o.succeeded is True for o in settled[key]), len(settled[key]))
            for key, shown in trials.items()
            if shown
        }


def unknown_results_are_counted_apart(store: Store) -> None:
    """Attempts without a known result, by policy and site, equal counting the nouns."""
    outcomes = [o for o in record_random_outcomes(store, 5) if o.stage is Stage.PRODUCTION]
    places = {(o.policy, o.site) for o in outcomes}
    by_place = {place: [o for o in outcomes if (o.policy, o.site) == place] for place in places}
    expected = {place: count for place, some in by_place.items() if (count := count_unknown_attempts(some))}
    assert store.views.count_unknown_results() == expected
    assert sum(expected.values()) > 0
    assert store.views.count_unknown_results(span_ns=(0, 1)) == {}


def bulk_newest_and_counts_equal_single_reads(store: Store) -> None:
    """The last noun of several kinds, and several counts, equal asking for each."""
    kinds = (Deployment, Audit, Plan, Release, Session)
    assert store.views.find_newest(*kinds) == {}
    assert store.views.count_rows() == []
    for number in range(3):
        store.append([make_sample_noun(kind, number) for kind in EVENTS.values()], actor="a", at_ns=1)
    assert store.views.find_newest(*kinds) == {kind: store.find(kind, newest=True, limit=1)[0] for kind in kinds}
    assert store.views.find_all(*kinds) == {kind: store.find(kind, newest=True) for kind in kinds}
    store.append([SessionOpened(replace(make_sample_noun(Session, 9), closed_ns=None))], actor="a", at_ns=1)
    spans = tuple(replace(make_sample_noun(Annotation), episode="e", label="lift", author=a) for a in ("ana", "ana"))
    store.append([EpisodeAnnotated("e", "phase", "ana", spans)], actor="a", at_ns=1)
    assert store.views.count_rows(
        Count(Session), Count(Session, {"closed_ns": None}), Count(Annotation, {"label": "lift"}),
        Count(Annotation, {"label": "lift"}, "episode"),
    ) == [store.count(Session), store.count(Session, {"closed_ns": None}), 2, 1]  # fmt: skip
    assert store.views.list_distinct(Annotation, ("episode", "author"), {"label": "lift"}) == {("e", "ana")}
    assert store.views.list_distinct(Annotation, ("episode",), {"label": "none"}) == set()
    plan = make_sample_noun(Plan, 77)
    assert store.views.get_last_stating_seq(Plan, plan.id) is None
    assert store.views.get_last_stating_seq(Plan, plan.id) != store.append([PlanDrawn(plan)], actor="a", at_ns=1)
    assert store.views.get_last_stating_seq(Plan, plan.id) == store.get_last_seq()
    assert AlarmRaised.__name__ in EVENTS


def episodes_are_listed_by_any_label(store: Store) -> None:
    """Status, text and labels filter; newest first; counts cover all; conditions precede fields and facts."""
    chance = random.Random(5)
    episodes = [
        replace(
            make_sample_noun(Episode, number),
            id=f"e{number}",
            name=f"Lift {number}\nagain",
            site=chance.choice(("", "lab", "gdansk")),
            stratum=Stratum.of({"site": chance.choice(("gdansk", "leipzig"))} if number % 2 else {"tier": "high"}),
            succeeded=chance.choice((True, False, None)),
            facts=(("sku", chance.choice(("A7", "b_7", "Ärmel"))), ("site", "hall"), ("empty", "")),
        )
        for number in range(40)
    ]
    for episode in episodes:
        store.append(
            [LogIngested(replace(make_sample_noun(Log), episodes=(episode.id,)), (episode,))], actor="a", at_ns=1
        )
    status: dict[str, Status | None] = {episode.id: chance.choice((None, *Status)) for episode in episodes}
    report = make_sample_noun(EpisodeReport)
    given = [EpisodeJudged("p1", replace(report, episode=i, status=s)) for i, s in status.items() if s]
    store.append(given, actor="a", at_ns=1)
    asked = [
        EpisodeFilter(), EpisodeFilter("failed"), EpisodeFilter(text="LIFT 1"), EpisodeFilter(text="ärm"),
        EpisodeFilter(text="b%7"), EpisodeFilter(text="_"), EpisodeFilter(labels={"site": "gdansk"}),
        EpisodeFilter(labels={"site": "hall"}), EpisodeFilter("passed", "tier", {"sku": "A7"}),
        EpisodeFilter(labels={"sku": "A"}), EpisodeFilter(labels={"tier": "high", "empty": ""}),
    ]  # fmt: skip
    for wanted in asked:
        matching = [episode for episode in reversed(episodes) if _matches_filter(episode, status[episode.id], wanted)]
        found = store.views.find_episodes(wanted, 7)
        assert found.episodes == tuple((episode, status[episode.id]) for episode in matching[:7])
        assert (found.matching, found.by_status) == (len(matching), Counter(status.values()))
    assert store.views.list_judged_episodes({}) == [(episode, status[episode.id]) for episode in episodes]
    assert store.views.list_judged_episodes({"seq": range(5, 2**62)}) == [
        (episode, status[episode.id]) for episode in episodes[4:]
    ]
    passed = [episode for episode in episodes if status[episode.id] is Status.PASSED]
    counted = store.views.count_episodes({"status": Status.PASSED})
    by_conditions = Counter((episode.site, episode.stratum, episode.handled, episode.succeeded) for episode in passed)
    assert {(c.site, c.stratum, c.handled, c.succeeded): c.episodes for c in counted} == by_conditions


def last_report_holds_counting_findings(store: Store) -> None:
    """Of several reports on an episode the last is returned, without the findings that do not count."""
    report = make_sample_noun(EpisodeReport)
    findings = tuple(
        replace(report.findings[0], status=status, required=required) for status in Status for required in (True, False)
    )
    first, second = (replace(report, episode="e1", name=name, findings=findings) for name in ("first", "second"))
    store.append([EpisodeJudged("p1", first), EpisodeJudged("p2", second)], actor="a", at_ns=1)
    counting = tuple(f for f in findings if f.counts)
    assert store.views.get_last_reports(["e1", "unknown"]) == {"e1": replace(second, findings=counting)}
    assert store.views.get_last_reports([]) == {}


def _matches_filter(episode: Episode, status: Status | None, episode_filter: EpisodeFilter) -> bool:
    words = [episode.id, episode.name, episode.site, episode.robot, episode.operator, str(episode.stratum)]
    words += [value for _, value in episode.facts]
    return (
        episode_filter.status in ("", status)
        and any(episode_filter.text.lower() in word.lower() for word in words)
        and all(
            (episode.stratum.level(name) or getattr(episode, name, None) or episode.get_fact(name)) == value
            for name, value in episode_filter.labels.items()
            if value
        )
    )


def outcomes_are_read_by_their_own_time(store: Store) -> None:
    """The span of each policy and the last outcomes follow the times of attempts, not the order of recording."""
    every = record_random_outcomes(store, 17)
    known = [o for o in every if o.stage is Stage.PRODUCTION and o.succeeded is not None]
    for since_ns in (None, START_NS, START_NS + 30 * HOUR_NS, START_NS + 99 * HOUR_NS):
        inside = [o for o in known if since_ns is None or o.at_ns >= since_ns - since_ns % HOUR_NS]
        times = {policy: [o.at_ns for o in inside if o.policy == policy] for policy in {o.policy for o in inside}}
        expected = {policy: (min(found), max(found)) for policy, found in times.items()}
        assert store.views.find_reported_spans(since_ns) == expected
    for policy in (None, "p"):
        mine = [o for o in every if policy in (None, o.policy)]
        listed = store.views.list_last_outcomes(tuple(Stage), policy, 30)
        assert [o.at_ns for o in listed] == sorted((o.at_ns for o in mine), reverse=True)[:30]
        assert {o.id for o in listed} <= {o.id for o in mine}


def events_are_counted_back_to_a_time(store: Store) -> None:
    """A count of events goes back from a sequence number to the events recorded before a time."""
    outcome, plan = make_sample_noun(Outcome), make_sample_noun(Plan)
    for at_ns in range(10):
        store.append([PlanDrawn(plan), OutcomeRecorded(replace(outcome, id=f"e{at_ns}"))], actor="a", at_ns=at_ns)
    asked = [EventSpan(OutcomeRecorded, 20, 0), EventSpan(OutcomeRecorded, 20, 7), EventSpan(PlanDrawn, 11, 5)]
    assert store.views.count_events(asked) == [10, 3, 1]
    assert store.views.count_events([]) == []


VIEW_LAWS: tuple[Callable[[Store], None], ...] = (
    rates_of_many_spans_equal_single_reads,
    days_are_local_to_their_site,
    conditions_and_trials_count_attempts_once,
    unknown_results_are_counted_apart,
    bulk_newest_and_counts_equal_single_reads,
    episodes_are_listed_by_any_label,
    last_report_holds_counting_findings,
    outcomes_are_read_by_their_own_time,
    events_are_counted_back_to_a_time,
)
