"""Every page in a real browser against a real server: no error, nothing from outside, on a desk and on a phone."""

import contextlib
import re
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from playwright.sync_api import Error, sync_playwright
from tests.doors.judged import judged
from tests.doors.story import NASTY, empty_workspace, story_workspace

from fieldloop.loop.home.home import show_home
from fieldloop.loop.house.tokens import issue_token
from fieldloop.loop.workspace import open_workspace
from fieldloop.model import event as happened
from fieldloop.model.person import Operator, Role
from fieldloop.model.person_event import OperatorEnrolled

RUN = [sys.executable, "-c", "import sys; from fieldloop.cli import main; sys.exit(main())"]
PAGES = (
    "/",
    "/deployment",
    "/protocol",
    "/protocol?interface=vr",
    "/plan",
    "/plan?rows=lighting&columns=tier",
    "/episodes",
    "/episodes?status=failed&q=pick",
    f"/episodes/{'04' * 32}",
    f"/episodes/{'04' * 32}?at=3.2",
    f"/episodes/{'27' * 32}",
    "/taxonomy",
    "/annotate",
    "/quality",
    "/releases",
    f"/releases/{'e' * 64}",
    f"/releases/{'e' * 64}/verify",
    f"/releases/{'e' * 64}/to/{'e' * 64}",
    "/trace",
    "/trace?operator=op-1",
    f"/trace?policy={'c' * 64}",
    "/policies",
    f"/policies/{'c' * 64}",
    "/floor",
    "/diagnose",
    "/diagnose?id=diagnosis_1",
    "/incidents",
    "/settings",
    "/more",
)
EMPTY = (
    "/",
    "/deployment",
    "/protocol",
    "/plan",
    "/episodes",
    "/episodes/none",
    "/taxonomy",
    "/annotate",
    "/quality",
    "/releases",
    "/trace",
    "/policies",
    "/floor",
    "/diagnose",
    "/incidents",
)
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def serving(root, port="0"):
    """Run `fieldloop up` on a free port; yields its address and process."""
    command = [*RUN, "up", "--port", port, "--workspace", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        line = running.stdout.readline()
        found = re.search(r"http://\S+?:\d+", line)
        if not found:
            running.kill()
            pytest.fail(f"no server: {line} {running.stderr.read()}")
        try:
            yield found[0], running
        finally:
            running.terminate()
            running.communicate(timeout=30)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("pages") / "w"
    told = story_workspace(root)
    judged(told)
    told.close()
    return root


@pytest.fixture(scope="module")
def server(root):
    with serving(root) as found:
        yield found[0]


@pytest.fixture(scope="module")
def browser(chromium_path):
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(chromium_path), args=["--no-sandbox"])
        yield opened
        opened.close()


