"""Every form and every button that posts is pressed once in a real browser, and does what it says."""

import pytest
from tests.doors.story import story_workspace
from tests.doors.story_setting import NASTY
from tests.doors.test_pages import EMPTY, PAGES, browser, page_of, serving, until, visit  # noqa: F401 - a fixture
from tests.ingest.lerobot_makers import foreign
from tests.loop.test_release_refused import keep, make_episodes, timed

from fieldloop.annotate import load_shipped_taxonomy
from fieldloop.loop.audit.audit import audit
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.data.ingest import ingest_logs
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Episode
from fieldloop.model.event import DeploymentMapped, LogReadAgain
from fieldloop.model.incident import Incident
from fieldloop.model.labelling import LabelTask
from fieldloop.model.plan import Plan
from fieldloop.model.policy import Outcome, PolicyVersion
from fieldloop.model.release import Release

FIRST = "episode_000000"
OUTCOMES = "at,policy,site,robot,succeeded\n2026-01-05T10:00:00Z,pi0,gdansk,a1,yes\n2026-01-05T10:01:00Z,,gdansk,a1,\n"
PRESSED = {
    "/api/audit/write", "/api/ingest", "/api/ingest/again", "/api/ingest/relabel", "/api/ingest/set-aside",
    "/api/ingest/restore", "/api/annotate/paste", "/api/policy/register", "/api/policy/add", "/api/policy/check",
    "/api/monitor/paste", "/api/plan",
    "/api/incident/move", "/api/rollout/back", "/api/release", "/api/release/export", "/api/release/verify",
    "/api/taxonomy/new", "/api/taxonomy/fork", "/api/taxonomy/lock",
    "/api/annotate/export/download", "/api/annotate/deal", "/api/annotate/spot-check",
    "/api/annotate/calibration", "/api/gate/keep",
}  # fmt: skip
"""Pressed elsewhere: rollouts (test_pages.py), taxonomies (test_taxonomy_page.py), policies (test_policy_form.py),
scenarios (test_gate_pages.py)."""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    setup.init(folder / "w")
    foreign(folder / "set", episodes=2)
    return folder / "w"


@pytest.fixture(scope="module")
def server(root):
    with serving(root) as found:
        yield found[0]


@pytest.fixture
def page(browser):  # noqa: F811
    with page_of(browser) as opened:
        yield opened
        assert not [text for text in opened.wrong if "status of 4" not in text], "no error but refusals"


def find(root, noun, **where):
    workspace = open_workspace(root)
    found = workspace.store.find(noun, where)
    workspace.close()
    return found


def form(page, path):
    return page.locator(f"form[data-form='{path}']")


def press(page, asked, label):
    """Press a button until the page is loaded again; one that asks first is pressed twice."""
    button = asked.get_by_role("button", name=label, exact=True)
    if question := button.get_attribute("data-sure"):
        button.click()
        button = asked.get_by_role("button", name=question, exact=True)
    with page.expect_navigation():
        button.click()
    page.wait_for_selector(".page[data-ready]")


def read_answer(page, asked, label):
    """Press a button and return what the page then states beside it."""
    page.evaluate("document.querySelectorAll('[role=alert]').forEach((one) => { one.textContent = ''; })")
    asked.get_by_role("button", name=label, exact=True).click()
    until(page, "!!document.querySelector('[role=alert]:not(:empty)')")
    return page.locator("[role=alert]:not(:empty)").inner_text()


def test_1_a_map_is_checked_and_put_in_force(root, server, page, tmp_path):
    setup.init(tmp_path / "other")
    other = open_workspace(tmp_path / "other")
    audit(other, example=True)
    other.close()
    visit(page, f"{server}/deployment")
    asked = form(page, "/api/audit/write")
    asked.locator("[name=map_text]").fill("[deployment]\nid = 3")
    assert "the map has no [[site]]" in read_answer(page, asked, "Check")
    asked.locator("[name=map_text]").fill((tmp_path / "other" / "deployment.toml").read_text())
    asked.locator("[name=skus_text]").fill((tmp_path / "other" / "skus.csv").read_text())
    asked.get_by_role("button", name="Check", exact=True).click()
    until(page, "document.querySelector('[role=alert]')?.className === 'good'")
    assert not find(root, Deployment)
    press(page, asked, "Put in force")
    assert [one.id for one in find(root, Deployment)] == ["parcel-north"]


def test_2_logs_are_ingested_with_facts_and_a_contradiction_is_shown(root, server, page):
    visit(page, f"{server}/episodes")
    asked = form(page, "/api/ingest")
    asked.locator("[name=paths]").fill(f"\n{root.parent / 'set'}\n")
    asked.locator("[name=set]").fill("site=gdansk\ntask=lift the part")
    said = read_answer(page, asked, "Ingest")
    assert said.startswith("set: Your facts differ from the log: task is 'pick' in the log, not 'lift the part'.")
    assert not find(root, Episode)
    press(page, asked, "Ingest, my facts count")
    assert {(one.site, one.task) for one in find(root, Episode)} == {("gdansk", "lift the part")}
    asked = form(page, "/api/ingest")
    asked.locator("[name=paths]").fill(f"{root.parent / 'set'}")
    asked.locator("[name=set]").fill("operator=anna")
    assert "Already ingested" in read_answer(page, asked, "Ingest")


