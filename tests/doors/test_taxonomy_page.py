"""The Taxonomy page: a version is forked, edited, looked over, compared, and locked in a browser."""

import re

import pytest
from tests.doors.annotating import serving
from tests.doors.test_forms import form, press, read_answer
from tests.doors.test_pages import browser, page_of, visit  # noqa: F401 - a fixture
from tests.loop.labelled import acting, annotated_workspace, segments

from fieldloop.loop.annotate.save import save_labels
from fieldloop.loop.annotate.taxonomy.in_force import find_taxonomy
from fieldloop.loop.annotate.taxonomy.lock import is_locked
from fieldloop.loop.annotate.taxonomy.taxonomies import write_new_taxonomy
from fieldloop.model.annotation import Annotation
from fieldloop.model.labelling import LabelTask
from fieldloop.ui.pages import taxonomy
from fieldloop.ui.visit import Visit


@pytest.fixture
def here(tmp_path):
    with annotated_workspace(tmp_path, in_files=True) as opened:
        yield opened


def draw(workspace, **query):
    return "".join(map(str, taxonomy.draw(Visit(workspace, query)).parts))


def change_text(page, old, new):
    area = form(page, "/api/taxonomy/write").locator("textarea")
    text = area.input_value()
    assert old in text
    area.fill(text.replace(old, new, 1))


def test_a_taxonomy_is_started_edited_compared_and_locked(here, browser):  # noqa: F811
    with serving(here) as port, page_of(browser) as page:
        address = f"http://127.0.0.1:{port}/taxonomy"
        visit(page, address)
        started = form(page, "/api/taxonomy/new")
        started.locator("[name=name]").fill("pick")
        press(page, started, "Start from the shipped labels")
        press(page, form(page, "/api/taxonomy/lock"), "Lock")
        assert "pick v1 is locked and in force" in page.locator(".next").inner_text()
        save_labels(here, "e0", segments_text=segments(("approach", 0, 3), ("grasp", 3, 8)), submit=True)

        page.get_by_text("Text of the file").click()
        change_text(page, "The open gripper travels", "The open hand travels")
        asked = form(page, "/api/taxonomy/write")
        assert "version = 2" in read_answer(page, asked, "Look over")
        assert asked.locator("[role=alert]").get_attribute("class") == "bad"
        assert "was not written" in read_answer(page, asked, "Save")
        visit(page, address)  # what was typed outlives a reload of the page
        change_text(page, "version = 1", "version = 2")
        assert read_answer(page, asked, "Look over").startswith("pick v2 has no error and may be locked")
        press(page, asked, "Save")

        changed = page.locator("section", has_text="What pick v2 changes").first.inner_text()
        assert re.search(r"approach\s+meaning\s+definition", changed)
        assert "1 episode to be labelled again" in changed
        press(page, form(page, "/api/taxonomy/lock"), "Lock")
        assert "pick v2 is locked" in page.locator(".next").inner_text()
        page.get_by_role("link", name="Compare with the file").last.click()
        assert page.get_by_role("heading", name="From pick v1 to pick v2").is_visible()
        page.wrong = [text for text in page.wrong if "status of 4" not in text]
        assert not page.wrong
    assert is_locked(here, find_taxonomy(here))
    assert {task.episode for task in here.store.find(LabelTask)} == {f"{0:064x}"}


def test_labels_in_use_are_carried_over_on_the_page(here, browser):  # noqa: F811
    save_labels(here, "e0", segments_text=segments(("approach", 0, 3), ("grasp", 3, 8)), submit=True)
    with serving(here) as port, page_of(browser) as page:
        visit(page, f"http://127.0.0.1:{port}/taxonomy")
        forked = form(page, "/api/taxonomy/fork")
        forked.locator("[name=name]").fill("picking")
        press(page, forked, "Fork")
        page.get_by_text("Text of the file").click()
        change_text(page, '"approach"', '"reach"')
        press(page, form(page, "/api/taxonomy/write"), "Save")
        assert "In use, but not in picking v2: phase approach." in page.locator(".page").inner_text()
        assert not form(page, "/api/taxonomy/lock").count()
        asked = form(page, "/api/taxonomy/migrate")
        assert asked.locator("textarea").input_value() == "phase:approach="
        asked.locator("textarea").fill("phase:approach=reach")
        press(page, asked, "Lock and carry labels over")
        assert not page.wrong
    assert {span.label for span in here.store.find(Annotation, {"kind": "phase"})} == {"reach", "grasp"}


def test_an_annotator_reads_the_labels_and_sees_no_form(here):
    page = draw(acting(here, "ann-1"))
    assert "The open gripper travels to the item." in page
    assert "<form" not in page


def test_markup_in_a_taxonomy_stays_text(here):
    folder = here.root / "taxonomies"
    folder.mkdir()
    (folder / "pick.toml").write_text(
        '[taxonomy]\nname = "pick"\nversion = 1\n[[label]]\nname = "reach"\n'
        'definition = "<img src=x onerror=1> means it"\n'
        'begins = "It begins."\nends = "It ends."\n'
    )
    page = draw(here)
    assert "<img" not in page
    assert "&lt;img src=x onerror=1&gt; means it" in page


def test_text_typed_before_another_lead_saved_does_not_overwrite_theirs(here, browser):  # noqa: F811
    write_new_taxonomy(here, "pick")
    file = here.root / "taxonomies" / "pick.toml"
    with serving(here) as port, page_of(browser) as page:
        address = f"http://127.0.0.1:{port}/taxonomy"
        visit(page, address)
        page.get_by_text("Text of the file").click()
        change_text(page, "The open gripper travels", "The open hand travels")
        theirs = file.read_text() + "# of another lead\n"
        file.write_text(theirs)
        asked = form(page, "/api/taxonomy/write")
        assert "was changed after you opened it" in read_answer(page, asked, "Save")
        visit(page, address)
        area = asked.locator("textarea[data-kind]")
        assert area.input_value() == theirs, "the new text is shown"
        assert "was changed after you typed" in asked.locator(".aside").inner_text()
        assert "The open hand travels" in asked.locator(".aside textarea").input_value(), "and nothing is lost"
        press(page, asked, "Save")
        assert file.read_text() == theirs
        visit(page, address)
        assert asked.locator(".aside textarea").count() == 1
        asked.get_by_role("button", name="Drop what I typed").click()
        visit(page, address)
        assert not asked.locator(".aside").count()
