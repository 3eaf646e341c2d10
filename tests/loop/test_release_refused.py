"""What is against a release is said before it is frozen; a query or a plan selects; two at once make one."""

import threading
from dataclasses import replace

import pytest

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.data.streams import StreamShown, cache_stream_list
from fieldloop.loop.house import setup
from fieldloop.loop.ship import release as shipping
from fieldloop.loop.ship.release import freeze_release, list_releases, write_release_datasheet
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.deployment import Deployment
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.event import DeploymentMapped, EpisodeJudged, EpisodeSetAside, LogIngested, PlanDrawn
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import NO_SUBJECT, Subject
from fieldloop.model.plan import Plan, Quota
from fieldloop.model.stream import NS_PER_DAY, NS_PER_S, StreamKind
from fieldloop.testing.samples import make_sample_noun

START = 1_790_000_000 * NS_PER_S
PASSED = Finding("timing.jitter", NO_SUBJECT, Status.PASSED, 0.1, None, 1.0, "ms")
JOINTS_ONLY = '[protocol]\nname = "pick"\nversion = 1\n[sensors.joints]\nkind = "joint_position"\n'
CAMERA = Finding("vision.sharpness", Subject("camera/wrist"), Status.PASSED, 90.0, 50.0, None, "1")


def timed(*streams):
    return tuple(Finding("timing.jitter", Subject(s), Status.PASSED, 0.1, None, 1.0, "ms") for s in streams)


def make_episodes(sessions, each=8, **facts):
    """Make episodes: two lightings in every session, three operators in turn."""
    return [
        Episode(
            f"{s:02x}{n:02x}" * 16, f"s{s}-{n}", "mcap", "pick", "arm-1", "lab", f"op-{n % 3}", f"session-{s}",
            stratum=Stratum.of(lighting=("dim", "bright")[n % 2]), start_ns=START + s * NS_PER_DAY + n * 60 * NS_PER_S,
            end_ns=START + s * NS_PER_DAY + n * 60 * NS_PER_S + 9 * NS_PER_S, simulated=False, succeeded=n % 4 != 3,
            failure="" if n % 4 != 3 else "slip", **facts,
        )
        for s in range(sessions) for n in range(each)
    ]  # fmt: skip


def keep(workspace, episodes, findings=(PASSED,), log="ab"):
    workspace.write(
        LogIngested(Log(Blob(log * 32, 1), f"{log}.mcap", "mcap", tuple(e.id for e in episodes)), tuple(episodes))
    )
    workspace.write(*(EpisodeJudged("p", EpisodeReport(e.id, e.name, Status.PASSED, findings)) for e in episodes))


