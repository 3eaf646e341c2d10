"""The contract of every store, for authors of one: `check_store(open_new)` runs each law on a new, empty store.

`check_shelf` (in `testing.shelf`) does the same for shelves.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.annotation import Annotation
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Blob, Episode, Log, Session
from fieldloop.model.event import (
    EVENTS,
    CalibrationAttached,
    EpisodeAnnotated,
    EpisodeJudged,
    EpisodesMeasured,
    Event,
    LogIngested,
    OutcomeRecorded,
    RolloutMoved,
    SessionClosed,
    SessionOpened,
    WorkspaceCreated,
)
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.incident import Incident, Step, StepDone
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.response_event import IncidentMoved, IncidentOpened
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.store import Store
from fieldloop.store.tables import NOUN_TABLES
from fieldloop.testing.refusal import assert_refused
from fieldloop.testing.samples import make_sample_noun
from fieldloop.testing.shelf import SHELF_LAWS, check_shelf
from fieldloop.testing.store_views import VIEW_LAWS

__all__ = ["JOB_LAWS", "SHELF_LAWS", "STORE_LAWS", "VIEW_LAWS", "check_shelf", "check_store", "read_store_contents"]

HOUR_NS = 3_600_000_000_000


def check_store(open_new: Callable[[], Store]) -> None:
    """Run every law against a store; each law gets a new one."""
    for law in (*STORE_LAWS, *VIEW_LAWS, *JOB_LAWS):
        store = open_new()
        try:
            law(store)
        finally:
            store.close()


def read_store_contents(store: Store) -> dict[str, Any]:
    """Return all readable content of a store, to compare two stores."""
    nouns_by_kind: dict[str, Any] = {kind.__name__: store.find(kind) for kind in NOUN_TABLES}
    nouns_by_kind["rates"] = [store.compute_success_rates(-(2**62), 2**62, stage) for stage in Stage]
    nouns_by_kind["statuses"] = [store.count(Episode, {"status": status}) for status in (None, *Status)]
    nouns_by_kind["strata"] = [set(store.views.count_by_stratum(stage)) for stage in Stage]
    nouns_by_kind["labelled"] = [set(store.views.count_episodes({"status": status})) for status in (None, *Status)]
    nouns_by_kind["ledger"] = store.read_tail(limit=2**31)
    return nouns_by_kind


def make_event_of_each_kind(number: int = 0) -> list[Event]:
    """Return one event of every kind, in loop order."""
    return [make_sample_noun(kind, number) for kind in EVENTS.values()]


def new_store_is_empty(store: Store) -> None:
    """A new store is empty."""
    assert (store.get_last_seq(), store.read_tail(), store.list_blobs()) == (0, [], set())
    assert all(store.find(kind) == [] and store.count(kind) == 0 for kind in NOUN_TABLES)
    assert store.compute_success_rates(0, 2**62) == []
    assert store.append([], actor="a", at_ns=1) == 0


def events_are_read_back_unchanged(store: Store) -> None:
    """The ledger keeps order, time, actor, cause and every field."""
    first, second = make_event_of_each_kind(0), make_event_of_each_kind(1)
    assert store.append(first, actor="ana", at_ns=5) == len(first)
    assert store.append(second, actor="ben", at_ns=7, caused_by=3) == len(first) + len(second) == store.get_last_seq()
    back = store.read_tail()
    assert [r.event for r in back] == first + second
    assert [r.seq for r in back] == list(range(1, store.get_last_seq() + 1))
    assert {(r.actor, r.at_ns, r.caused_by) for r in back} == {("ana", 5, None), ("ben", 7, 3)}
    for name, kind in EVENTS.items():
        assert [type(r.event).__name__ for r in store.events(kind)] == [name, name]
    assert [r.seq for r in store.events(WorkspaceCreated, after=1)] == [len(first) + 1]
    store.append([WorkspaceCreated("named-%_'", "1")], actor="a", at_ns=9)
    found = [list(store.events(WorkspaceCreated, naming=text)) for text in ("named-%_'", "named-x")]
    assert [len(one) for one in found] == [1, 0]


def tail_pages_skip_no_event(store: Store) -> None:
    """Pages of any size give the whole ledger."""
    store.append(make_event_of_each_kind(), actor="a", at_ns=1)
    for limit in (1, 7):
        after, seen = 0, []
        while page := store.read_tail(after, limit):
            assert len(page) <= limit
            seen += [r.seq for r in page]
            after = seen[-1]
        assert seen == list(range(1, store.get_last_seq() + 1))


def appends_are_atomic(store: Store) -> None:
    """A bad event in a batch, or an unknown cause, leaves the store unchanged."""
    good = make_sample_noun(WorkspaceCreated)
    store.append([good], actor="a", at_ns=1)
    before = read_store_contents(store)
    bad: Any = "not an event"
    too_large = OutcomeRecorded(replace(make_sample_noun(Outcome), at_ns=2**70))
    cases: list[tuple[list[Event], int | None]] = [
        ([good, bad], None),
        ([good, too_large], None),
        ([too_large], None),
        ([good], 2),
        ([good], 0),
    ]
    for events, cause in cases:
        assert_refused(BadInput, "", functools.partial(store.append, events, actor="a", at_ns=1, caused_by=cause))
        assert read_store_contents(store) == before


def nouns_are_found_by_their_columns(store: Store) -> None:
    """Filters: equality, NULL, any of several, a range; either order; an error for unknown columns."""
    outcomes = [replace(make_sample_noun(Outcome, n), site="hall" if n % 2 else "yard") for n in range(6)]
    store.append([OutcomeRecorded(o) for o in outcomes], actor="a", at_ns=1)
    store.append(
        [SessionOpened(replace(make_sample_noun(Session, n), closed_ns=None)) for n in range(3)], actor="a", at_ns=1
    )
    assert store.find(Outcome) == outcomes
    assert store.find(Outcome, newest=True, limit=2) == [outcomes[5], outcomes[4]]
    assert store.find(Outcome, {"site": "hall"}) == outcomes[1::2]
    assert store.find(Outcome, {"id": [outcomes[4].id, outcomes[1].id]}) == [outcomes[1], outcomes[4]]
    assert store.find(Outcome, {"at_ns": range(outcomes[2].at_ns, outcomes[4].at_ns)}) == outcomes[2:4]
    assert store.find(Outcome, {"succeeded": True, "stage": {*Stage}}) == [o for o in outcomes if o.succeeded]
    assert store.find(Outcome, {"succeeded": None}) == [o for o in outcomes if o.succeeded is None] != []
    assert store.find(Outcome, {"at_ns": (outcomes[3].at_ns,), "succeeded": [True, False]}) == [outcomes[3]]
    assert store.find(Outcome, {"stratum": outcomes[3].stratum}) == [outcomes[3]]
    assert store.find(Outcome, {"failure": None}) == [o for o in outcomes if o.failure is None]
    assert store.count(Session, {"closed_ns": None}) == 3  # noqa: PLR2004 - those opened above
    assert store.find(Session, {"id": []}) == []
    assert_refused(UnknownName, "'site'", lambda: store.find(Session, {"sight": "x"}))
    assert_refused(BadInput, "not stored in a table", lambda: store.find(Blob))


def nouns_are_got_by_unique_prefix(store: Store) -> None:
    """Ids may be shortened; an ambiguous or unknown one is reported, with a suggestion."""
    ids = ("abc1", "abc12", "abd3")
    store.append([IncidentOpened(replace(make_sample_noun(Incident), id=i)) for i in ids], actor="a", at_ns=1)
    assert store.get(Incident, "abd").id == "abd3"
    assert store.get(Incident, "abc1").id == "abc1"
    assert_refused(BadInput, "more than one incident", lambda: store.get(Incident, "ab"))
    assert_refused(UnknownName, "Did you mean", lambda: store.get(Incident, "bbd3"))
    assert_refused(UnknownName, "No incident", lambda: store.get(Incident, ""))
    assert_refused(BadInput, "no id of its own", lambda: store.get(Annotation, "x"))


def a_new_calibration_ends_the_earlier_one(store: Store) -> None:
    """At most one calibration per robot, sensor and kind is valid at a time, in whatever order they arrive."""
    at = {"c1": 100, "c3": 300, "c2": 200, "c2b": 200}
    base = replace(make_sample_noun(Calibration), valid_to_ns=None)
    for name, begin in at.items():
        new = replace(base, id=name, valid_from_ns=begin)
        store.append([CalibrationAttached(new)], actor="a", at_ns=1)
    other = replace(base, id="other", sensor="another", valid_from_ns=150)
    store.append([CalibrationAttached(other)], actor="a", at_ns=1)
    ends = {c.id: c.valid_to_ns for c in store.find(Calibration)}
    assert ends == {"c1": 200, "c3": None, "c2": 200, "c2b": 300, "other": None}
    assert [c.id for c in store.find(Calibration, {"valid_to_ns": None})] == ["c3", "other"]


def a_calibration_that_does_not_pass_ends_none_that_does(store: Store) -> None:
    """A failed attempt leaves the good calibration in force, whichever of them arrived first."""
    good = replace(make_sample_noun(Calibration), valid_to_ns=None, status=Status.PASSED)
    bad = replace(good, status=Status.FAILED)
    for sensor, order in (("a", (0, 1, 2, 3)), ("b", (3, 1, 0, 2)), ("c", (2, 3, 1, 0))):
        made = [(bad, 50), (good, 100), (bad, 200), (good, 300)]
        for n in order:
            base, begin = made[n]
            new = replace(base, id=f"{sensor}{n}", sensor=sensor, valid_from_ns=begin)
            store.append([CalibrationAttached(new)], actor="a", at_ns=1)
        ends = {c.id[1:]: c.valid_to_ns for c in store.find(Calibration, {"sensor": sensor})}
        assert ends == {"0": 100, "1": 300, "2": 200, "3": None}


def an_author_replaces_own_annotations(store: Store) -> None:
    """Annotations of one episode, kind and author are those of the last event, in its order."""

    def make_annotated_event(author: str, *labels: str) -> EpisodeAnnotated:
        base = replace(make_sample_noun(Annotation), episode="e", kind="phase", author=author)
        return EpisodeAnnotated("e", "phase", author, tuple(replace(base, label=label) for label in labels))

    store.append(
        [make_annotated_event("ana", "lift", "place", "lift"), make_annotated_event("ben", "grasp")], actor="a", at_ns=1
    )
    store.append([make_annotated_event("ana", "place", "lift")], actor="a", at_ns=1)
    assert [a.label for a in store.find(Annotation, {"author": "ana"})] == ["place", "lift"]
    assert [a.label for a in store.find(Annotation, {"episode": "e"})] == ["grasp", "place", "lift"]
    store.append([make_annotated_event("ana")], actor="a", at_ns=1)
    assert [a.author for a in store.find(Annotation)] == ["ben"]


def an_episode_knows_its_log_and_its_last_judgement(store: Store) -> None:
    """Judging sets the status; each protocol has one report; ingesting the same log again loses nothing."""
    log = replace(make_sample_noun(Log), episodes=("e1", "e2"))
    episodes = tuple(replace(make_sample_noun(Episode, n), id=f"e{n + 1}") for n in range(2))
    ingested = LogIngested(log, episodes)
    store.append([ingested], actor="a", at_ns=1)
    assert store.count(Episode, {"status": None, "log": log.blob.sha256}) == len(episodes)
    report = replace(make_sample_noun(EpisodeReport), episode="e1", status=Status.FAILED)
    store.append(
        [EpisodeJudged("p1", report), EpisodeJudged("p2", replace(report, status=Status.PASSED))], actor="a", at_ns=1
    )
    store.append([ingested], actor="a", at_ns=1)
    assert store.find(Episode, {"status": Status.PASSED}) == [episodes[0]]
    assert store.find(Episode, {"log": log.blob}) == list(episodes)
    assert [r.status for r in store.find(EpisodeReport, {"episode": "e1"})] == [Status.FAILED, Status.PASSED]
    assert store.get(Log, log.blob.sha256) == log


def measurements_are_found_by_episode(store: Store) -> None:
    """An episode's measurement blobs are listed, newest last; the sweep keeps them all."""
    blobs = [Blob(f"{n:064x}", 10) for n in (1, 2)]
    events = [EpisodesMeasured(("e1", "e2"), blobs[0], 9), EpisodesMeasured(("e2",), blobs[1], 4)]
    store.append(events, actor="a", at_ns=1)
    assert [(m.blob, m.rows) for m in store.find(EpisodesMeasured, {"episode": "e2"})] == [(blobs[0], 9), (blobs[1], 4)]
    assert store.find(EpisodesMeasured, {"episode": "e1"}) == [EpisodesMeasured(("e1",), blobs[0], 9)]
    assert store.list_blobs() == {blob.sha256 for blob in blobs}


