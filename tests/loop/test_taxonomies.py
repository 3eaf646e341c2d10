"""Taxonomies as files: locked once; a new version has exactly those labelled again whose labels it touches."""

import io
from pathlib import Path

import pytest
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.annotate import compare_taxonomies, find_taxonomy_errors, load_whole_taxonomy, parse_taxonomy
from fieldloop.cli.render_annotate import print_taxonomy_changes
from fieldloop.cli.screen import Screen
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate import adjudicate, labels, save
from fieldloop.loop.annotate.taxonomy import change, taxonomies
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import is_locked
from fieldloop.loop.protocol.lint import lint_task
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.audit import Audit
from fieldloop.model.event import DeploymentAudited, EpisodeAnnotated, TaxonomyLocked
from fieldloop.model.labelling import LabelTask, SavedLabels, TaskReason
from fieldloop.model.labelling_event import TaxonomyMigrated
from fieldloop.model.taxonomy_change import Change

DOCS = Path(__file__).parents[2] / "docs"
HEAD = '[taxonomy]\nname = "t"\nversion = 1\n'


def label(name, kind="phase", **more):
    rows = {"name": name, "kind": kind, "definition": f"What {name} means.", "begins": "It begins.", "ends": "It ends."}
    listed = "".join(f"{key} = {value!r}\n" for key, value in (rows | more).items())
    return f"[[label]]\n{listed}"


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=12, edge=(11,)) as opened:
        yield opened


def edit(workspace, old, new, name="pick"):
    path = workspace.root / "taxonomies" / f"{name}.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def raise_version(workspace, number, name="pick"):
    edit(workspace, f"= {number}\n", f"= {number + 1}\n", name)


def submit(workspace, episode, *rows, kind="phase"):
    mine = save.find_newest_revision(workspace, labels.find_episode(workspace, episode).id, kind, workspace.actor.id)
    return save.save_labels(
        workspace, episode, kind=kind, segments_text=segments(*rows), submit=True, revision=mine.revision if mine else 0
    )


def test_a_locked_file_that_was_edited_is_refused(here):
    taxonomies.write_new_taxonomy(here, "pick")
    change.lock_new_taxonomy(here)
    words = find_taxonomy(here)
    assert (words.version_name, is_locked(here, words)) == ("pick v1", True)
    edit(here, "The open gripper travels", "The open hand travels")
    with pytest.raises(Refused, match=r"version = 2.*fieldloop taxonomy diff"):
        find_taxonomy(here)
    with pytest.raises(Refused, match="locked here with other labels"):
        save.save_labels(here, "e0", segments_text="[]")
    assert [n.code for n in taxonomies.lint_taxonomy(here).errors] == ["annotate.lint_locked"]
    assert [c.label for c in change.compare_two_taxonomies(here, "pick@1").changes] == ["approach"]
    edit(here, "The open hand travels", "The open gripper travels")
    assert taxonomies.show_taxonomy(here).locked
    # without its file, the version that was locked last still holds
    (here.root / "taxonomies" / "pick.toml").unlink()
    assert find_taxonomy(here) == words
    assert taxonomies.show_taxonomy(here, version="pick@1").taxonomy == words


def test_a_lock_waits_for_the_audit_or_an_override(here):
    here.write(DeploymentAudited(Audit("d", (), 0.2, False)))
    with pytest.raises(Refused, match="needs a complete audit"):
        change.lock_new_taxonomy(here)
    with pytest.raises(Refused, match="needs a complete audit"):
        save.save_labels(here, "e0", segments_text="[]")
    here.write(DeploymentAudited(Audit("d", (), 0.2, False, overridden_by="local", override_reason="pilot")))
    change.lock_new_taxonomy(here)
    assert here.store.count(TaxonomyLocked) == 1
    with pytest.raises(Refused, match="Only a lead"):
        change.lock_new_taxonomy(acting(here, "anna"))


