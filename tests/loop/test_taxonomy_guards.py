"""A changed taxonomy is locked on purpose only, and touches the labels of its own task only."""

from dataclasses import replace

import pytest
from tests.loop.labelled import acting, annotated_workspace
from tests.loop.test_taxonomies import edit, raise_version, submit

from fieldloop.annotate import compare_taxonomies, load_whole_taxonomy
from fieldloop.errors import Refused
from fieldloop.loop.annotate import labels, save
from fieldloop.loop.annotate.taxonomy import change, taxonomies
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import find_locked_taxonomies
from fieldloop.loop.home.taxonomy import show_taxonomies
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeAnnotated, EpisodeRelabelled, TaxonomyLocked
from fieldloop.model.labelling import LabelTask, SavedLabels, TaskReason
from fieldloop.model.labelling_event import LabelTasksDealt
from fieldloop.model.taxonomy_change import Change

CLEARER = ("The open gripper travels to the item.", "The open gripper travels to the item, however slowly.")


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=6) as opened:
        yield opened


def test_no_draft_and_no_submission_locks_a_version_after_a_locked_one(here):
    taxonomies.write_new_taxonomy(here, "pick")
    anna = acting(here, "anna")
    submit(anna, "e0", ("approach", 0, 1))
    raise_version(here, 1)
    edit(here, *CLEARER)
    kept = save.save_labels(anna, "e1", segments_text='[{"label": "approach", "start_s": 0, "end_s": 1}]')
    assert (kept.revision, kept.taxonomy) == (1, "pick v2")
    with pytest.raises(Refused, match=r"pick v2 is not locked yet.*pick v1.*fieldloop taxonomy lock"):
        submit(anna, "e1", ("approach", 0, 2))
    assert save.find_newest_revision(here, labels.find_episode(here, "e1").id, "phase", "anna").revision == 2
    assert here.store.count(Annotation) == 1
    assert [lock.version for lock in here.store.find(TaxonomyLocked)] == [1]
    assert change.lock_new_taxonomy(here).dealt == 1  # what changed is dealt again
    assert submit(anna, "e1", ("approach", 0, 2)).submitted


def give_to(workspace, name, task):
    before = labels.find_episode(workspace, name)
    workspace.write(EpisodeRelabelled(replace(before, task=task), before))


def test_a_second_taxonomy_is_not_compared_with_the_first_and_leaves_its_labels_alone(here):
    give_to(here, "e5", "sort")
    taxonomies.write_new_taxonomy(here, "pick")
    taxonomies.write_new_taxonomy(here, "sort")
    edit(here, 'name       = "approach"', 'name       = "reach"', "sort")
    anna = acting(here, "anna")
    submit(anna, "e0", ("approach", 0, 1))
    done = change.lock_new_taxonomy(here, task="sort")
    assert (done.older, done.changes, done.touched, done.unmapped) == ("sort v1", (), (), ())
    submit(anna, "e5", ("reach", 0, 1), ("grasp", 1, 2))
    # a label that one task drops is in use in the other task only
    raise_version(here, 1, "sort")
    edit(here, 'name       = "reach"', 'name       = "approach"', "sort")
    edit(here, 'name       = "grasp"', 'name       = "close"', "sort")
    found = change.compare_two_taxonomies(here, task="sort")
    assert (found.older, found.unmapped) == ("sort v1", ("phase reach", "phase grasp"))
    done = change.migrate_taxonomy(here, map_=("phase:reach=approach", "phase:grasp=close"), task="sort")
    assert done.renamed_spans == 2
    spans = here.store.find(Annotation, {"episode": labels.find_episode(here, "e0").id})
    assert [span.label for span in spans] == ["approach"]
    assert {one.taxonomy for one in here.store.find(SavedLabels) if one.episode == spans[0].episode} == {"pick v1"}


def test_without_files_each_task_keeps_its_own_locked_version(here):
    for name in ("pick", "sort"):
        taxonomies.write_new_taxonomy(here, name)
        change.lock_new_taxonomy(here, task=name)
    for name in ("pick", "sort"):
        (here.root / "taxonomies" / f"{name}.toml").unlink()
    assert [find_taxonomy(here, name).name for name in ("pick", "sort")] == ["pick", "sort"]


