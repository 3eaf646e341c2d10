"""What two people do at the same moment is not lost, and labels are compared and count only once they may."""

from dataclasses import replace

import pytest
from tests.loop.labelled import acting, annotated_workspace, segments
from tests.loop.test_annotation_tasks import SET, episode_id, phases, qualified, submit, work

from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.loop.annotate import adjudicate, deal, labels, qualify, save, spot_check, submission, tasks
from fieldloop.loop.annotate.compare import annotators
from fieldloop.loop.annotate.exchange import import_labels
from fieldloop.loop.annotate.qualified import find_calibration_sets
from fieldloop.loop.annotate.revisions import find_newest_revision, find_revisions
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeRelabelled
from fieldloop.model.labelling import CalibrationSet, LabelTask, SavedLabels, SpotCheck, TaskReason, TaskState
from fieldloop.model.labelling_event import CalibrationSetChosen
from fieldloop.model.person import Duty, Role


@pytest.fixture
def plain(tmp_path):
    with annotated_workspace(tmp_path, episodes=7) as opened:
        yield opened


@pytest.fixture
def here(plain):
    for name in SET:
        submit(plain, name, phases())
    qualify.choose_calibration_set(plain, SET)
    return plain


def meanwhile(monkeypatch, workspace, noun, act):
    """Let another person act just before an event with this name is written, once."""
    write, left = type(workspace).write, [act]

    def late(opened, *events, **more):
        if left and any(type(event).__name__ == noun for event in events):
            left.pop()()
        return write(opened, *events, **more)

    monkeypatch.setattr(type(workspace), "write", late)


def test_two_halves_that_are_handed_in_at_once_are_still_compared(here, monkeypatch):
    qualified(here, "anna", "ben")
    deal.deal_tasks(here, ("e5",), annotator=("anna", "ben"))
    anna, ben = acting(here, "anna"), acting(here, "ben")
    tasks.take_next_task(anna)
    tasks.take_next_task(ben)
    e5 = episode_id(here, "e5")
    meanwhile(monkeypatch, here, "LabelsSaved", lambda: submit(ben, "e5", phases(swapped=True), id=e5))
    assert submit(anna, "e5", phases(), id=e5).submitted
    states = {task.reason: task.state for task in here.store.find(LabelTask, {"episode": e5})}
    assert states == {TaskReason.DOUBLE: TaskState.DONE, TaskReason.ADJUDICATE: TaskState.OPEN}
    assert [s.revision for s in here.store.find(SavedLabels, {"episode": e5})] == [1, 1]


def test_a_task_that_is_finished_meanwhile_is_not_withdrawn(here, monkeypatch):
    qualified(here, "anna", "ben")
    deal.deal_tasks(here, ("e5",), annotator=("anna", "ben"))
    anna, e5 = acting(here, "anna"), episode_id(here, "e5")
    mine = tasks.take_next_task(anna).task.id
    meanwhile(monkeypatch, here, "LabelTaskMoved", lambda: submit(anna, "e5", phases(), id=e5))
    with pytest.raises(ChangedMeanwhile):
        deal.withdraw_task(here, mine)
    assert here.store.get(LabelTask, mine).state is TaskState.DONE


def test_the_last_two_calibration_tasks_at_once_give_one_verdict(here, monkeypatch):
    anna = acting(here, "anna")
    for _ in SET[2:]:
        submit(anna, (taken := tasks.take_next_task(anna)).episode, phases(), id=taken.task.episode)
    first, last = here.store.find(LabelTask, {"annotator": "anna", "state": [TaskState.OPEN]})
    names = {episode_id(here, name): name for name in SET}
    late = names[last.episode]
    meanwhile(monkeypatch, here, "LabelsSaved", lambda: submit(anna, late, phases(), id=last.episode))
    submit(anna, names[first.episode], phases(), id=first.episode)
    assert [q.status.value for q in qualify.qualify_annotator(here).qualifications] == ["passed"]


def test_an_import_waits_for_a_save_at_the_same_moment(plain, monkeypatch, tmp_path):
    anna = acting(plain, "anna")
    for name, text in (("rows.csv", "episode,label,start_s,end_s,annotator\ne0,grasp,1,2,anna\n"),
                       ("kinds.csv", "episode,kind,label,start_s,end_s,author\ne0,phase,lift,1,2,anna\n")):  # fmt: skip
        file = tmp_path / name
        file.write_text(text)
        mine = find_newest_revision(plain, episode_id(plain, "e0"), "phase", "anna")
        stands = mine.revision if mine else 0
        with monkeypatch.context() as patched:
            meanwhile(patched, plain, "LabelsSaved",
                      lambda at=stands: save.save_labels(anna, "e0", segments_text=phases(), revision=at))  # fmt: skip
            import_labels.import_labels(plain, file)
        kept = find_revisions(plain, episode_id(plain, "e0"), "anna")[stands:]
        assert [(one.revision, len(one.annotations)) for one in kept] == [(stands + 1, 8), (stands + 2, 1)]


def test_a_lead_takes_only_labels_that_were_seen(plain):
    anna = acting(plain, "anna")
    submit(anna, "e0", phases())
    (lane,) = labels.show_episode_labels(plain, "e0").lanes
    submit(anna, "e0", phases(swapped=True), id=episode_id(plain, "e0"))
    with pytest.raises(ChangedMeanwhile, match="anna changed the labels of e0 after you opened them"):
        adjudicate.adjudicate_labels(plain, "e0", take="anna", seen=lane.seen)
    (lane,) = labels.show_episode_labels(plain, "e0").lanes
    assert adjudicate.adjudicate_labels(plain, "e0", take="anna", seen=lane.seen).taken == "anna"


