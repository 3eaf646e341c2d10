"""Both halves of a pair are compared whichever way they come: in one file, one by one, or with a half withdrawn."""

import pytest
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.loop.annotate import deal, save
from fieldloop.loop.annotate.exchange.import_labels import paste_labels
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.labelling import (
    CalibrationSet,
    LabelTask,
    Qualification,
    TaskReason,
    TaskState,
)
from fieldloop.model.labelling_event import CalibrationSetChosen, LabelTasksDealt

HEADER = "episode,kind,label,start_s,end_s,annotator\n"
EARLY, LATE = (("approach", 0, 2), ("lift", 2, 8)), (("approach", 0, 5), ("lift", 5, 8))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=5) as opened:
        yield opened


def task(workspace, person, *, reason=TaskReason.DOUBLE, kinds=("phase",), pair="pair-1", episode=0):
    return LabelTask(f"task-{person}-{episode}", f"{episode:064x}", kinds, reason, workspace.clock(), "pick v1",
                     annotator=person, pair=pair)  # fmt: skip


def rows(person, spans, kind="phase", episode="e0"):
    return "".join(f"{episode},{kind},{label},{start},{end},{person}\n" for label, start, end in spans)


def decisions(workspace):
    reasons = (TaskReason.ADJUDICATE, TaskReason.SUSPECT)
    return [(one.reason, one.about) for one in workspace.store.find(LabelTask) if one.reason in reasons]


def states(workspace):
    return [one.state for one in workspace.store.find(LabelTask, {"reason": TaskReason.DOUBLE})]


@pytest.mark.parametrize(("second", "expected"), [(LATE, [(TaskReason.ADJUDICATE, "ben")]), (EARLY, [])])
def test_a_file_with_both_halves_starts_their_comparison(here, second, expected):
    here.write(LabelTasksDealt((task(here, "anna"), task(here, "ben"))))
    paste_labels(here, HEADER + rows("anna", EARLY) + rows("ben", second))
    assert states(here) == [TaskState.DONE, TaskState.DONE]
    assert decisions(here) == expected


def test_a_file_with_all_kinds_of_a_task_finishes_it(here):
    kinds = ("phase", "grasp")
    here.write(LabelTasksDealt((task(here, "anna", kinds=kinds), task(here, "ben", kinds=kinds))))
    both = [
        rows(who, spans) + rows(who, (("power", 1, 2),), "grasp") for who, spans in (("anna", EARLY), ("ben", LATE))
    ]
    paste_labels(here, HEADER + "".join(both))
    assert states(here) == [TaskState.DONE, TaskState.DONE]
    assert decisions(here) == [(TaskReason.ADJUDICATE, "ben")]


def test_a_file_with_a_whole_calibration_set_is_judged(here):
    gold = tuple(
        Annotation(f"{n:064x}", "phase", label, at, end, "lea")
        for n, start in ((n, (1_700_000_000 + 100 * n) * 10**9) for n in range(2))
        for label, at, end in (("approach", start, start + 2 * 10**9), ("lift", start + 2 * 10**9, start + 8 * 10**9))
    )
    chosen = CalibrationSet("set-1", "phase", tuple(f"{n:064x}" for n in range(2)), gold, here.clock(), "pick v1")
    dealt = [task(here, "anna", reason=TaskReason.CALIBRATION, pair="set-1", episode=n) for n in range(2)]
    here.write(CalibrationSetChosen(chosen), LabelTasksDealt(tuple(dealt)))
    paste_labels(here, HEADER + rows("anna", EARLY) + rows("anna", EARLY, episode="e1"))
    (verdict,) = here.store.find(Qualification)
    assert (verdict.annotator, verdict.status.value, verdict.kappa) == ("anna", "passed", 1.0)


def test_the_others_are_compared_when_the_half_they_waited_for_is_withdrawn(here):
    here.write(LabelTasksDealt(tuple(task(here, who) for who in ("anna", "ben", "eve"))))
    for who, spans in (("anna", EARLY), ("ben", LATE)):
        save.save_labels(acting(here, who), "e0", segments_text=segments(*spans), submit=True)
        assert decisions(here) == []
    deal.withdraw_task(here, "task-eve-0")
    assert decisions(here) == [(TaskReason.ADJUDICATE, "ben")]


@pytest.mark.parametrize("withdrawn_first", [True, False])
def test_a_half_that_is_left_alone_is_compared_with_proposals(here, withdrawn_first):
    start = 1_700_000_000 * 10**9
    proposed = Annotation(f"{0:064x}", "phase", "approach", start, start + 8 * 10**9, "machine:signals", "", 0.99)
    here.write(EpisodeAnnotated(proposed.episode, "phase", proposed.author, (proposed,)))
    here.write(LabelTasksDealt((task(here, "anna"), task(here, "ben"))))
    steps = [
        lambda: deal.withdraw_task(here, "task-ben-0"),
        lambda: save.save_labels(acting(here, "anna"), "e0", segments_text=segments(*EARLY), submit=True),
    ]
    for step in steps if withdrawn_first else reversed(steps):
        step()
    assert decisions(here) == [(TaskReason.SUSPECT, "anna")]


def test_a_file_with_all_kinds_of_both_halves_deals_each_decision_once_from_the_labels_in_the_file(here):
    """One kind was handed in before; the file brings it anew, so the stored one is out of date."""
    kinds = ("phase", "grasp")
    here.write(LabelTasksDealt((task(here, "anna", kinds=kinds), task(here, "ben", kinds=kinds))))
    once, twice = (("power", 1, 2),), (("power", 5, 7),)
    for who in ("anna", "ben"):
        paste_labels(here, HEADER + rows(who, twice, "grasp"))
    assert states(here) == [TaskState.OPEN, TaskState.OPEN]
    paste_labels(here, HEADER + "".join(
        rows(who, phases) + rows(who, contacts, "grasp")
        for who, phases, contacts in (("anna", EARLY, once), ("ben", LATE, twice))
    ))  # fmt: skip
    assert states(here) == [TaskState.DONE, TaskState.DONE]
    dealt = [one for one in here.store.find(LabelTask) if one.reason is TaskReason.ADJUDICATE]
    assert sorted(one.kinds for one in dealt) == [("grasp",), ("phase",)], "each once, from the newest labels"
