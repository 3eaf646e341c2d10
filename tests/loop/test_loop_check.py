"""Checking at length: in parts, interrupted and resumed, without pictures, judged again without a log."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fieldloop.check import BATCH_CHECKS
from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.data import check, check_again, ingest
from fieldloop.loop.data.measurements import read_imprints
from fieldloop.loop.house import setup
from fieldloop.loop.work import parts
from fieldloop.loop.work.kept_measurements import PartCache
from fieldloop.loop.work.measure_part import Part, PartResult, Rules, measure_part
from fieldloop.loop.work.parts import cut_into_parts
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.episode import Defect, Episode
from fieldloop.model.event import EpisodesMeasured
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.protocol import default_protocol
from fieldloop.release.writers import write_lerobot
from fieldloop.testing import synthetic

EPISODES = 5
PART = 3
UNSEEN = dict.fromkeys(("camera/wrist", "depth/overhead"))  # one camera is enough, and decoding costs most


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "dataset"
    made = [synthetic.replace_streams(synthetic.make_healthy_recording(seed=seed), UNSEEN) for seed in range(EPISODES)]
    write_lerobot(made, folder)
    return folder


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    """Starting workers costs more than these few episodes; that workers change nothing is tested where they are."""
    monkeypatch.setattr(parts, "FEWEST", PART)
    for module in (check, ingest, check_again):
        monkeypatch.setattr(module, "run_each", lambda work, items, **_: map(work, items))


def answers(report):
    return [(e.episode, [(f.check, f.subject, f.status, f.measured) for f in e.findings]) for e in report.episodes]


def test_parts_see_what_the_whole_sees(dataset):
    whole = [r.episode.id for r in open_log(dataset).recordings]
    work = cut_into_parts((dataset,), None)
    assert len(work.parts) == 2
    assert work.expected == EPISODES == len(whole)
    seen = [measure_part(part, Rules(default_protocol())) for part in work.parts]
    assert [one.episode.id for part in seen for one in part.episodes] == whole


def test_only_the_first_part_tells_what_is_wrong_with_the_whole(dataset, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(dataset, broken)
    info = broken / "meta" / "info.json"
    info.write_text(info.read_text().replace(f'"total_episodes": {EPISODES}', '"total_episodes": 99'))
    first, second = (measure_part(part, Rules(default_protocol())) for part in cut_into_parts((broken,), None).parts)
    assert first.defects
    assert second.defects == ()


@pytest.mark.parametrize(
    ("paths", "subjects"),
    [
        (("a/set", "b/set"), ["a/set/mask", "b/set/mask"]),
        (("a/one.h5", "a/two.h5"), ["one.h5/mask", "two.h5/mask"]),
        (("a/set", "a/set"), ["mask"]),
    ],
)
def test_a_defect_of_one_of_several_files_names_its_file(paths, subjects):
    lost = Defect("mask", "", note("ingest.short_array"))
    gathered = check.Gathered(Rules(default_protocol()))
    assert not list(
        gathered.add_and_yield_results((Part(Path(path)), PartResult("hdf5", (), (lost,))) for path in paths)
    )
    found = [finding.subject for finding in gathered.make_report("x").dataset if finding.check == "corpus.defects"]
    assert found == subjects


def test_without_pictures_the_numbers_are_the_same(dataset):
    every = check.check(None, (dataset,))
    numbers = check.check(None, (dataset,), numbers_only=True)
    for one, other in zip(every.episodes, numbers.episodes, strict=True):
        told = {(f.check, f.subject): f for f in one.findings}
        for finding in other.findings:
            if finding.reason is not None and finding.reason.code == "check.numbers_only":
                assert finding.status is Status.NOT_APPLICABLE
            else:
                assert finding == told[finding.check, finding.subject]


def test_an_interrupted_check_goes_on_where_it_stopped(dataset, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    undisturbed = check.check(None, (dataset,))
    first, *_ = cut_into_parts((dataset,), None).parts
    check.measure_and_cache(first, cache=PartCache(kept, Rules(default_protocol())))  # what a killed run leaves
    starts = []
    monkeypatch.setattr(
        check, "measure_part", lambda part, rules: starts.append(part.start) or measure_part(part, rules)
    )
    resumed = check.check(None, (dataset,), keep=kept)
    assert starts == [PART]
    assert answers(resumed) == answers(undisturbed)
    again = check.check(None, (dataset,), keep=kept)
    assert starts == [PART], "nothing is looked at a second time"
    assert answers(again) == answers(undisturbed)


def test_what_is_kept_is_judged_anew_without_the_log(dataset, tmp_path):
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    shutil.copytree(dataset, gone)
    before = check.check(None, (gone,), keep=kept)
    shutil.rmtree(gone)
    assert answers(check.check(None, keep=kept)) == answers(before)
    strict = tmp_path / "strict.toml"
    strict.write_text("[check.integrity.frozen]\nmax = 0.0\n[check.timing.rate]\nmin = 2.0\nmax = 3.0\n")
    after = check.check(None, keep=kept, protocol=strict)
    assert after.protocol.limits["timing.rate"].minimum == 2.0
    assert [f.check for f in after.dataset] == [f.check for f in before.dataset]
    assert {f.check for f in after.dataset} == set(BATCH_CHECKS)


def test_a_changed_log_or_parameter_is_looked_at_again(dataset, tmp_path):
    rules = Rules(default_protocol())
    part, cache = Part(dataset, None, 0, PART), PartCache(tmp_path / "kept", rules)
    cache.store_result(part, measure_part(part, rules))
    assert cache.find_result(part) is not None
    limits = dict(default_protocol().limits)
    limits["timing.longest_gap"] = limits["timing.longest_gap"].replace_parameters(edge_s=9.0, steady_spread=1)
    assert replace(cache, rules=Rules(replace(default_protocol(), limits=limits))).find_result(part) is None
    assert cache.find_result(replace(part, pixels=False)) is None


def test_damaged_and_empty_folders_are_named(tmp_path):
    with pytest.raises(BadInput, match="holds no measurements"):
        check.check(None, keep=tmp_path / "nothing")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "x.json").write_text("{")
    with pytest.raises(BadInput, match="damaged"):
        check.check(None, keep=tmp_path / "kept")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        check.check(None, keep=tmp_path / "file")


@pytest.fixture
def here(tmp_path, dataset):
    setup.init(tmp_path / "site")
    opened = open_workspace(tmp_path / "site")
    ingest.ingest_logs(opened, (dataset,))
    yield opened
    opened.close()


def test_the_workspace_keeps_imprints_and_judges_without_opening_a_log(here, monkeypatch):
    episodes = here.store.find(Episode)
    assert set(read_imprints(here, episodes)) == {e.id for e in episodes}
    monkeypatch.setattr("fieldloop.ingest.log.open_log", lambda *_: pytest.fail("a log was opened"))
    report = check.check(here)
    assert report.outdated == 0
    assert {f.check for f in report.dataset} == set(BATCH_CHECKS)


def test_the_page_of_a_workspace_draws_the_episodes_to_look_at_first(here, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(check.pages, "render_check_page", lambda _, sketches: shown.append(sketches) or "page")
    report = check.check(here, html=tmp_path / "report.html")
    assert set(shown[0]) == {one.episode for one in check.pages.sort_episodes_by_cost(report)[:8]}
    monkeypatch.setattr("fieldloop.ingest.log.OpenLog.recordings", ())
    check.check(here, html=tmp_path / "report.html")
    assert shown[1] == {}, "without the logs there is a report still"


def test_other_parameters_make_measurements_outdated_and_again_brings_them_up_to_date(here):
    (here.root / "protocols").mkdir(exist_ok=True)
    file = here.root / "protocols" / f"{here.task}.toml"
    file.write_text("[check.timing.longest_gap]\nparameters = { edge_s = 0.1, steady_spread = 0.5 }\n")
    opened = open_workspace(here.root)
    assert check.check(opened).outdated == EPISODES
    assert check.check(opened, again=True).outdated == 0
    assert check.check(opened).outdated == 0
    assert len(list(opened.store.events(EpisodesMeasured))) == 2, "what was measured before stays in the ledger"
    opened.close()


def test_options_that_do_not_go_together_are_refused(here, dataset):
    with pytest.raises(BadInput, match="--again"):
        check.check(here, (dataset,), again=True)
    with pytest.raises(BadInput, match="--numbers-only"):
        check.check(here, numbers_only=True)
