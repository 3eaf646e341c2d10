"""What enters a release, how it is split and weighed, and what it is called."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject
from fieldloop.model.release_diff import ChangeKind
from fieldloop.protocol import default_operations
from fieldloop.release import Terms, assemble_release, compare_sides, make_release_side
from fieldloop.release.assemble import NothingToRelease
from fieldloop.release.difference import DiffTerms
from fieldloop.report.datasheet import write_datasheet

SETTINGS = default_operations()["release"]
DIM, BRIGHT = Stratum.of(lighting="dim"), Stratum.of(lighting="bright")
TERMS = Terms("pick v1", "phases v1", (Exposure(DIM, 0.4), Exposure(BRIGHT, 0.6)))


def episode(number, stratum=BRIGHT, session=None, **more):
    return Episode(f"e{number:03}", f"log {number}", "mcap", stratum=stratum, site="north", operator=f"op{number % 4}",
                   session=f"s{number // 5}" if session is None else session, start_ns=10**18 + number,
                   end_ns=10**18 + 10 * 10**9, **{"succeeded": True, **more})  # fmt: skip


def report(one, status=Status.PASSED):
    finding = Finding("timing.gap", Subject("camera"), status, 3.0, None, 1.0, "periods")
    return EpisodeReport(one.id, one.name, status, (finding,))


def label(one):
    return Annotation(one.id, "phase", "grasp", 0, 10, "ann")


def frozen(episodes, terms=TERMS, reports=None, labels=None, name="first"):
    episodes = list(episodes)
    return assemble_release(name, episodes, reports or [report(e) for e in episodes],
                    [label(e) for e in episodes] if labels is None else labels, terms, SETTINGS)  # fmt: skip


def test_only_what_passed_enters_and_the_rest_is_named():
    episodes = [episode(k) for k in range(10)]
    statuses = {
        "e001": Status.FAILED,
        "e002": Status.CANNOT_TELL,
        "e003": Status.NOT_APPLICABLE,
        "e004": Status.ERRORED,
    }
    reports = [report(e, statuses.get(e.id, Status.PASSED)) for e in episodes if e.id != "e005"]
    labels = [label(e) for e in episodes if e.id != "e006"]
    release = frozen(episodes, reports=reports, labels=labels)
    assert release.episodes == ("e000", "e007", "e008", "e009")
    why = dict(release.excluded)
    assert (why["e001"].code, why["e001"]["check"]) == ("release.not_passed", "timing.gap")
    assert why["e005"].code == "release.never_checked"
    assert (why["e006"].code, why["e006"]["taxonomy"]) == ("release.not_annotated", "phases v1")
    assert set(why) == {"e001", "e002", "e003", "e004", "e005", "e006"}


def test_failed_attempts_at_the_task_are_data():
    release = frozen([episode(0), episode(9, succeeded=False, failure="slip")])
    assert release.episodes == ("e000", "e009")


def test_an_episode_needs_phases_only_where_its_own_task_has_a_locked_taxonomy():
    episodes = [episode(n, task=task) for n, task in enumerate(("pick", "sort", "pick"))]
    terms = Terms("pick v1", "pick v1", taxonomies=(("pick", "pick v1"), ("sort", "")))
    release = frozen(episodes, terms, labels=[label(episodes[0])])
    assert release.episodes == ("e000", "e001")
    assert [(key, why["taxonomy"]) for key, why in release.excluded] == [("e002", "pick v1")]


def test_without_a_taxonomy_annotations_are_not_asked_for():
    assert frozen([episode(0)], Terms("pick v1"), labels=[]).episodes == ("e000",)


def test_nothing_sound_is_refused_with_why():
    with pytest.raises(NothingToRelease) as never:
        assemble_release("first", [episode(0)], [], [], TERMS, SETTINGS)
    assert [reason.code for reason in never.value.reasons] == ["release.never_checked"]
    with pytest.raises(NothingToRelease) as none:
        assemble_release("first", [], [], [], TERMS, SETTINGS)
    assert none.value.reasons == ()


@settings(deadline=None, max_examples=30)
@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_the_order_never_matters_and_every_part_of_the_content_does(chance, count):
    episodes = [episode(k, DIM if k % 3 else BRIGHT) for k in range(count)]
    shuffled = chance.sample(episodes, len(episodes))
    release = frozen(episodes)
    again = assemble_release(
        "other name", shuffled, [report(e) for e in episodes][::-1], [label(e) for e in shuffled], TERMS, SETTINGS
    )
    assert again.id == release.id
    assert (again.train, again.validation) == (release.train, release.validation)
    others = [
        frozen([*episodes, episode(999)]),
        frozen(episodes, Terms("pick v2", "phases v1", TERMS.exposures)),
        frozen(episodes, Terms("pick v1", "phases v1", (Exposure(DIM, 1.0),))),
        frozen(episodes, labels=[Annotation(e.id, "phase", "lift", 0, 10, "ann") for e in episodes]),
    ]
    assert len({release.id, *(o.id for o in others)}) == 5


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=120), st.integers(0, 5))
def test_no_session_is_ever_on_both_sides(sessions, seed):
    episodes = [episode(k, DIM if k % 2 else BRIGHT, session=f"s{s}") for k, s in enumerate(sessions)]
    release = frozen(episodes, Terms("pick v1", "", (), seed))
    side = {e.id: e.session for e in episodes}
    assert sorted(release.train + release.validation) == list(release.episodes)
    assert not {side[i] for i in release.train} & {side[i] for i in release.validation}
    assert release.train
    assert bool(release.validation) == (len(set(sessions)) > 1)


def test_with_many_sessions_each_stratum_gets_its_share_of_validation():
    chance = random.Random(1)
    episodes = [episode(k, chance.choice([DIM, BRIGHT, BRIGHT]), session=f"s{k // 4}") for k in range(400)]
    validation = set(frozen(episodes).validation)
    for stratum in (DIM, BRIGHT):
        own = [e for e in episodes if e.stratum == stratum]
        assert sum(e.id in validation for e in own) / len(own) == pytest.approx(0.2, abs=0.03)


def test_another_seed_is_another_split():
    episodes = [episode(k) for k in range(100)]
    assert len({frozen(episodes, Terms("pick v1", "", (), seed)).validation for seed in range(5)}) > 1


def test_an_episode_without_a_session_shares_one_with_its_operator_and_day():
    episodes = [episode(4 * k, session="") for k in range(20)]  # one operator, one day
    assert frozen(episodes).validation == ()


def test_weights_bring_the_release_back_to_the_floor_up_to_the_cap():
    episodes = [episode(k, DIM if k < 5 else BRIGHT) for k in range(100)]
    shares = {s.stratum: s for s in frozen(episodes).shares}
    assert (shares[DIM].natural, shares[DIM].sampled, shares[DIM].weight) == (0.4, 0.05, 5.0)  # 8 without the cap
    assert shares[BRIGHT].weight == pytest.approx(0.6 / 0.95)


def test_a_deployed_stratum_never_shown_is_listed_and_an_undeployed_one_weighs_one():
    lab = Stratum.of(lighting="studio")
    shares = {s.stratum: s for s in frozen([episode(k, lab) for k in range(10)]).shares}
    assert (shares[DIM].sampled, shares[DIM].weight) == (0.0, 0.0)
    assert (shares[lab].natural, shares[lab].weight) == (0.0, 1.0)


def test_strata_are_matched_by_the_maps_factors_with_the_site_of_the_episode():
    where = Stratum.of(lighting="dim", site="north")
    terms = Terms("pick v1", "", (Exposure(where, 1.0),))
    shares = frozen([episode(0, Stratum.of(lighting="dim", sku="7"))], terms).shares
    assert [(s.stratum, s.sampled) for s in shares] == [(where, 1.0)]


def test_without_a_map_every_episode_weighs_one():
    assert {s.weight for s in frozen([episode(0), episode(1, DIM)], Terms("pick v1")).shares} == {1.0}


def test_a_diff_names_what_came_went_and_changed():
    older = [episode(k) for k in range(20)]
    newer = [episode(k, DIM if k > 18 else BRIGHT) for k in range(5, 30)]
    terms = Terms("pick v2", "phases v1", TERMS.exposures)
    old, new = make_release_side(frozen(older), tuple(older)), make_release_side(frozen(newer, terms), tuple(newer))
    change = compare_sides(old, new, DiffTerms(0.05, 200, 0.1))
    assert change.list_episodes(ChangeKind.ADDED) == tuple(f"e{k:03}" for k in range(20, 30))
    assert change.list_episodes(ChangeKind.REMOVED) == tuple(f"e{k:03}" for k in range(5))
    assert change.list_episodes(ChangeKind.FACTS) == ("e019",)
    assert change.protocol == ("pick v1", "pick v2")
    assert change.taxonomy is None
    assert (DIM, 0.0, 11 / 25) in change.shares
    same = compare_sides(old, old, DiffTerms(0.05, 200, 0.1))
    assert same.same
    assert (same.changes, same.shifts) == ((), ())


def test_the_datasheet_says_what_is_in_what_is_missing_and_what_was_left_out():
    episodes = [episode(k, succeeded=k != 3, failure="slip" if k == 3 else "", simulated=True) for k in range(20)]
    release = frozen([*episodes, episode(99)], reports=[report(e) for e in episodes])
    sheet = write_datasheet(release, episodes)
    assert release.id in sheet
    assert "task succeeded 19, failed 1 (slip 1)" in sheet
    assert "1 deployed strata, 40.0 % of production" in sheet
    assert "- 1 × The episode was never checked." in sheet
    assert "operators: op0 5 (25 %)" in sheet
    assert "simulated 20" in sheet


def test_the_datasheet_owns_up_to_what_it_cannot_see():
    release = frozen([episode(0)])
    sheet = write_datasheet(release, [])
    assert "1 episodes were not found" in sheet
    assert "no validation set" in sheet
