"""Labels out to other tools and back into a workspace: the same labels, or a refusal that names what is wrong."""

import json
from dataclasses import replace

import pytest
from tests.loop.labelled import S, acting, annotated_workspace, episode, segments

from fieldloop.annotate.interchange import FrameBase, Reading, write_elan, write_label_studio
from fieldloop.annotate.interchange.spans import Span
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate import deal, save, tasks
from fieldloop.loop.annotate.exchange.export_labels import Target, export_labels
from fieldloop.loop.annotate.exchange.import_labels import import_labels, write_label_template
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.work.label_files import read_label_file
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Blob, Log
from fieldloop.model.event import EpisodeAnnotated, EpisodeJudged, LogIngested
from fieldloop.model.finding import EpisodeReport, Status

PHASES = (("approach", 0, 2.1), ("grasp", 2.1, 4), ("lift", 4.5, 8))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=3) as opened:
        yield opened


@pytest.fixture
def labelled(here):
    for name in ("e0", "e1"):
        save.save_labels(acting(here, "ann"), name, segments_text=segments(*PHASES), submit=True)
    return here


def find(workspace):
    return sorted(
        (replace(a, author="") for a in workspace.store.find(Annotation)), key=lambda a: (a.episode, a.start_ns)
    )


@pytest.mark.parametrize("to", Target)
def test_labels_leave_and_come_back(labelled, tmp_path, to):
    out = tmp_path / ("out" if to is Target.ELAN else f"out.{'json' if to is Target.LABEL_STUDIO else 'csv'}")
    done = export_labels(labelled, to=to, out=out, fps=30.0)
    assert (done.episodes, done.annotations, len(done.files)) == (2, 6, 2 if to is Target.ELAN else 1)
    with annotated_workspace(tmp_path / "other", episodes=3) as other:
        for file in done.files:
            import_labels(other, type(out)(file))
        assert find(other) == find(labelled)
        assert {a.author for a in other.store.find(Annotation)} == {"ann"}


def take_in_twins(workspace):
    """Take in further episodes called e0 and e1; those called e1 are in two logs of one name."""
    twins = [replace(episode(n), id=f"{n + 10:064x}", name=name) for n, name in enumerate(("e0", "e1", "e1"))]
    for n, (log, twin) in enumerate(zip(("second", "third", "third"), twins, strict=True)):
        workspace.write(LogIngested(Log(Blob(f"{n + 1}" * 64, 1), log, "mcap", (twin.id,)), (twin,)))
        workspace.write(EpisodeJudged("pick v1", EpisodeReport(twin.id, twin.name, Status.PASSED, ())))
    return twins


@pytest.mark.parametrize("to", Target)
def test_episodes_of_one_name_stay_apart(here, tmp_path, to):
    twins = take_in_twins(here)
    for n, one in enumerate((*twins, *(episode(k) for k in range(2)))):
        save.save_labels(acting(here, "ann"), one.id, segments_text=segments(("lift", 0, 2 + n)), submit=True)
    out = tmp_path / ("out" if to is Target.ELAN else f"out.{'json' if to is Target.LABEL_STUDIO else 'csv'}")
    done = export_labels(here, to=to, out=out, fps=30.0)
    assert (done.episodes, len(done.files)) == (5, 5 if to is Target.ELAN else 1)
    assert (to is Target.ELAN) or "second/e0" in out.read_text()
    with annotated_workspace(tmp_path / "other", episodes=3) as other:
        take_in_twins(other)
        for file in done.files:
            import_labels(other, type(out)(file))
        assert find(other) == find(here)


def test_what_a_format_does_not_keep_is_stated(labelled, tmp_path):
    done = [export_labels(labelled, to=to, out=tmp_path / f"o.{to}", fps=25.0).not_kept for to in Target]
    assert ["confidence" in lost for lost in done] == [False, True, False]
    with pytest.raises(Refused, match="--fps"):
        export_labels(labelled, to=Target.LABEL_STUDIO, out=tmp_path / "a.json")
    with pytest.raises(BadInput, match="None of these episodes has labels"):
        export_labels(labelled, ("e2",), to=Target.CSV, out=tmp_path / "a.csv")


def test_a_file_of_label_studio_is_imported_by_its_frames(here, tmp_path):
    file = tmp_path / "ls.json"
    tasks = json.loads(write_label_studio([Span("e1", "grasp", 1 * S, 2 * S, "ann", "phase")], 30))
    del tasks[0]["data"]["first_frame"], tasks[0]["data"]["fps"]
    file.write_text(json.dumps(tasks))
    with pytest.raises(Refused, match="--frames-from"):
        import_labels(here, file)
    with pytest.raises(Refused, match="--fps"):
        import_labels(here, file, frames_from=FrameBase.ONE)
    brought = import_labels(here, file, frames_from=FrameBase.ONE, fps=30.0)
    assert (brought.annotators, brought.episodes, brought.annotations) == (("ann",), 1, 1)
    (made,) = here.store.find(Annotation)
    start = (1_700_000_000 + 100) * S
    assert (made.start_ns - start, made.end_ns - start) == (S, 2 * S)


