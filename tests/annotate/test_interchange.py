"""Files of labels of other tools: what is read, what is refused and where it says it is wrong, and round trips."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.annotate.interchange import (
    FrameBase,
    Reading,
    Span,
    Unit,
    make_annotations,
    read_labels,
    write_csv,
    write_elan,
    write_label_studio,
)
from fieldloop.annotate.interchange.elan import Tiers
from fieldloop.annotate.interchange.start_lists import close_open_lists
from fieldloop.errors import BadInput, Refused
from fieldloop.testing.shared import find_shared_data

S, MS = 10**9, 10**6


def read(text, name="a.txt", **stated):
    return read_labels(text, name, Reading(**stated))


def rows(labels):
    return [(span.episode, span.label, span.start, span.end, span.author) for span in labels.spans]


@pytest.mark.parametrize(
    "text",
    [
        "episode,label,start_s,end_s\ne1,reach,0,1.5\ne1,grasp,1.5,2\n",
        "label;end;start;recording\nreach;1.5;0;e1\ngrasp;2;1.5;e1\n",
        "Episode\tLabel\tOnset\tDuration\ne1\treach\t0\t1.5\ne1\tgrasp\t1.5\t0.5\n",
        "# made by hand\nepisode,category,begin,stop\ne1,reach,0.0,1.50\n\ne1,grasp,1.5,2.00\n",
    ],
)
def test_tables_with_the_usual_names_of_columns(text):
    assert rows(read(text)) == [("e1", "reach", 0, 1.5 * S, ""), ("e1", "grasp", 1.5 * S, 2 * S, "")]


@pytest.mark.parametrize(
    "text", ["0,1.5,reach\n1.5,2,grasp\n", "0 1.5 reach\n1.5 2 grasp", "reach\t0\t1.5\ngrasp\t1.5\t2"]
)
def test_three_columns_need_no_header(text):
    assert [row[1:4] for row in rows(read(text))] == [("reach", 0, 1.5 * S), ("grasp", 1.5 * S, 2 * S)]


def test_four_columns_without_a_header_are_asked_about_never_guessed():
    text = "ann,reach,0,1.5\nben,reach,0,1\n"
    with pytest.raises(BadInput, match=r"a.txt, line 1: the columns have no header.*--columns annotator,label"):
        read(text)
    found = read(text, columns=("annotator", "label", "start", "end"))
    assert [span.author for span in found.spans] == ["ann", "ben"]


def test_a_list_of_start_times_holds_each_label_until_the_next():
    found = read("0.0\tSilence\n0.5\tIntro\n14.25\tVerse, loud\n20\tEnd\n")
    assert [row[1:4] for row in rows(found)] == [
        ("Silence", 0, S // 2), ("Intro", S // 2, 14.25 * S), ("Verse, loud", 14.25 * S, 20 * S)
    ]  # fmt: skip
    assert not found.open_ended


def test_a_list_without_an_end_says_so_and_its_last_label_lasts_a_mean_segment():
    first, second = (read(text, name) for text, name in (("0 a\n1 b\n3 c\n", "one"), ("0 a\n1 b\n4 c", "two")))
    assert first.open_ended
    assert first.remarks[0].code == "agree.list_without_end"
    closed = close_open_lists([first, second])
    assert [file.spans[-1].end for file in closed] == [5.75 * S] * 2  # 4 s, and a mean of (1 + 2 + 1 + 3) ÷ 4 s


def test_frames_of_a_table_include_both_ends():
    found = read("label,start_frame,end_frame\nreach,0,29\ngrasp,30,59\n")
    assert found.unit is Unit.FRAMES
    assert [(span.start, span.end) for span in found.spans] == [(0, 30), (30, 60)]


def timeline(*ranges, author="ann", task=1, video="/data/e1.mp4", **value):
    results = [
        {
            "type": "timelinelabels", "from_name": "videoLabels", "to_name": "video",
            "value": {"ranges": [{"start": a, "end": b}], "timelinelabels": [label]} | value,
        }
        for label, a, b in ranges
    ]  # fmt: skip
    return {
        "id": task,
        "data": {"video": video},
        "annotations": [{"completed_by": {"email": author}, "result": results}],
    }


def test_label_studio_counts_from_one_or_from_zero_and_is_asked():
    text = json.dumps([timeline(("reach", 1, 15), ("grasp", 16, 40))])
    with pytest.raises(Refused, match="--frames-from 1 or --frames-from 0"):
        read(text, "ls.json")
    one, zero = (read(text, "ls.json", frames_from=base) for base in FrameBase)
    assert [(s.start, s.end, s.label, s.episode, s.author) for s in one.spans] == [
        (0, 15, "reach", "e1", "ann"), (15, 40, "grasp", "e1", "ann")
    ]  # fmt: skip
    assert [s.start - t.start for s, t in zip(zero.spans, one.spans, strict=True)] == [1, 1]


def test_what_a_file_of_label_studio_proves_is_not_asked():
    from_zero = json.dumps([timeline(("reach", 0, 15), ("grasp", 16, 40))])
    assert read(from_zero).spans[0].start == 0
    to_the_end = json.dumps([timeline(("reach", 1, 15), ("grasp", 16, 40), framesCount=40)])
    assert [(s.start, s.end) for s in read(to_the_end).spans] == [(0, 15), (15, 40)]
    with pytest.raises(BadInput, match="contradicts the file, whose first frame is 0"):
        read(from_zero, frames_from=FrameBase.ONE)
    both = json.dumps([timeline(("reach", 0, 15), ("grasp", 16, 40), framesCount=40)])
    with pytest.raises(BadInput, match="miscounted"):
        read(both)


def test_other_forms_of_label_studio():
    short = [
        {
            "id": 1,
            "video": "/x/e1.mp4",
            "annotator": 3,
            "tl": [{"ranges": [{"start": 0, "end": 4}], "timelinelabels": ["reach"]}],
        }
    ]
    assert rows(read(json.dumps(short))) == [("e1", "reach", 0, 5, "3")]
    boxes = timeline(("reach", 0, 4))
    boxes["annotations"][0]["result"].append({"type": "videorectangle", "value": {"sequence": []}})
    boxes["annotations"].append({"was_cancelled": True, "result": boxes["annotations"][0]["result"]})
    found = read(json.dumps(boxes))
    assert len(found.spans) == 1
    assert found.remarks[0]["types"] == "1 videorectangle"


EAF = """<?xml version="1.0"?>
<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="1500"/>
<TIME_SLOT TIME_SLOT_ID="t3"/></TIME_ORDER>
<TIER TIER_ID="phase" ANNOTATOR="ann"><ANNOTATION>
<ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="{second}">
<ANNOTATION_VALUE>reach &amp; go</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="grasp" ANNOTATOR="ann"><ANNOTATION>
<REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="{refers}"><ANNOTATION_VALUE>pinch</ANNOTATION_VALUE></REF_ANNOTATION>
</ANNOTATION></TIER></ANNOTATION_DOCUMENT>"""


def test_elan_with_tiers_that_refer_to_others():
    found = read(EAF.format(second="t2", refers="a1"))
    assert [(s.kind, s.label, s.start, s.end, s.author) for s in found.spans] == [
        ("phase", "reach & go", 0, 1500 * MS, "ann"), ("grasp", "pinch", 0, 1500 * MS, "ann")
    ]  # fmt: skip


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>
<ANNOTATION_DOCUMENT>&lol2;</ANNOTATION_DOCUMENT>"""
LEAK = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><ANNOTATION_DOCUMENT>&x;</ANNOTATION_DOCUMENT>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a.txt is empty"),
        ("   \n", "a.txt is empty"),
        ("\0\0\1", "not a text file"),
        ("label,start,end\n", "has a header but no labels"),
        ("label,start,end\nreach,0,1\ngrasp,2,1\n", "line 3: 'grasp' ends before it begins"),
        ("label,start,end\nreach,0,2\ngrasp,1,3\n", "line 3: 'grasp' begins before 'reach' of line 2 has ended"),
        ("label,start,end\nreach,-1,2\n", "line 2: 'reach' begins before its episode"),
        ("label,start,end\nreach,0,nan\n", "line 2: 'nan' is not a finite number of seconds"),
        ("label,start,end\nreach,0,inf\n", "line 2: 'inf' is not a finite"),
        ("label,start,end\nreach,0,1e30\n", "longer than any episode"),
        ("label,start,end\nreach,zero,1\n", "line 2: 'zero' is not a number of seconds"),
        ("label,start,end\n,0,1\n", "line 2: the label is empty"),
        ('label,start,end\n"reach,0,1\n', "no labels|not a number|quotation|empty"),
        ("start,end\n0,1\n1,2\n", "no column holds label"),
        ("a,b,c\nd,e,f\n", "no column holds label or start_s"),
        ("0 a\n5 b\n3 c\n9 end\n", "comes before"),
        ("label,start_frame,end_frame\nreach,0,1.5\n", "is not a frame number"),
        ("label,start,end,confidence\nreach,0,1,high\n", "confidence = 'high' is not a number"),
        ("{", "line 1: .*not valid JSON"),
        ("[]", "not an export of Label Studio"),
        ('[{"id": 1, "annotations": [{"result": []}]}]', "holds no timeline labels"),
        (json.dumps([timeline(("reach", 9, 3))]), "ends at frame 3, before it begins at frame 9"),
        (json.dumps([timeline(("reach", 0.5, 3))]), "0.5 is not a frame number"),
        (json.dumps([timeline(("reach", None, 3))]), "None is not a frame number"),
        (BOMB, "line 2: the file declares a document type"),
        (LEAK, "line 1: the file declares a document type"),
        ("<html><body></body></html>", "not a file of ELAN"),
        ("<ANNOTATION_DOCUMENT>", "line 1: no element found|not valid XML"),
        (EAF.format(second="t9", refers="a1"), "line 6: the time slot 't9' does not exist"),
        (EAF.format(second="t3", refers="a1"), "the time slot 't3' has no time"),
        (EAF.format(second="t2", refers="a7"), "refers to annotation 'a7', which has no times"),
    ],
)
def test_what_is_wrong_is_refused_with_file_and_line(text, says):
    with pytest.raises(BadInput, match=says) as refused:
        read(text)
    assert "a.txt" in str(refused.value)


