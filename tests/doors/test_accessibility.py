"""Pages break no rule of WCAG 2.1 A and AA that axe-core can check, on a desk and on a phone, light and dark."""

import pytest
from tests.doors.story import story_workspace
from tests.doors.test_pages import browser, page_of, serving, visit  # noqa: F401 - a fixture

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}
EPISODE = "04" * 32
PATHS = ("/taxonomy", "/annotate", f"/annotate/{EPISODE}", f"/episodes/{EPISODE}", "/releases", f"/releases/{'e' * 64}")
SCREENS = (("desk", 1280, "light"), ("phone", 400, "dark"))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    root = tmp_path_factory.mktemp("accessible") / "w"
    story_workspace(root).close()
    with serving(root) as (found, _):
        yield found


@pytest.mark.parametrize(("width", "theme"), [screen[1:] for screen in SCREENS], ids=[name for name, *_ in SCREENS])
def test_no_page_breaks_a_rule(address, browser, width, theme):  # noqa: F811
    with page_of(browser, {"width": width, "height": 900}, theme) as page:
        for path in PATHS:
            visit(page, address + path)
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            page.wait_for_timeout(150)
            found = axe.Axe().run(page, options=RULES).response["violations"]
            assert [(path, one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