def latest_state_is_kept(store: Store) -> None:
    """A rollout, an incident and a session have one row each after any number of events."""
    rollout, incident = make_sample_noun(Rollout), replace(make_sample_noun(Incident), steps=())
    session = replace(make_sample_noun(Session), closed_ns=None)
    store.append([RolloutMoved(rollout), IncidentOpened(incident), SessionOpened(session)], actor="a", at_ns=1)
    moved = replace(incident, steps=(StepDone(Step.CONTAINED, 9, "ana", "stopped"),))
    higher = replace(rollout, rung=Rung.HALF)
    store.append([RolloutMoved(higher), IncidentMoved(moved)], actor="a", at_ns=2)
    store.append([SessionClosed(session.id, 77), SessionClosed("unknown", 1)], actor="a", at_ns=2)
    assert store.find(Rollout) == store.find(Rollout, {"rung": Rung.HALF}) == [higher]
    assert store.find(Incident) == store.find(Incident, {"step": Step.CONTAINED}) == [moved]
    assert store.find(Session) == store.find(Session, {"closed_ns": 77}) == [replace(session, closed_ns=77)]


def success_is_exact_to_the_nanosecond(store: Store) -> None:
    """Rates count [start, end), also where hours are cut; an outcome judged again counts once, as judged last."""
    base = replace(make_sample_noun(Outcome), stage=Stage.PRODUCTION, policy="p", site="s", attempt="")
    times = (0, 1, HOUR_NS - 1, HOUR_NS, HOUR_NS + 1, 3 * HOUR_NS - 1, 3 * HOUR_NS, -1)
    outcomes = [replace(base, id=f"o{n}", at_ns=at, succeeded=n % 3 != 0) for n, at in enumerate(times)]
    store.append([OutcomeRecorded(o) for o in outcomes], actor="a", at_ns=1)
    store.append([OutcomeRecorded(replace(base, id="lab", stage=Stage.LAB))], actor="a", at_ns=1)
    again = [replace(o, succeeded=True, at_ns=o.at_ns + 1) for o in outcomes[:2]]
    store.append([*map(OutcomeRecorded, again), OutcomeRecorded(replace(again[0], at_ns=2))], actor="a", at_ns=1)
    outcomes[:2] = [replace(again[0], at_ns=2), again[1]]
    assert sorted(store.find(Outcome, {"stage": Stage.PRODUCTION}), key=lambda o: o.id) == outcomes
    edges = sorted({at + shift for at in times for shift in (0, 1)})
    for start, end in itertools.product(edges, edges):
        inside = [o for o in outcomes if start <= o.at_ns < end]
        expected = [("p", "s", sum(o.succeeded is True for o in inside), len(inside))] if inside else []
        assert [
            (r.policy, r.site, r.successes, r.episodes) for r in store.compute_success_rates(start, end)
        ] == expected
    (rate,) = store.compute_success_rates(-1, 2**62)
    assert 0 <= rate.low <= rate.rate <= rate.high <= 1


