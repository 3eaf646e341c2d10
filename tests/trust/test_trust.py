"""The way back from a policy, and a chain that shows where it was touched."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.model.calibration import Calibration
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.model.person import Provider
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release
from fieldloop.trust import find_origins_depending_on, seal_records, trace_lineage, verify_chain

POLICY = PolicyVersion("p1", "first", "rel", "mlp", "sha", 3, 0, 0.1, 10.0)
RELEASE = Release("rel", "first", ("e1", "e2", "e3"), ("e1", "e2"), ("e3",), "pick v1", "phases v1", (), "sha")
UNIT = ((1.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0))


def episode(name, at_ns, **more):
    facts = {"operator": "op1", "session": "s1", "robot": "r1", "site": "north", "protocol": "pick v1", **more}
    return Episode(name, f"log {name}", "mcap", start_ns=at_ns, **facts)


def calibration(name, begin, end=None):
    return Calibration(
        name, "hand-eye", "r1", "cam", "base", "cam", UNIT, "park", 1, 0.1, 20, Status.PASSED, begin, end
    )


def test_every_episode_leads_back_to_what_it_rests_on():
    episodes = [episode("e1", 5), episode("e2", 15, operator="op2"), episode("e3", 25, provider="acme")]
    found = trace_lineage(
        POLICY, RELEASE, episodes, [calibration("c1", 0, 10), calibration("c2", 10)], [Provider("acme", "A", 0.9)]
    )
    assert [(o.episode, o.operator, o.calibrations, o.split) for o in found.origins] == [
        ("e1", "op1", ("c1",), "train"), ("e2", "op2", ("c2",), "train"), ("e3", "op1", ("c2",), "validation"),
    ]  # fmt: skip
    assert found.open_ends == ()
    assert [o.episode for o in find_origins_depending_on(found.origins, "calibration", "c2")] == ["e2", "e3"]
    assert [o.episode for o in find_origins_depending_on(found.origins, "provider", "acme")] == ["e3"]
    assert [o.episode for o in find_origins_depending_on(found.origins, "operator", "op2")] == ["e2"]


def test_what_cannot_be_traced_is_reported():
    found = trace_lineage(POLICY, RELEASE, [episode("e1", 5, operator="", provider="ghost"), episode("e2", 5)])
    assert set(found.open_ends) == {
        note("trust.episode_unknown", episode="e3"),
        note("trust.fact_missing", missing=1, episodes=2, field="operator"),
        note("trust.no_calibration", missing=2, episodes=2),
        note("trust.no_contract", provider="ghost"),
    }


def test_another_release_than_the_policys_is_refused():
    with pytest.raises(BadInput, match="trained on release rel"):
        trace_lineage(POLICY, dataclasses.replace(RELEASE, id="other"), [])


records = st.lists(
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.booleans() | st.none(), max_size=3),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(deadline=None)
@given(records)
def test_an_untouched_chain_holds_and_the_order_of_keys_means_nothing(made):
    links = seal_records(made)
    assert verify_chain(links).status is Status.PASSED
    assert verify_chain(links, kept_head=links[-1].sha256).status is Status.PASSED
    assert seal_records([dict(reversed(r.items())) for r in made]) == links


@settings(deadline=None)
@given(records, st.data())
def test_a_changed_record_is_named(made, data):
    links = list(seal_records(made))
    at = data.draw(st.integers(0, len(links) - 1))
    links[at] = dataclasses.replace(links[at], record={**links[at].record, "extra": 1})
    found = verify_chain(links)
    assert (found.status, found.broken_at) == (Status.FAILED, at)
    assert found.message.code == "trust.link_changed"


@settings(deadline=None)
@given(records, st.data())
def test_a_resealed_record_breaks_the_link_after_it(made, data):
    links = list(seal_records(made))
    at = data.draw(st.integers(0, len(links) - 1))
    forged = seal_records([*made[:at], {"forged": True}])[at]
    tampered = [*links[:at], forged, *links[at + 1 :]]
    found = verify_chain(tampered, kept_head=links[-1].sha256)
    assert found.status is Status.FAILED
    assert found.broken_at == at + 1


@settings(deadline=None)
@given(records, st.data())
def test_a_dropped_link_is_named_and_a_cut_end_shows_against_the_head(made, data):
    links = seal_records(made)
    at = data.draw(st.integers(0, len(links) - 1))
    found = verify_chain(links[:at] + links[at + 1 :], kept_head=links[-1].sha256)
    assert (found.status, found.broken_at) == (Status.FAILED, at)


def test_swapped_links_are_named():
    links = seal_records([{"a": 1}, {"a": 2}, {"a": 3}])
    assert verify_chain((links[0], links[2], links[1])).broken_at == 1


def test_an_empty_chain_proves_nothing():
    assert verify_chain(()).status is Status.CANNOT_TELL
    assert verify_chain((), kept_head="0" * 64).status is Status.CANNOT_TELL


@pytest.mark.parametrize("record", [{"x": float("nan")}, {"x": object()}, {"x": {1, 2}}])
def test_what_is_not_plain_json_cannot_be_sealed(record):
    with pytest.raises(BadInput, match="Record 0"):
        seal_records([record])
