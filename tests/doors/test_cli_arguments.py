"""A command's options follow from its function's signature, and misspelt ones are helped."""

import pickle
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Literal

import pytest

from fieldloop.cli.arguments import build_parser, get_argument_values
from fieldloop.doors.parameters import read_parameters
from fieldloop.errors import BadInput, UnknownChoice, UnknownName
from fieldloop.loop.catalogue import COMMANDS, Needs


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def paint(
    workspace: object,
    paths: tuple[Path, ...],
    name: str = "",
    *,
    colour: Colour = Colour.RED,
    coats: int | None = None,
    share: float = 0.5,
    site: tuple[str, ...] = (),
    dry: bool = False,
    careful: bool = True,
    sure: bool | None = None,
    mode: Literal["fast", "slow"] = "fast",
    tell: Callable[[str], None] | None = None,
) -> str:
    """Paint a thing.

    Arguments:
        paths: what to paint,
            one or more
        coats: how many; 100 % by default
    """


ASK = read_parameters(paint)


def parse(*words):
    parser = build_parser("paint", "Paint a thing.", ASK, Needs.WORKSPACE)
    return get_argument_values(ASK, parser.parse(words))


def test_defaults_are_the_functions_own():
    given = parse("a.log")
    assert given == {
        "paths": (Path("a.log"),),
        "name": "",
        "colour": Colour.RED,
        "coats": None,
        "share": 0.5,
        "site": (),
        "dry": False,
        "careful": True,
        "sure": None,
        "mode": "fast",
    }


def test_every_kind_of_value_is_read():
    given = parse(
        "a",
        "b",
        "--colour",
        "blue",
        "--coats",
        "3",
        "--share",
        "0.25",
        "--site",
        "x",
        "--site",
        "y",
        "--dry",
        "--no-careful",
        "--no-sure",
        "--mode",
        "slow",
    )
    assert given["paths"] == (Path("a"), Path("b"))
    assert given["colour"] is Colour.BLUE
    assert (given["coats"], given["share"], given["site"]) == (3, 0.25, ("x", "y"))
    assert (given["dry"], given["careful"], given["sure"], given["mode"]) == (True, False, False, "slow")


def test_functions_are_handed_in_not_typed():
    assert ASK.seams == {"tell"}
    assert "tell" not in {p.name for p in ASK.parameters}


def test_help_comes_from_the_docstring():
    text = build_parser("paint", "Paint a thing.", ASK, Needs.WORKSPACE).format_help()
    assert "what to paint, one or more" in " ".join(text.split())
    assert "100 % by default" in " ".join(text.split())
    assert "--workspace DIR" in text
    assert "--json" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a", "--colur", "red"), "Did you mean '--colour'?"),
        (("a", "--colour", "bleu"), "Did you mean 'blue'?"),
        (("a", "--coats", "three"), "coats must be a whole number, not 'three'"),
        (("a", "--share", "half"), "share must be a number, not 'half'"),
        ((), "PATHS"),
    ],
)
def test_bad_words_get_a_clear_message(words, said):
    with pytest.raises(BadInput, match=said.replace("?", r"\?")):
        parse(*words)


@pytest.mark.parametrize(("option", "value"), [("--colour", "bleu"), ("--mode", "slwo"), ("--mode", "x")])
def test_a_value_that_is_no_choice_names_the_option_as_typed_and_all_choices(option, value):
    with pytest.raises(UnknownChoice) as refused:
        parse("a", option, value)
    wrong = refused.value
    assert all(word in str(wrong) for word in (option, value, *wrong._made_of[2]))
    again = pickle.loads(pickle.dumps(wrong))
    assert (str(again), again.suggestion) == (str(wrong), wrong.suggestion)


def tag(workspace: object, paths: tuple[Path, ...], *, set_: tuple[str, ...] = (), sure: bool = False) -> str:
    """Tag things."""


@pytest.mark.parametrize(
    "words",
    [
        ("a", "b", "--set", "x=1", "y=2"),
        ("--set", "x=1", "y=2", "a", "b"),
        ("a", "--set", "x=1", "b", "--set", "y=2"),
        ("--set", "x=1", "a", "--set", "y=2", "b"),
        ("--set", "x=1", "a", "y=2", "b", "--sure"),
        ("--set", "x=1", "--set", "y=2", "a", "b"),
        ("--set", "x=1", "y=2", "--", "a", "b"),
        ("--set=x=1", "--set=y=2", "a", "b"),
    ],
)
def test_a_word_after_facts_that_is_no_fact_is_an_argument(words):
    ask = read_parameters(tag)
    given = get_argument_values(ask, build_parser("tag", "Tag things.", ask, Needs.WORKSPACE).parse(words))
    assert (given["paths"], given["set_"]) == ((Path("a"), Path("b")), ("x=1", "y=2"))


def test_conditions_of_a_release_may_follow_one_option():
    """The docs wrote it so, and the second condition was taken for a misspelt verb."""

    def freeze(workspace: object, name: str, *, where: tuple[str, ...] = ()) -> str:
        """Freeze."""

    ask = read_parameters(freeze)
    for words in (("r2", "--where", "site=a", "lighting=dim"), ("--where", "site=a", "lighting=dim", "r2")):
        given = get_argument_values(ask, build_parser("release", "Freeze.", ask, Needs.WORKSPACE).parse(words))
        assert (given["name"], given["where"]) == ("r2", ("site=a", "lighting=dim"))


def test_the_first_word_after_the_option_of_facts_stays_its_own():
    ask = read_parameters(tag)
    given = get_argument_values(
        ask, build_parser("tag", "Tag things.", ask, Needs.WORKSPACE).parse(["a", "--set", "x"])
    )
    assert given["set_"] == ("x",)


def test_a_misspelt_verb_is_suggested():
    def plan(workspace: object) -> str:
        """Draw the plan."""

    parser = build_parser("plan", "Draw the plan.", read_parameters(plan), Needs.WORKSPACE)
    with pytest.raises(UnknownName, match="Did you mean 'show'"):
        parser.parse(["shwo"])


def test_a_type_that_cannot_be_typed_is_refused():
    def odd(workspace: object, what: dict[str, int]) -> str:
        """Do something odd."""

    with pytest.raises(TypeError, match="what"):
        read_parameters(odd)


@pytest.mark.parametrize("command", ["deal", "next", "save"])
@pytest.mark.parametrize("word", ["--author", "--annotator"])
def test_whoever_labels_is_named_by_one_word_everywhere(command, word):
    case = COMMANDS[f"annotate {command}"]
    ask = read_parameters(case.load())
    needed = ["e0", "--segments-text", "[]"] if command == "save" else []
    values = get_argument_values(ask, build_parser(case.command, "", ask, case.needs).parse([*needed, word, "ann"]))
    assert (values.get("author") or values.get("annotator")) in ("ann", ("ann",), ["ann"])


@pytest.mark.parametrize("words", [["r1", "--out", "x"], ["r1", "--target=x"], ["--output", "x", "r1"]])
def test_an_option_for_an_argument_without_one_names_the_argument(words):
    case = COMMANDS["release export"]
    parser = build_parser(case.command, "", read_parameters(case.load()), case.needs)
    with pytest.raises(BadInput, match="write the same as TARGET, without an option"):
        parser.parse(words)