@pytest.mark.parametrize(
    ("span", "says"),
    [
        (Span("", "grab", 0, S, "ann", "phase"), "grab"),
        (Span("", "grasp", 6 * S, 9 * S, "ann", "phase"), "6 s to 9 s is outside e1"),
        (Span("", "pinch", 0, S, "ann", "colour"), "kind"),
    ],
)
def test_one_wrong_label_refuses_the_file(here, tmp_path, span, says):
    file = tmp_path / "e1.eaf"
    file.write_text(write_elan([Span("", "approach", 4 * S, 5 * S, "ann", "phase"), span]))
    with pytest.raises(BadInput, match=says):
        import_labels(here, file)
    assert not here.store.find(Annotation)


SECONDS = "episode,label,start_s,end_s,annotator,result\ne0,approach,{},ann,\n"
FRAMES = "episode,label,start_frame,end_frame,annotator\ne0,approach,{},ann\n"


@pytest.mark.parametrize(
    ("text", "rate", "outside"),
    [
        (SECONDS.format("-0.049,8.049"), None, False),
        (SECONDS.format("0,8.06"), None, True),
        (SECONDS.format("-0.06,8"), None, True),
        (FRAMES.format("0,80"), 10.0, False),
        (FRAMES.format("0,81"), 10.0, True),
    ],
)
def test_labels_reach_as_far_beyond_their_episode_in_every_format(here, tmp_path, text, rate, outside):
    file = tmp_path / "labels.csv"
    file.write_text(text)
    if outside:
        with pytest.raises(BadInput, match=r"outside e0|begins before its episode"):
            import_labels(here, file, fps=rate)
        return
    import_labels(here, file, fps=rate)
    (made,) = here.store.find(Annotation)
    assert (made.start_ns, made.end_ns) == (episode(0).start_ns, episode(0).end_ns)


