"""Shares as the plan's sentences say them."""

LEAST = 0.0005
"""Below it one digit behind the point would say that production never does it."""


def of_production(share: float) -> str:
    """Say how much of production something is.

    >>> of_production(0.047), of_production(0.0002)
    ('4.7% of production', 'under 0.1% of production')
    """
    return f"{'under 0.1%' if 0.0 < share < LEAST else f'{share:.1%}'} of production"
