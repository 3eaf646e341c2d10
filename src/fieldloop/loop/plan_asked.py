"""What somebody asks of a plan: a budget and a strategy, refused where they make no sense."""

from fieldloop.errors import BadInput, UnknownName
from fieldloop.plan import STRATEGIES
from fieldloop.protocol import Section


def asked_for(settings: Section, budget: int | None, strategy: str) -> Section:
    """Return the settings of a plan with the budget that is asked for; a strategy must be known."""
    if strategy not in STRATEGIES:
        raise BadInput(f"{UnknownName('strategy', strategy, STRATEGIES)} Known: {', '.join(STRATEGIES)}.")
    if budget is not None and budget < 0:
        raise BadInput(f"A budget of {budget} demonstrations is no plan; give a number from 0.")
    return settings if budget is None else settings.replaced(budget=budget)
