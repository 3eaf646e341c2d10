"""Three annotators: dealt work, leases, qualification, independence, decisions and spot checks; all is rebuilt."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loop.labelled import NOW_NS, S, acting, annotated_workspace, segments

from fieldloop.annotate import ANYONE, choose_labels, count_doubles, deal_episodes, draw_doubles, find_edge_cases
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate import adjudicate, deal, labels, qualify, save, spot_check, tasks
from fieldloop.loop.home.episode import show_episode
from fieldloop.loop.house.tokens import issue_token
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.finding import Status
from fieldloop.model.labelling import (
    Adjudication,
    CalibrationSet,
    LabelTask,
    Qualification,
    SavedLabels,
    SpotCheck,
    TaskReason,
    TaskState,
)
from fieldloop.model.person import Duty, Role
from fieldloop.model.taxonomy import PHASES

FRAME_S = 1 / 30
SET = tuple(f"e{n}" for n in range(5))


def phases(late_frames=0.0, *, swapped=False):
    """Eight phases of a second each; someone late draws every boundary inside the episode so many frames later."""
    names = list(PHASES)
    if swapped:
        names[5], names[6] = names[6], names[5]
    edges = [n if n in (0, len(PHASES)) else n + late_frames * FRAME_S for n in range(len(PHASES) + 1)]
    return segments(*zip(names, edges, edges[1:], strict=False))


def submit(workspace, name, text, **more):
    stands = save.find_newest_revision(workspace, more.pop("id", ""), "phase", workspace.actor.id)
    return save.save_labels(workspace, name, segments_text=text, submit=True, revision=stands.revision if stands else 0)


def work(workspace, person, text, *, until=None):
    """Take and hand in tasks until none is left, or until one of another reason comes."""
    me, done = acting(workspace, person), []
    while (taken := tasks.take_next_task(me)).task is not None and (until is None or taken.task.reason is until):
        submit(me, taken.episode, text(taken.episode) if callable(text) else text, id=taken.task.episode)
        done.append(taken.episode)
    return done


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=25, edge=(22, 23)) as opened:
        for name in SET:
            submit(opened, name, phases())
        qualify.choose_calibration_set(opened, SET)
        yield opened


def test_three_annotators_qualify_label_twice_and_the_lead_decides(here):
    dealt = deal.deal_tasks(here, tuple(f"e{n}" for n in range(5, 25)), annotator=("anna", "ben", "carl"))
    assert (dealt.episodes, dealt.twice, len(dealt.tasks)) == (20, 2, 22)
    assert sorted(count for _, count in dealt.by_annotator) == [7, 7, 8]

    # carl is five frames late and does not qualify; the others do
    assert work(here, "anna", phases(), until=TaskReason.CALIBRATION) == list(SET)
    assert work(here, "ben", phases(1), until=TaskReason.CALIBRATION) == list(SET)
    work(here, "carl", phases(5))
    verdicts = {q.annotator: q for q in qualify.qualify_annotator(here).qualifications}
    assert {name: q.status for name, q in verdicts.items()} == {
        "anna": Status.PASSED, "ben": Status.PASSED, "carl": Status.FAILED
    }  # fmt: skip
    assert verdicts["carl"].boundary_frames == pytest.approx(5 * 7 / 9)  # two of nine boundaries are the episode's ends
    assert [verdicts[name].later_frames for name in ("anna", "ben", "carl")] == pytest.approx([0, 1, 5])
    assert None not in (verdicts["carl"].min_kappa, verdicts["carl"].max_boundary_frames)
    assert tasks.take_next_task(acting(here, "carl")).reason.code == "annotate.failed_qualification"
    with pytest.raises(Refused, match="Only a lead annotator or an engineer"):
        qualify.qualify_annotator(acting(here, "carl"), ("carl",))
    assert [q.annotator for q in qualify.qualify_annotator(acting(here, "ben")).qualifications] == ["ben"]
    qualify.qualify_annotator(here, ("carl",))
    work(here, "carl", phases(), until=TaskReason.CALIBRATION)

    # all label; ben swaps two labels: only the pairs that he has a half of are disputed
    for person, text in (("anna", phases()), ("ben", phases(swapped=True)), ("carl", phases(1))):
        work(here, person, text)
    assert {t.reason for t in here.store.find(LabelTask) if t.state is not TaskState.DONE} <= {TaskReason.ADJUDICATE}
    pairs = {}
    for task in here.store.find(LabelTask, {"reason": TaskReason.DOUBLE}):
        pairs.setdefault(task.episode, set()).add(task.taken_by)
    assert all(len(people) == 2 for people in pairs.values())
    disputed = {t.episode for t in here.store.find(LabelTask, {"reason": TaskReason.ADJUDICATE})}
    assert disputed == {episode for episode, people in pairs.items() if "ben" in people}
    assert disputed

    # the lead decides by taking anna's or carl's labels; from then on these count
    lead = acting(here, "lea", Role.ANNOTATOR, Duty.LEAD_ANNOTATOR)
    for episode in sorted(disputed):
        other = next(iter(pairs[episode] - {"ben"}))
        decided = adjudicate.adjudicate_labels(lead, episode, take=other, comment="ben swapped place and release")
        assert (decided.decided_by, decided.taken, decided.closed) == ("lea", other, 1)
        counted = choose_labels(here.store.find(Annotation, {"episode": episode}))
        assert {(s.author, s.verified_by) for s in counted} == {("adjudicated", "lea")}
        assert [s.label for s in counted] == list(PHASES)
    assert not [t for t in here.store.find(LabelTask) if t.state is not TaskState.DONE]

    nouns = (LabelTask, SavedLabels, Annotation, CalibrationSet, Qualification, SpotCheck, Adjudication)
    before = [here.store.find(noun) for noun in nouns]
    here.store.rebuild_tables()
    assert [here.store.find(noun) for noun in nouns] == before


def qualified(workspace, *people):
    for person in people:
        work(workspace, person, phases(), until=TaskReason.CALIBRATION)


def test_nothing_of_the_other_half_is_seen_before_the_own_is_handed_in(here):
    qualified(here, "anna", "ben")
    here.write(EpisodeAnnotated(episode_id(here, "e10"), "phase", "machine:signals",
                                (annotation(here, "e10", "machine:signals"),)))  # fmt: skip
    dealt = deal.deal_tasks(here, ("e10",), annotator=("anna", "ben"))
    assert dealt.twice == 1
    anna, ben = acting(here, "anna"), acting(here, "ben")
    tasks.take_next_task(ben)
    save.save_labels(ben, "e10", segments_text=phases())
    assert labels.show_episode_labels(anna, "e10").lanes == ()
    submit(ben, "e10", phases(), id=episode_id(here, "e10"))
    seen = labels.show_episode_labels(anna, "e10")
    assert (seen.lanes, seen.hidden) == ((), ("phase",))
    assert show_episode(anna, "e10").phases == ()
    assert labels.show_episode_labels(acting(here, "carl"), "e10").lanes == ()
    assert {lane.author for lane in labels.show_episode_labels(ben, "e10").lanes} == {"ben", "machine:signals"}
    with pytest.raises(Refused, match="kept as a draft"):  # a second thought could follow from anna's labels
        submit(ben, "e10", phases(1), id=episode_id(here, "e10"))
    tasks.take_next_task(anna)
    submit(anna, "e10", phases(), id=episode_id(here, "e10"))
    assert len(labels.show_episode_labels(anna, "e10").lanes) == 3
    # the labels of the calibration set stay hidden from those who are not qualified
    assert labels.show_episode_labels(acting(here, "dora"), "e0").lanes == ()


def episode_id(workspace, name):
    return labels.find_episode(workspace, name).id


def annotation(workspace, name, author, confidence=None):
    found = labels.find_episode(workspace, name)
    return Annotation(found.id, "phase", "approach", found.start_ns, found.start_ns + S, author, confidence=confidence)


def test_a_lease_ends_and_whoever_lost_the_task_keeps_the_draft(here):
    qualified(here, "anna", "ben")
    deal.deal_tasks(here, ("e10", "e11"))
    anna, ben = acting(here, "anna"), acting(here, "ben")
    taken = tasks.take_next_task(anna)
    assert tasks.take_next_task(anna).task.id == taken.task.id  # the same one again, not another
    save.save_labels(anna, taken.episode, segments_text=phases())
    here.clock.pass_days(1)
    (free, *_) = [t for t in tasks.list_annotation_tasks(here).tasks if t.id == taken.task.id]
    assert free.state is TaskState.OPEN
    stolen = tasks.take_next_task(ben, task=taken.task.id)
    assert stolen.task.taken_by == "ben"
    with pytest.raises(Refused, match=r"ben took this task.*kept as a draft"):
        submit(anna, taken.episode, phases(1), id=taken.task.episode)
    assert [r.submitted for r in labels.list_label_revisions(anna, taken.episode)] == [False, False]
    here.clock.pass_days(1)
    tasks.take_next_task(anna, task=taken.task.id)
    assert submit(anna, taken.episode, phases(1), id=taken.task.episode).submitted
    assert here.store.get(LabelTask, taken.task.id).state is TaskState.DONE
    with pytest.raises(Refused, match="This task is done"):
        tasks.take_next_task(ben, task=taken.task.id)


def test_a_lease_that_ended_untaken_and_a_save_under_it_still_count(here):
    qualified(here, "anna")
    deal.deal_tasks(here, ("e10",))
    anna = acting(here, "anna")
    taken = tasks.take_next_task(anna)
    here.clock.pass_days(3)
    save.save_labels(anna, "e10", segments_text=phases())  # renews it
    assert here.store.get(LabelTask, taken.task.id).lease_until_ns > here.clock()
    here.clock.pass_days(3)
    assert submit(anna, "e10", phases(), id=taken.task.episode).submitted
    assert here.store.get(LabelTask, taken.task.id).state is TaskState.DONE


def test_a_pair_that_anyone_takes_is_never_done_by_one_person(here):
    qualified(here, "anna", "ben")
    deal.deal_tasks(here, ("e10",))
    assert work(here, "anna", phases()) == ["e10"]
    assert tasks.take_next_task(acting(here, "anna")).reason.code == "annotate.no_task"
    other = next(t for t in here.store.find(LabelTask, {"reason": TaskReason.DOUBLE}) if not t.taken_by)
    with pytest.raises(Refused, match="must come from another person"):
        tasks.take_next_task(acting(here, "anna"), task=other.id)
    assert work(here, "ben", phases()) == ["e10"]


def test_a_confident_proposal_that_differs_goes_to_the_lead(here):
    qualified(here, "anna")
    here.write(*(
        EpisodeAnnotated(episode_id(here, name), "phase", "machine:signals",
                         (annotation(here, name, "machine:signals", confidence),))
        for name, confidence in (("e10", 0.95), ("e11", 0.5), ("e12", None))
    ))  # fmt: skip
    deal.deal_tasks(here, ("e20",), annotator=("ben", "carl"))  # twice, so that the next ones need not be
    assert deal.deal_tasks(here, ("e10", "e11", "e12"), annotator=("anna",)).twice == 0
    assert work(here, "anna", phases()) == ["e10", "e11", "e12"]
    (suspect,) = here.store.find(LabelTask, {"reason": TaskReason.SUSPECT})
    assert (suspect.episode, suspect.about) == (episode_id(here, "e10"), "anna")
    assert "annotate.low_kappa" in {why.code for why in suspect.because}
    assert tasks.take_next_task(here).task.id == suspect.id
    assert adjudicate.adjudicate_labels(here, "e10", take="anna").closed == 1


def test_a_spot_check_has_wrong_labels_made_again(here):
    qualified(here, "anna")
    deal.deal_tasks(here, ("e10", "e11"), annotator=("anna",))
    work(here, "anna", phases())
    drawn = spot_check.spot_check_labels(here).drawn
    assert [task.about for task in drawn] == ["anna"]
    assert spot_check.spot_check_labels(here).drawn == ()  # the share is reached
    name = next(name for name in ("e10", "e11") if episode_id(here, name) == drawn[0].episode)
    with pytest.raises(BadInput, match="State --verdict"):
        spot_check.spot_check_labels(here, name)
    with pytest.raises(Refused, match="Only a lead"):
        spot_check.spot_check_labels(acting(here, "anna"), name, verdict="good")
    save.save_labels(here, name, segments_text=phases(4), submit=True)
    found = spot_check.spot_check_labels(here, name, comment="boundaries come early")
    assert (found.check.good, found.check.apart_frames, found.waiting) == (False, pytest.approx(4), 0)
    again = tasks.take_next_task(acting(here, "anna"))
    assert (again.task.reason, again.episode) == (TaskReason.REPEAT, name)
    assert submit(acting(here, "anna"), name, phases(4), id=drawn[0].episode).submitted
    assert spot_check.spot_check_labels(here, name, annotator="anna").check.good


def test_only_a_lead_deals_decides_and_withdraws(here):
    anna = acting(here, "anna")
    for act in (
        lambda: deal.deal_tasks(anna),
        lambda: deal.withdraw_task(anna, "task"),
        lambda: qualify.choose_calibration_set(anna, SET),
        lambda: adjudicate.adjudicate_labels(anna, "e0", take="local"),
    ):
        with pytest.raises(Refused, match="Only a lead annotator or an engineer"):
            act()
    with pytest.raises(Refused, match="may not write labels of ben"):
        tasks.take_next_task(anna, annotator="ben")
    issue_token(here, "lea", role=Role.ANNOTATOR, duty=(Duty.LEAD_ANNOTATOR,))
    assert tasks.take_next_task(here, annotator="lea").reason.code == "annotate.no_task"  # a lead need not qualify


def test_what_cannot_be_dealt_or_decided_is_refused(here):
    with pytest.raises(UnknownName, match="kind of labels"):
        deal.deal_tasks(here, kind=("fase",))
    deal.deal_tasks(here, ("e10",), annotator=("anna",))
    with pytest.raises(Refused, match="e10: dealt already"):
        deal.deal_tasks(here, ("e10",))
    with pytest.raises(BadInput, match="at least 5 episodes"):
        qualify.choose_calibration_set(here, ("e0", "e0", "e1"))
    with pytest.raises(Refused, match="neither adjudicated nor labelled"):
        qualify.choose_calibration_set(here, (*SET[1:], "e20"))
    with pytest.raises(BadInput, match="State one of both"):
        adjudicate.adjudicate_labels(here, "e0")
    with pytest.raises(Refused, match="no phase labels to decide between"):
        adjudicate.adjudicate_labels(here, "e20", take="anna")
    with pytest.raises(UnknownName, match="author"):
        adjudicate.adjudicate_labels(here, "e0", take="zoe")
    with pytest.raises(BadInput, match="the end must be later"):
        adjudicate.adjudicate_labels(here, "e0", segments_text=segments(("grasp", 2, 1)))
    assert adjudicate.adjudicate_labels(here, "e0", segments_text=phases(1)).taken == ""


def test_without_a_calibration_set_annotators_get_no_task_and_the_lead_is_informed(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        dealt = deal.deal_tasks(opened, kind=())  # as the command line has it without --kind
        assert {task.kinds for task in dealt.tasks} == {("phase",)}
        assert [n.code for n in dealt.notes] == ["annotate.deal_without_calibration"]
        assert tasks.take_next_task(acting(opened, "anna")).reason.code == "annotate.no_calibration_set"
        assert tasks.take_next_task(opened).task is not None  # an engineer may
        opened.clock.pass_days(8)
        shown = tasks.list_annotation_tasks(opened)
        assert (shown.overdue, shown.open) == (4, 4)
        assert opened.clock() > NOW_NS


@given(st.integers(1, 60), st.floats(0.01, 1), st.integers(0, 40), st.integers(0, 40))
def test_at_least_the_share_is_doubled(new, share, dealt, doubled):
    doubled = min(doubled, dealt)
    more = count_doubles(new, share, dealt, doubled)
    assert 0 <= more <= new
    assert more == new or (doubled + more) >= share * (dealt + new) - 1e-6


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.sets(st.sampled_from("abcdefgh")),
       st.lists(st.sampled_from(("anna", "ben", "carl")), unique=True))  # fmt: skip
def test_hands_are_even_and_a_pair_is_two_people(episodes, doubled, people):
    hands = deal_episodes(episodes, doubled, people, {})
    assert [hand.episode for hand in hands] == episodes
    given_out = [person for hand in hands for person in hand.people]
    counts = [given_out.count(person) for person in people]
    assert not counts or max(counts) - min(counts) <= 1
    for hand in hands:
        assert len(hand.people) == (2 if hand.episode in doubled else 1)
        assert len(set(hand.people)) == len(hand.people) or set(hand.people) == {ANYONE}


def test_edge_cases_are_drawn_more_often_for_double_annotation():
    from tests.loop.labelled import episode

    from fieldloop.model.condition import Stratum

    made = [episode(n, stratum=Stratum.of({"lighting": "dim" if n < 10 else "bright"})) for n in range(100)]
    edge = find_edge_cases(made, 0.1)
    assert edge == {e.id for e in made[:10]}
    drawn = [draw_doubles([e.id for e in made], 10, edge, 3.0, str(salt)) for salt in range(200)]
    share = sum(len(one & edge) for one in drawn) / sum(len(one) for one in drawn)
    expected = 3 * 10 / (3 * 10 + 90)  # of the first draw; later draws find fewer of them left
    assert 0.8 * expected < share < expected
    assert all(len(one) == 10 for one in drawn)
    assert find_edge_cases(made[10:], 0.1) == frozenset()
    assert find_edge_cases([episode(n, succeeded=n > 0) for n in range(3)], 0.1) == {episode(0).id}
    assert not math.isnan(share)
