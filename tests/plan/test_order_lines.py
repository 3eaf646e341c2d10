"""Articles are chosen sensibly from a real warehouse's velocities."""

import csv
from collections import Counter

import pytest

from fieldloop.audit.catalogue import assign_tiers
from fieldloop.model.condition import Stratum
from fieldloop.model.deployment import Sku
from fieldloop.plan.rules.tiers import compute_tier_states, read_tier_targets
from fieldloop.plan.work.articles import Articles
from fieldloop.protocol import default_operations
from fieldloop.testing.shared import find_shared_data

SETTINGS = default_operations()["plan"]


@pytest.fixture(scope="module")
def skus():
    folder = find_shared_data("order-lines")
    if folder is None:
        pytest.skip("no real order lines beside the repository: shared/data/order-lines")
    with (folder / "df_lines.csv").open(encoding="utf-8") as file:
        picks = Counter(row["SKU"] for row in csv.DictReader(file))
    return assign_tiers([Sku(name, float(count)) for name, count in picks.items()], default_operations()["audit"])


def test_depth_goes_to_what_is_picked_most(skus):
    by_picks = sorted((s for s in skus if s.tier == "high"), key=lambda s: (-s.picks_per_week, s.id))
    catalogue = Articles(skus, Counter(), read_tier_targets(SETTINGS), SETTINGS.number("article_power"))
    chosen = catalogue.choose_articles(Stratum.of(tier="high"), 100)
    assert list(chosen) == [s.id for s in by_picks[: len(chosen)]]
    assert len(chosen) >= 50


def test_breadth_shows_another_article_every_time(skus):
    catalogue = Articles(skus, Counter(), read_tier_targets(SETTINGS), SETTINGS.number("article_power"))
    tier_of = {s.id: s.tier for s in skus}
    shown = [sku for _ in range(20) for sku in catalogue.choose_articles(Stratum.of(tier="medium"), 10)]
    assert len(set(shown)) == 200
    assert {tier_of[sku] for sku in shown} == {"medium"}


def test_the_tiers_hold_all_picks(skus):
    states = compute_tier_states(skus, Counter(), SETTINGS)
    assert [s.tier for s in states] == ["high", "medium", "long_tail"]
    assert sum(s.picks_share for s in states) == pytest.approx(1.0)
    assert sum(s.articles for s in states) == len(skus)