def test_the_same_labels_come_from_every_form_of_a_table(here, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    rows = [{"episode": "e0", "label": "approach", "start_s": 0, "end_s": 2.5, "annotator": "ann", "result": None}]
    rows += [{"episode": "e2", "kind": "grasp", "label": "power", "start_s": 1,
                                                     "end_s": 2, "values": [1, 2]}]  # fmt: skip
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    parquet.write_table(pa.Table.from_pylist(rows[:1]), tmp_path / "t.parquet")
    brought = [import_labels(here, tmp_path / name) for name in ("t.jsonl", "t.parquet")]
    assert [(one.annotations, one.results) for one in brought] == [(2, 0), (1, 0)]
    assert sorted((a.kind, a.label, a.values) for a in here.store.find(Annotation)) == [
        ("grasp", "power", (1.0, 2.0)), ("phase", "approach", ())
    ]  # fmt: skip


def test_a_row_that_does_not_fit_its_header_is_refused(here, tmp_path):
    file = tmp_path / "labels.csv"
    for row, says in (
        ("e0,approach,0,1,ann,failure,grasp", "line 2: 7 cells under 6 columns"),
        ("e0,approach,0,1", "line 2: 4 cells under 6 columns"),
        ('e0,"approach,0,1,ann,', "quotation mark"),
        ("e0,approach,0,,ann,", "line 2: a label needs end_s"),
    ):
        file.write_text(f"episode,label,start_s,end_s,annotator,result\n{row}\n")
        with pytest.raises(BadInput, match=says):
            import_labels(here, file)


def test_an_elan_file_must_be_named_like_its_episode(here, tmp_path):
    file = tmp_path / "e9.eaf"
    file.write_text(write_elan([Span("", "approach", 0, S, "ann", "phase")]))
    with pytest.raises(BadInput, match="e9"):
        import_labels(here, file)


def test_an_annotator_does_not_import_for_others_nor_names_are_forgotten(here, tmp_path):
    file = tmp_path / "e1.eaf"
    file.write_text(write_elan([Span("", "reach", 0, S, "ben", "phase")]))
    with pytest.raises(Refused, match="Only engineers"):
        import_labels(acting(here, "ann"), file, label=("reach=approach",))
    assert import_labels(here, file, label=("reach=approach",)).annotators == ("ben",)
    assert here.store.find(Annotation)[0].label == "approach"


def test_an_export_comes_back_while_another_person_holds_the_task(labelled, tmp_path):
    out = tmp_path / "all.json"
    save.save_labels(acting(labelled, "lea"), "e1", segments_text=segments(*PHASES), submit=True)
    export_labels(labelled, to=Target.LABEL_STUDIO, out=out, fps=30.0)
    deal.deal_tasks(labelled, ("e1",))
    assert tasks.take_next_task(labelled).episode == "e1"
    before = find(labelled)
    assert import_labels(labelled, out).annotators == ("ann", "lea")
    assert find(labelled) == before
    out.write_text(out.read_text().replace('"lift"', '"transport"'))
    with pytest.raises(Refused, match=r"all.json, task \d, annotation \d, result 1: nothing was imported.* e1 by ann"):
        import_labels(labelled, out)
    assert find(labelled) == before


def test_an_export_states_whether_labels_are_hidden_unknown_or_none(here, tmp_path):
    out = tmp_path / "out.csv"
    with pytest.raises(BadInput, match="None of these episodes has labels yet"):
        export_labels(here, to=Target.CSV, out=out)
    for name in ("e0", "e1"):
        save.save_labels(acting(here, "anna"), name, segments_text=segments(*PHASES), submit=True)
    with pytest.raises(UnknownName, match="Did you mean 'anna'"):
        export_labels(here, to=Target.CSV, out=out, author=("ana",))
    deal.deal_tasks(here, ("e0",), annotator=("cem", "dia"))
    blind = acting(here, "cem")
    with pytest.raises(Refused, match="hidden until you hand in yours"):
        export_labels(blind, ("e0",), to=Target.CSV, out=out)
    assert not out.exists()
    done = export_labels(blind, to=Target.CSV, out=out)
    assert (done.episodes, done.hidden) == (1, 1)
    assert export_labels(here, to=Target.CSV, out=out).hidden == 0


def test_tables_by_rows_are_bounded_in_size_and_may_hold_lists(here, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    row = {"episode": "e0", "kind": "grasp", "label": "power", "start_s": 0.0, "end_s": 2.0, "annotator": "ann",
           "values": [0.1, 2.0]}  # fmt: skip
    file = tmp_path / "t.parquet"
    parquet.write_table(pa.Table.from_pylist([row]), file)
    import_labels(here, file)
    assert [one.values for one in here.store.find(Annotation)] == [(0.1, 2.0)]
    lines = tmp_path / "t.jsonl"
    lines.write_text(json.dumps(row))
    for each in (file, lines):
        with pytest.raises(BadInput, match="are not read"):
            read_label_file(each, Reading(), 1e-6)


def test_all_that_is_wrong_is_named_in_one_answer(here, tmp_path):
    file = tmp_path / "many.csv"
    file.write_text(
        "episode,label,start_s,end_s,annotator,result,failure\n"
        "e0,approach,0,2,ann,,\n"
        "e0,grasp,1,3,ann,,\n"
        "e0,lift,x,4,ann,,\n"
        "e0,lift,6,5,ann,,\n"
        "e1,lift,0,999,ann,,\n"
        "e1,lifd,0,2,ann,,\n"
        "e9,lift,0,2,ann,,\n"
        "e1,,,,ann,failure,droop\n"
    )
    with pytest.raises(BadInput, match="7 of 8 labels cannot be used") as refused:
        import_labels(here, file)
    for line, says in enumerate(
        ("has ended", "'x' is not a number", "ends before it begins", "is outside e1", "Did you mean 'lift'",
         "No episode", "No failure mode called 'droop'. Did you mean 'drop'"), 3,
    ):  # fmt: skip
        assert f"line {line}: " in str(refused.value)
        assert says in str(refused.value)
    assert not here.store.find(Annotation)


@pytest.mark.parametrize("to", Target)
def test_an_export_with_proposals_and_decisions_comes_back_with_what_people_made(labelled, tmp_path, to):
    known = episode(0)
    for author in ("machine:signals", "adjudicated"):
        spans = (Annotation(known.id, "phase", "lift", known.start_ns, known.start_ns + S, author),)
        labelled.write(EpisodeAnnotated(known.id, "phase", author, spans))
    out = tmp_path / ("out" if to is Target.ELAN else f"out.{'json' if to is Target.LABEL_STUDIO else 'csv'}")
    done = export_labels(labelled, to=to, out=out, fps=30.0)
    assert done.annotations == 8
    with annotated_workspace(tmp_path / "other", episodes=3) as other:
        brought = [import_labels(other, type(out)(file)) for file in done.files]
        assert sum(one.annotations for one in brought) == 6
        assert sum(one.left_out for one in brought) == 2
        assert {a.author for a in other.store.find(Annotation)} == {"ann"}


def test_the_example_table_states_a_failure_of_the_taxonomy(here):
    stated = [row.rsplit(",", 1)[1] for row in write_label_template(here).splitlines() if ",failure," in row]
    assert find_taxonomy(here).find_label("failure", stated[-1])
