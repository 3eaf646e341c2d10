"""Repairs on the way into a release: what is cut or moved, what is let in, and that the log stays as it is."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.errors import Refused
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import NO_SUBJECT, note
from fieldloop.model.stream import NS_PER_S, ClockKind
from fieldloop.model.taken import select_samples
from fieldloop.protocol import default_operations
from fieldloop.release import Terms, apply_fixes, assemble_release
from fieldloop.release.fixes import select_fixes
from fieldloop.testing.synthetic import make_healthy_recording

IDLE = note("check.fix_idle_head")

MS = NS_PER_S // 1000


def finding(status=Status.FAILED, fix=None, check="adherence.idle"):
    return Finding(check, NO_SUBJECT, status, 3.0, None, 1.0, "s", fix=fix)


def report(*findings, status=Status.FAILED, episode="e"):
    return EpisodeReport(episode, "name", status, findings)


TRIM = Fix(FixKind.TRIM, IDLE, start_ns=5, end_ns=9)
RESTAMP = Fix(FixKind.RESTAMP, IDLE, "camera/wrist", shift_ns=-12 * MS)
DROP = Fix(FixKind.DROP, IDLE)


def test_trimming_keeps_what_lies_between_in_every_stream():
    made = make_healthy_recording()
    start, end = made.episode.start_ns + NS_PER_S, made.episode.end_ns - NS_PER_S
    mended = apply_fixes(made, [Fix(FixKind.TRIM, IDLE, start_ns=start, end_ns=end)])
    for name, stream in mended.streams.items():
        assert stream.times_ns.min() >= start
        assert stream.times_ns.max() <= end
        whole = made.streams[name]
        inside = (whole.times_ns >= start) & (whole.times_ns <= end)
        assert len(stream) == inside.sum()
        if whole.values is not None:
            np.testing.assert_array_equal(stream.values, whole.values[inside])
        else:
            first = next(stream.pictures.frames([0]))
            np.testing.assert_array_equal(first, next(whole.pictures.frames([int(np.argmax(inside))])))
            assert len(stream.pictures) == len(stream)
    assert (mended.episode.start_ns, mended.episode.end_ns) == (start, end)
    assert len(made.streams["joints"]) == len(make_healthy_recording().streams["joints"]), (
        "what was read stays as it was"
    )


def on_its_own_clock(made, rows=slice(None)):
    """Return the recording with a wrist video that counts from 0, and is perhaps shorter."""
    video = select_samples(made.streams["camera/wrist"], np.arange(len(made.streams["camera/wrist"]))[rows])
    own = replace(video, clocks={ClockKind.CONTAINER: video.times_ns - video.times_ns[0]})
    return replace(made, streams={**made.streams, "camera/wrist": own})


def test_a_video_that_counts_from_its_own_beginning_is_cut_with_the_rest():
    made = make_healthy_recording()
    fix = Fix(FixKind.TRIM, IDLE, start_ns=made.episode.start_ns + NS_PER_S, end_ns=made.episode.end_ns - NS_PER_S)
    cut, alike = (apply_fixes(one, [fix]).streams["camera/wrist"] for one in (on_its_own_clock(made), made))
    assert abs(len(cut) - len(alike)) <= 1
    assert abs(int(cut.times_ns[0]) - NS_PER_S) <= NS_PER_S // 30, "it stays on its own clock"
    shown, truth = (next(video.pictures.frames([40])).astype(float) for video in (cut, alike))
    neighbours = [next(alike.pictures.frames([k])).astype(float) for k in (30, 50)]
    assert np.abs(shown - truth).mean() < min(np.abs(shown - far).mean() for far in neighbours)


@pytest.mark.parametrize("rows", [slice(30, None), slice(0, -30), slice(0, 1)], ids=["late", "early", "one picture"])
def test_a_video_of_another_length_on_its_own_clock_is_not_cut_at_a_guess(rows):
    made = make_healthy_recording()
    fix = Fix(FixKind.TRIM, IDLE, start_ns=made.episode.start_ns + NS_PER_S)
    with pytest.raises(Refused, match="camera/wrist has a clock of its own"):
        apply_fixes(on_its_own_clock(made, rows), [fix])
    untouched = apply_fixes(on_its_own_clock(made, rows), [replace(fix, start_ns=None)])
    assert untouched.episode == made.episode, "where nothing is cut nothing has to be known"


def test_a_stream_that_ended_before_the_cut_has_nothing_left():
    made = make_healthy_recording()
    short = select_samples(made.streams["force"], np.arange(20))
    mended = apply_fixes(
        replace(made, streams={**made.streams, "force": short}),
        [Fix(FixKind.TRIM, IDLE, start_ns=made.episode.start_ns + NS_PER_S)],
    )
    assert len(mended.streams["force"]) == 0


def test_restamping_moves_the_clock_it_names_and_no_other():
    made = make_healthy_recording()
    video = made.streams["camera/wrist"]
    two = replace(video, clocks={ClockKind.HEADER: video.times_ns, ClockKind.CONTAINER: video.times_ns})
    fix = replace(RESTAMP, clock=ClockKind.CONTAINER)
    moved = apply_fixes(replace(made, streams={**made.streams, "camera/wrist": two}), [fix]).streams["camera/wrist"]
    np.testing.assert_array_equal(moved.clocks[ClockKind.HEADER], video.times_ns)
    np.testing.assert_array_equal(moved.clocks[ClockKind.CONTAINER], video.times_ns - 12 * MS)


def test_restamping_moves_every_clock_of_one_stream_before_anything_is_cut():
    made = make_healthy_recording()
    start = made.episode.start_ns + NS_PER_S
    mended = apply_fixes(made, [Fix(FixKind.TRIM, IDLE, start_ns=start), RESTAMP])
    for kind, times in mended.streams["camera/wrist"].clocks.items():
        before = made.streams["camera/wrist"].clocks[kind] - 12 * MS
        assert set(times.tolist()) <= set(before.tolist())
    assert mended.streams["camera/wrist"].times_ns.min() >= start
    np.testing.assert_array_equal(
        mended.streams["camera/overhead"].times_ns,
        made.streams["camera/overhead"].times_ns[made.streams["camera/overhead"].times_ns >= start],
    )


def test_a_stream_that_is_not_there_is_no_reason_to_fail():
    assert (
        apply_fixes(make_healthy_recording(), [replace(RESTAMP, stream="camera/nobody")]).streams.keys()
        == make_healthy_recording().streams.keys()
    )


@pytest.mark.parametrize(
    ("findings", "kinds", "expected"),
    [
        ((finding(fix=TRIM),), (FixKind.TRIM,), (TRIM,)),
        ((finding(fix=TRIM), finding(fix=RESTAMP)), (FixKind.TRIM,), None),
        ((finding(fix=TRIM), finding(fix=RESTAMP)), tuple(FixKind), (TRIM, RESTAMP)),
        ((finding(fix=TRIM), finding()), tuple(FixKind), None),
        ((finding(fix=DROP),), tuple(FixKind), None),
        ((finding(fix=TRIM), finding(Status.ERRORED)), tuple(FixKind), None),
        ((finding(Status.PASSED),), (), ()),
        ((finding(fix=TRIM), finding(fix=TRIM)), (FixKind.TRIM,), (TRIM,)),
    ],
)
def test_only_what_is_mended_throughout_is_let_in(findings, kinds, expected):
    assert select_fixes(report(*findings), kinds) == expected


def frozen(*, fix, **changes):
    episode = replace(make_healthy_recording().episode, id="e", **changes)
    terms = Terms("default v1", fix=fix)
    return assemble_release("r", [episode], [report(finding(fix=TRIM))], [], terms, default_operations()["release"])


def test_a_release_lets_mended_episodes_in_only_when_asked_and_says_so():
    with pytest.raises(Refused, match="No episode may enter"):
        frozen(fix=())
    made = frozen(fix=(FixKind.TRIM,))
    assert made.fixes == (("e", TRIM),)
    assert made.get_fixes("e") == (TRIM,)
    assert made.get_fixes("other") == ()


def test_another_fix_is_another_release():
    other = replace(TRIM, end_ns=8)
    episode = replace(make_healthy_recording().episode, id="e")
    settings = default_operations()["release"]
    ids = {
        assemble_release("r", [episode], [report(finding(fix=f))], [], Terms("p", fix=tuple(FixKind)), settings).id
        for f in (TRIM, other)
    }
    assert len(ids) == 2


def test_chosen_samples_keep_stamps_numbers_and_pictures_together():
    stream = make_healthy_recording().streams["camera/overhead"]
    few = select_samples(stream, np.array([3, 10, 11]))
    assert few.pictures.size == stream.pictures.size
    shown = list(few.pictures.frames([0, 2]))
    np.testing.assert_array_equal(shown[1], next(stream.pictures.frames([11])))
    assert len(list(few.pictures.frames())) == 3