def test_many_wrong_lines_are_counted_and_the_first_are_shown():
    text = "label,start,end\n" + "reach,5,1\n" * 40
    with pytest.raises(BadInput, match="40 of 40 labels cannot be used") as refused:
        read(text)
    assert "and 20 more" in str(refused.value)


def test_deeply_nested_json_is_refused():
    with pytest.raises(BadInput, match=r"nested too deeply|not an export"):
        read("[" * 100_000 + "]" * 100_000)


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8).filter(
    lambda text: not text.startswith("#") and text == text.strip()
)
numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def labelled(draw, unit_ns=1):
    """Spans of some episodes and authors; those of one line do not overlap."""
    made = []
    for episode in draw(st.lists(names, min_size=1, max_size=2, unique=True)):
        for author in draw(st.lists(names.filter(lambda a: "@" not in a), min_size=1, max_size=2, unique=True)):
            for kind in draw(st.sets(st.sampled_from(("phase", "grasp", "recovery")), min_size=1)):
                at = draw(st.integers(0, 1000))
                for length, gap in draw(
                    st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 500)), min_size=1, max_size=4)
                ):
                    made.append(Span(episode, draw(names), at * unit_ns, (at + length) * unit_ns, author, kind,
                                     confidence=draw(st.none() | st.floats(0, 1))))  # fmt: skip
                    at += length + gap
    return made


