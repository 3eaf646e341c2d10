"""How a thing stands, in five marks that every door draws alike."""

from fieldloop.model.finding import Status

GOOD, WARN, BAD, RUN, IDLE = "good", "warn", "bad", "run", "idle"
MARK = dict(zip(Status, (BAD, BAD, WARN, IDLE, GOOD), strict=True))