@contextmanager
def page_of(browser, size=DESK, theme="light", **more):
    """A fresh visitor; what goes wrong on the way is collected in `wrong`."""
    context = browser.new_context(viewport=size, color_scheme=theme, **more)
    page = context.new_page()
    page.wrong, page.asked = [], []
    page.on("console", lambda message: page.wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    try:
        yield page
    finally:
        context.close()


def visit(page, address):
    answer = page.goto(address)
    page.wait_for_selector(".page[data-ready]")
    return answer


def until(page, expression, seconds=30):
    """Wait for something in the page. Playwright's own wait needs `eval`, which the page's policy forbids."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        with contextlib.suppress(Error):  # the page is just being loaded again
            if page.evaluate(expression):
                return
        page.wait_for_timeout(50)
    pytest.fail(f"never came: {expression}")


def test_every_page_opens_without_an_error_on_a_desk_and_on_a_phone(server, browser):
    with page_of(browser, theme="dark") as page:
        for path in PAGES:
            page.set_viewport_size(DESK)
            assert visit(page, server + path).status == 200, path
            assert page.evaluate("document.documentElement.dataset.theme") == "dark"
            assert page.evaluate("document.title").endswith("· fieldloop"), path  # a nasty name would have changed it
            assert page.locator(".page").inner_text().strip(), path
            for size, frame in ((DESK, ".rail"), (PHONE, ".tabs")):
                page.set_viewport_size(size)
                assert page.locator(frame).is_visible(), path
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, f"{path} is too wide"
        assert not page.wrong
        assert not [url for url in page.asked if not url.startswith(server)]  # nothing from outside


def test_on_a_small_desk_no_column_of_plan_and_diagnosis_is_cut(server, browser):
    with page_of(browser, size={"width": 1300, "height": 900}) as page:
        for path in ("/plan", "/diagnose", "/diagnose?id=diagnosis_1"):
            visit(page, server + path)
            wide = "[...document.querySelectorAll('.panel .scroll')].map(e => e.scrollWidth - e.clientWidth)"
            assert max(page.evaluate(wide)) <= 0, path


def test_names_stay_text(server, browser):
    with page_of(browser) as page:
        visit(page, f"{server}/episodes")
        assert page.get_by_text(NASTY).count() == 3, "as an episode, as its log, and as a log to read again"
        assert page.locator(".page img").count() == 0


def test_a_page_runs_no_script_but_its_own(server, browser):
    with page_of(browser) as page:
        given = visit(page, f"{server}/floor").headers["content-security-policy"]
        assert "script-src 'self' 'sha256-" in given
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hit = 1\">')")
        page.wait_for_timeout(200)
        assert page.evaluate("window.hit") is None
        assert page.evaluate("document.documentElement.dataset.theme") == "light", "the page's own script ran"


def test_a_fact_may_have_spaces_and_a_refused_question_is_asked_again(server, browser):
    with page_of(browser) as page:
        visit(page, f"{server}/episodes/{'04' * 32}")
        sent = []
        page.route(
            "**/api/ingest/relabel",
            lambda route: (
                sent.append(route.request.post_data_json),
                route.fulfill(status=400, json={"detail": "No."}),
            ),
        )
        form = page.locator("form[data-form='/api/ingest/relabel']")
        form.locator("textarea").fill("task=pick the cube\n\n operator=anna ")
        button = form.locator("button")
        label = button.inner_text()
        button.evaluate("button => { button.dataset.sure = 'Really?'; }")
        button.click()
        assert (button.inner_text(), sent) == ("Really?", [])
        button.click()
        until(page, "document.querySelector('[role=alert].bad')?.textContent === 'No.'")
        assert sent[0]["set"] == ["task=pick the cube", "operator=anna"]
        assert button.inner_text() == label
        button.click()
        assert (button.inner_text(), len(sent)) == ("Really?", 1)


def test_an_empty_workspace_says_what_to_do(tmp_path, browser):
    empty_workspace(tmp_path / "w").close()
    with serving(tmp_path / "w") as (address, running), page_of(browser) as page:
        for path in EMPTY:
            visit(page, address + path)
            assert page.locator(".empty, .next").count() >= 1, path
        assert not [text for text in page.wrong if "404" not in text], "an unknown noun is a page that does not exist"
        page.wait_for_selector("html[data-live]")
        running.terminate()  # the page stays and says that the server is gone
        page.wait_for_selector(".lost", state="visible", timeout=20_000)


def test_the_home_page_shows_the_loop_and_follows_the_ledger(root, server, browser):
    with page_of(browser) as page:
        visit(page, server)
        assert page.locator(".loop a").count() == 10
        assert page.locator("[data-count=check]").inner_text() == "36"
        page.wait_for_selector(".chart path", state="attached")
        page.wait_for_selector("html[data-live]")
        workspace = open_workspace(root)
        before = show_home(workspace).stages[2].count
        workspace.write(OperatorEnrolled(Operator("op-9")), *_one_more_episode(workspace))
        expected = show_home(workspace).stages[2].count
        workspace.close()
        assert before != expected
        until(page, f"document.querySelector('[data-count=collect]').textContent === '{expected}'")


def _one_more_episode(workspace):
    import dataclasses

    from fieldloop.model.episode import Blob, Episode, Log

    old = workspace.store.get(Episode, "00" * 32)
    new = dataclasses.replace(old, id="ff" * 32, name="pick-0099")
    return (happened.LogIngested(Log(Blob("fe" * 32, 1), "new.mcap", "mcap", (new.id,)), (new,)),)


def test_a_page_outlives_a_restart_of_the_server(tmp_path, browser):
    empty_workspace(tmp_path / "w").close()
    with page_of(browser) as page:
        with serving(tmp_path / "w") as (address, _):
            visit(page, address)
            page.wait_for_selector("html[data-live]")
            began = page.evaluate("performance.timeOrigin")
        page.wait_for_selector(".lost", state="visible", timeout=20_000)
        assert page.locator(".loop a").count() == 10, "what was shown stays"
        with serving(tmp_path / "w", address.rpartition(":")[2]):
            until(page, f"performance.timeOrigin > {began} && document.documentElement.dataset.live")
            assert not page.locator(".lost").is_visible()


def test_an_unknown_address_is_a_page_that_leads_home(server, browser):
    with page_of(browser) as page:
        assert visit(page, f"{server}/nothing/<b>").status == 404
        assert page.locator(".page a").get_attribute("href") == "/"


def test_theme_and_keys(server, browser):
    with page_of(browser) as page:
        visit(page, server)
        page.click("[data-theme-switch]")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        visit(page, f"{server}/floor")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"  # remembered, before the first paint
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.name") == "q"
        page.keyboard.type("pick-0007")
        page.keyboard.press("Enter")
        page.wait_for_url("**/episodes?q=pick-0007")
        page.wait_for_selector(".page[data-ready]")
        assert page.locator("tbody tr").count() == 1


def test_the_budget_greys_what_it_does_not_reach(server, browser):
    with page_of(browser) as page:
        visit(page, f"{server}/plan")
        page.locator("#collect-budget").fill("20")
        assert page.locator("#collect tbody tr.off").count() == 3
        assert page.locator("#collect [data-given]").all_inner_texts() == [
            "14",
            "6 of 12",
            "0 of 10",
            "0 of 8",
            "0 of 6",
        ]


def test_rolling_back_asks_once_and_is_recorded(root, server, browser):
    with page_of(browser) as page:
        visit(page, f"{server}/floor")
        button = page.locator("[data-post='/api/rollout/back']")
        button.click()
        assert button.inner_text() == "Roll this policy back?"
        with page.expect_navigation():
            button.click()
        page.wait_for_selector("text=rolled back")
        assert not page.wrong
    workspace = open_workspace(root)
    moves = [recorded.actor for recorded in workspace.store.events(happened.RolloutMoved)]
    workspace.close()
    assert moves[-1] == "local"


def test_a_visitor_from_elsewhere_signs_in(root, server, browser):
    workspace = open_workspace(root)
    secret = issue_token(workspace, "eng-7", role=Role.ENGINEER).secret
    workspace.close()
    with page_of(browser, extra_http_headers={"X-Forwarded-For": "203.0.113.9"}) as page:
        page.goto(f"{server}/plan")
        assert "/login?to=/plan" in page.url
        page.fill("#token", "made-up")
        page.click("text=Sign in >> nth=-1")
        page.wait_for_selector("[role=alert]")
        page.fill("#token", secret)
        page.click("button")
        page.wait_for_selector(".page[data-ready]")
        assert page.url == f"{server}/plan"
        assert page.locator(".bar .chip").inner_text() == "engineer"
        visit(page, f"{server}/settings")
        assert "eng-7, engineer" in page.locator(".page").inner_text()
        assert not [text for text in page.wrong if "401" not in text]