def kept(spans, *fields):
    return sorted([tuple(getattr(span, name) for name in fields) for span in spans], key=repr)


@given(labelled(), numbers, names)
def test_a_table_loses_nothing(spans, value, text):
    full = [
        Span(s.episode, s.label, s.start, s.end, s.author, s.kind, confidence=s.confidence, object=text,
             verified_by=text, values=(value, -value), blob="ab12", error=abs(value), error_unit="mm")
        for s in spans
    ]  # fmt: skip
    fields = [name for name in Span.__slots__ if name not in ("place", "edge_case")]
    assert kept(read(write_csv(full)).spans, *fields) == kept(full, *fields)


@given(labelled(MS))
def test_elan_keeps_kind_label_annotator_and_milliseconds(spans):
    fields = ("kind", "label", "author", "start", "end")
    for episode in {span.episode for span in spans}:
        own = [span for span in spans if span.episode == episode]
        assert kept(read(write_elan(own)).spans, *fields) == kept(own, *fields)


@given(labelled(), st.sampled_from((10.0, 25.0, 30.0, 29.97)))
def test_label_studio_keeps_labels_to_the_frame(frames, fps):
    spans = [
        Span(
            s.episode,
            s.label,
            round(s.start * S / fps),
            round(s.end * S / fps),
            s.author,
            s.kind,
            confidence=s.confidence,
        )
        for s in frames
    ]
    found = read(write_label_studio(spans, fps))
    assert found.fps == fps
    fields = ("episode", "kind", "label", "author", "start", "end", "confidence")
    assert kept(found.spans, *fields) == kept(frames, *fields)