def test_a_new_version_has_exactly_those_labelled_again_whose_labels_it_touches(here):
    taxonomies.write_new_taxonomy(here, "pick")
    anna, ben = acting(here, "anna"), acting(here, "ben")
    submit(anna, "e0", ("approach", 0, 1), ("grasp", 1, 2))
    submit(anna, "e1", ("grasp", 0, 1))
    submit(anna, "e2", ("approach", 0, 1))
    submit(ben, "e2", ("lift", 0, 1))
    submit(anna, "e3", ("lift", 0, 1))
    submit(anna, "e11", ("lift", 0, 1))  # recorded in rare conditions
    submit(anna, "e4", ("drop", 0, 1), kind="failure")
    e5 = labels.find_episode(here, "e5")
    proposed = Annotation(e5.id, "phase", "approach", e5.start_ns, e5.end_ns, "machine:signals")
    here.write(EpisodeAnnotated(e5.id, "phase", "machine:signals", (proposed,)))
    raise_version(here, 1)
    edit(here, "The open gripper travels to the item.", "The open gripper travels to the item, however slowly.")
    edit(here, '"Tool rises with the item."', '"The tool rises and takes the item with it."')  # a card touches nothing
    edit(here, "lift begins when the tool rises, not when the item moves.", "lift begins when the item moves.")
    found = change.compare_two_taxonomies(here)
    assert [(c.label, c.change) for c in found.changes] == [
        ("approach", Change.MEANING), ("lift", Change.EDGE_CASES), ("lift", Change.WORDING)
    ]  # fmt: skip
    assert [(t.name, t.kind, t.authors) for t in found.touched] == [
        ("e0", "phase", ("anna",)), ("e2", "phase", ("anna",)), ("e11", "phase", ("anna",))
    ]  # fmt: skip
    assert change.lock_new_taxonomy(here).touched == found.touched
    dealt = here.store.find(LabelTask)
    assert {(t.episode[-1], t.annotator, t.reason, t.taxonomy) for t in dealt} == {
        ("0", "anna", TaskReason.CHANGED_TAXONOMY, "pick v2"), ("2", "anna", TaskReason.CHANGED_TAXONOMY, "pick v2"),
        ("b", "anna", TaskReason.CHANGED_TAXONOMY, "pick v2"),
    }  # fmt: skip
    assert change.lock_new_taxonomy(here).dealt == 0  # once is enough
    here.store.rebuild_tables()
    assert here.store.find(LabelTask) == dealt


