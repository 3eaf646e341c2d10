"""An episode's facts as texts: what is written is what is read, and what cannot be is named."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import (
    ALIASES,
    FIELDS,
    FLAGS,
    LONGEST_FACT,
    TEXTS,
    TRUTHS,
    convert_to_texts,
    escape_non_utf8,
    find_losses_in_texts,
    parse_texts,
)
from fieldloop.testing.facts import write_note_facts

NOT_SAID = {"id", "format", "start_ns", "end_ns", "facts", "stated", "set_aside"}
WORDS = st.text(max_size=8)
KEYS = WORDS | st.sampled_from([*FIELDS, "success", "robot_type"])
EPISODES = st.builds(
    Episode,
    id=st.just(""),
    format=st.just(""),
    **dict.fromkeys(TEXTS, WORDS),
    **dict.fromkeys(FLAGS, st.none() | st.booleans()),
    stratum=st.dictionaries(WORDS, WORDS, max_size=2).map(Stratum.of),
    facts=st.lists(st.tuples(KEYS, WORDS), max_size=3).map(lambda pairs: tuple(sorted(pairs))),
)


def test_every_field_of_an_episode_that_a_log_can_say_is_listed():
    assert set(FIELDS) == {field.name for field in fields(Episode)} - NOT_SAID
    assert ALIASES.keys() <= set(FIELDS)
    assert not {name for names in ALIASES.values() for name in names} & set(FIELDS)


@given(EPISODES)
def test_what_is_written_is_what_is_read_unless_it_is_named(episode):
    said, wrong = parse_texts(convert_to_texts(episode))
    again = Episode(**({"name": ""} | said), id="", format="")
    if not find_losses_in_texts(episode):
        assert (again, wrong) == (episode, [])
    for name in FIELDS:
        if getattr(again, name) != getattr(episode, name):
            assert any(dict(loss.numbers).get("name") == name for loss in find_losses_in_texts(episode))


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)) | WORDS, WORDS), st.booleans())
def test_no_text_breaks_it(texts, foreign):
    said, wrong = parse_texts(texts, from_foreign_log=foreign)
    Episode(**({"name": ""} | said), id="", format="")
    assert all(key in FIELDS and message.code.startswith("ingest.") for key, message in wrong)


def test_other_peoples_words_fill_a_field_of_foreign_texts_alone():
    texts = {"robot_type": "panda", "success": "yes", "task": "own", "task_name": "theirs"}
    said, wrong = parse_texts(texts, from_foreign_log=True)
    assert (said["robot"], said["succeeded"], said["task"], wrong) == ("panda", True, "own", [])
    assert dict(said["facts"])["robot_type"] == "panda"
    assert {"robot", "succeeded"}.isdisjoint(parse_texts(texts)[0])


def test_a_field_stated_wrongly_is_named_and_a_score_under_another_name_is_not():
    said, wrong = parse_texts({"succeeded": "0.7", "stratum": "dim"})
    assert [key for key, _ in wrong] == ["succeeded", "stratum"]
    assert "succeeded" not in said
    assert said["stratum"] == Stratum()
    said, wrong = parse_texts({"success": "0.7"}, from_foreign_log=True)
    assert (wrong, dict(said["facts"])) == ([], {"success": "0.7"})


def test_every_word_for_true_and_false_is_understood():
    assert all(parse_texts({"simulated": word})[0]["simulated"] is meant for word, meant in TRUTHS.items())


def test_a_text_longer_than_a_row_holds_is_kept_by_size_and_hash():
    said, wrong = parse_texts({"env_args": "x" * 11_000, "urdf": "x" * (LONGEST_FACT + 1)})
    facts = dict(said["facts"])
    assert len(facts["env_args"]) == 11_000
    assert facts["urdf"].startswith(f"{LONGEST_FACT + 1} characters, sha256 ")
    assert not wrong


def test_what_is_no_utf8_is_written_as_an_escape_and_named():
    episode = Episode("", "caf\udce9", "", facts=(("k\udce9", "v"),))
    assert convert_to_texts(episode)["name"] == escape_non_utf8("caf\udce9") == "caf\\udce9"
    assert len(find_losses_in_texts(episode)) == 2
    lost = [write_note_facts(loss) for loss in find_losses_in_texts(episode)]
    for text in [*convert_to_texts(episode), *convert_to_texts(episode).values(), *lost]:
        text.encode()