def test_3_logs_are_read_again_with_facts(root, server, page):
    visit(page, f"{server}/episodes")
    asked = form(page, "/api/ingest/again")
    assert asked.locator("[name=log] option").all_inner_texts() == ["every log", "set"]
    asked.locator("[name=log]").select_option("set")
    asked.locator("[name=set]").fill("operater=anna")
    assert "Did you mean 'operator'?" in read_answer(page, asked, "Read again")
    asked.locator("[name=set]").fill("operator=anna")
    press(page, asked, "Read again")
    assert {one.operator for one in find(root, Episode)} == {"anna"}
    press(page, form(page, "/api/ingest/again"), "Read again")  # every log, without new facts
    workspace = open_workspace(root)
    assert len(list(workspace.store.events(LogReadAgain))) == 1, "a reading that changes nothing is not recorded"
    workspace.close()


def test_4_an_episode_is_relabelled_set_aside_and_used_again(root, server, page):
    (first,) = find(root, Episode, name=FIRST)
    visit(page, f"{server}/episodes/{first.id}")
    form(page, "/api/ingest/relabel").locator("textarea").fill("outcome=failure\nfailure=grasp")
    press(page, form(page, "/api/ingest/relabel"), "Change facts")
    form(page, "/api/ingest/set-aside").locator("input").fill("pushed by hand")
    press(page, form(page, "/api/ingest/set-aside"), "Set aside")
    (now,) = find(root, Episode, name=FIRST)
    assert (now.succeeded, now.failure, now.set_aside) == (False, "grasp", "pushed by hand")
    press(page, page.locator(".page"), "Use it again")
    assert not find(root, Episode, name=FIRST)[0].set_aside


def test_5_labels_are_pasted(page, tmp_path):
    setup.init(tmp_path / "w")
    workspace = open_workspace(tmp_path / "w")
    audit(workspace, example=True)
    audit(workspace)
    ingest_logs(workspace, (foreign(tmp_path / "set", episodes=1),))
    workspace.close()
    label = load_shipped_taxonomy().labels[0].name
    with serving(tmp_path / "w") as (address, _):
        visit(page, f"{address}/annotate")
        asked = form(page, "/api/annotate/paste")
        good = f"episode,label,start_s,end_s\n{FIRST},reach,0,1\n"
        asked.locator("textarea[name=text]").fill(f"{good}episode_9,reach,0,1\n")
        asked.locator("[name=label]").fill(f"reach={label}")
        answer = read_answer(page, asked, "Import labels").splitlines()
        assert len(answer) == 2, "each wrong row has its own line"
        assert answer[1].startswith("line 3: ")
        asked.locator("textarea[name=text]").fill(good)
        press(page, asked, "Import labels")
    assert [one.label for one in find(tmp_path / "w", Annotation)] == [label]


def test_5_tasks_are_dealt_taken_and_withdrawn(page, tmp_path):
    story_workspace(tmp_path / "w").close()
    with serving(tmp_path / "w") as (address, _):
        visit(page, f"{address}/annotate")
        asked = form(page, "/api/annotate/deal")
        asked.locator("[name=kind]").fill("grasp\nrecovery")
        asked.locator("[name=count]").fill("3")
        press(page, asked, "Deal tasks")
        dealt = find(tmp_path / "w", LabelTask)
        assert len(dealt) == 4, "one of three episodes is labelled twice"
        press(page, page.locator(".next"), "Next task")
        assert f"/annotate/{dealt[0].episode}" in page.url
        visit(page, f"{address}/annotate")
        assert page.locator(".next").get_by_role("link", name="Go on").count() == 1
        press(page, page.locator("tr", has_text="open").last, "Take")
        assert f"/annotate/{dealt[-1].episode}" in page.url
        visit(page, f"{address}/annotate")
        press(page, page.locator("tr", has_text="Withdraw").first, "Withdraw")
        states = [task.state for task in find(tmp_path / "w", LabelTask)]
        assert sorted(states) == ["leased", "open", "open", "withdrawn"]
        press(page, page.locator(".page"), "Draw spot checks")
        page.locator("summary", has_text="Make a calibration set").click()
        asked = form(page, "/api/annotate/calibration")
        asked.locator("[name=episode]").fill("pick-0000\npick-0001")
        asked.locator("[name=labels_of]").fill("ann-1")
        assert "needs at least 5 episodes" in read_answer(page, asked, "Make a calibration set")
        asked.locator("[name=episode]").fill("\n".join(f"pick-{n:04d}" for n in (0, 1, 2, 3, 5)))
        press(page, asked, "Make a calibration set")
        assert "phase, 5 episodes: 0 of 0 qualify" in page.locator(".page").inner_text()
        page.goto("about:blank")  # the page would miss its server