def test_labels_are_renamed_merged_and_split(here):
    taxonomies.write_new_taxonomy(here, "pick")
    anna, ben = acting(here, "anna"), acting(here, "ben")
    submit(anna, "e0", ("approach", 0, 1), ("pre-grasp", 1, 2), ("grasp", 2, 3))
    submit(ben, "e0", ("approach", 0, 1), ("pre-grasp", 1, 2))
    submit(anna, "e1", ("retract", 0, 1))
    adjudicate.adjudicate_labels(here, "e1", take="anna")
    raise_version(here, 1)
    for old, new in (("approach", "reach"), ("retract", "return")):
        edit(here, f'name       = "{old}"', f'name       = "{new}"')
    text = (here.root / "taxonomies" / "pick.toml").read_text()
    removed = [part for part in text.split("[[label]]") if '"pre-grasp"' in part]
    (here.root / "taxonomies" / "pick.toml").write_text(text.replace("[[label]]" + removed[0], ""))
    with pytest.raises(Refused, match=r"lacks labels in use: phase approach, phase pre-grasp, phase retract"):
        change.lock_new_taxonomy(here)
    for wrong, says in (("approach", "no new name"), ("aproach=reach", "no label"), ("approach=reech", "has no phase"),
                        ("place=release", "is a label of phase and action")):  # fmt: skip
        with pytest.raises(BadInput, match=says):
            change.migrate_taxonomy(here, map_=(wrong,))
    done = change.migrate_taxonomy(here, map_=("approach=reach", "pre-grasp=reach", "retract=return,release"))
    spans = here.store.find(Annotation, {"episode": labels.find_episode(here, "e0").id, "author": "anna"})
    start = labels.find_episode(here, "e0").start_ns
    assert [(s.label, (s.start_ns - start) // 10**9, (s.end_ns - start) // 10**9) for s in spans] == [
        ("reach", 0, 2), ("grasp", 2, 3)
    ]  # fmt: skip
    assert (done.older, done.newer, done.renamed_spans) == ("pick v1", "pick v2", 3)
    # pre-grasp means something else than reach, so both label e0 again, independently; e1 was split
    again = {(t.episode[-1], t.annotator, t.reason) for t in here.store.find(LabelTask)}
    assert again == {("1", "anna", TaskReason.CHANGED_TAXONOMY), ("0", "anna", TaskReason.DOUBLE),
                     ("0", "ben", TaskReason.DOUBLE)}  # fmt: skip
    (record,) = here.store.events(TaxonomyMigrated)
    assert ("phase", "approach", "reach") in record.event.migration.renamed
    # labels with a split label, decided ones too, count no more; anna keeps hers as a draft
    e1 = {"episode": labels.find_episode(here, "e1").id}
    assert here.store.count(Annotation, e1) == 0
    (draft,) = labels.show_episode_labels(anna, "e1").own
    assert (draft.revision, draft.submitted, [s.label for s in draft.segments]) == (2, False, ["retract"])
    submit(anna, "e1", ("return", 0, 1))
    assert [span.label for span in here.store.find(Annotation, e1)] == ["return"]
    # what the page opens, and what an undo goes back to, have the new names
    (own,) = labels.show_episode_labels(anna, "e0").own
    assert (own.revision, own.submitted, own.taxonomy) == (2, True, "pick v2")
    assert [s.label for s in own.segments] == ["reach", "grasp"]
    back = save.undo_labels(anna, "e0", to=1, revision=2)
    assert (back.taxonomy, [s.label for s in back.segments], back.problems) == ("pick v2", ["reach", "grasp"], ())
    before = [here.store.find(noun) for noun in (Annotation, SavedLabels)]
    here.store.rebuild_tables()
    assert [here.store.find(noun) for noun in (Annotation, SavedLabels)] == before


def test_a_fork_is_the_next_version_or_another_taxonomy(here):
    made = taxonomies.fork_taxonomy(here, "picking")
    assert (made.file, find_taxonomy(here).version_name) == ("taxonomies/picking.toml", "picking v2")
    assert find_taxonomy(here).follows == "picking v1"
    with pytest.raises(BadInput, match="already exists"):
        taxonomies.fork_taxonomy(here, "picking")
    taxonomies.fork_taxonomy(here, "pick")
    assert find_taxonomy(here).version_name == "pick v1"  # named like the task
    assert find_taxonomy(here, "picking").version_name == "picking v2"
    with pytest.raises(BadInput, match="not a valid name"):
        taxonomies.write_new_taxonomy(here, "../x")
    with pytest.raises(UnknownName, match="locked taxonomy"):
        taxonomies.show_taxonomy(here, version="picking@7")
    (here.root / "taxonomies" / "pick.toml").unlink()
    taxonomies.write_new_taxonomy(here, "sort")
    with pytest.raises(BadInput, match="none is named like the task"):
        find_taxonomy(here)


def test_the_shipped_taxonomy_has_no_error_and_every_label_a_card_a_standard_and_a_key():
    words = load_whole_taxonomy()
    assert find_taxonomy_errors(words) == []
    assert all(one.key and one.card and one.edge_cases for one in words.labels)
    assert {"misidentification"} <= {one.name for one in words.get_labels("failure")}
    assert {one.name for one in words.get_labels("grasp")} == {"power", "precision-pinch", "lateral", "tripod", "key"}
    assert {"pick", "place", "inspect"} <= {one.name for one in words.get_labels("action")}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (label("a", part_of="b"), "annotate.lint_unknown_whole"),
        (label("a", part_of="b") + label("b", part_of="a"), "annotate.lint_circle"),
        (label("a", key="1") + label("b", key="1"), "annotate.lint_same_key"),
        (label("a", includes=["b"]) + label("b"), "annotate.lint_included_twice"),
        (label("lateral", "grasp"), "annotate.lint_grasp_open"),
    ],
)
def test_lint_finds_what_cannot_work(text, code):
    assert code in {found.code for found in find_taxonomy_errors(parse_taxonomy(HEAD + text)[0])}


