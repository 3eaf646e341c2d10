"""Sum up a provider's deliveries: acceptance, cost per accepted episode, and whether its quality is repeatable."""

from collections.abc import Iterable, Sequence

from fieldloop.model.delivery import Acceptance, Scorecard
from fieldloop.model.finding import Status
from fieldloop.model.person import Provider
from fieldloop.stats import binomial


def make_scorecard(acceptances: Iterable[Acceptance], provider: Provider) -> Scorecard:
    """Sum up what one provider delivered; other providers' deliveries are ignored."""
    delivered = [a for a in acceptances if a.provider == provider.id]
    episodes, accepted = sum(a.episodes for a in delivered), sum(a.accepted for a in delivered)
    low, high = binomial.compute_wilson_interval(accepted, episodes)
    paid = None if provider.cost_per_episode is None else provider.cost_per_episode * episodes
    return Scorecard(
        provider=provider.id,
        deliveries=len(delivered),
        deliveries_accepted=sum(a.status is Status.PASSED for a in delivered),
        episodes=episodes,
        accepted=accepted,
        share=accepted / episodes if episodes else 0.0,
        share_low=low,
        share_high=high,
        cost_per_accepted=paid / accepted if paid is not None and accepted else None,
        currency=provider.currency,
        between_deliveries=_test_equal_rates(delivered),
    )


def _test_equal_rates(delivered: Sequence[Acceptance]) -> float | None:
    """Pearson's test that all deliveries share one acceptance rate; None where there is nothing to compare."""
    from scipy.stats import chi2_contingency

    table = [[a.accepted for a in delivered if a.episodes], [a.episodes - a.accepted for a in delivered if a.episodes]]
    if len(table[0]) < 2 or not all(map(sum, table)):  # noqa: PLR2004 - a comparison takes two
        return None
    return float(chi2_contingency(table, correction=False).pvalue)
