"""A taxonomy is edited as a page does it: looked over first, written only when asked, never over another's change."""

import re

import pytest
from tests.loop.labelled import acting, annotated_workspace

from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.loop.annotate.taxonomy import change, taxonomies
from fieldloop.loop.annotate.taxonomy.edited import write_taxonomy_file
from fieldloop.loop.home.taxonomy import show_taxonomies
from fieldloop.model.person import Duty, Role


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        yield opened


@pytest.fixture
def file(here):
    taxonomies.write_new_taxonomy(here, "pick")
    return here.root / "taxonomies" / "pick.toml"


def test_looking_over_writes_nothing_and_states_every_error(here, file):
    text = file.read_text()
    seen = write_taxonomy_file(here, "pick", text=re.sub(r'(key *)= "2"', r'\1= "1"', text, count=1))
    assert (seen.written, seen.exit_ok) == (False, False)
    assert [note.code for note in seen.answers][:2] == ["annotate.taxonomy_has_errors", "annotate.lint_same_key"]
    assert file.read_text() == text


def test_a_save_from_an_older_text_is_refused(here, file):
    opened = show_taxonomies(here)
    first = write_taxonomy_file(here, "pick", text=opened.text + "# one\n", seen=opened.seen, write=True)
    assert (first.written, file.read_text()[-6:]) == (True, "# one\n")
    with pytest.raises(ChangedMeanwhile, match=r"pick\.toml was changed after you opened it"):
        write_taxonomy_file(here, "pick", text=opened.text + "# two\n", seen=opened.seen, write=True)
    assert file.read_text()[-6:] == "# one\n"
    assert show_taxonomies(here).seen == first.seen


def test_other_text_for_a_locked_version_is_not_written(here, file):
    change.lock_new_taxonomy(here)
    text = file.read_text()
    other = text.replace("The open gripper travels", "The open hand travels")
    assert write_taxonomy_file(here, "pick", text=text + "# a comment\n", write=True).written, "no label differs"
    with pytest.raises(Refused, match="version = 2"):
        write_taxonomy_file(here, "pick", text=other, write=True)
    assert "The open hand" not in file.read_text()
    assert write_taxonomy_file(here, "pick", text=other.replace("version = 1", "version = 2", 1), write=True).written
    shown = show_taxonomies(here)
    assert (shown.taxonomy.version_name, shown.locked) == ("pick v2", False)
    assert [(one.label, one.change) for one in shown.change.changes] == [("approach", "meaning")]
    assert show_taxonomies(here, older="pick@1").compared.changes == shown.change.changes


def test_text_that_cannot_be_read_is_refused_and_a_broken_file_can_be_mended(here, file):
    with pytest.raises(BadInput, match=r"pick\.toml"):
        write_taxonomy_file(here, "pick", text="[taxonomy\n", write=True)
    whole = file.read_text()
    file.write_text("[taxonomy\n")
    shown = show_taxonomies(here)
    assert shown.taxonomy is None
    assert "pick.toml" in shown.unreadable
    write_taxonomy_file(here, "pick", text=whole, seen=shown.seen, write=True)
    assert show_taxonomies(here).taxonomy is not None


def test_only_a_lead_changes_a_taxonomy(here, file):
    text = file.read_text()
    annotator = acting(here, "ann-1")
    assert write_taxonomy_file(annotator, "pick", text=text).exit_ok
    with pytest.raises(Refused, match="Only a lead annotator"):
        write_taxonomy_file(annotator, "pick", text=text, write=True)
    assert not show_taxonomies(annotator).may_change
    lead = acting(here, "ann-2", Role.ANNOTATOR, Duty.LEAD_ANNOTATOR)
    assert write_taxonomy_file(lead, "pick", text=text, write=True).written
    with pytest.raises(BadInput, match="not a valid name"):
        write_taxonomy_file(lead, "../pick", text=text, write=True)


def test_several_files_are_listed_and_each_can_be_chosen(here, file):
    taxonomies.write_new_taxonomy(here, "sort")
    file.unlink()
    taxonomies.write_new_taxonomy(here, "stack")
    assert show_taxonomies(here).files == ("sort", "stack")
    assert [show_taxonomies(here, task=name).file for name in ("sort", "stack")] == [
        "taxonomies/sort.toml", "taxonomies/stack.toml",
    ]  # fmt: skip
    assert show_taxonomies(here).file == "taxonomies/sort.toml"