def test_labels_handed_in_while_the_lead_decides_are_not_taken_unseen(plain, monkeypatch):
    anna = acting(plain, "anna")
    submit(anna, "e0", phases())
    e0 = episode_id(plain, "e0")
    meanwhile(monkeypatch, plain, "LabelsAdjudicated", lambda: submit(anna, "e0", phases(swapped=True), id=e0))
    with pytest.raises(ChangedMeanwhile):
        adjudicate.adjudicate_labels(plain, "e0", take="anna")
    assert not plain.store.count(Annotation, {"author": "adjudicated"})


def test_two_leads_do_not_give_two_verdicts_on_one_check(here, monkeypatch):
    qualified(here, "anna")
    deal.deal_tasks(here, ("e5",), annotator=("anna",))
    work(here, "anna", phases())
    meanwhile(monkeypatch, here, "LabelTasksDealt", lambda: spot_check.spot_check_labels(here))
    with pytest.raises(ChangedMeanwhile):
        spot_check.spot_check_labels(here)
    (drawn,) = here.store.find(LabelTask, {"reason": TaskReason.SPOT_CHECK})
    name = labels.find_episode(here, drawn.episode).name
    other = acting(here, "lea", Role.ANNOTATOR, Duty.LEAD_ANNOTATOR)
    meanwhile(monkeypatch, here, "LabelsSpotChecked",
              lambda: spot_check.spot_check_labels(other, name, annotator="anna", verdict="good"))  # fmt: skip
    with pytest.raises(ChangedMeanwhile):
        spot_check.spot_check_labels(here, name, annotator="anna", verdict="wrong")
    assert [check.lead for check in here.store.find(SpotCheck)] == ["lea"]


def test_labels_without_a_task_count_only_of_those_who_qualify(here):
    dora = acting(here, "dora")
    with pytest.raises(Refused, match=r"dora first labels the calibration set.*kept as a draft.*annotate next"):
        submit(dora, "e5", phases())
    assert [r.submitted for r in labels.list_label_revisions(dora, "e5")] == [False]
    assert not here.store.count(Annotation, {"author": "dora"})
    qualified(here, "dora")
    assert submit(dora, "e5", phases(), id=episode_id(here, "e5")).submitted
    # an engineer may hand in what another person made
    assert save.save_labels(here, "e6", segments_text=phases(), submit=True, author="carl").author == "carl"


def test_without_a_calibration_set_labels_without_a_task_count(plain):
    assert submit(acting(plain, "anna"), "e0", phases()).submitted


def test_agreement_shows_no_labels_that_the_person_may_not_see(here):
    qualified(here, "anna")
    dora = acting(here, "dora")
    taken = tasks.take_next_task(dora)
    submit(dora, taken.episode, phases(3), id=taken.task.episode)
    with pytest.raises(Refused, match="hand in your own labels"):
        annotators.compare_annotators(dora, ("dora", "local"))
    assert annotators.compare_annotators(here, ("dora", "local")).report.episodes == 1
    # the blind other half
    qualified(here, "ben")
    deal.deal_tasks(here, ("e5",), annotator=("anna", "ben"))
    work(here, "ben", phases(swapped=True))
    here_only = save.save_labels(here, "e5", segments_text=phases(), submit=True)
    assert here_only.submitted
    seen = annotators.compare_annotators(acting(here, "anna"), ("local", "ben"))
    assert seen.report.episodes == len(SET)  # those of the calibration set, not e5
    assert annotators.compare_annotators(here, ("local", "ben")).report.episodes == len(SET) + 1


def test_a_verdict_on_a_person_is_shown_to_that_person_and_leads(here):
    qualified(here, "anna", "ben")
    assert {q.annotator for q in qualify.qualify_annotator(here).qualifications} == {"anna", "ben"}
    assert {q.annotator for q in qualify.qualify_annotator(acting(here, "anna")).qualifications} == {"anna"}


def test_an_import_without_places_expects_nothing(plain):
    assert submission.expect_saved_labels(plain, []) == ()
    assert segments() == "[]"


def test_a_calibration_set_is_of_one_task_and_of_a_kind_that_can_be_compared(here):
    for number in (5, 6):
        before = labels.find_episode(here, f"e{number}")
        here.write(EpisodeRelabelled(replace(before, task="sort"), before))
    with pytest.raises(BadInput, match=r"of several tasks: 'pick', 'sort'"):
        qualify.choose_calibration_set(here, (*SET, "e5"))
    with pytest.raises(BadInput, match="kind object may overlap"):
        qualify.choose_calibration_set(here, SET, kind="object")
    qualified(here, "anna")
    deal.deal_tasks(here, ("e5",), annotator=("anna", "ben"))
    # a set of another task replaces none, and qualifies for that task only
    first = qualified_sets(here)
    spans = here.store.find(CalibrationSet)[0].gold
    other = CalibrationSet("sorts", "phase", (episode_id(here, "e6"),), spans[:1], here.clock(), "picking v1")
    here.write(CalibrationSetChosen(other))
    assert qualified_sets(here) == [*first, "sorts"]
    anna = acting(here, "anna")
    assert tasks.take_next_task(anna).task.reason is TaskReason.CALIBRATION
    dealt = {t.episode: t.id for t in here.store.find(LabelTask, {"annotator": "anna", "reason": TaskReason.DOUBLE})}
    with pytest.raises(Refused, match="anna is not qualified yet"):
        tasks.take_next_task(anna, task=dealt[episode_id(here, "e5")])


def qualified_sets(workspace):
    return [one.id for one in find_calibration_sets(workspace)]