def test_one_new_task_is_no_pair(here):
    taxonomies.write_new_taxonomy(here, "pick")
    for person in ("anna", "ben"):
        submit(acting(here, person), "e0", ("approach", 0, 1))
    raise_version(here, 1)
    e0 = labels.find_episode(here, "e0").id
    waiting = LabelTask("t", e0, ("phase",), TaskReason.REPEAT, here.clock(), "pick v1", annotator="anna")
    here.write(LabelTasksDealt((waiting,)))
    edit(here, *CLEARER)
    assert change.lock_new_taxonomy(here).dealt == 1
    (new,) = [task for task in here.store.find(LabelTask) if task.id != "t"]
    assert (new.annotator, new.reason, new.pair) == ("ben", TaskReason.CHANGED_TAXONOMY, "")


def test_the_label_of_which_another_is_a_part_is_its_meaning():
    words = load_whole_taxonomy()
    part = next(label for label in words.labels if label.part_of)
    moved = replace(words, labels=tuple(replace(one, part_of="") if one is part else one for one in words.labels))
    assert [(c.label, c.change, c.fields) for c in compare_taxonomies(words, moved)] == [
        (part.name, Change.MEANING, ("part_of",))
    ]


def test_labels_without_a_revision_and_proposals_with_a_split_label_count_no_more(here):
    taxonomies.write_new_taxonomy(here, "pick")
    change.lock_new_taxonomy(here)
    for number, author in ((0, "anna"), (1, "machine:signals"), (2, "machine:signals"), (2, "ben")):
        known = labels.find_episode(here, f"e{number}")
        name = "lift" if author == "ben" else "retract"
        span = Annotation(known.id, "phase", name, known.start_ns, known.end_ns, author)
        here.write(EpisodeAnnotated(known.id, "phase", author, (span,)))
    raise_version(here, 1)
    edit(here, 'name       = "retract"', 'name       = "return"')
    change.migrate_taxonomy(here, map_=("retract=return,release",))
    assert [(span.episode[-1], span.author) for span in here.store.find(Annotation)] == [("2", "ben")]
    (own,) = labels.show_episode_labels(acting(here, "anna"), "e0").own
    assert (own.revision, own.submitted, [s.label for s in own.segments]) == (1, False, ["retract"])


def test_a_release_names_the_locked_taxonomy_of_its_own_task_and_no_version_that_waits(here):
    taxonomies.write_new_taxonomy(here, "pick")
    assert find_locked_taxonomies(here, ("pick",)) == {"pick": ""}
    change.lock_new_taxonomy(here)
    raise_version(here, 1)
    assert find_locked_taxonomies(here, ("pick",)) == {"pick": "pick v1"}
    taxonomies.write_new_taxonomy(here, "sort")
    assert find_locked_taxonomies(here, ("sort",)) == {"sort": ""}
    change.lock_new_taxonomy(here, task="sort")
    assert find_locked_taxonomies(here, ("pick", "sort")) == {"pick": "pick v1", "sort": "sort v1"}


def test_a_lock_for_one_task_demands_no_labels_of_another_that_has_none(here):
    taxonomies.write_new_taxonomy(here, "pick")
    change.lock_new_taxonomy(here)
    known = replace(labels.find_episode(here, "e1"), task="sort")
    here.write(EpisodeRelabelled(known, labels.find_episode(here, "e1")))
    assert find_locked_taxonomies(here, ("pick", "sort", "")) == {"pick": "pick v1", "sort": "", "": "pick v1"}
    span = Annotation(known.id, "phase", "lift", known.start_ns, known.end_ns, "anna")
    here.write(EpisodeAnnotated(known.id, "phase", "anna", (span,)))
    assert find_locked_taxonomies(here, ("sort",)) == {"sort": "pick v1"}


def test_what_a_change_touches_names_no_label_that_is_hidden_from_the_reader(here):
    taxonomies.write_new_taxonomy(here, "pick")
    submit(acting(here, "anna"), "e0", ("approach", 0, 1))
    submit(acting(here, "anna"), "e1", ("approach", 0, 1))
    raise_version(here, 1)
    edit(here, *CLEARER)
    e0 = labels.find_episode(here, "e0").id
    pair = [
        LabelTask(f"t-{who}", e0, ("phase",), TaskReason.DOUBLE, here.clock(), "pick v1", annotator=who, pair="p")
        for who in ("ben", "cem")
    ]
    here.write(LabelTasksDealt(tuple(pair)))
    seen = change.compare_two_taxonomies(acting(here, "ben"))
    assert ([one.name for one in seen.touched], seen.hidden) == (["e1"], 1)
    shown = show_taxonomies(acting(here, "ben")).change
    assert (shown.touched, shown.hidden) == (seen.touched, 1)
    all_ = change.compare_two_taxonomies(here)
    assert ([one.name for one in all_.touched], all_.hidden) == (["e0", "e1"], 0)
    assert change.lock_new_taxonomy(here).dealt == 2
