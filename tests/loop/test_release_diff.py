"""The difference of two releases names every episode with its reason; two datasets are compared without a workspace."""

from dataclasses import replace

import numpy as np
import pytest
from tests.loop.test_release_refused import keep, make_episodes, site  # noqa: F401 - a fixture

from fieldloop.cli import main
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.ship.release import freeze_release
from fieldloop.loop.ship.release_diff import compare_two_releases
from fieldloop.model.annotation import Annotation
from fieldloop.model.event import EpisodeAnnotated, EpisodeJudged, EpisodeRelabelled, EpisodeSetAside
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.person import Actor, Role
from fieldloop.model.release_diff import ChangeKind
from fieldloop.model.stream import NS_PER_S
from fieldloop.release.writers import write_hdf5, write_lerobot
from fieldloop.report.release_diff import render_release_diff, write_headline
from fieldloop.testing import synthetic

FAILED = Finding("motion.idle_head", NO_SUBJECT, Status.FAILED, 9.0, None, 2.0, "s")


def label(episode, shift_s=0.0):
    spans = (
        Annotation(episode.id, "phase", "grasp", episode.start_ns, episode.end_ns - int(shift_s * NS_PER_S), "anna"),
    )
    return EpisodeAnnotated(episode.id, "phase", "anna", spans)


def test_every_change_has_its_reason(site):  # noqa: F811
    episodes = make_episodes(10)
    keep(site, episodes)
    site.write(*map(label, episodes))
    freeze_release(site, "r1")
    gone, aside, moved, renamed = episodes[0], episodes[9], episodes[18], episodes[27]
    site.write(
        EpisodeJudged("p", EpisodeReport(gone.id, gone.name, Status.FAILED, (FAILED,))),
        EpisodeSetAside(aside.id, "the part was glued"),
        label(moved, 0.5),
        EpisodeRelabelled(replace(renamed, operator="op-9"), renamed),
    )
    new = [replace(e, id="ee" + e.id[2:], session=f"n-{e.session}") for e in make_episodes(3)]
    keep(site, new, log="cd")
    site.write(*map(label, new))
    freeze_release(site, "r2", override="a test")
    diff = compare_two_releases(site, "r1", "r2", facts_only=True)
    why = {(c.episode, c.kind): c.why for c in diff.changes}
    assert why[gone.id, ChangeKind.REMOVED].code == "release.not_passed"
    assert why[aside.id, ChangeKind.REMOVED]["reason"] == "the part was glued"
    assert why[moved.id, ChangeKind.LABELS]["most_s"] == pytest.approx(0.5)
    assert why[renamed.id, ChangeKind.FACTS]["facts"] == ("operator",)
    assert set(diff.list_episodes(ChangeKind.ADDED)) == {e.id for e in new}
    assert {why[e.id, ChangeKind.ADDED].code for e in new} == {"release.diff_ingested_later"}
    assert not diff.same
    assert not any(one.shifted for one in diff.shifts)
    assert "24 came, 2 went" in write_headline(diff)
    page = render_release_diff(diff)
    assert "the part was glued" in page
    back = compare_two_releases(site, "r2", "r1", facts_only=True)
    assert {c.why.code for c in back.changes if c.kind is ChangeKind.ADDED} == {
        "release.not_passed",
        "release.diff_set_aside",
    }
    assert compare_two_releases(site, "r1", "r1", facts_only=True).same


def test_a_query_explains_what_is_not_in_it(site):  # noqa: F811
    keep(site, make_episodes(10))
    freeze_release(site, "all")
    freeze_release(site, "dim", where=("lighting=dim",), override="few sessions")
    diff = compare_two_releases(site, "all", "dim", facts_only=True)
    assert {c.why.code for c in diff.changes if c.kind is ChangeKind.REMOVED} == {"release.diff_not_selected"}
    assert "lighting" in {one.factor for one in diff.shifts if one.shifted}


@pytest.fixture(scope="module", params=["lerobot", "hdf5"])
def pair(request, tmp_path_factory):
    """The same demonstrations twice; of the second set one is gone, one is new, and the force sensor reads 3 N more."""
    folder = tmp_path_factory.mktemp("sets")
    made = [synthetic.make_healthy_recording(seed=k, session=f"s{k}") for k in range(5)]
    made = [replace(r, episode=replace(r.episode, name=f"demo_{k}")) for k, r in enumerate(made)]
    kept = ["joints", "action", "force"]
    made = [replace(r, streams={n: s for n, s in r.streams.items() if n in kept}) for r in made]
    other = [_add_force(r, 3.0) if k == 1 else r for k, r in enumerate(made)][:4]
    write = write_lerobot if request.param == "lerobot" else write_hdf5
    ending = "" if request.param == "lerobot" else ".hdf5"
    return tuple(write(r, folder / f"{name}{ending}").path for name, r in (("old", made), ("new", other)))


def _add_force(recording, newton):
    stream = recording.streams["force"]
    return synthetic.replace_streams(recording, {"force": replace(stream, values=np.asarray(stream.values) + newton)})


def test_two_datasets_are_compared_without_a_workspace(pair):
    diff = compare_two_releases(None, *map(str, pair))
    assert diff.counts == (5, 4)
    assert diff.measured == (5, 4)
    (gone,) = diff.list_episodes(ChangeKind.REMOVED)
    (changed,) = diff.list_episodes(ChangeKind.CONTENT)
    assert gone != changed
    assert diff.list_episodes(ChangeKind.ADDED) == ()
    felt = {one.feature for one in diff.features if one.felt}
    assert any("force" in feature for feature in felt)
    old, new = map(str, pair)
    assert compare_two_releases(None, old, old).same
    assert compare_two_releases(None, new, old, facts_only=True).features == ()


def test_the_command_writes_a_page(pair, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["release", "diff", *map(str, pair), "--html", str(tmp_path / "diff.html")]) == 0
    assert "What a normaliser feels" in capsys.readouterr().out
    assert "<h2>Episodes</h2>" in (tmp_path / "diff.html").read_text()


def test_a_path_over_the_network_is_for_admins(site, pair):  # noqa: F811
    engineer = site.acting_as(Actor("eve", Role.ENGINEER))
    with pytest.raises(Refused, match="only an admin"):
        compare_two_releases(engineer, *map(str, pair))
    with pytest.raises(BadInput, match="no such file"):
        compare_two_releases(None, "r1", str(pair[0]))
