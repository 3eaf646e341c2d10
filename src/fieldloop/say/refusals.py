"""A refusal with its reasons: one line each, because a run-on line of five reasons is not read."""

from collections.abc import Sequence


def write_refusal(lead: str, reasons: Sequence[str], *next_steps: str) -> str:
    """Write what is refused, then why, then what to do; a single reason stays on the same line.

    >>> write_refusal("No session now", ["The light is off."], "Try again.")
    'No session now: The light is off. Try again.'
    >>> print(write_refusal("No session now", ["The light is off.", "The door is open."], "Try again."))
    No session now:
    - The light is off.
    - The door is open.
    Try again.
    """
    if len(reasons) == 1:
        return " ".join((f"{lead}: {reasons[0]}", *next_steps))
    return "\n".join((f"{lead}:", *(f"- {reason}" for reason in reasons), *next_steps))