def test_lateral_and_key_are_merged_by_naming_one_in_the_other(here):
    merged = HEAD + label("lateral", "grasp", includes=["key"])
    assert find_taxonomy_errors(parse_taxonomy(merged)[0]) == []
    (here.root / "taxonomies").mkdir()
    (here.root / "taxonomies" / "pick.toml").write_text(merged)
    kept = save.save_labels(here, "e0", kind="grasp", segments_text=segments(("key", 0, 1)), submit=True)
    assert [segment.label for segment in kept.segments] == ["lateral"]
    before = parse_taxonomy(HEAD + label("lateral", "grasp") + label("key", "grasp"))[0]
    found = compare_taxonomies(before, find_taxonomy(here))
    assert [(c.label, c.change, c.became) for c in found if c.change is Change.RENAMED] == [
        ("key", Change.RENAMED, ("lateral",))
    ]


def test_an_example_must_exist_and_lie_within_its_episode(here):
    (here.root / "taxonomies").mkdir()
    clip = '[[label.example]]\nepisode = "{}"\nstart_s = 1\nend_s = 9\n'
    clips = clip.format("e0") + clip.format("gone")
    (here.root / "taxonomies" / "pick.toml").write_text(HEAD + label("a") + clips)
    codes = [found.code for found in taxonomies.lint_taxonomy(here).errors]
    assert codes == ["annotate.lint_example_outside", "annotate.lint_example_unknown"]
    with pytest.raises(Refused, match="the episode lasts 8 s"):
        change.lock_new_taxonomy(here)


def test_a_workspace_that_locked_the_phases_before_keeps_them(here):
    here.write(TaxonomyLocked("phases", 1, "df08e3bc79ce0b02"))  # as earlier versions wrote it, without content
    assert find_taxonomy(here).version_name == "phases v1"
    assert submit(here, "e0", ("approach", 0, 1)).taxonomy == "phases v1"
    with pytest.raises(BadInput, match="has no labels of the kind grasp"):
        save.save_labels(here, "e0", kind="grasp", segments_text="[]")


def test_the_protocol_names_the_phases_of_the_workspaces_own_taxonomy(here):
    (here.root / "taxonomies").mkdir()
    (here.root / "taxonomies" / "pick.toml").write_text(HEAD + label("reach") + label("hold"))
    own = '[protocol]\nname = "pick"\nversion = 1\n[[phase]]\nname = "reach"\n[[phase]]\nname = "grasp"\n'
    (here.root / "protocols" / "pick.toml").write_text(own)
    remarks = [str(one.message) for one in lint_task(open_workspace(here.root, store=here.store)).errors]
    assert any("grasp" in text for text in remarks)
    assert not any("'reach'" in text for text in remarks)


def test_a_lock_says_that_it_locked(here):
    def show(changes):
        print_taxonomy_changes(changes, Screen(out := io.StringIO()))
        return out.getvalue()

    assert "locked" not in show(change.compare_two_taxonomies(here))
    assert "is locked now." in show(change.lock_new_taxonomy(here))
    assert "was locked before." in show(change.lock_new_taxonomy(here))


def test_the_guide_counts_the_shipped_labels():
    count = len(load_whole_taxonomy().labels)
    assert f"The shipped one has {count} labels" in (DOCS / "annotate.md").read_text()
