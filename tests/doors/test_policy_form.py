"""On the Policies page a policy of another maker is checked, what it lacks is asked for, and it is added and run."""

import pytest
from tests.doors.test_forms import find, form, press, read_answer
from tests.doors.test_pages import browser, page_of, serving, visit  # noqa: F401 - a fixture
from tests.loop.test_policy_add import TOML
from tests.serve import foreign_policies as theirs
from tests.serve.test_policy_check import plant_stale_camera

from fieldloop.loop.house import setup
from fieldloop.model.policy import PolicyVersion


@pytest.fixture
def root(tmp_path):
    setup.init(tmp_path / "w")
    return tmp_path / "w"


def test_a_policy_is_checked_asked_about_and_added(root, browser, tmp_path):  # noqa: F811
    folder = theirs.write_lerobot(tmp_path / "act")
    graph = theirs.write_onnx(tmp_path / "theirs.onnx")
    (tmp_path / "mine.toml").write_text(TOML)
    with serving(root) as (address, _), page_of(browser) as page:
        visit(page, f"{address}/policies")
        asked = form(page, "/api/policy/check")
        asked.locator("[name=path]").fill(str(folder))
        found = read_answer(page, asked, "Check").splitlines()
        assert found[0].startswith("LeRobot policy (act): ")
        assert len(found) == 1
        assert asked.locator("[role=alert]").get_attribute("class") == "good"
        plant_stale_camera(folder)
        found = read_answer(page, asked, "Check").splitlines()
        assert found[1].startswith("Contradiction: observation.images.wrist: The policy's normaliser never saw this")
        assert asked.locator("[role=alert]").get_attribute("class") == "bad"

        asked = form(page, "/api/policy/add")
        asked.locator("[name=name]").fill("theirs")
        asked.locator("[name=source]").fill(str(graph))
        lacking = read_answer(page, asked, "Add and try it")
        assert "does not state control_hz, action_names, units, normaliser" in lacking
        asked.locator("[name=settings]").fill(str(tmp_path / "mine.toml"))
        press(page, asked, "Add and try it")
        assert "theirs" in page.locator("table").first.inner_text()
        assert not [text for text in page.wrong if "status of 4" not in text]
    (added,) = find(root, PolicyVersion)
    assert (added.name, added.control_hz, bool(added.bundle)) == ("theirs", 50.0, True)
