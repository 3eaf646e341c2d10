"""Agreement of a workspace and of plain files: the JSON others rely on, the page, the terminal, and what is refused."""

import json

import numpy as np
import pytest
from tests.annotate.labelled import annotate_group
from tests.loop.labelled import annotated_workspace

from fieldloop.annotate.interchange import FrameBase, Span, write_csv, write_elan, write_label_studio
from fieldloop.annotate.interchange.elan import Tiers
from fieldloop.cli.entry import main
from fieldloop.doors.written import convert_to_json
from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.annotate.compare.annotators import compare_annotators
from fieldloop.loop.annotate.compare.label_files import compare_label_files
from fieldloop.model.agreement import EDGE_CASES
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeAnnotated
from fieldloop.model.finding import Status
from fieldloop.testing.shared import find_shared_data

S = 10**9
ANN = "episode,label,start_s,end_s\ne1,reach,0,1\ne1,grasp,1,2\ne2,reach,0,1\ne2,grasp,1,2\n"
BEN = "episode,label,start_s,end_s\ne1,reach,0,1.1\ne1,grasp,1.1,2\ne2,reach,0,1.1\ne2,grasp,1.1,2\n"


@pytest.fixture
def write(tmp_path):
    def write_file(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_the_json_that_others_rely_on(write, capsys):
    code = main(["agree", "files", str(write("ann.csv", ANN)), str(write("ben.csv", BEN)), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == 1  # two episodes are too few for a verdict
    assert (found["schema"], found["status"], found["authors"]) == ("agreement/1", "cannot_tell", ["ann", "ben"])
    seen, chance = 1.9 / 2, (1 * 1.1 + 1 * 0.9) / 4
    assert found["kappa"] == pytest.approx((seen - chance) / (1 - chance))
    assert found["boundary_mae_frames"] == pytest.approx(3)
    assert found["boundary_bias_frames"] == pytest.approx(3)
    assert found["boundary_mae_s"] == pytest.approx(0.1)
    assert found["f1"] == {"10": 1.0, "50": 1.0, "90": 1.0}
    assert (found["edit"], found["fps"]) == (1.0, 30.0)
    assert 0.9 < found["gamma"] < 1
    assert found["intervals"]["kappa"] is None
    assert found["by_kind"][0]["reason"] == "Only 2 episodes were labelled twice; a verdict needs 5."
    assert found["findings"] == []


def test_what_is_undefined_is_null(write):
    one = "start,end,label\n0,1,reach\n"
    found = convert_to_json(compare_label_files(None, (write("a.csv", one), write("b.csv", one))))
    assert (found["kappa"], found["boundary_mae_frames"], found["boundary_bias_frames"]) == (None, None, None)
    assert found["edit"] == 1.0


def test_the_frame_rate_scales_frames_only(write):
    files = (write("ann.csv", ANN), write("ben.csv", BEN))
    found = [convert_to_json(compare_label_files(None, files, fps=fps)) for fps in (10.0, 50.0)]
    assert [f["boundary_mae_frames"] for f in found] == pytest.approx([1, 5])
    assert found[0]["kappa"] == found[1]["kappa"]
    assert found[0]["remarks"] == []
    with pytest.raises(BadInput, match="not a valid frame rate"):
        compare_label_files(None, files, fps=0.0)


def test_lists_of_start_times(write):
    files = (
        write("a.txt", "0\treach\n1\tgrasp\n2\tlift\n3\tend\n"),
        write("b.txt", "0\treach\n1.2\tgrasp\n2\tlift\n3\tend\n"),
    )
    found = convert_to_json(compare_label_files(None, files))
    assert found["boundary_mae_frames"] == pytest.approx(3)  # 6 and 0
    assert found["edit"] == 1.0


def spans(shift=0.0, episode="e1"):
    edges = [0, 1 + shift, 2, 3]
    return [
        Span(episode, label, round(a * S), round(b * S), "", "phase")
        for label, a, b in zip(("reach", "grasp", "lift"), edges, edges[1:], strict=False)
    ]


def named(author, several):
    return [Span(s.episode, s.label, s.start, s.end, author, s.kind) for s in several]


def test_one_comparison_in_every_format(write, tmp_path):
    ours, theirs = named("ann", spans()), named("ben", spans(0.1))
    by_format = {
        "csv": (write("a.csv", write_csv(ours)), write("b.csv", write_csv(theirs))),
        "elan": (write("a.eaf", write_elan(ours)), write("b.eaf", write_elan(theirs))),
        "label studio": tuple(
            write(name, write_label_studio(several, 30)) for name, several in (("a.json", ours), ("b.json", theirs))
        ),
        "mixed": (tmp_path / "a.eaf", tmp_path / "b.csv"),
    }  # fmt: skip
    found = {name: compare_label_files(None, files, fps=30.0).report for name, files in by_format.items()}
    values = {name: (r.vectors[0].kappa.value, r.vectors[0].boundary_mae_frames.value) for name, r in found.items()}
    assert {r.authors for r in found.values()} == {("ann", "ben")}
    assert all(value == pytest.approx(values["csv"]) for value in values.values())
    assert values["csv"][1] == pytest.approx(1.5)


def test_frames_and_seconds_together_need_a_rate(write):
    frames = json.loads(write_label_studio(named("ann", spans()), 30))
    for task in frames:
        task["data"] = {"video": "e1.mp4"}
    files = (write("a.json", json.dumps(frames)), write("b.csv", write_csv(named("ben", spans(0.1)))))
    with pytest.raises(Refused, match="--frames-from"):
        compare_label_files(None, files)
    with pytest.raises(Refused, match=r"a.json counts frames, b.csv counts seconds.*--fps"):
        compare_label_files(None, files, frames_from=FrameBase.ONE)
    found = compare_label_files(None, files, frames_from=FrameBase.ONE, fps=30.0)
    assert found.report.vectors[0].boundary_mae_frames.value == pytest.approx(1.5)
    only = convert_to_json(
        compare_label_files(None, (files[0], write("c.json", json.dumps(frames))), frames_from=FrameBase.ONE)
    )
    assert (only["boundary_mae_frames"], only["boundary_mae_s"], only["fps"]) == (0.0, None, None)


def test_folders_of_files_and_one_file_of_several_authors(write, tmp_path):
    for who, shift in (("ann", 0.0), ("ben", 0.1)):
        for number in range(3):
            (tmp_path / who).mkdir(exist_ok=True)
            write(f"{who}/song{number}.txt", f"0 a\n{1 + shift} b\n3 end\n")
    report = compare_label_files(None, (tmp_path / "ann", tmp_path / "ben")).report
    assert (report.authors, report.episodes) == (("ann", "ben"), 3)
    both = write("both.csv", write_csv(named("ann", spans()) + named("ben", spans(0.1)) + named("cho", spans(0.2))))
    assert compare_label_files(None, (both,)).report.authors == ("ann", "ben", "cho")
    same = (write("ann/labels.csv", ANN), write("ben/labels.csv", BEN))
    assert compare_label_files(None, same).report.authors == ("ann/labels", "ben/labels")


def test_edge_cases_of_a_table_are_judged_alone(write):
    rows = ["episode,label,start_s,end_s,annotator,edge_case"]
    for number in range(12):
        for who, shift in (("ann", 0.0), ("ben", 0.5 if number > 8 else 0.0)):
            rows += [
                f"e{number},reach,0,{1 + shift},{who},{'yes' if number > 8 else ''}",
                f"e{number},grasp,{1 + shift},2,{who},",
            ]
    report = compare_label_files(None, (write("t.csv", "\n".join(rows)),)).report
    assert [(v.slice, v.episodes, v.boundary_mae_frames.value) for v in report.slices] == [(EDGE_CASES, 3, 15.0)]


def test_what_cannot_be_compared_is_refused(write, tmp_path):
    ann = write("ann.csv", ANN)
    for files, says in (
        ((ann,), "only one annotator"),
        ((ann, tmp_path / "none.csv"), "does not exist"),
        ((ann, write("ben.csv", BEN.replace("e1", "x1").replace("e2", "x2"))), "No two authors"),
        ((ann, write("empty.csv", "")), "empty.csv is empty"),
    ):
        with pytest.raises(BadInput, match=says):
            compare_label_files(None, files)
    (tmp_path / "hollow").mkdir()
    with pytest.raises(BadInput, match="hollow is an empty folder"):
        compare_label_files(None, (ann, tmp_path / "hollow"))


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, episodes=25, edge=(22, 23)) as opened:
        yield opened


def put_labels(workspace, group):
    """Write simulated labels as if people had handed them in."""
    places = {f"e{n}": f"{n:064x}" for n in range(25)}
    by_place = {}
    for a in group:
        start = (1_700_000_000 + 100 * int(a.episode[1:])) * S
        made = Annotation(places[a.episode], a.kind, a.label, start + a.start_ns, start + a.end_ns, a.author)
        by_place.setdefault((made.episode, a.kind, a.author), []).append(made)
    workspace.write(*(EpisodeAnnotated(*place, tuple(several)) for place, several in by_place.items()))


def test_all_people_who_share_episodes_are_compared(here, tmp_path):
    rng = np.random.default_rng(1)
    group = annotate_group(rng, ("ann", "ben", "cho"), 25, late={"ben": 5}.items())
    put_labels(here, [*group, *(a for a in annotate_group(rng, ("machine:signals",), 25))])
    page = tmp_path / "page.html"
    agreed = compare_annotators(here, html=page)
    assert agreed.report.authors == ("ann", "ben", "cho")  # programs are compared where they are named
    assert [f.authors for f in agreed.report.findings] == [("ben",)]
    assert agreed.status is Status.FAILED
    assert agreed.report.slices[0].slice == EDGE_CASES
    text = page.read_text()
    assert "Retrain ben" in text
    assert text.count("<svg") > 1
    two = compare_annotators(here, ("ann", "machine:signals"), kind=("phase",))
    assert [v.kind for v in two.report.vectors] == ["phase"]
    edge = compare_annotators(here, edge=("lighting=dim",)).report.slices[0]
    assert (edge.slice, edge.episodes, edge.status) == (EDGE_CASES, 2, Status.CANNOT_TELL)


def test_an_unknown_or_a_single_annotator_is_named(here):
    with pytest.raises(BadInput, match="no person has labelled"):
        compare_annotators(here)
    put_labels(here, annotate_group(np.random.default_rng(1), ("ann",), 3))
    with pytest.raises(BadInput, match="ann is the only one"):
        compare_annotators(here)
    with pytest.raises(UnknownName, match="Did you mean 'ann'"):
        compare_annotators(here, ("anne", "ann"))


def test_the_terminal_shows_what_to_do_first(write, capsys):
    rng = np.random.default_rng(4)
    rows = [
        Span(a.episode, a.label, a.start_ns, a.end_ns, a.author, a.kind)
        for a in annotate_group(rng, ("ann", "ben", "cho"), 12, late={"ann": -6}.items())
    ]
    main(["agree", "files", str(write("all.csv", write_csv(rows)))])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ann, ben and cho on 12 episodes")
    assert "retrain" in lines[1]
    assert "earlier than every other author. Retrain ann." in lines[1]


def test_salamis_annotators():
    folder = find_shared_data("annot-salami")
    if folder is None:
        pytest.skip("no segmented songs beside the repository: shared/data/annot-salami")
    song = folder / "annotations" / "2" / "parsed"
    files = (song / "textfile1_uppercase.txt", song / "textfile2_uppercase.txt")
    (vector,) = compare_label_files(None, files).report.vectors
    assert vector.episodes == 1
    assert vector.kappa.value < 0.5  # letters are names that each listener gave anew
    assert vector.boundary_f1.value > 0.5


def test_tiers_of_one_file_are_authors(write):
    eaf = write_elan(named("ann", spans())).replace("phase@ann", "Maureen").replace('ANNOTATOR="ann"', "")
    other = write_elan(named("ann", spans(0.1))).replace("phase@ann", "Marvin").replace('ANNOTATOR="ann"', "")
    merged = eaf.replace("</ANNOTATION_DOCUMENT>", "").rstrip() + _take_tier(other) + "</ANNOTATION_DOCUMENT>"
    report = compare_label_files(None, (write("m.eaf", merged),)).report
    assert report.authors == ("Marvin", "Maureen")
    with pytest.raises(BadInput, match="only one annotator"):
        compare_label_files(None, (write("m.eaf", merged),), tiers=Tiers.KIND)


def _take_tier(text):
    return text[text.index("    <TIER") : text.index("</TIER>") + 8]