def attempts_with_several_judges_count_once(store: Store) -> None:
    """Rates count attempts: a majority decides, a tie is not counted, and each robot has its own attempts."""
    base = replace(make_sample_noun(Outcome), stage=Stage.PRODUCTION, policy="p", site="s", robot="r", attempt="")
    judged = [("a", "r", True), ("a", "r", False), ("a", "r", False), ("b", "r", True), ("b", "r", False),
            ("a", "q", True), ("c", "r", True), ("", "r", True), ("", "r", False)]  # fmt: skip
    verdicts = [
        replace(base, id=f"v{n}", attempt=attempt, robot=robot, succeeded=won, at_ns=n * HOUR_NS // 2)
        for n, (attempt, robot, won) in enumerate(judged)
    ]
    other = replace(base, id="lab", stage=Stage.LAB, attempt="c", succeeded=False)
    store.append([*map(OutcomeRecorded, verdicts), OutcomeRecorded(other)], actor="a", at_ns=1)
    kept = settle_attempts(verdicts)[0]
    edges = sorted({o.at_ns + shift for o in verdicts for shift in (0, 1)})
    for start, end in itertools.product(edges, edges):
        inside = [o for o in kept if start <= o.at_ns < end]
        expected = [(sum(o.succeeded is True for o in inside), len(inside))] if inside else []
        assert [(r.successes, r.episodes) for r in store.compute_success_rates(start, end)] == expected


def tables_follow_from_the_ledger(store: Store) -> None:
    """Dropping every table and replaying the ledger changes no result."""
    for number in range(4):
        store.append(make_event_of_each_kind(number % 3), actor="a", at_ns=number)
    before = read_store_contents(store)
    store.rebuild_tables()
    assert read_store_contents(store) == before
    store.append(make_event_of_each_kind(5), actor="a", at_ns=9)
    assert store.get_last_seq() == 5 * len(EVENTS)


def jobs_are_unique_and_claimed_once(store: Store) -> None:
    """Jobs are unique by name and time, due ones first; an expired lease frees a job; late results are refused."""
    jobs = store.jobs
    assert jobs.schedule("sweep", 50, {"why": "nightly"})
    assert not jobs.schedule("sweep", 50)
    assert jobs.schedule("sweep", 40)
    assert jobs.claim("w", 39, 1.0) is None
    first, second = jobs.claim("ana", 60, 1e-9), jobs.claim("ben", 60, 10.0)
    assert first is not None
    assert second is not None
    assert (first.due_ns, second.due_ns, second.body) == (40, 50, {"why": "nightly"})
    assert jobs.claim("cleo", 60, 1.0) is None
    again = jobs.claim("cleo", 61, 10.0)
    assert again is not None
    assert (again.due_ns, again.attempt) == (40, 2)
    assert not jobs.mark_done(first, 62)
    assert not jobs.extend(first, 62, 1.0)
    assert jobs.mark_done(again, 62)
    assert not jobs.mark_done(again, 63)
    assert [j.due_ns for j in jobs.open()] == [50]


def failed_jobs_are_retried_or_ended(store: Store) -> None:
    """A retry waits for its time and keeps the reason; without a retry a job is over. A lease can be extended."""
    jobs = store.jobs
    jobs.schedule("train", 10)
    job = jobs.claim("w", 10, 1.0)
    assert job is not None
    assert jobs.fail(job, 11, "no disk", retry_ns=100)
    assert jobs.claim("w", 99, 1.0) is None
    job = jobs.claim("w", 100, 1e-9)
    assert job is not None
    assert (job.error, job.attempt) == ("no disk", 2)
    assert jobs.extend(job, 100, 1.0)
    assert jobs.claim("v", 200, 1.0) is None
    assert jobs.fail(job, 201, "gave up")
    assert jobs.claim("v", 2**62, 1.0) is None
    assert jobs.open() == []


STORE_LAWS: tuple[Callable[[Store], None], ...] = (
    new_store_is_empty,
    events_are_read_back_unchanged,
    tail_pages_skip_no_event,
    appends_are_atomic,
    nouns_are_found_by_their_columns,
    nouns_are_got_by_unique_prefix,
    a_new_calibration_ends_the_earlier_one,
    a_calibration_that_does_not_pass_ends_none_that_does,
    an_author_replaces_own_annotations,
    an_episode_knows_its_log_and_its_last_judgement,
    measurements_are_found_by_episode,
    latest_state_is_kept,
    success_is_exact_to_the_nanosecond,
    attempts_with_several_judges_count_once,
    tables_follow_from_the_ledger,
)
JOB_LAWS: tuple[Callable[[Store], None], ...] = (
    jobs_are_unique_and_claimed_once,
    failed_jobs_are_retried_or_ended,
)
