"""What is dealt counts: episodes that a release can repair are dealt, decided ones leave the queue."""

import pytest
from tests.loop.labelled import annotated_workspace, segments

from fieldloop.errors import Refused
from fieldloop.loop.annotate import adjudicate, deal, qualify, save, tasks
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeJudged
from fieldloop.model.finding import EpisodeReport, Finding, Status, Subject
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.labelling import LabelTask, TaskState
from fieldloop.model.note import note

PHASES = segments(("approach", 0, 2), ("grasp", 2, 4), ("lift", 4, 8))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=8) as opened:
        yield opened


def fail(workspace, name, fix):
    found = next(one for one in workspace.store.find(Episode) if one.name == name)
    wrong = Finding("timing.camera_clock", Subject(), Status.FAILED, 1.0, None, 0.5, "s", fix=fix)
    workspace.write(EpisodeJudged("pick v1", EpisodeReport(found.id, name, Status.FAILED, (wrong,))))


def test_an_episode_that_a_release_can_repair_is_dealt(here):
    fail(here, "e0", Fix(FixKind.RESTAMP, note("timing.ok"), "cam", shift_ns=5))
    fail(here, "e1", None)
    dealt = {task.episode for task in deal.deal_tasks(here).tasks}
    names = {one.name for one in here.store.find(Episode) if one.id in dealt}
    assert names == {f"e{n}" for n in (0, 2, 3, 4, 5, 6, 7)}


def test_a_decided_episode_leaves_the_queue_and_is_not_dealt(here):
    save.save_labels(here, "e0", segments_text=PHASES, submit=True, author="lea")
    deal.deal_tasks(here, ("e1", "e2", "e3", "e4", "e5", "e6", "e7"))
    plain = next(t for t in here.store.find(LabelTask) if not t.pair)
    save.save_labels(here, plain.episode, segments_text=PHASES, submit=True, author="lea")
    adjudicate.adjudicate_labels(here, plain.episode, take="lea")
    assert here.store.get(LabelTask, plain.id).state is TaskState.WITHDRAWN
    with pytest.raises(Refused, match="withdrawn"):
        tasks.take_next_task(here, task=plain.id)
    adjudicate.adjudicate_labels(here, "e0", take="lea")
    with pytest.raises(Refused, match="No episode is left to deal"):
        deal.deal_tasks(here)


def test_a_calibration_set_names_whose_labels_could_be_right(here):
    for n in range(5):
        save.save_labels(here, f"e{n}", segments_text=PHASES, submit=True, author="lea")
    five = tuple(f"e{n}" for n in range(5))
    with pytest.raises(Refused, match=r"e0, e1, e2 and 2 more: .*--labels-of lea.*adjudicate e0 --take lea"):
        qualify.choose_calibration_set(here, five)
    assert qualify.choose_calibration_set(here, five, labels_of="lea").labels_of == ("lea",)
