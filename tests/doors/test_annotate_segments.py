"""Segments as the annotation page edits them: the module without a page, run by a browser's engine on random edits."""

from pathlib import Path

from playwright.sync_api import sync_playwright

from fieldloop.ui.assets import read_assets

LAWS = Path(__file__).with_name("segment_laws.js").read_text()


def test_random_edits_keep_segments_sound_and_can_be_undone(chromium_path):
    source = read_assets()["annosegments.js"].decode()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium_path), args=["--no-sandbox"])
        page = browser.new_page()
        wrong = page.evaluate(
            "async ([source, laws]) => { const s = await import(URL.createObjectURL(new Blob([source], "
            "{ type: 'text/javascript' }))); return new Function('s', laws)(s); }",
            [source, LAWS],
        )
        browser.close()
    assert wrong == []
