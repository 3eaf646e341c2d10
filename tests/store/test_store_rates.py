"""Success by policy and site equals counting by hand, for any outcomes, batches, corrections and windows."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.model.attempts import settle_attempts
from fieldloop.model.event import OutcomeRecorded
from fieldloop.model.policy import Outcome, Stage
from fieldloop.stats.binomial import compute_wilson_interval
from fieldloop.store import open_store
from fieldloop.testing.samples import make_sample_noun

HOUR_NS = 3_600_000_000_000
# hours apart, on the hour and one nanosecond beside it
TIMES = st.builds(lambda hour, shift: hour * HOUR_NS + shift, st.integers(-3, 30), st.sampled_from([-1, 0, 1, 12_345]))
OUTCOMES = st.builds(
    lambda number, policy, site, stage, at_ns, succeeded, attempt: replace(
        make_sample_noun(Outcome),
        id=f"o{number}",
        policy=policy,
        site=site,
        stage=stage,
        at_ns=at_ns,
        succeeded=succeeded,
        attempt=attempt,
    ),
    st.integers(0, 15),
    st.sampled_from("pq"),
    st.sampled_from("st"),
    st.sampled_from([Stage.PRODUCTION, Stage.GATE]),
    TIMES,
    st.booleans(),
    st.sampled_from(["", "", "a", "b"]),  # one attempt may have several judges
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(OUTCOMES, max_size=8), max_size=6), st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=8))
def test_rates_equal_counting_by_hand(batches, windows):
    store = open_store("sqlite://")
    said = {}
    for batch in batches:
        store.append([OutcomeRecorded(o) for o in batch], actor="a", at_ns=1)
        for o in batch:
            said.pop(o.id, None)  # what is said again is said last
            said[o.id] = o
    attempts = settle_attempts(o for o in said.values() if o.stage is Stage.PRODUCTION)[0]
    for start, end in windows:
        inside = [o for o in attempts if start <= o.at_ns < end]
        expected = {}
        for o in inside:
            won, tried = expected.get((o.policy, o.site), (0, 0))
            expected[o.policy, o.site] = (won + o.succeeded, tried + 1)
        found = store.compute_success_rates(start, end)
        assert {(r.policy, r.site): (r.successes, r.episodes) for r in found} == expected
        assert [(r.policy, r.site) for r in found] == sorted(expected)
        assert all((r.low, r.high) == compute_wilson_interval(r.successes, r.episodes) for r in found)
        assert all((r.start_ns, r.end_ns, r.rate) == (start, end, r.successes / r.episodes) for r in found)
    store.close()
