"""A taxonomy is edited as a page does it: looked over first, written only when asked, never over another's change."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.errors import BadInput, ChangedMeanwhile, Refused
from fieldloop.loop.annotate.save import save_labels
from fieldloop.loop.annotate.taxonomy import change, taxonomies
from fieldloop.loop.annotate.taxonomy.edited import write_taxonomy_file
from fieldloop.loop.home.taxonomy import show_taxonomies
from fieldloop.model.annotation import Annotation
from fieldloop.model.person import Duty, Role


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path) as opened:
        yield opened


@pytest.fixture
def file(here):
    taxonomies.write_new_taxonomy(here, "pick")
    return here.root / "taxonomies" / "pick.toml"


def save(workspace, text, name="pick"):
    return write_taxonomy_file(workspace, name, text=text, seen=show_taxonomies(workspace).seen, write=True)


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
    assert save(here, text + "# a comment\n").written, "no label differs"
    with pytest.raises(Refused, match="version = 2"):
        save(here, other)
    assert "The open hand" not in file.read_text()
    assert save(here, other.replace("version = 1", "version = 2", 1)).written
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
    assert save(lead, text).written
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


def test_a_file_that_exists_is_written_only_by_who_states_which_text_was_seen(here, file):
    text = file.read_text()
    with pytest.raises(BadInput, match=r"pick\.toml exists. State which text you changed: --seen"):
        write_taxonomy_file(here, "pick", text=text + "# mine\n", write=True)
    assert file.read_text() == text
    assert write_taxonomy_file(here, "sort", text=text.replace('"pick"', '"sort"', 1), write=True).written


@pytest.mark.parametrize("change_", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t])
def test_what_a_save_returns_is_the_text_as_it_is_read_back(here, file, change_):
    first = save(here, change_(file.read_text() + "# one\n"))
    assert first.seen == show_taxonomies(here).seen
    second = write_taxonomy_file(here, "pick", text=file.read_text() + "# two\n", seen=first.seen, write=True)
    assert second.written


def test_of_two_leads_who_save_at_once_one_is_refused(here, file):
    text, seen = file.read_text(), show_taxonomies(here).seen

    def attempt(number):
        try:
            return write_taxonomy_file(here, "pick", text=f"{text}# {number}\n", seen=seen, write=True).written
        except ChangedMeanwhile:
            return False

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(4))) == [False, False, False, True]


def test_a_file_that_is_no_text_is_shown_as_unreadable_and_can_be_replaced(here, file):
    whole = file.read_text()
    file.write_bytes(b'[taxonomy]\nname = "\xff"\n')
    shown = show_taxonomies(here)
    assert (shown.taxonomy, shown.text) == (None, "")
    assert "is not UTF-8" in shown.unreadable
    assert write_taxonomy_file(here, "pick", text=whole, seen=shown.seen, write=True).written
    assert show_taxonomies(here).taxonomy is not None


def test_a_locked_taxonomy_is_not_renamed_unless_the_new_one_follows_it(here, file):
    change.lock_new_taxonomy(here)
    text = file.read_text()
    renamed = re.sub(r'(?m)^name( *)= "pick"', r'name\1= "picking"', text, count=1)
    assert renamed != text
    with pytest.raises(Refused, match='follows = "pick v1"'):
        save(here, renamed)
    assert file.read_text() == text
    file.write_text(renamed)  # in an editor, past the page
    assert [one.code for one in taxonomies.lint_taxonomy(here).errors] == ["annotate.lint_renamed"]
    with pytest.raises(Refused, match="picking v1 cannot be locked"):
        change.lock_new_taxonomy(here)
    with pytest.raises(Refused, match="Labels were made under pick v1, and its file now holds picking v1"):
        save_labels(acting(here, "anna"), "e0", segments_text=segments(("approach", 0, 8)), submit=True)
    following = renamed.replace("[taxonomy]\n", '[taxonomy]\nfollows = "pick v1"\n', 1)
    assert save(here, following).exit_ok
    assert change.lock_new_taxonomy(here).older == "pick v1"


def test_only_leads_start_and_fork_taxonomies_and_a_lead_annotator_may(here):
    for make in (taxonomies.write_new_taxonomy, taxonomies.fork_taxonomy):
        with pytest.raises(Refused, match="Only a lead annotator"):
            make(acting(here, "anna"), "pick")
    lead = acting(here, "lea", Role.ANNOTATOR, Duty.LEAD_ANNOTATOR)
    taxonomies.write_new_taxonomy(lead, "pick")
    assert taxonomies.fork_taxonomy(lead, "sort").file == "taxonomies/sort.toml"


def test_the_page_reads_all_labels_once(here, file, monkeypatch):
    change.lock_new_taxonomy(here)
    text = file.read_text()
    save(
        here, text.replace("version = 1", "version = 2", 1).replace("The open gripper travels", "An open hand travels")
    )
    found, read = here.store.find, []
    monkeypatch.setattr(here.store, "find", lambda noun, *a, **k: (read.append(noun), found(noun, *a, **k))[1])
    assert show_taxonomies(here, older="pick@1").compared.changes
    assert read.count(Annotation) == 1
