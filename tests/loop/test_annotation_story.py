"""Three annotators through the whole of it: one is late, one confuses two grasps, and one boundary is ambiguous."""

from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.annotate import choose_labels
from fieldloop.loop.annotate import adjudicate, save
from fieldloop.loop.annotate.compare import annotators
from fieldloop.loop.annotate.taxonomy import change, taxonomies
from fieldloop.model.annotation import Annotation
from fieldloop.model.labelling import LabelTask, TaskReason
from fieldloop.model.taxonomy import PHASES

FRAME_S = 1 / 30
EPISODES = 24
GRASPS = ("lateral", "key", "power")
LATE = {"anna": 0, "ben": 0, "carl": 5}
SWAPPED = {"lateral": "key", "key": "lateral"}
DOUBTFUL = 4
"""The boundary from lift to transport, which everyone places where they please."""
AS_THEY_PLEASE = {"anna": 1, "ben": 2, "carl": 4}
"""How often each changes from seven frames early to seven frames late there, in episodes."""


def draw_phases(person, number):
    edges = [float(n) for n in range(len(PHASES) + 1)]
    for n in range(1, len(PHASES)):
        edges[n] += LATE[person] * FRAME_S
    edges[DOUBTFUL] += (7 if number // AS_THEY_PLEASE[person] % 2 else -7) * FRAME_S
    return segments(*zip(PHASES, edges, edges[1:], strict=False))


def test_the_report_names_both_people_and_the_boundary_and_a_clearer_taxonomy_goes_to_those_it_touches(tmp_path):
    with annotated_workspace(tmp_path, episodes=EPISODES) as here:
        taxonomies.write_new_taxonomy(here, "pick")
        for number in range(EPISODES):
            true = GRASPS[number % 3]
            for person in LATE:
                me, name = acting(here, person), f"e{number}"
                grasp = SWAPPED.get(true, true) if person == "ben" else true
                save.save_labels(me, name, segments_text=draw_phases(person, number), submit=True)
                save.save_labels(me, name, kind="grasp", segments_text=segments((grasp, 2, 7)), submit=True)

        found = {one.says.code: dict(one.says.numbers) for one in annotators.compare_annotators(here).report.findings}
        assert found["agree.author_late"]["author"] == "carl"
        assert abs(found["agree.author_late"]["frames"] - 5) < 0.1
        assert found["agree.author_labels"]["authors"] == ("ben",)
        assert {found["agree.author_labels"]["first"], found["agree.author_labels"]["second"]} == {"lateral", "key"}
        assert found["agree.all_boundary"]["boundary"] == "lift → transport"

        # the lead decides one, makes the boundary clearer, and just the phases are labelled again
        adjudicate.adjudicate_labels(here, "e0", kind="grasp", take="anna")
        path = here.root / "taxonomies" / "pick.toml"
        text = path.read_text().replace("= 1\n", "= 2\n", 1)
        clearer = "The tool moves sideways faster than upwards."
        path.write_text(text.replace("Rising gives way to travelling.", clearer))
        changed = change.lock_new_taxonomy(here)
        assert {(one.label, one.fields) for one in changed.changes} == {("lift", ("ends",)), ("transport", ("begins",))}
        again = here.store.find(LabelTask)
        assert {task.kinds for task in again} == {("phase",)}
        assert len(again) == 3 * EPISODES
        assert {task.reason for task in again} == {TaskReason.DOUBLE}  # independent again
        counted = choose_labels(here.store.find(Annotation, {"kind": "grasp"}))
        e0 = min(span.episode for span in counted)
        assert {span.author for span in counted if span.episode == e0} == {"adjudicated"}
