"""Labels that people save: every revision stays, two pages cannot overwrite each other, and only good ones count."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.annotate import find_segment_problems, load_whole_taxonomy
from fieldloop.errors import BadInput, ChangedMeanwhile, Refused, UnknownName
from fieldloop.loop.annotate import labels, save
from fieldloop.loop.annotate.exchange import import_labels
from fieldloop.loop.data import relabel
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import TaxonomyLocked
from fieldloop.model.labelling import SavedLabels

FIRST = "e0"


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with annotated_workspace(tmp_path_factory.mktemp("shared"), episodes=13) as opened:
        yield opened


GOOD = segments(("approach", 0, 0.1), ("pre-grasp", 0.1, 0.2))


def test_a_draft_is_kept_and_counts_only_once_submitted(here):
    anna = acting(here, "anna")
    first = save.save_labels(anna, FIRST, segments_text=segments(("approach", 0, 0.1)))
    assert (first.revision, first.submitted, first.author) == (1, False, "anna")
    assert here.store.count(Annotation) == 0
    done = save.save_labels(anna, FIRST, segments_text=GOOD, revision=1, submit=True)
    assert (done.revision, done.submitted, done.taxonomy) == (2, True, "picking v1")
    spans = here.store.find(Annotation)
    start = find_episode(here, FIRST).start_ns
    assert [(s.label, s.start_ns - start, s.end_ns - start, s.author) for s in spans] == [
        ("approach", 0, 100_000_000, "anna"),
        ("pre-grasp", 100_000_000, 200_000_000, "anna"),
    ]
    assert here.store.count(TaxonomyLocked) == 1
    shown = labels.show_episode_labels(anna, FIRST)
    assert [(lane.author, lane.kind, lane.source) for lane in shown.lanes] == [("anna", "phase", "person")]
    assert [(own.revision, own.submitted, len(own.segments)) for own in shown.own] == [(2, True, 2)]
    assert [label.key for label in shown.taxonomy.get_labels("phase")] == list("12345678")


def test_two_pages_cannot_overwrite_each_other(here):
    anna = acting(here, "anna")
    save.save_labels(anna, FIRST, segments_text=GOOD)
    save.save_labels(anna, FIRST, segments_text=segments(("approach", 0, 0.15)), revision=1)
    with pytest.raises(ChangedMeanwhile, match=r"are at revision 2.*made from revision 1"):
        save.save_labels(anna, FIRST, segments_text="[]", revision=1)
    with pytest.raises(ChangedMeanwhile):
        save.save_labels(anna, FIRST, segments_text="[]", submit=True)
    assert [one.segments for one in labels.list_label_revisions(anna, FIRST)] == [2, 1]
    save.save_labels(acting(here, "ben"), FIRST, segments_text="[]")  # another person has revisions of their own
    save.save_labels(anna, FIRST, kind="grasp", segments_text="[]")  # and so has another kind


def test_of_two_saves_at_the_same_moment_one_is_refused(here, monkeypatch):
    anna = acting(here, "anna")
    write, left = type(anna).write, [True]

    def late(workspace, *events, **more):
        if left and any(isinstance(event, save.LabelsSaved) for event in events):
            left.pop()
            save.save_labels(anna, FIRST, segments_text=GOOD)
        return write(workspace, *events, **more)

    monkeypatch.setattr(type(anna), "write", late)
    with pytest.raises(ChangedMeanwhile, match="Nothing was overwritten"):
        save.save_labels(anna, FIRST, segments_text=segments(("lift", 0, 0.1)))
    (kept,) = here.store.find(SavedLabels)
    assert [span.label for span in kept.annotations] == ["approach", "pre-grasp"]


def test_a_save_that_is_sent_twice_is_one_revision(here):
    anna = acting(here, "anna")
    for _ in range(2):
        assert save.save_labels(anna, FIRST, segments_text=GOOD).revision == 1
    for _ in range(2):
        assert save.save_labels(anna, FIRST, segments_text=GOOD, revision=1, submit=True).revision == 2
    assert [one.revision for one in labels.list_label_revisions(anna, FIRST)] == [1, 2]


def test_the_table_keeps_the_newest_draft_and_what_was_submitted_and_the_ledger_all(here):
    anna = acting(here, "anna")

    def save_drafts(revision):
        for n in range(20):
            save.save_labels(anna, FIRST, segments_text=segments(("approach", 0, 0.2 + n / 10)), revision=revision + n)

    save_drafts(0)
    assert [one.revision for one in here.store.find(SavedLabels)] == [20]
    save.save_labels(anna, FIRST, segments_text=GOOD, revision=20, submit=True)
    save.save_labels(acting(here, "ben"), FIRST, segments_text="[]")
    save_drafts(21)
    for _ in range(2):
        found = here.store.find(SavedLabels)
        assert [(one.author, one.revision, one.submitted) for one in found] == [
            ("anna", 21, True), ("ben", 1, False), ("anna", 41, False)
        ]  # fmt: skip
        here.store.rebuild_tables()
    assert [one.revision for one in labels.list_label_revisions(anna, FIRST)] == [*range(1, 42)]
    back = save.undo_labels(anna, FIRST, to=3, revision=41)
    assert back.segments[0].end_s == 0.4


def test_an_undo_is_a_new_revision_and_nothing_is_lost(here):
    anna = acting(here, "anna")
    save.save_labels(anna, FIRST, segments_text=GOOD)
    save.save_labels(anna, FIRST, segments_text="[]", revision=1)
    back = save.undo_labels(anna, FIRST, to=1, revision=2)
    assert (back.revision, len(back.segments), back.submitted) == (3, 2, False)
    revisions = labels.list_label_revisions(anna, FIRST)
    assert [(r.revision, r.segments, r.from_revision) for r in revisions] == [(1, 2, None), (2, 0, None), (3, 2, 1)]
    with pytest.raises(BadInput, match="no revision 9"):
        save.undo_labels(anna, FIRST, to=9, revision=3)
    with pytest.raises(ChangedMeanwhile):
        save.undo_labels(anna, FIRST, to=2, revision=2)


@pytest.mark.parametrize(
    ("rows", "kind", "says"),
    [
        ([("grasp", 0.2, 0.1)], "phase", "the end must be later than the start"),
        ([("grasp", 0.1, 0.1)], "phase", "the end must be later than the start"),
        ([("grasp", 0, 0.2), ("lift", 0.1, 0.3)], "phase", "lift starts at 0.1 s, but grasp lasts until 0.2 s"),
        ([("reach", 0, 0.1)], "phase", "no label reach of the kind phase"),
        ([("grasp", -1, 0.1)], "phase", "lies outside the episode"),
        ([("grasp", 0, 900)], "phase", "lies outside the episode"),
        ([("target", 0, 0.1)], "object", "names no object"),
        ([("finger-item", 0, 0.1)], "contact", "who verified them"),
        ([("object-pose", 0, 0.1)], "pose", "A pose has seven"),
        ([("item-mask", 0, 0.1)], "mask", "names no mask"),
        ([("progress", 0, 0.1)], "reward", "A reward has one"),
        ([("pick", 0, 0.2), ("place", 0.1, 0.3)], "action", "place starts at 0.1 s"),
        ([("inspect", 0, 0.2), ("turn", 0.1, 0.3)], "action", "turn starts at 0.1 s"),
    ],
)
def test_what_does_not_fit_is_kept_as_a_draft_but_not_submitted(shared, rows, kind, says, request):
    name = f"anna-{request.node.name}"  # a person of its own for each case
    anna = acting(shared, name)
    with pytest.raises(BadInput, match="They are kept as a draft") as refused:
        save.save_labels(anna, FIRST, kind=kind, segments_text=segments(*rows), submit=True)
    assert says in str(refused.value)
    assert shared.store.count(Annotation) == 0
    (own,) = labels.show_episode_labels(anna, FIRST).own
    assert (own.submitted, len(own.segments)) == (False, len(rows))
    assert save.save_labels(anna, FIRST, kind=kind, segments_text=segments(*rows)).problems


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not valid JSON"),
        ("{}", "a list of objects"),
        ('[{"start_s": 0, "end_s": 1}]', "label is missing"),
        ('[{"label": "grasp", "start_s": "0", "end_s": 1}]', "not a number"),
        ('[{"label": "grasp", "start_s": 0, "end_s": NaN}]', "not a number"),
        ('[{"label": "grasp", "start_s": 0, "end_s": 1763500000000}]', "seconds from the episode's start"),
        ('[{"label": "grasp", "start": 0, "end_s": 1}]', "Did you mean 'start_s'"),
        ('[{"label": "grasp", "start_s": 0, "end_s": 1, "values": 3}]', "a list of numbers"),
    ],
)
def test_segments_that_cannot_be_read_are_refused(shared, text, says):
    before = shared.last_seq()
    with pytest.raises(BadInput, match=says):
        save.save_labels(shared, FIRST, segments_text=text)
    assert shared.last_seq() == before


def test_nobody_annotates_under_another_name_but_engineers_may(here):
    with pytest.raises(Refused, match="may not write labels of ben"):
        save.save_labels(acting(here, "anna"), FIRST, segments_text=GOOD, author="ben")
    with pytest.raises(BadInput, match="is not a person"):
        save.save_labels(here, FIRST, segments_text=GOOD, author="adjudicated")
    assert save.save_labels(here, FIRST, segments_text=GOOD, author="ben").author == "ben"
    with pytest.raises(UnknownName, match="phase"):
        save.save_labels(here, FIRST, kind="fase", segments_text=GOOD)


def test_an_episode_that_was_set_aside_takes_no_labels_but_keeps_the_draft(here):
    anna = acting(here, "anna")
    relabel.set_episodes_aside(here, (FIRST,), reason="pushed by hand")
    with pytest.raises(Refused, match="kept as a draft"):
        save.save_labels(anna, FIRST, segments_text=GOOD, submit=True)
    relabel.restore_episodes(here, (FIRST,))
    assert save.save_labels(anna, FIRST, segments_text=GOOD, submit=True).revision == 2
    assert here.store.count(Annotation) == 2


def test_tables_are_rebuilt_from_the_ledger(here):
    anna = acting(here, "anna")
    save.save_labels(anna, FIRST, segments_text=GOOD, submit=True)
    save.save_labels(anna, FIRST, segments_text="[]", revision=1)
    before = here.store.find(SavedLabels), here.store.find(Annotation)
    here.store.rebuild_tables()
    assert (here.store.find(SavedLabels), here.store.find(Annotation)) == before


WORDS = load_whole_taxonomy()
PHASES = [label.name for label in WORDS.get_labels("phase")]
LENGTH = 1000


def phase(label, start, end):
    return Annotation("e", "phase", label, start, end, "anna")


@given(st.lists(st.integers(1, LENGTH - 1), unique=True, max_size=8), st.data())
def test_segments_cut_at_distinct_times_have_no_problem_and_a_stretched_one_has(cuts, data):
    edges = [0, *sorted(cuts), LENGTH]
    spans = [phase(PHASES[i % len(PHASES)], a, b) for i, (a, b) in enumerate(pairwise(edges))]
    assert find_segment_problems(data.draw(st.permutations(spans)), "phase", WORDS, 0, LENGTH) == []
    if len(spans) > 1:
        longer = [phase(spans[0].label, 0, spans[0].end_ns + 1), *spans[1:]]
        assert {p.code for p in find_segment_problems(longer, "phase", WORDS, 0, LENGTH)} == {"annotate.overlap"}
    assert find_segment_problems([*spans, phase("lift", LENGTH, LENGTH + 1)], "phase", WORDS, 0, LENGTH)


@given(st.lists(st.tuples(st.integers(-5, 25), st.integers(-5, 25)), max_size=6))
def test_segments_without_a_problem_share_no_moment(times):
    spans = [phase("lift", a, b) for a, b in times]
    if not find_segment_problems(spans, "phase", WORDS, 0, 20):
        moments = [at for a, b in times for at in range(a, b)]
        assert len(moments) == len(set(moments))
        assert all(0 <= at < 20 for at in moments)
        assert all(a < b for a, b in times)


def test_a_table_brings_all_kinds_that_the_taxonomy_has_and_is_a_revision_like_any_other(here):
    anna = acting(here, "anna")
    save.save_labels(anna, FIRST, segments_text=GOOD)
    table = (
        "episode,kind,label,start_s,end_s,object,values,verified_by,error,error_unit\n"
        "e0,,approach,0,1,,,,,\ne0,grasp,power,2,5,,,,,\n"
        "e0,object,target,0,8,cup-17,,,,\ne0,object,target,0,8,cup-18,,,,\n"
        "e0,pose,object-pose,0,8,cup-17,0.1 0 0.2 0 0 0 1,marker,2.5,mm\n"
    )
    done = import_labels.paste_labels(anna, table)
    assert (done.annotations, done.episodes) == (5, 1)
    found = {(s.kind, s.label, s.object): s for s in here.store.find(Annotation)}
    pose = found["pose", "object-pose", "cup-17"]
    assert (pose.values[0], pose.verified_by, pose.error, pose.error_unit) == (0.1, "marker", 2.5, "mm")
    assert [(r.kind, r.revision, r.submitted) for r in labels.list_label_revisions(anna, FIRST, kind="phase")] == [
        ("phase", 1, False), ("phase", 2, True)
    ]  # fmt: skip
    with pytest.raises(ChangedMeanwhile):  # a page that is still open does not overwrite the import
        save.save_labels(anna, FIRST, segments_text="[]", revision=1)
    for wrong, says in (
        ("pose,object-pose,0,8,cup,1 2 3,marker,1,mm", "object-pose has 3 values"),
        ("object,target,0,8,,,,,", "target names no object"),
        ("shape,round,0,8,,,,,", "No kind of labels called 'shape'"),
        ("grasp,key,0,8,,x,,,", "values = 'x' is not a number"),
    ):
        with pytest.raises(BadInput, match=says):
            import_labels.paste_labels(anna, f"{table.splitlines()[0]}\ne0,{wrong}\n")
    with pytest.raises(BadInput, match="holds only labels that no person made"):
        import_labels.paste_labels(here, "episode,label,start_s,end_s,annotator\ne0,grasp,0,1,adjudicated\n")