def test_5_a_release_is_refused_then_frozen(page, tmp_path):
    setup.init(tmp_path / "w")
    workspace = open_workspace(tmp_path / "w")
    workspace.write(DeploymentMapped(Deployment("d", "pick", (), (), measured=(Exposure(Stratum.of(), 1.0),))))
    keep(workspace, make_episodes(10), timed("camera/wrist", "joints"))
    workspace.close()
    with serving(tmp_path / "w") as (address, _):
        visit(page, f"{address}/releases")
        asked = form(page, "/api/release")
        asked.locator("[name=name]").fill("r1")
        asked.locator("[name=where]").fill("site=lab\noperator=op-1")
        assert "no device is declared" in read_answer(page, asked, "Freeze")
        assert not find(tmp_path / "w", Release)
        asked.locator("[name=override]").fill("a trial")
        press(page, asked, "Freeze")
        (frozen,) = find(tmp_path / "w", Release)
        assert (frozen.query, frozen.override) == (("site=lab", "operator=op-1"), "a trial (overridden by local)")
        visit(page, f"{address}/releases/{frozen.id}")
        asked = form(page, "/api/release/export")
        asked.locator("[name=target]").fill("../r1-files")
        assert "outbox" in read_answer(page, asked, "Export"), "nothing is written beside it"
        visit(page, f"{address}/releases/{frozen.id}/verify")
        assert "was never verified here" in page.inner_text(".page")
        press(page, page, "Hash everything again")
        assert "of r1 changed" in page.inner_text(".page"), "its logs were never on the shelf"
        page.goto("about:blank")  # the page would miss its server


def test_6_a_policy_is_added(root, server, page):
    visit(page, f"{server}/policies")
    asked = form(page, "/api/policy/register")
    asked.locator("[name=name]").fill("pi0")
    asked.locator("[name=control_hz]").fill("12.5")
    press(page, asked, "Add policy")
    assert [(one.name, one.control_hz) for one in find(root, PolicyVersion)] == [("pi0", 12.5)]


def test_7_outcomes_come_as_a_file_and_a_misspelt_site_is_named(root, server, page, tmp_path):
    visit(page, f"{server}/floor")
    asked = form(page, "/api/monitor/paste")
    asked.locator("textarea[name=text]").fill(OUTCOMES.replace("gdansk", "gdanks"))
    asked.locator("[name=policy]").select_option("pi0")
    assert "Did you mean 'gdansk'?" in read_answer(page, asked, "Record outcomes")
    asked.locator("textarea[name=text]").fill("")
    (tmp_path / "outcomes.csv").write_text(OUTCOMES)
    asked.locator("[type=file]").set_input_files(tmp_path / "outcomes.csv")
    press(page, asked, "Record outcomes")
    assert sorted(str(one.succeeded) for one in find(root, Outcome)) == ["None", "True"]


def test_8_a_plan_is_made_and_replaced(root, server, page):
    visit(page, f"{server}/plan")
    asked = form(page, "/api/plan")
    asked.locator("[name=budget]").fill("6")
    asked.locator("[name=strategy]").select_option("uniform")
    press(page, asked, "Make the plan")
    press(page, form(page, "/api/plan"), "Make the plan")
    assert [(one.budget, one.strategy) for one in find(root, Plan)] == [(6, "uniform"), (6, "marginal")]


def test_9_a_step_of_an_incident_is_marked_and_no_other_form_exists(root, server, page, tmp_path):
    workspace = story_workspace(tmp_path / "w")
    aside = find_episode(workspace, NASTY).id
    workspace.close()
    (first,) = find(root, Episode, name=FIRST)
    seen = set()
    with serving(tmp_path / "w") as (address, _):
        for path in (*PAGES, f"/episodes/{aside}"):
            visit(page, address + path)
            seen |= set(page.evaluate("[...document.querySelectorAll('[data-form]')].map(e => e.dataset.form)"))
            seen |= set(page.evaluate("[...document.querySelectorAll('[data-post]')].map(e => e.dataset.post)"))
        visit(page, f"{address}/incidents")
        before = [len(one.steps) for one in find(tmp_path / "w", Incident)]
        button = page.locator("[data-post='/api/incident/move']").first
        button.click()
        with page.expect_navigation():
            button.click()
        assert sum(len(one.steps) for one in find(tmp_path / "w", Incident)) == sum(before) + 1
        page.goto("about:blank")  # the page would miss its server
    for path in (*EMPTY, f"/episodes/{first.id}"):
        visit(page, server + path)
        seen |= set(page.evaluate("[...document.querySelectorAll('[data-form]')].map(e => e.dataset.form)"))
    assert seen | {"/api/ingest/restore"} == PRESSED


def test_a_server_that_is_gone_leaves_the_form_as_it_was(root, page):
    with serving(root) as (address, running):
        visit(page, f"{address}/policies")
        asked = form(page, "/api/policy/register")
        asked.locator("[name=name]").fill("pi1")
        running.terminate()
        running.wait(30)
        assert read_answer(page, asked, "Add policy") == "The server does not answer. Try again."
        assert asked.get_by_role("button", name="Add policy", exact=True).is_enabled()
        page.wrong.clear()
