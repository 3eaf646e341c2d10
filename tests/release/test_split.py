"""The split: nothing related on both sides, both sides alike, and better than drawing by chance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check import BATCH_CHECKS
from fieldloop.errors import UnknownName
from fieldloop.model.condition import Stratum
from fieldloop.release.split import split_episodes
from fieldloop.testing.batches import Shape, make_healthy_batch
from fieldloop.testing.injuries.injury import relabel


def uneven(seed=0, sessions=24, each=10):
    """A corpus whose sessions are of unlike size and mix: conditions come in runs, as they do on a floor."""
    random = np.random.default_rng(seed)
    batch = make_healthy_batch(Shape(sessions, each), seed=seed)
    light, bin_ = random.choice(["bright", "dim"], sessions), random.choice(["front", "back", "side"], sessions)
    kept = [e for e in batch.episodes if random.random() < 0.3 + 0.7 * (number(e) % 3 > 0)]
    return relabel(
        replace(batch, episodes=tuple(kept), split={}, imprints={}),
        lambda _, e: {
            "stratum": Stratum.of(
                lighting=str(light[number(e)]), bin=str(bin_[number(e)]), object=f"sku-{random.integers(6)}"
            )
        },
    )


def number(episode):
    return int(episode.session.removeprefix("session-"))


def sides_of(batch, validation):
    return replace(batch, split={e.id: "validation" if e.id in validation else "train" for e in batch.episodes})


def judged(batch, validation):
    """Leaks, and the mean distance between the sides in points."""
    divided = sides_of(batch, validation)
    leaks = sum(m.value for m in BATCH_CHECKS["corpus.split_leaks"].look(divided))
    far = [m.value for m in BATCH_CHECKS["corpus.split_representative"].look(divided)]
    return leaks, float(np.mean(far))


def random_sessions(batch, random, share=0.2):
    names = random.permutation(sorted({e.session for e in batch.episodes}))
    wanted, chosen = share * len(batch.episodes), set()
    for name in names:
        if len(chosen) < wanted:
            chosen |= {e.id for e in batch.episodes if e.session == name}
    return chosen


def test_it_does_better_than_drawing_episodes_or_sessions_by_chance():
    ours, episodes, sessions = [], [], []
    for seed in range(8):
        batch = uneven(seed)
        random = np.random.default_rng(seed)
        ours.append(judged(batch, set(split_episodes(batch.episodes, 0.2, seed)[1])))
        drawn = random.permutation([e.id for e in batch.episodes])[: len(batch.episodes) // 5]
        episodes.append(judged(batch, set(drawn.tolist())))
        sessions.append(judged(batch, random_sessions(batch, random)))
    leaks, far = np.mean(ours, axis=0)
    assert leaks == 0
    assert np.mean(episodes, axis=0)[0] > 15  # of 24 sessions
    assert far < 0.6 * np.mean(sessions, axis=0)[1]


@pytest.mark.parametrize("apart", [("session",), ("session", "operator"), ("session", "object"), ("operator",)])
def test_what_is_kept_apart_is_on_one_side(apart):
    batch = relabel(
        uneven(3),
        lambda _, e: {"stratum": Stratum.of({**e.stratum.levels, "object": f"sku-{number(e) // 4}"})},
    )
    train, validation = map(set, split_episodes(batch.episodes, 0.25, 0, apart))
    assert validation
    for kind in apart:
        of = {
            "session": lambda e: e.session,
            "operator": lambda e: e.operator,
            "object": lambda e: e.stratum.level("object"),
        }[kind]
        assert not {of(e) for e in batch.episodes if e.id in train} & {
            of(e) for e in batch.episodes if e.id in validation
        }


def test_what_belongs_together_stays_together():
    batch = uneven(1)
    ids = [e.id for e in batch.episodes]
    together = [(ids[0], ids[-1]), (ids[-1], ids[50]), (ids[10], ids[120])]
    for seed in range(8):
        _, validation = split_episodes(batch.episodes, 0.3, seed, ids_together=together)
        for group in together:
            assert len({one in validation for one in group}) == 1


def test_everything_related_to_everything_trains():
    batch = relabel(uneven(0), lambda *_: {"operator": "one"})
    train, validation = split_episodes(batch.episodes, 0.2, 0, ("session", "operator"))
    assert (len(train), validation) == (len(batch.episodes), ())


def test_an_unknown_thing_to_keep_apart_is_refused():
    with pytest.raises(UnknownName, match="operator"):
        split_episodes(uneven(0).episodes, 0.2, 0, ("operators",))


def test_the_order_of_episodes_changes_nothing():
    episodes = uneven(5).episodes
    assert split_episodes(episodes, 0.2, 7) == split_episodes(tuple(reversed(episodes)), 0.2, 7)


def test_many_small_groups_end_soon_and_near_the_share():
    batch = make_healthy_batch(Shape(500, 2))
    _, validation = split_episodes(batch.episodes, 0.2, 0)
    assert len(validation) == pytest.approx(200, abs=4)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 2)), min_size=0, max_size=40),
    st.floats(0.0, 1.0),
    st.integers(0, 5),
)
def test_sides_cover_everything_once_and_never_leave_training_empty(rows, share, seed):
    template = make_healthy_batch(Shape(1, 4)).episodes[0]
    episodes = [
        replace(template, id=f"{i:03}", session=f"s{s}", operator=f"o{o}", stratum=Stratum.of(bin=str(b)))
        for i, (s, o, b) in enumerate(rows)
    ]
    train, validation = split_episodes(episodes, share, seed)
    assert sorted(train + validation) == [e.id for e in episodes]
    assert train or not episodes
    assert bool(validation) == (len({e.session for e in episodes}) > 1 and share > 0.0)
