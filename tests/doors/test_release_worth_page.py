"""The worth of episodes is asked for on the release page; what was left out is counted by cause."""

from tests.doors.annotating import serving
from tests.doors.story import story_workspace
from tests.doors.test_pages import browser, page_of, until, visit  # noqa: F401 - a fixture

from fieldloop.model.note import note
from fieldloop.model.release import group_by_cause

ID = "e" * 64
WORTH = "section[aria-label='Worth of episodes']"


def test_worth_is_estimated_in_place_and_says_who_has_no_estimate(tmp_path, browser):  # noqa: F811
    workspace = story_workspace(tmp_path / "w")
    with serving(workspace) as port, page_of(browser) as page:
        visit(page, f"http://127.0.0.1:{port}/releases/{ID}")
        panel = page.locator(WORTH)
        assert "spectral arc length" in panel.inner_text()
        panel.locator("select").select_option("influence")
        assert "how much worse the reference learner answers" in panel.inner_text()
        panel.get_by_role("button", name="Estimate").click()
        until(page, f'!document.querySelector("{WORTH} button").disabled')
        shown = panel.inner_text()
        answer = page.evaluate(f"fetch('/api/release/worth?release={ID}&method=influence').then((a) => a.json())")
        assert (answer.get("detail") or answer["conclusion"]) in shown
    workspace.close()


def test_episodes_left_out_are_counted_by_cause_and_check():
    speed = [note("release.not_passed", check="motion.max_speed", status="failed", finding=str(n)) for n in range(3)]
    worst = [note("release.least_worth", rank=n, of=9) for n in range(2)]
    excluded = [(f"{n:064x}", reason) for n, reason in enumerate((*worst, *speed))]
    alike = group_by_cause(excluded)
    assert [(len(one.episodes), one.example, one.same_text) for one in alike] == [
        (3, speed[0], False), (2, worst[0], False),
    ]  # fmt: skip
