"""The words are complete, and a file that leaves something open is refused."""

import pytest

from fieldloop.annotate import load_shipped_taxonomy, parse_taxonomy
from fieldloop.errors import BadInput, ProtocolError
from fieldloop.model.taxonomy import PHASES

HEAD = '[taxonomy]\nname = "t"\nversion = 1\n'
LABEL = '[[label]]\nname = "a"\ndefinition = "d"\nbegins = "b"\nends = "within {reach:g} cm"\n'
REACH = '[measures.reach]\nvalue = 5\nunit = "cm"\nwhy = "w"\nsource = { kind = "assumed", ref = "r" }\n'


def test_the_shipped_taxonomy_defines_every_phase_in_order():
    assert tuple(label.name for label in load_shipped_taxonomy().labels) == PHASES
    assert all(label.definition and label.begins and label.ends for label in load_shipped_taxonomy().labels)
    assert not any("{" in label.ends for label in load_shipped_taxonomy().labels)


def test_numbers_reach_the_definitions():
    made, numbers = parse_taxonomy(HEAD + LABEL + REACH)
    assert (made.labels[0].ends, numbers) == ("within 5 cm", {"reach": 5.0})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[taxonomy", "not valid TOML"),
        (LABEL + REACH, "needs a name and a version that is a whole number"),
        (HEAD, "labels must be there"),
        (HEAD + LABEL + LABEL + REACH, "distinct names"),
        (HEAD + LABEL, "names an unknown measure"),
        (HEAD + LABEL.replace('begins = "b"', 'begins = " "') + REACH, "lacks begins"),
        (HEAD + LABEL + 'colour = "red"\n' + REACH, "No key called 'colour'"),
        (HEAD + LABEL + REACH.replace('why = "w"\n', ""), "why is missing"),
        ("[more]\n" + HEAD + LABEL + REACH, "No key called 'more'"),
    ],
)
def test_a_file_that_leaves_something_open_is_refused(text, message):
    with pytest.raises((BadInput, ProtocolError), match=message):
        parse_taxonomy(text)
