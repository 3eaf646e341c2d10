"""The worst episodes: which they are, when they may be left out, and how smoothness finds a shaky hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.evaluate.looks import Looks
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.note import Note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.worth import EpisodeWorth, Worth, WorthMethod
from fieldloop.protocol import default_operations
from fieldloop.release.smooth_motion import measure_motion_worth
from fieldloop.release.worth import (
    compare_paired_trials,
    compare_trials,
    find_evidence,
    order_by_worth,
    select_worst,
    summarise_evidence,
)
from fieldloop.say import write_sentence

SETTINGS = default_operations()["worth"]
START_NS = 1_700_000_000 * NS_PER_S


def hand(episode, shake_m=0.0, long_s=8.0, hz=100.0, kind=StreamKind.POSE):
    """A hand that goes back and forth, and trembles at 7 Hz."""
    seconds = np.arange(0, long_s, 1 / hz)
    path = 0.2 * np.sin(2 * np.pi * 0.5 * seconds) + shake_m * np.sin(2 * np.pi * 7 * seconds)
    values = np.column_stack([path, 0.5 * path, 0 * path, *np.tile([[0], [0], [0], [1]], len(path))])
    stamps = START_NS + np.round(seconds * NS_PER_S).astype(np.int64)
    stream = Stream("tool", kind, "m", {ClockKind.HEADER: stamps}, values=values)
    known = Episode(id=episode, name=f"take-{episode}", format="test", start_ns=START_NS, end_ns=int(stamps[-1]))
    return Recording(known, {"tool": stream})


def test_a_trembling_hand_is_worth_less_whatever_its_length():
    steady, longer, shaky = (
        measure_motion_worth(hand(name, shake, long), SETTINGS, 0.95)
        for name, shake, long in (("a", 0.0, 8.0), ("b", 0.0, 16.0), ("c", 0.006, 8.0))
    )
    assert shaky.value < steady.value - 0.1
    assert longer.value == pytest.approx(steady.value, abs=0.05)
    assert steady.low <= steady.value <= steady.high


def test_one_window_gives_a_value_without_an_interval():
    short = measure_motion_worth(hand("a", long_s=1.5), SETTINGS, 0.95)
    assert (short.low, short.high) == (None, None)


@pytest.mark.parametrize(
    ("recording", "code"),
    [
        (hand("a", kind=StreamKind.GRIPPER), "worth.no_motion_recorded"),
        (hand("a", hz=12.0), "worth.sampled_too_slowly"),
        (hand("a", long_s=0.8), "worth.too_short"),
    ],
)
def test_what_cannot_be_told_is_stated_with_the_reason(recording, code):
    why = measure_motion_worth(recording, SETTINGS, 0.95)
    assert isinstance(why, Note)
    assert why.code == code
    assert write_sentence(why).endswith(".")


def make_worth(*values, method=WorthMethod.SMOOTH):
    return Worth(method, tuple(EpisodeWorth(f"e{i}", f"take {i}", value) for i, value in enumerate(values)))


def test_the_worst_are_left_out_with_reason_value_and_method():
    left = select_worst(make_worth(0.3, -0.2, 0.9, 0.1), 0.5, "whole")
    assert [episode for episode, _ in left] == ["e1", "e3"]
    why = left[0][1]
    assert (why["rank"], why["of"], why["value"], why["method"], why["whole"]) == (1, 4, -0.2, "smooth", "whole")
    assert "rank 1 of 4" in write_sentence(why)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 30.0, float("nan")])
def test_a_share_of_nothing_or_everything_is_refused(share):
    with pytest.raises(BadInput, match="between 0 and 1"):
        select_worst(make_worth(1.0, 2.0), share, "whole")


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30), st.floats(0.05, 0.95))
def test_no_episode_left_out_is_worth_more_than_one_kept(values, share):
    worth = make_worth(*values)
    out = {episode for episode, _ in select_worst(worth, share, "whole")}
    assert len(out) == round(share * len(values))
    ordered = order_by_worth(worth.episodes)
    assert {one.episode for one in ordered[: len(out)]} == out


def tried(before, after, trials=200, share=0.3, method="smooth"):
    return compare_trials("r1", "r2", method, share, ((before, trials), (after, trials)), 0.95)


def test_only_a_gain_whose_whole_interval_is_above_zero_is_evidence():
    assert tried(90, 120).helps
    assert not tried(90, 100).helps
    assert tried(120, 90).harms
    assert not tried(0, 0, trials=0).helps


def test_evidence_is_of_the_same_method_and_share_and_the_newest_counts():
    helps, harms = tried(90, 120), tried(120, 90)
    assert find_evidence((helps,), "smooth", 0.3) is helps
    assert find_evidence((helps,), "smooth", 0.2) is None
    assert find_evidence((helps,), "influence", 0.3) is None
    assert find_evidence((harms, helps), "smooth", 0.3) is None


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        ((), "worth.no_trials"),
        ((tried(90, 120),), "worth.helps"),
        ((tried(120, 90),), "worth.harms"),
        ((tried(90, 95),), "worth.cannot_tell"),
    ],
)
def test_the_conclusion_states_what_trials_show(evidence, code):
    found = summarise_evidence(evidence)
    assert found.code == code
    assert "(" not in write_sentence(found) or "to" in write_sentence(found)


def judge_pairs(before, after, planned=200):
    """Judge trials of either policy by the looks that are complete."""
    pairs = list(zip(before.tolist(), after.tolist(), strict=True))
    return compare_paired_trials("r1", "r2", "smooth", 0.3, pairs, planned, Looks(0.05, 0).get_level)


def test_nothing_is_shown_before_the_planned_number_of_trials():
    never, always = np.zeros(199, bool), np.ones(199, bool)
    few = judge_pairs(never, always)
    assert (few.look, few.helps, few.trials) == (0, False, 199)
    assert find_evidence((few,), "smooth", 0.3) is None
    assert "first comparison needs 200" in write_sentence(summarise_evidence((few,)))
    enough = judge_pairs(np.zeros(399, bool), np.ones(399, bool))
    assert (enough.look, enough.helps, enough.trials, enough.waiting) == (1, True, 200, 199)


def test_trials_between_looks_do_not_count_so_asking_more_often_gains_nothing():
    """A run of luck after the first look is judged only with all trials of the second."""
    before, after = np.zeros(390, bool), np.zeros(390, bool)
    before[:100], after[:100], after[200:390] = True, True, True
    assert not judge_pairs(before, after).helps
    assert judge_pairs(before, after).look == 1


def test_all_looks_together_show_a_gain_that_is_none_in_one_of_forty_cases_at_most():
    """Five looks, 1,500 comparisons of equal policies; judged at 95 % each time, 8 % would show a gain."""
    random = np.random.default_rng(15)
    wrong = sum(judge_pairs(*(random.random((2, 1000)) < rate)).helps for rate in (0.5, 0.8, 0.95) for _ in range(500))
    assert wrong <= 0.025 * 1500


def test_the_newest_look_that_shows_a_difference_decides():
    before, after = np.zeros(800, bool), np.zeros(800, bool)
    after[:60] = True  # a gain at the first look, nothing afterwards
    assert judge_pairs(before, after).helps
    before[200:800] = True  # and later the opposite
    turned = judge_pairs(before, after)
    assert (turned.harms, turned.look) == (True, 4)


def test_several_comparisons_of_the_same_episodes_are_stated():
    helps = judge_pairs(np.zeros(200, bool), np.ones(200, bool))
    assert "compared 2 times" in write_sentence(summarise_evidence((helps, helps)))
    assert "compared" not in write_sentence(summarise_evidence((helps,)))