@pytest.fixture
def site(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    opened.write(DeploymentMapped(Deployment("d", "pick", (), (), measured=(Exposure(Stratum.of(), 1.0),))))
    yield opened
    opened.close()


def test_a_release_whose_split_shows_another_task_is_refused(site):
    """Every session has its own lighting, so no split without leaks is representative."""
    keep(site, [replace(e, stratum=Stratum.of(lighting=e.session)) for e in make_episodes(5)])
    with pytest.raises(Refused, match=r"corpus\.split_representative fails on this selection") as refused:
        freeze_release(site, "r1")
    assert {r.code for r in refused.value.reasons} == {"release.dataset_check_failed"}
    assert not list_releases(site)
    frozen = freeze_release(site, "r1", override="the pilot has no more sessions")
    assert frozen.overridden == refused.value.reasons
    assert frozen.override == "the pilot has no more sessions (overridden by local)"
    failed = {f.check for f in frozen.checks.dataset if f.status is Status.FAILED}
    assert failed == {"corpus.split_representative"}
    sheet = write_release_datasheet(site, "r1")
    assert "frozen in spite of" in sheet
    assert "corpus.split_representative fails" in sheet


def test_a_balanced_selection_carries_its_checks_and_needs_no_word(site):
    keep(site, make_episodes(10))
    frozen = freeze_release(site, "r1", override="not needed")
    assert (frozen.override, frozen.overridden) == ("", ())
    assert frozen.checks.episodes == {Status.PASSED: 80}
    asked = {f.check for f in frozen.checks.dataset}
    assert {"corpus.split_leaks", "corpus.split_representative", "corpus.shortcuts"} <= asked
    assert site.store.get(type(frozen), frozen.id) == frozen


def test_where_no_device_is_declared_two_streams_cannot_be_verified(site):
    keep(site, make_episodes(10), (PASSED, *timed("camera/wrist", "joints", "action")))
    with pytest.raises(Refused, match="Synchronisation of camera/wrist and joints cannot be verified") as refused:
        freeze_release(site, "r1")
    (reason,) = refused.value.reasons
    assert reason["file"] == "protocols/pick.toml"
    assert freeze_release(site, "r1", override="measured by hand").override


def test_one_stream_has_nothing_to_be_compared_with(site):
    keep(site, make_episodes(10), (PASSED, *timed("joints", "action")))
    assert freeze_release(site, "r1").override == ""


def test_a_camera_that_the_protocol_does_not_name_is_named(site):
    keep(site, make_episodes(10), (PASSED, CAMERA))
    (site.root / "protocols" / "pick.toml").write_text(JOINTS_ONLY)
    site.__dict__.pop("protocols", None)
    with pytest.raises(Refused, match="camera/wrist of arm-1: the device is undeclared") as refused:
        freeze_release(site, "r1")
    assert "release.device_undeclared" in {r.code for r in refused.value.reasons}


def test_a_camera_of_episodes_that_were_checked_without_pictures_is_named(site):
    episodes = make_episodes(10)
    keep(site, episodes)
    (site.root / "protocols" / "pick.toml").write_text(JOINTS_ONLY)
    site.__dict__.pop("protocols", None)
    kept = [StreamShown(name, kind, "", 9, 30.0, (), "", "", "", ()) for name, kind in (
        ("camera/wrist", StreamKind.RGB), ("joints", StreamKind.JOINT_POSITION),
        ("effort", StreamKind.JOINT_EFFORT))]  # fmt: skip
    cache_stream_list(site, episodes[3].id, tuple(kept))
    with pytest.raises(Refused) as refused:
        freeze_release(site, "r1")
    undeclared = [r["device"] for r in refused.value.reasons if r.code == "release.device_undeclared"]
    assert undeclared == ["camera/wrist of arm-1"]


def test_a_query_selects_what_the_list_of_episodes_finds(site):
    keep(
        site,
        [
            *make_episodes(10),
            *(replace(e, id="ff" + e.id[2:], site="hall-2", session=f"h-{e.session}") for e in make_episodes(10)),
        ],
    )
    frozen = freeze_release(site, "r1", where=("site=hall-2", "lighting=dim"), override="few sessions")
    found = {e.id: e for e in site.store.find(Episode)}
    assert {(found[e].site, found[e].stratum.level("lighting")) for e in frozen.episodes} == {("hall-2", "dim")}
    assert len(frozen.episodes) == 40
    assert frozen.query == ("site=hall-2", "lighting=dim")
    assert frozen.excluded == (), "what was not asked for was not left out"
    with pytest.raises(BadInput, match="No episode has site=mars"):
        freeze_release(site, "r2", where=("site=mars",))
    with pytest.raises(BadInput, match="states site twice"):
        freeze_release(site, "r2", where=("site=lab", "site=hall-2"))


def test_a_plan_selects_what_was_collected_for_it(site):
    keep(site, make_episodes(2))
    quota = make_sample_noun(Quota)
    plan = replace(
        make_sample_noun(Plan), quotas=(replace(quota, stratum=Stratum.of(lighting="dim"), demonstrations=9),)
    )
    site.write(PlanDrawn(plan))
    after = [replace(e, id="ee" + e.id[2:], session=f"p-{e.session}") for e in make_episodes(6)]
    keep(site, after, log="cd")
    for name in ("1", plan.id):
        frozen = freeze_release(site, "r1", plan=name, override="few sessions")
        assert set(frozen.episodes) == {e.id for e in after if e.stratum.level("lighting") == "dim"}
        assert frozen.plan == plan.id
    with pytest.raises(UnknownName, match="1 to 1"):
        freeze_release(site, "r2", plan="2")


def test_an_episode_set_aside_is_not_offered(site):
    episodes = make_episodes(10)
    keep(site, episodes)
    site.write(EpisodeSetAside(episodes[0].id, "dropped"))
    assert episodes[0].id not in freeze_release(site, "r1", override="few sessions").episodes


@pytest.mark.parametrize("names", [("r1", "r1"), ("r1", "r2")])
def test_the_same_release_frozen_twice_at_once_is_one(site, names, monkeypatch):
    """Both have assembled before either writes."""
    keep(site, make_episodes(10))
    both, real = threading.Barrier(2, timeout=30), shipping.judge_selection

    def wait_for_the_other(*given, **named):
        both.wait()
        return real(*given, **named)

    monkeypatch.setattr(shipping, "judge_selection", wait_for_the_other)
    results = []

    def freeze(name):
        here = open_workspace(site.root)
        try:
            results.append(freeze_release(here, name))
        except Refused as refused:
            results.append(str(refused))
        finally:
            here.close()

    threads = [threading.Thread(target=freeze, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (made,) = list_releases(site)
    if names[0] == names[1]:
        assert results == [made, made]
    else:
        assert made in results
        assert any("already" in str(result) for result in results if result != made)


def test_one_name_for_two_selections_at_once_is_refused(site, monkeypatch):
    keep(site, make_episodes(10))
    real = shipping.judge_selection

    def freeze_another_first(*given, **named):
        monkeypatch.setattr(shipping, "judge_selection", real)
        freeze_release(site, "r1", where=("lighting=dim",), override="few sessions")
        return real(*given, **named)

    monkeypatch.setattr(shipping, "judge_selection", freeze_another_first)
    with pytest.raises(Refused, match="another release already"):
        freeze_release(site, "r1")
    assert len(list_releases(site)) == 1