def test_annotations_from_frames_begin_where_the_episode_does():
    (made,) = make_annotations([Span("e", "reach", 3, 6, "ann")], S / 30, begins_ns=10 * S)
    assert (made.start_ns, made.end_ns) == (10 * S + 10**8, 10 * S + 2 * 10**8)


@pytest.fixture(scope="module")
def salami():
    folder = find_shared_data("annot-salami")
    if folder is None:
        pytest.skip("no segmented songs beside the repository: shared/data/annot-salami")
    return folder / "annotations"


def test_all_songs_of_salami_are_read(salami):
    files = sorted(salami.rglob("*_uppercase.txt"))
    assert len(files) == 80
    for file in files:
        found = read(file.read_text(), file.name)
        assert (found.format, found.open_ended) == ("start times", False), file


def test_elan_and_praat_files_of_others():
    folder = find_shared_data("annot-pygamma")
    if folder is None:
        pytest.skip("no test vectors beside the repository: shared/data/annot-pygamma")
    eaf = read((folder / "MaureenMarvinRobin.eaf").read_text(), tiers=Tiers.AUTHOR)
    grid = read((folder / "MaureenMarvinRobin.TextGrid").read_text(), tiers=Tiers.AUTHOR)
    assert {span.author for span in eaf.spans} == {"Maureen", "Marvin", "Robin"}
    for ours, theirs in zip(eaf.spans, grid.spans, strict=True):
        assert (ours.author, ours.label) == (theirs.author, theirs.label)
        assert abs(ours.start - theirs.start) < MS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("episode,label,start_s,end_s,duration_s\ne1,reach,1,,2\ne1,lift,3,4,\n", [(1, 3), (3, 4)]),
        ("episode,label,start_s,duration_s\ne1,reach,1,2\n", [(1, 3)]),
    ],
)
def test_the_cell_that_is_filled_states_when_a_label_ends(text, expected):
    assert [(span.start, span.end) for span in read(text).spans] == [(a * S, b * S) for a, b in expected]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("episode,label,duration_s,result\ne1,reach,2,success\n", "start_s"),
        ("episode,label,start_s,duration_s\ne1,reach,1,\n", "end_s"),
        ("episode,label,start_frame,end_frame\ne1,reach,,4\n", "start_frame"),
    ],
)
def test_a_label_without_its_times_is_refused_by_its_line(text, missing):
    with pytest.raises(BadInput, match=rf"line 2: a label needs {missing}"):
        read(text)
