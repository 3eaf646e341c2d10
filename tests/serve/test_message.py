"""Observations in the words of several clients, and what is refused by name."""

import contextlib
import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serve.running import CARD, see

from fieldloop.errors import BadInput
from fieldloop.model.policy import Action, Input
from fieldloop.serve.message import read_header, read_observation, write_action

PICTURE = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
CHUNKING = dataclasses.replace(CARD, max_delay_steps=2)


def read(message, card=CARD):
    return read_observation(message, card, 7)


@pytest.mark.parametrize(
    "message",
    [
        {"images": {"cam_high": PICTURE}, "state": np.zeros(3), "prompt": "x"},
        {"images/cam_high": PICTURE, "state": np.zeros(3), "prompt": "x"},
        {"images": {"cam_high": PICTURE.transpose(2, 0, 1)}, "state": np.zeros(3), "prompt": "x"},
        {"observation": {"images": {"cam_high": PICTURE}, "state": np.zeros(3)}, "prompt": "x"},
        {"observation.images.cam_high": PICTURE, "observation.state": np.zeros(3), "prompt": "x"},
    ],
    ids=["nested", "flat", "channels first", "nested twice", "with dots"],
)
def test_one_observation_in_the_words_of_several_clients(message):
    seen = read(message)
    np.testing.assert_array_equal(seen.pictures["images/cam_high"], PICTURE)
    assert (seen.prompt, seen.at_ns, seen.leftover) == ("x", 7, None)


def test_channels_last_become_channels_first_where_the_policy_wants_it():
    card = dataclasses.replace(CARD, inputs=(Input("cam", (3, 4, 5), "uint8"),), takes_prompt=False)
    np.testing.assert_array_equal(read({"cam": PICTURE}, card).pictures["cam"], PICTURE.transpose(2, 0, 1))


def test_a_last_part_that_is_not_unique_finds_nothing():
    card = dataclasses.replace(
        CARD, inputs=(Input("camera/top", (2,), "float32"), Input("depth/top", (2,), "float32")), takes_prompt=False
    )
    with pytest.raises(BadInput, match="lacks camera/top, depth/top; it holds top"):
        read({"top": np.zeros(2)}, card)
    card = dataclasses.replace(CARD, inputs=(Input("camera/top", (2,), "float32"),), takes_prompt=False)
    with pytest.raises(BadInput, match="lacks camera/top"):
        read({"a": {"top": np.zeros(2)}, "b": {"top": np.zeros(2)}}, card)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"prompt": 3}, "prompt = 3 is not a text"),
        ({"state": np.full(3, np.nan)}, "'state' holds no number at all"),
        ({"state": "abc"}, "'state' is not an array of numbers"),
        ({"prev_chunk_left_over": np.zeros((2, 2))}, "not trained to continue a chunk"),
    ],
)
def test_what_cannot_be_acted_on_is_refused_by_name(change, reason):
    with pytest.raises(BadInput, match=reason):
        read(see(**change))


def test_a_task_in_words_is_required_where_the_policy_takes_one():
    message = see()
    del message["prompt"]
    with pytest.raises(BadInput, match="lacks prompt"):
        read(message)
    assert read(message, dataclasses.replace(CARD, takes_prompt=False)).prompt == ""


def test_one_nan_among_numbers_is_seen_by_the_policy():
    assert np.isnan(read(see(state=np.array([np.nan, 1.0, 2.0]))).signals["state"][0])


@pytest.mark.parametrize("shape", [(3, 2), (1, 3, 2)])
def test_the_rest_of_the_last_chunk_and_its_delay_reach_the_policy(shape):
    seen = read(see(prev_chunk_left_over=np.ones(shape, np.float32), inference_delay=2), CHUNKING)
    assert (seen.leftover.shape, seen.delay_steps) == ((3, 2), 2)


@pytest.mark.parametrize(
    ("leftover", "delay", "reason"),
    [
        (np.ones((3, 2)), 3, "delay of 3 steps is longer than the 2"),
        (np.ones((3, 2)), 4, "not a number of steps from 0 to 3"),
        (np.ones((3, 2)), -1, "not a number of steps"),
        (np.ones((3, 2)), True, "not a number of steps"),
        (np.ones((3, 3)), 1, r"has the shape \(3, 3\), not \(steps, 2\)"),
        (np.full((3, 2), np.inf), 1, "not finite"),
    ],
)
def test_a_leftover_that_the_policy_was_not_trained_for_is_refused(leftover, delay, reason):
    with pytest.raises(BadInput, match=reason):
        read(see(prev_chunk_left_over=leftover, inference_delay=delay), CHUNKING)


@pytest.mark.parametrize("message", [{"deadline_ms": -1}, {"deadline_ms": "soon"}, {"reset": 1}, {"robot": 4}])
def test_a_header_that_makes_no_sense_is_refused(message):
    with pytest.raises(BadInput):
        read_header(message)


@given(st.dictionaries(st.text(max_size=4), st.recursive(st.none() | st.text(max_size=3), st.lists, max_leaves=4)))
def test_whatever_comes_is_read_or_refused(message):
    for function in (read_header, read):
        with contextlib.suppress(BadInput):  # any other error fails the test
            function(message)


def test_a_chunk_is_never_shorter_than_promised():
    timing = {"infer_ms": 1.0}
    with pytest.raises(BadInput, match="answered 3 steps; its card promises 4"):
        write_action(Action(("x", "y"), np.zeros((3, 2))), CARD, timing)
    reply = write_action(Action(("x", "y"), np.zeros((4, 2), np.float32)), CARD, timing)
    assert [name for name, value in reply.items() if isinstance(value, np.ndarray)] == ["actions"]
