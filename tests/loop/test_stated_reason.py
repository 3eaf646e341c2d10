"""An override needs a reason that says something: two words, or one long one. One rule for all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loop.labelled import annotated_workspace

from fieldloop.errors import BadInput
from fieldloop.loop.audit.audit import override_audit
from fieldloop.loop.ship.release_reasons import require_reason
from fieldloop.loop.work.stated_reason import count_words, require_stated_reason
from fieldloop.model.note import note


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with annotated_workspace(tmp_path_factory.mktemp("reasons")) as opened:
        yield opened


@pytest.mark.parametrize("reason", ["x", "ok", "test", "....", "1234567890", "- -", "1 2", "a b", "试点"])
def test_a_word_that_says_nothing_is_refused(here, reason):
    with pytest.raises(BadInput, match=r"too short as a reason.*at least 2 words or 8 letters"):
        require_stated_reason(here, f" {reason} ")


@pytest.mark.parametrize("reason", ["a pilot", "Pilotbetrieb", "the pilot starts on Monday", "试点周一开始", "no log"])
def test_two_words_or_a_long_one_are_a_reason(here, reason):
    assert require_stated_reason(here, f" {reason}\n") == reason
    assert require_stated_reason(here, " ") == ""


@given(st.text())
def test_what_is_accepted_is_what_was_written(here, text):
    try:
        assert require_stated_reason(here, text) == text.strip()
    except BadInput:
        assert sum(one.isalpha() for one in text) < 8
        assert count_words(text) < 2 or sum(one.isalpha() for one in text) < 4


def test_the_audit_and_the_release_ask_for_it(here):
    with pytest.raises(BadInput, match="--reason"):
        override_audit(here, reason="x")
    reasons = (note("audit.not_mapped"),)
    with pytest.raises(BadInput, match="--override"):
        require_reason(here, "r1", reasons, "x")
    assert require_reason(here, "r1", reasons, "a pilot").startswith("a pilot (overridden by")
